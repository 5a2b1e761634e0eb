// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/delassus_rows.h"

namespace stickslip {

/// Semismooth Newton steps on the whole problem, for sweeps that have settled which contacts are open, stick and slip
/// but converge slowly, as they do where contacts are redundant (a box on its four corners). The equations are those
/// of natural_map.h ([Alart1991] for exact Coulomb friction); a proximal term keeps the matrix regular where W is
/// singular, and leaves the percussions that do not matter where they are. The matrix is dense where few rows are
/// active, else in sparse blocks (BlockLu), analysed anew only when the set of active cones has changed.
class NewtonAccelerator {
 public:
  /// Forgets the last problem: to be called once before the steps on a new one.
  void start() { is_assembled_ = false; }

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

  /// p (n) = from (n) + factor times the step, wherever that lies.
  void apply_free_step(const ConeProblem& problem, double factor, std::span<const double> from,
                       std::span<double> p) const;

  /// |(p - Pi(p - rho u)) / rho|_2, what the steps make zero. [m/s]
  double calc_defect(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> p,
                     std::span<const double> u) const;

  /// Rows of the last step's linear system.
  int n_active() const { return n_active_; }

 private:
  bool gather(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> u,
              std::span<const double> p, int max_rows);
  void assemble(const ConeProblem& problem, const DelassusRows& rows, double proximal);
  void analyze(const ConeProblem& problem);
  bool solve_sparse(const ConeProblem& problem, const DelassusRows& rows, double proximal);

  int n_active_ = 0;
  std::vector<int> active_;         // cones with rows in the system
  std::vector<int> row_;            // their first rows
  std::vector<double> rho_;         // (n_active) [kg]
  std::vector<double> derivative_;  // blocks dPi/dx (dim, dim) of active cones, one after the other
  std::vector<std::size_t> derivative_begin_;
  std::vector<double> matrix_;  // (n_active, n_active) row-major
  std::vector<double> right_;   // (n_active) [N s]
  bool is_assembled_ = false;
  AssembledDelassus delassus_;
  BlockLu lu_;
  std::vector<int> analyzed_;   // active cones of the pattern that lu_ knows
  std::vector<int> dims_;       // the pattern: rows of each active cone ...
  std::vector<int> row_begin_;  // ... its blocks ...
  std::vector<int> columns_;    // ... as numbers of active cones ...
  std::vector<int> blocks_;     // ... and of blocks of W
  std::vector<int> position_;   // (n_cones) number among the active cones, or -1
};

}  // namespace stickslip
