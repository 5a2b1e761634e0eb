// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/problem_file.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/cone/residual.h"
#include "stickslip/io/fclib_file.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/lcp_text.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// The datasets of a file by their paths: to be changed one by one into what is wrong.
struct Contents {
  std::map<std::string, Integers> integers;
  std::map<std::string, Numbers> numbers;
  std::string law;  // the attribute; empty: none

  /// One planar contact: W = (2 1; 0 3), q = (-1, 0.5), mu = 0.3.
  Contents() {
    integers["/fclib_local/spacedim"] = {2};
    numbers["/fclib_local/vectors/mu"] = {0.3};
    numbers["/fclib_local/vectors/q"] = {-1.0, 0.5};
    integers["/fclib_local/W/m"] = {2};
    integers["/fclib_local/W/n"] = {2};
    by_rows();
  }
  void set(std::int64_t nz, const Integers& p, const Integers& i, const Numbers& x) {
    integers["/fclib_local/W/nz"] = {nz};
    integers["/fclib_local/W/p"] = p;
    integers["/fclib_local/W/i"] = i;
    numbers["/fclib_local/W/x"] = x;
  }
  void by_rows() { set(-2, {0, 2, 3}, {0, 1, 1}, {2.0, 1.0, 3.0}); }
  void by_columns() { set(-1, {0, 1, 3}, {0, 0, 1}, {2.0, 1.0, 3.0}); }
  /// i the row and p the column; one entry in two parts, and room for more than there are.
  void by_entries() { set(4, {1, 0, 1, 1, 7}, {1, 0, 0, 0, 7}, {3.0, 2.0, 0.75, 0.25, 7.0}); }

  void write(const std::filesystem::path& path) const {
    Hdf5File file = Hdf5File::create(path, path);
    for (const char* group : {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors"}) file.create_group(group);
    for (const auto& [name, values] : integers) {
      Hdf5DatasetOptions options;
      options.type = Hdf5Type::int32;
      file.create_dataset(name, options).write(0, values);
    }
    for (const auto& [name, values] : numbers) file.create_dataset(name, {}).write(0, values);
    if (!law.empty()) file.write_attribute("/", kLawAttribute, std::string_view(law));
    file.close();
  }
};

class ProblemFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  OneStepProblem read(const Contents& contents) const {
    contents.write(path("p.hdf5"));
    return read_problem(path("p.hdf5"));
  }
  /// The file is refused with a message that names it and says `what`.
  void expect_refused(const std::function<void(Contents&)>& spoil, const std::string& what) const {
    Contents contents;
    spoil(contents);
    try {
      read(contents);
      ADD_FAILURE() << "not refused: " << what;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_EQ(error.place().file, path("p.hdf5"));
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(ProblemFile, EveryStorageOfAMatrix) {
  for (void (Contents::*store)() : {&Contents::by_rows, &Contents::by_columns, &Contents::by_entries}) {
    Contents contents;
    (contents.*store)();
    const OneStepProblem problem = read(contents);
    std::vector<double> u(2);
    problem.cones.apply_delassus(std::vector{1.0, 10.0}, u);
    EXPECT_EQ(u, (std::vector{12.0, 30.0}));
    EXPECT_EQ(problem.cones.b, (std::vector{-1.0, 0.5}));
    EXPECT_EQ(problem.cones.blocks.at(0).mu, 0.3);
    EXPECT_EQ(problem.cones.blocks.at(0).dim, 1);
  }
}

TEST_F(ProblemFile, TheLawIsThatOfTheFileElseCoulombs) {
  Contents contents;
  EXPECT_EQ(read(contents).cones.law, FrictionLaw::coulomb);
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    contents.law = law_name(law);
    OneStepProblem problem = read(contents);
    EXPECT_EQ(problem.cones.law, law);
    write_fclib(path("again.hdf5"), problem, nullptr);
    EXPECT_EQ(read_problem(path("again.hdf5")).cones.law, law);
  }
  expect_refused([](Contents& c) { c.law = "asociated"; }, "law: asociated");
}

/// What a residual is relative to stood in the file once.
TEST_F(ProblemFile, OfAnEarlierVersionIsReadWithoutItsScale) {
  Contents contents;
  contents.numbers["/velocity_scale"] = {0.125};
  contents.numbers["/floor"] = {1e-15};
  const ConeProblem problem = read(contents).cones;
  EXPECT_EQ(problem.floor, 1e-15);
  EXPECT_EQ(calc_residual(problem, std::vector{0.0, 0.0}).size, std::hypot(1.0, 0.5));
}

TEST_F(ProblemFile, WhatIsWrongIsSaid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  expect_refused([](Contents& c) { c.integers["/fclib_local/spacedim"] = {4}; }, "spacedim: 4");
  expect_refused([](Contents& c) { c.integers["/fclib_local/spacedim"] = {2, 2}; }, "spacedim: 2 numbers");
  expect_refused([](Contents& c) { c.integers.erase("/fclib_local/W/nz"); }, "W/nz: missing");
  expect_refused([](Contents& c) { c.numbers.erase("/fclib_local/vectors/mu"); }, "vectors/mu: missing");
  expect_refused([=](Contents& c) { c.numbers["/fclib_local/vectors/q"][1] = nan; }, "q: number 1 is nan");
  expect_refused([=](Contents& c) { c.numbers["/fclib_local/W/x"][2] = inf; }, "x: number 2 is inf");
  expect_refused([](Contents& c) { c.numbers["/fclib_local/vectors/mu"] = {-0.1}; }, "mu: number 0 is -0.1");
  expect_refused([](Contents& c) { c.numbers["/fclib_local/vectors/q"] = {1.0}; }, "q: 1 numbers: 2 are needed");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/m"] = {2'000'000'000}; }, "W/m: 2000000000");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/n"] = {-1}; }, "W/n: -1");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/nz"] = {-3}; }, "W/nz: -3");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/nz"] = {4}; }, "W/nz: 4");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/p"] = {0, 3}; }, "W/p: 2 numbers");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/p"] = {0, 3, 2}; }, "W/p: number 2 is 2");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/p"] = {0, 2, 4}; }, "W/p: number 2 is 4");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/p"] = {1, 2, 3}; }, "W/p: number 0 is 1");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/i"] = {0, 2, 1}; }, "W/i: number 1 is 2");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/i"] = {0, -1, 1}; }, "W/i: number 1 is -1");
  expect_refused([](Contents& c) { c.integers["/fclib_local/W/i"] = {0, 1}; }, "W/p: number 2 is 3");
}

TEST_F(ProblemFile, HugeShapesTakeNoMemory) {
  // 4e15 numbers that are announced and not there: taking memory for them would fail at once.
  Contents contents;
  contents.numbers.erase("/fclib_local/W/x");
  contents.write(path("p.hdf5"));
  Hdf5File file = Hdf5File::create(path("q.hdf5"), "q");
  for (const char* group : {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors"}) file.create_group(group);
  Hdf5DatasetOptions options;
  options.rows = std::int64_t{4'000'000'000'000'000};
  options.chunk_rows = 1024;
  file.create_dataset("/fclib_local/vectors/mu", options);
  options.type = Hdf5Type::int32;
  options.rows = 1;
  file.create_dataset("/fclib_local/spacedim", options).write(0, Integers{3});
  file.close();
  try {
    read_problem(path("q.hdf5"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("more than the file holds"), std::string::npos) << error.what();
  }
}

TEST_F(ProblemFile, IsWrittenAsItWasRead) {
  const OneStepProblem problem = read(Contents());
  const ConeSolution solution{{0.4, -0.12}, {0.0, 0.1}};
  write_solved_problem(folder_.path(), "written", problem, solution);
  const OneStepProblem again = read_problem(path("written.hdf5"));
  EXPECT_EQ(Matrix(std::get<LocalForm>(again.form).w), Matrix(std::get<LocalForm>(problem.form).w));
  EXPECT_EQ(again.cones.b, problem.cones.b);
  EXPECT_EQ(again.cones.blocks[0].mu, problem.cones.blocks[0].mu);
  const Hdf5File file = Hdf5File::open(path("written.hdf5"));
  EXPECT_EQ(file.read_numbers("/solution/r"), solution.p);
  EXPECT_EQ(file.read_numbers("/solution/u"), solution.u);
}

TEST_F(ProblemFile, GlobalFormsAreWritten) {
  GlobalForm form;
  form.m = SparseMatrix(Matrix(Vector3(1.0, 2.0, 4.0).asDiagonal()).sparseView());
  form.h = SparseMatrix(Matrix(Matrix3::Identity()).sparseView());
  form.g = SparseMatrix(Matrix(Vector3(0.0, 0.0, 1.0)).sparseView());
  form.f = Vector3(-1.0, 0.5, 0.0);
  form.w = Vector3(0.1, 0.2, 0.3);
  form.b = Vector::Constant(1, 0.5);
  form.mu = Vector::Constant(1, 0.7);
  const OneStepProblem problem = make_one_step_problem(form, "memory");
  ConeSolution solution{{1.0, 0.2, 0.0, 3.0}, {0.0, 0.0, 0.0, 0.0}};
  write_fclib(path("g.hdf5"), problem, &solution);
  const OneStepProblem again = read_problem(path("g.hdf5"));
  EXPECT_EQ(Matrix(std::get<GlobalForm>(again.form).g), Matrix(form.g));
  EXPECT_EQ(again.cones.b, problem.cones.b);
  const Hdf5File file = Hdf5File::open(path("g.hdf5"));
  EXPECT_EQ(file.read_numbers("/solution/l"), (Numbers{3.0}));
  EXPECT_EQ(file.read_numbers("/solution/v"), (Numbers{0.0, 0.35, 0.75}));
}

TEST_F(ProblemFile, OtherConesAreWritten) {
  ConeProblem problem;
  const std::vector<FrictionBlock> blocks = {{2, 0.5, 6, 0.1}, {1, 0.2, 0, 0.0}};
  problem.add_contact(blocks);
  problem.add_ball(2, 1.5);
  problem.add_free(1);
  problem.b = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  SparseMatrix w(7, 7);
  w.setIdentity();
  write_fclib(path("c.hdf5"), make_one_step_problem(ConeForm{w}, problem), nullptr);
  const ConeProblem again = read_problem(path("c.hdf5")).cones;
  EXPECT_EQ(again.b, problem.b);
  ASSERT_EQ(again.n_cones(), 3);
  EXPECT_EQ(again.cones[0].n_blocks, 2);
  EXPECT_EQ(again.blocks[0].facets, 6);
  EXPECT_EQ(again.blocks[0].orientation, 0.1);
  EXPECT_EQ(again.cones[1].kind, ConeKind::ball);
  EXPECT_EQ(again.cones[1].radius, 1.5);
  EXPECT_EQ(again.cones[2].kind, ConeKind::free);
}

TEST_F(ProblemFile, StretchesAreWritten) {
  ConeProblem problem;
  const std::vector<FrictionBlock> blocks = {{2, 0.5, 0, 0.0}, {1, 0.2, 0, 0.0}};
  problem.add_contact(blocks);
  problem.add_ball(3, 1.5);
  problem.stretches = {{1, 2, 0.5, {0.6, 0.8, 0.0}}, {4, 3, 1.0, {0.0, 0.0, -1.0}}};
  SparseMatrix w(7, 7);
  w.setIdentity();
  const auto write = [&](const ConeProblem& written) {
    write_fclib(path("s.hdf5"), make_one_step_problem(ConeForm{w}, written), nullptr);
  };
  write(problem);
  const std::vector<Stretch> again = read_problem(path("s.hdf5")).cones.stretches;
  ASSERT_EQ(again.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(again[k].row, problem.stretches[k].row);
    EXPECT_EQ(again[k].dim, problem.stretches[k].dim);
    EXPECT_EQ(again[k].tau, problem.stretches[k].tau);
    EXPECT_EQ(again[k].along, problem.stretches[k].along);
  }
  const auto expect_refused = [&](const Stretch& stretch, const std::string& what) {
    ConeProblem wrong = problem;
    wrong.stretches[1] = stretch;
    write(wrong);
    try {
      read_problem(path("s.hdf5"));
      ADD_FAILURE() << what;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  const std::array<double, 3> along = {0.0, 0.0, 1.0};
  expect_refused({3, 1, 0.5, {1.0}}, "stretch_row: 3");  // of one row
  expect_refused({5, 3, 0.5, along}, "stretch_row: 5");
  expect_refused({1, 2, 0.5, {1.0}}, "stretch_row: 1");  // twice
  expect_refused({4, 3, -0.5, along}, "stretch_tau");
  expect_refused({4, 3, 0.5, {0.0, 0.0, 2.0}}, "stretch_along");
}

TEST_F(ProblemFile, OtherFilesAreRefused) {
  EXPECT_THROW(read_problem(path("none.hdf5")), InputError);
  EXPECT_THROW(read_problem(path("none.txt")), InputError);
  EXPECT_THROW(read_problem(folder_.path()), InputError);
  std::ofstream(path("text.hdf5")) << "2 1 0 0 1 1 1";
  EXPECT_THROW(read_problem(path("text.hdf5")), InputError);
  Hdf5File::create(path("empty.hdf5"), "empty").close();
  EXPECT_THROW(read_problem(path("empty.hdf5")), InputError);
}

TEST(LcpText, ReadsWithAnyBlanks) {
  const LcpForm form = parse_lcp(" 2\r\n1 2e0\t+3 4\n\n-5 .5", "lcp.txt");
  EXPECT_EQ(Matrix(form.m), (Matrix(2, 2) << 1.0, 2.0, 3.0, 4.0).finished());
  EXPECT_EQ(form.q, (Vector(2) << -5.0, 0.5).finished());
  EXPECT_EQ(parse_lcp("0", "lcp.txt").q.size(), 0);
}

TEST(LcpText, WhatIsWrongIsSaid) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"", "lcp.txt:1:1: n"},
      {"x 1", "lcp.txt:1:1: n: x"},
      {"-1", "lcp.txt:1:1: n: -1"},
      {"1.5", "lcp.txt:1:1: n: 1.5"},
      {"40000 1 2", "lcp.txt:1:1: n: 40000: the text is too short"},
      {"2147483647 1 2", "the text is too short"},
      {"99999999999", "lcp.txt:1:1: n: 99999999999"},
      {"2\n1 2\n3 four\n5 6", "lcp.txt:3:3: M: four"},
      {"1 1 nan ", "lcp.txt:1:5: q: nan"},
      {"1\n1e999 3", "lcp.txt:2:1: M: 1e999"},
      {"2 1 2 3 4000000 5", "q: missing"},
      {"1 1 1 1", "lcp.txt:1:7: 1: nothing is expected"},
  };
  for (const auto& [text, message] : kWrong) {
    try {
      parse_lcp(text, "lcp.txt");
      ADD_FAILURE() << "not refused: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace stickslip
