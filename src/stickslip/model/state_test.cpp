// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/state.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>

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
  // One contact or constraint of every size that a cone can have, and beyond.
  for (std::size_t dim = 1; dim <= 8; ++dim) {
    for (double& p : state.warm.add({dim * dim, dim}, dim)) p = 0.1 * static_cast<double>(dim) - 0.2;
  }
  state.warm.add({kDryFrictionBit, 0}, 4).back() = -0.0;
  state.contacts.add({kDetectedBit + 5, 7}, 9)[2] = 1e-310;
  state.contacts.add({kDetectedBit + 5, 8}, 24)[23] = 3.0;
  state.energy = {1.5, -0.25, 0.125};
  state.step_size = {1e-3, 4.0, 9.81, 0.5, 1e-5};
  const BodyInput thruster{7, Vector3(1, -0.0, 3), Vector3(4, 5, 1e-310), Vector3(-1, 0.5, 2), 0.25, true};
  state.inputs.assign({{2, Vector3(0.1, 0.2, 0.3)}, thruster}, {{1, -2.5}, {4, 1e300}});
  state.remembered_inputs.assign({}, {{1, 2.5}});
  state.presence = {Presence::gone, Presence::entering};
  state.draws = {17};
  state.told = {1};
  state.joint_loads = Vector3(3.5, 0.0, 2.0);
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
  EXPECT_EQ(after.presence, before.presence);
  EXPECT_EQ(after.draws, before.draws);
  EXPECT_EQ(after.told, before.told);
  EXPECT_EQ(after.joint_loads, before.joint_loads);
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
  for (const int version : {0, 1, 2, 3, 4, 5, 6, 7, 9}) {
    bytes[8] = static_cast<std::byte>(version);
    try {
      state_from_bytes(bytes);
      ADD_FAILURE() << version;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()),
                "a saved state has version " + std::to_string(version) + ", this program reads version 8 only");
    }
  }
}

// What a step starts from is looked up by halving: ids that do not ascend are no state.
TEST(StateBytes, RefusesIdsThatDoNotAscend) {
  State state;
  state.warm.add({7, 0}, 1);
  state.warm.add({9, 0}, 1);
  std::vector<std::byte> bytes = to_bytes(state);
  constexpr std::size_t kFirstId = 8 * (4 + 3 + 1);  // magic, version, t, step; q, u, memory; how many
  ASSERT_EQ(bytes[kFirstId], std::byte{7});
  bytes[kFirstId] = std::byte{8};
  EXPECT_EQ(state_from_bytes(bytes).warm.ids()[0], (ElementId{8, 0}));
  bytes[kFirstId] = std::byte{9};
  EXPECT_THROW(state_from_bytes(bytes), InputError);
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
