// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/newton_accelerator.h"

namespace stickslip {

// The proximal point method [Rockafellar1976] around semismooth Newton steps, for both laws and all cones. With c the
// present percussions, the next ones solve the regularised problem
//
//   u = W p + b + e D (p - c),   K* contains u + s(u) perp p in K,                    [Acary2018, section 4.4]
//
// D the mean diagonal of each W_ii: its matrix is regular where W is singular (redundant contacts), and its solutions
// with p = c solve the problem itself. Each is found by Newton's method on the equations of natural_map.h, [Alart1991]
// for exact friction, from c.
//
// Where we deviate, and why:
//   - Newton's steps are taken in full, kMaxSteps of them at most, without a line search. On the way from one set of
//     open, sticking and slipping contacts to another the defect rises by orders of magnitude before it falls, and a
//     line search that forbids it ends in steps of no length: full steps need half as many, and solve problems that it
//     does not.
//   - The inner problem need be solved only as well as the outer step is long (kInnerAccuracy).
//   - The parameter e falls where Newton's method was quick and rises where it got stuck; then p goes back to c unless
//     the whole problem's residual fell nevertheless. How fast e falls is learnt from how often it got stuck;
//     where one Newton step was enough, it falls twice.
//   - The iterate with the least residual, projected on the cones, is returned, the starting guess included.
//
// An iteration is a Newton step: one sparse factorisation.
class ProximalNewton {
 public:
  struct Report {
    int iterations = 0;  // [-] Newton steps
    bool is_stuck = false;
  };

  /// Steps ask `stop` and throw Interrupted where it is raised; start() comes next then.
  explicit ProximalNewton(StopToken stop = {}, SharedDelassus* shared = nullptr) : stop_(stop), newton_(stop, shared) {}

  /// Forgets the last problem: to be called once before run() on a new one.
  void start() {
    newton_.start();
    n_stuck_ = 0;
  }

  /// The parameter e to begin with from anywhere, and from near a solution.
  static constexpr double kFirstParameter = 1e-2;
  static constexpr double kPolishParameter = 1e-6;
  /// Newton steps of an inner solve at most.
  static constexpr int kMaxSteps = 8;

  /// Steps from the present iterate, which must have been judged, with e from first_parameter on, until its best
  /// residual is within the tolerance, after max_iterations Newton steps or the deadline, or where the proximal
  /// parameter has left its bounds; and, between two inner solves, where operations() has come to max_operations.
  Report run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
             double first_parameter, const Deadline& deadline, Iterate& iterate);
  /// More steps from where the last run() or resume() on the same problem ended: the same ones, however often it ends
  /// for its operations.
  Report resume(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
                const Deadline& deadline, Iterate& iterate);
  /// Multiply-adds of all factorisations since start().
  double operations() const { return newton_.operations(); }
  /// How many inner solves have got stuck since start().
  int n_stuck() const { return n_stuck_; }

 private:
  enum class Inner { quick, slow, stuck };

  Report advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
                 const Deadline& deadline, Iterate& iterate);
  Inner solve_inner(const ConeProblem& problem, const Iterate& iterate, double tolerance, int max_iterations,
                    int& iterations);
  void calc_velocities(const ConeProblem& problem, const Iterate& iterate);
  double calc_way(const ConeProblem& problem, const Iterate& iterate) const;
  void judge(const ConeProblem& problem, Iterate& iterate);

  StopToken stop_;
  NewtonAccelerator newton_;
  double parameter_ = 0.0;          // [-] e
  double fall_ = 0.0;               // [-] what it is multiplied by where an inner solve was quick
  int n_quick_ = 0;                 // [-] such solves in turn
  int n_stuck_ = 0;                 // [-] inner solves that got stuck
  std::vector<double> center_;      // (n) [N s] c
  std::vector<double> p_;           // (n) [N s] need not lie in the cones
  std::vector<double> u_;           // (n) [m/s] of the regularised problem
  std::vector<double> base_;        // (n) [N s] where a Newton step begins
  std::vector<double> best_inner_;  // (n) [N s] of the inner solve
  std::vector<double> work_;        // of W p
};

}  // namespace stickslip
