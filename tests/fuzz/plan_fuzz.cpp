// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the plan of a sweep: they are a plan, whose rows have finite values and whose text is a plan with the
// same rows, or they are answered with an InputError. No scene is read.
//
//   build/asan/fuzz/plan_fuzz -max_total_time=60 -max_len=4096 NEW_CORPUS tests/fuzz/plan_corpus
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/sweep/plan.h"
#include "stickslip/sweep/portable_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const stickslip::SweepPlan plan = stickslip::parse_plan(text, "plan.toml");
    const stickslip::SweepPlan again = stickslip::parse_plan(stickslip::write_document(plan.document), "again.toml");
    if (again.rows() != plan.rows() || again.width() != plan.width() || plan.width() < 0) std::abort();
    for (const std::int64_t row : {std::int64_t{0}, plan.rows() / 2, plan.rows() - 1}) {
      const auto values = plan.values(row);
      if (values != again.values(row)) std::abort();
      for (const double value : values) {
        if (!std::isfinite(value)) std::abort();
      }
    }
  } catch (const stickslip::InputError&) {
  }
  return 0;
}
