// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/beam.h"

#include <fmt/format.h>

#include <cmath>

#include "stickslip/base/input_error.h"
#include "stickslip/math/gauss_legendre.h"

namespace stickslip {
namespace {

/// Strains of a beam and their derivatives over a = r' and b = r''.
struct Strain {
  double s2, s;           // [m^2], [m] |a|^2, |a|
  double eps;             // [-] axial strain
  double kappa;           // [1/m] curvature
  Eigen::Vector2d eps_a;  // d eps / da
  Eigen::Vector2d kappa_a, kappa_b;
};

Strain calc_strain(const Eigen::Vector2d& a, const Eigen::Vector2d& b, double length) {
  Strain e;
  e.s2 = a.squaredNorm();
  e.s = std::sqrt(e.s2);
  e.eps = e.s / length - 1.0;
  e.eps_a = a / (e.s * length);
  const double c = a(0) * b(1) - a(1) * b(0);
  e.kappa = c / (e.s2 * length);
  e.kappa_a = (Eigen::Vector2d(b(1), -b(0)) - (2.0 * c / e.s2) * a) / (e.s2 * length);
  e.kappa_b = Eigen::Vector2d(-a(1), a(0)) / (e.s2 * length);
  return e;
}

/// Second derivatives of the energy per length at a point.
struct EnergyHessian {
  Eigen::Matrix2d aa, ab, bb;
};

EnergyHessian calc_hessian(const BeamOptions& o, const Strain& e, const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  const double G = o.length;
  const double c = e.kappa * e.s2 * G;
  const Eigen::Vector2d p(b(1), -b(0));  // dc/da
  const Eigen::Vector2d m(-a(1), a(0));  // dc/db
  const Eigen::Matrix2d aat = a * a.transpose();
  const Eigen::Matrix2d eps_aa = (Eigen::Matrix2d::Identity() - aat / e.s2) / (e.s * G);
  const Eigen::Matrix2d pa = p * a.transpose();
  const Eigen::Matrix2d kappa_aa =
      (-2.0 * (pa + pa.transpose()) - 2.0 * c * Eigen::Matrix2d::Identity() + (8.0 * c / e.s2) * aat) /
      (e.s2 * e.s2 * G);
  Eigen::Matrix2d kappa_ab;
  kappa_ab << 0.0, 1.0, -1.0, 0.0;  // dp/db
  kappa_ab -= (2.0 / e.s2) * a * m.transpose();
  kappa_ab /= e.s2 * G;
  EnergyHessian h;
  h.aa = o.axial_stiffness * (e.eps_a * e.eps_a.transpose() + e.eps * eps_aa) +
         o.bending_stiffness * (e.kappa_a * e.kappa_a.transpose() + e.kappa * kappa_aa);
  h.ab = o.bending_stiffness * (e.kappa_a * e.kappa_b.transpose() + e.kappa * kappa_ab);
  h.bb = o.bending_stiffness * (e.kappa_b * e.kappa_b.transpose());
  return h;
}

const BeamOptions& checked(const BeamOptions& o) {
  const auto positive = [](double x, const char* what) {
    if (!std::isfinite(x) || !(x > 0.0)) throw InputError(fmt::format("a beam's {} must be positive", what));
  };
  positive(o.length, "length");
  positive(o.axial_stiffness, "axial stiffness");
  positive(o.bending_stiffness, "bending stiffness");
  positive(o.line_density, "line density");
  if (o.degree < 2 || o.degree > kMaxBeamDegree) {
    throw InputError(fmt::format("a beam's degree must be 2 to {}", kMaxBeamDegree));
  }
  constexpr int kMaxElements = 1000;  // [-] the inverse of its mass is kept as a full matrix
  if (o.elements < 1 || o.elements > kMaxElements) {
    throw InputError(fmt::format("a beam must have 1 to {} elements", kMaxElements));
  }
  constexpr int kMaxQuadrature = 64;  // [-] far beyond use: the rule for degree 7 has 8 points
  if (o.quadrature < 0 || o.quadrature > kMaxQuadrature) {
    throw InputError(fmt::format("a beam's quadrature must be 1 to {} points an element", kMaxQuadrature));
  }
  return o;
}

}  // namespace

Beam::Beam(const BeamOptions& options) : options_(checked(options)), spline_(options.degree, options.elements) {
  if (options_.quadrature == 0) options_.quadrature = options_.degree + 1;
  const int n = n_element_controls();
  control_mass_ = Matrix::Zero(n_control(), n_control());
  const std::vector<QuadraturePoint> rule = gauss_legendre(options_.quadrature);
  for (int e = 0; e < n_elements(); ++e) {
    for (const QuadraturePoint& node : rule) {
      Point point;
      point.element = e;
      point.weight = node.weight * options_.length / n_elements();
      std::array<double, kMaxBeamDegree + 1> value;
      spline_.calc_functions(e, (e + node.x) / n_elements(), value.data(), point.first.data(), point.second.data());
      points_.push_back(point);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          control_mass_(e + i, e + j) += options_.line_density * point.weight * value[i] * value[j];
        }
      }
    }
  }
  lumped_mass_ = control_mass_.rowwise().sum();
  factor_ = BandedCholesky(control_mass_, options_.degree);
  if (!factor_.positive_definite()) {
    throw InputError(fmt::format("{} quadrature points an element leave parts of a beam of degree {} without mass",
                                 options_.quadrature, options_.degree));
  }
  highest_frequency2_ = calc_highest_frequency2();
}

/// By the power method on M^-1 K, from a vector that changes sign from one control point to the next.
double Beam::calc_highest_frequency2() const {
  constexpr int kIterations = 30;  // [-] the highest frequencies lie close together: all of them will do
  const int n = 2 * n_control();
  Vector straight = Vector::Zero(n);
  Vector x(n);
  for (int i = 0; i < n_control(); ++i) {
    straight(2 * i) = options_.length * greville(i);
    x(2 * i) = x(2 * i + 1) = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0.1 * i);
  }
  ElementMatrix K;
  Vector force(n);
  double ratio = 0.0;
  for (int k = 0; k < kIterations; ++k) {
    x.normalize();
    force.setZero();
    for (int e = 0; e < n_elements(); ++e) {
      calc_elastic_stiffness(e, straight.data(), K);
      force.segment(2 * e, K.rows()) -= K * x.segment(2 * e, K.cols());
    }
    solve_mass(force.data(), x.data());
    ratio = x.norm();
  }
  return ratio;
}

void Beam::attach(double xi, Attachment& attachment) const {
  const int element = spline_.find_element(xi);
  const int n = n_element_controls();
  std::array<double, kMaxBeamDegree + 1> second;
  attachment.parameter = xi;
  attachment.n_control = n;
  spline_.calc_functions(element, xi, attachment.shape.data(), attachment.slope.data(), second.data());
  attachment.q_offset += 2 * element;
  attachment.u_offset += 2 * element;
  attachment.n_q = attachment.n_u = 2 * n;
}

void Beam::solve_mass(const double* f, double* result) const {
  if (result != f) std::copy_n(f, 2 * n_control(), result);
  factor_.solve(result, 2);
  factor_.solve(result + 1, 2);
}

Beam::Curve Beam::calc_curve(const Point& point, const double* q) const {
  Curve curve{Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  const double* control = q + 2 * point.element;
  for (int i = 0; i < n_element_controls(); ++i) {
    const Eigen::Vector2d p(control[2 * i], control[2 * i + 1]);
    curve.first += point.first[i] * p;
    curve.second += point.second[i] * p;
  }
  return curve;
}

double Beam::calc_strain_energy(const double* q) const {
  double energy = 0.0;
  for (const Point& point : points_) {
    const Curve curve = calc_curve(point, q);
    const Strain e = calc_strain(curve.first, curve.second, options_.length);
    energy += 0.5 * point.weight *
              (options_.axial_stiffness * e.eps * e.eps + options_.bending_stiffness * e.kappa * e.kappa);
  }
  return energy;
}

void Beam::add_elastic_force(const double* q, double* h) const {
  for (const Point& point : points_) {
    const Curve curve = calc_curve(point, q);
    const Strain e = calc_strain(curve.first, curve.second, options_.length);
    const double normal_force = point.weight * options_.axial_stiffness * e.eps;
    const double moment = point.weight * options_.bending_stiffness * e.kappa;
    const Eigen::Vector2d on_first = normal_force * e.eps_a + moment * e.kappa_a;
    const Eigen::Vector2d on_second = moment * e.kappa_b;
    double* out = h + 2 * point.element;
    for (int i = 0; i < n_element_controls(); ++i) {
      for (int c = 0; c < 2; ++c) out[2 * i + c] -= point.first[i] * on_first(c) + point.second[i] * on_second(c);
    }
  }
}

void Beam::calc_elastic_stiffness(int element, const double* q, ElementMatrix& K) const {
  const int n = n_element_controls();
  K.setZero(2 * n, 2 * n);
  for (int k = 0; k < options_.quadrature; ++k) {
    const Point& point = points_[element * options_.quadrature + k];
    const Curve curve = calc_curve(point, q);
    const Strain e = calc_strain(curve.first, curve.second, options_.length);
    const EnergyHessian h = calc_hessian(options_, e, curve.first, curve.second);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const Eigen::Matrix2d block = point.first[i] * point.first[j] * h.aa + point.first[i] * point.second[j] * h.ab +
                                      point.second[i] * point.first[j] * h.ab.transpose() +
                                      point.second[i] * point.second[j] * h.bb;
        K.block<2, 2>(2 * i, 2 * j) -= point.weight * block;
      }
    }
  }
}

}  // namespace stickslip
