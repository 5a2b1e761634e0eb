// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/capobianco.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip {
namespace capobianco {

GalleryRun make_run(const std::string& scene, const std::string& elsewhere) {
  return {scene, "papers/capobianco/" + scene, {}, elsewhere};
}

GalleryRun make_loose_run(const std::string& scene) {
  return {scene + "_tolerance_1e-6", "papers/capobianco/" + scene, {"scheme.tolerance=1e-6"}, ""};
}

void compare_iterations(const RunData& run, const RunData* loose, const std::string& nu_max, const std::string& nu_avg,
                        const std::string& reason, const std::string& name, BenchmarkPage& page) {
  std::string why = reason;
  if (loose != nullptr) {
    double beyond_first = 0.0;
    for (const StepRow& row : loose->steps()) {
      beyond_first += static_cast<double>(std::max<std::int64_t>(row.iterations - 1, 0));
    }
    why += fmt::format(
        "; at a tolerance of 1e-6, relative as ours is, it is {} at most and {:.3f} on average. The footnotes of runs "
        "with differenced Jacobians fit a count that leaves out the first iteration of a step: ours would be {:.3f} on "
        "average",
        loose->max_iterations(), loose->mean_iterations(),
        beyond_first / static_cast<double>(std::max<std::size_t>(loose->steps().size(), 1)));
  }
  page.published(name + "most Newton iterations in a step", "", nu_max, static_cast<double>(run.max_iterations()), why);
  page.published(name + "Newton iterations a step, mean", "", nu_avg, run.mean_iterations(), why);
}

void compare_fallbacks(const RunData& run, const std::string& name, BenchmarkPage& page) {
  const auto steps = std::ranges::count_if(run.steps(), [](const StepRow& row) { return row.fallbacks > 0; });
  page.stated(name + "steps that needed more than Newton's method", "", 0.0, 0.0, static_cast<double>(steps));
}

void compare_constraints(const RunData& run, const std::string& name, BenchmarkPage& page) {
  // Gaps are differences of coordinates of up to 30 m, whose last bit is 4e-15 m.
  constexpr double kNone = 1e-12;  // [m], [rad]
  double penetration = 0.0;
  double drift = 0.0;
  for (const StepRow& row : run.steps()) {
    penetration = std::max(penetration, row.penetration);
    drift = std::max({drift, row.drift_position, row.drift_angle});
  }
  page.stated("deepest penetration" + name, "m", 0.0, kNone, penetration);
  if (drift > 0.0) page.stated("largest drift of a joint" + name, "m, rad", 0.0, kNone, drift);
}

}  // namespace capobianco

Gallery make_capobianco_gallery() {
  using namespace capobianco;
  return {"capobianco",
          "[Capobianco2021], section 10: the nonsmooth generalized-alpha scheme on six systems",
          {make_bouncing_ball(), make_ball_in_corner(), make_ball_in_cylinder(), make_sliding_rod(), make_hopper(),
           make_tippe_top()}};
}

}  // namespace stickslip
