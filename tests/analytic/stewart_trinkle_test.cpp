// SPDX-License-Identifier: BSD-3-Clause
// Stewart's and Trinkle's scheme against its own published example, exact discrete answers and independent runs of it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "stickslip/solvers/facet_lcp.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::open_scene;
using test::SceneRun;

/// Round-off of a few steps. [m/s, N s]
constexpr double kFewSteps = 1e-14;
/// What the independent runs claim. [m/s, N s], and of those at steps of 1 ms [m, m/s]
constexpr double kOfOblique = 1e-10;
constexpr double kOfFacets = 1e-6;
constexpr double kOfSlider = 1e-12;

/// The sphere of [Trinkle2003, section 4] with 2 m/s at an angle to the first tangent.
SceneRun open_sphere(int facets, double angle, double h, const std::string& more = "") {
  return open_scene(
      "papers/trinkle/sphere",
      {fmt::format("scheme={{type=\"stewart-trinkle\",facets={}{}}}", facets, more), "solver.tolerance=1e-14",
       fmt::format("bodies.sphere.velocity=[{:.17g},{:.17g},0]", 2 * std::cos(angle), 2 * std::sin(angle)),
       fmt::format("time.step={}", h)});
}

TEST(TrinklesSphere, HasThePublishedVelocitiesAndImpulses) {
  for (const int facets : {4, 8, 0}) {
    SceneRun run = open_sphere(facets, 0.0, 0.12);
    const auto rows = test::read_table("sphere_trinkle.csv");  // t, nu (6), pn, beta (4), sigma, x, v, omega, ...
    run.run([&](const SceneRun& r) {
      const std::vector<double>& row = rows.at(r.state.step - 1);
      EXPECT_NEAR(r.state.u(0), row[14], kFewSteps) << "exact, t = " << row[0];
      EXPECT_NEAR(r.state.u(4), row[15], kFewSteps);
      for (const int i : {1, 2, 3, 5}) EXPECT_NEAR(r.state.u(i), 0.0, kFewSteps);
      EXPECT_NEAR(r.report.contacts[0].percussion[0], row[7], kFewSteps);
      EXPECT_NEAR(r.report.contacts[0].percussion[1], row[8] - row[9], kFewSteps);
      EXPECT_NEAR(r.state.q(0), row[13], kFewSteps) << "of first order, as theirs";
      EXPECT_EQ(r.report.contacts[0].status, row[12] > 0.0 ? ContactStatus::slip : ContactStatus::stick);
    });
    EXPECT_EQ(run.state.step, 5);
  }
}

/// (48) as corrected, in the order p_n, beta along +x, +y, -x, -y, sigma.
TEST(TrinklesSphere, HasThePublishedMatrix) {
  ConeProblem cones;
  const FrictionBlock block{2, 0.2, 4, 0.0};
  cones.add_contact({&block, 1});
  cones.b = {-kGravity * 0.12, 2.0, 0.0};
  const Matrix w = Vector3(1.0, 3.5, 3.5).asDiagonal();
  FacetLcp lcp(3);
  lcp.build(make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones, {});
  const LcpForm form = lcp.standard_form();
  Matrix f(6, 6);
  f << 1, 0, 0, 0, 0, 0,      //
      0, 3.5, 0, -3.5, 0, 1,  //
      0, 0, 3.5, 0, -3.5, 1,  //
      0, -3.5, 0, 3.5, 0, 1,  //
      0, 0, -3.5, 0, 3.5, 1,  //
      0.2, -1, -1, -1, -1, 0;
  Vector rest(6);
  rest << -kGravity * 0.12, 2, 0, -2, 0, 0;
  EXPECT_LT((Matrix(form.m) - f).cwiseAbs().maxCoeff(), kFewSteps);
  EXPECT_LT((form.q - rest).cwiseAbs().maxCoeff(), kFewSteps);
}

TEST(TrinklesSphere, GoesAtAnObliqueAngleAsItsPolygonSays) {
  const auto rows = test::read_table("stewart_trinkle/sphere_oblique_h012.csv");  // nd, t, nu (6), pn, pf (2)
  ASSERT_GE(rows.size(), 10u);
  for (std::size_t first = 0; first < rows.size(); first += 5) {
    SceneRun run = open_sphere(static_cast<int>(rows[first][0]), std::numbers::pi / 6.0, 0.12);
    run.run([&](const SceneRun& r) {
      const std::vector<double>& row = rows.at(first + r.state.step - 1);
      Vector nu = r.state.u;  // theirs has angular velocities in the world frame
      nu.tail<3>() = rotation_matrix<double>(Vector4(r.state.q.segment<4>(3))) * r.state.u.tail<3>();
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(nu(i), row[2 + i], kOfOblique) << row[0] << " t = " << row[1];
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(r.report.contacts[0].percussion[i], row[8 + i], kOfOblique);
    });
  }
}

/// It rolls from t_exact cos(phi - a) / cos a on, a = pi / nd, phi the angle to the nearest corner.
TEST(TrinklesSphere, RollsFromWhenItsPolygonSays) {
  const auto rows = test::read_table("stewart_trinkle/sphere_facets.csv");
  ASSERT_EQ(rows.size(), 9u);
  for (const std::vector<double>& row : rows) {  // nd, phi, t_num, t_exact, t_pred, err v(.24), err v end, err x end
    const double phi = row[1];
    SceneRun run = open_sphere(static_cast<int>(row[0]), phi, 1e-3);
    double rolls = 0.0;
    const auto exact = [&](double speed) { return Eigen::Vector2d(speed * std::cos(phi), speed * std::sin(phi)); };
    run.run([&](const SceneRun& r) {
      const double slip = std::hypot(r.report.contacts[0].velocity[1], r.report.contacts[0].velocity[2]);
      if (rolls == 0.0 && slip < 1e-9) rolls = r.state.t;
      if (r.state.step == 240) {
        const Vector error = r.state.u.head<2>() - exact(2.0 - 0.2 * kGravity * 0.24);
        EXPECT_NEAR(error.norm(), row[5], kOfFacets) << row[0] << ' ' << phi;
      }
    });
    EXPECT_NEAR(rolls, row[4], 1.001e-3) << row[0] << ' ' << phi;
    EXPECT_LT((run.state.u.head<2>() - exact(10.0 / 7.0)).norm(), 1e-13);
    const double x_exact = 10.0 / 7.0 * 0.6 + 0.5 * (2.0 - 10.0 / 7.0) * row[3];
    EXPECT_NEAR((run.state.q.head<2>() - exact(x_exact)).norm(), row[7], kOfFacets);
  }
}

/// A polygon that is turned with the velocity sees the same.
TEST(TrinklesSphere, TurnsWithTheOrientationOfItsPolygon) {
  constexpr double kAngle = 0.3;
  SceneRun straight = open_sphere(5, 0.1, 0.01);
  SceneRun turned = open_sphere(5, 0.1 + kAngle, 0.01, fmt::format(",orientation={}", kAngle));
  straight.run([&](const SceneRun& r) {
    ASSERT_EQ(turned.step(), Status::ok);
    const Eigen::Vector2d v = Eigen::Rotation2Dd(kAngle) * Eigen::Vector2d(r.state.u.head<2>());
    EXPECT_LT((turned.state.u.head<2>() - v).norm(), 1e-13) << r.state.t;
  });
}

TEST(JointFrictionUnderStewartTrinkle, IsAnImpulseBound) {
  SceneRun run = test::scene_from_text(R"(stickslip = 1
gravity = [0, 0]
time = {end = 2.0, step = 1e-3}
scheme = {type = "stewart-trinkle"}
solver = {tolerance = 1e-14}
[bodies.frame]
type = "fixed"
[bodies.mass]
type = "point"
mass = 1
position = [0.19, 0]
[forces.spring]
type = "spring"
between = ["frame", "mass"]
at_a = [-1, 0]
stiffness = 100
rest = 1
[forces.friction]
type = "dry-friction"
between = ["frame", "mass"]
axis = [1, 0]
bound = 2
)");
  const auto rows = test::read_table("stewart_trinkle/jointfric_slider.csv");  // t, x, v, f, x exact
  std::size_t next = 0;
  double x_before = 0.19;
  double v_before = 0.0;
  run.run([&](const SceneRun& r) {
    // One step in closed form: v' = soft(v - h k x / m, h c / m).
    const double free = v_before - 1e-3 * 100.0 * x_before;
    const double v = std::copysign(std::max(std::abs(free) - 1e-3 * 2.0, 0.0), free);
    EXPECT_NEAR(r.state.u(0), v, kOfSlider);
    x_before = r.state.q(0);
    v_before = r.state.u(0);
    if (next == rows.size() || std::abs(rows[next][0] - r.state.t) > 1e-9) return;
    EXPECT_NEAR(r.state.q(0), rows[next][1], kOfSlider) << r.state.t;
    EXPECT_NEAR(r.state.u(0), rows[next][2], kOfSlider);
    ++next;
  });
  EXPECT_EQ(next, rows.size());
}

std::string pendulum(const std::string& joint, double h, double end, const std::string& scheme, double angle) {
  return fmt::format(R"(stickslip = 1
gravity = [0, -9.81]
time = {{end = {}, step = {}}}
scheme = {{type = "stewart-trinkle"{}}}
[bodies.frame]
type = "fixed"
[bodies.bob]
type = "planar"
mass = 1.5
inertia = 0.1
position = [{:.17g}, {:.17g}]
[joints.hinge]
type = "revolute"
between = ["frame", "bob"]
at = [0, 0]
{}
)",
                     end, h, scheme, 0.5 * std::sin(angle), -0.5 * std::cos(angle), joint);
}

/// m g L (cos a' - cos a) = c (a + a'), whatever the inertia; at the end friction holds it, on the side of the last
/// swing. The scheme is of first order in that: what its error is at two steps says where it goes.
TEST(JointFrictionUnderStewartTrinkle, TakesItsPartOfEachSwingOfAPendulum) {
  const double exact[] = {-.8426037207056, .6922284045076, -.5470812557193, .4057667868097,
                          -.2671414993035, .1302205096121, .0058878436974};
  constexpr double kOfSecondOrder = 2e-4;  // [rad] what is left of it at 1 and 2 ms
  std::vector<double> turns[2];
  for (const int k : {0, 1}) {
    SceneRun run = test::scene_from_text(pendulum("friction = 0.5", k == 0 ? 2e-3 : 1e-3, 6.0, "", 1.0));
    double rate = 0.0;
    run.run([&](const SceneRun& r) {
      const double now = r.report.joints[0].rate;
      if (rate * now < 0.0 && std::abs(now) > 1e-6) turns[k].push_back(1.0 + r.report.joints[0].coordinate);
      if (std::abs(now) > 1e-6) rate = now;
      EXPECT_LT(r.report.drift_position, 1e-12);
    });
    EXPECT_LT(std::abs(run.report.joints[0].rate), 1e-12);
    turns[k].push_back(1.0 + run.report.joints[0].coordinate);
    ASSERT_EQ(turns[k].size(), std::size(exact));
  }
  for (std::size_t i = 0; i < std::size(exact); ++i) {
    EXPECT_NEAR(turns[1][i], exact[i], 6e-3) << i;
    EXPECT_NEAR(2.0 * turns[1][i] - turns[0][i], exact[i], kOfSecondOrder) << i;
  }
}

/// A motor of constant torque on a hinge that its friction holds, or not: in each step (torque - bound) h / inertia.
TEST(JointFrictionUnderStewartTrinkle, HoldsAMotorUpToItsBound) {
  for (const double torque : {0.49, 0.51, 2.0}) {
    SceneRun run = test::scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, 0]
time = {{end = 0.5, step = 1e-2}}
scheme = {{type = "stewart-trinkle"}}
solver = {{tolerance = 1e-14}}
[bodies.frame]
type = "fixed"
[bodies.wheel]
type = "planar"
mass = 1
inertia = 0.1
position = [0, 0]
[joints.hinge]
type = "revolute"
between = ["frame", "wheel"]
at = [0, 0]
friction = 0.5
force = "{}"
)",
                                                     torque));
    run.run([&](const SceneRun& r) {
      const double omega = std::max(torque - 0.5, 0.0) / 0.1 * r.state.t;
      EXPECT_NEAR(r.state.u(2), omega, kOfSlider) << torque;
    });
  }
}

/// bPsi/h in (28) takes back what a step lets joints drift by: it stays what one step makes, O(h^2), for 10 s.
TEST(JointsUnderStewartTrinkle, DoNotDriftAwayInTenSeconds) {
  std::vector<double> drifts;
  for (const double h : {4e-3, 2e-3}) {
    SceneRun run = open_scene("four_bar", {R"(scheme={type="stewart-trinkle",projection=false})",
                                           fmt::format("time.step={}", h), "time.end=10"});
    double early = 0.0;
    double late = 0.0;
    run.run([&](const SceneRun& r) {
      double& drift = r.state.t < 5.0 ? early : late;
      drift = std::max(drift, r.report.drift_position);
      EXPECT_EQ(r.report.fallbacks, 0);
    });
    EXPECT_LT(late, 1.1 * early);
    drifts.push_back(early);
  }
  EXPECT_NEAR(drifts[0] / drifts[1], 4.0, 0.3);
  EXPECT_GT(drifts[1], 1e-8) << "it is the stabilisation that is seen";
}

/// A block that is squeezed between two walls by 1 mm on each side: F = [[1, -1], [-1, 1]], f < 0 has no solution.
TEST(SafeguardOfStewartTrinkle, LeavesAwayWhatCannotBeMet) {
  constexpr const char* kSqueezed = R"(stickslip = 1
gravity = [0, 0]
time = {{end = 0.1, step = 1e-2}}
scheme = {{type = "stewart-trinkle"}}
[bodies.left]
type = "fixed"
shapes.wall = {{type = "half-space", normal = [1, 0], offset = 0}}
[bodies.right]
type = "{}"
shapes.wall = {{type = "half-space", normal = [-1, 0], offset = 0}}
{}
[bodies.block]
type = "point"
mass = 2
position = [0.05, 0]
velocity = [0, 1]
shapes.ball = {{type = "sphere", radius = {}}}
[[contacts]]
between = ["left", "block"]
friction = 0.1
[[contacts]]
between = ["block", "right"]
friction = 0.1
)";
  SceneRun squeezed =
      test::scene_from_text(fmt::format(fmt::runtime(kSqueezed), "fixed", "position = [0.1, 0]", 0.051));
  ASSERT_EQ(squeezed.step(), Status::ok) << squeezed.report.message;
  EXPECT_EQ(squeezed.report.fallbacks, 1);
  EXPECT_NE(squeezed.report.message.find("without the stabilisation of overlaps"), std::string::npos);
  EXPECT_NEAR(squeezed.state.u(0), 0.0, 1e-14);

  // Restitution changes nothing for what does not approach.
  SceneRun elastic = test::scene_from_text(fmt::format(fmt::runtime(kSqueezed), "fixed", "position = [0.1, 0]", 0.051) +
                                           "restitution = {normal = 0.3}\n");
  ASSERT_EQ(elastic.step(), Status::ok) << elastic.report.message;
  EXPECT_EQ(elastic.report.fallbacks, 1);
  EXPECT_NEAR(elastic.state.u(0), 0.0, 1e-14);

  SceneRun free = test::scene_from_text(fmt::format(fmt::runtime(kSqueezed), "fixed", "position = [0.1, 0]", 0.05));
  ASSERT_EQ(free.step(), Status::ok);
  EXPECT_EQ(free.report.fallbacks, 0);
  EXPECT_TRUE(free.report.message.empty());

  // Walls that close on it: no stabilisation is to blame. The run goes on with the least violation, and says so.
  SceneRun closing =
      test::scene_from_text(fmt::format(fmt::runtime(kSqueezed), "moving", R"(position = ["0.1 - 0.1*t", 0])", 0.05));
  ASSERT_EQ(closing.step(), Status::inexact);
  EXPECT_GT(closing.report.missed, 0.0);
  EXPECT_GT(closing.report.solve.violation, 0.0) << "a proof";
  EXPECT_NEAR(closing.state.u(0), -0.05, 1e-9) << "half of the speed at which they close";
}

/// Three balls in a box that is too small for them, on a ball joint with friction and a rod, thrown to random places:
/// with overlaps and joints that are off no step needs to have a solution. Nothing moves as prescribed, so that leaving
/// away stabilisation always helps.
void step_from_random_places(int samples, const std::string& facets) {
  std::string text = "stickslip = 1\ntime = {end = 100, step = 1e-2}\n";
  text += "scheme = {type = \"stewart-trinkle\", projection = false, facets = " + facets + "}\n";
  text += R"([bodies.box]
type = "fixed"
shapes.left = {type = "half-space", normal = [1, 0, 0], offset = -1.1}
shapes.right = {type = "half-space", normal = [-1, 0, 0], offset = -1.1}
shapes.floor = {type = "half-space", normal = [0, 0, 1], offset = -1.1}
shapes.lid = {type = "half-space", normal = [0, 0, -1], offset = -1.1}
[bodies.a]
density = 1000
position = [-0.4, 0, 0]
shapes.ball = {type = "sphere", radius = 0.35}
[bodies.b]
density = 700
position = [0.4, 0, 0]
shapes.ball = {type = "sphere", radius = 0.4}
[bodies.c]
density = 300
position = [0, 0.8, 0]
shapes.ball = {type = "sphere", radius = 0.4}
[joints.hinge]
type = "spherical"
between = ["a", "b"]
at = [0, 0.3, 0]
friction = 50
[joints.rod]
type = "distance"
between = ["b", "c"]
[contact_default]
friction = 0.4
correction_speed = inf
)";
  SceneRun run = test::scene_from_text(text);
  const State start = run.state;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int left_away = 0;
  for (int sample = 0; sample < samples; ++sample) {
    run.state = start;
    for (double& x : run.state.u) x = 3.0 * normal(random);
    for (int body = 0; body < 3; ++body) {
      for (int k = 0; k < 3; ++k) run.state.q(7 * body + k) += 0.2 * normal(random);
    }
    ASSERT_EQ(run.step(), Status::ok) << sample << ": " << run.report.message;
    left_away += run.report.fallbacks > 0 ? 1 : 0;
  }
  EXPECT_GT(left_away, samples / 20);
  EXPECT_LT(left_away, samples / 2) << "most need nothing";
}

TEST(SafeguardOfStewartTrinkle, LeavesNoRandomSystemUnsolved) {
  step_from_random_places(200, "8");
}

TEST(SlowSafeguardOfStewartTrinkle, LeavesNoRandomSystemUnsolved) {
  for (const char* facets : {"0", "4", "8"}) step_from_random_places(10000, facets);
}

}  // namespace
}  // namespace stickslip
