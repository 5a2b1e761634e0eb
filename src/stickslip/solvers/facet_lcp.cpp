// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/facet_lcp.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "stickslip/cone/condense.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/stoppable_product.h"

namespace stickslip {
namespace {

/// Free rows count as dependent on others below this share of the largest pivot. [-]
constexpr double kDependent = 1e-11;

}  // namespace

const char* FacetLcp::find_reason_to_refuse(const ConeProblem& problem) {
  for (const FrictionBlock& block : problem.blocks) {
    if (block.dim > 2) return "friction of three dimensions (Coulomb-Contensou) has no polygons";
  }
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::ball && cone.dim > 2) return "a ball of more than two dimensions has no polygons";
  }
  return nullptr;
}

/// The directions of one block at rows row, row + 1 and its sigma. `normal` is the generator of p_N, or -1 for a ball
/// of this radius.
void FacetLcp::add_friction(const FrictionBlock& block, int row, int normal, double radius) {
  const double limit = normal >= 0 ? block.mu : radius;
  if (limit == 0.0) return;
  const int first = static_cast<int>(generators_.size());
  if (block.dim == 1) {
    generators_.push_back({row, 1, {1.0, 0.0}});
    generators_.push_back({row, 1, {-1.0, 0.0}});
  } else {
    const int n = block.facets > 0 ? block.facets : facets_;
    is_approximate_ = is_approximate_ || block.facets == 0;
    for (int j = 0; j < n; ++j) {
      const double angle = block.orientation + 2.0 * std::numbers::pi * j / n;
      generators_.push_back({row, 2, {std::cos(angle), std::sin(angle)}});
    }
  }
  bounds_.push_back({normal, limit, first, static_cast<int>(generators_.size()) - first});
}

/// Takes the free rows out of u = W p + b.
void FacetLcp::eliminate(const SparseMatrix& w, const StopToken& stop) {
  const ConeProblem& problem = *problem_;
  const int n = problem.size();
  reduced_ = w;
  reduced_b_ = ConstVectorView(problem.b.data(), n);
  free_rows_.clear();
  for (const Cone& cone : problem.cones) {
    for (int r = 0; cone.kind == ConeKind::free && r < cone.dim; ++r) free_rows_.push_back(cone.offset + r);
  }
  if (free_rows_.empty()) return;
  stop.check();
  const Matrix dense(w);
  const Vector b = reduced_b_;
  // The rank of W_ff, whose pivots are chosen by size, says which rows are kept.
  const PivotedQr all(dense(free_rows_, free_rows_), kDependent);
  std::vector<int> kept;
  for (Eigen::Index k = 0; k < all.rank(); ++k) kept.push_back(free_rows_[all.pivot(k)]);
  std::ranges::sort(kept);
  free_rows_ = kept;
  stop.check();
  const PivotedQr qr(dense(free_rows_, free_rows_), kDependent);
  std::vector<bool> is_free(n, false);
  for (const Cone& cone : problem.cones) {
    for (int r = 0; cone.kind == ConeKind::free && r < cone.dim; ++r) is_free[cone.offset + r] = true;
  }
  Matrix coupling = dense(free_rows_, Eigen::all);
  for (int c = 0; c < n; ++c) {
    if (is_free[c]) coupling.col(c).setZero();
  }
  stop.check();
  free_of_p_ = -qr.solve(coupling);
  free_constant_ = -qr.solve(Vector(b(free_rows_)));
  const Matrix to_free = dense(Eigen::all, free_rows_);
  reduced_ = (dense + multiply_stoppably(to_free, free_of_p_, stop)).sparseView();
  reduced_b_ = b + to_free * free_constant_;
}

void FacetLcp::build(const ConeProblem& problem, const StopToken& stop) {
  problem_ = &problem;
  generators_.clear();
  bounds_.clear();
  is_approximate_ = false;
  w_mean_ = problem.calc_residual_scale();
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::ball) {
      add_friction({cone.dim, 1.0, 0, 0.0}, cone.offset, -1, cone.radius);
    } else if (cone.kind == ConeKind::contact) {
      const int normal = static_cast<int>(generators_.size());
      generators_.push_back({cone.offset, 1, {1.0, 0.0}});
      int row = cone.offset + 1;
      for (const FrictionBlock& block : problem.friction(cone)) {
        add_friction(block, row, normal, 0.0);
        row += block.dim;
      }
    }
  }
  eliminate(make_delassus_matrix(problem, stop), stop);

  const int n = problem.size();
  const int n_generators = static_cast<int>(generators_.size());
  const int n_bounds = static_cast<int>(bounds_.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n_generators; ++k) {
    for (int r = 0; r < generators_[k].n_rows; ++r) {
      entries.emplace_back(generators_[k].first_row + r, k, generators_[k].entries[r]);
    }
  }
  SparseMatrix c(n, n_generators);
  c.setFromTriplets(entries.begin(), entries.end());
  stop.check();
  const SparseMatrix c_transposed = c.transpose();
  const SparseMatrix product = c_transposed * reduced_ * c;

  stop.check();
  entries.clear();
  for (int k = 0; k < n_generators; ++k) {
    for (SparseMatrix::InnerIterator entry(product, k); entry; ++entry) {
      entries.emplace_back(k, static_cast<int>(entry.col()), entry.value() / w_mean_);
    }
  }
  q_.resize(n_generators + n_bounds);
  q_.head(n_generators) = c_transposed * reduced_b_ / w_mean_;
  for (int b = 0; b < n_bounds; ++b) {
    const Bound& bound = bounds_[b];
    const int sigma = n_generators + b;
    q_[sigma] = bound.normal < 0 ? bound.limit : 0.0;
    if (bound.normal >= 0) {
      entries.emplace_back(sigma, bound.normal, bound.limit);
      if (problem.law == FrictionLaw::associated) entries.emplace_back(bound.normal, sigma, -bound.limit);
    }
    for (int j = bound.first_generator; j < bound.first_generator + bound.n_generators; ++j) {
      entries.emplace_back(j, sigma, 1.0);
      entries.emplace_back(sigma, j, -1.0);
    }
  }
  stop.check();
  m_.resize(n_generators + n_bounds, n_generators + n_bounds);
  m_.setFromTriplets(entries.begin(), entries.end());
}

LcpForm FacetLcp::standard_form() const {
  const int n_generators = static_cast<int>(generators_.size());
  const int n = n_generators + static_cast<int>(bounds_.size());
  std::vector<int> part(n, 0);  // 0 p_N, 1 and 2 beta, 3 and 4 sigma: of contacts, of balls
  for (std::size_t b = 0; b < bounds_.size(); ++b) {
    const Bound& bound = bounds_[b];
    const int of_ball = bound.normal < 0 ? 1 : 0;
    std::fill_n(part.begin() + bound.first_generator, bound.n_generators, 1 + of_ball);
    part[n_generators + b] = 3 + of_ball;
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int k) { return part[k]; });
  std::vector<int> place(n);
  for (int i = 0; i < n; ++i) place[order[i]] = i;
  LcpForm form;
  form.q.resize(n);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) {
    form.q[place[k]] = q_[k] * (k < n_generators ? w_mean_ : 1.0);
    for (SparseMatrix::InnerIterator entry(m_, k); entry; ++entry) {
      const int column = static_cast<int>(entry.col());
      const double unit = k < n_generators && column < n_generators ? w_mean_ : 1.0;
      entries.emplace_back(place[k], place[column], entry.value() * unit);
    }
  }
  form.m.resize(n, n);
  form.m.setFromTriplets(entries.begin(), entries.end());
  return form;
}

void FacetLcp::recover(const Vector& z, std::span<double> p) const {
  std::fill(p.begin(), p.end(), 0.0);
  for (std::size_t k = 0; k < generators_.size(); ++k) {
    const Generator& generator = generators_[k];
    for (int r = 0; r < generator.n_rows; ++r) {
      p[generator.first_row + r] += std::max(z[static_cast<Eigen::Index>(k)], 0.0) * generator.entries[r];
    }
  }
  if (free_rows_.empty()) return;
  const Vector p_free = free_of_p_ * ConstVectorView(p.data(), static_cast<Eigen::Index>(p.size())) + free_constant_;
  for (std::size_t k = 0; k < free_rows_.size(); ++k) p[free_rows_[k]] = p_free[static_cast<Eigen::Index>(k)];
}

}  // namespace stickslip
