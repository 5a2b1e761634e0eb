// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/body_form.h"

#include <algorithm>
#include <utility>

#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

/// A mass block is symmetric where entries differ by no more than this, relative to the largest, and singular where its
/// smallest pivot is below that share of it. [-]
constexpr double kSymmetricMass = 1e-14;
constexpr double kSingularMass = 1e-14;

/// The inverse of the symmetric matrix that `lu` has factorised; of a diagonal one without round-off beside it.
Matrix invert(const Matrix& matrix, const DenseLu& lu) {
  if (matrix.isDiagonal(0.0)) return matrix.diagonal().cwiseInverse().asDiagonal();
  const Matrix inverse = lu.inverse();
  return 0.5 * (inverse + inverse.transpose());
}

class BodyFinder {
 public:
  explicit BodyFinder(const GlobalForm& form) : form_(form), n_v_(form.dim == 3 ? 6 : 3) {}

  bool find(const ConeProblem& problem, FactoredDelassus& w) {
    if (form_.f.size() % n_v_ != 0) return false;
    w.clear();
    if (!add_bodies(w)) return false;
    const SparseMatrix h_transposed = form_.h.transpose();
    const SparseMatrix g_transposed = form_.g.transpose();
    const auto n = static_cast<int>(form_.w.size());
    for (const Cone& cone : problem.cones) {
      const bool is_contact = cone.offset < n;
      if (!add_row(is_contact ? h_transposed : g_transposed, is_contact ? cone.offset : cone.offset - n, cone.dim, w)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool add_bodies(FactoredDelassus& w) const {
    Matrix mass(n_v_, n_v_);
    for (Eigen::Index first = 0; first < form_.f.size(); first += n_v_) {
      mass.setZero();
      for (int r = 0; r < n_v_; ++r) {
        for (SparseMatrix::InnerIterator entry(form_.m, first + r); entry; ++entry) {
          if (entry.value() == 0.0) continue;
          if (entry.col() < first || entry.col() >= first + n_v_) return false;
          mass(r, entry.col() - first) += entry.value();
        }
      }
      const double largest = mass.cwiseAbs().maxCoeff();
      if (!((mass - mass.transpose()).cwiseAbs().maxCoeff() <= kSymmetricMass * largest)) return false;
      DenseLu lu;
      if (!(lu.factorise(mass) > kSingularMass * largest)) return false;
      w.add_body(invert(mass, lu));
    }
    return true;
  }

  bool add_row(const SparseMatrix& transposed, int first, int dim, FactoredDelassus& w) const {
    int bodies[2] = {-1, -1};
    for (int r = 0; r < dim; ++r) {
      for (SparseMatrix::InnerIterator entry(transposed, first + r); entry; ++entry) {
        const int body = static_cast<int>(entry.col()) / n_v_;
        if (entry.value() == 0.0 || body == bodies[0] || body == bodies[1]) continue;
        if (bodies[1] >= 0) return false;
        bodies[bodies[0] >= 0 ? 1 : 0] = body;
      }
    }
    w.begin_row(dim);
    for (const int body : bodies) {
      if (body < 0) continue;
      RowMatrixView block = w.add_block(body);
      for (int r = 0; r < dim; ++r) {
        for (SparseMatrix::InnerIterator entry(transposed, first + r); entry; ++entry) {
          if (entry.col() / n_v_ == body) block(r, entry.col() % n_v_) += entry.value();
        }
      }
    }
    return true;
  }

  const GlobalForm& form_;
  int n_v_;
};

/// J and M of a problem's operator.
class BodyForm {
 public:
  BodyForm(const ConeProblem& problem, int dim) : problem_(problem), dim_(dim), n_v_(dim == 3 ? 6 : 3) {}

  std::optional<GlobalForm> make(std::vector<int>& row_of) {
    if (!problem_.stretches.empty() || !number_rows() || !add_masses()) return std::nullopt;
    for (int i = 0; i < problem_.n_cones(); ++i) add_jacobian(i);
    GlobalForm form;
    form.dim = dim_;
    form.mu = ConstVectorView(mu_.data(), static_cast<Eigen::Index>(mu_.size()));
    form.f = Vector::Zero(n_unknowns_);
    form.w.resize(n_);
    form.b.resize(problem_.size() - n_);
    for (int row = 0; row < problem_.size(); ++row) {
      (rows_[row] < n_ ? form.w[rows_[row]] : form.b[rows_[row] - n_]) = problem_.b[row];
    }
    const auto fill = [&](const std::vector<Eigen::Triplet<double>>& entries, Eigen::Index columns, SparseMatrix& of) {
      of.resize(n_unknowns_, columns);
      of.setFromTriplets(entries.begin(), entries.end());
    };
    fill(in_m_, n_unknowns_, form.m);
    fill(in_h_, n_, form.h);
    fill(in_g_, form.b.size(), form.g);
    row_of = std::move(rows_);
    return form;
  }

 private:
  /// Contacts first, then bilateral rows; false: there are other cones, or few contacts.
  bool number_rows() {
    rows_.resize(problem_.size());
    for (const Cone& cone : problem_.cones) {
      if (cone.kind == ConeKind::free) continue;
      if (cone.kind != ConeKind::contact || cone.n_blocks != 1 || cone.dim != dim_) return false;
      for (int r = 0; r < dim_; ++r) rows_[cone.offset + r] = n_++;
      mu_.push_back(problem_.friction(cone)[0].mu);
    }
    int next = n_;
    for (const Cone& cone : problem_.cones) {
      for (int r = 0; cone.kind == ConeKind::free && r < cone.dim; ++r) rows_[cone.offset + r] = next++;
    }
    return static_cast<int>(mu_.size()) >= kManyContacts;
  }

  /// false: no operator of bodies with all their velocities.
  bool add_masses() {
    Matrix inverse = Matrix::Zero(n_v_, n_v_);
    if (const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus)) {
      for (int k = 0; k < packed->n_bodies(); ++k) {
        const auto& [inverse_mass, a] = packed->body(k);
        inverse.diagonal().head<3>().setConstant(inverse_mass);
        inverse.bottomRightCorner<3, 3>() << a[0], a[1], a[2], a[1], a[3], a[4], a[2], a[4], a[5];
        if (!add_mass(inverse)) return false;
      }
      return true;
    }
    const auto* factored = std::get_if<FactoredDelassus>(&problem_.delassus);
    for (int k = 0; factored != nullptr && k < factored->n_bodies(); ++k) {
      if (factored->body(k).n_v != n_v_) return false;
      inverse = ConstRowMatrixView(factored->inverse_mass(k), n_v_, n_v_);
      if (!add_mass(inverse)) return false;
    }
    return factored != nullptr;
  }

  bool add_mass(const Matrix& inverse) {
    DenseLu lu;
    if (!(lu.factorise(inverse) > 0.0)) return false;
    const Matrix mass = invert(inverse, lu);
    for (int r = 0; r < n_v_; ++r) {
      for (int c = 0; c < n_v_; ++c) {
        if (mass(r, c) != 0.0) in_m_.emplace_back(n_unknowns_ + r, n_unknowns_ + c, mass(r, c));
      }
    }
    n_unknowns_ += n_v_;
    return true;
  }

  void add_jacobian(int i) {
    const Cone& cone = problem_.cones[i];
    const auto add = [&](int unknown, int r, double value) {
      const int row = rows_[cone.offset + r];
      if (value != 0.0) (row < n_ ? in_h_ : in_g_).emplace_back(unknown, row < n_ ? row : row - n_, value);
    };
    if (const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus)) {
      packed->for_each_left_key(i, [&](int body) {
        for (int r = 0; r < cone.dim; ++r) {
          const PackedDelassus::BodyRow row = packed->row_of(i, body, r);
          for (int c = 0; c < n_v_; ++c) add(body * n_v_ + c, r, row.momentum[c]);
        }
      });
      return;
    }
    const auto& factored = std::get<FactoredDelassus>(problem_.delassus);
    for (const FactoredDelassus::Block& block : factored.row(i)) {
      const ConstRowMatrixView J(factored.values(block), cone.dim, block.n);
      for (int r = 0; r < cone.dim; ++r) {
        for (int c = 0; c < block.n; ++c) add(block.v_offset + c, r, J(r, c));
      }
    }
  }

  const ConeProblem& problem_;
  int dim_;
  int n_v_;                // of a body
  int n_ = 0;              // rows of contacts
  int n_unknowns_ = 0;     // velocities of all bodies
  std::vector<int> rows_;  // (n) of the form
  std::vector<double> mu_;
  std::vector<Eigen::Triplet<double>> in_m_, in_h_, in_g_;
};

}  // namespace

bool find_bodies(const GlobalForm& form, const ConeProblem& problem, FactoredDelassus& w) {
  return BodyFinder(form).find(problem, w);
}

std::optional<GlobalForm> make_body_form(const ConeProblem& problem, int dim, std::vector<int>& rows) {
  return BodyForm(problem, dim).make(rows);
}

}  // namespace stickslip
