// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include "stickslip/model/system.h"
#include "stickslip/stepping/time_stepper.h"
#include "stickslip/stepping/true_contacts.h"

namespace stickslip {

/// A scheme whose steps are judged by what the scheme does not say itself. Every scheme of a run is one of these.
///
/// - Gaps and penetration are those of the shapes at the end of the step (TrueContacts). A step is inexact whose bodies
///   overlap more than its rows say, or in which a contact acted whose shapes stay apart.
/// - Energy that contacts make (ContactWork). What the residual that the step admits may make of it is taken away. A
///   step is inexact whose contacts share one restitution and make more than kMostMade of the kinetic energy against
///   their law.
///
/// It also keeps what joints bear whose friction follows their load, State::joint_loads: in the first step that of the
/// step itself, or of the start where the scheme knows forces there.
class CertifiedStepper final : public TimeStepper {
 public:
  /// The system must outlive this. tolerance [-]: the solver's, which is that of steps whose scheme names no other.
  CertifiedStepper(std::unique_ptr<TimeStepper> scheme, const System& system, double tolerance = 0.0,
                   ContactReach reach = {});

  std::string_view name() const override { return scheme_->name(); }
  bool knows_accelerations() const override { return scheme_->knows_accelerations(); }
  bool knows_impulses() const override { return scheme_->knows_impulses(); }
  bool knows_applied_impulses() const override { return scheme_->knows_applied_impulses(); }
  bool finds_events() const override { return scheme_->finds_events(); }
  void initialize(State& state, StepReport& report) override;
  [[nodiscard]] Status step(State& state, double h, double t_end, StepReport& report) override;
  bool estimates_errors() const override { return scheme_->estimates_errors(); }
  void estimate_errors(const State& before, const State& after, StepEstimate& estimate) override {
    scheme_->estimate_errors(before, after, estimate);
  }
  void forget(State& state) const override { scheme_->forget(state); }

 private:
  Status make_step(State& state, double h, double t_end, StepReport& report);
  Vector calc_joint_loads(const State& state, const StepReport& report) const;
  bool settle_joint_loads(const Vector& found, Vector& loads) const;
  void judge_contacts(const State& state, StepReport& report);
  void judge_contact_work(double energy_before, StepReport& report) const;

  std::unique_ptr<TimeStepper> scheme_;
  const System& system_;
  double tolerance_;  // [-]
  TrueContacts contacts_;
  TrueContacts::Start start_;   // workspace
  bool has_discs_ = false;      // whether discs roll by joints
  bool follows_loads_ = false;  // whether friction of joints follows their load
  bool has_ellipses_ = false;   // whether friction of some contacts has an ellipse
  State before_;                // at the start of the step, where discs roll
  double fall_energy_ = 0.0;    // [J/s^2] kinetic energy of a fall from rest, over the square of its time
};

}  // namespace stickslip
