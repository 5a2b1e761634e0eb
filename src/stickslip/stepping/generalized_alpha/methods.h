// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/nested.h"
#include "stickslip/stepping/generalized_alpha/newton.h"
#include "stickslip/stepping/generalized_alpha/painleve.h"

namespace stickslip::generalized_alpha {

/// The methods that solve a step, one after the other until one does: a table of tries for steps with few closed
/// contacts, one for those with many (methods.cpp).
class Methods {
 public:
  Methods(const Step& step, ConeSolver& solver) : newton_(step), nested_(step, solver), painleve_(step) {}

  /// From the start values of the step, which begin() has set; `state` is where it begins. Where no method solves the
  /// step, it is left anywhere.
  /// `parts_follow`: a step that is not solved is made in parts, so that among many contacts nothing else is tried
  /// after passes that do not get there.
  StepSolve solve(Step& step, const State& state, bool parts_follow = false);

  /// Passes of the nested iteration as a fallback, in the last solve.
  int fallbacks() const { return fallbacks_; }
  /// [m/s] Above zero: no percussions give the velocities that contacts and joints need, by a proof, see
  /// Nested::violation(). [N s] as SolveReport::bound.
  double violation() const { return nested_.violation(); }
  double bound() const { return nested_.bound(); }
  Nested& nested() { return nested_; }

  /// What a step is left at that no method solves: Nested::settle() from the start values, with stiff forces and joints
  /// brought to balance before and after it while contacts' multipliers are held. The law of impact holds but for what
  /// that moves. Where a proof says that nothing solves the step, what is stuck is settled from where the methods have
  /// ended, step.x: those are the directions in which bodies are squeezed. What does not hang together with what is
  /// stuck is solved as if that were not there.
  void settle(Step& step, const State& state);

 private:
  StepSolve solve_by_tries(Step& step, const State& state, bool parts_follow);
  void settle_once(Step& step);
  void find_parts(const Step& step);
  bool find_stuck(const Step& step);
  bool is_stuck(const StepElement& e) const;
  void take_stuck(const Unknowns& x, Step& step) const;
  void solve_rest(Step& step, const State& state);
  void balance_stiff_forces(Step& step);

  Newton newton_;
  Nested nested_;
  Painleve painleve_;
  Unknowns before_;             // balance_stiff_forces()
  Vector motion_;               // (n_u) likewise
  std::vector<double> ways_;    // (bodies) [m] likewise
  Unknowns ended_, settled_;    // settle()
  DisjointSets parts_{0};       // of bodies that hang together
  std::vector<char> is_stuck_;  // (bodies) whether their part of the system has something that is stuck
  int fallbacks_ = 0;           // [-]
};

}  // namespace stickslip::generalized_alpha
