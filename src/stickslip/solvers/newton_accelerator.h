// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/sparse_solver.h"
#include "stickslip/solvers/delassus_rows.h"

namespace stickslip {

/// Semismooth Newton steps on the whole problem, for sweeps that have settled which contacts are open, stick and slip
/// but converge slowly, as they do where contacts are redundant (a box on its four corners). The equations are those
/// of natural_map.h ([Alart1991] for exact Coulomb friction); a proximal term keeps the matrix regular where W is
/// singular, and leaves the percussions that do not matter where they are. Dense for problems of moderate size; larger
/// ones only where few contacts touch each other, by sparse factors.
class NewtonAccelerator {
 public:
  /// Computes the step from p (n), of which u (n) are the velocities. Rows of open contacts are left out. Returns
  /// false where the matrix is singular or more than max_rows rows are active.
  /// `proximal` is the proximal term as a share of each cone's mean diagonal: a larger one makes shorter steps in
  /// the directions that W hardly sees.
  [[nodiscard]] bool calc_step(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> p,
                               std::span<const double> u, double proximal, int max_rows);

  /// p (n) = the nearest point of the cones to from (n) + factor times the step.
  void apply_step(const ConeProblem& problem, double factor, std::span<const double> from, std::span<double> p) const;

  /// The least factor in (0, 1] at which a percussion that is inside its cone at from (n) reaches the surface, along
  /// the last step; 1 where none does.
  double calc_factor_to_surface(const ConeProblem& problem, std::span<const double> from) const;

  /// Rows of the last step's linear system.
  int n_active() const { return n_active_; }

 private:
  bool gather(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> u,
              std::span<const double> p, int max_rows);
  bool assemble(const ConeProblem& problem, const DelassusRows& rows, double proximal);

  int n_active_ = 0;
  std::vector<int> active_;         // cones with rows in the system
  std::vector<int> row_;            // their first rows
  std::vector<double> rho_;         // (n_active) [kg]
  std::vector<double> derivative_;  // blocks dPi/dx (dim, dim) of active cones, one after the other
  std::vector<std::size_t> derivative_begin_;
  bool dense_ = true;
  std::vector<double> matrix_;  // (n_active, n_active) row-major
  SparseSolver sparse_;         // instead, where not dense
  std::vector<double> right_;   // (n_active) [N s]
};

}  // namespace stickslip
