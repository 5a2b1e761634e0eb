// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"
#include "stickslip/sweep/run_sweep.h"
#include "stickslip/sweep/sweep_table.h"

#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// A ball that is thrown upwards: z = v t - g t^2 / 2, which Moreau's scheme meets exactly.
constexpr const char* kThrow = R"(
stickslip = 1
time = {end = 1.0, step = 1e-2}
gravity = [0, 0, -10]
scheme = {type = "moreau"}
parameters = {v = 4.0}
[bodies.b]
mass = 1
inertia = [1, 1, 1]
velocity = [2, 0, "=v"]
shapes.s = {type = "sphere", radius = 0.1}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = -100}
[[contacts]]
name = "c"
between = ["ground", "b"]
friction = 0.3
)";

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SweepOfThrows : public ::testing::Test {
 protected:
  SweepOfThrows() { write_file(folder_ / "s.toml", kThrow); }

  ParameterSweep make(const std::string& text) {
    write_file(folder_ / "plan.toml", "sweep = 1\nscene = \"s.toml\"\n" + text);
    return ParameterSweep(load_plan(folder_ / "plan.toml"));
  }
  static SweepRow run(const ParameterSweep& sweep, std::int64_t row) { return sweep.run(sweep.plan().values(row), {}); }

  test::TemporaryFolder folder_;
};

constexpr const char* kQuantities =
    "set = {\"time.end\" = 0.9}\n"
    "parameters = {v = {list = [4, 2.505]}}\n"
    "[quantities]\n"
    "end = \"z(b)\"\n"
    "most = {value = \"z(b)\", take = \"max\"}\n"
    "least = {value = \"vz(b)\", take = \"min\"}\n"
    "mean = {value = \"x(b)\", take = \"mean\"}\n"
    "at = {value = \"x(b)\", at = [0, 0.3, 0.305, 5, 0.3]}\n"
    "one = {value = \"kinetic_energy\", at = 0}\n"
    "turn = {value = \"t\", when = \"-vz(b)\", count = 2}\n"
    "there = {value = \"x(b) + 1\", when = \"-vz(b)\"}\n"
    "late = {value = \"t\", when = \"-vz(b)\", after = 0.7}\n";

TEST_F(SweepOfThrows, QuantitiesAreThoseOfTheClosedForm) {
  const ParameterSweep sweep = make(kQuantities);
  for (const double v : {4.0, 2.505}) {
    const SweepRow row = run(sweep, v == 4.0 ? 0 : 1);
    EXPECT_EQ(row.status, 0) << row.message;
    EXPECT_EQ(row.steps, 90);
    const auto z = [v](double t) { return v * t - 5.0 * t * t; };
    const double highest = std::max(z(std::floor(10 * v) / 100), z(std::ceil(10 * v) / 100));
    const double x[] = {z(0.9), highest, v - 9.0,           0.9,    0.0, 0.6,       0.62,
                        NAN,    0.6,     0.5 * (4 + v * v), v / 10, NAN, v / 5 + 1, NAN};
    ASSERT_EQ(row.quantities.size(), std::size(x));
    for (std::size_t i = 0; i < std::size(x); ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(row.quantities[i])) << i;
      } else {
        EXPECT_NEAR(row.quantities[i], x[i], 1e-13) << i;
      }
    }
  }
}

/// What passes a limit, what is no scene, and what a limit ends are rows with the status of `run`.
TEST_F(SweepOfThrows, QuantitiesReadSensors) {
  write_file(folder_ / "s.toml", std::string(kThrow) + R"(
[sites.eye]
body = "b"
position = [0, 0, 0.05]
[[sensors]]
name = "eye"
type = "pose"
site = "eye"
[[sensors]]
name = "weight"
type = "imu"
site = "eye"
[[sensors]]
name = "touch"
type = "contact"
body = "b"
)");
  const ParameterSweep sweep = make(
      "[quantities]\nfirst = \"sensor(eye)\"\nmost = {value = \"sensor('eye', 3)\", take = \"max\"}\n"
      "free = {value = \"abs(sensor(weight, 3))\", at = 0.5}\nunknown = {value = \"sensor(touch, 3)\", at = 0}\n"
      "turn = {value = \"sensor(eye)\", when = \"0.75 - sensor(eye, 3)\", after = 0.2}\n");
  const SweepRow row = run(sweep, 0);
  ASSERT_EQ(row.status, 0) << row.message;
  ASSERT_EQ(row.quantities.size(), 5U);
  EXPECT_NEAR(row.quantities[0], 2.0, 1e-12);
  EXPECT_NEAR(row.quantities[1], 0.85, 1e-12);
  EXPECT_NEAR(row.quantities[2], 0.0, 1e-9);
  EXPECT_TRUE(std::isnan(row.quantities[3])) << "forces need a step";
  // 4 t - 5 t^2 = 0.7 on the way down, linear between steps.
  EXPECT_NEAR(row.quantities[4], 2.0 * (0.4 + std::sqrt(0.02)), 1e-3);
  const auto error = [&](const std::string& text) -> std::string {
    try {
      make("[quantities]\nq = \"" + text + "\"\n");
    } catch (const InputError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_NE(error("sensor(eyes)").find("no sensor 'eyes'; did you mean 'eye'?"), std::string::npos)
      << error("sensor(eyes)");
  EXPECT_NE(error("sensor(eye, 8)").find("one of the numbers of 'eye', 1 to 7, found 8"), std::string::npos);
}

TEST_F(SweepOfThrows, WhatGoesWrongIsARow) {
  const ParameterSweep masses =
      make("parameters = {m = {key = \"bodies.b.mass\", list = [-1, 2]}}\nquantities = {m = \"kinetic_energy\"}\n");
  const SweepRow bad = run(masses, 0);
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.message.find("bodies.b.mass: -1"), std::string::npos) << bad.message;
  EXPECT_TRUE(std::isnan(bad.quantities[0]));
  EXPECT_EQ(bad.steps, 0);
  EXPECT_EQ(run(masses, 1).status, 0);

  // From 100 m above the ground it falls in 4.47 s: a coarse step leaves it deep inside.
  const std::string set = "set = {\"time.end\" = 5.5, \"time.step\" = 0.1, \"limits.penetration\" = 1e-3";
  const std::string what =
      "}\nparameters = {v = {list = [0]}}\nquantities = {z = \"z(b)\", after = {value = \"z(b)\", at = 5}}\n";
  const SweepRow passed = run(make(set + what), 0);
  EXPECT_EQ(passed.status, 4);
  EXPECT_NE(passed.message.find("penetration"), std::string::npos) << passed.message;
  EXPECT_FALSE(std::isnan(passed.quantities[1]));
  const SweepRow stopped = run(make(set + ", \"limits.on_passing\" = \"stop\"" + what), 0);
  EXPECT_EQ(stopped.status, 3);
  EXPECT_LT(stopped.steps, passed.steps);
  EXPECT_LT(stopped.quantities[0], -99.0);  // where it was stopped
  EXPECT_TRUE(std::isnan(stopped.quantities[1]));
}

struct BadSweep {
  const char* text;
  int line, column;
  const char* key;
  const char* allowed;  // a part of it
};

TEST_F(SweepOfThrows, WhatTheSceneDoesNotHaveIsABadPlan) {
  const BadSweep plans[] = {
      {"set = {\"time.ned\" = 1}", 3, 21, "set.\"time.ned\"", "did you mean 'end'"},
      {"set = {\"bodies.c.mass\" = 1}", 3, 26, "set.\"bodies.c.mass\"", "bodies has no 'c'"},
      {"set = {\"time.end\" = -1}", 3, 21, "set.\"time.end\"", ""},
      {"parameters = {w = {list = [1]}}", 3, 15, "parameters.w", "no parameter 'w'"},
      {"parameters = {w = {key = \"contacts.d.friction\", list = [1]}}", 3, 26, "parameters.w.key",
       "contacts has no 'd'"},
      {"parameters = {w = {key = \"contacts.c.frction\", list = [1]}}", 3, 26, "parameters.w.key",
       "did you mean 'friction'"},
      {"parameters = {w = {key = \"bodies..mass\", list = [1]}}", 3, 26, "parameters.w.key", "a name before and after"},
      {"quantities = {z = \"z(bb)\"}", 3, 19, "quantities.z", "column 3: no body 'bb'"},
      {"quantities = {z = {value = \"zz\"}}", 3, 28, "quantities.z.value", "column 1"},
      {"quantities = {z = {value = \"t\", when = \"z(\"}}", 3, 40, "quantities.z.when", "column 3"},
  };
  for (const BadSweep& bad : plans) {
    try {
      make(bad.text);
      ADD_FAILURE() << bad.text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.place(), (SourcePlace{(folder_ / "plan.toml").string(), bad.line, bad.column}))
          << bad.text << "\n"
          << error.what();
      EXPECT_EQ(error.key(), bad.key) << error.what();
      EXPECT_NE(error.allowed().find(bad.allowed), std::string::npos) << error.what();
    }
  }
  write_file(folder_ / "p.toml", "sweep = 1\nscene = \"none.toml\"\n");
  EXPECT_THROW(ParameterSweep(load_plan(folder_ / "p.toml")), InputError);
}

/// Elsewhere, without the files that it is read from, a sweep has the same rows.
TEST_F(SweepOfThrows, ThePortableSceneIsAllThatAnotherMachineNeeds) {
  write_file(folder_ / "parts/hull.txt", "-1 -1 -1\n1 -1 -1\n-1 1 -1\n1 1 -1\n-1 -1 1\n1 -1 1\n-1 1 1\n1 1 1\n");
  write_file(folder_ / "parts/cube.toml",
             "stickslip = 1\n[bodies.cube]\ndensity = 1\nposition = [5, 0, 0]\n"
             "shapes.h = {type = \"convex\", file = \"hull.txt\", scale = \"=size\"}\n");
  write_file(folder_ / "s.toml", std::string("include = [\"parts/cube.toml\"]\n") + kThrow);
  const std::string scene = read_file(folder_ / "s.toml");
  write_file(folder_ / "s.toml",
             scene.substr(0, scene.find("v = 4.0")) + "size = 0.5, " + scene.substr(scene.find("v = 4.0")));
  const ParameterSweep sweep =
      make("parameters = {size = {list = [1, 2, -1]}}\nquantities = {e = \"potential_energy\", z = \"z(cube)\"}\n");
  EXPECT_EQ(sweep.scene().files.size(), 1U);
  std::vector<SweepRow> rows;
  for (int row = 0; row < 3; ++row) rows.push_back(run(sweep, row));
  for (const char* name : {"parts", "s.toml", "plan.toml"}) fs::remove_all(folder_ / name);
  const ParameterSweep there(sweep.plan().text, sweep.scene());
  EXPECT_EQ(there.scene().checksum(), sweep.scene().checksum());
  for (int row = 0; row < 3; ++row) {
    const SweepRow other = run(there, row);
    EXPECT_EQ(other.status, 0) << other.message;
    EXPECT_EQ(other.quantities, rows[static_cast<std::size_t>(row)].quantities);
  }
  EXPECT_NE(rows[0].quantities[0], rows[1].quantities[0]);  // a cube eight times as heavy
}

class SweepTables : public SweepOfThrows {
 protected:
  static constexpr const char* kPlan =
      "samples = 5\nparameters = {v = {uniform = [1, 2]}, m = {key = \"bodies.b.mass\", list = [1, -1]}}\n"
      "quantities = {z = \"z(b)\", at = {value = \"z(b)\", at = [0.1, 2]}}\n";

  fs::path whole(const ParameterSweep& sweep) {
    SweepTable table(sweep, folder_ / "whole.h5", false);
    EXPECT_TRUE(run_sweep(sweep, table, {.jobs = 1}));
    return folder_ / "whole.h5";
  }
};

/// In whatever order rows are written, and however often a program died meanwhile, the bytes are the same.
TEST_F(SweepTables, BytesDependOnThePlanAlone) {
  const ParameterSweep sweep = make(kPlan);
  const std::string expected = read_file(whole(sweep));
  {
    SweepTable table(sweep, folder_ / "a.h5", false);
    EXPECT_EQ(table.pending().size(), 10U);
    for (const int row : {7, 2, 9}) table.record(row, run(sweep, row));
  }
  {
    SweepTable table(sweep, folder_ / "a.h5", false);
    EXPECT_EQ(table.pending(), (std::vector<std::int64_t>{0, 1, 3, 4, 5, 6, 8}));
    EXPECT_EQ(table.status()[7], 2);
    EXPECT_TRUE(std::isnan(table.quantity(0)[0]));
    EXPECT_EQ(table.parameter(0)[3], sweep.plan().values(3)[0]);
    EXPECT_THROW(SweepTable(sweep, folder_ / "a.h5", true), InputError);  // it is being written
    std::int64_t last = 0;
    EXPECT_TRUE(run_sweep(sweep, table, {.jobs = 3, .progress = [&](std::int64_t done, std::int64_t all) {
                                           EXPECT_EQ(done, ++last + 3);
                                           EXPECT_EQ(all, 10);
                                         }}));
  }
  EXPECT_EQ(read_file(folder_ / "a.h5"), expected);
  SweepTable memory(sweep, std::nullopt, false);
  EXPECT_TRUE(run_sweep(sweep, memory, {.jobs = 2}));
  const SweepTable file(sweep, folder_ / "a.h5", false);
  EXPECT_EQ(memory.status(), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 2, 2, 2, 2, 2}));
  EXPECT_EQ(memory.status(), file.status());
  EXPECT_EQ(memory.messages(), file.messages());
  EXPECT_EQ(memory.steps(), file.steps());
  for (const std::size_t k : {0U, 1U}) {
    EXPECT_EQ(memory.parameter(k), file.parameter(k));
    const std::vector<double> a = memory.quantity(k), b = file.quantity(k);
    ASSERT_EQ(a.size(), k == 0 ? 10U : 20U);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
  }
}

TEST_F(SweepTables, AnInterruptedSweepGoesOn) {
  const ParameterSweep sweep = make(kPlan);
  const std::string expected = read_file(whole(sweep));
  std::atomic<bool> stop = false;
  {
    SweepTable table(sweep, folder_ / "a.h5", false);
    EXPECT_FALSE(run_sweep(sweep, table, {.jobs = 1, .stop = &stop, .progress = [&](std::int64_t done, std::int64_t) {
                                            if (done == 4) stop = true;
                                          }}));
    EXPECT_EQ(table.pending().size(), 6U);
  }
  SweepTable table(sweep, folder_ / "a.h5", false);
  EXPECT_TRUE(run_sweep(sweep, table, {}));
  EXPECT_EQ(read_file(folder_ / "a.h5"), expected);
}

TEST_F(SweepTables, OthersAreNotWrittenOver) {
  const fs::path path = [&] { return whole(make(kPlan)); }();
  const std::string expected = read_file(path);
  SweepTable(make(std::string("# a comment\n") + kPlan), path, false);  // means the same
  const auto expect_refused = [&](const ParameterSweep& sweep) {
    EXPECT_THROW(SweepTable(sweep, path, false), InputError);
    EXPECT_EQ(read_file(path), expected);
  };
  expect_refused(make(std::string("seed = 2\n") + kPlan));
  write_file(folder_ / "s.toml", std::string(kThrow) + "restitution = {normal = 0.5}\n");
  expect_refused(make(kPlan));
  {
    const ParameterSweep other = make(kPlan);
    const SweepTable forced(other, path, true);
    EXPECT_EQ(forced.pending().size(), 10U);
  }
  // Neither what is no table, nor one that is damaged.
  write_file(folder_ / "s.toml", kThrow);
  const ParameterSweep sweep = make(kPlan);
  write_file(path, "notes");
  EXPECT_THROW(SweepTable(sweep, path, false), InputError);
  for (const std::size_t size : {expected.size() / 2, expected.size() / 4, std::size_t{100}}) {
    write_file(path, expected.substr(0, size));
    EXPECT_THROW(SweepTable(sweep, path, false), InputError) << size;
  }
  EXPECT_THROW(SweepTable(sweep, folder_.path(), true), InputError);
  EXPECT_THROW(SweepTable(sweep, folder_ / "none" / "t.h5", false), WriteError);
}

TEST_F(SweepTables, TextHasAColumnForEachNumber) {
  const ParameterSweep sweep =
      make("parameters = {v = {list = [1, 2]}}\nquantities = {z = \"t\", \"a,b\" = {value = \"t\", at = [0.5, 2]}}\n");
  SweepTable table(sweep, std::nullopt, false);
  ASSERT_TRUE(run_sweep(sweep, table, {}));
  table.write_csv(folder_ / "t.csv");
  EXPECT_EQ(read_file(folder_ / "t.csv"),
            "row,v,z,\"a,b.1\",\"a,b.2\",status,message\n0,1,1,0.5,nan,0,\n1,2,1,0.5,nan,0,\n");
}

}  // namespace
}  // namespace stickslip
