// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/feasible_set.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/round_off.h"

namespace stickslip {
namespace {

/// Of the sum of magnitudes that a value is the sum of, what round-off may make of it.
constexpr double kRoundOffOfRow = 1e-13;  // [-]
/// A row that does not change by more than this over the space does not change.
constexpr double kStaysSame = 1e-13;  // [-]
/// Of errors: more is a violation.
constexpr double kBeyond = 4.0;  // [-]
/// Planes that touch the cones, at most.
constexpr int kMostRounds = 200;  // [-]
/// Margin that is enough, of the values of rows.
constexpr double kMargin = 0.1;  // [-]
/// Of the values of rows, a violation that the residual of a solution may have. Where a set is a single point planes
/// come near it slowly.
constexpr double kNearly = 1e-10;  // [-]
/// How far points are looked for first, in sizes.
constexpr double kReaches[] = {1e1, 1e3, FeasibleSet::kFar};  // [-]

}  // namespace

FeasibleSet::FeasibleSet(Vector x_0, Vector error, Matrix N, double size)
    : x_0_(std::move(x_0)), error_(std::move(error)), N_(std::move(N)), size_(size) {
}

void FeasibleSet::add_row(const Vector& a, double c) {
  Row row;
  row.a = N_.transpose() * a;
  row.g = a.dot(x_0_) + c;
  row.error = kRoundOffOfRow * (a.cwiseAbs().dot(x_0_.cwiseAbs()) + std::abs(c)) + a.cwiseAbs().dot(error_);
  scale_ = std::max({scale_, std::abs(row.g), row.a.cwiseAbs().maxCoeff() * size_});
  if (row.a.cwiseAbs().maxCoeff() > kStaysSame * a.cwiseAbs().maxCoeff()) {
    rows_.push_back(std::move(row));
  } else if (row.g < -kBeyond * row.error - row.a.cwiseAbs().sum() * kFar * size_) {
    contradicts_ = true;
  }
}

void FeasibleSet::add_cone(const Matrix& A, const Vector& c) {
  Round cone;
  cone.A = A * N_;
  cone.g = A * x_0_ + c;
  const Vector errors = kRoundOffOfRow * (A.cwiseAbs() * x_0_.cwiseAbs() + c.cwiseAbs()) + A.cwiseAbs() * error_;
  cone.error = errors.sum();
  scale_ = std::max({scale_, cone.g.cwiseAbs().maxCoeff(), cone.A.cwiseAbs().maxCoeff() * size_});
  if (cone.A.cwiseAbs().maxCoeff() > kStaysSame * A.cwiseAbs().maxCoeff()) {
    cones_.push_back(std::move(cone));
  } else if (cone.g(0) - cone.g.tail(cone.g.size() - 1).norm() <
             -kBeyond * cone.error - cone.A.cwiseAbs().sum() * kFar * size_) {
    contradicts_ = true;
  }
}

/// The plane s - n . v >= 0.
void FeasibleSet::add_cut(const Round& cone, const Vector& direction, std::vector<Row>& rows) const {
  const Eigen::Index d = direction.size();
  Row row;
  row.a = cone.A.row(0).transpose() - cone.A.bottomRows(d).transpose() * direction;
  row.g = cone.g(0) - direction.dot(cone.g.tail(d));
  row.error = cone.error;
  rows.push_back(std::move(row));
}

void FeasibleSet::cut_along_axes() {
  for (const Round& cone : cones_) {
    const Eigen::Index d = cone.g.size() - 1;
    for (Eigen::Index j = 0; j < d; ++j) {
      for (const double sign : {1.0, -1.0}) add_cut(cone, sign * Vector::Unit(d, j), rows_);
    }
  }
}

/// Planes that z is beyond by more than round-off and `allowed`, of cones that it is not in; whether there are any.
bool FeasibleSet::cut_off(const Vector& z, std::vector<Row>& cuts, double allowed) const {
  cuts.clear();
  for (const Round& cone : cones_) {
    const Vector value = cone.A * z + cone.g;
    const Eigen::Index d = value.size() - 1;
    const double size = value.tail(d).norm();
    const double error = cone.error + kRoundOffOfRow * (cone.A.cwiseAbs() * z.cwiseAbs()).sum();
    if (size - value(0) > kBeyond * error + allowed && size > 0.0) add_cut(cone, value.tail(d) / size, cuts);
  }
  return !cuts.empty();
}

/// Whether z obeys the inequalities, up to round-off and `allowed`.
bool FeasibleSet::obeys(const Vector& z, double allowed) const {
  for (const Row& row : rows_) {
    const double error = row.error + kRoundOffOfRow * row.a.cwiseAbs().dot(z.cwiseAbs());
    if (row.a.dot(z) + row.g < -kBeyond * error - allowed) return false;
  }
  std::vector<Row> cuts;
  return !cut_off(z, cuts, allowed);
}

bool FeasibleSet::is_separated(std::span<const LinearProgram::Multiplier> multipliers) const {
  Vector left = Vector::Zero(N_.cols());
  double value = 0.0;
  double error = 0.0;
  double sizes = 0.0;
  for (const LinearProgram::Multiplier& one : multipliers) {
    const Row& row = rows_[one.row];
    left += one.y * row.a;
    sizes += one.y * row.a.cwiseAbs().sum();
    value += one.y * row.g;
    error += one.y * row.error;
  }
  const double round_off = kEpsilon * static_cast<double>(multipliers.size()) * sizes;  // of `left`
  return value + kBeyond * error + (left.cwiseAbs().sum() + round_off) * kFar * size_ < 0.0;
}

FeasibleSet::Verdict FeasibleSet::find_within(double reach, Vector& z) {
  const Eigen::Index k = N_.cols();
  const Vector c = Vector::Unit(k + 1, 0);  // of t, z
  Vector upper = Vector::Constant(k + 1, reach * size_);
  Vector lower = -upper;
  upper(0) = kMargin * scale_;
  lower(0) = -kFar * kFar * scale_;
  LinearProgram program(c, lower, upper);
  const auto add = [&](const Row& row) {
    Vector a(k + 1);
    a << -1.0, row.a;
    program.add_row(a, row.g);
  };
  for (const Row& row : rows_) add(row);
  std::vector<Row> cuts;
  for (int round = 0; round < kMostRounds; ++round) {
    const LinearProgram::Outcome outcome = program.maximise();
    if (outcome != LinearProgram::Outcome::gave_up && is_separated(program.multipliers())) return Verdict::none;
    if (outcome != LinearProgram::Outcome::solved) break;
    z = program.x().tail(k);
    if (!cut_off(z, cuts)) break;
    for (const Row& cut : cuts) {
      rows_.push_back(cut);
      add(cut);
    }
  }
  return z.size() == k && obeys(z, kNearly * scale_) ? Verdict::found : Verdict::unknown;
}

/// As near to x_0 along the way there as the inequalities let it, and a part of the way back inside.
void FeasibleSet::draw_near(Vector& z) const {
  constexpr int kHalvings = 20;
  constexpr double kInside = 0.2;  // [-]
  if (!obeys(z)) return;           // all but
  double out = 0.0;
  double in = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (out + in);
    (obeys(middle * z) ? in : out) = middle;
  }
  z *= in + kInside * (1.0 - in);
}

FeasibleSet::Verdict FeasibleSet::find(Vector& x) {
  if (contradicts_) return Verdict::none;
  if (rows_.empty() && cones_.empty()) {
    x = x_0_;
    return Verdict::found;
  }
  cut_along_axes();
  Vector z;
  for (const double reach : kReaches) {
    const Verdict verdict = find_within(reach, z);
    if (verdict == Verdict::none) return verdict;
    if (verdict == Verdict::unknown) continue;
    draw_near(z);
    x = at(z);
    return verdict;
  }
  return Verdict::unknown;
}

bool FeasibleSet::maximise(const Vector& c, Vector& x) {
  const Eigen::Index k = N_.cols();
  const Vector reach = Vector::Constant(k, kRange * size_);
  LinearProgram program(N_.transpose() * c, -reach, reach);
  const auto add = [&](const Row& row) { program.add_row(row.a, row.g + kBeyond * row.error); };
  for (const Row& row : rows_) add(row);
  std::vector<Row> cuts;
  for (int round = 0; round < kMostRounds; ++round) {
    if (program.maximise() != LinearProgram::Outcome::solved) return false;
    const Vector z = program.x();
    if (!cut_off(z, cuts)) {
      x = at(z);
      return true;
    }
    for (const Row& cut : cuts) {
      rows_.push_back(cut);
      add(cut);
    }
  }
  return false;
}

}  // namespace stickslip
