// SPDX-License-Identifier: BSD-3-Clause
// A controller: load a scene, step it by hand, and between steps push the cart so that its pole stands upright at
// x = .5 m. stickslip::run() with RunOptions::control (stickslip/sim/run.h) does the same and writes a result.
#include <cmath>
#include <cstdio>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace {

constexpr double kTarget = 0.5;  // [m]
constexpr double kTilt = 0.3;    // [rad] of the pole at the start, to the right

/// The force on the cart by proportional and derivative gains. [N]
double control(const stickslip::JointReport& slide, const stickslip::JointReport& hinge) {
  const double tilt = kTilt - hinge.coordinate;  // a coordinate counts from the start, counter-clockwise
  return 3.0 * (slide.coordinate - kTarget) + 7.0 * slide.rate + 60.0 * tilt - 12.0 * hinge.rate;
}

int simulate(const char* file) {
  const stickslip::Scene scene = stickslip::load_scene(file);
  const stickslip::BuiltScene built = stickslip::build(scene);
  const stickslip::System& system = *built.system;
  const int slide = system.find_joint("slide");
  const int hinge = system.find_joint("hinge");
  if (slide < 0 || hinge < 0) throw stickslip::InputError("the scene must have joints 'slide' and 'hinge'");
  stickslip::State state = built.initial;
  stickslip::StepReport report;
  built.stepper->initialize(state, report);
  const auto steps = std::lround((scene.time.end - scene.time.start) / scene.time.step);
  for (long n = 1; n <= steps; ++n) {
    state.inputs.set_effort(system, slide, control(report.joints[slide], report.joints[hinge]));
    const double t_end = scene.time.start + static_cast<double>(n) * scene.time.step;
    if (built.stepper->step(state, scene.time.step, t_end, report) == stickslip::Status::failed) {
      std::fprintf(stderr, "%s\n", report.message.c_str());
      return 3;
    }
  }
  const double x = report.joints[slide].coordinate;
  const double tilt = kTilt - report.joints[hinge].coordinate;
  std::printf("t = %g s: off by %.1e m, tilt %.1e rad, work %.3f J, energy error %.1e J, residual %.1e m/s\n", state.t,
              x - kTarget, tilt, report.work, report.energy_error, report.coulomb_residual);
  return std::abs(x - kTarget) < 1e-2 && std::abs(tilt) < 1e-2 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: external SCENE.toml\n");
    return 2;
  }
  try {
    return simulate(argv[1]);
  } catch (const stickslip::InputError& error) {  // what is wrong, and where
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
