// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/one_step_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/cone/body_form.h"
#include "stickslip/cone/condense.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/sparse_lu.h"

namespace stickslip {
namespace {

/// Components of M up to this many unknowns are inverted densely, larger ones factorised sparsely. [-] (a rigid body
/// has 6, a beam of the published examples some 30; dense LU is as quick up to about there)
constexpr int kDenseComponent = 40;
/// A factor whose smallest pivot is below this share of the largest entry of its component is singular. [-]
constexpr double kSingular = 1e-14;
/// Two entries of W that differ by no more than this, relative to their rows' diagonals, differ by round-off. [-]
constexpr double kSymmetric = 1e-14;

void add_cones(ConeProblem& problem, int dim, const Vector& mu, Eigen::Index n_free) {
  for (Eigen::Index i = 0; i < mu.size(); ++i) {
    FrictionBlock block;
    block.dim = dim - 1;
    block.mu = mu[i];
    problem.add_contact({&block, 1});
  }
  for (Eigen::Index i = 0; i < n_free; ++i) problem.add_free(1);
}

/// Block rows of a matrix that is given entry by entry, in the blocks of the problem's cones.
class BlockRows {
 public:
  explicit BlockRows(const ConeProblem& problem) : problem_(problem), cone_of_row_(problem.size()) {
    for (int i = 0; i < problem.n_cones(); ++i) {
      const Cone& cone = problem.cones[i];
      std::fill_n(cone_of_row_.begin() + cone.offset, cone.dim, i);
    }
    slot_.assign(problem.n_cones(), -1);
  }

  /// Entry of row `row` of the open block row, added to what is there.
  void add(int row, int column, double value) {
    if (value == 0.0) return;
    const int j = cone_of_row_[column];
    if (slot_[j] < 0) {
      slot_[j] = static_cast<int>(columns_.size());
      columns_.push_back(j);
    }
    entries_.push_back({row, column, value});
  }

  /// Writes block row i and opens the next.
  void finish(int i, StoredDelassus& w) {
    const Cone& cone = problem_.cones[i];
    std::ranges::sort(columns_);
    dims_.clear();
    begin_.clear();
    std::size_t size = 0;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      slot_[columns_[k]] = static_cast<int>(k);
      dims_.push_back(problem_.cones[columns_[k]].dim);
      begin_.push_back(size);
      size += static_cast<std::size_t>(cone.dim) * dims_.back();
    }
    values_.assign(size, 0.0);
    for (const Entry& entry : entries_) {
      const int j = cone_of_row_[entry.column];
      const int k = slot_[j];
      const int column = entry.column - problem_.cones[j].offset;
      values_[begin_[k] + static_cast<std::size_t>(entry.row - cone.offset) * dims_[k] + column] += entry.value;
    }
    w.add_row(columns_, dims_, cone.dim, values_);
    for (const int j : columns_) slot_[j] = -1;
    columns_.clear();
    entries_.clear();
  }

 private:
  struct Entry {
    int row;
    int column;
    double value;
  };
  const ConeProblem& problem_;
  std::vector<int> cone_of_row_;  // (n)
  std::vector<int> slot_;         // (n_cones) place in columns_, or -1
  std::vector<int> columns_;
  std::vector<int> dims_;
  std::vector<std::size_t> begin_;
  std::vector<double> values_;
  std::vector<Entry> entries_;
};

/// The parts of M that are not coupled with one another, each factorised by itself.
class ComponentSolver {
 public:
  ComponentSolver(const SparseMatrix& m, const std::string& file) : component_of_(m.rows()), place_(m.rows()) {
    find_components(m);
    for (const std::vector<int>& unknowns : components_) factorise(m, unknowns, file);
  }

  int n_components() const { return static_cast<int>(components_.size()); }
  int component_of(int unknown) const { return component_of_[unknown]; }
  const std::vector<int>& unknowns(int component) const { return components_[component]; }
  int place(int unknown) const { return place_[unknown]; }  // in its component

  /// M_c^-1 times the columns of b (n_c, k).
  Matrix solve(int component, const Matrix& b) const {
    const Factor& factor = factors_[component];
    if (factor.sparse) return factor.sparse->solve(b);
    return factor.inverse * b;
  }

 private:
  struct Factor {
    Matrix inverse;                  // (n_c, n_c) of a small component
    std::optional<SparseLu> sparse;  // of a large one
  };

  void find_components(const SparseMatrix& m) {
    std::vector<int> parent(m.rows());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&parent](int x) {
      while (parent[x] != x) x = parent[x] = parent[parent[x]];
      return x;
    };
    for (int i = 0; i < m.outerSize(); ++i) {
      for (SparseMatrix::InnerIterator entry(m, i); entry; ++entry) {
        if (entry.value() != 0.0) parent[root(static_cast<int>(entry.col()))] = root(i);
      }
    }
    std::vector<int> number(m.rows(), -1);
    for (int i = 0; i < m.rows(); ++i) {
      int& component = number[root(i)];
      if (component < 0) {
        component = static_cast<int>(components_.size());
        components_.emplace_back();
      }
      component_of_[i] = component;
      place_[i] = static_cast<int>(components_[component].size());
      components_[component].push_back(i);
    }
  }

  void factorise(const SparseMatrix& m, const std::vector<int>& unknowns, const std::string& file) {
    const int n = static_cast<int>(unknowns.size());
    const auto fail = [&] {
      throw InputError({file}, "M", fmt::format("the rows coupled with row {}", unknowns.front()), "are singular");
    };
    Factor& factor = factors_.emplace_back();
    if (n <= kDenseComponent) {
      Matrix dense = Matrix::Zero(n, n);
      for (int k = 0; k < n; ++k) {
        for (SparseMatrix::InnerIterator entry(m, unknowns[k]); entry; ++entry) {
          if (entry.value() != 0.0) dense(k, place_[entry.col()]) += entry.value();
        }
      }
      const double largest = dense.cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) fail();
      DenseLu lu;
      if (!(lu.factorise(dense) > kSingular * largest)) fail();
      factor.inverse = lu.inverse();
      if (!factor.inverse.allFinite()) fail();
      return;
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < n; ++k) {
      for (SparseMatrix::InnerIterator entry(m, unknowns[k]); entry; ++entry) {
        if (entry.value() != 0.0) entries.emplace_back(k, place_[entry.col()], entry.value());
      }
    }
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    if (!factor.sparse.emplace().factorise(matrix)) fail();
  }

  std::vector<int> component_of_;             // (n_v)
  std::vector<int> place_;                    // (n_v)
  std::vector<std::vector<int>> components_;  // their unknowns, increasing
  std::vector<Factor> factors_;
};

/// Builds the two sides of a SparseDelassus row by row from the columns of H or G, which are rows of the transpose.
class SideBuilder {
 public:
  explicit SideBuilder(const ComponentSolver& solver) : solver_(solver) {}

  /// The cone whose rows are rows first ... first + dim - 1 of `transposed` (n, n_v).
  void add_cone(const SparseMatrix& transposed, int first, int dim, SparseDelassus& w) {
    unknowns_.clear();
    for (int r = 0; r < dim; ++r) {
      for (SparseMatrix::InnerIterator entry(transposed, first + r); entry; ++entry) {
        if (entry.value() != 0.0) unknowns_.push_back(static_cast<int>(entry.col()));
      }
    }
    make_unique(unknowns_);
    components_.clear();
    for (const int unknown : unknowns_) components_.push_back(solver_.component_of(unknown));
    make_unique(components_);

    left_.assign(unknowns_.size() * dim, 0.0);
    right_unknowns_.clear();
    for (const int c : components_) {
      right_unknowns_.insert(right_unknowns_.end(), solver_.unknowns(c).begin(), solver_.unknowns(c).end());
    }
    std::ranges::sort(right_unknowns_);
    right_.assign(right_unknowns_.size() * dim, 0.0);
    for (int r = 0; r < dim; ++r) {
      for (SparseMatrix::InnerIterator entry(transposed, first + r); entry; ++entry) {
        if (entry.value() == 0.0) continue;
        left_[r * unknowns_.size() + place_in(unknowns_, static_cast<int>(entry.col()))] += entry.value();
      }
    }
    for (const int c : components_) add_component(transposed, first, dim, c);
    w.add_row({unknowns_, left_}, {right_unknowns_, right_});
  }

 private:
  static void make_unique(std::vector<int>& numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  static std::size_t place_in(const std::vector<int>& sorted, int number) {
    return std::ranges::lower_bound(sorted, number) - sorted.begin();
  }

  void add_component(const SparseMatrix& transposed, int first, int dim, int component) {
    const std::vector<int>& unknowns = solver_.unknowns(component);
    Matrix columns = Matrix::Zero(static_cast<Eigen::Index>(unknowns.size()), dim);
    for (int r = 0; r < dim; ++r) {
      for (SparseMatrix::InnerIterator entry(transposed, first + r); entry; ++entry) {
        const int unknown = static_cast<int>(entry.col());
        if (entry.value() != 0.0 && solver_.component_of(unknown) == component) {
          columns(solver_.place(unknown), r) += entry.value();
        }
      }
    }
    const Matrix solved = solver_.solve(component, columns);
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const std::size_t place = place_in(right_unknowns_, unknowns[k]);
      for (int r = 0; r < dim; ++r) right_[r * right_unknowns_.size() + place] = solved(k, r);
    }
  }

  const ComponentSolver& solver_;
  std::vector<int> unknowns_;
  std::vector<int> components_;
  std::vector<int> right_unknowns_;
  std::vector<double> left_;
  std::vector<double> right_;
};

/// Stores a matrix in the blocks of the problem's cones.
void store_delassus(const SparseMatrix& w, ConeProblem& problem) {
  auto& delassus = problem.delassus.emplace<StoredDelassus>();
  BlockRows rows(problem);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      for (SparseMatrix::InnerIterator entry(w, row); entry; ++entry) {
        rows.add(row, static_cast<int>(entry.col()), entry.value());
      }
    }
    rows.finish(i, delassus);
  }
}

/// Rows of every contact of a local form that can state the problem, or 0.
int common_dimension(const ConeProblem& problem) {
  int dim = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::free || (cone.kind == ConeKind::contact && cone.n_blocks == 0)) continue;
    const bool plain = cone.kind == ConeKind::contact && cone.n_blocks == 1 && problem.friction(cone)[0].facets == 0;
    if (!plain || cone.dim > 3 || (dim != 0 && dim != cone.dim)) return 0;
    dim = cone.dim;
  }
  return dim != 0 ? dim : 2;
}

/// Whether W couples bilateral rows with contacts as contacts with them, up to round-off.
bool is_coupled_symmetrically(const ConeProblem& problem, const SparseMatrix& w) {
  std::vector<bool> is_free(problem.size(), false);
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::free) std::fill_n(is_free.begin() + cone.offset, cone.dim, true);
  }
  Vector diagonal = w.diagonal();
  diagonal = diagonal.cwiseAbs().cwiseSqrt();
  const SparseMatrix difference = w - SparseMatrix(w.transpose());
  for (int row = 0; row < difference.outerSize(); ++row) {
    for (SparseMatrix::InnerIterator entry(difference, row); entry; ++entry) {
      if (is_free[row] == is_free[entry.col()]) continue;
      if (std::abs(entry.value()) > kSymmetric * diagonal[row] * diagonal[entry.col()]) return false;
    }
  }
  return true;
}

/// Contacts first, then what is free, all contacts with `dim` rows; rows (n) gets each old row's new one.
LocalForm make_local_form(const ConeProblem& problem, const SparseMatrix& w, int dim, std::vector<int>& rows) {
  LocalForm form;
  form.dim = dim;
  std::vector<double> mu;
  std::vector<int> added;  // rows of the form that contacts without friction lack
  int n_free = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::free) {
      for (int r = 0; r < cone.dim; ++r) rows[cone.offset + r] = n_free++;
      continue;
    }
    for (int r = 0; r < cone.dim; ++r) rows[cone.offset + r] = static_cast<int>(mu.size()) * dim + r;
    for (int r = cone.dim; r < dim; ++r) added.push_back(static_cast<int>(mu.size()) * dim + r);
    mu.push_back(cone.n_blocks > 0 ? problem.friction(cone)[0].mu : 0.0);
  }
  const int n = dim * static_cast<int>(mu.size());
  std::vector<bool> is_free(problem.size(), false);
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::free) std::fill_n(is_free.begin() + cone.offset, cone.dim, true);
  }
  form.mu = ConstVectorView(mu.data(), static_cast<Eigen::Index>(mu.size()));
  form.q = Vector::Zero(n);
  form.s = Vector::Zero(n_free);
  std::vector<Eigen::Triplet<double>> in_w;
  std::vector<Eigen::Triplet<double>> in_v;
  std::vector<Eigen::Triplet<double>> in_r;
  for (int row = 0; row < problem.size(); ++row) {
    (is_free[row] ? form.s : form.q)[rows[row]] = problem.b[row];
    for (SparseMatrix::InnerIterator entry(w, row); entry; ++entry) {
      const int column = static_cast<int>(entry.col());
      if (is_free[row] && !is_free[column]) continue;  // V^T
      (is_free[row] ? in_r : is_free[column] ? in_v : in_w).emplace_back(rows[row], rows[column], entry.value());
    }
  }
  const double scale = problem.calc_residual_scale();
  for (const int row : added) in_w.emplace_back(row, row, scale);
  form.w.resize(n, n);
  form.v.resize(n, n_free);
  form.r.resize(n_free, n_free);
  form.w.setFromTriplets(in_w.begin(), in_w.end());
  form.v.setFromTriplets(in_v.begin(), in_v.end());
  form.r.setFromTriplets(in_r.begin(), in_r.end());
  for (int row = 0; row < problem.size(); ++row) {
    if (is_free[row]) rows[row] += n;
  }
  return form;
}

}  // namespace

int OneStepProblem::n_contacts() const {
  return static_cast<int>(
      std::ranges::count_if(cones.cones, [](const Cone& cone) { return cone.kind == ConeKind::contact; }));
}

OneStepProblem make_one_step_problem(LocalForm form) {
  OneStepProblem made;
  ConeProblem& problem = made.cones;
  add_cones(problem, form.dim, form.mu, form.s.size());
  const int n = static_cast<int>(form.q.size());
  STICKSLIP_ASSERT(n == form.dim * form.mu.size() && form.w.rows() == n && form.w.cols() == n);
  std::copy_n(form.q.data(), n, problem.b.begin());
  std::copy_n(form.s.data(), form.s.size(), problem.b.begin() + n);
  auto& delassus = problem.delassus.emplace<StoredDelassus>();
  BlockRows rows(problem);
  const SparseMatrix v_transposed = form.v.transpose();
  const auto add_row = [&rows](const SparseMatrix& matrix, int from, int row, int first_column) {
    for (SparseMatrix::InnerIterator entry(matrix, from); entry; ++entry) {
      rows.add(row, first_column + static_cast<int>(entry.col()), entry.value());
    }
  };
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      if (row < n) {
        add_row(form.w, row, row, 0);
        if (form.s.size() > 0) add_row(form.v, row, row, n);
      } else {
        add_row(v_transposed, row - n, row, 0);
        add_row(form.r, row - n, row, n);
      }
    }
    rows.finish(i, delassus);
  }
  made.form = std::move(form);
  return made;
}

OneStepProblem make_one_step_problem(GlobalForm form, const std::string& file) {
  OneStepProblem made;
  ConeProblem& problem = made.cones;
  add_cones(problem, form.dim, form.mu, form.b.size());
  const int n = static_cast<int>(form.w.size());
  const int n_v = static_cast<int>(form.f.size());
  STICKSLIP_ASSERT(n == form.dim * form.mu.size() && form.m.rows() == n_v && form.m.cols() == n_v);
  STICKSLIP_ASSERT(form.h.rows() == n_v && form.h.cols() == n);
  const ComponentSolver solver(form.m, file);
  const SparseMatrix h_transposed = form.h.transpose();
  const SparseMatrix g_transposed = form.g.transpose();
  FactoredDelassus bodies;
  const bool has_bodies = form.mu.size() >= kManyContacts && find_bodies(form, problem, bodies);
  auto& delassus = problem.delassus.emplace<SparseDelassus>();
  delassus.clear(n_v);
  SideBuilder builder(solver);
  for (const Cone& cone : problem.cones) {
    if (has_bodies) break;
    if (cone.offset < n) {
      builder.add_cone(h_transposed, cone.offset, cone.dim, delassus);
    } else {
      builder.add_cone(g_transposed, cone.offset - n, cone.dim, delassus);
    }
  }

  made.free_velocity.resize(n_v);
  for (int c = 0; c < solver.n_components(); ++c) {
    const std::vector<int>& unknowns = solver.unknowns(c);
    Matrix f(static_cast<Eigen::Index>(unknowns.size()), 1);
    for (std::size_t k = 0; k < unknowns.size(); ++k) f(k, 0) = form.f[unknowns[k]];
    const Matrix v = solver.solve(c, f);
    for (std::size_t k = 0; k < unknowns.size(); ++k) made.free_velocity[unknowns[k]] = v(k, 0);
  }
  // q = H^T M^-1 f + w.
  std::copy_n(form.w.data(), n, problem.b.begin());
  std::copy_n(form.b.data(), form.b.size(), problem.b.begin() + n);
  const auto add_products = [&](const SparseMatrix& transposed, double* q) {
    for (Eigen::Index r = 0; r < transposed.rows(); ++r) {
      double sum = 0.0;
      for (SparseMatrix::InnerIterator entry(transposed, r); entry; ++entry) {
        sum += entry.value() * made.free_velocity[entry.col()];
      }
      q[r] += sum;
    }
  };
  add_products(h_transposed, problem.b.data());
  add_products(g_transposed, problem.b.data() + n);
  if (has_bodies) problem.delassus = std::move(bodies);
  made.form = std::move(form);
  return made;
}

OneStepProblem make_one_step_problem(LcpForm form) {
  OneStepProblem made;
  const int n = static_cast<int>(form.q.size());
  STICKSLIP_ASSERT(form.m.rows() == n && form.m.cols() == n);
  for (int i = 0; i < n; ++i) made.cones.add_contact({});
  std::copy_n(form.q.data(), n, made.cones.b.begin());
  made.cones.residual_scale = 1.0;  // the natural map of half lines is then min(z, w)
  store_delassus(form.m, made.cones);
  made.form = std::move(form);
  return made;
}

OneStepProblem make_one_step_problem(ConeForm form, ConeProblem cones) {
  STICKSLIP_ASSERT(form.w.rows() == cones.size() && form.w.cols() == cones.size());
  OneStepProblem made;
  made.cones = std::move(cones);
  store_delassus(form.w, made.cones);
  made.form = std::move(form);
  return made;
}

OneStepProblem make_exchange_problem(const ConeProblem& problem, std::vector<int>* row_of) {
  std::vector<int> rows(problem.size());
  std::iota(rows.begin(), rows.end(), 0);
  const int dim = common_dimension(problem);
  OneStepProblem made;
  std::optional<GlobalForm> of_bodies = make_body_form(problem, dim, rows);
  const SparseMatrix w = of_bodies ? SparseMatrix() : make_delassus_matrix(problem);
  if (of_bodies) {
    made = make_one_step_problem(std::move(*of_bodies), "");
  } else if (dim == 0 || !problem.stretches.empty() || !is_coupled_symmetrically(problem, w)) {
    ConeProblem cones;
    cones.cones = problem.cones;
    cones.blocks = problem.blocks;
    cones.stretches = problem.stretches;
    cones.b = problem.b;
    made = make_one_step_problem(ConeForm{w}, std::move(cones));
  } else {
    made = make_one_step_problem(make_local_form(problem, w, dim, rows));
  }
  made.cones.law = problem.law;
  made.cones.floor = problem.floor;
  if (row_of != nullptr) *row_of = std::move(rows);
  return made;
}

Vector calc_generalized_velocity(const OneStepProblem& problem, std::span<const double> p) {
  Vector v = problem.free_velocity;
  if (v.size() == 0) return v;
  if (const auto* bodies = std::get_if<FactoredDelassus>(&problem.cones.delassus)) {
    for (int i = 0; i < problem.cones.n_cones(); ++i) {
      const Cone& cone = problem.cones.cones[i];
      for (const FactoredDelassus::Block& block : bodies->row(i)) {
        const int n_v = bodies->body(block.body).n_v;
        const ConstRowMatrixView J(bodies->values(block), cone.dim, block.n);
        const ConstRowMatrixView inverse(bodies->inverse_mass(block.body), n_v, n_v);
        v.segment(bodies->body(block.body).v_offset, n_v) +=
            inverse.middleCols(block.column, block.n) *
            (J.transpose() * ConstVectorView(p.data() + cone.offset, cone.dim));
      }
    }
    return v;
  }
  const auto& delassus = std::get<SparseDelassus>(problem.cones.delassus);
  for (int i = 0; i < problem.cones.n_cones(); ++i) {
    delassus.add_velocity(i, p.data() + problem.cones.cones[i].offset, v.data());
  }
  return v;
}

}  // namespace stickslip
