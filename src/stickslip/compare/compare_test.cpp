// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/compare/compare.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <string>

#include "stickslip/base/input_error.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

/// m x'' = -k x from x = (1, 0, 0) at rest: x = cos(2 t).
constexpr const char* kOscillator = R"toml(
stickslip = 1
gravity = [0, 0, 0]
time = {end = 1.0, step = 0.01}
[bodies.anchor]
type = "fixed"
[bodies.mass]
type = "point"
mass = 0.5
position = [1, 0, 0]
[forces.s]
type = "spring"
between = ["anchor", "mass"]
stiffness = 2
)toml";

constexpr const char* kKnown = R"toml(
[reference.mass]
position = ["cos(2*t)", 0, 0]
velocity = ["-2*sin(2*t)", 0, 0]
)toml";

/// A ball that slides on a floor and comes to rest.
constexpr const char* kSlider = R"toml(
stickslip = 1
time = {end = 0.5, step = 0.01}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.block]
type = "point"
mass = 1
velocity = [1, 0, 0]
shapes.tip = {type = "point"}
[[contacts]]
name = "floor-block"
between = ["floor", "block"]
friction = 0.3
)toml";

class CompareScene {
 public:
  explicit CompareScene(const std::string& text) { std::ofstream(path()) << text; }
  std::filesystem::path path() const { return folder_ / "scene.toml"; }

 private:
  test::TemporaryFolder folder_;
};

TEST(Compare, OrdersOfSmoothMotionAreThoseOfTheSchemes) {
  const CompareScene scene(std::string(kOscillator) + kKnown);
  CompareOptions options;
  options.schemes = {"ccp", "generalized-alpha"};
  options.steps = {0.005, 0.02, 0.01};
  const SchemeComparison found = compare(scene.path(), options);
  EXPECT_EQ(found.reference, "the scene's reference");
  ASSERT_EQ(found.rows.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    const CompareRow& row = found.rows[k];
    EXPECT_EQ(row.scheme, k < 3 ? "ccp" : "generalized-alpha");
    EXPECT_EQ(row.step, 0.02 / std::pow(2.0, k % 3));  // the coarsest first, whatever the list says
    EXPECT_EQ(row.steps, 50 << (k % 3));
    EXPECT_EQ(row.outcome, Outcome::done) << row.message;
    EXPECT_GT(row.cost_seconds, 0.0);
    ASSERT_TRUE(row.error.position && row.error.velocity);
    EXPECT_EQ(row.order_position.has_value(), k % 3 != 0);
    if (k % 3 == 0) continue;
    EXPECT_NEAR(*row.order_position, k < 3 ? 1.0 : 2.0, 0.15);
    // Symplectic Euler from rest: v_n = -h w^2 sin(n phi) / sin(phi) with 2 - 2 cos(phi) = (h w)^2, of second order.
    EXPECT_NEAR(*row.order_velocity, 2.0, 0.15);
  }
  // And x_n = x_0 + h (v_1 + ... + v_n) is off by h / 2 (v_n - v_0) to first order, |v| <= w.
  EXPECT_NEAR(*found.rows[2].error.position, 0.005 * 2.0 / 2.0, 1e-4);
}

TEST(Compare, WithoutAReferenceTheFinestRunOfTheHighestOrderIsOne) {
  const CompareScene scene(kOscillator);
  CompareOptions options;
  options.schemes = {"ccp", "generalized-alpha"};
  options.steps = {0.02, 0.01};
  options.threads = 3;
  const SchemeComparison found = compare(scene.path(), options);
  EXPECT_EQ(found.reference, "generalized-alpha with auto, step 0.01 s");
  ASSERT_EQ(found.rows.size(), 4U);
  EXPECT_FALSE(found.rows[3].error.position.has_value());
  // Against the exact motion, which the reference is off by 1e-4 at most.
  EXPECT_NEAR(*found.rows[1].error.position, 0.01, 2e-4);
  // The same in one thread.
  options.threads = 1;
  const SchemeComparison again = compare(scene.path(), options);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(found.rows[k].error.position, again.rows[k].error.position);
    EXPECT_EQ(found.rows[k].error.velocity, again.rows[k].error.velocity);
    EXPECT_EQ(found.rows[k].energy_error, again.rows[k].energy_error);
  }
}

TEST(Compare, OnlyRowsAtTheSameTimesAreCompared) {
  const CompareScene scene(kOscillator);
  CompareOptions options;
  options.schemes = {"ccp"};
  options.steps = {0.03, 0.01};  // .99 and the end, which a short step reaches
  SchemeComparison found = compare(scene.path(), options);
  ASSERT_TRUE(found.rows[0].error.position.has_value());
  EXPECT_LT(*found.rows[0].error.position, 0.03);
  EXPECT_GT(*found.rows[0].error.position, 0.01);
}

TEST(Compare, SaysWhatRefusesTheScene) {
  const CompareScene scene(std::string(kSlider) + "\n[solver]\ntype = \"auto\"\n");
  CompareOptions options;
  options.settings = {"time.step=auto"};
  options.schemes = {"moreau", "generalized-alpha"};  // of these the second has automatic steps
  EXPECT_THROW(static_cast<void>(compare(scene.path(), options)), InputError);  // the scene's own has none
  options.settings = {"scheme.type=generalized-alpha", "time.step=auto"};
  const SchemeComparison found = compare(scene.path(), options);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_TRUE(found.rows[0].is_refused);
  EXPECT_EQ(found.rows[0].solver, "auto");
  EXPECT_NE(found.rows[0].message.find("auto"), std::string::npos) << found.rows[0].message;
  EXPECT_FALSE(found.rows[1].is_refused);
  EXPECT_EQ(found.rows[1].step, 0.0);
  EXPECT_EQ(worst_outcome(found), Outcome::done);
  EXPECT_NE(to_text(found).find("refused"), std::string::npos);
  EXPECT_NE(to_json(found).find("\"exit\": 2, \"steps\": 0, \"cost_seconds\": null"), std::string::npos)
      << to_json(found);
  EXPECT_NE(to_json(found).find("\"step\": null"), std::string::npos);
}

TEST(Compare, RefusesNamesAndStepsThatAreNone) {
  const CompareScene scene(kOscillator);
  const auto refused = [&scene](auto change) {
    CompareOptions options;
    change(options);
    try {
      static_cast<void>(compare(scene.path(), options));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused([](auto& o) { o.schemes = {"morau"}; }).find("did you mean 'moreau'"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.solvers = {"ngs"}; }).find("did you mean 'nsgs'"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.steps = {0.1, 0.0}; }).find("--steps"), std::string::npos);
}

TEST(Compare, AStepThatFailsIsTold) {
  // A force that is no number from t = .25 on.
  const CompareScene scene(std::string(kOscillator) +
                           "[forces.f]\ntype = \"load\"\nbody = \"mass\"\nforce = [\"sqrt(0.25 - t)\", 0, 0]\n");
  CompareOptions options;
  options.schemes = {"moreau"};
  const SchemeComparison found = compare(scene.path(), options);
  EXPECT_EQ(found.rows[0].outcome, Outcome::failed);
  EXPECT_NE(found.rows[0].message.find("failed"), std::string::npos);
  EXPECT_EQ(worst_outcome(found), Outcome::failed);
  EXPECT_NE(to_markdown(found).find("| 3 |"), std::string::npos) << to_markdown(found);
}

TEST(Compare, APageHoldsTheRowsOfItsJson) {
  const CompareScene scene(kSlider);
  CompareOptions options;
  options.schemes = {"moreau", "ccp"};
  options.steps = {0.02, 0.01};
  const SchemeComparison found = compare(scene.path(), options);
  const std::string page = to_html(found, "</script>.toml");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_LT(page.size(), 1e5);
  EXPECT_NE(page.find("\"comparison\":" + to_json(found)), std::string::npos);
  EXPECT_EQ(page.find("</script>.toml"), std::string::npos);
}

TEST(Compare, AStopThatIsRaisedEndsAllRuns) {
  const CompareScene scene(kSlider);
  const std::atomic<bool> stop = true;
  CompareOptions options;
  options.schemes = {"moreau", "ccp"};
  options.threads = 2;
  options.stop = &stop;
  EXPECT_THROW(static_cast<void>(compare(scene.path(), options)), Interrupted);
}

}  // namespace
}  // namespace stickslip
