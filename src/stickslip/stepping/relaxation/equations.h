// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/adhesion.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/model/contact_rows.h"
#include "stickslip/stepping/relaxation/clip.h"
#include "stickslip/stepping/relaxation/relaxation.h"

namespace stickslip {

/// The right-hand side of the relaxed equations of motion (relaxation.h): an evaluation at (t, q, u).
class RelaxationEquations {
 public:
  /// What an evaluation gives.
  struct Rates {
    Vector q_dot;             // (n_q)
    Vector a;                 // (n_u) u' [m/s^2, rad/s^2]
    std::vector<double> e;    // (n) e' [m/s] of the penalty model
    double work = 0.0;        // [W] of forces without potential and of prescribed motions
    double dissipated = 0.0;  // [W] taken by contacts, joints and dry friction; what gives way gives back: < 0
  };

  /// system and solver must outlive this.
  RelaxationEquations(const RelaxationOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  /// Penalty model: deflections e (n) [m] for the next evaluations; null: those in `warm`.
  void set_deflections(const std::vector<double>* e) { given_ = e; }
  /// Deflections of the last evaluation. (n) [m]
  const std::vector<double>& deflections() const { return deflections_; }

  /// Contacts of `points` whose gap is at most `activation` (points) [m] take part. The solver
  /// starts from `warm`, or, where that is null, from solution(), of an evaluation with the same contacts. delta [s]
  /// and zeta as there. Adds the report of the solve to `report`: the worst of all evaluations of a step. False where
  /// it failed.
  bool evaluate(double t, const Vector& q, const Vector& u, const std::vector<ContactPoint>& points,
                std::span<const double> activation, const Inputs& inputs, double delta, double zeta,
                const ValuesById* warm, Rates& rates, StepReport& report);

  const ConstraintSet& constraints() const { return set_; }
  ConstraintSet& constraints() { return set_; }
  /// p: lambda (n) [N, N m], u: eta (n) [m/s^2, rad/s^2], of the last evaluation.
  const ConeSolution& solution() const { return solution_; }
  const BodySnapshot& at() const { return at_; }
  /// The attraction of contacts at the last evaluation, zero without any. (n_u) [N, N m]
  const Vector& adhesion() const { return adhesive_; }

 private:
  void calc_contact_bias(const ContactPoint& point, int cone, double* zeta);
  void fill_problem(const std::vector<ContactPoint>& points, double delta, double zeta);
  Status solve(StepReport& report);
  Status find_forces(double delta, double zeta, const std::vector<ContactPoint>& points, Rates& rates,
                     StepReport& report);
  Status bend(Rates& rates, StepReport& report);

  RelaxationOptions options_;
  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  BodySnapshot at_;
  ConstraintSet set_;
  Adhesion adhesion_;
  ConeSolution solution_;
  ClipInclusion clip_;
  const std::vector<double>* given_ = nullptr;
  std::vector<double> deflections_;
  ContactRows contact_rows_;
  bool has_powers_;                        // whether there are forces but weight and gyroscopic ones
  Vector force_, free_, nonconservative_;  // (n_u)
  Vector adhesive_;                        // (n_u)
  std::vector<double> sizes_;              // (n)
};

}  // namespace stickslip
