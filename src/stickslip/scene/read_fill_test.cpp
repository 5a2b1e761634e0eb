// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

constexpr const char* kFillHead = "stickslip = 1\ntime = {end = 1.0, step = 1e-3}\n";

Scene parse(const std::string& text) {
  return parse_scene(kFillHead + text, "fill.toml");
}

double radius(const SceneBody& body) {
  return std::get<Sphere>(body.shapes.front().geometry).radius;
}

const char* const kGrid = R"(
[[fill]]
prefix = "disc"
grid = {counts = [3, 2], spacing = 0.1, origin = [1, 2]}
jitter = 0.01
seed = 3
body = {type = "planar", density = 1000, velocity = [{uniform = [-1, 1]}, 0], shapes.hull = {type = "sphere", radius = {uniform = [0.02, 0.03]}}}
)";

const char* const kBalls = R"(
[[fill]]
random = {count = 200, box = [[0, 0, 0], [1, 1, 0.5]]}
seed = 5
body = {density = 1000, shapes.hull = {type = "sphere", radius = {uniform = [0.02, 0.06]}}}
)";

TEST(Fill, AGridHasItsPlacesNamesAndDraws) {
  const Scene scene = parse(kGrid);
  ASSERT_EQ(scene.bodies.size(), 6U);
  EXPECT_TRUE(scene.planar);
  std::set<double> radii;
  for (int i = 0; i < 6; ++i) {
    const SceneBody& body = scene.bodies[static_cast<std::size_t>(i)];
    EXPECT_EQ(body.name, "disc" + std::to_string(i));
    EXPECT_LE(std::abs(body.position(0) - (1.0 + 0.1 * (i % 3))), 0.01);
    EXPECT_LE(std::abs(body.position(1) - (2.0 + 0.1 * (i / 3))), 0.01);
    EXPECT_GE(radius(body), 0.02);
    EXPECT_LT(radius(body), 0.03);
    EXPECT_LE(std::abs(body.velocity(0)), 1.0);
    radii.insert(radius(body));
  }
  EXPECT_EQ(radii.size(), 6U);
}

/// The engine is the standard's mt19937_64, whose first output after the seed 3 is given by its definition; the
/// distribution is ours: the upper 53 bits over 2^53.
TEST(Fill, DrawsAreThoseOfTheEngineTheStandardDefines) {
  std::mt19937_64 engine(3);
  const auto next = [&engine](double a, double b) {
    return a + (b - a) * (static_cast<double>(engine() >> 11) / 9007199254740992.0);
  };
  const Scene scene = parse(kGrid);
  for (const SceneBody& body : scene.bodies) {
    EXPECT_EQ(body.velocity(0), next(-1.0, 1.0));
    EXPECT_EQ(radius(body), next(0.02, 0.03));
    next(0.0, 1.0);  // the jitter of both components
    next(0.0, 1.0);
  }
}

TEST(Fill, RandomPlacesDoNotOverlapAndLieInTheBox) {
  const Scene scene = parse(kBalls);
  ASSERT_EQ(scene.bodies.size(), 200U);
  const Vector3 upper(1.0, 1.0, 0.5);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& a = scene.bodies[i];
    for (int k = 0; k < 3; ++k) {
      EXPECT_GE(a.position(k), radius(a));
      EXPECT_LE(a.position(k), upper(k) - radius(a));
    }
    for (std::size_t j = 0; j < i; ++j) {
      const SceneBody& b = scene.bodies[j];
      EXPECT_GE((a.position - b.position).norm(), radius(a) + radius(b)) << a.name << ' ' << b.name;
    }
  }
}

TEST(Fill, IsTheSameEveryTimeAndAnotherWithAnotherSeed) {
  EXPECT_EQ(parse(kBalls), parse(kBalls));
  std::string other = kBalls;
  other.replace(other.find("seed = 5"), 8, "seed = 6");
  EXPECT_NE(parse(kBalls).bodies.front().position, parse(other).bodies.front().position);
}

TEST(Fill, IsWrittenAsAFillAndReadsBackEqual) {
  for (const char* fill : {kGrid, kBalls}) {
    const Scene scene = parse(fill);
    const std::string text = to_toml(scene);
    EXPECT_NE(text.find("[[fill]]"), std::string::npos);
    EXPECT_EQ(text.find("[bodies."), std::string::npos);
    EXPECT_EQ(parse_scene(text, "again.toml"), scene);
  }
}

TEST(Fill, WhatIsWrittenOnceHasOnePlace) {
  const Scene scene = parse(kGrid);
  const SourcePlace radius = scene.places.find("bodies.disc0.shapes.hull.radius");
  EXPECT_EQ(radius.line, 9);
  for (const char* name : {"disc1", "disc5"}) {
    const std::string path = std::string("bodies.") + name;
    EXPECT_EQ(scene.places.find(path + ".shapes.hull.radius"), radius);
    EXPECT_EQ(scene.places.find(path + ".velocity"), scene.places.find("bodies.disc0.velocity"));
    EXPECT_EQ(scene.places.find(path), scene.places.find("bodies.disc0"));
  }
  EXPECT_NE(scene.places.find("bodies.disc1.velocity"), radius);
}

TEST(Fill, WhereThereIsNoRoomItSaysSo) {
  std::string full = kBalls;
  full.replace(full.find("count = 200"), 11, "count = 2000");
  try {
    parse(full);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no room was found for body"), std::string::npos) << error.what();
    EXPECT_EQ(error.place().line, 5);
  }
}

TEST(ContactDefault, IsReadAndWritten) {
  const Scene scene = parse(std::string(kGrid) + R"(
[bodies.wall]
type = "fixed"
group = "walls"
shapes.face = {type = "half-space", normal = [0, 1]}

[contact_default]
friction = 0.25
restitution = {normal = 0.5}
envelope = 0.01
except = [["group:walls", "disc0"], ["disc1/hull", "disc2"]]
)");
  ASSERT_TRUE(scene.contact_default.has_value());
  EXPECT_EQ(scene.contact_default->law.friction, 0.25);
  EXPECT_EQ(scene.contact_default->law.restitution_normal, 0.5);
  EXPECT_EQ(scene.contact_default->except.size(), 2U);
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
}

}  // namespace
}  // namespace stickslip
