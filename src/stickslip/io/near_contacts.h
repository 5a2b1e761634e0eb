// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// The contacts with varying points of an output instant: those that were closed in the step, or whose gap at its end
/// is within the envelope of their pair (of detected ones, of the scene). A scheme looks only for contacts that its
/// step can close; the envelope may be wider, or bodies may have come into it unexpectedly.
class NearContacts {
 public:
  /// The system must outlive this.
  explicit NearContacts(const System& system);
  /// By ascending id; valid until the next call.
  const std::vector<ContactReport>& find(const State& state, const StepReport& report);

 private:
  double envelope_of(const ContactReport& contact) const {
    return contact.contact >= 0 ? named_[contact.contact] : detected_;
  }

  const System& system_;
  double detected_;            // [m] envelope
  std::vector<double> named_;  // (System::contacts()) [m] likewise
  double largest_;             // [m]
  ContactFinder finder_;
  std::vector<ContactReport> found_;
  BodySnapshot snapshot_;  // of where it looks
  StepReport open_;        // what finder_ found for it
};

/// Percussion on the second body in the world frame, normal and friction together. (3) [N s]
Vector3 world_percussion(const System& system, const ContactReport& contact);

}  // namespace stickslip
