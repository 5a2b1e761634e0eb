// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/page_data.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>

#include "stickslip/report/pose_codec.h"
#include "stickslip/report/row_reader.h"

namespace stickslip {
namespace {

TEST(PageData, ArraysLieWhereTheHeaderSays) {
  PageData data;
  data.add("a", std::span<const std::uint8_t>(std::array<std::uint8_t, 3>{1, 2, 3}));
  data.add("b", std::span<const double>(std::array<double, 1>{2.5}));
  data.set("text", to_json("<"));
  EXPECT_EQ(data.header(), R"({"arrays":{"a":["u8",0,3],"b":["f64",8,1]},"text":"\u003c"})");
  ASSERT_EQ(data.bytes().size(), 16U);
  double b = 0.0;
  std::memcpy(&b, data.bytes().data() + 8, sizeof b);
  EXPECT_EQ(b, 2.5);
}

/// The rotation that a packed pose holds, read as its header says.
Vector4 unpack_orientation(const PackedPose& pose) {
  const int largest = (pose[3] >> 15) | ((pose[4] >> 15) << 1);
  Vector4 e;
  double rest = 1.0;
  for (int i = 0, at = 3; i < 4; ++i) {
    if (i == largest) continue;
    const int steps = pose[static_cast<std::size_t>(at++)] & 0x7fff;
    e(i) = (steps / 32767.0 - 0.5) * std::numbers::sqrt2;
    rest -= e(i) * e(i);
  }
  e(largest) = std::sqrt(std::max(rest, 0.0));
  return e;
}

TEST(PoseCodec, KeepsPosesToWhatItSays) {
  std::mt19937_64 draw(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (int n = 0; n < 1000; ++n) {
    PoseRange range;
    for (int i = 0; i < 3; ++i) {
      range.low(i) = normal(draw);
      range.size(i) = i == 1 ? 0.0 : std::exp(3.0 * normal(draw));
    }
    Vector3 position;
    for (int i = 0; i < 3; ++i) position(i) = range.low(i) + uniform(draw) * range.size(i);
    const Vector4 e = Vector4(normal(draw), normal(draw), normal(draw), normal(draw)).normalized();
    const PackedPose pose = pack_pose(range, position, e);
    for (int i = 0; i < 3; ++i) {
      const double read = range.low(i) + range.size(i) * pose[static_cast<std::size_t>(i)] / 65535.0;
      EXPECT_NEAR(read, position(i), range.size(i) / 131070.0 * (1.0 + 1e-9) + 1e-12);
    }
    // q and -q are one rotation; the angle between two is 2 acos |q1 . q2|.
    const Vector4 back = unpack_orientation(pose);
    EXPECT_NEAR(back.norm(), 1.0, 1e-12);
    const Vector4 signed_back = back.dot(e) < 0.0 ? Vector4(-back) : back;
    EXPECT_LE(2.0 * (signed_back - e).norm(), 1.5e-4);
  }
}

TEST(PoseCodec, WhatIsNotFiniteIsNoPose) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const PackedPose pose = pack_pose({Vector3::Zero(), Vector3::Ones()}, Vector3::Constant(nan), Vector4::Constant(nan));
  EXPECT_EQ(pose, kNoPose);
}

TEST(PickRows, KeepsTheFirstAndTheLast) {
  EXPECT_EQ(pick_rows(5, 100), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(pick_rows(10, 4), (std::vector<std::int64_t>{0, 3, 6, 9}));
  EXPECT_EQ(pick_rows(11, 4), (std::vector<std::int64_t>{0, 4, 8, 10}));
  EXPECT_EQ(pick_rows(1, 4), (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(pick_rows(0, 4).empty());
  for (std::int64_t n = 2; n < 60; ++n) {
    for (std::int64_t most = 2; most < 20; ++most) {
      const std::vector<std::int64_t> rows = pick_rows(n, most);
      EXPECT_LE(static_cast<std::int64_t>(rows.size()), most) << n;
      EXPECT_EQ(rows.back(), n - 1);
    }
  }
}

}  // namespace
}  // namespace stickslip
