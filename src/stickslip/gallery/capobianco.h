// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/gallery/gallery.h"

// The six systems of [Capobianco2021, section 10], one function each. Where a number is marked as reference it is of a
// dense implementation of the paper's scheme, independent of ours, at the published steps.

namespace stickslip::capobianco {

Benchmark make_bouncing_ball();     // section 10.1
Benchmark make_ball_in_corner();    // section 10.2
Benchmark make_ball_in_cylinder();  // section 10.3
Benchmark make_sliding_rod();       // section 10.4
Benchmark make_hopper();            // section 10.5
Benchmark make_tippe_top();         // section 10.6

/// A shipped scene of the paper, every step written.
GalleryRun make_run(const std::string& scene, const std::string& elsewhere);

/// The same with the paper's tolerance: 1e-6, though in other units. To be compared by its iterations alone.
GalleryRun make_loose_run(const std::string& scene);

/// nu_max and nu_avg of a footnote beside our Newton steps; `reason` says why they differ. loose: the same run at the
/// paper's tolerance, or none. name: what to put before the quantities.
void compare_iterations(const RunData& run, const RunData* loose, const std::string& nu_max, const std::string& nu_avg,
                        const std::string& reason, const std::string& name, BenchmarkPage& page);

/// "The semismooth Newton method was used for all time steps", as five of the six footnotes say.
void compare_fallbacks(const RunData& run, const std::string& name, BenchmarkPage& page);

/// What the paper says of all of them: nothing penetrates, and the constraints do not drift.
void compare_constraints(const RunData& run, const std::string& name, BenchmarkPage& page);

}  // namespace stickslip::capobianco
