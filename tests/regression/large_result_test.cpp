// SPDX-License-Identifier: BSD-3-Clause
// Results at the size at which users meet them: run, killed, resumed, opened with h5py.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>

#include "stickslip/base/input_error.h"
#include "tests/support/process.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

/// Spheres in free flight, apart from each other.
std::string spheres(int nx, int ny, int nz) {
  return fmt::format(R"(stickslip = 1
time = {{end = 0.1, step = 1e-3}}
output = {{every = 0.01}}
[contact_default]
friction = 0.3
[[fill]]
prefix = "ball"
body = {{density = 1000, shapes.hull = {{type = "sphere", radius = 0.1}}}}
grid = {{counts = [{}, {}, {}], spacing = 0.3, origin = [0, 0, 5]}}
)",
                     nx, ny, nz);
}

/// Discs above a floor, each with a contact of its own name.
std::string named_contacts(int n) {
  std::string text = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 0.02, step = 1e-3}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
)";
  for (int i = 0; i < n; ++i) {
    text += fmt::format(R"([bodies.disc{0}]
type = "planar"
mass = 1
inertia = 0.005
position = [{0}, 0.1]
shapes.hull = {{type = "sphere", radius = 0.1}}
[[contacts]]
name = "touch{0}"
between = ["floor", "disc{0}"]
friction = 0.3
)",
                        i);
  }
  return text;
}

/// Pendulums side by side.
std::string joints(int n) {
  std::string text = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 0.02, step = 1e-3}
limits = {drift = inf}
[bodies.ceiling]
type = "fixed"
)";
  for (int i = 0; i < n; ++i) {
    text += fmt::format(R"([bodies.bob{0}]
type = "planar"
mass = 1
inertia = 0.1
position = [{0}, 0]
velocity = [0, 0]
[joints.pin{0}]
type = "revolute"
between = ["ceiling", "bob{0}"]
at = [{0}, 1]
)",
                        i);
  }
  return text;
}

struct LargeScene {
  const char* name;
  std::string text;
  const char* axis;  // of the names that h5py looks up
  const char* item;
  const char* quantity;
  std::int64_t bodies;
};

std::ostream& operator<<(std::ostream& out, const LargeScene& scene) {
  return out << scene.name;
}

class LargeResult : public ::testing::TestWithParam<LargeScene> {};

constexpr const char* kLookUp = R"(
import h5py, sys
f = h5py.File(sys.argv[1], "r")
axis, item, quantity, bodies = sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
assert f["bodies/position"].shape == (len(f["time"]), bodies, 3), f["bodies/position"].shape
i = list(f[axis + "/name"].asstr()).index(item)
x = f[axis + "/" + quantity][:, i]
assert len(x) == len(f["time"]) and (x == x).any()
)";

TEST_P(LargeResult, RunsIsKilledResumedAndOpened) {
  const LargeScene& scene = GetParam();
  const TemporaryFolder folder;
  std::ofstream(folder / "scene.toml") << scene.text;
  const std::vector<std::string> arguments = {"run", "scene.toml", "--quiet", "--checkpoint-every", "0.005"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more);
    return all;
  };
  const Ended whole = run_stickslip(with({"-o", "whole.h5"}), folder.path());
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(static_cast<std::int64_t>(Trajectory(folder / "whole.h5").layout().size()), scene.bodies);

  std::vector<std::string> command = with({"-o", "killed.h5"});
  command.insert(command.begin(), STICKSLIP_PROGRAM);
  Process process(command, folder.path());
  while (process.running()) {
    try {
      if (fs::exists(folder / "killed.h5") && Trajectory(folder / "killed.h5").steps() >= 7) break;
    } catch (const InputError&) {
      // Caught between two writes: look again.
    }
  }
  process.send(SIGKILL);
  process.wait();
  const Ended last = run_stickslip(with({"--resume", "killed.h5"}), folder.path());
  if (last.status != 2 || last.err.find("must be above") == std::string::npos) {  // it had ended before the kill
    ASSERT_EQ(last.status, 0) << last.err;
  }
  EXPECT_TRUE(same_result(folder / "whole.h5", folder / "killed.h5"));
  EXPECT_EQ(run_stickslip({"info", "killed.h5"}, folder.path()).status, 0);

  if (run_process({kPython, "-c", "import h5py"}, folder.path()).status != 0) GTEST_SKIP() << "no h5py";
  const Ended opened = run_process(
      {kPython, "-c", kLookUp, "killed.h5", scene.axis, scene.item, scene.quantity, std::to_string(scene.bodies)},
      folder.path());
  EXPECT_EQ(opened.status, 0) << opened.err;
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LargeResult,
    ::testing::Values(LargeScene{"Spheres767", spheres(767, 1, 1), "bodies", "ball766", "position", 767},
                      LargeScene{"Spheres1050", spheres(1050, 1, 1), "bodies", "ball1049", "velocity", 1050},
                      LargeScene{"Spheres2028", spheres(26, 26, 3), "bodies", "ball2027", "orientation", 2028},
                      LargeScene{"Spheres4000", spheres(40, 10, 10), "bodies", "ball3999", "position", 4000},
                      LargeScene{"Spheres10000", spheres(100, 10, 10), "bodies", "ball9999", "position", 10000},
                      LargeScene{"NamedContacts1000", named_contacts(1000), "contacts", "touch999", "gap", 1001},
                      LargeScene{"Joints1000", joints(1000), "joints", "pin999", "reaction_force", 1001}),
    [](const auto& made) { return std::string(made.param.name); });

/// Beside the rows, names, shapes and two checkpoints a file takes little.
TEST(LargeResultSize, BookkeepingIsBelowTwoPercent) {
  const TemporaryFolder folder;
  std::ofstream(folder / "scene.toml") << spheres(767, 1, 1);
  ASSERT_EQ(run_stickslip({"run", "scene.toml", "--quiet", "-o", "r.h5"}, folder.path()).status, 0);
  const Trajectory result(folder / "r.h5");
  std::int64_t stored = 0;
  for (const std::string& path : dataset_paths(result.file())) stored += result.file().stored_bytes(path);
  const auto size = static_cast<std::int64_t>(fs::file_size(folder / "r.h5"));
  EXPECT_GT(stored, size / 2);
  EXPECT_LT(static_cast<double>(size - stored), 0.02 * static_cast<double>(stored));
}

}  // namespace
}  // namespace stickslip::test
