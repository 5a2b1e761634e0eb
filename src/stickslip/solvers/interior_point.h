// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/newton_system.h"

namespace stickslip {

// A primal-dual interior point method for cone problems, with Nesterov-Todd scaling [Nesterov1997] and Mehrotra's
// predictor and corrector [Mehrotra1992], as for second-order cone programmes [Vandenberghe2010], [Acary2024]:
//
//   find p, u:  u = W p + b + s e_N,   x = w S p in L,   y = S^-1 u in L,   x o y = 0,   S = diag(mu, 1, ..., 1),
//
// L the Lorentz cone, o its Jordan product and w the mean diagonal of W_ii, so that x is a velocity as y is. For the
// associated law s = 0, for the exact one s = mu |u_T|, De Saxce's shift, taken anew from y at each iteration. With the
// scaling N, N y = N^-1 x = lambda, the linearised x o y = sigma m e becomes
//
//   du = S N^-1 (lambda \ r) - w S N^-2 S dp,   r = sigma m e - lambda o lambda - (N^-1 dx_a) o (N dy_a)
//
// and with u + du = W (p + dp) + b + s e_N the symmetric positive definite system
//
//   (W + w S N^-2 S) dp = S N^-1 (lambda \ r) - (W p + b + s e_N - u),
//
// one factorisation (BlockLu) an iteration, the same pattern throughout, so that it is analysed once.
//
// Where we deviate from the sources, and why:
//   - The derivative of the shift, mu e^T du_T with e = y_T / |y_T|, is taken along: S on the left of both equations
//     gets -mu e^T in its first row, at the price of the symmetry that BlockLu does not need. It takes half the
//     iterations that a shift held in each needs, and as many as the associated law. After a short step the shift is
//     held once and the direction centred.
//   - A contact without friction is L of one dimension; the friction rows of one with mu = 0 are held at zero.
//   - A ball |p| <= R is L with x = (R, p) and dx_0 = 0; y_0 is then a multiplier.
//   - Free rows have no cone: u = 0.
//
// The last digits are left to Newton's method: the iterate turns ill-conditioned where contacts are redundant. The
// start is central, whatever the starting guess: interior points have no use for one.
class InteriorPoint {
 public:
  /// run() asks `stop` and throws Interrupted where it is raised.
  explicit InteriorPoint(StopToken stop = {}, SharedDelassus* shared = nullptr) : delassus_(stop, shared), lu_(stop) {}

  /// Why the method cannot take such a problem: several friction blocks at a contact, polygons.
  static const char* find_reason_to_refuse(const ConeProblem& problem);

  /// Steps until the judged residual is at the tolerance, no longer falls, or after max_iterations; returns how many.
  /// The iterate is left at the best of these steps: what came before may have a lower residual and yet be farther from
  /// the solution.
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate);

  /// The same in parts: start(); advance(), which goes on where the last one ended, until is_finished(); leave(). Once
  /// some steps have been short, as hardly any is where the method converges, advance() ends where its operations have
  /// come to max_operations.
  void start(const ConeProblem& problem, const Iterate& iterate);
  int advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
              const Deadline& deadline, Iterate& iterate);
  bool is_finished() const { return is_finished_; }
  void leave(Iterate& iterate) const;
  /// Multiply-adds of a step's factorisation, by the pattern alone, and what else it costs in such; known from start()
  /// on.
  double n_operations() const { return lu_.n_operations() + NewtonSystem::kOperationsOfARow * lu_.n_rows(); }

 private:
  static constexpr int kMaxDim = kMaxConeDim + 1;  // a ball has a row more
  using Rows = std::array<double, kMaxDim>;
  /// One cone's L and its scaling N, eta times the hyperbolic Householder matrix of w.
  struct State {
    int dim = 0;             // of L; 0: the rows are free
    std::size_t offset = 0;  // its first row in x_, y_ and their like
    int n_held = 0;          // rows of the cone behind those of L that are held at zero
    bool is_ball = false;    // then row r of the cone is row r + 1 of L
    double mu = 1.0;         // [-] of the first row
    double mass = 1.0;       // [1/kg] x = mass S p: the mean diagonal of W_ii makes x a velocity
    double eta = 1.0;        // [-]
    Rows w = {};             // [-] w^T J w = 1
    Rows lambda = {};        // [m/s]
    Rows slip = {};          // [-] e, under the exact law
  };

  bool step(const ConeProblem& problem, Iterate& iterate);
  void add_state(const ConeProblem& problem, const Cone& cone, double mass, double speed);
  bool calc_scaling(State& state) const;
  void calc_slips(bool is_held);
  bool factorize(const ConeProblem& problem);
  void calc_block(const State& state, int dim, double* block) const;
  void calc_direction(const ConeProblem& problem, double target, bool is_corrector);
  void solve(const ConeProblem& problem);
  double calc_longest_step() const;
  double calc_gap(double step) const;
  void calc_defect(const ConeProblem& problem);
  void move(const ConeProblem& problem, double step);

  SharedDelassus delassus_;
  BlockLu lu_;
  std::vector<int> dims_;                       // (n_cones)
  std::vector<State> states_;                   // (n_cones)
  int n_lorentz_ = 0;                           // how many L there are
  std::vector<double> x_, y_, dx_, dy_;         // rows of L [m/s]
  std::vector<double> corrector_;               // rows of L [m2/s2] (N^-1 dx_a) o (N dy_a)
  std::vector<double> scaled_;                  // rows of L [m/s] N^-1 (lambda \\ r)
  std::vector<double> p_, dp_;                  // (n) [N s]
  std::vector<double> best_p_;                  // (n) [N s] the judged one of least residual
  std::vector<double> defect_;                  // (n) [m/s] W p + b + s e_N - u
  std::vector<double> right_, product_, work_;  // (n) [m/s] of the linear system, scratch
  int idle_ = 0;                                // [-] iterations without a lower residual
  double least_ = 0.0;                          // [m/s] the judged one of best_p_
  double last_step_ = 1.0;                      // [-]
  bool is_finished_ = false;
  int n_short_ = 0;  // [-] steps shorter than kJammed
};

}  // namespace stickslip
