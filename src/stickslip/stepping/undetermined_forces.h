// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {

/// Joints that close loops can leave forces undetermined: what lies in the null space of W moves nothing, and no
/// equation of a step holds it. A step whose changes are of least norm keeps what its start values have of it, and
/// their extrapolation from step to step makes that grow, like exp(sqrt(3) w t) where the null space turns at the rate
/// w, whatever the step and rho_inf: from round-off to the end of all digits in a few turns. So forces that a step
/// leaves behind are replaced by those of least norm that move bodies alike,
///   lambda <- D^-1 W^T (W D^-1 W^T)^+ W lambda,   D = diag(W^T M^-1 W),
/// in a norm whose terms are energies, so that units of rows play no part.
class UndeterminedForces {
 public:
  /// Finds the joints that loops can be closed by: what is left when joints of bodies that have but one are taken away,
  /// again and again. Bodies that nothing moves count as one.
  explicit UndeterminedForces(const GeneralizedAlphaStep& step);

  /// Takes the directions that the step has. Asks the step's stop token, and throws Interrupted where it is raised.
  void find(const GeneralizedAlphaStep& step);
  /// Replaces the forces lambda (n_rows) [N] of these joints, at the directions of the last find().
  void remove(Eigen::Ref<Vector> lambda);

 private:
  /// Joints whose forces can be exchanged for one another.
  struct Loop {
    std::vector<int> elements;
    std::vector<int> rows;     // (n) of lambda
    std::vector<double> size;  // (n) [kg^-1/2] the root of D
    Matrix basis;              // (n, n) its first columns an orthonormal basis of the range of D^-1/2 W^T M^-1 W D^-1/2
    Eigen::Index rank = 0;
    Vector y;  // (n) workspace
  };
  static void find_basis(Loop& loop);

  std::vector<Loop> loops_;
};

}  // namespace stickslip
