// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/adhesion.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/implicit_forces.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/model/state.h"
#include "stickslip/model/values_by_id.h"
#include "stickslip/stepping/contact_tolerance.h"
#include "stickslip/stepping/phased_impact.h"
#include "stickslip/stepping/start_impact.h"

namespace stickslip {

/// The mean rate of a joint's motion over a step, by Simpson's rule from rates alone: 0 where the motion jumps.
inline double calc_mean_rate(const Joint& joint, double t, double t_end) {
  const Expression& rate = joint.motion_rate;
  return (rate.value(t) + 4.0 * rate.value(0.5 * (t + t_end)) + rate.value(t_end)) / 6.0;
}

/// What schemes on velocities and percussions share. Constraints are gathered at one instant, and one cone problem in
/// them gives the velocity at the end:
///
///   u' = u_free + M^-1 J^T p,   xi = J u' + tau + added,   the laws between xi and p.
///
/// A scheme's own is where constraints are gathered, what u_free is, what it adds, and how positions follow.
class VelocityStep {
 public:
  /// NaN, reported for accelerations and impulses, which such schemes do not compute.
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  /// system and solver must outlive this. eases: many contacts are solved to the looser tolerance of
  /// calc_contact_tolerance(), else to the solver's own.
  VelocityStep(const System& system, ConeSolver& solver, StopToken stop, bool eases = false);

  /// Solves to min(own tolerance, this) and judges by the own tolerance. [-]
  void solve_to(double tolerance) { nearest_ = tolerance; }

  ContactFinder& contacts() { return contacts_; }
  ConstraintSet& constraints() { return constraints_; }
  ConeSolution& solution() { return solution_; }
  const Vector& u_end() const { return u_end_; }  // (n_u) [m/s, rad/s]
  std::span<const double> gamma_end() const {
    return added_.empty() ? solution_.u : gamma_end_;
  }  // (n) [m/s] J u' + tau

  /// Contacts are looked for up to a gap of `envelope` [m], and up to which they attract.
  void look_within(double envelope) { contacts_.set_envelope(std::max(envelope, adhesion_.reach())); }

  /// TimeStepper::initialize() of a scheme that remembers percussions.
  void initialize(State& state, StepReport& report);

  /// What a step starts from: the state, in the first step of a run with velocities that joints allow (StartImpact).
  const State& settle_start(const State& state);

  /// Whether contacts attract, which find_adhesion() is for.
  bool has_adhesion() const { return adhesion_.exists(); }
  /// Sets what contacts of the finder do at an instant, in this step, to be added to applied forces.
  void find_adhesion(const BodySnapshot& at);
  /// (n_u) [N, N m] Where there is some.
  const Vector& adhesion() const { return adhesive_; }

  /// Whether joints have servos: their coordinates are then to move by the velocities at the end of the step.
  bool has_servos() const { return servos_.have_rows(); }
  /// Begins their rows for a step from a state to t_end; false: the report says what is not finite.
  bool begin_servos(const State& state, double t_end, StepReport& report);
  /// Adds what a caller and servos put on bodies and in joints, as far as it is known before the step.
  void add_input_forces(const Inputs& inputs, double t, const Vector& q, Vector& h) const {
    system_.add_input_forces(inputs, t, q, h);
    system_.add_input_forces(servos_.known(), t, q, h);
  }

  /// Whether inputs, and prescribed motions at `times` [s], are finite; else the report says which is not.
  bool are_given_finite(const Inputs& inputs, std::initializer_list<double> times, StepReport& report) const;

  /// Whether a step of length h takes stiff forces implicitly.
  bool is_implicit(const State& state, double h) { return implicit_.are_needed(state, h); }
  /// Takes them implicitly for the rest of the step. u_free of a step from a state to t_end, where u_work (n_u) [m/s,
  /// rad/s] is u after the gyroscopic term: u + M_hat^-1 (M (u_work - u) + h f(t^, q^, u) - h^2/2 K u).
  void calc_implicit_free_velocity(const State& state, const Inputs& inputs, double h, double t_end,
                                   const Vector& u_work, Vector& u_free);

  /// Finds where joints lead bodies that may carry others in a step of length h from `at`, before constraints are
  /// gathered there: for schemes that put positions right.
  void look_ahead(const BodySnapshot& at, double h);

  /// Velocities that the scheme adds to the gathered rows (n); empty: all zero. [m/s]
  std::vector<double>& added() { return added_; }
  /// Magnitudes of the terms of added(), for its round-off. (n) [m/s]
  std::vector<double>& added_sizes() { return added_sizes_; }

  /// Tolerance of the last solve; overlap that it allows, as a share of the smaller body, 0 without easing. [-]
  double tolerance() const { return tolerance_; }
  double admitted_overlap() const { return eases_ ? calc_admitted_overlap(tolerance_) : 0.0; }

  /// The next solve of this step starts from the percussions of the last one, not from those of the step before.
  void go_on();
  /// Solves for p, and sets u'. u_free (n_u) [m/s, rad/s]. failed: nothing is set, the report says why.
  Status solve(const Vector& u_free, const State& state, StepReport& report);

  /// The same of an impact at the velocities u that the constraints were gathered with, without forces. e (cones): of
  /// contacts whose impact has two phases, where they close; below 0 of others.
  Status solve_impact(const Vector& u, std::span<const double> e, const State& state, StepReport& report);
  /// Counts percussions (n) [N s] of an impact at the start of the step, whose velocities u_free has, with those of the
  /// last solve.
  void add_percussions(std::span<const double> p);

  /// Adds to a ledger what forces that are not conservative do at (t, q, u), and what contacts and dry friction take,
  /// over a step of length h. The step balances M (u' - u_work) = h f + J^T p, u_work being u after a gyroscopic term
  /// that does no work; times (u' + u_work) / 2 that is the change of kinetic energy. So the work of a percussion over
  /// the step is p . (gamma(u_work) + gamma') / 2; what prescribed motions put in, p . tau, counts as work. Joints
  /// dissipate nothing: what they take because the scheme bends their directions in steps stays visible as error of the
  /// balance. The problem is done with: its b has room for gamma(u_work).
  void account_energy(const Inputs& inputs, double t, const Vector& q, const Vector& u, const Vector& u_work, double h,
                      EnergyLedger& ledger);

  /// The instant of the directions of implicit forces: the middle of the step, by the velocities at its start.
  double t_ahead() const { return t_ahead_; }
  const Vector& q_ahead() const { return q_ahead_; }
  /// What applied forces added to M u in an implicit step: M (u' - u_work) without percussions. (n_u) [N s, N m s]
  void calc_implicit_impulse(const Vector& u_work, Vector& impulse);

  /// Work of contacts in the last account_energy().
  const ContactWork& contact_work() const { return contact_work_; }

  /// Reports what acted in a step of length h, with the impact at its start, and drives of joints at (t, q, u), and
  /// keeps what the next step starts from. `impulse` (n_u) [N s, N m s]: what applied forces added to M u in the step;
  /// null: not known. Constraints and solution are then done with.
  void report_forces(double h, const Inputs& inputs, double t, const Vector& q, const Vector& u, const Vector* impulse,
                     StepReport& report);
  /// Reports where all is at the end of the step.
  void report_places(const BodySnapshot& end, StepReport& report) const;
  /// Last call of a step: moves the state to its end. Before it the step can be abandoned.
  Status finish(const EnergyLedger& energy, const Vector& q_end, double t_end, State& state, StepReport& report);

 private:
  /// Joint forces that are not rows of the step's problem.
  JointSprings springs() const { return is_implicit_ ? JointSprings::left_out : JointSprings::included; }
  Status fly(const Vector& u_free, StepReport& report);
  void set_end(const Vector& u_free);
  int count_pairs();
  void account_contacts(double h, std::span<const double> gamma_work, std::span<const double> gamma_end);

  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  bool eases_;
  double tolerance_;                                          // [-]
  double nearest_ = std::numeric_limits<double>::infinity();  // [-] asked of the solver where tolerance_ is looser
  ContactFinder contacts_;
  ConstraintSet constraints_;
  bool has_motions_;  // whether a body or a surface moves as prescribed
  StartImpact start_impact_;
  PhasedImpact phased_;
  ImplicitForces implicit_;
  Adhesion adhesion_;
  ServoRows servos_;
  bool is_implicit_ = false;  // in this step

  // Workspace, kept from step to step.
  BodySnapshot ahead_;
  const std::vector<ContactPoint> no_points_;
  ConeSolution solution_;
  ContactWork contact_work_;
  std::vector<double> added_, added_sizes_;  // (n) [m/s]
  std::vector<double> gamma_end_;           // (n) [m/s] of u_end_; none where nothing is added: it is u of the solution
  std::vector<std::pair<int, int>> pairs_;  // of bodies: workspace of count_pairs()
  ValuesById warm_;                         // of the next solve of this step, then of the next step
  bool goes_on_ = false;                    // in this step
  Vector u_end_, force_, nonconservative_;  // (n_u)
  Vector adhesive_;                         // (n_u) [N, N m] or none
  Vector q_dot_, q_ahead_;                  // (n_q) of implicit steps
  double t_ahead_ = 0.0;                    // [s] the instant of q_ahead_
};

}  // namespace stickslip
