// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/newton_system.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Semismooth Newton on the Fischer-Burmeister function of second-order cones. Problem: find p, u = W p + b with, for
// each contact, L the Lorentz cone and S = diag(mu, 1, ..., 1),
//
//   x = w S p in L,   y = S^-1 (u + s e_N) in L,   x o y = 0,   s = mu |u_T| (exact law) or 0 (associated).
//
// Method: phi(x, y) = x + y - (x o x + y o y)^(1/2) = 0 is the same [Fukushima2002], and strongly semismooth
// [Sun2005]; its generalised derivative (calc_fischer_burmeister) gives Newton's system, one block row a cone
//
//   (phi_x w S) dp + (phi_y d y/d u) W dp = -phi,
//
// solved by a sparse factorisation (NewtonSystem) of one pattern throughout: other than in newton-ac, open contacts
// take part. The merit function 1/2 |phi|^2 is continuously differentiable under the associated law [Chen2005]; under
// the exact one the shift mu |u_T| has a kink where a contact sticks, and a line search that finds no way down there
// ends by its number of halvings.
//
// Equations of other cones: half lines, phi of two numbers; a ball |p| <= R, L with x = w (R, p), y = (t, u) and the
// multiplier t as one more unknown, which is eliminated from its block; free rows, u = 0.
//
// Deviations:
//   - W + e D, D the mean diagonals, stands for W in the derivative, after the regularisation of [Hayashi2005]: e rises
//     where no length of the step lowers the merit function, and falls where the full step does.
//   - The merit function may rise above its last value, not above the largest of the last five [DeLuca1996]: a quarter
//     fewer steps.
//   - w, the mean diagonal of W_ii, makes x a velocity as y is.
//   - p need not lie in the cones on the way; what is judged and returned is its projection.
//
// For the exact law the problem is not monotone, and then the merit function may have minima that are no solutions.
class FischerBurmeister {
 public:
  /// Steps ask `stop` and throw Interrupted where it is raised; start() comes next then.
  explicit FischerBurmeister(StopToken stop = {}, SharedDelassus* shared = nullptr) : system_(stop, shared) {}

  /// Begins at the present iterate, which must have been judged, and keeps its rows.
  void start(const ConeProblem& problem, Iterate& iterate);
  /// Steps until the best residual is within the tolerance, after max_iterations or the deadline, where
  /// operations() has come to max_operations or is_stuck(); goes on where the last call ended. Returns how many.
  int advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
              const Deadline& deadline, Iterate& iterate);
  /// Whether the proximal term has left its bounds.
  bool is_stuck() const;
  /// Multiply-adds of all factorisations since start().
  double operations() const { return system_.operations(); }

 private:
  /// The merit function may rise above its last values, not above the largest of so many. [DeLuca1996]
  static constexpr int kMemory = 5;
  /// One cone's x and y, phi and its derivative in p and u.
  struct Local;
  void linearise(const ConeProblem& problem, int i, Local& local) const;
  void linearise_contact(const ConeProblem& problem, const Cone& cone, double w, Local& local) const;
  void linearise_ball(const Cone& cone, double w, double t, Local& local) const;
  double calc_defect(const ConeProblem& problem);
  bool calc_step(const ConeProblem& problem);
  double move(const ConeProblem& problem, double length);

  NewtonSystem system_;
  const DelassusRows* rows_ = nullptr;
  double proximal_ = 0.0;                     // [-] e
  std::array<double, kMemory> defects_ = {};  // [m/s] |phi| after the last steps
  int n_accepted_ = 0;                        // [-] steps that had a length
  std::vector<double> p_;                     // (n) [N s]
  std::vector<double> u_;                     // (n) [m/s] W p + b
  std::vector<double> t_;                     // (n_cones) [m/s] multipliers of balls
  std::vector<double> base_p_;                // (n) [N s] where the step begins
  std::vector<double> base_t_;                // (n_cones) [m/s]
  std::vector<double> dp_;                    // (n) [N s] the step
  std::vector<double> du_;                    // (n) [m/s] W dp
  std::vector<double> dt_;                    // (n_cones) [m/s]
  std::vector<double> work_;                  // of W p
  double last_ = 0.0;                         // [m/s] |phi| where move() went last
};

}  // namespace stickslip
