// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/least_norm.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/cone/condense.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/orthonormal_basis.h"
#include "stickslip/math/stoppable_product.h"
#include "stickslip/solvers/natural_map.h"

namespace stickslip {
namespace {

/// The problem is solved to this share of the tolerance before its faces are read off, at a share that lies between.
constexpr double kNormInnerTolerance = 1e-2;
constexpr double kFace = 0.3;
/// What is left of a row of W E beside others is zero below this share of the longest row: round-off in the entries of
/// W, sums over bodies, as a multiple of the spacing of numbers and the unknowns, or the error of slip directions, as a
/// multiple. No more, for a heavy body on a light one leaves as little as their masses' ratio and is no redundancy. [-]
constexpr double kNormRoundOff = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kDirection = 10.0;
/// The dual steps: their number, Armijo's rule, the defect relative to |V^T y_0| at which they end, and the most that
/// they add to the diagonal, of which it is a share as large as the defect's.
constexpr int kNormMaxSteps = 100;
constexpr int kNormMaxHalvings = 40;
constexpr double kNormArmijo = 1e-4;
constexpr double kNormSolved = 1e-14;
constexpr double kAcceptable = 1e-11;
constexpr double kLargestDamping = 1e-3;
constexpr double kLeastDamping = 1e-13;
/// Matrices are dense: with more unknowns an answer takes more than some ten seconds.
constexpr int kMaxUnknowns = 2000;

constexpr const char* kTooMany = "too many forces are open to look for those of least norm";
constexpr const char* kNotFound = "no forces of least norm were found";
constexpr const char* kTooLate = "the time was up before forces of least norm were found";

double calc_norm(int n, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// Whether p . W p >= 0 for all p, but for round-off; W (n, n) symmetric. By a Cholesky factorisation of W scaled to a
/// unit diagonal, with as much added to that as round-off may have taken.
bool is_positive_semidefinite(const SparseMatrix& w) {
  const Vector diagonal = w.diagonal();
  Vector scale(w.rows());
  for (Eigen::Index k = 0; k < w.rows(); ++k) {
    if (diagonal[k] < 0.0) return false;
    scale[k] = diagonal[k] > 0.0 ? 1.0 / std::sqrt(diagonal[k]) : 0.0;
    if (diagonal[k] > 0.0) continue;
    for (SparseMatrix::InnerIterator entry(w, k); entry; ++entry) {
      if (entry.value() != 0.0) return false;
    }
  }
  Eigen::SparseMatrix<double> identity(w.rows(), w.rows());
  identity.setIdentity();
  const double round_off = kNormRoundOff * static_cast<double>(w.rows());
  const Eigen::SparseMatrix<double> scaled = scale.asDiagonal() * w * scale.asDiagonal();
  const Eigen::SparseMatrix<double> shifted = scaled + round_off * identity;
  return Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(shifted).info() == Eigen::Success;
}

/// The unique solution is that of a convex problem: W symmetric and positive semidefinite, and no shift.
Determined judge_velocities(const ConeProblem& problem, const SparseMatrix& w) {
  constexpr double kSymmetric = 1e-12;  // [-] round-off in J M^-1 J^T
  const bool has_shift =
      problem.law == FrictionLaw::coulomb && std::ranges::any_of(problem.cones, [&](const Cone& cone) {
        return std::ranges::any_of(problem.friction(cone), [](const FrictionBlock& block) { return block.mu > 0.0; });
      });
  if (has_shift) return Determined::unknown;
  const SparseMatrix transposed = w.transpose();
  const bool is_symmetric = (w - transposed).norm() <= kSymmetric * w.norm();
  return is_symmetric && is_positive_semidefinite(w) ? Determined::yes : Determined::unknown;
}

}  // namespace

const char* LeastNormForces::find_reason_to_refuse(const ConeProblem& problem) {
  const bool has_polygons =
      std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.facets != 0; });
  return has_polygons ? "forces of least norm are not available with polygons for friction discs" : nullptr;
}

/// m, see above.
void LeastNormForces::find_metric(const ConeProblem& problem, const SparseMatrix& w) {
  metric_.assign(problem.size(), 0.0);
  const auto set = [&](int first, int dim, double weight) {
    std::fill_n(metric_.begin() + first, dim, weight > 0.0 ? weight : problem.calc_residual_scale());
  };
  const auto set_mean = [&](int first, int dim) {
    double sum = 0.0;
    for (int r = first; r < first + dim; ++r) sum += w.coeff(r, r);
    set(first, dim, sum / dim);
  };
  double normals = 0.0;
  int n_contacts = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::contact) continue;
    normals += w.coeff(cone.offset, cone.offset);
    ++n_contacts;
  }
  for (const Cone& cone : problem.cones) {
    switch (cone.kind) {
      case ConeKind::contact: {
        int row = cone.offset;
        set(row++, 1, normals / n_contacts);
        for (const FrictionBlock& block : problem.friction(cone)) {
          row == cone.offset + 1 ? set(row, block.dim, normals / n_contacts) : set_mean(row, block.dim);
          row += block.dim;
        }
        break;
      }
      case ConeKind::ball:
        set_mean(cone.offset, cone.dim);
        break;
      case ConeKind::free:
        for (int r = 0; r < cone.dim; ++r) set_mean(cone.offset + r, 1);
        break;
    }
  }
}

/// A column of E, scaled to unit length in the metric.
void LeastNormForces::add_column(int first_row, std::span<const double> column) {
  const auto dim = static_cast<int>(column.size());
  double squared = 0.0;
  for (int r = 0; r < dim; ++r) squared += metric_[first_row + r] * column[r] * column[r];
  const double factor = 1.0 / std::sqrt(squared);
  columns_.push_back({first_row, static_cast<int>(values_.size()), dim});
  for (const double value : column) values_.push_back(factor * value);
}

/// A contact that is closed: the normal row with the blocks that slip, then those that stick, whose discs are smaller
/// by as much as the first column was longer than theirs. x = w p - u (dim) points along friction as p and -u do, and
/// errs less than the shorter of them, by `error` at most. [m/s]
void LeastNormForces::add_contact(const ConeProblem& problem, const Cone& cone, const double* u, const double* x,
                                  double threshold, double error) {
  std::array<double, kMaxConeDim> first = {1.0};
  std::array<int, kMaxConeDim> sticking_row;
  std::vector<FrictionBlock> sticking;
  int row = 1;
  for (const FrictionBlock& block : problem.friction(cone)) {
    const double speed = calc_norm(block.dim, u + row);
    if (block.mu > 0.0 && speed <= threshold) {
      sticking_row[sticking.size()] = row;
      sticking.push_back(block);
    } else if (block.mu > 0.0) {
      const double length = calc_norm(block.dim, x + row);
      if (block.dim > 1 && length > 0.0) direction_error_ = std::max(direction_error_, error / length);
      for (int r = row; r < row + block.dim; ++r) first[r] = length > 0.0 ? block.mu * x[r] / length : 0.0;
    }
    row += block.dim;
  }
  add_column(cone.offset, {first.data(), static_cast<std::size_t>(cone.dim)});
  const double normal = values_[values_.size() - cone.dim];  // p_N of a unit of y
  for (std::size_t b = 0; b < sticking.size(); ++b) {
    const double one = 1.0;
    const int at = cone.offset + sticking_row[b];
    for (int r = 0; r < sticking[b].dim; ++r) add_column(at + r, {&one, 1});
    sticking[b].mu *= normal * std::sqrt(metric_[at]);
  }
  reduced_.add_contact(sticking);
}

/// p_f, E and the cones of y.
void LeastNormForces::find_faces(const ConeProblem& problem, std::span<const double> p, std::span<const double> u,
                                 double threshold, double error) {
  reduced_.clear_cones();
  reduced_.law = FrictionLaw::associated;
  columns_.clear();
  values_.clear();
  direction_error_ = 0.0;
  fixed_.assign(u.size(), 0.0);
  std::vector<double> x(u.begin(), u.end());
  const double scale = problem.calc_residual_scale();
  for (std::size_t r = 0; r < x.size(); ++r) x[r] = scale * p[r] - u[r];
  for (const Cone& cone : problem.cones) {
    const double* u_i = u.data() + cone.offset;
    const double* x_i = x.data() + cone.offset;
    if (cone.kind == ConeKind::contact) {
      double margin = u_i[0];  // of u^ inside K*
      int row = 1;
      for (const FrictionBlock& block : problem.friction(cone)) {
        if (problem.law == FrictionLaw::associated) margin -= block.mu * calc_norm(block.dim, u_i + row);
        row += block.dim;
      }
      if (margin <= threshold) add_contact(problem, cone, u_i, x_i, threshold, error);
      continue;
    }
    const double speed = calc_norm(cone.dim, u_i);
    if (cone.kind == ConeKind::ball && speed > threshold) {
      const double length = calc_norm(cone.dim, x_i);
      for (int r = 0; r < cone.dim; ++r) {
        fixed_[cone.offset + r] = length > 0.0 ? cone.radius * x_i[r] / length : 0.0;
      }
      continue;
    }
    const double one = 1.0;
    for (int r = 0; r < cone.dim; ++r) add_column(cone.offset + r, {&one, 1});
    if (cone.kind == ConeKind::ball) {
      reduced_.add_ball(cone.dim, std::sqrt(metric_[cone.offset]) * cone.radius);
    } else {
      reduced_.add_free(cone.dim);
    }
  }
}

/// An orthonormal basis of the rows of W E, (n_columns, rank); nothing if it is late. Row k is scaled by
/// sqrt(m_k) / W_kk, which makes it a number.
std::optional<Matrix> LeastNormForces::find_row_space(const SparseMatrix& w, std::span<const int> columns,
                                                      const Deadline& deadline) const {
  const auto m = static_cast<Eigen::Index>(columns.size());
  Matrix transposed = Matrix::Zero(m, w.rows());
  std::vector<std::vector<std::pair<Eigen::Index, double>>> rows_of_e(w.rows());
  for (Eigen::Index j = 0; j < m; ++j) {
    const Column& column = columns_[columns[j]];
    for (int r = 0; r < column.dim; ++r) {
      const double value = values_[column.begin + r];
      if (value != 0.0) rows_of_e[column.first_row + r].emplace_back(j, value);
    }
  }
  for (Eigen::Index k = 0; k < w.rows(); ++k) {
    if (!(w.coeff(k, k) > 0.0)) continue;
    const double scale = std::sqrt(metric_[k]) / w.coeff(k, k);
    for (SparseMatrix::InnerIterator entry(w, k); entry; ++entry) {
      for (const auto& [j, value] : rows_of_e[entry.col()]) transposed(j, k) += scale * value * entry.value();
    }
  }
  const double round_off = kNormRoundOff * static_cast<double>(std::max(m, w.rows()));
  const double threshold = std::max(round_off, kDirection * direction_error_);
  return find_orthonormal_basis(std::move(transposed), threshold, [&deadline] { return deadline.passed(); });
}

/// The dual function at l; x_, y_ and derivative_ follow.
double LeastNormForces::calc_dual(const Vector& multipliers) {
  x_ = row_space_ * multipliers;
  double value = -target_.dot(multipliers);
  for (const Cone& cone : reduced_.cones) {
    std::array<double, kMaxConeDim> y;
    std::array<double, kMaxConeDim * kMaxConeDim> derivative;
    project_cone(FrictionLaw::associated, cone, reduced_.friction(cone), x_.data() + cone.offset, y.data(),
                 derivative.data());
    for (int i = 0; i < cone.dim; ++i) {
      y_[cone.offset + i] = y[i];
      value += y[i] * (x_[cone.offset + i] - 0.5 * y[i]);
      for (int j = 0; j < cone.dim; ++j) derivative_(cone.offset + i, j) = derivative[i * cone.dim + j];
    }
  }
  return value;
}

/// y_ = the point of least norm in the cones with V^T y = target_; false where the steps do not get there.
bool LeastNormForces::project(const Deadline& deadline) {
  const double size = target_.norm();
  Vector multipliers = target_;  // exact where no cone matters
  double value = calc_dual(multipliers);
  Vector gradient = row_space_.transpose() * y_ - target_;
  Matrix scaled(row_space_.rows(), row_space_.cols());
  for (int step = 0; step < kNormMaxSteps && gradient.norm() > kNormSolved * size && !deadline.passed(); ++step) {
    for (const Cone& cone : reduced_.cones) {
      scaled.middleRows(cone.offset, cone.dim) =
          derivative_.block(cone.offset, 0, cone.dim, cone.dim) * row_space_.middleRows(cone.offset, cone.dim);
    }
    Matrix hessian = multiply_transposed_stoppably(row_space_, scaled, deadline.stop());
    deadline.stop().check();
    hessian.diagonal().array() += std::clamp(gradient.norm() / size, kLeastDamping, kLargestDamping);
    const Vector direction = -solve_symmetric(hessian, gradient);
    const double slope = gradient.dot(direction);
    const Vector base = multipliers;
    const double before = value;
    const double defect = gradient.norm();
    double factor = 1.0;
    bool is_lower = false;
    for (int k = 0; k <= kNormMaxHalvings && !is_lower; ++k, factor *= 0.5) {
      deadline.stop().check();
      multipliers = base + factor * direction;
      value = calc_dual(multipliers);
      gradient = row_space_.transpose() * y_ - target_;
      // Near the end the function no longer tells its values apart, and its gradient does.
      is_lower = value <= before + kNormArmijo * factor * slope || (factor == 1.0 && gradient.norm() < 0.5 * defect);
    }
    if (is_lower) continue;
    calc_dual(base);
    gradient = row_space_.transpose() * y_ - target_;
    break;
  }
  return gradient.norm() <= kAcceptable * size;
}

/// Whether some forces can change both ways: W E is singular on the cones that have y inside.
bool LeastNormForces::is_open_inside(const SparseMatrix& w, const Deadline& deadline) const {
  constexpr double kInside = 1e-9;  // [-] distance to the surface, as a share of y
  std::vector<int> inside;
  for (const Cone& cone : reduced_.cones) {
    const double* y = y_.data() + cone.offset;
    double depth = HUGE_VAL;
    if (cone.kind == ConeKind::ball) depth = 1.0 - calc_norm(cone.dim, y) / cone.radius;
    if (cone.kind == ConeKind::contact) {
      depth = y[0] > kInside * y_.norm() ? 1.0 : 0.0;
      int row = 1;
      for (const FrictionBlock& block : reduced_.friction(cone)) {
        depth = std::min(depth, 1.0 - calc_norm(block.dim, y + row) / (block.mu * y[0]));
        row += block.dim;
      }
    }
    if (!(depth > kInside)) continue;
    for (int r = 0; r < cone.dim; ++r) inside.push_back(cone.offset + r);
  }
  if (inside.empty()) return false;
  const std::optional<Matrix> row_space = find_row_space(w, inside, deadline);
  return row_space && row_space->cols() < static_cast<Eigen::Index>(inside.size());
}

const char* LeastNormForces::select(const ConeProblem& problem, Tolerance tolerance, const Residual& reached,
                                    std::span<const double> u, const Deadline& deadline, std::span<double> p,
                                    Determinacy& determinacy) {
  if (deadline.passed()) return kTooLate;
  const double asked = reached.calc_asked(tolerance);
  const double threshold =
      std::max(kFace * asked / std::sqrt(static_cast<double>(problem.n_cones())), reached.absolute);
  const SparseMatrix w = make_delassus_matrix(problem, deadline.stop());
  determinacy.velocities = judge_velocities(problem, w);
  find_metric(problem, w);
  find_faces(problem, p, u, threshold, reached.absolute);
  const auto m = static_cast<int>(columns_.size());
  determinacy.unknowns = m;
  if (m > kMaxUnknowns) return kTooMany;
  std::vector<int> all(m);
  for (int k = 0; k < m; ++k) all[k] = k;
  y_.resize(m);
  for (int k = 0; k < m; ++k) {  // the columns of E are orthonormal in the metric
    const Column& column = columns_[k];
    double sum = 0.0;
    for (int r = 0; r < column.dim; ++r) {
      const int row = column.first_row + r;
      sum += metric_[row] * values_[column.begin + r] * (p[row] - fixed_[row]);
    }
    y_[k] = sum;
  }
  std::optional<Matrix> row_space = find_row_space(w, all, deadline);
  if (!row_space) return kTooLate;
  row_space_ = std::move(*row_space);
  determinacy.rank = static_cast<int>(row_space_.cols());
  if (determinacy.rank == m) {
    determinacy.forces = Determined::yes;
    return nullptr;
  }
  target_ = row_space_.transpose() * y_;
  derivative_.resize(m, kMaxConeDim);
  if (!project(deadline)) return deadline.is_time_up() ? kTooLate : kNotFound;
  std::vector<double> found(fixed_);
  for (int k = 0; k < m; ++k) {
    const Column& column = columns_[k];
    for (int r = 0; r < column.dim; ++r) found[column.first_row + r] += values_[column.begin + r] * y_[k];
  }
  std::vector<double> velocities(found.size());
  problem.apply_delassus(found, velocities);
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    velocities[i] += problem.b[i];
    // Other velocities: W is not positive semidefinite.
    if (!(std::abs(velocities[i] - u[i]) <= std::max(asked, reached.absolute))) return kNotFound;
  }
  const double w_scale = problem.calc_residual_scale();
  if (!calc_residual(problem, problem.law, found, velocities, w_scale).is_within(tolerance)) return kNotFound;
  std::copy(found.begin(), found.end(), p.begin());
  if (is_open_inside(w, deadline)) determinacy.forces = Determined::no;
  return nullptr;
}

LeastNormSolver::LeastNormSolver(const SolverOptions& options)
    : time_limit_(stop_options(options).time_limit), stop_(stop_options(options).stop), solver_(make_solver(options)) {
}

std::optional<std::string> LeastNormSolver::refuses(const ConeProblem& problem) const {
  if (const char* reason = LeastNormForces::find_reason_to_refuse(problem)) return reason;
  return solver_->refuses(problem);
}

SolveReport LeastNormSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  const Deadline deadline(time_limit_, stop_);
  start_.assign(solution.p.begin(), solution.p.end());
  const Tolerance inner = {kNormInnerTolerance * tolerance.relative, kNormInnerTolerance * tolerance.absolute};
  SolveReport report = solver_->solve(problem, inner, solution);
  if (report.status == Status::failed || problem.n_cones() == 0) return report;
  if (!report.residual.is_within(tolerance)) return report;
  if (report.status == Status::inexact) report.message = "";  // within what was asked
  report.status = Status::ok;
  const char* trouble = nullptr;
  try {
    trouble = forces_.select(problem, tolerance, report.residual, solution.u, deadline, solution.p, report.determinacy);
  } catch (const Interrupted&) {
    solution.p.assign(start_.begin(), start_.end());
    throw;
  }
  if (trouble != nullptr) {
    report.message = trouble;
    return report;
  }
  problem.apply_delassus(solution.p, solution.u);
  for (int r = 0; r < problem.size(); ++r) solution.u[r] += problem.b[r];
  report.residual = calc_residual(problem, solution.p);
  return report;
}

}  // namespace stickslip
