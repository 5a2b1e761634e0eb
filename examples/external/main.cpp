// SPDX-License-Identifier: BSD-3-Clause
// Steps a scene by hand: load, build, step, look.
#include <cstdio>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const stickslip::Scene scene = stickslip::load_scene(argv[1]);
  const stickslip::BuiltScene built = stickslip::build(scene);
  stickslip::State state = built.initial;
  stickslip::StepReport report;
  built.stepper->initialize(state, report);
  for (int n = 1; n <= 50 && report.status == stickslip::Status::ok; ++n) {
    const double t_end = scene.time.start + n * scene.time.step;
    if (built.stepper->step(state, scene.time.step, t_end, report) == stickslip::Status::failed) return 3;
  }
  std::printf("t = %g s, residual %.1e m/s, penetration %.1e m, gaps:", state.t, report.coulomb_residual,
              report.penetration);
  for (const auto& contact : report.contacts) std::printf(" %.3e", contact.gap);
  std::printf(" m\n");
  return report.status == stickslip::Status::ok ? 0 : 4;
}
