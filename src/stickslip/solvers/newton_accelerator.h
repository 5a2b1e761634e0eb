// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/solvers/delassus_rows.h"
#include "stickslip/solvers/newton_system.h"

namespace stickslip {

/// Semismooth Newton steps on the whole problem, for sweeps that have settled which contacts are open, stick and slip
/// but converge slowly, as they do where contacts are redundant (a box on its four corners). The equations are those
/// of natural_map.h ([Alart1991] for exact Coulomb friction); a proximal term keeps the matrix regular where W is
/// singular, and leaves the percussions that do not matter where they are. NewtonSystem solves the linear systems.
class NewtonAccelerator {
 public:
  /// calc_step() asks `stop` and throws Interrupted where it is raised; start() comes next then.
  explicit NewtonAccelerator(StopToken stop = {}, SharedDelassus* shared = nullptr) : system_(stop, shared) {}

  /// Forgets the last problem: to be called once before the steps on a new one.
  void start() { system_.start(); }

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

  /// Multiply-adds of all steps' factorisations since start().
  double operations() const { return system_.operations(); }
  /// Rows of the last step's linear system.
  int n_active() const { return system_.n_rows(); }

 private:
  bool gather(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> u,
              std::span<const double> p, double proximal, int max_rows);

  NewtonSystem system_;
};

}  // namespace stickslip
