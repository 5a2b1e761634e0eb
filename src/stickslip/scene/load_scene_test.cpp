// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/load_scene.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>

#include "stickslip/scene/build.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBouncingBall = R"(
stickslip = 1
name = "bouncing ball"
gravity = [0, -9.81]
time = {end = 2.0, step = 2.0e-3}
scheme = {type = "moreau", theta = 0.4, activation = 1e-9}
solver = {type = "nsgs", tolerance = 1.0e-11, max_iterations = 200}
output = {every = 0.01}

[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}

[bodies.ball]
type = "planar"
mass = 1.0
inertia = 0.004
position = [0, 1]
velocity = [0.5, 0]
angular_velocity = 50
shapes.hull = {type = "sphere", radius = 0.1}

[[contacts]]
name = "ball-floor"
between = ["floor", "ball/hull"]
friction = 0.2
restitution = {normal = 0.5, tangential = 0.1}
)";

/// One of everything that a spatial scene can hold.
constexpr const char* kEverything = R"toml(
stickslip = 1
time = {start = 0.5, end = 1, step = 0.125}
scheme = {type = "moreau", forces = "least-norm"}
solver = {type = "pgs", relaxation = 1.25}
limits = {penetration = "=l/3", drift = inf, energy = 0, on_passing = "stop"}
parameters = {half = "=l/2", l = 0.3, "w_2" = "=2*pi"}

[bodies.table]
type = "moving"
position = ["0.1*sin(w_2*t)", 0, "=l"]
rotation = {axis = [0, 1, 1], angle = "t < 1 ? 0 : t - 1"}
quaternion = [0, 0, 0, 1]
shapes.top = {type = "half-space", normal = [0, 0, 2], offset = 0.1}

[bodies.rock]
density = 1000
position = [1, 2, "=l + half"]
rotation = {axis = [1, 0, 0], angle = "=pi/2"}
velocity = [1, 0, 0]
angular_velocity = [0, 0, 3]
gyroscopic = false
shapes.box = {type = "box", size = [1, 2, 3], position = [0.1, 0, 0], quaternion = [0.8, 0.6, 0, 0]}
shapes.hull = {type = "convex", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, "=l"]]}

[bodies.pill]
type = "rigid"
mass = 2
inertia = [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]]
quaternion = [1, 1, 0, 0]
shapes.skin = {type = "capsule", radius = 0.5, length = 1}
shapes.rod = {type = "cylinder", radius = 0.5, length = 1}
shapes.egg = {type = "ellipsoid", radii = [0.1, 0.2, "=l"]}

[bodies.tube]
type = "fixed"
position = [0, 0, -5]
shapes.inner = {type = "cylinder", radius = 2, inside = true}
shapes.shell = {type = "sphere", radius = 9, inside = true}

["bodies"."Körper 1"]
type = "point"
mass = 0.5
velocity = [0, 0, -1]
shapes.tip = {type = "point"}

[[contacts]]
between = ["table", "rock/box"]

[[contacts]]
name = "drill"
between = ["table/top", "pill/skin"]
friction = 0.3
contensou = {radius = 5e-4}

[forces.band]
type = "spring"
between = ["rock", "pill"]
at_a = [0.1, 0, 0]
stiffness = 100
damping = 1
rest = 0.2

[forces.rail]
type = "dry-friction"
between = ["tube", "Körper 1"]
at = [0, 0, 1]
bound = 2
axis = [0, 0, 2]

[forces.brake]
type = "dry-friction"
between = ["tube", "pill"]
bound = 1

[forces.wind]
type = "load"
body = "pill"
at = [0, 0, 0.1]
force = ["sin(t)", 0, 1]
torque = [0, "=l*t", 0]
frame = "body"

[reference."Körper 1"]
position = ["half*t", 0, 0]
)toml";

std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  LoadOptions options;
  options.overrides = overrides;
  try {
    parse_scene(text, "test.toml", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Scene with_overrides(const std::vector<std::string>& overrides, const std::string& text = kBouncingBall) {
  LoadOptions options;
  options.overrides = overrides;
  return parse_scene(text, "test.toml", options);
}

TEST(LoadScene, LimitsFromTheCommandLine) {
  const Scene scene = with_overrides({"limits.drift=inf", "limits.on_passing=stop"});
  EXPECT_EQ(scene.limits, (LimitOptions{5e-2, std::numeric_limits<double>::infinity(), 0.05, 5e-2, true}));
  EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene);
  EXPECT_THROW(with_overrides({"limits.drift=-inf"}), InputError);
  EXPECT_THROW(with_overrides({"limits.drift=nan"}), InputError);
}

TEST(LoadScene, FrictionOfSecondOrder) {
  const auto read = [](const std::string& name) {
    return with_overrides({"scheme.type=generalized-alpha", "scheme.friction=" + name});
  };
  EXPECT_EQ(std::get<GeneralizedAlphaOptions>(read("published").scheme), GeneralizedAlphaOptions{});
  const Scene scene = read("second-order");
  EXPECT_EQ(std::get<GeneralizedAlphaOptions>(scene.scheme).friction, GeneralizedAlphaFriction::second_order);
  EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene);
}

TEST(LoadScene, ForcesOfLeastNorm) {
  const auto read = [](const std::string& name) {
    return with_overrides({"scheme.type=generalized-alpha", "scheme.forces=" + name});
  };
  EXPECT_EQ(std::get<GeneralizedAlphaOptions>(read("any").scheme), GeneralizedAlphaOptions{});
  const Scene scene = read("least-norm");
  EXPECT_EQ(std::get<GeneralizedAlphaOptions>(scene.scheme).contact_forces, ForceChoice::least_norm);
  EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene);
  EXPECT_THROW(read("least_norm"), InputError);
}

TEST(LoadScene, Relaxation) {
  const std::vector<std::string> keys = {
      "{type=\"relaxation\"}",
      "{type=\"relaxation\",delta=0.01,zeta=0.5,inclusion=\"clip-axis\",integrator=\"symplectic-euler\",gate=false}",
      "{type=\"relaxation\",model=\"penalty\",stiffness=1e4,damping=20,delta=0.01}",
      "{type=\"relaxation\",form=\"implicit\",inclusion=\"facets\",facets=5,orientation=0.1,forces=\"least-norm\"}"};
  std::vector<RelaxationOptions> read;
  const std::string text = "stickslip = 1\ntime = {end = 1, step = 1e-3}\n";
  for (const std::string& scheme : keys) {
    const Scene scene = with_overrides({"scheme=" + scheme}, text);
    EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene);
    read.push_back(std::get<RelaxationOptions>(scene.scheme));
  }
  EXPECT_EQ(read[0], RelaxationOptions{});
  EXPECT_EQ(read[1].inclusion, RelaxationInclusion::clip_axis);
  EXPECT_EQ(read[1].longest_step(), 0.01 * 2.0 * (std::sqrt(1.25) - 0.5)) << "shorter than delta/zeta";
  EXPECT_EQ(read[2].stiffness, 1e4);
  EXPECT_EQ(read[3].form, RelaxationForm::implicit);
}

TEST(LoadScene, IntegratorsOfSundials) {
  const std::vector<std::string> keys = {
      "{type=\"relaxation\",integrator=\"cvode\"}",
      "{type=\"relaxation\",integrator=\"arkode-implicit\",relative_tolerance=1e-6,absolute_tolerance=1e-8,delta=1e-5}",
      "{type=\"relaxation\",integrator=\"arkode-explicit\",model=\"penalty\",stiffness=1e4,damping=20}",
      "{type=\"event-driven\",integrator=\"cvode\"}", "{type=\"event-driven\",integrator=\"arkode-explicit\"}"};
  const std::string text = "stickslip = 1\ntime = {end = 1, step = 0.5}\n";  // [s] far beyond what rk4 takes
  for (const std::string& scheme : keys) {
    if (!has_sundials()) {
      try {
        with_overrides({"scheme=" + scheme}, text);
        FAIL() << scheme;
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("without SUNDIALS"), std::string::npos) << error.what();
      }
      continue;
    }
    const Scene scene = with_overrides({"scheme=" + scheme}, text);
    EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene) << to_toml(scene);
    EXPECT_NE(to_toml(scene).find(scheme.substr(scheme.find("integrator=") + 11, 7)), std::string::npos);
    if (const auto* relaxation = std::get_if<RelaxationOptions>(&scene.scheme)) {
      EXPECT_TRUE(relaxation->controls_errors());
    }
  }
}

TEST(LoadScene, AutomaticSteps) {
  const std::string scheme = "scheme.type=generalized-alpha";
  const Scene scene = with_overrides({scheme, "time.step=auto"});
  EXPECT_TRUE(scene.time.automatic);
  EXPECT_EQ(scene.time.control, StepControlOptions{});
  EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene);
  const Scene all =
      with_overrides({scheme, "time.step=auto", "time.tolerance=1e-4", "time.min_step=1e-9", "time.max_step=0.1"});
  EXPECT_EQ(all.time.control, (StepControlOptions{1e-4, 1e-9, 0.1}));
  EXPECT_EQ(parse_scene(to_toml(all), "scene.toml"), all);
  // A fixed step for a scene of automatic ones, from the command line: what is said about those is kept, and checked.
  const Scene fixed = with_overrides({"time.tolerance=1e-4", "time.step=1e-3"});
  EXPECT_FALSE(fixed.time.automatic);
  EXPECT_EQ(fixed.time.step, 1e-3);
  EXPECT_EQ(parse_scene(to_toml(fixed), "scene.toml"), fixed);
  EXPECT_THROW(with_overrides({"time.tolerance=-1", "time.step=1e-3"}), InputError);
  EXPECT_THROW(with_overrides({"time.step=auto", "scheme.type=moreau"}), InputError);
}

TEST(LoadScene, ReadsWhatTheFileSays) {
  const Scene scene = parse_scene(kBouncingBall, "ball.toml");
  EXPECT_EQ(scene.name, "bouncing ball");
  EXPECT_TRUE(scene.planar);
  EXPECT_EQ(scene.gravity, Vector3(0, -9.81, 0));
  EXPECT_EQ(scene.time, (SceneTime{0.0, 2.0, 2e-3}));
  EXPECT_EQ(scene.scheme, SchemeOptions(MoreauOptions{.theta = 0.4, .activation = 1e-9}));
  EXPECT_EQ(solver_name(scene.solver), "nsgs");
  EXPECT_EQ(std::get<NsgsOptions>(scene.solver).tolerance, 1e-11);
  EXPECT_EQ(std::get<NsgsOptions>(scene.solver).max_iterations, 200);
  EXPECT_EQ(scene.output.every, 0.01);

  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[0].name, "floor");  // the order of the file
  const SceneBody& ball = scene.bodies[1];
  EXPECT_EQ(ball.name, "ball");
  EXPECT_EQ(ball.type, BodyType::planar);
  EXPECT_EQ(ball.mass, 1.0);
  EXPECT_EQ(ball.inertia, SceneInertia(0.004));
  EXPECT_EQ(ball.position, Vector3(0, 1, 0));
  EXPECT_EQ(ball.velocity, Vector3(0.5, 0, 0));
  EXPECT_EQ(ball.angular_velocity, Vector3(0, 0, 50));
  ASSERT_EQ(ball.shapes.size(), 1U);
  EXPECT_EQ(ball.shapes[0].geometry, ShapeGeometry(Sphere{0.1, false}));

  ASSERT_EQ(scene.contacts.size(), 1U);
  EXPECT_EQ(scene.contacts[0].between[0], (SceneSide{"floor", ""}));
  EXPECT_EQ(scene.contacts[0].between[1], (SceneSide{"ball", "hull"}));
  EXPECT_EQ(scene.contacts[0].law.friction, 0.2);
  EXPECT_EQ(scene.contacts[0].law.restitution_normal, 0.5);
  EXPECT_EQ(scene.contacts[0].law.restitution_tangential, 0.1);
}

TEST(LoadScene, HasTheDocumentedDefaults) {
  const Scene scene = parse_scene("stickslip = 1\ntime = {end = 1, step = 0.5}\n", "folder/empty box.toml");
  EXPECT_EQ(scene.name, "empty box");
  EXPECT_FALSE(scene.planar);
  EXPECT_EQ(scene.gravity, Vector3(0, 0, -9.81));
  EXPECT_EQ(scene.time.start, 0.0);
  EXPECT_EQ(scheme_traits(scene.scheme).name, "moreau");
  EXPECT_EQ(solver_name(scene.solver), "auto");
  EXPECT_FALSE(scene.output.every.has_value());
  EXPECT_EQ(std::get<MoreauOptions>(scene.scheme), MoreauOptions{});
  EXPECT_EQ(scene.limits.penetration, 5e-2);
  EXPECT_EQ(scene.limits.drift, 1e-3);
  EXPECT_EQ(scene.limits.energy, 0.05);
  EXPECT_FALSE(scene.limits.stop);
}

/// Detected contacts, a scheme on velocities and nothing asked for: what can be afforded.
TEST(LoadScene, DetectedContactsHaveADefaultByTheirNumber) {
  const auto read = [](int n_columns, const std::string& more) {
    return parse_scene(
        "stickslip = 1\ntime = {end = 1, step = 0.5}\n[[fill]]\nprefix = \"ball\"\ngrid = {counts = [" +
            std::to_string(n_columns) +
            ", 10, 5], spacing = 0.3}\nbody = {density = 1000, shapes.hull = {type = \"sphere\", radius = "
            "0.1}}\n" +
            more,
        "many.toml");
  };
  const std::string detected = "[contact_default]\nfriction = 0.3\n";
  EXPECT_TRUE(read(1, detected).eases_tolerance);
  EXPECT_TRUE(read(1, detected + "[scheme]\ntype = \"moreau\"\n").eases_tolerance);
  EXPECT_TRUE(read(1, detected + "[solver]\ntype = \"nsgs\"\n").eases_tolerance);
  EXPECT_TRUE(read(1, detected + "[solver]\ntolerance = \"auto\"\n").eases_tolerance);
  EXPECT_FALSE(read(1, "").eases_tolerance);
  EXPECT_FALSE(read(1, detected + "[solver]\ntolerance = 1e-10\n").eases_tolerance);
  EXPECT_FALSE(read(1, detected + "[scheme]\ntype = \"generalized-alpha\"\n").eases_tolerance);
  const Scene scene = read(1, detected);
  EXPECT_EQ(parse_scene(to_toml(scene), "many.toml"), scene);
  EXPECT_EQ(stop_options(scene.solver).tolerance, StopOptions{}.tolerance);
}

/// Spheres at rest apart from each other, n times ten: |b| is g h times the root of their number, contacts bear on the
/// ground alone.
TEST(LoadScene, CheckSaysWhatTheToleranceMeansAtTheStart) {
  const auto check = [](int n) {
    const std::string text =
        "stickslip = 1\ntime = {end = 1, step = 1e-3}\ngravity = [0, 0, -10]\ncontact_default = {friction = 0}\n"
        "bodies.ground = {type = \"fixed\", shapes.top = {type = \"half-space\", normal = [0, 0, 1]}}\n"
        "[[fill]]\ngrid = {counts = [" +
        std::to_string(n) +
        ", 10, 1], spacing = 0.3, origin = [0, 0, 0.1]}\nbody = {density = 1000, shapes.ball = "
        "{type = \"sphere\", radius = 0.1}}\n";
    return check_scene(parse_scene(text, "rows.toml")).summary;
  };
  EXPECT_NE(check(1).find("tolerance 1e-10 at the start, 3.16e-12 m/s in all 10 contacts together"), std::string::npos)
      << check(1);
  // 1e-2 sqrt(400) 10 m/s^2 1e-3 s
  EXPECT_NE(check(40).find("tolerance 0.01 at the start, 0.002 m/s in all 400 contacts together"), std::string::npos)
      << check(40);
}

TEST(LoadScene, ReadsOneOfEverything) {
  const Scene scene = parse_scene(kEverything, "everything.toml");
  EXPECT_FALSE(scene.planar);
  EXPECT_EQ(scene.parameters.at("half"), 0.15);
  EXPECT_EQ(scene.parameters.at("w_2"), 2 * std::numbers::pi);
  EXPECT_EQ(scene.limits, (LimitOptions{0.3 / 3, std::numeric_limits<double>::infinity(), 0.0, 5e-2, true}));
  ASSERT_EQ(scene.bodies.size(), 5U);
  const SceneBody& table = scene.bodies[0];
  ASSERT_TRUE(table.motion.has_value());
  EXPECT_EQ(table.motion->position[0], TimeFunction("0.1*sin(w_2*t)"));
  EXPECT_EQ(table.motion->position[1], TimeFunction(0.0));
  EXPECT_EQ(table.motion->position[2], TimeFunction("l"));
  EXPECT_EQ(table.motion->angle, TimeFunction("t < 1 ? 0 : t - 1"));
  EXPECT_EQ(table.orientation, Orientation(Quaternion{Vector4(0, 0, 0, 1)}));
  const SceneBody& rock = scene.bodies[1];
  EXPECT_EQ(rock.type, BodyType::rigid);
  EXPECT_EQ(rock.density, 1000.0);
  EXPECT_FALSE(rock.mass.has_value());
  EXPECT_DOUBLE_EQ(rock.position.z(), 0.45);
  EXPECT_EQ(rock.orientation, Orientation(AxisAngle{Vector3::UnitX(), std::numbers::pi / 2}));
  EXPECT_FALSE(rock.gyroscopic);
  ASSERT_EQ(rock.shapes.size(), 2U);
  EXPECT_EQ(rock.shapes[1].name, "hull");
  EXPECT_EQ(std::get<Convex>(rock.shapes[1].geometry).points[3], Vector3(0, 0, 0.3));
  EXPECT_EQ(std::get<Matrix3>(scene.bodies[2].inertia)(0, 1), 0.1);
  EXPECT_EQ(scene.bodies[4].name, "Körper 1");
  ASSERT_EQ(scene.contacts.size(), 2U);
  EXPECT_EQ(scene.contacts[0].name, "table-rock-box");
  EXPECT_EQ(scene.contacts[1].law.contensou_radius, 5e-4);
  ASSERT_EQ(scene.forces.size(), 4U);
  EXPECT_EQ(std::get<SceneSpring>(scene.forces[0].law).rest, 0.2);
  EXPECT_EQ(std::get<SceneDryFriction>(scene.forces[1].law).axis, Vector3(0, 0, 2));
  EXPECT_FALSE(std::get<SceneDryFriction>(scene.forces[2].law).at.has_value());
  EXPECT_TRUE(std::get<SceneLoad>(scene.forces[3].law).body_frame);
  EXPECT_EQ(std::get<SceneLoad>(scene.forces[3].law).torque[1], TimeFunction("l*t"));
  ASSERT_EQ(scene.reference.size(), 1U);
  EXPECT_EQ(scene.reference[0].body, "Körper 1");
  EXPECT_EQ(scene.reference[0].position->at(0), TimeFunction("half*t"));
  EXPECT_FALSE(scene.reference[0].velocity.has_value());
}

TEST(LoadScene, KeepsPlacesOutOfWhatIsCompared) {
  const Scene scene = parse_scene(kBouncingBall, "a.toml");
  EXPECT_EQ(scene.places.find("bodies.ball.mass"), (SourcePlace{"a.toml", 16, 8}));
  EXPECT_EQ(scene.places.find("bodies.ball.gyroscopic"), scene.places.find("bodies.ball"));
  EXPECT_EQ(scene.places.find("contacts.ball-floor.between[1]").line, 25);
  EXPECT_EQ(parse_scene("\n" + std::string(kBouncingBall), "b.toml"), scene);
}

TEST(LoadScene, WritesWhatItReadsBackAsEqual) {
  for (const char* text : {kBouncingBall, kEverything}) {
    const Scene scene = parse_scene(text, "scene.toml");
    const std::string written = to_toml(scene);
    EXPECT_EQ(parse_scene(written, "other.toml"), scene) << written;
    EXPECT_EQ(to_toml(parse_scene(written, "other.toml")), written);
  }
}

TEST(LoadScene, WritesDoublesThatReadBackBitByBit) {
  Scene scene = parse_scene(kBouncingBall, "scene.toml");
  for (const double x : {0.1, 1.0 / 3.0, 1e-300, 5e-324, 1.7976931348623157e308, 1e22, 123456789012345678.0, -0.0}) {
    scene.bodies[1].position.x() = x;
    const Scene again = parse_scene(to_toml(scene), "scene.toml");
    EXPECT_EQ(again.bodies[1].position.x(), x);
    EXPECT_EQ(std::signbit(again.bodies[1].position.x()), std::signbit(x));
  }
}

TEST(LoadScene, EscapesNames) {
  Scene scene = parse_scene(kBouncingBall, "scene.toml");
  scene.name = "say \"hi\" \\ there = [x]";
  scene.bodies[1].name = "a \"b\" # c";
  scene.contacts[0].between[1].body = scene.bodies[1].name;
  EXPECT_EQ(parse_scene(to_toml(scene), "scene.toml"), scene);
}

TEST(LoadScene, ReadsShippedScenesAndWritesThemBack) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(STICKSLIP_SCENES_DIR)) {
    if (entry.path().extension() != ".toml") continue;
    const Scene scene = load_scene(entry.path());
    EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(LoadScene, AppliesOverrides) {
  EXPECT_EQ(with_overrides({"bodies.ball.mass=3"}).bodies[1].mass, 3.0);
  EXPECT_EQ(with_overrides({"bodies.ball.mass = 3"}).bodies[1].mass, 3.0);
  EXPECT_EQ(with_overrides({"contacts.ball-floor.friction=.3"}).contacts[0].law.friction, 0.3);
  EXPECT_EQ(with_overrides({"bodies.ball.velocity=[1, -2]"}).bodies[1].velocity, Vector3(1, -2, 0));
  EXPECT_EQ(with_overrides({"bodies.ball.angular_velocity=-.5e1"}).bodies[1].angular_velocity.z(), -5.0);
  EXPECT_EQ(with_overrides({"bodies.ball.angle=+1."}).bodies[1].orientation, Orientation(PlanarAngle{1.0}));
  EXPECT_EQ(with_overrides({"bodies.ball.shapes.hull.radius=0.2"}).bodies[1].shapes[0].geometry,
            ShapeGeometry(Sphere{0.2, false}));
  EXPECT_EQ(with_overrides({"time.end=4"}).time.end, 4.0);
  EXPECT_EQ(with_overrides({"name=another"}).name, "another");
  EXPECT_EQ(with_overrides({"parameters.m=2", "bodies.ball.mass==m^2"}).bodies[1].mass, 4.0);
  EXPECT_EQ(with_overrides({"time.end=4", "time.end=5"}).time.end, 5.0);
}

TEST(LoadScene, MakesTablesOfSettingsForOverrides) {
  const std::string bare = "stickslip = 1\n";
  const Scene scene = with_overrides({"time.end=1", "time.step=0.5", "solver.type=pgs"}, bare);
  EXPECT_EQ(scene.time.step, 0.5);
  EXPECT_EQ(solver_name(scene.solver), "pgs");
}

TEST(LoadScene, KeepsOnlyCommonOptionsWhenTheTypeChanges) {
  const Scene scene = with_overrides({"solver.type=pgs"});
  EXPECT_EQ(std::get<PgsOptions>(scene.solver).tolerance, 1e-11);
  EXPECT_EQ(std::get<MoreauOptions>(with_overrides({"scheme.type=moreau"}).scheme).theta, 0.4);
}

TEST(LoadScene, KeepsOptionsAskedForBeforeTheirType) {
  for (const bool type_first : {false, true}) {
    std::vector<std::string> overrides = {"scheme.tolerance=1e-3", "scheme.type=generalized-alpha",
                                          "solver.relaxation=0.7", "solver.type=pgs"};
    if (type_first) {
      std::swap(overrides[0], overrides[1]);
      std::swap(overrides[2], overrides[3]);
    }
    const Scene scene = with_overrides(overrides);
    EXPECT_EQ(std::get<GeneralizedAlphaOptions>(scene.scheme).tolerance, 1e-3);
    EXPECT_EQ(std::get<PgsOptions>(scene.solver).relaxation, 0.7);
  }
}

TEST(LoadScene, RefusesWrongOverrides) {
  const auto error = [](const std::string& assignment) { return message_of(kBouncingBall, {assignment}); };
  EXPECT_EQ(error("bodies.bal.mass=3"),
            "--set bodies.bal.mass=3: bodies.bal.mass: bodies has no 'bal'; did you mean 'ball'?");
  EXPECT_EQ(error("contacts.ball-flor.friction=.3"),
            "--set contacts.ball-flor.friction=.3: contacts.ball-flor.friction: contacts has no 'ball-flor'; did you "
            "mean 'ball-floor'?");
  EXPECT_EQ(error("bodies.ball.mas=3"), "--set bodies.ball.mas=3: bodies.ball.mas: unknown key; did you mean 'mass'?");
  EXPECT_EQ(
      error("contacts.ball-floor.friction=-1"),
      "--set contacts.ball-floor.friction=-1: contacts.ball-floor.friction: -1: a number >= 0, an expression of the "
      "slip speed v, {static, kinetic, stick_speed = 1e-6}, or in space {x, y, direction = [1, 0, 0]}");
  EXPECT_NE(error("forces.push.bound=1").find("the scene has no forces"), std::string::npos);
  EXPECT_NE(error("bodies.ball.mass").find("key.path=value"), std::string::npos);
  EXPECT_NE(error("bodies..mass=1").find("key.path=value"), std::string::npos);
  EXPECT_NE(error("=1").find("key.path=value"), std::string::npos);
  EXPECT_NE(error("bodies.ball.mass=").find("key.path=value"), std::string::npos);
  EXPECT_NE(error("bodies.ball.mass.x=1").find("not a table"), std::string::npos);
  EXPECT_NE(error("bodies.ball.position=[1, 2").find("position"), std::string::npos);
  EXPECT_NE(error("bodies.ball.mass=1\n[bodies.x]").find("bodies.ball.mass"), std::string::npos);
  EXPECT_NE(error("bodies.ball.mass=heavy").find("a number > 0"), std::string::npos);
  EXPECT_NE(error("gravty=1").find("did you mean 'gravity'?"), std::string::npos);
}

/// A folder for files that include one another.
class Includes : public testing::Test {
 protected:
  Includes() : folder_(fs::temp_directory_path() / ("stickslip_includes_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_ / "parts");
  }
  ~Includes() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  fs::path folder_;
};

TEST_F(Includes, AreReadFirstAndOverridden) {
  write("main.toml", R"(
stickslip = 1
include = ["parts/ball.toml", "parts/more.toml"]
time = {end = 3}
[bodies.ball]
mass = 5
[[contacts]]
name = "ball-floor"
friction = 0.9
[[contacts]]
name = "second"
between = ["floor", "ball"]
)");
  write("parts/ball.toml", std::string(kBouncingBall) + "[bodies.last]\ntype = \"fixed\"\n");
  write("parts/more.toml", "include = [\"deeper.toml\"]\nname = \"more\"\n");
  write("parts/deeper.toml", "name = \"deeper\"\n[bodies.ball]\nposition = [7, 7]\n");
  const Scene scene = load_scene(folder_ / "main.toml");
  EXPECT_EQ(scene.name, "more");
  EXPECT_EQ(scene.time, (SceneTime{0.0, 3.0, 2e-3}));
  ASSERT_EQ(scene.bodies.size(), 3U);
  EXPECT_EQ(scene.bodies[1].name, "ball");
  EXPECT_EQ(scene.bodies[1].mass, 5.0);
  EXPECT_EQ(scene.bodies[1].position, Vector3(7, 7, 0));
  EXPECT_EQ(scene.bodies[1].inertia, SceneInertia(0.004));
  ASSERT_EQ(scene.contacts.size(), 2U);
  EXPECT_EQ(scene.contacts[0].law.friction, 0.9);
  EXPECT_EQ(scene.contacts[0].law.restitution_normal, 0.5);  // merged with the included contact of the same name
  EXPECT_EQ(scene.contacts[1].name, "second");
  EXPECT_EQ(parse_scene(to_toml(scene), "main.toml"), scene);
}

TEST_F(Includes, ReplaceTablesOfAnotherType) {
  write("base.toml", kBouncingBall);
  write("main.toml", "include = [\"base.toml\"]\n[bodies.ball]\ntype = \"point\"\nmass = 2\n");
  const Scene scene = load_scene(folder_ / "main.toml");
  EXPECT_EQ(scene.bodies[1].type, BodyType::point);
  EXPECT_TRUE(scene.bodies[1].shapes.empty());
}

TEST_F(Includes, CanBeForbidden) {
  LoadOptions options;
  options.allow_include = false;
  EXPECT_THROW(parse_scene("include = [\"a.toml\"]\n", "x.toml", options), InputError);
}

TEST(LoadScene, ParametersMayFollowFromOneAnotherInAnyOrderAndNumber) {
  constexpr int kMany = 3000;  // backwards, so that each needs the next one
  std::string text = "stickslip = 1\ntime = {end = 1, step = 1}\n[parameters]\n";
  for (int i = kMany; i > 0; --i) text += "p" + std::to_string(i) + " = \"=p" + std::to_string(i - 1) + " + 1\"\n";
  text += "p0 = 1\n";
  EXPECT_EQ(parse_scene(text, "x.toml").parameters.at("p3000"), kMany + 1.0);
}

TEST(LoadScene, WholeNumbersMayBeExpressions) {
  const Scene scene = parse_scene(R"(stickslip = 1
time = {end = 1, step = 1}
parameters = {n = 3}
[[fill]]
prefix = "disc"
grid = {counts = ["=n", "=2*n", 1], spacing = 1}
body = {density = 1, shapes.hull = {type = "sphere", radius = 0.1}}
)",
                                  "x.toml");
  EXPECT_EQ(scene.bodies.size(), 18U);
}

TEST(LoadScene, RestitutionMayBeANumber) {
  const std::string text = "stickslip = 1\ntime = {end = 1, step = 1}\n";
  EXPECT_EQ(parse_scene(text + "contact_default = {restitution = 0.5}\n", "x.toml").contact_default->law,
            parse_scene(text + "contact_default = {restitution = {normal = 0.5}}\n", "x.toml").contact_default->law);
  LoadOptions options;
  options.overrides = {"contact_default.restitution=0.25"};
  const Scene set = parse_scene(text + "contact_default = {restitution = {normal = 0.5}}\n", "x.toml", options);
  EXPECT_EQ(set.contact_default->law.restitution_normal, 0.25);
}

TEST(LoadScene, OutputFieldsAreReadAndWrittenBack) {
  const Scene scene = parse_scene(
      "stickslip = 1\ngravity = [0, -1]\ntime = {end = 1, step = 0.1}\n"
      "output = {every = 0.5, fields = [\"bodies/position\", \"contacts\"]}\n"
      "[bodies.p]\ntype = \"point\"\nmass = 1\nposition = [0, 0]\n",
      "fields.toml");
  EXPECT_EQ(scene.output.fields, (std::vector<std::string>{"bodies/position", "contacts"}));
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
}

}  // namespace
}  // namespace stickslip
