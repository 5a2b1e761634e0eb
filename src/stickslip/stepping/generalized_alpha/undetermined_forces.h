// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// Joints that close loops can leave forces undetermined: what lies in the null space of W moves nothing, and no
/// equation of a step holds it. A step whose changes are of least norm keeps what its start values have of it, and
/// their extrapolation from step to step makes that grow, like exp(sqrt(3) w t) where the null space turns at the rate
/// w, whatever the step and rho_inf: from round-off to the end of all digits in a few turns. So forces that a step
/// leaves behind are replaced by those of least norm that move bodies alike,
///   lambda <- lambda - Z (Z^T D Z)^-1 Z^T D lambda,   W Z = 0,   D = diag(W^T M^-1 W),
/// in a norm whose terms are energies. What is in the null space of W is a matter of geometry: Z is found with all
/// masses one, so that a load that goes through light links is no less determined than another.
///
/// Left as they are: loops of more than kMostRows rows, whose dense elimination would take longer than the step, and
/// those whose bodies, or what is joined to them, have a closed contact or a closed limit of a joint, which may bear
/// some of what is undetermined.
class UndeterminedForces {
 public:
  static constexpr int kMostRows = 64;

  /// Finds the joints that loops can be closed by: what is left when joints of bodies that have but one are taken away,
  /// again and again. Bodies that nothing moves count as one.
  explicit UndeterminedForces(const Step& step);

  /// Takes the directions that the step has, and which contacts are closed.
  void find(const Step& step);
  /// Replaces the forces lambda (n_rows) [N] of these joints, at the directions of the last find().
  void remove(Eigen::Ref<Vector> lambda) const;
  /// Both for x.lambda at the instant of a state, for which it sets the joints.
  void settle(Step& step, const State& state);

 private:
  /// Joints whose forces can be exchanged for one another.
  struct Loop {
    int component = 0;          // of bodies that joints hold together
    std::vector<int> elements;  // joints
    std::vector<int> rows;      // (n) of lambda
    std::vector<int> blocks;    // velocity blocks they act on
    std::vector<int> columns;   // (blocks) where these begin in W^T
    RowMatrix W;                // (n, n_u of the blocks) W^T, then what elimination leaves of it
    RowMatrix Z;                // (n, n) its last rows are the null space, orthonormal in the norm of D
    Vector D;                   // (n) [1/kg]
    Eigen::Index n_free = 0;    // rows of Z that are
  };
  void find_null_space(Loop& loop) const;

  std::vector<Loop> loops_;
  std::vector<int> component_;  // (n bodies)
  std::vector<char> touched_;   // (components) whether a contact is closed there
  Vector unit_;                 // (n_u) [-, 1/m] by what velocities are scaled where all masses are one
};

}  // namespace stickslip::generalized_alpha
