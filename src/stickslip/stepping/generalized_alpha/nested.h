// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/stepping/generalized_alpha/newton.h"
#include "stickslip/stepping/generalized_alpha/step.h"
#include "stickslip/stepping/generalized_alpha/stiff_joints.h"

namespace stickslip::generalized_alpha {

/// The equations of a step as three nested cone problems with the same Delassus operator W^T M^-1 W:
///   velocity      K* contains xi + s(xi), perpendicular to P in K,      over the contacts in A    (131), (137)
///   acceleration  the same between gamma_dot and lambda,                over those in B           (134), (140)
///                 in sliding the normal row only, with lambda_F = -mu lambda_N n
///   position      0 <= g, perpendicular to kappa_hat >= 0,              over the contacts in A    (128)
/// joints as free cones. Each pass solves all three at the present (q', u', a'), by the cone solver, and moves u', a',
/// q' by the percussions; the levels act on each other only through the motion, O(dt), so passes contract fast.
/// Changes of the stiff forces of joints are unknowns of the acceleration level, see StiffJoints. Takes redundant
/// contacts and many of them, where the dense system of Newton's method is singular or too large.
class Nested {
 public:
  /// Step::work of an iteration of the cone solver, by row. [-] More leaves steps inexact, less lets the solver take
  /// longer than a step should: bench/results/constants.md.
  static constexpr double kWorkOfRow = 6.0;

  Nested(const Step& step, ConeSolver& solver);

  /// Passes from step.x, which must be evaluated; stops where the step is solved, and after a pass in which a level was
  /// not solved. The iterate with the least error is kept. `many` contacts: in front of each pass the position level is
  /// repeated alone, cheaply, until it closes no more contacts, and sliding contacts are settled in one problem.
  StepSolve solve(Step& step, int max_passes, bool many);
  /// One pass from step.x, which must be evaluated. Velocities obey the law of impact, forces and percussions are
  /// balanced, in the directions of step.x; index sets are left to evaluate_as_is(). Where friction jams bodies, with
  /// percussions that no kinetic energy explains, it is left out among all that hangs together with them, and so is
  /// restitution.
  void settle(Step& step);
  /// Whether the last settle() left laws of an element unsolved, or found it jammed.
  bool is_stuck(int element) const { return is_stuck_[element] != 0; }
  /// [m/s] Above zero: no percussions give the velocities that contacts and joints need, by a proof, with the
  /// directions of the last pass, and this is what they miss at least. `bound` [N s] as SolveReport::bound.
  double violation() const { return impact_.violation; }
  void forget_proof() { impact_ = {}; }
  /// The report that violation() and bound() read.
  const SolveReport& proof() const { return impact_; }
  void set_proof(const SolveReport& proof) { impact_ = proof; }
  double bound() const { return impact_.bound; }

  /// By how much inputs that are not the remembered ones change accelerations and forces of joints at the instant of a
  /// state, contacts and dry friction aside: in step.x.a and step.x.lambda.
  void calc_jump(Step& step, const State& state);

 private:
  /// Friction of an element in the problem of a level: none, all, or what sticks; then friction that slides has a row
  /// along its slip (along), or is held (held).
  enum class Friction { none, all, along, held };
  /// Which rows of a friction set are in a problem.
  enum class SetRows : std::uint8_t { none, along, all };
  /// Rows of one element in the problem of one level: its first ones, or its normal and those of its friction sets.
  struct Rows {
    int element;
    int n;       // of the problem
    int offset;  // in the problem
    bool first;  // the first n rows of the element, as they are
    std::array<SetRows, kMaxFrictionSets> sets;
  };

  void clear();
  void add_cone(const Step& step, int element, int n, Friction friction, double radius);
  void add_contact(const StepElement& e, const Rows& rows);
  template <class Plain, class Along>
  static void for_rows(const StepElement& e, const Rows& rows, Plain&& plain, Along&& along);
  void scatter(const Step& step, const Rows& rows, const double* values, double* p) const;
  void contract(const Step& step, const Rows& rows, const double* w, double* values) const;
  void take_solution(const Step& step, Vector& multipliers) const;
  void solve_level(Step& step, double allowed);
  void mark_stuck(const Step& step, double allowed);
  double calc_allowed(const Step& step, Level level) const;
  void velocity_pass(Step& step);
  bool classify_percussions(Step& step);
  void acceleration_pass(Step& step);
  void solve_accelerations(Step& step);
  void settle_sliding(Step& step);
  void settle_many_sliding(Step& step);
  void get_sliding_normals(const Step& step, std::vector<double>& y) const;
  void hold_sliding(const Step& step, const double* y);
  void newton_on_sliding(Step& step);
  void set_sliding_friction(const StepElement& e, double normal, double* p);
  void push(const StepElement& e, const Rows& rows, double push);
  double set_sliding_forces(const Step& step);
  void position_pass(Step& step, const Vector& residual);
  void close_contacts(Step& step);
  void set_multipliers(Step& step) const;
  bool find_jammed(const Step& step);
  void pass(Step& step);

  ConeSolver& solver_;
  ConeProblem problem_;
  std::vector<int> delassus_body_;  // per body of the system: index in the Delassus operator, -1 without velocities
  StiffJoints stiff_;
  bool has_stiff_rows_ = false;  // in the problem
  ConeSolution solution_;
  std::vector<Rows> rows_;
  Unknowns best_;
  SetHistory history_;                  // of the passes of the last solve(), `many`
  std::vector<char> is_stuck_;          // (elements) by the last settle(), else empty
  DisjointSets components_{0};          // of bodies that closed elements hold together, find_jammed()
  std::vector<double> energy_;          // [J] by component: what may be moved less what is
  std::vector<double> allowed_energy_;  // (bodies) what an impact can have of it, of which energy_ is left
  std::vector<double> heaviest_;        // [kg] by component
  std::vector<int> sliding_;            // elements: contacts that slide on the acceleration level
  std::vector<double> push_;  // (sliding_) [m/s^2] see settle_many_sliding; empty: their normal rows alone are solved
  bool along_ = false;        // pushed contacts have the friction row along the slip alone
  // (sliding_) [N] their normal forces before and after a solution, and moved for a difference.
  std::vector<double> held_, found_, moved_;
  double allowed_acceleration_ = 0.0;      // [m/s^2] residual of the level; 0: in relation to its own values
  bool many_ = false;                      // sliding contacts are settled as many
  SolveReport last_, impact_;              // of the last level, and of the last velocity level
  bool exact_ = true;                      // every solve met the solver's tolerance
  Vector free_;                            // (n_u) M^-1 of the residual of the level
  Vector change_, response_, work_;        // (n_u)
  Vector change_u_, change_a_, change_v_;  // (n_u)
  Vector P_, lambda_, kappa_hat_;          // the new multipliers
  Vector last_P_;                          // P at the iterate
  Vector least_lambda_, least_change_a_;   // see settle_many_sliding
};

}  // namespace stickslip::generalized_alpha
