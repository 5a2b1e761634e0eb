// SPDX-License-Identifier: BSD-3-Clause
// `stickslip solve`: what it prints, writes and answers.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "stickslip/io/fclib_file.h"
#include "stickslip/io/hdf5_file.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Solve : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "lcp.txt") << "2\n2 1\n1 2\n-5 -6\n";                      // z = (4/3, 7/3)
    std::ofstream(folder_ / "none.txt") << "3\n0 -1 -1\n1 0 0\n-1 0 0\n-1e-4 -1 1\n";  // has no solution
    LocalForm form;
    form.dim = 2;
    form.w = SparseMatrix(Matrix(Matrix::Identity(2, 2)).sparseView());
    form.q = (Vector(2) << -1.0, 2.0).finished();  // slips: r = (1, -0.5), u = (0, 1.5)
    form.mu = Vector::Constant(1, 0.5);
    write_fclib(folder_ / "slip.hdf5", make_one_step_problem(form), nullptr);
  }
  Ended solve(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "solve");
    return run_stickslip(arguments, folder_.path());
  }

  TemporaryFolder folder_;
};

TEST_F(Solve, WritesWhatItFound) {
  const Ended ended = solve({"lcp.txt", "slip.hdf5", "--json", "r.json", "--output", "out"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::istringstream z(read_text(folder_ / "out/lcp.txt"));
  double n = 0.0;
  double z1 = 0.0;
  double z2 = 0.0;
  z >> n >> z1 >> z2;
  EXPECT_EQ(n, 2.0);
  EXPECT_NEAR(z1, 4.0 / 3.0, 1e-12);
  EXPECT_NEAR(z2, 7.0 / 3.0, 1e-12);
  const Hdf5File file = Hdf5File::open(folder_ / "out/slip.hdf5");
  const std::vector<double> r = file.read_numbers("/solution/r");
  ASSERT_EQ(r.size(), 2u);
  EXPECT_NEAR(r[0], 1.0, 1e-12);
  EXPECT_NEAR(r[1], -0.5, 1e-12);
  EXPECT_NEAR(file.read_numbers("/solution/u").at(1), 1.5, 1e-12);
  const std::string json = read_text(folder_ / "r.json");
  for (const char* part : {"\"problem\": \"slip\"", "\"contacts\": 1", "\"law\": \"coulomb\"", "\"status\": \"ok\"",
                           "\"cpu_seconds\": ", "\"relative_residual\": ", "\"missed\": ", "\"siconos_error\": "}) {
    EXPECT_NE(json.find(part), std::string::npos) << part;
  }
}

/// Two contacts share what one would carry: any split solves the problem, half to each is the smallest.
TEST_F(Solve, ForcesOfLeastNorm) {
  LocalForm form;
  form.dim = 2;
  Matrix w = Matrix::Zero(4, 4);
  w.topLeftCorner(2, 2) = w.topRightCorner(2, 2) = w.bottomLeftCorner(2, 2) = w.bottomRightCorner(2, 2) =
      Matrix::Identity(2, 2);
  form.w = SparseMatrix(w.sparseView());
  form.q = (Vector(4) << -1.0, 0.2, -1.0, 0.2).finished();  // sticks: r = (1, -0.2) in all
  form.mu = Vector::Constant(2, 0.5);
  write_fclib(folder_ / "twice.hdf5", make_one_step_problem(form), nullptr);
  const Ended ended = solve({"twice.hdf5", "--forces", "least-norm", "--json", "r.json", "--output", "out"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::vector<double> r = Hdf5File::open(folder_ / "out/twice.hdf5").read_numbers("/solution/r");
  ASSERT_EQ(r.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(r[i], i % 2 == 0 ? 0.5 : -0.1, 1e-10);
  const std::string json = read_text(folder_ / "r.json");
  for (const char* part :
       {"\"open_forces\": 4", "\"rank\": 2", "\"forces\": \"not determined\"", "\"velocities\": \"unknown\""}) {
    EXPECT_NE(json.find(part), std::string::npos) << json;
  }
}

TEST_F(Solve, SeveralSolversKeepTheirNames) {
  const Ended ended = solve({"slip.hdf5", "--solver", "all", "--law", "associated", "--output", "out"});
  EXPECT_NE(ended.status, 2) << ended.err;
  for (const char* name : {"slip.nsgs.hdf5", "slip.lemke.hdf5"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(Solve, TheLawIsThatOfTheFileUnlessToldOtherwise) {
  const auto law_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "r.json", "--force"});
    EXPECT_EQ(solve(arguments).status, 0);
    const std::string json = read_text(folder_ / "r.json");
    return std::string(json.find("\"law\": \"associated\"") != std::string::npos ? "associated" : "coulomb");
  };
  EXPECT_EQ(law_of({"slip.hdf5"}), "coulomb");
  EXPECT_EQ(law_of({"slip.hdf5", "--law", "associated", "--output", "out"}), "associated");
  EXPECT_EQ(law_of({"out/slip.hdf5"}), "associated");  // written with its law
  EXPECT_EQ(law_of({"out/slip.hdf5", "--law", "coulomb"}), "coulomb");
}

TEST_F(Solve, NothingIsWrittenOver) {
  std::filesystem::create_directory(folder_ / "other");
  std::filesystem::copy_file(folder_ / "slip.hdf5", folder_ / "other/slip.hdf5");
  const std::string before = read_text(folder_ / "lcp.txt");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {{"slip.hdf5", "other/slip.hdf5", "--output", "out"}, "slip.hdf5 and other/slip.hdf5 would both be written"},
      {{"slip.hdf5", "other/slip.hdf5", "--solver", "all", "--output", "out"}, "would both be written"},
      {{"slip.hdf5", "--output", "."}, "slip.hdf5 would be written over"},
      {{"lcp.txt", "--output", "."}, "lcp.txt would be written over"},
  };
  for (const auto& [arguments, fragment] : refusals) {
    const Ended ended = solve(arguments);
    EXPECT_EQ(ended.status, 2) << fragment;
    EXPECT_NE(ended.err.find(fragment), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "") << fragment;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  }
  EXPECT_EQ(read_text(folder_ / "lcp.txt"), before);
}

TEST_F(Solve, WhatIsNotSolvedIsCounted) {
  const Ended ended = solve({"none.txt", "lcp.txt", "--solver", "lemke"});
  EXPECT_EQ(ended.status, 4);
  EXPECT_NE(ended.out.find("no solution exists"), std::string::npos) << ended.out;
  EXPECT_NE(ended.err.find("1 of 2 were not solved"), std::string::npos) << ended.err;
  // Too little time: an answer all the same, with its true residual.
  const Ended hurried = solve({"lcp.txt", "--time-limit", "1e-9"});
  EXPECT_EQ(hurried.status, 4);
  EXPECT_NE(hurried.out.find("the time was up"), std::string::npos) << hurried.out;
  // The search for a proof, and the solve of the nearest problem after it, are part of that time.
  const Ended unproved = solve({"none.txt", "--solver", "lemke", "--time-limit", "1e-9"});
  EXPECT_EQ(unproved.out.find("no solution exists"), std::string::npos) << unproved.out;
}

/// The first row is violated by 1e-3 whatever z is, which speed does not hide.
TEST_F(Solve, WhatHasNoSolutionIsNeverOk) {
  std::ofstream(folder_ / "fast.txt") << "2\n0 0\n1 1\n-1e-3 -1\n";
  const Ended ended = solve({"fast.txt", "--solver", "all", "--tolerance", "1e-5", "--json", "r.json"});
  EXPECT_EQ(ended.status, 4) << ended.err;
  const std::string json = read_text(folder_ / "r.json");
  EXPECT_EQ(json.find("\"status\": \"ok\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"violation\": 0.001, \"bound\": null"), std::string::npos) << json;  // a row of zeros
  EXPECT_NE(json.find("whatever percussions act"), std::string::npos) << json;
}

/// Of a proof that stands on sums which cancel to round-off, up to which percussions it holds.
TEST_F(Solve, AProofSaysHowFarItReaches) {
  std::ofstream(folder_ / "squeezed.txt") << "2\n0.3 -0.3\n-0.3 0.3\n-1 -2\n";
  EXPECT_EQ(solve({"squeezed.txt", "--json", "r.json"}).status, 4);
  const std::string json = read_text(folder_ / "r.json");
  const std::string key = "\"bound\": ";
  ASSERT_NE(json.find(key), std::string::npos) << json;
  const double bound = std::stod(json.substr(json.find(key) + key.size()));
  EXPECT_GT(bound, 1e12);
  EXPECT_LT(bound, 1e17);
  EXPECT_NE(json.find("whatever percussions below"), std::string::npos) << json;
  ASSERT_EQ(solve({"lcp.txt", "--json", "again.json"}).status, 0);
  EXPECT_NE(read_text(folder_ / "again.json").find("\"bound\": 0,"), std::string::npos);
}

TEST_F(Solve, BadInputIsRefused) {
  std::ofstream(folder_ / "nan.txt") << "1 1 nan";
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {{}, "which problems"},
      {{"missing.hdf5"}, "no such file"},
      {{"nan.txt"}, "nan.txt:1:5: q: nan"},
      {{"lcp.txt", "nan.txt"}, "nan.txt:1:5"},
      {{"lcp.txt", "--solver", "lemk"}, "did you mean lemke"},
      {{"lcp.txt", "--law", "coulom"}, "did you mean coulomb"},
      {{"lcp.txt", "--tolerance", "0"}, "tolerance"},
      {{"lcp.txt", "--time-limit", "0"}, "time_limit"},
      {{"lcp.txt", "--forces", "last-norm"}, "did you mean least-norm"},
      {{"lcp.txt", "--output", "lcp.txt"}, "lcp.txt"},
  };
  for (const auto& [arguments, fragment] : refusals) {
    const Ended ended = solve(arguments);
    EXPECT_EQ(ended.status, 2) << fragment;
    EXPECT_NE(ended.err.find(fragment), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "") << fragment;
  }
}

}  // namespace
}  // namespace stickslip::test
