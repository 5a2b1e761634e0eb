// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/inputs.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::kFourthError;
using test::kFourthStep;
using test::make_body;
using test::random_straight_state;
using test::RandomState;

/// Bodies of all types that a planar system has, a revolute, a prismatic and a distance joint.
System planar_system() {
  SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
  const std::string kinds = "pp.bf";
  for (std::size_t i = 0; i < kinds.size(); ++i) builder.add_body(make_body(kinds[i], std::to_string(i), true));
  JointOptions joint;
  joint.on_first.at = Vector3(0.2, -0.1, 0.0);
  joint.on_second.at = Vector3(-0.15, 0.25, 0.0);
  joint.on_first.axes = axis_angle_matrix(Vector3::UnitZ(), 0.4);
  joint.name = "hinge";
  joint.second = 1;
  builder.add_joint(joint);
  joint.name = "slider";
  joint.type = JointType::prismatic;
  builder.add_joint(joint);
  joint.name = "rod";
  joint.type = JointType::distance;
  joint.length = 1.0;
  builder.add_joint(joint);
  joint.name = "clamp";
  joint.type = JointType::revolute;
  joint.second = 3;
  joint.on_second.parameter = 0.3;
  builder.add_joint(joint);
  return builder.build();
}

System spatial_system() {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  for (const char kind : {'r', '.', 'm'}) builder.add_body(make_body(kind, std::string(1, kind), false));
  return builder.build();
}

Vector input_forces(const System& system, const Inputs& inputs, const RandomState& s) {
  Vector h = Vector::Zero(system.n_u());
  system.add_input_forces(inputs, s.t, s.q, h);
  return h;
}

TEST(Inputs, KeepOnePerPlaceInOrder) {
  const System system = planar_system();
  Inputs inputs;
  EXPECT_TRUE(inputs.empty());
  inputs.set_force(system, 2, Vector3(1, 2, 0));
  inputs.set_force(system, 0, Vector3(3, 4, 0), Vector3(0, 0, 5));
  BodyInput thruster{0, Vector3(6, 0, 0), Vector3::Zero(), Vector3(0.1, 0, 0), 0.0, true};
  inputs.set(system, thruster);
  inputs.set_force(system, 0, Vector3(7, 0, 0));
  thruster.force.x() = 8.0;
  inputs.set(system, thruster);
  ASSERT_EQ(inputs.bodies().size(), 3u);
  EXPECT_EQ(inputs.bodies()[0], (BodyInput{0, Vector3(7, 0, 0)}));
  EXPECT_EQ(inputs.bodies()[1], thruster);
  EXPECT_EQ(inputs.bodies()[2].body, 2);
  inputs.set_effort(system, 1, 0.5);
  inputs.set_effort(system, 0, 0.25);
  inputs.set_effort(system, 1, 0.75);
  EXPECT_EQ(inputs.joints(), (std::vector<JointInput>{{0, 0.25}, {1, 0.75}}));
  inputs.clear();
  EXPECT_TRUE(inputs.empty());
  EXPECT_EQ(inputs, Inputs());
}

TEST(Inputs, GoByNamesOfJoints) {
  const System system = planar_system();
  EXPECT_EQ(system.find_joint("hinge"), 0);
  EXPECT_EQ(system.find_joint("clamp"), 3);
  EXPECT_EQ(system.find_joint("none"), -1);
}

TEST(Inputs, RefuseWhatCannotBe) {
  const System planar = planar_system();
  const System spatial = spatial_system();
  Inputs inputs;
  const auto expect_refused = [&inputs](const std::string& message, auto&& set) {
    try {
      set();
      ADD_FAILURE() << message;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()), message);
    }
    EXPECT_TRUE(inputs.empty());
  };
  const Vector3 x = Vector3::UnitX();
  const Vector3 z = Vector3::UnitZ();
  expect_refused("an input on body 5: there are bodies 0 to 4", [&] { inputs.set_force(planar, 5, x); });
  expect_refused("an input on body -1: there are bodies 0 to 4", [&] { inputs.set_force(planar, -1, x); });
  expect_refused("an input on body '4': it cannot move", [&] { inputs.set_force(planar, 4, x); });
  expect_refused("an input on body 'm': it cannot move", [&] { inputs.set_force(spatial, 2, x); });
  expect_refused("an input on body '0': in a planar system forces are in the plane, torques about z",
                 [&] { inputs.set_force(planar, 0, z); });
  expect_refused("an input on body '0': in a planar system forces are in the plane, torques about z",
                 [&] { inputs.set_force(planar, 0, x, x); });
  expect_refused("an input on body '.': a point has no orientation: forces act at its origin, torques do not",
                 [&] { inputs.set_force(spatial, 1, x, z); });
  expect_refused("an input on body '3': the parameter on a beam must be in [0, 1]", [&] {
    inputs.set(planar, {3, x, Vector3::Zero(), Vector3::Zero(), 1.5, false});
  });
  expect_refused("an input in joint 4: there are 4 joints, counted from 0", [&] { inputs.set_effort(planar, 4, 1.0); });
  expect_refused("an input in joint 0: there are 0 joints, counted from 0",
                 [&] { inputs.set_effort(spatial, 0, 1.0); });
  expect_refused("an input in joint 'rod': only a joint with one coordinate has a free direction",
                 [&] { inputs.set_effort(planar, 2, 1.0); });
  // Inputs of another system.
  Inputs other;
  other.set_force(planar, 3, x);
  EXPECT_NO_THROW(other.check(planar));
  EXPECT_THROW(other.check(spatial), InputError);
}

TEST(Inputs, AreTakenInOrderOnly) {
  Inputs inputs;
  EXPECT_TRUE(inputs.assign({{1, {}}, {1, {}}, {4, {}}}, {{0, 1.0}, {3, 2.0}}));
  EXPECT_FALSE(inputs.assign({{2, {}}, {1, {}}}, {}));
  EXPECT_FALSE(inputs.assign({}, {{1, 1.0}, {1, 2.0}}));
  EXPECT_EQ(inputs.bodies().size(), 3u);
  EXPECT_EQ(inputs.joints().size(), 2u);
}

// A load or a joint's force of the same size does the same.
TEST(Inputs, ActAsLoadsAndForcesOfJointsDo) {
  std::mt19937 generator(3);
  const Vector3 force(0.4, -0.7, 0.0);
  const Vector3 torque(0.0, 0.0, 0.9);
  for (const bool body_frame : {false, true}) {
    SystemBuilder builder(true, Vector3::Zero());
    const int body = builder.add_body(make_body('p', "p", true));
    const int beam = builder.add_body(make_body('b', "b", true));
    JointOptions joint;
    joint.name = "slider";
    joint.type = JointType::prismatic;
    joint.first = beam;
    joint.on_first.parameter = 0.6;
    joint.second = body;
    Inputs inputs;
    const auto make = [&](bool with_forces) {
      SystemBuilder copy = builder;
      JointOptions options = joint;
      if (with_forces) {
        options.force = Expression(1.7);
        for (const int b : {body, beam}) {
          Load load;
          load.body = b;
          load.at = Vector3(0.2, 0.3, 0.0);
          load.parameter = 0.4;
          for (int i = 0; i < 3; ++i) {
            load.force[i] = Expression(force(i));
            load.torque[i] = Expression(torque(i));
          }
          load.body_frame = body_frame;
          copy.add_force({std::string(b == body ? "on body" : "on beam"), load, {}, {}});
        }
      }
      copy.add_joint(options);
      return copy.build();
    };
    const System bare = make(false);
    const System loaded = make(true);
    for (const int b : {body, beam}) inputs.set(bare, {b, force, torque, Vector3(0.2, 0.3, 0.0), 0.4, body_frame});
    inputs.set_effort(bare, 0, 1.7);
    for (int trial = 0; trial < 5; ++trial) {
      const RandomState s = random_straight_state(bare, generator);
      Vector by_forces(bare.n_u());
      loaded.calc_nonconservative_forces(s.t, s.q, s.u, by_forces);
      EXPECT_EQ(input_forces(bare, inputs, s), by_forces);
    }
  }
}

/// Derivatives over q against differences of fourth order.
void expect_derivatives_match(const System& system, const Inputs& inputs, std::size_t n_blocks) {
  std::mt19937 generator(1);
  std::vector<ForceBlock> blocks;
  for (int trial = 0; trial < 10; ++trial) {
    const RandomState s = random_straight_state(system, generator);
    system.calc_input_derivatives(inputs, s.t, s.q, s.u, blocks);
    EXPECT_EQ(blocks.size(), n_blocks);
    Matrix over_q = Matrix::Zero(system.n_u(), system.n_q());
    for (const ForceBlock& b : blocks) {
      over_q.block(b.row.u_offset, b.col.q_offset, b.row.n_u, b.col.n_q) += b.over_q;
      EXPECT_EQ(b.over_u.size(), 0);
    }
    for (int j = 0; j < system.n_q(); ++j) {
      const auto at = [&](double step) {
        RandomState moved = s;
        moved.q(j) += step;
        return input_forces(system, inputs, moved);
      };
      const Vector slope =
          (8.0 * (at(kFourthStep) - at(-kFourthStep)) - (at(2.0 * kFourthStep) - at(-2.0 * kFourthStep))) /
          (12.0 * kFourthStep);
      EXPECT_LT((over_q.col(j) - slope).norm(), kFourthError * (1.0 + slope.norm())) << "q " << j;
    }
  }
}

TEST(Inputs, HaveExactDerivatives) {
  {
    const System system = spatial_system();
    Inputs inputs;
    inputs.set_force(system, 0, Vector3(1, 2, 3), Vector3(-0.5, 0.3, 0.8));
    inputs.set(system, {0, Vector3(0.7, -1, 0.2), Vector3(0.1, 0.2, 0.3), Vector3(0.3, 0.1, -0.2), 0.0, true});
    inputs.set_force(system, 1, Vector3(1, 1, 1));
    expect_derivatives_match(system, inputs, 2);
    inputs.clear();
    inputs.set_force(system, 0, Vector3(1, 2, 3));
    expect_derivatives_match(system, inputs, 0);
  }
  const System system = planar_system();
  Inputs inputs;
  inputs.set_effort(system, 0, 0.6);  // a torque between two bodies depends on no coordinates
  inputs.set_force(system, 1, Vector3(1, 2, 0), Vector3(0, 0, 3));
  expect_derivatives_match(system, inputs, 0);
  inputs.set_effort(system, 1, -1.2);
  inputs.set_effort(system, 3, 0.8);  // on a beam's tangent
  expect_derivatives_match(system, inputs, 8);
  inputs.set(system, {0, Vector3(1, 2, 0), Vector3::Zero(), Vector3(0.3, 0.1, 0), 0.0, false});
  inputs.set(system, {3, Vector3(0.4, 0.2, 0), Vector3(0, 0, 0.5), Vector3(0.1, 0.1, 0), 0.7, true});
  expect_derivatives_match(system, inputs, 10);
}

}  // namespace
}  // namespace stickslip
