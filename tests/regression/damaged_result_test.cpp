// SPDX-License-Identifier: BSD-3-Clause
// Results in which bytes have changed or that were cut off: refused, or read as what they were. Never other numbers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "stickslip/base/input_error.h"

#include "tests/support/process.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

/// Copies that are damaged: STICKSLIP_DAMAGED_COPIES, the whole sweep has 1000.
int count_copies() {
  const char* count = std::getenv("STICKSLIP_DAMAGED_COPIES");
  return count == nullptr ? 60 : std::atoi(count);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// 1 to 8 random bytes changed; every fourth copy is cut off instead.
std::string damaged(std::string content, int copy, std::mt19937& random) {
  std::uniform_int_distribution<std::size_t> place(0, content.size() - 1);
  if (copy % 4 == 3) return content.substr(0, place(random));
  const int n = std::uniform_int_distribution<int>(1, 8)(random);
  for (int k = 0; k < n; ++k) {
    // Half of them where the library keeps what the rest means.
    const std::size_t at = k % 2 == 0 ? place(random) : place(random) % std::min<std::size_t>(content.size(), 4096);
    content[at] = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
  }
  return content;
}

TEST(DamagedResult, IsRefusedOrReadAsItWas) {
  const TemporaryFolder folder;
  const std::string scene = shipped_scene("papers/capobianco/tippe_top.toml");
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", scene, "--quiet", "--scheme", "moreau", "--set", "time.step=1e-3"});
    return run_stickslip(arguments, folder.path());
  };
  ASSERT_EQ(run({"--end", "0.4", "-o", "part.h5"}).status, 0);
  ASSERT_EQ(run({"--end", "0.5", "--resume", "part.h5", "-o", "whole.h5"}).status, 0);
  const std::string content = read_file(folder / "part.h5");
  const auto info = [&](const char* file) { return run_stickslip({"info", file}, folder.path()); };
  fs::copy_file(folder / "part.h5", folder / "copy.h5");
  const std::string sound = info("copy.h5").out;

  std::mt19937 random(20);
  int told = 0, resumed = 0;
  for (int copy = 0; copy < count_copies(); ++copy) {
    SCOPED_TRACE(copy);
    std::ofstream(folder / "copy.h5", std::ios::binary) << damaged(content, copy, random);
    const Ended said = info("copy.h5");
    ASSERT_TRUE(said.status == 0 || said.status == 2) << said.status << said.err;
    if (said.status == 0) {
      EXPECT_EQ(said.out, sound);
      ++told;
    } else {
      EXPECT_NE(said.err, "");
    }
    fs::remove(folder / "out.h5");
    const Ended went_on = run({"--end", "0.5", "--resume", "copy.h5", "-o", "out.h5"});
    ASSERT_TRUE(went_on.status == 0 || went_on.status == 2) << went_on.status << went_on.err;
    if (went_on.status == 0) {
      EXPECT_TRUE(same_result(folder / "whole.h5", folder / "out.h5"));
      ++resumed;
    } else {
      EXPECT_FALSE(fs::exists(folder / "out.h5")) << "a run that cannot start leaves nothing";
    }
  }
  RecordProperty("told", told);
  RecordProperty("resumed", resumed);
}

/// Every bit of the superblock, and every version that it may claim.
TEST(DamagedResult, ASuperblockOfAnyBitsIsAnswered) {
  const TemporaryFolder folder;
  const std::string scene = shipped_scene("papers/capobianco/bouncing_ball_zeno.toml");
  ASSERT_EQ(run_stickslip({"run", scene, "--quiet", "--end", "0.01", "-o", "r.h5"}, folder.path()).status, 0);
  const std::string content = read_file(folder / "r.h5");
  const auto expect_answer = [&](const std::string& changed) {
    std::ofstream(folder / "r.h5", std::ios::binary) << changed;
    try {
      const Trajectory result(folder / "r.h5");
      EXPECT_EQ(result.scene(), result.text("scene"));
    } catch (const InputError&) {
    }
  };
  constexpr std::size_t kSuperblock = 48;  // [bytes]
  for (std::size_t at = 8; at < kSuperblock; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = content;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      expect_answer(changed);
    }
  }
  for (int version = 0; version < 256; ++version) {
    std::string changed = content;
    changed[8] = static_cast<char>(version);
    expect_answer(changed);
  }
}

}  // namespace
}  // namespace stickslip::test
