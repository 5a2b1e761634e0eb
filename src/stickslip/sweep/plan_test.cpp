// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/sweep/random_draw.h"

namespace stickslip {
namespace {

SweepPlan read(const std::string& text) {
  return parse_plan("sweep = 1\nscene = \"s.toml\"\n" + text, "plan.toml");
}

std::vector<double> column_of(const SweepPlan& plan, std::size_t column) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < plan.rows(); ++row) values.push_back(plan.values(row)[column]);
  return values;
}

TEST(SweepPlan, GridsHaveBothEndsAndEvenSpacesOrRatios) {
  const SweepPlan plan = read("[parameters]\na = {grid = [0.1, 0.5, 5]}\nb = {log = [1e-3, 1e2, 6]}\n");
  ASSERT_EQ(plan.rows(), 30);
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 6; ++k) {
      const std::vector<double> row = plan.values(6 * i + k);
      EXPECT_NEAR(row[0], 0.1 + 0.1 * i, 1e-15);
      EXPECT_NEAR(row[1], std::pow(10.0, k - 3), 1e-14 * std::pow(10.0, k - 3));
    }
  }
  EXPECT_EQ(plan.values(29), (std::vector<double>{0.5, 1e2}));
  EXPECT_EQ(plan.values(0), (std::vector<double>{0.1, 1e-3}));
  EXPECT_EQ(column_of(read("parameters = {a = {grid = [3, 9, 1]}}"), 0), std::vector<double>{3});
  EXPECT_EQ(column_of(read("parameters = {a = {grid = [2, -2, 5]}}"), 0), (std::vector<double>{2, 1, 0, -1, -2}));
}

/// Grids in the order written are the slowest, then lists, samples the fastest.
TEST(SweepPlan, RowsAreGridsTimesListsTimesSamples) {
  const SweepPlan plan = read(
      "samples = 3\n[parameters]\nl = {list = [7, 5]}\nu = {uniform = [0, 1]}\ng = {grid = [0, 1, 2]}\n"
      "h = {log = [1, 4, 3]}\n");
  ASSERT_EQ(plan.rows(), 2 * 3 * 2 * 3);
  for (int row = 0; row < 36; ++row) {
    const std::vector<double> values = plan.values(row);
    const int sample = row % 3, l = row / 3 % 2, h = row / 6 % 3, g = row / 18;
    EXPECT_EQ(values[0], l == 0 ? 7.0 : 5.0) << row;
    EXPECT_EQ(values[1], draw_uniform(1, static_cast<std::uint64_t>(sample), "u")) << row;
    EXPECT_EQ(values[2], g) << row;
    EXPECT_NEAR(values[3], std::pow(2.0, h), 1e-15) << row;
  }
}

TEST(SweepPlan, DrawsDependOnSeedSampleAndColumnAlone) {
  const std::vector<double> alone = column_of(read("samples = 20\nparameters = {u = {normal = [2, 0.5]}}"), 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(alone[i], 2 + 0.5 * draw_normal(1, static_cast<std::uint64_t>(i), "u"));
  const SweepPlan more =
      read("samples = 50\nparameters = {a = {uniform = [0, 1]}, g = {list = [1, 2, 3]}, u = {normal = [2, 0.5]}}");
  for (int row = 0; row < 150; ++row) {
    if (row % 50 < 20) {
      EXPECT_EQ(more.values(row)[2], alone[static_cast<std::size_t>(row % 50)]);
    }
  }
  const std::vector<double> seeded =
      column_of(read("samples = 20\nseed = 2\nparameters = {u = {normal = [2, 0.5]}}"), 0);
  EXPECT_NE(alone, seeded);
}

TEST(SweepPlan, ReadsQuantities) {
  const SweepPlan plan = read(
      "set = {\"time.end\" = 0.5, name = \"x\"}\n[parameters]\nmu = {key = \"contacts.c.friction\", list = "
      "[\"=1/4\"]}\n"
      "[quantities]\na = \"z(top)\"\nb = {value = \"t\", take = \"mean\"}\nc = {value = \"t\", at = [1, 2, 3]}\n"
      "d = {value = \"t\", at = 1}\ne = {value = \"t\", when = \"x(b)\", count = 8, after = 2}\n"
      "f = {value = \"t\", when = \"x(b)\"}\n");
  EXPECT_EQ(plan.columns[0].key, "contacts.c.friction");
  EXPECT_EQ(plan.values(0), std::vector<double>{0.25});
  ASSERT_EQ(plan.set.size(), 2U);
  EXPECT_EQ(plan.set[0].assignment, "time.end=0.5");
  EXPECT_EQ(plan.set[1].assignment, "name=\"x\"");
  const auto& q = plan.quantities;
  ASSERT_EQ(q.size(), 6U);
  EXPECT_EQ(plan.width(), 1 + 1 + 3 + 1 + 8 + 1);
  EXPECT_EQ(q[0].take, SweepQuantity::Take::end);
  EXPECT_EQ(q[1].take, SweepQuantity::Take::mean);
  EXPECT_TRUE(q[2].is_list);
  EXPECT_FALSE(q[3].is_list);
  EXPECT_TRUE(q[4].is_list);
  EXPECT_EQ(q[4].after, 2.0);
  EXPECT_EQ(q[5].count, 1);
  EXPECT_FALSE(q[5].is_list);
}

struct BadPlan {
  const char* text;
  int line, column;
  const char* key;
  const char* allowed;  // a part of it
};

TEST(SweepPlan, MistakesHaveTheirPlaces) {
  const BadPlan plans[] = {
      {"smaples = 3", 3, 1, "smaples", "did you mean 'samples'"},
      {"samples = 0", 3, 11, "samples", "a whole number from 1"},
      {"seed = -1", 3, 8, "seed", "a whole number from 0"},
      {"set = 1", 3, 7, "set", "a table"},
      {"parameters = {a = 3}", 3, 19, "parameters.a", "a table"},
      {"parameters = {a = {}}", 3, 19, "parameters.a", "one of grid"},
      {"parameters = {a = {grid = [1, 2, 3], list = [1]}}", 3, 27, "parameters.a.grid", "one of grid"},
      {"parameters = {a = {grid = [1, 2]}}", 3, 27, "parameters.a.grid", "[first, last, number]"},
      {"parameters = {a = {grid = [1, 2, 0]}}", 3, 34, "parameters.a.grid[2]", "a whole number from 1"},
      {"parameters = {a = {log = [0, 2, 3]}}", 3, 27, "parameters.a.log[0]", "a number > 0"},
      {"parameters = {a = {list = []}}", 3, 27, "parameters.a.list", "at least one"},
      {"parameters = {a = {list = [1, \"b\"]}}", 3, 31, "parameters.a.list[1]", "a number"},
      {"parameters = {a = {uniform = [2, 1]}}", 3, 30, "parameters.a.uniform", "least < most"},
      {"parameters = {a = {normal = [2, 0]}}", 3, 29, "parameters.a.normal", "> 0"},
      {"parameters = {a = {list = [1], kye = \"x\"}}", 3, 32, "parameters.a.kye", "did you mean 'key'"},
      {"parameters = {a = {key = \"parameters.b\", list = [1]}, b = {list = [1]}}", 3, 55, "parameters.b", "no other"},
      {"parameters = {\"a/b\" = {list = [1]}}", 3, 15, "parameters.a/b", "a name"},
      {"parameters = {a = {grid = [0, 1, 4000]}, b = {grid = [0, 1, 4000]}}", 3, 42, "parameters.b",
       "at most 10000000"},
      {"quantities = {a = 3}", 3, 19, "quantities.a", "an expression"},
      {"quantities = {a = {take = \"max\"}}", 3, 19, "quantities.a.value", "an expression"},
      {"quantities = {a = {value = \"t\", take = \"most\"}}", 3, 40, "quantities.a.take", "max"},
      {"quantities = {a = {value = \"t\", take = \"max\", at = [1]}}", 3, 40, "quantities.a.take", "one of"},
      {"quantities = {a = {value = \"t\", at = []}}", 3, 38, "quantities.a.at", "at least one"},
      {"quantities = {a = {value = \"t\", count = 2}}", 3, 41, "quantities.a.count", "when"},
      {"quantities = {a = {value = \"t\", when = \"t\", count = 0}}", 3, 53, "quantities.a.count", "from 1"},
      {"samples = 1001\nquantities = {a = {value = \"t\", when = \"t\", count = 1000000}}", 4, 19, "quantities.a",
       "at most 1000000000 numbers"},
      {"= 3", 3, 1, "", "not TOML"},
  };
  for (const BadPlan& bad : plans) {
    try {
      read(bad.text);
      ADD_FAILURE() << bad.text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.place(), (SourcePlace{"plan.toml", bad.line, bad.column})) << bad.text << "\n" << error.what();
      EXPECT_EQ(error.key(), bad.key) << bad.text;
      EXPECT_NE(error.allowed().find(bad.allowed), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(parse_plan("", "p"), InputError);
  EXPECT_THROW(parse_plan("scene = \"s\"", "p"), InputError);
  EXPECT_THROW(parse_plan("sweep = 2\nscene = \"s\"", "p"), InputError);
  EXPECT_THROW(parse_plan("sweep = 1", "p"), InputError);
  EXPECT_THROW(load_plan("/nowhere/plan.toml"), InputError);
}

}  // namespace
}  // namespace stickslip
