// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/ellipsoid_gap.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>

namespace stickslip {
namespace {

using Matrix32 = Eigen::Matrix<double, 3, 2>;

struct Support {
  double value;      // [m] |B^T n|
  Vector3 gradient;  // (3) [m]
};
Support support_of(const Matrix3& B, const Vector3& n) {
  const Vector3 along = B.transpose() * n;
  const double norm = along.norm();
  return {norm, norm > 0.0 ? Vector3(B * along / norm) : Vector3(Vector3::Zero())};
}

/// The second derivative of |B^T n| over the directions `across`. (2, 2)
Eigen::Matrix2d curvature_of(const Matrix3& B, const Support& support, const Matrix32& across) {
  if (!(support.value > 0.0)) return Eigen::Matrix2d::Zero();
  const Matrix32 of_axes = B.transpose() * across;
  const Eigen::Vector2d slope = across.transpose() * support.gradient;
  return (of_axes.transpose() * of_axes - slope * slope.transpose()) / support.value;
}

Matrix32 directions_across(const Vector3& n) {
  Matrix32 across;
  across.col(0) = n.unitOrthogonal();
  across.col(1) = n.cross(Vector3(across.col(0)));
  return across;
}

}  // namespace

/// Newton's method on the sum less 1, which is convex and falls, goes up to the root from where one of its terms is 1.
double find_ellipsoid_foot(const Vector3& r, const Vector3& y) {
  constexpr int kMaxTurns = 100;
  double t = -r(0) * r(0) + r(0) * std::abs(y(0));
  for (int i = 1; i < 3; ++i) t = std::max(t, -r(i) * r(i) + r(i) * std::abs(y(i)));
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    double sum = -1.0;
    double slope = 0.0;
    for (int i = 0; i < 3; ++i) {
      if (y(i) == 0.0 || r(i) == 0.0) continue;
      const double beyond = t + r(i) * r(i);
      const double part = r(i) * y(i) / beyond;
      sum += part * part;
      slope += 2.0 * part * part / beyond;
    }
    if (!(sum > 0.0)) break;
    const double next = t + sum / slope;
    if (!(next > t)) break;
    t = next;
  }
  return t;
}

Vector3 find_normal_of_line(const Vector3& along, const Matrix3& B, const Vector3& d) {
  const Matrix32 across = directions_across(along);
  const Matrix32 seen = B.transpose() * across;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>().computeDirect(Eigen::Matrix2d(seen.transpose() * seen)));
  const Eigen::Vector2d radii = axes.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  const Eigen::Vector2d y = -(axes.eigenvectors().transpose() * (across.transpose() * d));
  // The third axis is one in which nothing lies.
  const double t = find_ellipsoid_foot({radii(0), radii(1), radii(1)}, {y(0), y(1), 0.0});
  Eigen::Vector2d m(y(0) / (t + radii(0) * radii(0)), y(1) / (t + radii(1) * radii(1)));
  if (!(t > -radii(0) * radii(0))) {
    // On the longer axis, inside: the nearest points are beside it.
    m(1) = radii(1) > radii(0) ? y(1) / (radii(1) * radii(1) - radii(0) * radii(0)) : 0.0;
    m(0) = std::sqrt(std::max(0.0, 1.0 - m(1) * m(1) * radii(1) * radii(1))) / radii(0);
    // A disc seen from its edge.
    if (!(radii(0) > 0.0)) m = {y(0) < 0.0 ? -1.0 : 1.0, 0.0};
  }
  return -(across * (axes.eigenvectors() * m)).normalized();
}

Eigen::Matrix2d calc_curvature(const Matrix3& A, const Matrix3& B, const Vector3& d, const Vector3& n,
                               const Matrix32& across) {
  const Support a = support_of(A, n);
  const Support b = support_of(B, n);
  return -curvature_of(A, a, across) - curvature_of(B, b, across) -
         (n.dot(d) - a.value - b.value) * Eigen::Matrix2d::Identity();
}

Vector3 find_normal_of_ellipsoids(const Matrix3& A, const Matrix3& B, const Vector3& d) {
  constexpr int kMaxTurns = 100;
  constexpr double kNear = 1e-5;    // [rad] steps that are shorter are taken whole: f would not tell
  constexpr double kLongest = 0.5;  // [rad]
  // The largest n . d for the root of the sum of squares of both supports, which is near to their sum.
  Matrix3 squares = A * A.transpose() + B * B.transpose();
  squares += 1e-12 * squares.trace() * Matrix3::Identity();
  Vector3 n = squares.ldlt().solve(d);
  if (!(n.norm() > 0.0)) {
    Eigen::Index least = 0;
    squares.diagonal().minCoeff(&least);
    n = Vector3::Unit(least);
  }
  n.normalize();
  const auto f = [&](const Vector3& at) {
    return at.dot(d) - (A.transpose() * at).norm() - (B.transpose() * at).norm();
  };
  double value = f(n);
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    const Matrix32 across = directions_across(n);
    const Eigen::Vector2d slope = across.transpose() * (d - support_of(A, n).gradient - support_of(B, n).gradient);
    Eigen::Matrix2d H = -calc_curvature(A, B, d, n, across);
    // Positive definite: f falls on both sides.
    const double middle = 0.5 * H.trace();
    const double spread = std::hypot(0.5 * (H(0, 0) - H(1, 1)), H(0, 1));
    const double least = 1e-8 * (std::abs(middle) + spread);
    if (middle - spread < least) H += (least - middle + spread) * Eigen::Matrix2d::Identity();
    Eigen::Vector2d way = H.inverse() * slope;
    const double length = way.norm();
    if (!(length > 1e-16)) break;
    if (length > kLongest) way *= kLongest / length;
    if (length < kNear) {
      n = (n + across * way).normalized();
      if (length < 1e-10) break;
      value = f(n);
      continue;
    }
    bool grows = false;
    for (int halving = 0; halving < 40 && !grows; ++halving) {
      const Vector3 next = (n + across * way).normalized();
      const double there = f(next);
      grows = there > value;
      if (grows) {
        n = next;
        value = there;
      }
      way *= 0.5;
    }
    if (!grows) break;
  }
  return n;
}

}  // namespace stickslip
