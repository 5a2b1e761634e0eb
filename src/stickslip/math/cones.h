// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace stickslip {

// Euclidean projections on the cones of contact mechanics, with generalised derivatives.
//
// A contact's cone is K = {(p_N, p_1, ..., p_m) : p_N >= 0, p_b in p_N D_b}, one friction set D_b for each block
// of friction directions, all sharing the normal component. Nothing here allocates, and input and output may be
// the same memory. The projection on the dual cone K* follows from Moreau's decomposition
// x = P_K(x) - P_K*(-x) [Moreau1965].

/// One friction block of a contact: p_b in p_N D_b, D_b a ball of radius mu or a regular polygon.
struct FrictionBlock {
  int dim = 2;               // [-] 1 planar, 2 spatial, 3 Coulomb-Contensou
  double mu = 0.0;           // [-] radius of D_b
  int facets = 0;            // [-] 0: a ball; n >= 3 (dim 2 only): polygon with n corners on the circle mu
  double orientation = 0.0;  // [rad] angle of the polygon's first corner from the first direction
  bool operator==(const FrictionBlock&) const = default;
};

/// h_D(v) = max over d in D of d.v: mu |v| for a ball, mu max_j d_j.v for a polygon. v (dim); in the unit of v.
double calc_support(const FrictionBlock& block, const double* v);

/// y = P_sD(x), the point of s D nearest to x, for s >= 0. x, y (dim).
void project_on_friction_set(const FrictionBlock& block, double s, const double* x, double* y);

/// The same with an element of the generalised derivative: dy_dx (dim, dim) row-major, dy_ds (dim).
/// x and y must not overlap.
void project_on_friction_set(const FrictionBlock& block, double s, const double* x, double* y, double* dy_dx,
                             double* dy_ds);

/// y = P_B(x) for the ball |y| <= radius, in any dimension. x, y (dim).
void project_on_ball(int dim, double radius, const double* x, double* y);

/// y = P_K(x), K the cone of a contact with these friction blocks. x, y (1 + sum of dims), the normal first.
void project_on_contact_cone(std::span<const FrictionBlock> blocks, const double* x, double* y);

/// The normal component p_N of P_K(x) and, where `gradient` (1 + sum of dims) is not null, its derivative in x.
double calc_projected_normal(std::span<const FrictionBlock> blocks, const double* x, double* gradient = nullptr);

}  // namespace stickslip
