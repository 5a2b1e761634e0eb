// SPDX-License-Identifier: BSD-3-Clause
// A small system, states and reports of it in which every number is another, and results made of them.
#pragma once

#include <filesystem>
#include <limits>

#include "stickslip/io/result_writer.h"

namespace stickslip::test {

inline const double kNan = std::numeric_limits<double>::quiet_NaN();

/// A disc "Ball 1" and a box with four corners on a floor, in a plane.
inline System make_system() {
  SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
  Body ball;
  ball.name = "Ball 1";
  ball.type = BodyType::planar;
  ball.mass = 2.0;
  ball.inertia(2, 2) = 0.5;
  ball.drawing_origin = Vector3(0.25, 0.0, 0.0);
  ball.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 0.5}}};
  Body box = ball;
  box.name = "b\xc3\xb6x";
  box.shapes = {Shape{.name = "hull", .geometry = Box{.size = Vector3(1.0, 1.0, 0.0)}}};
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitY()}}};
  const int ball_index = builder.add_body(ball);
  const int box_index = builder.add_body(box);
  const int floor_index = builder.add_body(floor);
  builder.add_contact({.name = "ball-floor", .first = floor_index, .second = ball_index, .law = {.friction = 0.25}});
  builder.add_contact({.name = "box,floor", .first = floor_index, .second = box_index});
  return builder.build();
}

/// A state and report of step n in which every number is another.
struct Example {
  explicit Example(const System& system, int n = 0) {
    state.t = 0.1 * n;
    state.step = n;
    state.q = Vector::LinSpaced(system.n_q(), 1.0 + n, 2.0 + n);
    state.u = Vector::LinSpaced(system.n_u(), -1.0 - n, -2.0 / 3.0);
    report.t = state.t;
    report.step = 0.1;
    report.solve.iterations = n;
    report.solve.residual = {1e-12 * n, 1e-13 * n};
    report.penetration = 1e-3 / (1 + n);
    report.energy_error = -1e-9 * n;
    report.a = Vector::Constant(system.n_u(), kNan);
    for (std::size_t k = 0; k < system.contact_points().size(); ++k) {
      ContactReport c;
      c.contact = system.contact_points()[k].pair;
      c.point = system.contact_points()[k].index;
      c.friction_dim = 1;
      const double x = 10.0 * static_cast<double>(k) + n;
      c.gap = -x;
      c.position = Vector3(x, 0.5, 0.0);
      c.normal = Vector3(0.6, 0.8, 0.0);
      c.tangent = Vector3(0.8, -0.6, 0.0);
      c.status = ContactStatus::slip;
      c.force = {x + 0.1, x + 0.2};
      c.impulse = {kNan, kNan};
      c.percussion = {x + 0.3, x + 0.4};
      report.contacts.push_back(c);
    }
  }
  State state;
  StepReport report;
};

inline ResultHeader make_header() {
  ResultHeader header;
  header.name = "example";
  header.scene = "stickslip = 1\n# with \xc3\xa9 and a \"quote\"\n";
  header.scheme = "moreau";
  header.solver = "nsgs";
  header.end = 1.0;
  header.expected_rows = 11;
  header.expected_steps = 11;
  return header;
}

inline void finish(ResultWriter& writer, const Checkpoint& checkpoint, RunState outcome = RunState::done) {
  writer.finish({outcome, "", checkpoint, {}});
}

/// A finished result of so many steps, each an output row too.
inline void write_example(const std::filesystem::path& path, const System& system, int steps,
                          const ResultHeader& header = make_header()) {
  const Example first(system);
  ResultWriter writer(path, system, first.state, header);
  writer.begin(first.state, first.report);
  writer.publish();
  for (int n = 1; n <= steps; ++n) {
    const Example step(system, n);
    writer.record(step.state, step.report, true);
  }
  finish(writer, writer.mark(Example(system, steps).state));
}

}  // namespace stickslip::test
