// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the text of a linear complementarity problem: they are one, or they are answered with an InputError. A
// problem is stated as a cone problem and, if it is small, solved: whatever its numbers, without end or damage.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/io/lcp_text.h"
#include "stickslip/solvers/lcp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kSmall = 12;       // [-] unknowns
  constexpr int kMaxPivots = 200;  // [-]
  const stickslip::Deadline never(1e300);
  try {
    const stickslip::LcpForm form = stickslip::parse_lcp({reinterpret_cast<const char*>(data), size}, "fuzz.txt");
    if (form.q.size() <= kSmall) {
      (void)stickslip::solve_by_lemke(form.m, form.q, kMaxPivots, never);
      (void)stickslip::solve_by_newton(form.m, form.q, stickslip::Vector::Zero(form.q.size()), 1e-10, kMaxPivots,
                                       never);
    }
    (void)stickslip::make_one_step_problem(form);
  } catch (const stickslip::InputError&) {
  }
  return 0;
}
