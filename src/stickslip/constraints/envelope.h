// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/step_report.h"

namespace stickslip {

/// Makes the detected contacts of a report, and those of named pairs whose points vary, those of an output instant:
/// all that acted in the step, and all whose gap at its end is within the envelope of their pair (of detected ones, of
/// the scene). A scheme looks only for contacts that its step can close; the envelope may be wider, or bodies may have
/// come into it unexpectedly.
class Envelope {
 public:
  /// The system must outlive this.
  explicit Envelope(const System& system);
  /// Of a step that ended at `state`.
  void complete(const State& state, StepReport& report);

 private:
  bool has(const ContactReport& contact) const;

  const System& system_;
  std::vector<double> named_;  // (System::contacts()) [m] envelope
  double largest_ = 0.0;       // [m] of those whose points vary
  ContactFinder finder_;
  BodySnapshot snapshot_;  // of where it looks
  StepReport near_;        // of one point there
};

}  // namespace stickslip
