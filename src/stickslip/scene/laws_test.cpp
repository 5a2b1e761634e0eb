// SPDX-License-Identifier: BSD-3-Clause
// Materials, groups and laws: who touches whom, under which law.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stickslip/model/contact_filter.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

constexpr const char* kLawsHead = "stickslip = 1\ntime = {end = 1, step = 0.01}\n";

/// Balls far apart: two of steel, of which one is in the group "rollers", one of rubber, and one of nothing.
constexpr const char* kFourBalls = R"(
[materials.steel]
density = 7800
[materials.rubber]
[bodies.s1]
position = [0, 0, 0]
shapes.hull = {type = "sphere", radius = 0.1, material = "steel"}
[bodies.s2]
position = [1, 0, 0]
group = "rollers"
shapes.hull = {type = "sphere", radius = 0.1, material = "steel"}
[bodies.r]
density = 1000
position = [2, 0, 0]
group = "rollers"
shapes.hull = {type = "sphere", radius = 0.1, material = "rubber", group = "wheels", friction = 0.7}
[bodies.plain]
density = 1000
position = [3, 0, 0]
shapes.hull = {type = "sphere", radius = 0.1}
)";

BuiltScene built_with_laws(const std::string& text) {
  return build(parse_scene(kLawsHead + text, "laws.toml"));
}

std::string message_of(const std::string& text) {
  try {
    built_with_laws(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "built";
}

TEST(Laws, TheLastThatFitsCountsAloneEitherWayRound) {
  const BuiltScene scene = built_with_laws(std::string(kFourBalls) + R"(
[contact_default]
friction = 0.3
restitution = 0.4
envelope = 0.01
[[laws]]
between = ["steel", "rubber"]
friction = 0.9
[[laws]]
between = ["steel", "steel"]
friction = 0.1
restitution = {normal = 0.8, tangential = 0.2}
envelope = 0.05
correction_speed = 2
[[laws]]
between = ["group:wheels", "group:rollers"]
friction = 0.6
)");
  const System& system = *scene.system;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < a; ++b) EXPECT_EQ(system.detected_law(a, b), system.detected_law(b, a)) << a << b;
  }
  const ContactLaw steel{0.1, 0.8, 0.2, 0.0};
  EXPECT_EQ(system.detected_law(0, 1), steel);
  EXPECT_EQ(system.detected_law(0, 2), (ContactLaw{0.9, 0.0, 0.0, 0.0}))
      << "keys that are left out have their defaults";
  EXPECT_EQ(system.detected_law(1, 2), (ContactLaw{0.6, 0.0, 0.0, 0.0})) << "the later law counts";
  EXPECT_EQ(system.detected_law(0, 3), (ContactLaw{0.3, 0.4, 0.0, 0.0}));
  EXPECT_EQ(system.detected_law(2, 3), (ContactLaw{0.7, 0.4, 0.0, 0.0})) << "no law: shapes say their friction";
  const auto pair_of = [&](int a, int b) {
    return system.pair(system.make_contact_point(System::make_contact_id(a, b, 0))).options;
  };
  EXPECT_EQ(pair_of(0, 1).law, steel);
  EXPECT_EQ(pair_of(0, 1).envelope, 0.05);
  EXPECT_EQ(pair_of(0, 1).correction_speed, 2.0);
  EXPECT_EQ(pair_of(0, 2).envelope, std::nullopt);
  EXPECT_EQ(pair_of(0, 3).envelope, 0.01);
}

TEST(Laws, WithoutDefaultOnlyWhatTheyMeanIsFound) {
  const BuiltScene scene = built_with_laws(std::string(kFourBalls) + R"(
[[laws]]
between = ["steel", "group:wheels"]
friction = 0.9
[[laws]]
between = ["group:rollers", "group:wheels"]
collide = false
)");
  EXPECT_EQ(scene.stepper->name(), "ccp");
  const ContactFilter filter(*scene.system);
  EXPECT_TRUE(filter.allows(0, 2));
  EXPECT_TRUE(filter.allows(2, 0));
  EXPECT_FALSE(filter.allows(1, 2)) << "collide = false";
  EXPECT_FALSE(filter.allows(0, 1)) << "no law";
  EXPECT_FALSE(filter.allows(2, 3)) << "no law";
}

/// One law for all shapes: the points have it, not that of contact_default.
TEST(Laws, OfAllShapesAreThoseOfTheirPoints) {
  for (const char* said : {"[[laws]]\nbetween = [\"m\", \"m\"]\nfriction = 0.8\n", ""}) {
    const BuiltScene scene = built_with_laws(fmt::format(R"(
[contact_default]
friction = 0.3
{0}
[materials.m]
density = 1000
[bodies.a]
shapes.hull = {{type = "sphere", radius = 0.1, material = "m"{1}}}
[bodies.b]
position = [1, 0, 0]
shapes.hull = {{type = "sphere", radius = 0.1, material = "m"{1}}}
)",
                                                         said, *said == '\0' ? ", friction = 0.8" : ""));
    const ContactPoint point = scene.system->make_contact_point(System::make_contact_id(0, 1, 0));
    EXPECT_EQ(scene.system->pair(point).law().friction, 0.8);
  }
}

TEST(Laws, ExceptionsAndNamedContactsWinOverThem) {
  const BuiltScene scene = built_with_laws(std::string(kFourBalls) + R"(
[contact_default]
except = [["material:steel", "plain"], ["group:wheels", "s2"]]
[[laws]]
between = ["steel", "steel"]
[[laws]]
between = ["group:wheels", "steel"]
friction = 0.5
[[contacts]]
between = ["s1", "s2"]
friction = 0.2
)");
  const ContactFilter filter(*scene.system);
  EXPECT_FALSE(filter.allows(0, 1)) << "named";
  EXPECT_FALSE(filter.allows(0, 3)) << "excepted";
  EXPECT_FALSE(filter.allows(1, 3)) << "excepted";
  EXPECT_FALSE(filter.allows(1, 2)) << "excepted";
  EXPECT_TRUE(filter.allows(0, 2));
  EXPECT_TRUE(filter.allows(2, 3));
}

TEST(Laws, ANamedContactOfGroupsIsAPairOfEachTwoBodies) {
  const BuiltScene scene = built_with_laws(std::string(kFourBalls) + R"(
[bodies.ground]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 0, 1], offset = -1, group = "walls"}
shapes.side = {type = "half-space", normal = [1, 0, 0], offset = -1}
[[contacts]]
name = "floor"
between = ["group:walls", "material:steel"]
friction = 0.4
[[contacts]]
name = "steel"
between = ["material:steel", "material:steel"]
)");
  const std::vector<ContactPair>& pairs = scene.system->contacts();
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].options.name, "floor/s1-ground");
  EXPECT_EQ(pairs[1].options.name, "floor/s2-ground");
  EXPECT_EQ(pairs[2].options.name, "steel/s1-s2");
  EXPECT_EQ(pairs[0].options.first_shape, 0);
  EXPECT_EQ(pairs[0].n_points, 1);
  EXPECT_EQ(pairs[0].law().friction, 0.4);
}

/// Drawn shapes are none that could touch, and pairs are named in the order of the bodies.
TEST(Laws, ANamedContactOfAMaterialLeavesDrawnShapesOut) {
  const BuiltScene scene = built_with_laws(R"(
[materials.m]
[bodies.a]
density = 1
shapes.s1 = {type = "sphere", radius = 1, material = "m"}
shapes.s2 = {type = "ellipsoid", radii = [1, 2, 3], material = "m", group = "eggs"}
shapes.s3 = {type = "box", size = [9, 9, 9], visual = true}
[bodies.b]
density = 1
position = [20, 0, 0]
shapes.s = {type = "sphere", radius = 1}
[[contacts]]
name = "p"
between = ["b", "material:m"]
)");
  ASSERT_EQ(scene.system->contacts().size(), 1U);
  EXPECT_EQ(scene.system->contacts()[0].options.name, "p/a-b");
  EXPECT_EQ(scene.system->contacts()[0].options.first, 1);
}

/// A dumbbell of a steel and a light ball: mass and centre by hand.
TEST(Laws, MaterialsSayWhatBodiesWeigh) {
  const BuiltScene scene = built_with_laws(R"(
[materials.heavy]
density = 3000
[materials.light]
density = 1000
[bodies.dumbbell]
shapes.a = {type = "sphere", radius = 0.1, position = [1, 0, 0], material = "heavy"}
shapes.b = {type = "sphere", radius = 0.1, position = [-1, 0, 0], material = "light"}
shapes.c = {type = "sphere", radius = 5, visual = true}
)");
  const double volume = 4.0 / 3.0 * std::acos(-1.0) * 1e-3;
  const Body& body = scene.system->bodies()[0];
  EXPECT_NEAR(body.mass, 4000.0 * volume, 1e-12 * body.mass);
  EXPECT_NEAR(scene.initial.q(0), 0.5, 1e-14) << "the centre of mass";
  const double balls = 0.4 * body.mass * 0.01;
  EXPECT_NEAR(body.inertia(0, 0), balls, 1e-12);
  EXPECT_NEAR(body.inertia(2, 2), balls + 3000.0 * volume * 0.25 + 1000.0 * volume * 2.25, 1e-11);
}

TEST(Laws, AJointKeepsItsBodiesApartWhereItSays) {
  const std::string scene = std::string(kFourBalls) + R"(
[contact_default]
[joints.hinge]
type = "spherical"
between = ["s1", "s2"]
at = [0.5, 0, 0]
)";
  const BuiltScene touching = built_with_laws(scene);
  const BuiltScene apart = built_with_laws(scene + "collide = false\n");
  EXPECT_TRUE(ContactFilter(*touching.system).allows(0, 1));
  EXPECT_FALSE(ContactFilter(*apart.system).allows(0, 1));
  EXPECT_TRUE(ContactFilter(*apart.system).allows(0, 2));
}

/// A box that slides on the floor is slowed by the friction of the last law that fits, under every scheme that detects
/// contacts: v = v0 - mu g t.
TEST(Laws, HoldUnderEveryScheme) {
  for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation"}) {
    const Scene scene = parse_scene(fmt::format(R"(
stickslip = 1
gravity = [0, -10]
time = {{end = 0.2, step = 1e-3}}
scheme.type = "{}"
[materials.ice]
density = 100
[bodies.ground]
type = "fixed"
shapes.floor = {{type = "half-space", normal = [0, 1], group = "floors"}}
[bodies.box]
type = "planar"
position = [0, 0.05]
velocity = [3, 0]
shapes.hull = {{type = "box", size = [1, 0.1], material = "ice"}}
[contact_default]
friction = 0.9
[[laws]]
between = ["group:floors", "ice"]
friction = 0.7
[[laws]]
between = ["ice", "group:floors"]
friction = 0.2
)",
                                                scheme),
                                    "slides.toml");
    BuiltScene built = build(scene);
    State state = built.initial;
    StepReport report;
    built.stepper->initialize(state, report);
    for (int i = 1; i <= 200; ++i) {
      ASSERT_NE(built.stepper->step(state, 1e-3, 1e-3 * i, report), Status::failed) << scheme << report.message;
    }
    EXPECT_NEAR(state.u(0), 3.0 - 0.2 * 10.0 * 0.2, 2e-4) << scheme;
    EXPECT_NEAR(state.q(1), 0.05, 1e-5) << scheme;
  }
}

TEST(Laws, AreWrittenAndReadBack) {
  const std::string text = kLawsHead + std::string(kFourBalls) + R"(
[contact_default]
except = [["material:steel", "group:wheels"]]
[[laws]]
between = ["steel", "group:wheels"]
friction = 0.9
restitution = {normal = 0.3, tangential = 0.1}
envelope = 0.01
correction_speed = inf
[[laws]]
between = ["rubber", "rubber"]
collide = false
[[contacts]]
between = ["material:rubber", "plain"]
[joints.hinge]
type = "weld"
between = ["s1", "s2"]
collide = false
)";
  const Scene scene = parse_scene(text, "laws.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
}

TEST(Laws, MistakesAreNamed) {
  const std::string balls = kFourBalls;
  const auto expect = [&](const std::string& text, const std::string& part) {
    const std::string message = message_of(text);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(balls + "[[laws]]\nbetween = [\"steal\", \"rubber\"]\n", "did you mean 'steel'");
  expect(balls + "[[laws]]\nbetween = [\"group:weels\", \"rubber\"]\n", "did you mean 'wheels'");
  expect(balls + "[[laws]]\nbetween = [\"steel\"]\n", "laws[0].between");
  expect(balls + "[[laws]]\nbetween = [\"steel\", \"rubber\"]\nfrction = 1\n", "did you mean 'friction'");
  expect(balls + "[[laws]]\nbetween = [\"steel\", \"rubber\"]\nadhesion_range = 1\n", "none without adhesion");
  expect(balls + "[[laws]]\nbetween = [\"steel\", \"rubber\"]\nfriction = -1\n", "a number >= 0");
  expect(balls + "[[laws]]\nbetween = [\"steel\", \"rubber\"]\nfriction = \"exp(-vx)\"\n", "did you mean 'v'?");
  expect(balls + "[contact_default]\nexcept = [[\"material:steal\", \"plain\"]]\n", "no shape has this material");
  expect(balls + "[[contacts]]\nbetween = [\"material:glass\", \"plain\"]\n", "no shape has this material");
  expect(balls + "[[contacts]]\nbetween = [\"group:wheels\", \"r\"]\n", "two bodies that can touch");
  expect("[bodies.b]\ndensity = 1\nshapes.s = {type = \"sphere\", radius = 1, material = \"wood\"}\n",
         "a table [materials.NAME]");
  expect("[materials.wood]\nhardness = 1\n", "unknown key");
  expect(
      "[materials.wood]\ndensity = 1\n[bodies.b]\ncentre_of_mass = [1, 0, 0]\n"
      "shapes.s = {type = \"sphere\", radius = 1, material = \"wood\"}\n",
      "centre_of_mass");
  expect(R"(
[bodies.a]
density = 1
group = "g"
shapes.s = {type = "sphere", radius = 1}
[bodies.a-b]
density = 1
group = "g"
shapes.s = {type = "sphere", radius = 1}
[bodies.b-c]
density = 1
group = "h"
shapes.s = {type = "sphere", radius = 1}
[bodies.c]
density = 1
group = "h"
shapes.s = {type = "sphere", radius = 1}
[[contacts]]
name = "n"
between = ["group:g", "group:h"]
)",
         "another contact has this name");
  expect("[materials.wood]\n[bodies.b]\nshapes.s = {type = \"sphere\", radius = 1, material = \"wood\"}\n", "mass");
  expect(R"(
[materials.m]
[bodies.b]
density = 1
shapes.s1 = {type = "sphere", radius = 1, material = "m"}
shapes.s2 = {type = "sphere", radius = 1, material = "m"}
shapes.s3 = {type = "sphere", radius = 1}
[bodies.c]
density = 1
position = [9, 0, 0]
shapes.s = {type = "sphere", radius = 1}
[[contacts]]
between = ["material:m", "c"]
)",
         "name its shapes");
}

}  // namespace
}  // namespace stickslip
