// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "stickslip/solvers/free_rows.h"

namespace stickslip {

/// sum += more, method by method.
void add_effort(const Effort& more, Effort& sum);

// Problems of free rows f beside some others c, as the joints of a robot beside its contacts: the free rows are
// eliminated. With u_f = 0, p_f follows p_c, and
//
//   u_c = S p_c + (b_c - W_cf W_ff^-1 b_f),   S = W_cc - W_cf W_ff^-1 W_fc,
//
// is a cone problem in the others alone, in which a contact meets the inertia of its whole mechanism. Any solver takes
// few steps for it that took many through the joints.
//
// Method: one sparse factorisation of W that ends before the rows of the others (FreeRowFactors). What joints alone
// determine leaves S singular: e D_cc is added to it. The answer then differs from that of the problem by
// about e of what changes; the next pass, from there, takes that away, as steps of the proximal point method do. First
// comes one linear system: what bears or closes sticks. Where nothing slides, as between a gripper and its box, that is
// the answer, and of percussions that repeat each other what nothing determines stays that of the guess.
class FreeRowElimination {
 public:
  FreeRowElimination(StopToken stop, SharedDelassus* shared)
      : stop_(stop), delassus_(stop, shared), factors_{FreeRowFactors(stop, shared), FreeRowFactors(stop, shared)} {}

  /// Whether the problem has both kinds of rows, and not many others: S is dense among those of a mechanism.
  static bool suits(const ConeProblem& problem);

  /// Passes from the present iterate, which must have been judged, until it is within the tolerance, no longer gets
  /// better, or has taken tolerance.most_iterations. `solver` solves the problems in the others. The report adds up
  /// theirs; its status says nothing.
  SolveReport run(const ConeProblem& problem, Tolerance tolerance, ConeSolver& solver, Iterate& iterate);

 private:
  void reduce(const ConeProblem& problem, const DelassusRows& rows);
  void add_row(int k, double regular);
  SolveReport solve_others(Tolerance tolerance, const Residual& before, ConeSolver& solver);
  bool hold(const ConeProblem& problem, const Iterate& iterate);
  void pose(const ConeProblem& problem, const Iterate& iterate);
  void advance(const ConeProblem& problem, Iterate& iterate);

  StopToken stop_;
  SharedDelassus delassus_;
  std::array<FreeRowFactors, 2> factors_;  // of velocities and of positions, whose patterns differ
  FreeRowFactors* used_ = nullptr;         // of the present problem
  ConeProblem reduced_;                    // in the others
  ConeSolution solution_;
  std::vector<int> others_;          // cones of the problem
  std::vector<int> place_;           // (n_cones) in others_, -1 of free ones
  std::vector<double> dense_;        // (n_c, n_c) [1/kg] S + e D
  std::vector<double> values_;       // [1/kg] its blocks that are not zero
  std::vector<int> columns_, dims_;  // of these
  std::vector<int> held_;            // rows that hold() holds
  std::vector<double> matrix_;       // (held_, held_) of S + e D, then its factors
  std::vector<int> pivots_;          // (held_)
  std::vector<double> projected_;    // (n_c) [N s]
  std::vector<double> start_;        // (n_c) [N s]
  std::vector<double> change_;       // (n_f) [N s]
};

}  // namespace stickslip
