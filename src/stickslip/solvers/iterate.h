// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/solvers/delassus_rows.h"

namespace stickslip {

/// p (dim) = the nearest point of its cone.
void project_on_cone(const ConeProblem& problem, const Cone& cone, double* p);
/// p (n) = the nearest point of the cones.
void project_on_cones(const ConeProblem& problem, std::span<double> p);

/// Whether an answer is within the tolerance and needs no polish: its residual is about ten times round-off, or the
/// tolerance is loose.
bool is_polished(const Residual& residual, Tolerance tolerance);

/// What an iterative solver works on: the percussions p, the operator row by row, and the best iterate judged so far
/// (by Residual::defect()), which the solver returns.
class Iterate {
 public:
  /// What a report says where start() returns false.
  static constexpr const char* kNotFinite = "the problem holds values that are not finite";

  /// judge() asks `stop`, and throws Interrupted where it is raised: so does every loop that judges its iterates.
  /// `keeps_blocks`: whether rows() have diagonal blocks, see DelassusRows::bind().
  explicit Iterate(StopToken stop = {}, bool keeps_blocks = true) : stop_(stop), keeps_blocks_(keeps_blocks) {}
  const StopToken& stop() const { return stop_; }

  /// Takes the problem and the starting guess solution.p and judges it. A guess that is not finite, or has nothing of b
  /// left (judge()), is replaced by 0.
  /// Returns false where even p = 0 has no finite residual: b or W is not finite.
  [[nodiscard]] bool start(const ConeProblem& problem, const ConeSolution& solution);

  /// What every iterative solve begins with: sizes solution.u, then start(). Returns false where nothing is left to
  /// do: no cones, or values that are not finite, which the report then says.
  [[nodiscard]] bool begin_solve(const ConeProblem& problem, ConeSolution& solution, SolveReport& report);

  /// Takes the problem only: for a solver that needs no iteration.
  void bind(const ConeProblem& problem);

  const DelassusRows& rows() const { return rows_; }
  std::span<double> p() { return p_; }              // (n) [N s]
  std::span<const double> p() const { return p_; }  // (n) [N s]
  std::span<const double> u() const { return u_; }  // (n) [m/s] of the p judged last
  const Residual& best() const { return best_; }
  const Residual& last() const { return last_; }

  /// Velocity of cone i for its present p. u (dim) [m/s]
  void calc_velocity(int i, double* u) const { rows_.calc_velocity(i, p_, u); }
  /// Makes rows() know p as it is now, after more than change() has changed it.
  void restart_rows() { rows_.start(p_); }
  /// p_i += dp, dp (dim) [N s].
  void change(int i, const double* dp);

  /// Computes u and the residual of p anew, free of drift; keeps p if it is the best so far. Percussions so large that
  /// b is below their last digit are not kept: iterates may grow so far where walls close on a body, and their W p + b
  /// satisfies any law by chance.
  void judge();
  /// Makes the best iterate the present one and judges it again.
  void return_to_best();
  /// Writes the best iterate to the solution and its residual and status to the report.
  void finish(Tolerance tolerance, ConeSolution& solution, SolveReport& report);
  /// The same with the iterate judged last.
  void finish_with_last(Tolerance tolerance, ConeSolution& solution, SolveReport& report);

 private:
  bool has_lost_velocities() const;

  StopToken stop_;
  bool keeps_blocks_;
  const ConeProblem* problem_ = nullptr;
  DelassusRows rows_;
  std::vector<double> p_;       // (n) [N s]
  std::vector<double> u_;       // (n) [m/s]
  std::vector<double> best_p_;  // (n) [N s]
  Residual best_;
  Residual last_;
  bool judged_is_best_ = false;  // u_ and last_ are those of best_p_
};

}  // namespace stickslip
