// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a report are those that a few lines of numpy find (scripts/residual), on problems of runs.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

constexpr const char* kScript = STICKSLIP_TESTS_DIR "/../scripts/residual";
constexpr std::array<const char*, 3> kNumbers = {"residual", "relative_residual", "missed"};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The number after "key": in text, from `from` on.
double find_number(const std::string& text, const std::string& key, std::size_t from = 0) {
  const std::size_t at = text.find("\"" + key + "\": ", from);
  return at == std::string::npos ? NAN : std::stod(text.substr(at + key.size() + 4));
}

class ResidualScript : public testing::Test {
 protected:
  void SetUp() override {
    if (run_process({kPython, "-c", "import h5py"}, folder_.path()).status != 0) GTEST_SKIP() << "no h5py";
  }
  TemporaryFolder folder_;
};

TEST_F(ResidualScript, FindsTheNumbersOfTheReport) {
  constexpr double kRoundOff = 1e-12;  // of velocities of at most some m/s
  Arguments arguments = {"solve", "--tolerance", "1e-3", "--json", "reports.json", "--output", "out"};
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(STICKSLIP_TEST_DATA_DIR "/problems")) {
    names.push_back(entry.path().stem().string());
    arguments.push_back(entry.path().string());
  }
  ASSERT_GE(names.size(), 12u);
  EXPECT_EQ(run_stickslip(arguments, folder_.path()).status, 4);  // two have no solution
  const std::string reports = text_of(folder_ / "reports.json");
  for (const std::string& name : names) {
    const Ended ended = run_process({kPython, kScript, "out/" + name + ".hdf5"}, folder_.path());
    EXPECT_EQ(ended.status, 0) << ended.err;
    const std::size_t at = reports.find("\"problem\": \"" + name + "\"");
    ASSERT_NE(at, std::string::npos) << name;
    for (const char* number : kNumbers) {
      EXPECT_NEAR(find_number(ended.out, number), find_number(reports, number, at), kRoundOff) << name << " " << number;
    }
  }
}

TEST_F(ResidualScript, ReadsWhatARunLeaves) {
  const Ended run = run_stickslip({"run", shipped_scene("box_incline_35.toml"), "-o", "box.h5", "--end", "0.1",
                                   "--problems-every", "10", "--quiet"},
                                  folder_.path());
  ASSERT_EQ(run.status, 0) << run.err;
  const Ended ended = run_process({kPython, kScript, "box-step-000010.hdf5"}, folder_.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_LE(find_number(ended.out, "relative_residual"), 1e-10);
  EXPECT_LE(find_number(ended.out, "missed"), 1e-10);
}

/// docs/solvers.md prints the script's judge(), line by line.
TEST(YardstickByHand, IsInTheDocumentation) {
  const std::string documentation = text_of(STICKSLIP_TESTS_DIR "/../docs/solvers.md");
  std::istringstream script(text_of(kScript));
  int lines = 0;
  for (std::string line; std::getline(script, line);) {
    if (lines == 0 && !line.starts_with("def judge(")) continue;
    if (line.empty()) break;
    EXPECT_NE(documentation.find("    " + line + "\n"), std::string::npos) << line;
    ++lines;
  }
  EXPECT_GT(lines, 10);
}

}  // namespace
}  // namespace stickslip::test
