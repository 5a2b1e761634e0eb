// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip::test {

/// Whether a step of the generalized-alpha scheme obeys the equations of [Capobianco2021] on all three levels, from
/// what it published alone: (t, q, u) before and after, accelerations, and forces, impulses and percussions of the
/// contacts. Position and velocity jumps follow from (73) and (125), kappa from the balance (127), bars by recursion;
/// the forces of joints, which may be any, are fitted. No index sets, residuals or tolerances of the scheme are used.
class StepLaws {
 public:
  /// The run's first row, as initialize() left it.
  StepLaws(const SceneRun& run, double rho_inf, double tolerance);

  /// By how much the step that led from `before` to the run's state breaks them, as a multiple of what the tolerance
  /// allows: lengths, velocities and accelerations each against the largest of the step. Must be called for each step.
  /// A step in parts is judged by these, which are made again. After one that is inexact, 0, it goes on from what the
  /// scheme itself remembers; after one whose parts do not end with the same bits, too: as a step by itself a part may
  /// cost more than it had left.
  double check(const State& before, SceneRun& run);
  /// Which law was broken most in the last check.
  const char* worst() const { return worst_; }
  /// Steps in parts that could not be made again.
  int unjudged() const { return unjudged_; }

 private:
  struct Allowed {
    double length, velocity, acceleration;
  };
  void note(double ratio, const char* what, double& score);
  Allowed calc_allowed(const State& before, const SceneRun& run) const;
  Vector calc_position_jump(const State& before, const SceneRun& run, const Vector& a_beta) const;
  double measure(const System& system, const Vector& residual) const;

  double check_whole(const State& before, const SceneRun& run);
  void resume(const SceneRun& run);
  /// Makes the bars those of steps `ratio` times as long, see GeneralizedAlphaEstimate.
  void rescale_bars(double ratio);

  double alpha_m_, alpha_f_, gamma_, beta_, tolerance_;
  double last_h_ = 0.0;                                 // [s]
  Vector a_, a_bar_;                                    // (n_u)
  std::vector<ContactComponents> lambda_, lambda_bar_;  // per contact
  const char* worst_ = "";
  int unjudged_ = 0;
};

}  // namespace stickslip::test
