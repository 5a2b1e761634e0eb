// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_problem.h"
#include "stickslip/cone/one_step_problem.h"
#include "stickslip/math/sparse.h"

namespace stickslip {

// A cone problem as a linear complementarity problem w = M z + q, 0 <= w perpendicular to z >= 0, each friction disc
// replaced by a polygon [Trinkle2003, eqs. 32, 35, 37, 38].
//
// A contact has z = (p_N, beta_j, sigma_b): beta_j >= 0 along the n_d unit directions d_j of block b, p_b = sum of
// beta_j d_j, and sigma_b, the sliding speed, with
//
//   0 <= u_N                          perpendicular to  p_N      >= 0        [eq. 32]
//   0 <= d_j . u_b + sigma_b          perpendicular to  beta_j   >= 0        [eq. 37, first row]
//   0 <= mu_b p_N - sum of beta_j     perpendicular to  sigma_b  >= 0        [eq. 37, second row]
//
// Under the associated law the first row is u_N - sum over b of mu_b sigma_b: sigma_b is the support of D_b along -u_b
// over mu_b, and M is a positive semidefinite matrix plus a skew one. A ball of constant radius has beta and sigma with
// the radius in place of mu p_N [eq. 38]; with one dimension it is a box, and exact. So is planar friction (d = 1, -1).
// Polygons of the problem keep their corners, discs become polygons inscribed in them, with `facets` corners, the first
// along the first direction. Free rows, u_f = W_fc p_c + W_ff p_f + b_f = 0, are eliminated: p_f = -W_ff^-1 (W_fc p_c +
// b_f); rows of W_ff that depend on others are left out, their percussions zero.
//
// Deviations: rows of velocities are divided by w (residual.h) and sigma is measured in units of w, so that all of z
// has the unit of percussions and M is of the order of one.
class FacetLcp {
 public:
  /// facets >= 3: corners of the polygons that stand for discs.
  explicit FacetLcp(int facets) : facets_(facets) {}

  /// Why a problem has no such form, or null.
  static const char* find_reason_to_refuse(const ConeProblem& problem);

  /// Asks `stop` between its products, and throws Interrupted where it is raised.
  void build(const ConeProblem& problem, const StopToken& stop);

  const SparseMatrix& m() const { return m_; }
  const Vector& q() const { return q_; }
  /// Whether some disc had to be replaced by a polygon, so that a solution is not one of the problem itself.
  bool is_approximate() const { return is_approximate_; }

  /// The problem as it is printed, w = F z + f with z = (p_N, beta of contacts, beta of balls, sigma of contacts, sigma
  /// of balls), each by cones [Trinkle2003 eqs. 43-48], in the units of the cone problem: free rows are eliminated, and
  /// nothing is scaled. F is M with these rows and columns, F_ij = M_ij times w where both are of percussions.
  LcpForm standard_form() const;

  /// p (n) [N s] of z, the free rows included.
  void recover(const Vector& z, std::span<double> p) const;

 private:
  void add_friction(const FrictionBlock& block, int row, int normal, double radius);
  void eliminate(const SparseMatrix& w, const StopToken& stop);

  int facets_;
  const ConeProblem* problem_ = nullptr;
  bool is_approximate_ = false;
  double w_mean_ = 1.0;  // [1/kg]

  struct Generator {  // z_k gives p += z_k times its entries
    int first_row;
    int n_rows;
    double entries[2];
  };
  struct Bound {   // sigma_b: mu p_N - sum of beta_j, or radius - sum of beta_j
    int normal;    // generator of p_N, or -1
    double limit;  // mu [-], or radius [N s]
    int first_generator;
    int n_generators;
  };
  std::vector<Generator> generators_;
  std::vector<Bound> bounds_;

  std::vector<int> free_rows_;  // kept ones
  SparseMatrix reduced_;        // (n, n) W after elimination, rows of contacts and balls only [1/kg]
  Vector reduced_b_;            // (n) [m/s]
  Matrix free_of_p_;            // (free, n) p_f = free_of_p p + free_constant
  Vector free_constant_;        // (free) [N s]

  SparseMatrix m_;
  Vector q_;
};

}  // namespace stickslip
