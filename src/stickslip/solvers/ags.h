// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "stickslip/base/instruction_set.h"
#include "stickslip/solvers/contact_packs.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/local_solver.h"
#include "stickslip/solvers/pack_exchange.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Gauss-Seidel with Nesterov's momentum [Nesterov2004] from sweep to sweep:
//
//   p+ = S(y),    y+ = p+ + beta (p+ - p),
//
// S a sweep over the contacts in packs of eight (ContactPacks), which keeps V = M^-1 J^T p with p; V is linear in p, so
// that its momentum needs no product of its own. In a sweep each contact takes its step in the metric (d_N, d_T) of its
// W_ii: under the exact law the normal percussion first and then friction, for spheres the solution of the contact with
// all others held [Jean1999]; under the associated law the nearest point of its cone. Joints, dry friction and
// contacts that are not packed are solved exactly, one by one (LocalSolver), in the same sweep.
//
// beta comes from theta+^2 = (1 - theta+) theta^2; the momentum is dropped where it points uphill by the generalised
// gradient, (y - p+)^T D (p+ - p) > 0 ([ODonoghue2015, gradient scheme]), and is bounded under the exact law, where
// there is no objective and too much of it diverges: MomentumBound.
//
// Threads of the current ThreadTeam share the packs of a colour and the bodies, in blocks; sums of packs are sums of
// blocks, in their order: the answer has the same bits for any number of threads. Ranks share the same blocks
// (ContactPacks, PackExchange) and do all else alike, with the same bits, too.
//
// Operators without bodies (W from files) are swept in the order of the problem by sweep_exactly().
class AgsSolver final : public ConeSolver {
 public:
  explicit AgsSolver(const AgsOptions& options);

  std::string_view name() const override { return AgsOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem&) const override { return std::nullopt; }

 private:
  /// The largest momentum under the exact law. It starts by the friction, and falls where iterates make no progress.
  struct MomentumBound {
    double most = 1.0;  // [-] of beta
    double best = 0.0;  // [m/s] the residual when it was changed last, or since
    int n_idle = 0;     // [-] judgements without progress
  };

  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  void start(const ConeProblem& problem);
  void sweep(const ConeProblem& problem);
  void sweep_batch(const ContactPacks::Batch& batch);
  void judge_batch(const ContactPacks::Batch& batch, double scale);
  void sweep_unpacked(const ConeProblem& problem);
  void sweep_singles(const ConeProblem& problem);
  void move_on();
  void judge_packs(const ConeProblem& problem);
  void calc_velocities(const ConeProblem& problem, std::vector<BodyVelocity>& velocities);
  template <class F>
  void for_packs(const ContactPacks::Batch& batch, bool is_shared, F&& f) const;
  template <class F>
  void for_bodies(F&& f) const;
  PackVector* percussions(const ContactPacks::Batch& batch, std::vector<PackVector>& p) const;
  const PackVector* percussions(const ContactPacks::Batch& batch, const std::vector<PackVector>& p) const;
  void watch(double defect);
  void write_best(const ConeProblem& problem);

  const AgsOptions options_;
  const PackKernels& kernels_;
  Iterate iterate_{options_.stop};
  LocalSolver local_;
  ContactPacks packs_;
  PackExchange exchange_;
  bool is_packed_ = false, is_exact_ = false;
  MomentumBound bound_;
  double theta_ = 1.0, beta_ = 0.0;             // [-]
  double slope_ = 0.0, squared_ = 0.0;          // of the last sweep
  std::vector<PackVector> p_, old_p_, best_p_;  // (n_packs) [N s] of the last sweep, the one before, the best
  std::vector<double> singles_, old_singles_, best_singles_;  // (n) [N s] of other cones, and of all without packs
  std::vector<BodyVelocity> v_, old_v_, new_v_;               // (records) of y, of p
  std::vector<std::array<double, 3>> sums_;                   // (blocks of all batches) of what kernels add up
  Residual last_;                                             // of p
  double best_defect_ = 0.0;                                  // [m/s] of best_p_ and best_singles_
};

}  // namespace stickslip
