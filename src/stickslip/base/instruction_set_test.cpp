// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/instruction_set.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

class ChosenInstructionSet : public testing::Test {
 protected:
  void TearDown() override { unsetenv("STICKSLIP_ISA"); }
};

TEST_F(ChosenInstructionSet, TheVariableDecides) {
  const InstructionSet best = choose_instruction_set();
  setenv("STICKSLIP_ISA", "sse2", 1);
  EXPECT_EQ(choose_instruction_set(), InstructionSet::sse2);
  setenv("STICKSLIP_ISA", std::string(instruction_set_name(best)).c_str(), 1);
  EXPECT_EQ(choose_instruction_set(), best);
  setenv("STICKSLIP_ISA", "", 1);
  EXPECT_EQ(choose_instruction_set(), best);
}

TEST_F(ChosenInstructionSet, OthersAreRefusedByName) {
  setenv("STICKSLIP_ISA", "avx3", 1);
  try {
    choose_instruction_set();
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("STICKSLIP_ISA"), std::string::npos) << message;
    EXPECT_NE(message.find("avx3"), std::string::npos) << message;
    EXPECT_NE(message.find("avx512"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace stickslip
