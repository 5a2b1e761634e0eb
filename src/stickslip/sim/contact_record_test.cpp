// SPDX-License-Identifier: BSD-3-Clause
// A row of a result has every contact within the envelope, with its shapes and its friction.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "stickslip/io/result_reader.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

/// Four balls on a floor and against a wall of one body, and a box on a box, a pair whose points vary.
constexpr const char* kScene = R"toml(
stickslip = 1
time = {end = 0.06, step = 1e-3}
scheme = {type = "SCHEME"}
output = {every = 2e-3}
[bodies.bin]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 0, 1]}
shapes.wall = {type = "half-space", normal = [1, 0, 0]}
[bodies.base]
type = "fixed"
shapes.block = {type = "box", size = [0.2, 0.2, 0.2], position = [1, 0, 0.1]}
[bodies.lid]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [1, 0, 0.25]
shapes.block = {type = "box", size = [0.1, 0.1, 0.1]}
[bodies.a]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0.104, 0, 0.103]
velocity = [-0.2, 0, -0.1]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.b]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0.32, 0, 0.1]
velocity = [-1, 0, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.c]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0.104, 0.206, 0.1]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.d]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0.3, 0.3, 0.15]
velocity = [0, -1, -1]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
name = "stack"
between = ["base", "lid"]
friction = 0.6
[contact_default]
friction = 0.3
envelope = 0.01
)toml";

constexpr double kEnvelope = 0.01, kRadius = 0.1;  // [m]

std::string with_scheme(const std::string& scheme) {
  std::string text = kScene;
  return text.replace(text.find("SCHEME"), 6, scheme);
}

using ShapePair = std::pair<int, int>;

/// Of the floor, the wall (shapes 0 and 1) and the balls (shapes 4 to 7, bodies 3 to 6), from where the balls are.
std::set<ShapePair> find_near(const double* position, double within) {
  std::set<ShapePair> near;
  const auto center = [position](int ball) { return Vector3(position + 3 * (3 + ball)); };
  for (int i = 0; i < 4; ++i) {
    if (center(i).z() - kRadius <= within) near.emplace(0, 4 + i);
    if (center(i).x() - kRadius <= within) near.emplace(1, 4 + i);
    for (int j = 0; j < i; ++j) {
      if ((center(i) - center(j)).norm() - 2.0 * kRadius <= within) near.emplace(4 + j, 4 + i);
    }
  }
  return near;
}

class ContactRecords : public testing::TestWithParam<const char*> {};

TEST_P(ContactRecords, HaveTheWholeEnvelopeWithShapesAndFriction) {
  const test::TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  run(parse_scene(with_scheme(GetParam()), "bin.toml"), options);
  const Trajectory result(folder / "r.h5");
  const Hdf5File& file = result.file();
  const std::vector<std::int64_t> offsets = file.read_integers("/contact_sets/offsets");
  const auto shape_a = file.read_integers("/contact_sets/shape_a"),
             shape_b = file.read_integers("/contact_sets/shape_b"), body_a = file.read_integers("/contact_sets/body_a"),
             body_b = file.read_integers("/contact_sets/body_b"), pair = file.read_integers("/contact_sets/pair"),
             bodies = file.read_integers("/shapes/body");
  const std::vector<double> mu = file.read_numbers("/contact_sets/friction_coefficient");
  const RowMatrix position = result.read("/bodies/position");
  constexpr double kRoundOff = 1e-9;  // [m]
  bool floor = false, wall = false;
  for (std::int64_t row = 0; row < result.rows(); ++row) {
    SCOPED_TRACE(row);
    std::set<ShapePair> listed;
    bool has_stack = false;
    for (auto k = static_cast<std::size_t>(offsets[row]); k < static_cast<std::size_t>(offsets[row + 1]); ++k) {
      EXPECT_EQ(bodies[static_cast<std::size_t>(shape_a[k])], body_a[k]);
      EXPECT_EQ(bodies[static_cast<std::size_t>(shape_b[k])], body_b[k]);
      EXPECT_EQ(mu[k], pair[k] == 0 ? 0.6 : 0.3);
      has_stack |= pair[k] == 0 && shape_a[k] == 2 && shape_b[k] == 3;
      if (pair[k] >= 0) continue;
      const auto low = static_cast<int>(std::min(shape_a[k], shape_b[k]));
      const auto high = static_cast<int>(std::max(shape_a[k], shape_b[k]));
      listed.emplace(low, high);
      floor |= low == 0;
      wall |= low == 1;
    }
    EXPECT_TRUE(has_stack);
    const double* at = position.row(row).data();
    for (const ShapePair& near : find_near(at, kEnvelope - kRoundOff)) EXPECT_TRUE(listed.contains(near));
    const std::set<ShapePair> may_be = find_near(at, kEnvelope + kRoundOff);
    for (const ShapePair& one : listed) EXPECT_TRUE(may_be.contains(one)) << one.first << ", " << one.second;
  }
  EXPECT_TRUE(floor && wall) << "shapes of one body";
}

INSTANTIATE_TEST_SUITE_P(Schemes, ContactRecords, testing::Values("moreau", "generalized-alpha", "ccp"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ContactRecord, OfANamedPointHasItsShapes) {
  const test::TemporaryFolder folder;
  std::string text = with_scheme("moreau");
  text.replace(text.find("[contact_default]"), std::string::npos,
               "[[contacts]]\nbetween = [\"bin\", \"a\"]\nfriction = 0.2\n[[contacts]]\nbetween = [\"c\", \"bin\"]\n");
  RunOptions options;
  options.output = folder / "r.h5";
  run(parse_scene(text, "bin.toml"), options);
  const Hdf5File file = Hdf5File::open(folder / "r.h5");
  const auto bodies = file.read_integers("/shapes/body"), shape_a = file.read_integers("/contacts/shape_a"),
             shape_b = file.read_integers("/contacts/shape_b");
  // Both shapes of the bin, against ball a, then ball c, which is the first of its pair.
  EXPECT_EQ(shape_a, (std::vector<std::int64_t>{0, 1, 6, 6}));
  EXPECT_EQ(shape_b, (std::vector<std::int64_t>{4, 4, 0, 1}));
}

}  // namespace
}  // namespace stickslip
