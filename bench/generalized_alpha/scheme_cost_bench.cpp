// SPDX-License-Identifier: BSD-3-Clause
// What the generalized-alpha scheme costs beside Moreau's on scenes of many contacts and of many joints:
//   scheme_cost_bench [NAME ...]
// Without names all of cases(). A line a scene in Markdown: microseconds of processor time a step of
// each scheme, their ratio, inexact steps, the deepest penetration of any step and how far any coordinate is at the end
// from where it was at the start, which is creep for what stands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/solvers/deadline.h"
#include "tests/support/many_contacts_scene.h"

namespace stickslip {
namespace {

struct Case {
  std::string name;
  std::string file;  // below scenes/; empty: text
  std::string text;
  std::vector<std::string> overrides;  // beside the type of the scheme
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"four-bar", "four_bar_spatial", "", {}},
      {"chain", "chain_rigid", "", {}},
      {"wall", "", test::wall_scene(5, 10), {}},
      {"discs", "discs_in_box", "", {"scheme.tolerance=1e-6"}},
      {"balls", "", test::balls_scene(5, 8, 0.25), {"time.end=2"}},
  };
  return all;
}

struct Cost {
  double micros = 0.0;  // of a step
  int steps = 0, inexact = 0;
  bool failed = false;
  double penetration = 0.0, moved = 0.0;  // [m]
};

Cost run_scene(const Case& c, const std::string& scheme) {
  LoadOptions load;
  load.overrides = c.overrides;
  if (scheme == "moreau") std::erase(load.overrides, "scheme.tolerance=1e-6");
  load.overrides.push_back("scheme.type=" + scheme);
  const Scene scene = c.file.empty() ? parse_scene(c.text, c.name + ".toml", load)
                                     : load_scene(std::string(STICKSLIP_SCENES_DIR) + "/" + c.file + ".toml", load);
  const BuiltScene built = build(scene);
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  const auto n_steps = std::lround((scene.time.end - scene.time.start) / scene.time.step);
  Cost cost;
  const double start = thread_cpu_seconds();
  while (state.step < n_steps && !cost.failed) {
    const double t = scene.time.start + static_cast<double>(state.step + 1) * scene.time.step;
    const Status status = built.stepper->step(state, scene.time.step, t, report);
    ++cost.steps;
    cost.failed = status == Status::failed;
    cost.inexact += status == Status::inexact ? 1 : 0;
    cost.penetration = std::max(cost.penetration, report.penetration);
  }
  cost.micros = 1e6 * (thread_cpu_seconds() - start) / cost.steps;
  const int n = built.system->n_body_q();  // without what counts the turns of joints
  cost.moved = (state.q - built.initial.q).head(n).cwiseAbs().maxCoeff();
  return cost;
}

int run(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  fmt::print(
      "| scene | steps | us, generalized-alpha | us, Moreau | ratio | inexact | Moreau | penetration, m | Moreau |");
  fmt::print(" moved, m | Moreau |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Case& c : cases()) {
    if (!names.empty() && std::ranges::count(names, c.name) == 0) continue;
    const Cost moreau = run_scene(c, "moreau");
    const Cost alpha = run_scene(c, "generalized-alpha");
    fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.1f} | {} | {} | {:.1e} | {:.1e} | {:.1e} | {:.1e} |{}\n", c.name,
               alpha.steps, alpha.micros, moreau.micros, alpha.micros / moreau.micros, alpha.inexact, moreau.inexact,
               alpha.penetration, moreau.penetration, alpha.moved, moreau.moved,
               alpha.failed || moreau.failed ? " failed" : "");
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  return stickslip::run(argc, argv);
}
