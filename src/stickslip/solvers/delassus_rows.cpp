// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/delassus_rows.h"

#include <algorithm>

#include "stickslip/base/assert.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

bool is_zero(double value) {
  return value == 0.0;
}

}  // namespace

void DelassusRows::bind(const ConeProblem& problem) {
  problem_ = &problem;
  static_assert(std::variant_size_v<decltype(problem.delassus)> == 3, "one pointer each");
  stored_ = std::get_if<StoredDelassus>(&problem.delassus);
  factored_ = std::get_if<FactoredDelassus>(&problem.delassus);
  sparse_ = std::get_if<SparseDelassus>(&problem.delassus);
  STICKSLIP_ASSERT((stored_ != nullptr     ? stored_->n_rows()
                    : factored_ != nullptr ? factored_->n_rows()
                                           : sparse_->n_rows()) == problem.n_cones());
  diagonal_begin_.clear();
  diagonals_.clear();
  scales_.clear();
  j_inverse_mass_.clear();
  double total = 0.0;  // of magnitudes
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int dim = problem.cones[i].dim;
    diagonal_begin_.push_back(diagonals_.size());
    diagonals_.resize(diagonals_.size() + static_cast<std::size_t>(dim) * dim, 0.0);
    calc_diagonal(i);
    double trace = 0.0;
    for (int r = 0; r < dim; ++r) {
      trace += diagonal(i)[r * dim + r];
      total += std::abs(diagonal(i)[r * dim + r]);
    }
    scales_.push_back(trace / dim);
  }
  // As ConeProblem::calc_residual_scale(), from the blocks that are here anyway.
  residual_scale_ = problem.residual_scale > 0.0 ? problem.residual_scale : total > 0.0 ? total / problem.size() : 1.0;
}

void DelassusRows::calc_diagonal(int i) {
  const int dim = problem_->cones[i].dim;
  double* w = diagonals_.data() + diagonal_begin_[i];
  if (factored_ == nullptr) return problem_->calc_diagonal_block(i, {w, static_cast<std::size_t>(dim) * dim});
  for (const FactoredDelassus::Block& block : factored_->row(i)) {
    const int n_v = factored_->body(block.body).n_v;
    const double* j = factored_->values(block);
    const double* inverse_mass = factored_->inverse_mass(block.body);
    STICKSLIP_ASSERT(j_inverse_mass_.size() == block.offset);
    j_inverse_mass_.resize(block.offset + static_cast<std::size_t>(dim) * n_v, 0.0);
    double* product = j_inverse_mass_.data() + block.offset;
    for (int r = 0; r < dim; ++r) {
      add_transposed_product(n_v, n_v, inverse_mass, j + r * n_v, product + r * n_v);
      for (int c = 0; c <= r; ++c) {
        double sum = 0.0;
        for (int k = 0; k < n_v; ++k) sum += product[r * n_v + k] * j[c * n_v + k];
        w[r * dim + c] += sum;
      }
    }
  }
  for (int r = 0; r < dim; ++r) {
    for (int c = r + 1; c < dim; ++c) w[r * dim + c] = w[c * dim + r];
  }
}

void DelassusRows::start(std::span<const double> p) {
  if (sparse_ != nullptr) {
    v_.assign(sparse_->n_v(), 0.0);
    for (int i = 0; i < problem_->n_cones(); ++i) {
      sparse_->add_velocity(i, p.data() + problem_->cones[i].offset, v_.data());
    }
  }
  if (factored_ == nullptr) return;
  v_.assign(factored_->n_v(), 0.0);
  momentum_.assign(factored_->n_v(), 0.0);
  for (int i = 0; i < problem_->n_cones(); ++i) {
    const Cone& cone = problem_->cones[i];
    for (const FactoredDelassus::Block& block : factored_->row(i)) {
      const FactoredDelassus::Body& body = factored_->body(block.body);
      add_transposed_product(cone.dim, body.n_v, factored_->values(block), p.data() + cone.offset,
                             momentum_.data() + body.v_offset);
    }
  }
  for (int k = 0; k < factored_->n_bodies(); ++k) {
    const FactoredDelassus::Body& body = factored_->body(k);
    add_product(body.n_v, body.n_v, factored_->inverse_mass(k), momentum_.data() + body.v_offset,
                v_.data() + body.v_offset);
  }
}

void DelassusRows::calc_velocity(int i, std::span<const double> p, double* u) const {
  const Cone& cone = problem_->cones[i];
  std::copy_n(problem_->b.data() + cone.offset, cone.dim, u);
  if (factored_ != nullptr) {
    for (const FactoredDelassus::Block& block : factored_->row(i)) {
      const FactoredDelassus::Body& body = factored_->body(block.body);
      add_product(cone.dim, body.n_v, factored_->values(block), v_.data() + body.v_offset, u);
    }
    return;
  }
  if (sparse_ != nullptr) return sparse_->add_relative_velocity(i, v_.data(), u);
  for (const StoredDelassus::Block& block : stored_->row(i)) {
    const Cone& column = problem_->cones[block.column];
    const double* p_column = p.data() + column.offset;
    // Most contacts that are open have no percussion: their blocks need not be fetched.
    if (p_column[0] == 0.0 && std::all_of(p_column + 1, p_column + column.dim, is_zero)) continue;
    add_product(cone.dim, column.dim, stored_->values(block), p_column, u);
  }
}

void DelassusRows::add_change(int i, const double* dp) {
  if (sparse_ != nullptr) return sparse_->add_velocity(i, dp, v_.data());
  if (factored_ == nullptr) return;
  const int dim = problem_->cones[i].dim;
  for (const FactoredDelassus::Block& block : factored_->row(i)) {
    const FactoredDelassus::Body& body = factored_->body(block.body);
    add_transposed_product(dim, body.n_v, j_inverse_mass_.data() + block.offset, dp, v_.data() + body.v_offset);
  }
}

bool DelassusRows::calc_block(int i, int j, double* block) const {
  const int dim_i = problem_->cones[i].dim;
  const int dim_j = problem_->cones[j].dim;
  if (stored_ != nullptr) {
    for (const StoredDelassus::Block& stored : stored_->row(i)) {
      if (stored.column != j) continue;
      std::copy_n(stored_->values(stored), dim_i * dim_j, block);
      return true;
    }
    return false;
  }
  if (sparse_ != nullptr) return sparse_->calc_block(i, j, block);
  bool coupled = false;
  for (const FactoredDelassus::Block& left : factored_->row(i)) {
    for (const FactoredDelassus::Block& right : factored_->row(j)) {
      if (left.body != right.body) continue;
      if (!coupled) std::fill_n(block, dim_i * dim_j, 0.0);
      coupled = true;
      const int n_v = factored_->body(left.body).n_v;
      const double* product = j_inverse_mass_.data() + left.offset;
      const double* values = factored_->values(right);
      for (int r = 0; r < dim_i; ++r) {
        for (int c = 0; c < dim_j; ++c) {
          double sum = 0.0;
          for (int k = 0; k < n_v; ++k) sum += product[r * n_v + k] * values[c * n_v + k];
          block[r * dim_j + c] += sum;
        }
      }
    }
  }
  return coupled;
}

}  // namespace stickslip
