// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/cones.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

double calc_norm(int dim, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// A point seen from the facet of a regular polygon (unscaled, s = 1) whose sector holds it: `outward` along the
/// facet's normal, `along` the facet; half of the facet is `half_edge` long and `apothem` away from the centre.
struct FacetView {
  double normal[2];  // [-] outward unit normal of the facet
  double apothem;    // mu cos(pi / n)
  double half_edge;  // mu sin(pi / n)
  double outward;    // >= 0
  double along;      // positive on the side of the next corner

  double side() const { return along < 0.0 ? -1.0 : 1.0; }
  /// The polygon s D has the point nearest to its corner for s below this, to the facet above.
  double corner_until() const { return half_edge > 0.0 ? std::abs(along) / half_edge : HUGE_VAL; }
  /// The polygon s D holds the point for s from here on.
  double inside_from() const { return apothem > 0.0 ? outward / apothem : HUGE_VAL; }
  /// The corner nearest to the point, for s = 1.
  void corner(double* c) const {
    c[0] = apothem * normal[0] - side() * half_edge * normal[1];
    c[1] = apothem * normal[1] + side() * half_edge * normal[0];
  }
};

FacetView view_from_facet(const FrictionBlock& block, const double* x) {
  STICKSLIP_ASSERT(block.dim == 2 && block.facets >= 3);
  const double half_sector = std::numbers::pi / block.facets;
  const double angle = std::atan2(x[1], x[0]) - block.orientation;
  const double sector = std::floor(angle / (2.0 * half_sector));
  const double direction = block.orientation + (2.0 * sector + 1.0) * half_sector;
  FacetView view;
  view.normal[0] = std::cos(direction);
  view.normal[1] = std::sin(direction);
  view.apothem = block.mu * std::cos(half_sector);
  view.half_edge = block.mu * std::sin(half_sector);
  view.outward = view.normal[0] * x[0] + view.normal[1] * x[1];
  view.along = view.normal[0] * x[1] - view.normal[1] * x[0];
  return view;
}

/// Half the squared distance of x_b to s D_b has, on the piece that holds s, the derivative
/// -(intercept - slope s); both are 0 where s D_b holds x_b.
struct Piece {
  double intercept = 0.0;
  double slope = 0.0;
};

Piece calc_piece(const FrictionBlock& block, double s, const double* x) {
  if (block.facets == 0) {
    const double r = calc_norm(block.dim, x);
    if (r <= block.mu * s) return {};
    return {block.mu * r, block.mu * block.mu};
  }
  const FacetView view = view_from_facet(block, x);
  if (s >= view.inside_from()) return {};
  if (s >= view.corner_until()) return {view.apothem * view.outward, view.apothem * view.apothem};
  return {view.apothem * view.outward + view.half_edge * std::abs(view.along), block.mu * block.mu};
}

/// The derivative of calc_piece's intercept in x.
void calc_piece_gradient(const FrictionBlock& block, double s, const double* x, double* gradient) {
  std::fill_n(gradient, block.dim, 0.0);
  if (block.facets == 0) {
    const double r = calc_norm(block.dim, x);
    if (r <= block.mu * s) return;
    for (int i = 0; i < block.dim; ++i) gradient[i] = block.mu * x[i] / r;
    return;
  }
  const FacetView view = view_from_facet(block, x);
  if (s >= view.inside_from()) return;
  if (s < view.corner_until()) return view.corner(gradient);
  for (int i = 0; i < 2; ++i) gradient[i] = view.apothem * view.normal[i];
}

/// The same as the general way below for one ball of friction, the case that counts, in closed form.
void project_on_circular_cone(const FrictionBlock& block, const double* x, double* y) {
  const double r = calc_norm(block.dim, x + 1);
  if (r <= block.mu * x[0] && x[0] > 0.0) return std::copy_n(x, 1 + block.dim, y), void();
  const double s = (x[0] + block.mu * r) / (1.0 + block.mu * block.mu);
  if (!(s > 0.0)) return std::fill_n(y, 1 + block.dim, 0.0), void();
  const double factor = r > 0.0 ? block.mu * s / r : 1.0;
  y[0] = s;
  for (int i = 1; i <= block.dim; ++i) y[i] = factor * x[i];
}

void project_on_polygon(const FrictionBlock& block, double s, const double* x, double* y) {
  const FacetView view = view_from_facet(block, x);
  if (s >= view.inside_from()) {
    std::copy_n(x, 2, y);
  } else if (s < view.corner_until()) {
    double corner[2];
    view.corner(corner);
    for (int i = 0; i < 2; ++i) y[i] = s * corner[i];
  } else {
    const double excess = view.outward - s * view.apothem;
    for (int i = 0; i < 2; ++i) y[i] = x[i] - excess * view.normal[i];
  }
}

/// Likewise for one polygon: of the cone over it, the nearest points of the face and of the edge that are nearest to x.
void project_on_polygonal_cone(const FrictionBlock& block, const double* x, double* y) {
  const FacetView view = view_from_facet(block, x + 1);
  if (view.outward <= view.apothem * x[0] && x[0] >= 0.0) return std::copy_n(x, 3, y), void();
  const double on_face = (x[0] + view.apothem * view.outward) / (1.0 + view.apothem * view.apothem);
  if (on_face > 0.0 && std::abs(view.along) <= view.half_edge * on_face) {
    const double excess = view.outward - on_face * view.apothem;
    y[0] = on_face;
    for (int i = 0; i < 2; ++i) y[1 + i] = x[1 + i] - excess * view.normal[i];
    return;
  }
  double corner[2];
  view.corner(corner);
  const double s = (x[0] + corner[0] * x[1] + corner[1] * x[2]) / (1.0 + block.mu * block.mu);
  y[0] = std::max(s, 0.0);
  for (int i = 0; i < 2; ++i) y[1 + i] = y[0] * corner[i];
}

}  // namespace

double calc_support(const FrictionBlock& block, const double* v) {
  if (block.facets == 0) return block.mu * calc_norm(block.dim, v);
  const FacetView view = view_from_facet(block, v);
  return view.apothem * view.outward + view.half_edge * std::abs(view.along);
}

void project_on_ball(int dim, double radius, const double* x, double* y) {
  const double r = calc_norm(dim, x);
  const double factor = r > radius ? radius / r : 1.0;
  for (int i = 0; i < dim; ++i) y[i] = factor * x[i];
}

void project_on_friction_set(const FrictionBlock& block, double s, const double* x, double* y) {
  if (block.facets == 0) return project_on_ball(block.dim, block.mu * s, x, y);
  project_on_polygon(block, s, x, y);
}

void project_on_friction_set(const FrictionBlock& block, double s, const double* x, double* y, double* dy_dx,
                             double* dy_ds) {
  const int dim = block.dim;
  std::fill_n(dy_dx, dim * dim, 0.0);
  std::fill_n(dy_ds, dim, 0.0);
  project_on_friction_set(block, s, x, y);
  if (block.facets == 0) {
    const double r = calc_norm(dim, x);
    const bool inside = r <= block.mu * s;
    const double factor = inside ? 1.0 : block.mu * s / r;
    for (int i = 0; i < dim; ++i) dy_dx[i * dim + i] = factor;
    if (inside) return;
    for (int i = 0; i < dim; ++i) {
      dy_ds[i] = block.mu * x[i] / r;
      for (int j = 0; j < dim; ++j) dy_dx[i * dim + j] -= factor * (x[i] / r) * (x[j] / r);
    }
    return;
  }
  const FacetView view = view_from_facet(block, x);
  if (s >= view.inside_from()) {
    dy_dx[0] = dy_dx[3] = 1.0;
  } else if (s < view.corner_until()) {
    view.corner(dy_ds);
  } else {
    const double* n = view.normal;
    for (int i = 0; i < 2; ++i) {
      dy_ds[i] = view.apothem * n[i];
      for (int j = 0; j < 2; ++j) dy_dx[2 * i + j] = (i == j ? 1.0 : 0.0) - n[i] * n[j];
    }
  }
}

// p_N minimises 1/2 (p_N - x_N)^2 + sum over b of 1/2 dist(x_b, p_N D_b)^2 over p_N >= 0. The derivative
//   F(p_N) = p_N - x_N - sum over b of g_b(p_N)
// is piecewise linear, strictly increasing and concave (each g_b is convex and falls to zero: the nearest point is
// first a corner, then on a facet, then x_b itself). Newton's method from p_N = 0 therefore climbs from piece to piece
// and ends on the right one, exactly, after at most as many steps as there are pieces; no sorting is needed.
double calc_projected_normal(std::span<const FrictionBlock> blocks, const double* x, double* gradient) {
  double s = 0.0;
  const auto n_pieces = 1 + 2 * blocks.size();
  for (std::size_t step = 0; step < n_pieces; ++step) {
    double intercept = x[0];
    double slope = 1.0;
    const double* x_b = x + 1;
    for (const FrictionBlock& block : blocks) {
      const Piece piece = calc_piece(block, s, x_b);
      intercept += piece.intercept;
      slope += piece.slope;
      x_b += block.dim;
    }
    const double next = intercept / slope;
    if (!(next > s)) break;
    s = next;
  }
  if (gradient == nullptr) return s;
  double slope = 1.0;
  int row = 1;
  for (const FrictionBlock& block : blocks) {
    slope += calc_piece(block, s, x + row).slope;
    calc_piece_gradient(block, s, x + row, gradient + row);
    row += block.dim;
  }
  gradient[0] = 1.0;
  for (int i = 0; i < row; ++i) gradient[i] = s > 0.0 ? gradient[i] / slope : 0.0;
  return s;
}

void project_on_contact_cone(std::span<const FrictionBlock> blocks, const double* x, double* y) {
  if (blocks.size() == 1) {
    return blocks[0].facets == 0 ? project_on_circular_cone(blocks[0], x, y)
                                 : project_on_polygonal_cone(blocks[0], x, y);
  }
  const double s = calc_projected_normal(blocks, x);
  y[0] = s;
  int row = 1;
  for (const FrictionBlock& block : blocks) {
    project_on_friction_set(block, s, x + row, y + row);
    row += block.dim;
  }
}

}  // namespace stickslip
