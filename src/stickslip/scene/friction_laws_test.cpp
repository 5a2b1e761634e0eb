// SPDX-License-Identifier: BSD-3-Clause
// Laws of friction that are no number, and surfaces that move: what is read, kept and refused.
#include <gtest/gtest.h>

#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

std::string scene_with(const std::string& friction, const std::string& surface = "", const std::string& scheme = "ccp",
                       const std::string& more = "") {
  return "stickslip = 1\ntime = {end = 1, step = 1e-3}\nscheme = {type = \"" + scheme +
         "\"}\n[parameters]\nmu = 0.2\n[bodies.floor]\ntype = \"fixed\"\n"
         "shapes.top = {type = \"half-space\", normal = [0, 0, 1]" +
         surface +
         "}\n[bodies.ball]\ndensity = 1000\nposition = [0, 0, 0.1]\nshapes.hull = {type = \"sphere\", radius = 0.1}\n" +
         "[[contacts]]\nbetween = [\"floor\", \"ball\"]\nfriction = " + friction + "\n" + more;
}

ContactLaw law_of_text(const std::string& friction) {
  const Scene scene = parse_scene(scene_with(friction), "test.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene) << to_toml(scene);
  return build(scene).system->contacts()[0].law();
}

void expect_refused(const std::string& text, int line, const std::string& fragment) {
  try {
    build(parse_scene(text, "test.toml"));
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
    EXPECT_EQ(error.place().line, line) << error.what();
    return;
  }
  ADD_FAILURE() << "no error:\n" << text;
}

constexpr int kFrictionLine = 15;

TEST(FrictionOfScenes, HasStaticAndKineticPart) {
  const ContactLaw law = law_of_text("{static = 0.5, kinetic = 0.3, stick_speed = 1e-3}");
  EXPECT_EQ(law.friction, 0.5);
  EXPECT_EQ(law.calc_friction(1e-3), 0.5);
  EXPECT_EQ(law.calc_friction(1.1e-3), 0.3);
  EXPECT_EQ(law.calc_sliding_friction(0.0), 0.3);
  EXPECT_EQ(law_of_text("{static = 0.5, kinetic = 0.3}").kinetic->stick_speed, 1e-6);
}

TEST(FrictionOfScenes, IsAnExpressionOfTheSlipSpeed) {
  for (const char* text : {"\"mu - v\"", "\"=mu - v\""}) {
    const ContactLaw law = law_of_text(text);
    EXPECT_EQ(law.friction, 0.2);
    EXPECT_DOUBLE_EQ(law.calc_friction(0.05), 0.15);
    EXPECT_EQ(law.calc_friction(0.3), 0.0);
  }
  EXPECT_EQ(law_of_text("\"sqrt(0.25 - v)\"").calc_friction(1.0), 0.0);  // no number
  const ContactLaw constant = law_of_text("\"=2*mu\"");
  EXPECT_EQ(constant.friction, 0.4);
  EXPECT_FALSE(constant.is_of_speed());
}

TEST(FrictionOfScenes, HasTwoDirections) {
  const ContactLaw law = law_of_text("{x = 0.2, y = 0.6, direction = [0, 2, 0]}");
  EXPECT_EQ(law.friction, 0.2);
  EXPECT_EQ(law.ellipse->across, 0.6);
  EXPECT_EQ(law.ellipse->direction, Vector3(0.0, 2.0, 0.0));
  EXPECT_EQ(law_of_text("{x = 0.2, y = 0.6}").ellipse->direction, Vector3::UnitX());
}

TEST(FrictionOfScenes, IsRefusedWhereItMakesNoSense) {
  expect_refused(scene_with("-0.1"), kFrictionLine, "a number >= 0, an expression of the slip speed v");
  expect_refused(scene_with("{static = 0.3, kinetic = 0.5}"), kFrictionLine, "at most that of static");
  expect_refused(scene_with("{static = 0.3}"), kFrictionLine, "friction.kinetic: missing");
  expect_refused(scene_with("{static = 0.3, kinetic = 0.2, x = 1}"), kFrictionLine, "friction.x");
  expect_refused(scene_with("{static = 0.3, kinetic = 0.2, stick_speed = -1}"), kFrictionLine, "stick_speed");
  expect_refused(scene_with("{x = 0.3}"), kFrictionLine, "friction.y: missing");
  expect_refused(scene_with("{x = 0.3, y = 0}"), kFrictionLine, "friction.y: 0");
  expect_refused(scene_with("{x = 0.3, y = 0.2, direction = [0, 0, 0]}"), kFrictionLine, "friction.direction");
  expect_refused(scene_with("{z = 0.3}"), kFrictionLine, "friction.z");
  expect_refused(scene_with("\"0.2 + t\""), kFrictionLine, "cannot depend on t");
  expect_refused(scene_with("\"0.2 + w\""), kFrictionLine, "contacts.floor-ball.friction");
  expect_refused(scene_with("\"1/v\""), kFrictionLine, "finite at v = 0");
  expect_refused(scene_with("\"vx(ball)\""), kFrictionLine, "it has no quantities");
  expect_refused(scene_with("{x = 0.3, y = 0.2}", "", "ccp", "contensou = {radius = 0.1}"), kFrictionLine + 1,
                 "none beside friction of two directions");
  expect_refused(scene_with("{static = 0.5, kinetic = 0.3}", "", "relaxation"), 3, "static and kinetic friction");
  expect_refused(
      "stickslip = 1\ntime = {end = 1, step = 1e-3}\ngravity = [0, -1]\n[contact_default]\nfriction = {x = 0.2, y = "
      "0.3}\n",
      5, "contact_default.friction");
}

TEST(FrictionOfScenes, IsWarnedOfWhereAParameterHasTheNameOfTheSpeed) {
  const auto count = [](const std::string& parameter) {
    std::string text = scene_with("\"0.2 + v\"");
    text.replace(text.find("mu = 0.2"), 8, parameter);
    const Scene scene = parse_scene(text, "test.toml");
    const BuiltScene built = build(scene);
    return find_warnings(scene, built).size();
  };
  EXPECT_EQ(count("v = 0.2"), count("w = 0.2") + 1);
}

TEST(SurfacesThatMove, AreReadAndKept) {
  for (const char* surface : {", surface_velocity = [1, \"2*t\", 0]",
                              ", surface_velocity = {axis = [0, 0, 3], rate = \"=mu + t\", at = [1, 0, 0]}",
                              ", position = [1, 2, 0], surface_velocity = {axis = [0, 0, 1], rate = 2}"}) {
    const Scene scene = parse_scene(scene_with("0.1", surface), "test.toml");
    EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene) << to_toml(scene);
    const BuiltScene built = build(scene);
    ASSERT_EQ(built.system->bodies()[0].surface_velocities.size(), 1U);
    EXPECT_TRUE(built.system->has_surface_velocities());
  }
}

TEST(SurfacesThatMove, AreRefusedWhereTheyMakeNoSense) {
  constexpr int kLine = 8;
  expect_refused(scene_with("0.1", ", surface_velocity = 2"), kLine, "shapes.top.surface_velocity");
  expect_refused(scene_with("0.1", ", surface_velocity = [1, 2]"), kLine, "shapes.top.surface_velocity");
  expect_refused(scene_with("0.1", ", surface_velocity = {rate = 2}"), kLine, "surface_velocity.axis: missing");
  expect_refused(scene_with("0.1", ", surface_velocity = {axis = [0, 0, 1]}"), kLine, "surface_velocity.rate: missing");
  expect_refused(scene_with("0.1", ", surface_velocity = {axis = [0, 0, 0], rate = 1}"), kLine, "axis");
  expect_refused(scene_with("0.1", ", surface_velocity = {axis = [0, 0, 1], rate = 1, speed = 2}"), kLine, "speed");
  expect_refused(scene_with("0.1", ", surface_velocity = [\"1/t\", 0, 0]"), kLine, "finite at the start");
}

/// A law between materials has its direction in the body of the material that it names first, whichever body is the
/// contact's first.
TEST(FrictionOfScenes, OfALawHasTheDirectionOfTheBodyThatItNamesFirst) {
  const auto is_of_second = [](const std::string& between) {
    const Scene scene = parse_scene(R"(
stickslip = 1
time = {end = 1, step = 1e-3}
[materials.wood]
[materials.ice]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], material = "ice"}
[bodies.ball]
density = 1000
position = [0, 0, 0.1]
shapes.hull = {type = "sphere", radius = 0.1, material = "wood"}
[[laws]]
friction = {x = 0.2, y = 0.3}
between = )" + between,
                                    "test.toml");
    return build(scene).system->detected_law(0, 1).ellipse->is_of_second;
  };
  EXPECT_FALSE(is_of_second("[\"ice\", \"wood\"]"));
  EXPECT_TRUE(is_of_second("[\"wood\", \"ice\"]"));
}

TEST(FrictionOfScenes, OfAShapeReplacesALaw) {
  const Scene scene = parse_scene(R"(
stickslip = 1
time = {end = 1, step = 1e-3}
contact_default = {friction = "0.2 + v"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
shapes.rough = {type = "box", size = [1, 1, 1], friction = 0.7}
[bodies.ball]
density = 1000
position = [0, 0, 2.1]
shapes.hull = {type = "sphere", radius = 0.1}
)",
                                  "test.toml");
  const BuiltScene built = build(scene);
  EXPECT_TRUE(built.system->detected_law(0, 2).is_of_speed());
  EXPECT_FALSE(built.system->detected_law(1, 2).is_of_speed());
  EXPECT_EQ(built.system->detected_law(1, 2).friction, 0.7);
}

}  // namespace
}  // namespace stickslip
