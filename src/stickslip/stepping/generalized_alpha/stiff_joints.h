// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// Springs, dampers and servos of joints as rows of the acceleration level, so that passes contract at any stiffness.
/// With k and d the slopes of what acts along w, the free direction of a joint, the change of the force is an unknown:
///
///   f = -(dt^2 beta' k + dt gamma' d) w^T da,   that is   w^T da + c f = 0,   c = 1 / (dt^2 beta' k + dt gamma' d),
///
/// a free row with a compliance. Each compliance is a body of the operator, of unit mass.
class StiffJoints {
 public:
  /// The system must outlive this. Adds bodies to the operator.
  StiffJoints(const System& system, FactoredDelassus& delassus);

  /// The rows at the iterate, each without a change of its force.
  void begin(const Step& step);
  /// Whether there are any.
  bool exist() const { return !rows_.empty(); }
  void clear() { rows_.clear(); }
  void forget_forces() {
    for (Row& row : rows_) row.force = 0.0;
  }

  /// Adds the rows to a problem of the acceleration level where da is the change so far, behind the others.
  void add_rows(const Vector& da, const std::vector<int>& delassus_body, ConeProblem& problem, std::vector<double>& p);
  /// b of these rows less w^T da.
  void subtract_velocities(const Vector& da, ConeProblem& problem) const;
  /// The changes of forces from the solution.
  void take_solution(const std::vector<double>& p);
  /// Adds factor times the sum of w f. (n_u) [N, N m]
  void add_forces(double factor, Vector& force) const;
  /// Adds M^-1 times that sum for multipliers p of the problem. (n_u)
  void add_response(const std::vector<double>& p, Vector& a) const;

 private:
  struct Row {
    int joint = 0;
    int body = 0;             // of the operator, which is its compliance
    std::size_t values = 0;   // first of w over the velocities of both sides, then of M^-1 w
    double compliance = 0.0;  // [1/kg, 1/(kg m^2)] c scale^2
    double scale = 1.0;       // [-] makes the row as large as one without compliance
    double force = 0.0;       // [N, N m] f
    int offset = 0;           // in the problem
  };
  template <class F>
  void for_sides(const Row& row, F&& f) const;
  double multiply(const Row& row, const Vector& a) const;
  void add_row(const Step& step, int index, double gain);

  const System& system_;
  std::vector<int> joints_;    // that may have rows
  std::vector<int> bodies_;    // (joints_) of the operator
  std::vector<double> gains_;  // (joints_) [kg, kg m^2] dt^2 beta' k + dt gamma' d
  std::vector<Row> rows_;
  std::vector<double> values_;
  Vector work_;      // (n_u) zero between calls
  Vector response_;  // (n_u) M^-1 times a row
};

}  // namespace stickslip::generalized_alpha
