// SPDX-License-Identifier: BSD-3-Clause
// Forces and torques that a caller sets between steps, under Moreau's and the generalized-alpha scheme, against closed
// forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "tests/support/automatic_run.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-12;  // [-] of a thousand steps, or of Newton's method

class InputRuns : public testing::TestWithParam<std::string> {
 protected:
  bool is_generalized_alpha() const { return GetParam() == "generalized-alpha"; }
  test::SceneRun open(const std::string& text, double end, double step, const std::string& more = "") const {
    return test::scene_from_text("stickslip = 1\ntime = {end = " + std::to_string(end) +
                                 ", step = " + std::to_string(step) + "}\nscheme = {type = \"" + GetParam() + "\"" +
                                 more + "}\n" + text);
  }
  /// Steps to the end; before each step set(run, inputs).
  template <class Set, class Look>
  static void drive(test::SceneRun& run, Set&& set, Look&& look) {
    set(run, run.state.inputs);
    run.run([&](test::SceneRun& r) {
      look(r);
      set(r, r.state.inputs);
    });
  }
  template <class Set>
  static void drive(test::SceneRun& run, Set&& set) {
    drive(run, set, [](const test::SceneRun&) {});
  }
};

/// The energy balance, with nothing dissipated and no error but round-off.
void expect_balance(const StepReport& report, double tolerance) {
  EXPECT_NEAR(report.energy_error, 0.0, tolerance * (1.0 + report.kinetic_energy));
  EXPECT_EQ(report.dissipated, 0.0);
}

const char* const kPoint = R"toml(
gravity = [0, 0, 0]
[bodies.a]
type = "point"
mass = 2.5
position = [0.1, 0.2, 0.3]
velocity = [1, -1, 0.5]
)toml";

// u' = u + h f / m and q' = q + h (u + u') / 2: exact for forces that are constant in each step, whatever they do from
// step to step, and so is the work.
TEST_P(InputRuns, APointGoesAsItIsPushed) {
  for (const char* more : {"", ", rho_inf = 0", ", rho_inf = 1"}) {
    if (!is_generalized_alpha() && *more != '\0') continue;
    test::SceneRun run = open(kPoint, 0.5, 0.01, more);
    Vector3 q = run.state.q;
    Vector3 u = run.state.u;
    double work = 0.0;
    const auto set = [&](const test::SceneRun& r, Inputs& inputs) {
      const double n = static_cast<double>(r.state.step);
      const Vector3 force(n < 10 ? 3.0 : -1.0, std::sin(n), n > 30 ? 0.0 : 5.0);
      inputs.set_force(*r.built.system, 0, force);
      if (r.state.step == 40) inputs.clear();
      const Vector3 next = u + 0.01 / 2.5 * (r.state.step == 40 ? Vector3(0, 0, 0) : force);
      work += 0.5 * 2.5 * (next.squaredNorm() - u.squaredNorm());
      q += 0.005 * (u + next);
      u = next;
    };
    const auto look = [&](const test::SceneRun& r) {
      EXPECT_LT((r.state.u - u).norm(), kRoundOff) << r.state.step;
      EXPECT_LT((r.state.q - q).norm(), kRoundOff) << r.state.step;
      EXPECT_NEAR(r.report.work, work, kRoundOff);
      expect_balance(r.report, kRoundOff);
    };
    drive(run, set, look);
  }
}

const char* const kTop = R"toml(
gravity = [0, 0, 0]
[bodies.top]
mass = 1.5
inertia = [0.02, 0.03, 0.045]
velocity = [0.1, 0.2, 0.3]
angular_velocity = [3, 20, 1]
)toml";

Vector3 angular_momentum(const test::SceneRun& run) {
  const Matrix3 R = rotation_matrix<double>(Vector4(run.state.q.segment<4>(3)));
  return R * (run.built.system->bodies()[0].inertia * Vector3(run.state.u.segment<3>(3)));
}

// A torque that stays in the world's frame changes the angular momentum by torque times time, however the body spins.
TEST_P(InputRuns, AWorldTorqueChangesTheAngularMomentum) {
  const Vector3 force(0.5, 0.0, -0.25);
  const Vector3 torque(0.3, -0.4, 0.5);
  const auto error = [&](double h) {
    test::SceneRun run = open(kTop, 0.4, h);
    const Vector3 start = angular_momentum(run);
    const Vector3 velocity = run.state.u.head<3>();
    double worst = 0.0;
    drive(
        run,
        [&](const test::SceneRun& r, Inputs& inputs) {
          if (r.state.step == 0) inputs.set_force(*r.built.system, 0, force, torque);
        },
        [&](const test::SceneRun& r) {
          worst = std::max(worst, (angular_momentum(r) - start - torque * r.state.t).norm());
          EXPECT_LT((r.state.u.head<3>() - velocity - force / 1.5 * r.state.t).norm(), kRoundOff);
        });
    return worst / start.norm();
  };
  if (!is_generalized_alpha()) {
    EXPECT_LT(error(1e-3), kRoundOff);  // exact by construction
    return;
  }
  const double coarse = error(1e-3);
  const double fine = error(5e-4);
  EXPECT_LT(fine, 1e-4);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4) << "second order";
}

// A torque in the body's frame about a principal axis that it spins about: omega' = T / J.
TEST_P(InputRuns, ABodyTorqueSpinsUpAPrincipalAxis) {
  test::SceneRun run = open(R"toml(
gravity = [0, 0, 0]
[bodies.top]
mass = 1.5
inertia = [0.02, 0.03, 0.045]
rotation = {axis = [1, 2, 3], angle = 0.7}
angular_velocity = [0, 0, 4]
)toml",
                            0.5, 1e-3);
  drive(
      run,
      [](const test::SceneRun& r, Inputs& inputs) {
        inputs.set(*r.built.system, {0, Vector3::Zero(), Vector3(0, 0, 0.9), Vector3::Zero(), 0.0, true});
      },
      [](const test::SceneRun& r) {
        EXPECT_LT((r.state.u.tail<3>() - Vector3(0, 0, 4.0 + 20.0 * r.state.t)).norm(), 1e-9) << r.state.t;
      });
  // T (theta - theta0) = J (omega^2 - omega0^2) / 2
  EXPECT_NEAR(run.report.work, 0.5 * 0.045 * (14.0 * 14.0 - 16.0), 1e-8);
  expect_balance(run.report, 1e-8);
}

const char* const kCart = R"toml(
gravity = [0, -9.81]
[bodies.rail]
type = "fixed"
[bodies.cart]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 0]
[bodies.pole]
type = "planar"
mass = 0.5
inertia = 0.02
position = ["=0.4*sin(0.3)", "=0.4*cos(0.3)"]
angle = -0.3
[joints.slide]
type = "prismatic"
between = ["rail", "cart"]
axis = [1, 0]
%s
[joints.hinge]
type = "revolute"
between = ["cart", "pole"]
at = [0, 0]
%s
)toml";

std::string cart(const std::string& slide = "", const std::string& hinge = "") {
  std::string text = kCart;
  for (const std::string& keys : {slide, hinge}) text.replace(text.find("%s"), 2, keys);
  return text;
}

// An effort and the `force` that a scene gives the joint are the same, to the bit where they act from the start on.
TEST_P(InputRuns, AnEffortIsTheForceOfAJoint) {
  test::SceneRun scene = open(cart("force = 1.5", "force = -0.25"), 0.5, 1e-3);
  test::SceneRun inputs = open(cart(), 0.5, 1e-3);
  inputs.state = inputs.built.initial;
  inputs.state.inputs.set_effort(*inputs.built.system, 0, 1.5);
  inputs.state.inputs.set_effort(*inputs.built.system, 1, -0.25);
  inputs.built.stepper->initialize(inputs.state, inputs.report);
  while (scene.state.step < 500) {
    ASSERT_EQ(scene.step(), Status::ok);
    ASSERT_EQ(inputs.step(), Status::ok);
    ASSERT_EQ(inputs.state.q, scene.state.q) << scene.state.step;
    ASSERT_EQ(inputs.state.u, scene.state.u) << scene.state.step;
    EXPECT_EQ(inputs.report.energy_error, scene.report.energy_error);
    EXPECT_EQ(inputs.report.work, scene.report.work);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(inputs.report.joints[j].drive, scene.report.joints[j].drive);
      EXPECT_EQ(inputs.report.joints[j].reaction_force, scene.report.joints[j].reaction_force);
      EXPECT_EQ(inputs.report.joints[j].reaction_torque, scene.report.joints[j].reaction_torque);
    }
  }
  EXPECT_EQ(inputs.report.joints[0].drive, 1.5);
}

// A cart alone on its rail: one degree of freedom, for which steps with a constant force are exact, too.
TEST_P(InputRuns, AForceThatJumpsActsAtOnceThroughJoints) {
  test::SceneRun run = open(R"toml(
gravity = [0, -9.81]
[bodies.rail]
type = "fixed"
[bodies.cart]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 0]
[joints.slide]
type = "prismatic"
between = ["rail", "cart"]
axis = [1, 0]
)toml",
                            0.2, 1e-2);
  double x = 0.0;
  double v = 0.0;
  drive(
      run,
      [&](const test::SceneRun& r, Inputs& inputs) {
        const double effort = r.state.step % 3 == 0 ? 10.0 : -4.0;
        inputs.set_effort(*r.built.system, 0, effort);
        x += 1e-2 * v + 0.5e-4 * effort / 2.0;
        v += 1e-2 * effort / 2.0;
      },
      [&](const test::SceneRun& r) {
        EXPECT_NEAR(r.state.q(0), x, 1e-11);
        EXPECT_NEAR(r.state.u(0), v, 1e-11);
        EXPECT_NEAR(r.report.joints[0].reaction_force(1), 2.0 * 9.81, 1e-9);
        expect_balance(r.report, 1e-10);
      });
}

// Steps of automatic length see motion, not the jumps of inputs between them.
TEST(InputsOfAutomaticSteps, DoNotShortenThem) {
  test::SceneRun run = test::scene_from_text(R"toml(
stickslip = 1
time = {end = 20, step = "auto", tolerance = 1e-6, max_step = 0.5}
scheme = {type = "generalized-alpha"}
gravity = [0, -9.81]
[bodies.rail]
type = "fixed"
[bodies.cart]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 0]
[joints.slide]
type = "prismatic"
between = ["rail", "cart"]
axis = [1, 0]
)toml");
  const auto set = [](test::SceneRun& r) {
    r.state.inputs.set_effort(*r.built.system, 0, r.state.u(0) > 0.0 ? -4.0 : 10.0);
  };
  set(run);
  double v = 0.0;
  double effort = 10.0;
  const test::AutomaticRun taken = test::run_automatic(run, [&](test::SceneRun& r) {
    v += effort / 2.0 * r.report.step;
    EXPECT_NEAR(r.state.u(0), v, 1e-9);
    if (r.state.step > 1000) throw std::runtime_error("the steps are short");
    set(r);
    effort = r.state.inputs.joints()[0].effort;
  });
  EXPECT_EQ(taken.rejected, 0);
  EXPECT_GT(taken.shortest, 0.25) << "to the end";
}

// A force that depends on time: the work that the ledger has is that of the motion, to the scheme's order; and the
// balance is no worse than where the scene itself gives the force.
TEST_P(InputRuns, WorkIsInTheLedger) {
  const auto worst_error = [&](double h, bool by_scene) {
    test::SceneRun run = open(cart(by_scene ? "force = \"8*cos(6*t)\"" : ""), 1.0, h);
    double worst = 0.0;
    drive(
        run,
        [&](const test::SceneRun& r, Inputs& inputs) {
          if (!by_scene) inputs.set_effort(*r.built.system, 0, 8.0 * std::cos(6.0 * (r.state.t + 0.5 * h)));
        },
        [&](const test::SceneRun& r) { worst = std::max(worst, std::abs(r.report.energy_error)); });
    return worst;
  };
  const double coarse = worst_error(2e-3, false);
  const double fine = worst_error(1e-3, false);
  EXPECT_LE(fine, 1.1 * worst_error(1e-3, true));
  EXPECT_LE(fine, coarse / (is_generalized_alpha() ? 3.5 : 1.8));

  // Against the integral of effort times speed, by the trapezoidal rule.
  test::SceneRun run = open(cart(), 1.0, 1e-3);
  double effort = 0.0;
  double speed = 0.0;
  double work = 0.0;
  drive(
      run,
      [&](const test::SceneRun& r, Inputs& inputs) {
        effort = 8.0 * std::cos(6.0 * r.state.t);
        speed = r.state.u(0);
        inputs.set_effort(*r.built.system, 0, effort);
      },
      [&](const test::SceneRun& r) { work += 0.5e-3 * effort * (speed + r.state.u(0)); });
  EXPECT_NEAR(run.report.work, work, 1e-3 * std::abs(work));
}

// A pole is held upright by pushing the cart: gains place the poles of the motion linearised about the target.
TEST_P(InputRuns, AControllerHoldsAPoleUpright) {
  test::SceneRun run = open(cart(), 12.0, 2e-3);
  const auto set = [](const test::SceneRun& r, Inputs& inputs) {
    const double x = r.state.q(0);
    const double tilt = -r.state.q(5);  // to the right
    const double v = r.state.u(0);
    const double rate = -r.state.u(5);
    inputs.set_effort(*r.built.system, 0, 3.0 * (x - 0.5) + 7.0 * v + 60.0 * tilt + 12.0 * rate);
  };
  double worst = 0.0;
  drive(run, set, [&](const test::SceneRun& r) { worst = std::max(worst, std::abs(r.report.energy_error)); });
  EXPECT_NEAR(run.state.q(0), 0.5, 1e-3);
  EXPECT_NEAR(run.state.q(5), 0.0, 1e-3);
  EXPECT_NEAR(run.report.joints[0].rate, 0.0, 1e-3);
  EXPECT_LT(worst, is_generalized_alpha() ? 1e-4 : 2e-2);
}

/// A box on the floor, mu = .5, of weight 19.62 N.
const char* const kBox = R"toml(
gravity = [0, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.box]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 0.1]
shapes.hull = {type = "box", size = [0.4, 0.2]}
[[contacts]]
name = "box-floor"
between = ["floor", "box"]
friction = 0.5
)toml";

// Pushed at the height of the floor, where no force tilts it: below the bound it stays, above it slides with (F - mu m
// g) / m, and whatever the force did in the steps before.
TEST_P(InputRuns, FrictionAnswersAtOnce) {
  test::SceneRun run = open(kBox, 0.3, 1e-3);
  const auto set = [](const test::SceneRun& r, Inputs& inputs) {
    const double force = r.state.step < 200 ? (r.state.step % 2 == 0 ? 9.5 : -9.5) : 12.0;
    inputs.set(*r.built.system, {1, Vector3(force, 0, 0), Vector3::Zero(), Vector3(0, -0.1, 0), 0.0, false});
  };
  double last = 0.0;
  drive(run, set, [&](const test::SceneRun& r) {
    if (r.state.step <= 200) {
      EXPECT_NEAR(r.state.u(0), 0.0, 1e-9) << r.state.step;
      // Each change of the force by F moves it by less than h^2 F / (20 m), and there and back by nothing.
      EXPECT_NEAR(r.state.q(0), 0.0, 1e-6 * 19.0 / (20.0 * 2.0)) << r.state.step;
    } else {
      EXPECT_NEAR(r.state.u(0) - last, 1e-3 * (12.0 - 9.81) / 2.0, 1e-9) << r.state.step;
    }
    last = r.state.u(0);
    double normal = 0.0;
    for (const ContactReport& contact : r.report.contacts) normal += contact.percussion[0];
    EXPECT_NEAR(normal, 1e-3 * 19.62, 1e-8) << r.state.step;
  });
  EXPECT_NEAR(run.report.energy_error, 0.0, 1e-4);
}

TEST_P(InputRuns, WhatIsNotFiniteFailsTheStep) {
  test::SceneRun run = open(cart(), 0.1, 1e-3);
  run.state.inputs.set_effort(*run.built.system, 1, std::nan(""));
  const Vector q = run.state.q;
  EXPECT_EQ(run.step(), Status::failed);
  EXPECT_EQ(run.report.message, "joint 'hinge': an input is not finite");
  EXPECT_EQ(run.state.step, 0);
  EXPECT_EQ(run.state.q, q);
  run.state.inputs.clear();
  run.state.inputs.set_force(*run.built.system, 2, Vector3(INFINITY, 0, 0));
  EXPECT_EQ(run.step(), Status::failed);
  EXPECT_EQ(run.report.message, "body 'pole': an input is not finite");
  run.state.inputs.clear();
  EXPECT_EQ(run.step(), Status::ok);
}

// Saved between any two steps, before or after the inputs are set, and continued by a stepper made anew: the same bits.
TEST_P(InputRuns, SavedAndContinuedHaveTheSameBits) {
  const auto set = [](const test::SceneRun& r, Inputs& inputs) {
    inputs.set_effort(*r.built.system, 0, 8.0 * std::cos(40.0 * r.state.t) - r.state.u(0));
    if (r.state.step % 7 == 0) inputs.set_force(*r.built.system, 2, Vector3(0.3, r.state.u(1), 0), Vector3(0, 0, 0.1));
    if (r.state.step % 7 == 3) inputs.set_force(*r.built.system, 2, Vector3::Zero());
  };
  test::SceneRun whole = open(cart(), 0.2, 1e-3);
  drive(whole, set);
  for (const bool after_setting : {false, true}) {
    test::SceneRun run = open(cart(), 0.2, 1e-3);
    while (run.state.step < 200) {
      if (after_setting) set(run, run.state.inputs);
      if (run.state.step % 10 == 4) {
        const std::vector<std::byte> saved = to_bytes(run.state);
        run = open(cart(), 0.2, 1e-3);
        run.state = state_from_bytes(saved);
      }
      if (!after_setting) set(run, run.state.inputs);
      ASSERT_EQ(run.step(), Status::ok);
    }
    set(run, run.state.inputs);  // as drive() does
    EXPECT_EQ(to_bytes(run.state), to_bytes(whole.state));
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, InputRuns, testing::Values("moreau", "generalized-alpha"),
                         [](const testing::TestParamInfo<std::string>& test) {
                           return test.param == "moreau" ? "Moreau" : "GeneralizedAlpha";
                         });

}  // namespace
}  // namespace stickslip
