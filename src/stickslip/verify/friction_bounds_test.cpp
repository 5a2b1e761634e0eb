// SPDX-License-Identifier: BSD-3-Clause
// Friction that depends on the slip is held against its law, and what is beyond it is found.
#include <gtest/gtest.h>

#include <string>

#include "stickslip/verify/verify.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_run.h"

namespace stickslip {
namespace {

/// A ball that slides and begins to roll on a floor.
std::string sliding_ball(const std::string& scheme, const std::string& friction, bool is_detected) {
  std::string text = R"(stickslip = 1
time = {end = 0.02, step = 1e-3}
scheme = {type = ")" +
                     scheme + R"("}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], surface_velocity = [0.2, "t", 0]}
[bodies.ball]
density = 1000
position = [0, 0, 0.1]
velocity = [1, 0.5, 0]
shapes.hull = {type = "sphere", radius = 0.1}
)";
  text += is_detected ? "[contact_default]\n" : "[[contacts]]\nbetween = [\"floor\", \"ball\"]\n";
  return text + "friction = " + friction + "\n";
}

constexpr const char* kLaws[] = {"{static = 0.5, kinetic = 0.2}", "\"0.1 + 0.3*exp(-v/0.5)\"",
                                 "{x = 0.2, y = 0.4, direction = [1, 1, 0]}"};

TEST(VerifiedFriction, IsSoundByItsLaw) {
  const test::TemporaryFolder folder;
  for (const std::string scheme :
       {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation", "event-driven"}) {
    for (const std::string law : kLaws) {
      for (const bool is_detected : {false, true}) {
        if (scheme == "event-driven" && is_detected) continue;
        if (scheme == "relaxation" && law.starts_with("{static")) continue;
        test::write_run(folder / "r.h5", sliding_ball(scheme, law, is_detected));
        const Verification found = verify_result(folder / "r.h5");
        EXPECT_EQ(found.n_false, 0) << scheme << " " << law << "\n" << describe(found);
      }
    }
  }
}

TEST(VerifiedFriction, BeyondItsLawIsFound) {
  const test::TemporaryFolder folder;
  const auto rub_more = [](State&, StepReport& report) {
    ContactReport& contact = report.contacts[0];
    for (const std::size_t i : {1, 2}) contact.percussion[i] *= 1.02;
    return contact.percussion[0] > 0.0;
  };
  for (const std::string law : kLaws) {
    for (const bool is_detected : {false, true}) {
      ASSERT_TRUE(test::write_run(folder / "r.h5", sliding_ball("moreau", law, is_detected), 10, rub_more));
      const Verification found = verify_result(folder / "r.h5");
      EXPECT_GT(found.n_false, 0) << law;
      EXPECT_EQ(found.first.what, "cone") << law << "\n" << describe(found);
    }
  }
}

}  // namespace
}  // namespace stickslip
