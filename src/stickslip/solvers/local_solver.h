// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/solvers/associated_contact.h"
#include "stickslip/solvers/delassus_rows.h"
#include "stickslip/solvers/free_cone.h"
#include "stickslip/solvers/general_cone.h"
#include "stickslip/solvers/one_contact.h"
#include "stickslip/solvers/polygon_contact.h"

namespace stickslip {

/// The exact solve of one cone of a problem while the others stand still, u_i = W_ii p_i + b_i, with the method that
/// fits its kind:
///   contact, at most one ball-shaped block   OneContact (coulomb) or AssociatedContact (associated)
///   ball of at most three dimensions         OneContact with W_NN = 1, W_NT = 0, b_N = -radius, mu = 1: a contact
///                                            whose normal percussion is the radius
///   contact, one polygon, coulomb            PolygonContact, GeneralCone where that finds nothing
///   free                                     FreeCone
///   anything else                            GeneralCone
class LocalSolver {
 public:
  /// Takes the problem and its rows, which must outlive the use; keeps the memory of earlier problems. Each cone is
  /// prepared when it is first solved: those that stay open never are.
  void prepare(const ConeProblem& problem, const DelassusRows& rows);

  /// Solves cone i for b (dim) [m/s]. p (dim) [N s]: on entry the starting guess, on exit the solution.
  /// Returns how many solutions were found, 1 where only one is looked for; 0: none to working accuracy.
  int solve(int i, const double* b, double* p);

  /// Whether cone i can have one solution at most, as far as is known without looking at b.
  bool is_unique(int i) {
    if (slots_[i].method == Method::not_prepared) prepare_cone(i);
    return slots_[i].method != Method::one_contact || contacts_[slots_[i].index].is_unique();
  }

 private:
  enum class Method { not_prepared, one_contact, associated, constant_ball, polygon, free, general };
  struct Slot {
    Method method;
    int index;  // into the vector of that method
  };

  void prepare_cone(int i);
  Slot prepare_contact(const ConeProblem& problem, const Cone& cone, const double* w);
  Slot prepare_ball(const ConeProblem& problem, const Cone& cone, const double* w);
  Slot prepare_general(const ConeProblem& problem, const Cone& cone, const double* w);
  int solve_polygon(int i, const PolygonContact& polygon, const double* b, double* p) const;
  int solve_ball(int i, const OneContact& ball, const double* b, double* p) const;

  const ConeProblem* problem_ = nullptr;
  const DelassusRows* rows_ = nullptr;
  std::vector<Slot> slots_;  // (n_cones)
  std::vector<OneContact> contacts_;
  std::vector<AssociatedContact> associated_;
  std::vector<PolygonContact> polygons_;
  std::vector<FreeCone> free_;
  std::vector<GeneralCone> general_;
};

}  // namespace stickslip
