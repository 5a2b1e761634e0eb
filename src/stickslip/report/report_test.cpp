// SPDX-License-Identifier: BSD-3-Clause
// What is in the page of a result: the file's numbers, at most so many bytes, and no text that could become a program.
#include "stickslip/report/report.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using test::TemporaryFolder;

constexpr const char* kBallScene = R"toml(
stickslip = 1
name = "</script><b>ball"
time = {end = 0.5, step = 1e-3}
scheme = {type = "moreau"}
output = {every = 0.01}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies."<script>alert(1)<"]
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, 0.2]
velocity = [1, 0, 0]
angular_velocity = [0, 3, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
name = "touch"
between = ["floor", "<script>alert(1)<"]
friction = 0.3
)toml";

void write_ball(const std::filesystem::path& path) {
  RunOptions options;
  options.output = path;
  ASSERT_EQ(run(parse_scene(kBallScene, "ball.toml"), options).outcome, Outcome::done);
}

/// The element's text that follows the n-th such opening tag.
std::string element_text(const std::string& page, const std::string& tag, int n) {
  std::size_t at = 0;
  for (int i = 0; i <= n; ++i) at = page.find(tag, at) + tag.size();
  return page.substr(at, page.find("</script>", at) - at);
}

std::vector<std::byte> from_base64(const std::string& text) {
  std::vector<std::byte> bytes;
  unsigned bits = 0;
  int n = 0;
  for (const char c : text) {
    const std::size_t digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6U | static_cast<unsigned>(digit);
    n += 6;
    if (n < 8) continue;
    n -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> static_cast<unsigned>(n) & 255U));
  }
  return bytes;
}

/// The doubles of an array that the page holds.
std::vector<double> read_array(const std::string& page, const std::string& name, int result = 0) {
  const std::string header = element_text(page, "<script type=\"application/json\" class=\"result\">", result);
  const std::string entry = "\"" + name + "\":[\"f64\",";
  const std::size_t at = header.find(entry);
  EXPECT_NE(at, std::string::npos) << name;
  std::size_t offset = 0, count = 0;
  EXPECT_EQ(std::sscanf(header.c_str() + at + entry.size(), "%zu,%zu", &offset, &count), 2);
  const auto bytes = from_base64(element_text(page, "<script type=\"text/plain\" class=\"numbers\">", result));
  EXPECT_LE(offset + 8 * count, bytes.size());
  std::vector<double> numbers(count);
  std::memcpy(numbers.data(), bytes.data() + offset, 8 * count);
  return numbers;
}

TEST(Report, HoldsTheNumbersOfTheFile) {
  const TemporaryFolder folder;
  write_ball(folder / "r.h5");
  const std::string page = make_report({folder / "r.h5"});
  const Trajectory result(folder / "r.h5");
  for (const char* path : {"/q", "/contacts/gap", "/contacts/normal_force", "/contacts/friction_percussion"}) {
    const RowMatrix values = result.read(path);
    const std::vector<double> shown = read_array(page, path);
    ASSERT_EQ(shown.size(), static_cast<std::size_t>(values.size())) << path;
    EXPECT_EQ(std::memcmp(shown.data(), values.data(), 8 * shown.size()), 0) << path;
  }
  const std::vector<double> residuals = read_array(page, "/steps/residual");
  ASSERT_EQ(residuals.size(), 501U);
  EXPECT_EQ(residuals[200], result.read_steps(200, 1)[0].residual);
}

/// The integers of an array of a page's data.
template <class Number>
std::vector<int> integers_of(const PageData& data, const std::string& name, const std::string& type) {
  const std::string header = data.header(), entry = "\"" + name + "\":[\"" + type + "\",";
  const std::size_t at = header.find(entry);
  EXPECT_NE(at, std::string::npos) << name;
  std::size_t offset = 0, count = 0;
  EXPECT_EQ(std::sscanf(header.c_str() + at + entry.size(), "%zu,%zu", &offset, &count), 2);
  std::vector<Number> numbers(count);
  std::memcpy(numbers.data(), data.bytes().data() + offset, count * sizeof(Number));
  return {numbers.begin(), numbers.end()};
}

constexpr const char* kTreeScene = R"toml(
stickslip = 1
time = {end = 0.01, step = 1e-3}
scheme = {type = "moreau"}
[bodies.base]
type = "fixed"
[bodies.loose]
mass = 1
inertia = [1, 1, 1]
position = [5, 0, 0]
[bodies.far]
mass = 1
inertia = [1, 1, 1]
position = [2, 0, 0]
[bodies.near]
mass = 1
inertia = [1, 1, 1]
parent = "base"
position = [1, 0, 0]
shapes.look = {type = "box", size = [1, 1, 1], visual = true}
shapes.hull = {type = "sphere", radius = 0.5}
[joints.two]
type = "revolute"
between = ["far", "near"]
at = [1, 0, 0]
axis = [0, 1, 0]
[joints.one]
type = "revolute"
between = ["base", "near"]
at = [0, 0, 0]
axis = [0, 1, 0]
[joints.loop]
type = "distance"
between = ["base", "far"]
)toml";

TEST(Report, BodiesHangOnOneAnother) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  ASSERT_EQ(run(parse_scene(kTreeScene, "tree.toml"), options).outcome, Outcome::done);
  const PageData data = make_page_data(Trajectory(folder / "r.h5"), kMaxReportBytes);
  // base; loose; far on near, though it is the first of their joint; near on base, as the scene says.
  EXPECT_EQ(integers_of<std::int32_t>(data, "parents", "i32"), (std::vector<int>{-1, -1, 3, 0}));
  EXPECT_EQ(integers_of<std::int32_t>(data, "joint_bodies", "i32"), (std::vector<int>{2, 3, 0, 3, 0, 2}));
  EXPECT_EQ(integers_of<std::int32_t>(data, "shapes/visual", "i32"), (std::vector<int>{1, 0}));
}

TEST(Report, NamesDoNotBecomePrograms) {
  const TemporaryFolder folder;
  write_ball(folder / "r.h5");
  const std::string page = make_report({folder / "r.h5"});
  // Only the page's own elements: of each result two of data, and one program.
  std::size_t opened = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) ++opened;
  const std::string bare(page_template());
  std::size_t own = 0;
  for (std::size_t at = bare.find("<script"); at != std::string::npos; at = bare.find("<script", at + 1)) ++own;
  EXPECT_EQ(opened, own + 2);
  EXPECT_EQ(page.find("alert(1)<"), std::string::npos);
  EXPECT_NE(page.find(R"(\u003cscript\u003ealert(1)\u003c)"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
}

TEST(Report, KeepsToItsSize) {
  const TemporaryFolder folder;
  write_ball(folder / "r.h5");
  const double bare = static_cast<double>(page_template().size());
  const std::string whole = make_report({folder / "r.h5"});
  EXPECT_EQ(whole.find(" are in this page"), std::string::npos);
  const double allowed = bare + 0.5 * (static_cast<double>(whole.size()) - bare);
  const std::string thinned = make_report({folder / "r.h5"}, allowed);
  EXPECT_LE(static_cast<double>(thinned.size()), allowed);
  EXPECT_NE(thinned.find(" are in this page"), std::string::npos);
  const std::string both = make_report({folder / "r.h5", folder / "r.h5"}, 2.0 * allowed);
  EXPECT_EQ(read_array(both, "row_time", 1).back(), 0.5);
  EXPECT_THROW(make_report({folder / "r.h5"}, bare + 1000.0), InputError);
}

TEST(Report, ItsPartsAreStopped) {
  const TemporaryFolder folder;
  write_ball(folder / "r.h5");
  const Trajectory result(folder / "r.h5");
  StopCounter counter;
  make_page_data(result, kMaxReportBytes, 0, StopToken(&counter));
  ASSERT_GE(counter.asks, 3);
  for (std::int64_t ask = 1; ask <= counter.asks; ++ask) {
    StopCounter stopping{.stop_at = ask};
    EXPECT_THROW(make_page_data(result, kMaxReportBytes, 0, StopToken(&stopping)), Interrupted) << ask;
  }
}

TEST(Report, KnowsItsOwnPages) {
  const TemporaryFolder folder;
  write_ball(folder / "r.h5");
  std::ofstream(folder / "page.html") << make_report({folder / "r.h5"});
  std::ofstream(folder / "letter.html") << "<!doctype html><p>dear";
  EXPECT_TRUE(is_report(folder / "page.html"));
  EXPECT_FALSE(is_report(folder / "letter.html"));
  EXPECT_FALSE(is_report(folder / "none.html"));
  EXPECT_THROW(make_report({folder / "letter.html"}), InputError);
}

}  // namespace
}  // namespace stickslip
