// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "stickslip/gallery/run_gallery.h"

namespace stickslip {

/// "done", "inexact", "failed", "stopped", "interrupted"
std::string_view outcome_name(Outcome outcome);
/// Why a number differs, as far as it is known; empty where it agrees.
std::string describe_reason(const Comparison& comparison);

/// A header "name [unit],..." and a line a row; numbers that read back as the same doubles.
std::string figure_to_csv(const Figure& figure);
/// benchmark, quantity, unit, origin, expected, value, tolerance, ours, difference, agrees, explained_from,
/// explained_to, reason
std::string comparisons_to_csv(const GalleryRecord& gallery);
/// A line a run.
std::string runs_to_csv(const GalleryRecord& gallery);
/// All of it for reading.
std::string to_markdown(const GalleryRecord& gallery);
/// The comparisons for a terminal, and how many agree.
std::string to_text(const GalleryRecord& gallery);

}  // namespace stickslip
