// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/state.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "stickslip/base/input_error.h"
#include "stickslip/model/contact.h"

namespace stickslip {
namespace {

State example() {
  State state;
  state.t = 0.1 + 0.2;
  state.step = 3;
  state.q = Vector::LinSpaced(7, -1.0, 1.0 / 3.0);
  state.u = Vector::LinSpaced(6, 1e-310, 1e300);
  state.u(2) = -0.0;
  state.memory = Vector::Constant(2, std::numeric_limits<double>::quiet_NaN());
  state.warm = {{1, {0.1, -0.2, 0.3, 0.0}}, {std::uint64_t{1} << 63, {1.0, 2.0, 3.0, 4.0}}};
  state.contacts = {{kDetectedBit + 5, {1.0, -2.0}, {0.1}, {3.0, 0.0, 0.0, 4.0}}};
  state.energy = {1.5, -0.25, 0.125};
  state.step_size = {1e-3, 4.0, 9.81, 0.5, 1e-5};
  const BodyInput thruster{7, Vector3(1, -0.0, 3), Vector3(4, 5, 1e-310), Vector3(-1, 0.5, 2), 0.25, true};
  state.inputs.assign({{2, Vector3(0.1, 0.2, 0.3)}, thruster}, {{1, -2.5}, {4, 1e300}});
  state.remembered_inputs.assign({}, {{1, 2.5}});
  return state;
}

TEST(StateBytes, ComeBackBitForBit) {
  const State before = example();
  const std::vector<std::byte> bytes = to_bytes(before);
  const State after = state_from_bytes(bytes);
  EXPECT_EQ(to_bytes(after), bytes);
  EXPECT_EQ(after.t, before.t);
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.q, before.q);
  EXPECT_EQ(after.u, before.u);
  EXPECT_TRUE(std::signbit(after.u(2)));
  ASSERT_EQ(after.memory.size(), 2);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(after.memory(0)), std::bit_cast<std::uint64_t>(before.memory(0)));
  EXPECT_EQ(after.warm, before.warm);
  EXPECT_EQ(after.contacts, before.contacts);
  EXPECT_EQ(after.energy, before.energy);
  EXPECT_EQ(after.step_size, before.step_size);
  EXPECT_EQ(after.inputs, before.inputs);
  EXPECT_EQ(after.remembered_inputs, before.remembered_inputs);
}

TEST(StateBytes, EmptyStateComesBack) {
  const std::vector<std::byte> bytes = to_bytes(State{});
  EXPECT_EQ(to_bytes(state_from_bytes(bytes)), bytes);
}

TEST(StateBytes, RefusesEveryTruncation) {
  const std::vector<std::byte> bytes = to_bytes(example());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW(state_from_bytes(std::span(bytes).first(n)), InputError) << n;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(state_from_bytes(longer), InputError);
}

TEST(StateBytes, RefusesAnotherVersion) {
  std::vector<std::byte> bytes = to_bytes(example());
  bytes[8] = std::byte{5};
  EXPECT_THROW(state_from_bytes(bytes), InputError);
  bytes[8] = std::byte{0};
  EXPECT_THROW(state_from_bytes(bytes), InputError);
}

TEST(StateBytes, ReadsTheVersionBeforeAutomaticSteps) {
  State before = example();
  before.inputs.clear();
  before.remembered_inputs.clear();
  std::vector<std::byte> bytes = to_bytes(before);
  bytes[8] = std::byte{2};
  EXPECT_THROW(state_from_bytes(bytes), InputError);
  bytes.resize(bytes.size() - (5 + 4) * 8);
  before.step_size = {};
  EXPECT_EQ(to_bytes(state_from_bytes(bytes)), to_bytes(before));
}

// Lengths that would overflow or exhaust the memory must be seen before anything is allocated.
TEST(StateBytes, AnyBytesEitherReadOrAreRefused) {
  std::mt19937_64 random(20240229);
  const std::vector<std::byte> good = to_bytes(example());
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<std::byte> bytes = good;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    try {
      const State state = state_from_bytes(bytes);
      EXPECT_EQ(to_bytes(state), bytes);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace stickslip
