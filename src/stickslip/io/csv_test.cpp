// SPDX-License-Identifier: BSD-3-Clause
// The output rows as text.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/io/csv_writer.h"
#include "stickslip/io/result_reader.h"
#include "tests/support/example_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::Example;
using test::make_system;
using test::TemporaryFolder;
using test::write_example;

TEST(Csv, WritesEveryDigitInTheDocumentedOrder) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example step(system, 1);
  CsvWriter csv(folder / "r.csv", system);
  csv.begin(step.state, step.report);
  csv.publish();
  csv.flush();
  std::ifstream in(folder / "r.csv");
  std::string header, row;
  std::getline(in, header);
  std::getline(in, row);
  const std::string start =
      "t,q1,q2,q3,q4,q5,q6,u1,u2,u3,u4,u5,u6,ball-floor.gap,ball-floor.lambda_N,ball-floor.Lambda_N,ball-floor.P_N,"
      "ball-floor.lambda_F1,ball-floor.Lambda_F1,ball-floor.P_F1,\"box,floor/0.gap\",";
  EXPECT_EQ(header.substr(0, start.size()), start);
  EXPECT_EQ(row.substr(0, 20), "0.10000000000000001,");
  std::vector<double> numbers;
  std::istringstream fields(row);
  for (std::string field; std::getline(fields, field, ',');) numbers.push_back(std::stod(field));
  ASSERT_EQ(numbers.size(), 13u + 5 * 7);
  EXPECT_EQ(numbers[12], step.state.u(5));
  EXPECT_EQ(numbers[13], step.report.contacts[0].gap);
  EXPECT_TRUE(std::isnan(numbers[15]));
  EXPECT_EQ(numbers[16], step.report.contacts[0].percussion[0]);
  EXPECT_EQ(numbers[19], step.report.contacts[0].percussion[1]);
}

TEST(Csv, CopiedRowsAreTheSameText) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 5);
  const Example first(system);
  CsvWriter direct(folder / "direct.csv", system);
  direct.begin(first.state, first.report);
  direct.publish();
  for (int n = 1; n <= 5; ++n) {
    const Example step(system, n);
    direct.record(step.state, step.report, true);
  }
  CsvWriter copied(folder / "copied.csv", system);
  const Trajectory result(folder / "r.h5");
  copied.begin(result, result.checkpoint().value(), StopToken());
  copied.publish();
  for (CsvWriter* csv : {&direct, &copied}) csv->flush();
  const auto read = [&folder](const char* name) {
    std::ifstream in(folder / name);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(read("copied.csv"), read("direct.csv"));
}

TEST(Csv, RefusesMoreColumnsThanAnyoneReads) {
  const TemporaryFolder folder;
  SystemBuilder builder(false, Vector3::Zero());
  for (int i = 0; i < 400; ++i) {  // 13 columns each
    Body body;
    body.name = "b" + std::to_string(i);
    body.mass = 1.0;
    body.inertia = Matrix3::Identity();
    builder.add_body(body);
  }
  const System system = builder.build();
  try {
    const CsvWriter csv(folder / "r.csv", system);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("5201"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Csv, AFullDeviceIsAWriteError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const System system = make_system();
  CsvWriter csv("/dev/full", system);
  EXPECT_THROW(csv.flush(), WriteError);
}

}  // namespace
}  // namespace stickslip
