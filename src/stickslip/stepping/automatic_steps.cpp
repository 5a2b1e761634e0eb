// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/automatic_steps.h"

#include <limits>

#include "stickslip/base/assert.h"

namespace stickslip {

AutomaticSteps::AutomaticSteps(const StepControlOptions& options, TimeStepper& stepper)
    : control_(options), stepper_(stepper) {
  STICKSLIP_ASSERT(stepper.estimates_errors());
  options.check();
}

Status AutomaticSteps::advance(State& state, double limit, StepReport& report) {
  before_ = state;
  StepSize size = state.step_size;
  for (StepControl::Tries tries;; ++tries.all) {
    plan_ = control_.plan(size, state.t, limit);
    const Status status = stepper_.step(state, plan_.h, plan_.t_end, report);
    StepEstimate estimate;
    if (status != Status::failed) stepper_.estimate_errors(before_, state, estimate);
    const bool solved = status == Status::ok && !estimate.in_parts;
    const StepControl::Verdict verdict = control_.judge(plan_, estimate, solved, tries, size);
    report.rejected = tries.all;
    if (status == Status::failed && verdict != StepControl::Verdict::again) return status;
    if (verdict == StepControl::Verdict::again) {
      if (!solved) ++tries.unsolved;
      state = before_;
      continue;
    }
    const bool after_event = verdict == StepControl::Verdict::after_event;
    if (after_event) stepper_.forget(state);
    report.local_error =
        after_event ? std::numeric_limits<double>::quiet_NaN() : StepControl::smooth_error(plan_, estimate, size);
    state.step_size = size;
    return status;
  }
}

}  // namespace stickslip
