// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/factored_delassus.h"

#include <algorithm>
#include <cstring>

#include "stickslip/base/assert.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

/// product (dim, n_v) = J M^-1 of a block of all columns of a body, w (dim, dim) += its lower half with J^T. `size` is
/// n_v, where it can be an std::integral_constant, so that the compiler knows how long loops are.
template <class Size>
void prepare_block(Size size, int dim, const double* inverse_mass, bool is_diagonal, const double* j, double* product,
                   double* w) {
  for (int r = 0; r < dim; ++r) {
    if (is_diagonal) {
      for (int k = 0; k < size; ++k) product[r * size + k] = inverse_mass[k * size + k] * j[r * size + k];
    } else {
      add_transposed_product(size, size, inverse_mass, j + r * size, product + r * size);
    }
    for (int c = 0; c <= r; ++c) {
      double sum = 0.0;
      for (int k = 0; k < size; ++k) sum += product[r * size + k] * j[c * size + k];
      w[r * dim + c] += sum;
    }
  }
}

}  // namespace

bool FactoredDelassus::operator==(const FactoredDelassus& other) const {
  // Bits, as 0 and -0 give results that differ in signs.
  const auto has_bits_of = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  };
  return has_bits_of(values_, other.values_) && has_pattern_of(other) &&
         has_bits_of(inverse_mass_, other.inverse_mass_) && bodies_ == other.bodies_;
}

void FactoredDelassus::clear() {
  clear_rows();
  bodies_.clear();
  inverse_mass_.clear();
  has_finite_masses_ = true;
  n_v_ = 0;
}

void FactoredDelassus::clear_rows() {
  row_begin_.assign(1, 0);
  row_dim_.clear();
  blocks_.clear();
  values_.clear();
}

int FactoredDelassus::add_body(const Eigen::Ref<const Matrix>& inverse_mass) {
  STICKSLIP_ASSERT(inverse_mass.rows() == inverse_mass.cols());
  const int n_v = static_cast<int>(inverse_mass.rows());
  bodies_.push_back({n_v_, n_v, inverse_mass_.size(), inverse_mass.isDiagonal(0.0)});
  has_finite_masses_ &= inverse_mass.allFinite();
  for (int i = 0; i < n_v; ++i) {
    for (int j = 0; j < n_v; ++j) inverse_mass_.push_back(inverse_mass(i, j));
  }
  n_v_ += n_v;
  return n_bodies() - 1;
}

void FactoredDelassus::begin_row(int dim) {
  STICKSLIP_ASSERT(dim > 0);
  row_dim_.push_back(dim);
  row_begin_.push_back(blocks_.size());
}

RowMatrixView FactoredDelassus::add_block(int body, int column, int n) {
  STICKSLIP_ASSERT(n_rows() > 0 && body >= 0 && body < n_bodies() && column >= 0 && column + n <= bodies_[body].n_v);
  const int dim = row_dim_.back();
  for (const Block& block : row(n_rows() - 1)) {
    if (block.body == body && block.column == column && block.n == n) {
      return RowMatrixView(values_.data() + block.offset, dim, n);
    }
  }
  const std::size_t offset = values_.size();
  values_.resize(offset + static_cast<std::size_t>(dim) * n, 0.0);
  blocks_.push_back({body, column, n, bodies_[body].v_offset + column, offset});
  row_begin_.back() = blocks_.size();
  return RowMatrixView(values_.data() + offset, dim, n);
}

int FactoredDelassus::list_bodies(int i, std::vector<int>& bodies) const {
  int n = 0;
  bodies.clear();
  for (const Block& block : row(i)) {
    if (std::ranges::find(bodies, block.body) != bodies.end()) continue;
    bodies.push_back(block.body);
    n += bodies_[block.body].n_v;
  }
  return n;
}

/// momentum += J^T p
void FactoredDelassus::add_momentum(std::span<const Cone> cones, const double* p, double* momentum) const {
  for (int i = 0; i < n_rows(); ++i) {
    for (const Block& block : row(i)) {
      with_size(block.n, [&](const auto size) {
        add_transposed_product(cones[i].dim, size, values(block), p + cones[i].offset, momentum + block.v_offset);
      });
    }
  }
}

/// v += M^-1 momentum
void FactoredDelassus::add_inverse_mass_product(const double* momentum, double* v) const {
  for (int k = 0; k < n_bodies(); ++k) {
    const Body& body = bodies_[k];
    with_size(body.n_v, [&](const auto size) {
      if (!body.is_diagonal) {
        return add_symmetric_product(size, inverse_mass(k), momentum + body.v_offset, v + body.v_offset);
      }
      for (int r = 0; r < size; ++r) {
        v[body.v_offset + r] += inverse_mass(k)[r * (size + 1)] * momentum[body.v_offset + r];
      }
    });
  }
}

// W p = J (M^-1 (J^T p)). work holds J^T p (n_v) [N s] and M^-1 J^T p (n_v) [m/s].
void FactoredDelassus::apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const {
  std::ranges::fill(work, 0.0);
  double* momentum = work.data();
  double* v = momentum + n_v_;
  add_momentum(cones, p, momentum);
  add_inverse_mass_product(momentum, v);
  for (int i = 0; i < n_rows(); ++i) {
    double* out = u + cones[i].offset;
    std::fill_n(out, cones[i].dim, 0.0);
    for (const Block& block : row(i)) {
      with_size(block.n,
                [&](const auto size) { add_product(cones[i].dim, size, values(block), v + block.v_offset, out); });
    }
  }
}

void FactoredDelassus::add_response(const Block& block, int r, double* product) const {
  const int n_v = bodies_[block.body].n_v;
  const double* j = values(block) + r * block.n;
  const double* inverse = inverse_mass(block.body) + static_cast<std::size_t>(block.column) * n_v;
  with_size(block.n, [&](const auto n) {
    if (bodies_[block.body].is_diagonal) {
      for (int k = 0; k < n; ++k) product[block.column + k] += inverse[k * (n_v + 1) + block.column] * j[k];
    } else if (n == n_v) {
      add_transposed_product(n, n, inverse, j, product);
    } else {
      add_transposed_product(n, n_v, inverse, j, product);
    }
  });
}

/// Entry (r, c) of W_ii.
double FactoredDelassus::calc_entry(int i, int r, int c) const {
  double sum = 0.0;
  for (const Block& left : row(i)) {
    const int n_v = bodies_[left.body].n_v;
    const double* row_of_left = values(left) + r * left.n;
    for (const Block& right : row(i)) {
      if (right.body != left.body) continue;
      const double* row_of_right = values(right) + c * right.n;
      const double* inverse = inverse_mass(left.body) + static_cast<std::size_t>(left.column) * n_v + right.column;
      if (bodies_[left.body].is_diagonal) {
        const int shift = left.column - right.column;
        const int end = std::min(left.n, right.n - shift);
        for (int j = std::max(0, -shift); j < end; ++j) {
          sum += row_of_left[j] * (inverse[j * (n_v + 1) + shift] * row_of_right[j + shift]);
        }
        continue;
      }
      for (int j = 0; j < left.n; ++j, inverse += n_v) {
        if (row_of_left[j] == 0.0) continue;
        double product = 0.0;
        for (int k = 0; k < right.n; ++k) product += inverse[k] * row_of_right[k];
        sum += row_of_left[j] * product;
      }
    }
  }
  return sum;
}

void FactoredDelassus::calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const {
  const int dim = cones[i].dim;
  for (int r = 0; r < dim; ++r) {
    for (int c = r; c < dim; ++c) block[r * dim + c] = block[c * dim + r] = calc_entry(i, r, c);
  }
}

void FactoredDelassus::calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const {
  for (int r = 0; r < cones[i].dim; ++r) diagonal[r] = calc_entry(i, r, r);
}

void FactoredDelassus::prepare_row(std::span<const Cone> cones, int i, SweepMemory& memory,
                                   double* diagonal_block) const {
  const int dim = cones[i].dim;
  double* w = diagonal_block;
  std::fill_n(w, dim * dim, 0.0);
  if (i == 0) memory.rows.clear();
  if (i == 0) memory.rows_begin.clear();
  for (const Block& block : row(i)) {
    const Body& body = bodies_[block.body];
    const std::size_t begin = memory.rows.size();
    memory.rows_begin.push_back(begin);
    memory.rows.resize(begin + static_cast<std::size_t>(dim) * body.n_v, 0.0);
    double* product = memory.rows.data() + begin;
    if (block.n == body.n_v) {
      with_size(body.n_v, [&](const auto size) {
        prepare_block(size, dim, inverse_mass(block.body), body.is_diagonal, values(block), product, w);
      });
      continue;
    }
    for (int r = 0; r < dim; ++r) add_response(block, r, product + r * body.n_v);
    for (const Block& other : row(i)) {
      if (other.body != block.body) continue;
      for (int r = 0; r < dim; ++r) {
        const double* response = product + r * body.n_v + other.column;
        for (int c = 0; c <= r; ++c) {
          double sum = 0.0;
          for (int k = 0; k < other.n; ++k) sum += response[k] * values(other)[c * other.n + k];
          w[r * dim + c] += sum;
        }
      }
    }
  }
  for (int r = 0; r < dim; ++r) {
    for (int c = r + 1; c < dim; ++c) w[r * dim + c] = w[c * dim + r];
  }
}

void FactoredDelassus::start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const {
  memory.v.assign(n_v_, 0.0);
  const int n = cones.empty() ? 0 : cones.back().offset + cones.back().dim;
  // No percussions give no velocities, but where a mass is not finite: there v is not, so that the solve fails.
  if (has_finite_masses_ && std::all_of(p, p + n, [](double x) { return x == 0.0; })) return;
  memory.momentum.assign(n_v_, 0.0);
  add_momentum(cones, p, memory.momentum.data());
  add_inverse_mass_product(memory.momentum.data(), memory.v.data());
}

void FactoredDelassus::add_relative_velocity(std::span<const Cone> cones, int i, const double* /*p*/,
                                             const SweepMemory& memory, double* u) const {
  for (const Block& block : row(i)) {
    with_size(block.n,
              [&](const auto n) { add_product(cones[i].dim, n, values(block), memory.v.data() + block.v_offset, u); });
  }
}

void FactoredDelassus::add_velocity(std::span<const Cone> cones, int i, const double* dp, SweepMemory& memory) const {
  for (std::size_t k = row_begin_[i]; k < row_begin_[i + 1]; ++k) {
    const Body& body = bodies_[blocks_[k].body];
    with_size(body.n_v, [&](const auto size) {
      add_transposed_product(cones[i].dim, size, memory.rows.data() + memory.rows_begin[k], dp,
                             memory.v.data() + body.v_offset);
    });
  }
}

bool FactoredDelassus::calc_block(std::span<const Cone> cones, int i, int j, const SweepMemory& memory,
                                  double* block) const {
  const int dim_i = cones[i].dim;
  const int dim_j = cones[j].dim;
  bool coupled = false;
  for (std::size_t l = row_begin_[i]; l < row_begin_[i + 1]; ++l) {
    const Block& left = blocks_[l];
    for (const Block& right : row(j)) {
      if (left.body != right.body) continue;
      if (!coupled) std::fill_n(block, dim_i * dim_j, 0.0);
      coupled = true;
      const int n_v = bodies_[left.body].n_v;
      const double* product = memory.rows.data() + memory.rows_begin[l] + right.column;
      with_size(right.n, [&](const auto n) {
        for (int r = 0; r < dim_i; ++r) add_product(dim_j, n, values(right), product + r * n_v, block + r * dim_j);
      });
    }
  }
  return coupled;
}

}  // namespace stickslip
