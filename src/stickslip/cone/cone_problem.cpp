// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/cone_problem.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

int add_cone(ConeProblem& problem, Cone cone) {
  STICKSLIP_ASSERT(cone.dim >= 1 && cone.dim <= kMaxConeDim);
  cone.offset = problem.size();
  problem.b.resize(problem.b.size() + cone.dim, 0.0);
  problem.cones.push_back(cone);
  return problem.n_cones() - 1;
}

void apply(const ConeProblem& problem, const StoredDelassus& w, const double* p, double* result) {
  STICKSLIP_ASSERT(w.n_rows() == problem.n_cones());
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& row = problem.cones[i];
    double* u = result + row.offset;
    std::fill_n(u, row.dim, 0.0);
    for (const StoredDelassus::Block& block : w.row(i)) {
      const Cone& column = problem.cones[block.column];
      add_product(row.dim, column.dim, w.values(block), p + column.offset, u);
    }
  }
}

// W p = J (M^-1 (J^T p)). work holds J^T p (n_v) [N s] and M^-1 J^T p (n_v) [m/s].
void apply(const ConeProblem& problem, const FactoredDelassus& w, const double* p, double* result,
           std::span<double> work) {
  STICKSLIP_ASSERT(w.n_rows() == problem.n_cones());
  std::fill(work.begin(), work.end(), 0.0);
  double* momentum = work.data();
  double* v = momentum + w.n_v();
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& row = problem.cones[i];
    for (const FactoredDelassus::Block& block : w.row(i)) {
      const FactoredDelassus::Body& body = w.body(block.body);
      add_transposed_product(row.dim, body.n_v, w.values(block), p + row.offset, momentum + body.v_offset);
    }
  }
  for (int k = 0; k < w.n_bodies(); ++k) {
    const FactoredDelassus::Body& body = w.body(k);
    add_product(body.n_v, body.n_v, w.inverse_mass(k), momentum + body.v_offset, v + body.v_offset);
  }
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& row = problem.cones[i];
    double* u = result + row.offset;
    std::fill_n(u, row.dim, 0.0);
    for (const FactoredDelassus::Block& block : w.row(i)) {
      const FactoredDelassus::Body& body = w.body(block.body);
      add_product(row.dim, body.n_v, w.values(block), v + body.v_offset, u);
    }
  }
}

// W p = H^T v, v = M^-1 H p, kept in work (n_v) [m/s].
void apply(const ConeProblem& problem, const SparseDelassus& w, const double* p, double* result,
           std::span<double> work) {
  STICKSLIP_ASSERT(w.n_rows() == problem.n_cones());
  std::fill(work.begin(), work.end(), 0.0);
  for (int i = 0; i < problem.n_cones(); ++i) w.add_velocity(i, p + problem.cones[i].offset, work.data());
  std::fill_n(result, problem.size(), 0.0);
  for (int i = 0; i < problem.n_cones(); ++i) {
    w.add_relative_velocity(i, work.data(), result + problem.cones[i].offset);
  }
}

/// Entry (r, c) of J M^-1 J^T for the rows of one cone.
double calc_entry(const FactoredDelassus& w, int i, int r, int c) {
  double sum = 0.0;
  for (const FactoredDelassus::Block& block : w.row(i)) {
    const int n_v = w.body(block.body).n_v;
    const double* inverse_mass = w.inverse_mass(block.body);
    const double* left = w.values(block) + r * n_v;
    const double* right = w.values(block) + c * n_v;
    for (int j = 0; j < n_v; ++j) {
      if (left[j] == 0.0) continue;
      double product = 0.0;
      for (int k = 0; k < n_v; ++k) product += inverse_mass[j * n_v + k] * right[k];
      sum += left[j] * product;
    }
  }
  return sum;
}

/// The stored block (i, i), or null where it is zero and was left out.
const double* find_diagonal_block(const StoredDelassus& w, int i) {
  const auto row = w.row(i);
  const auto block = std::lower_bound(row.begin(), row.end(), i,
                                      [](const StoredDelassus::Block& b, int column) { return b.column < column; });
  return block != row.end() && block->column == i ? w.values(*block) : nullptr;
}

}  // namespace

void ConeProblem::clear_cones() {
  cones.clear();
  blocks.clear();
  b.clear();
}

int ConeProblem::add_contact(std::span<const FrictionBlock> friction, std::uint64_t id) {
  Cone cone;
  cone.kind = ConeKind::contact;
  cone.dim = 1;
  for (const FrictionBlock& block : friction) {
    STICKSLIP_ASSERT(block.dim >= 1 && block.dim <= kMaxFrictionDim && block.mu >= 0.0);
    STICKSLIP_ASSERT(block.facets == 0 || (block.facets >= 3 && block.dim == 2));
    cone.dim += block.dim;
  }
  cone.first_block = static_cast<int>(blocks.size());
  cone.n_blocks = static_cast<int>(friction.size());
  cone.id = id;
  blocks.insert(blocks.end(), friction.begin(), friction.end());
  return add_cone(*this, cone);
}

int ConeProblem::add_ball(int dim, double radius, std::uint64_t id) {
  STICKSLIP_ASSERT(radius >= 0.0);
  Cone cone;
  cone.kind = ConeKind::ball;
  cone.dim = dim;
  cone.radius = radius;
  cone.id = id;
  return add_cone(*this, cone);
}

int ConeProblem::add_free(int dim, std::uint64_t id) {
  Cone cone;
  cone.kind = ConeKind::free;
  cone.dim = dim;
  cone.id = id;
  return add_cone(*this, cone);
}

void ConeProblem::apply_delassus(std::span<const double> p, std::span<double> result) const {
  std::vector<double> work(delassus_work_size());
  apply_delassus(p, result, work);
}

std::size_t ConeProblem::delassus_work_size() const {
  struct WorkSize {
    std::size_t operator()(const FactoredDelassus& w) const { return 2 * static_cast<std::size_t>(w.n_v()); }
    std::size_t operator()(const StoredDelassus&) const { return 0; }
    std::size_t operator()(const SparseDelassus& w) const { return static_cast<std::size_t>(w.n_v()); }
  };
  return std::visit(WorkSize{}, delassus);
}

void ConeProblem::apply_delassus(std::span<const double> p, std::span<double> result, std::span<double> work) const {
  STICKSLIP_ASSERT(static_cast<int>(p.size()) == size() && static_cast<int>(result.size()) == size());
  STICKSLIP_ASSERT(work.size() == delassus_work_size());
  if (const auto* stored = std::get_if<StoredDelassus>(&delassus)) {
    apply(*this, *stored, p.data(), result.data());
  } else if (const auto* sparse = std::get_if<SparseDelassus>(&delassus)) {
    apply(*this, *sparse, p.data(), result.data(), work);
  } else {
    apply(*this, std::get<FactoredDelassus>(delassus), p.data(), result.data(), work);
  }
}

void ConeProblem::calc_diagonal_block(int i, std::span<double> block) const {
  const int dim = cones[i].dim;
  STICKSLIP_ASSERT(static_cast<int>(block.size()) == dim * dim);
  if (const auto* stored = std::get_if<StoredDelassus>(&delassus)) {
    if (const double* values = find_diagonal_block(*stored, i)) {
      std::copy_n(values, dim * dim, block.data());
    } else {
      std::fill(block.begin(), block.end(), 0.0);
    }
    return;
  }
  if (const auto* sparse = std::get_if<SparseDelassus>(&delassus)) {
    if (!sparse->calc_block(i, i, block.data())) std::fill(block.begin(), block.end(), 0.0);
    return;
  }
  const auto& factored = std::get<FactoredDelassus>(delassus);
  for (int r = 0; r < dim; ++r) {
    for (int c = r; c < dim; ++c) block[r * dim + c] = block[c * dim + r] = calc_entry(factored, i, r, c);
  }
}

void ConeProblem::calc_diagonal(int i, double* diagonal) const {
  const int dim = cones[i].dim;
  if (const auto* stored = std::get_if<StoredDelassus>(&delassus)) {
    const double* values = find_diagonal_block(*stored, i);
    for (int r = 0; r < dim; ++r) diagonal[r] = values != nullptr ? values[r * dim + r] : 0.0;
  } else if (const auto* factored = std::get_if<FactoredDelassus>(&delassus)) {
    for (int r = 0; r < dim; ++r) diagonal[r] = calc_entry(*factored, i, r, r);
  } else {
    std::array<double, kMaxConeDim* kMaxConeDim> block = {};
    calc_diagonal_block(i, std::span(block).first(static_cast<std::size_t>(dim) * dim));
    for (int r = 0; r < dim; ++r) diagonal[r] = block[r * dim + r];
  }
}

double ConeProblem::calc_residual_scale() const {
  if (residual_scale > 0.0) return residual_scale;
  std::array<double, kMaxConeDim> diagonal = {};
  double sum = 0.0;
  for (int i = 0; i < n_cones(); ++i) {
    calc_diagonal(i, diagonal.data());
    for (int r = 0; r < cones[i].dim; ++r) sum += std::abs(diagonal[r]);
  }
  return sum > 0.0 ? sum / size() : 1.0;
}

}  // namespace stickslip
