// SPDX-License-Identifier: BSD-3-Clause
// Formulas of studies: what they mean, and what is said of those that are none.
#include "stickslip/gallery/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/gallery/evaluator.h"

namespace stickslip {
namespace {

/// Rows 0 to 4, at instants 0, 0.5, ... 2 s.
class FiveRows final : public ColumnSource {
 public:
  Series read(const std::string& path, const std::string& part) const override {
    const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 0.5, 1.0, 1.5, 2.0});
    if (path == "/time") return {*times, false, times, 0.5};
    if (path == "/x") return {{3.0, 1.0, part == "1" ? 7.0 : 2.0, 2.0, 5.0}, false, times, 0.5};
    if (path == "/on") return {{0.0, 1.0, 1.0, 0.0, 1.0}, false, times, 0.5};
    throw SeriesError("there is no " + path);
  }
};

class TestStudy {
 public:
  TestStudy() {
    study_ = parse_study(R"toml(
stickslip_study = 1
title = "a"
source = "b"
constants = {g = 10.0}
series = {doubled = "2*'/x'", level = "k > 1 ? 100 : 10"}
[[runs]]
each = {k = [1, 2, 3]}
name = "run_{k}"
scene = "s"
)toml",
                         "study.toml");
    for (const GalleryRun& run : study_.runs) {
      sources_.push_back({run.name, run.given, std::make_unique<FiveRows>(), true});
    }
  }

  std::vector<double> evaluate(const std::string& text) {
    StudyFormula formula{text, parse_formula(text), {"study.toml", 7, 3}, "ours"};
    return Evaluator(study_, sources_).evaluate(formula).values;
  }

 private:
  Study study_;
  std::vector<StudySource> sources_;
};

TEST(Formula, GoesByTheUsualRules) {
  TestStudy study;
  const std::vector<std::pair<std::string, double>> cases = {{"1 + 2*3", 7.0},
                                                             {"-2^2", -4.0},
                                                             {"2^3^2", 512.0},
                                                             {"(1 + 2)*3 - 4/2", 7.0},
                                                             {"1.5e-1", 0.15},
                                                             {"1 < 2", 1.0},
                                                             {"2 <= 1", 0.0},
                                                             {"3 >= 3", 1.0},
                                                             {"3 != 3", 0.0},
                                                             {"0 ? 1 : 1 ? 2 : 3", 2.0},
                                                             {"sin(pi/6)", 0.5},
                                                             {"max(min(3, 2), hypot(3, 4))", 5.0},
                                                             {"log2(8) + sign(-3)", 2.0},
                                                             {"g/4", 2.5}};
  for (const auto& [text, expected] : cases) {
    const std::vector<double> value = study.evaluate(text);
    ASSERT_EQ(value.size(), 1u) << text;
    EXPECT_NEAR(value[0], expected, 1e-15) << text;
  }
}

TEST(Formula, ReadsColumns) {
  TestStudy study;
  using Rows = std::vector<double>;
  const std::vector<std::pair<std::string, Rows>> cases = {
      {"'/x'", {3, 1, 2, 2, 5}},
      {"'/x'[1]", {3, 1, 7, 2, 5}},
      {"'/x' + 1", {4, 2, 3, 3, 6}},
      {"'/x'*'/on'", {0, 1, 2, 0, 5}},
      {"'/x' == 2", {0, 0, 1, 1, 0}},
      {"doubled", {6, 2, 4, 4, 10}},
      {"largest('/x')", {5}},
      {"smallest('/x')", {1}},
      {"sum('/x')", {13}},
      {"mean('/x')", {2.6}},
      {"rows('/x')", {5}},
      {"count('/on')", {3}},
      {"first('/x')", {3}},
      {"first('/x', '/on')", {1}},
      {"last('/x')", {5}},
      {"last('/x', '/on' == 0)", {2}},
      {"nth('/x', '/on', 2)", {2}},
      {"at('/x', 0.5)", {1}},
      {"at('/x', 1.0000001)", {2}},
      {"difference('/x')", {0, -2, 1, 0, 3}},
      {"rises('/on')", {0, 1, 0, 0, 1}},
      {"falls('/on')", {0, 0, 0, 1, 0}},
      {"turns('/x')", {0, 1, 1, 0, 0}},
      {"since('/x' == 2)", {0, 0, 1, 1, 1}},
      {"every('/x', 2)", {3, 2, 5}},
      {"at(every('/x', 2), 1)", {2}},
      {"select('/x', '/on')", {1, 2, 5}},
      {"interpolate('/time', '/x', list(0.25, 2))", {2, 5}},
      {"order(list(0.1, 0.05, 0.025), list(4, 1, 0.5))", {2, 1}},
      {"k@run_2", {2}},
      {"level@'run_3'", {100}},
      {"level", {10}},
      {"over('run_*', k*sum('/x'))", {13, 26, 39}},
  };
  for (const auto& [text, expected] : cases) {
    const Rows value = study.evaluate(text);
    ASSERT_EQ(value.size(), expected.size()) << text;
    for (std::size_t i = 0; i < value.size(); ++i) EXPECT_NEAR(value[i], expected[i], 1e-15) << text << ' ' << i;
  }
}

TEST(Formula, WhatIsNotThereIsNaN) {
  TestStudy study;
  for (const char* text :
       {"nth('/x', '/on', 4)", "first('/x', '/x' > 9)", "at('/x', 0.7)", "at('/x', 3)", "largest(previous('/x'))",
        "last(next('/x'))", "sum(select('/x', '/x' > 9))", "interpolate('/time', '/x', 2.1)", "last('/x', '/x' > 9)"}) {
    const std::vector<double> value = study.evaluate(text);
    ASSERT_EQ(value.size(), 1u) << text;
    EXPECT_TRUE(std::isnan(value[0])) << text << ' ' << value[0];
  }
}

TEST(Formula, SaysWhatCannotBeEvaluated) {
  TestStudy study;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"'/x' + every('/x', 2)", "study.toml:7:3: ours: \"'/x' + every('/x', 2)\": column 1: columns of 5 and 3 rows"},
      {"1 + '/y'", "column 5: there is no /y"},
      {"nth('/x', '/on', '/x')", "column 1: this takes a number, not a column"},
      {"'/x' > 1 ? 1 : 2", "the condition of ? is a number"},
      {"at(list(1, 2), 1)", "rows are instants of a run"},
      {"every('/x', 0)", "a number of rows from 1 on"},
      {"over('run_*', '/x')", "a number for each run"}};
  for (const auto& [text, expected] : cases) {
    try {
      study.evaluate(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

TEST(Formula, SaysWhereATextIsNone) {
  const std::vector<std::pair<std::string, int>> cases = {{"", 1},
                                                          {"1 +", 4},
                                                          {"1 2", 3},
                                                          {"(1", 3},
                                                          {"max(1, 2", 9},
                                                          {"'/x", 1},
                                                          {"'/x'[]", 6},
                                                          {"'/x'[1", 7},
                                                          {"a@", 3},
                                                          {"1 ? 2", 6},
                                                          {"1e999", 1},
                                                          {"$", 1},
                                                          {"x y", 3},
                                                          {"'/x'[-1]", 6},
                                                          {"1 <", 4},
                                                          {std::string(500, '('), 51},
                                                          {std::string(5000, '-'), 0}};
  for (const auto& [text, column] : cases) {
    try {
      parse_formula(text);
      ADD_FAILURE() << text;
    } catch (const FormulaError& error) {
      EXPECT_EQ(error.column(), column) << text << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace stickslip
