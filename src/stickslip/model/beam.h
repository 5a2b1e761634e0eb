// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "stickslip/math/b_spline.h"
#include "stickslip/math/banded_cholesky.h"
#include "stickslip/math/types.h"
#include "stickslip/model/attachment.h"

namespace stickslip {

/// What a beam is made of; straight and without strain when undeformed.
struct BeamOptions {
  double length = 0.0;             // [m] G > 0
  double axial_stiffness = 0.0;    // [N] EA > 0
  double bending_stiffness = 0.0;  // [N m^2] EI > 0
  double line_density = 0.0;       // [kg/m] rho > 0
  int elements = 1;                // [-] >= 1
  int degree = 2;                  // [-] of the B-splines, 2 to kMaxBeamDegree: bending needs second derivatives
  int quadrature = 0;              // [-] Gauss points an element; 0: degree + 1, which integrate the mass exactly
  bool operator==(const BeamOptions&) const = default;
};

/// The planar nonlinear Euler-Bernoulli beam [Capobianco2021]: an elastic curve without shear,
///
///   r(t, xi) = sum over i of N_i(xi) q_i(t),   xi in [0, 1],   q_i in R^2 the control points,
///
/// with strain energy E = int 1/2 EA eps^2 + 1/2 EI kappa^2 G dxi, where with ' = d/dxi
///   eps = |r'| / G - 1,   kappa = theta' / G,   theta' = (x' y'' - y' x'') / |r'|^2,
/// and kinetic energy 1/2 int rho |r_dot|^2 G dxi: large rotations and strains, no shear, no rotary inertia, no
/// damping. Coordinates (x, y) of each control point in order; velocities are their rates.
class Beam {
 public:
  /// Over the 2 (degree + 1) coordinates of one element.
  using ElementMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxSideDofs, kMaxSideDofs>;

  /// Throws InputError when the options do not describe a beam.
  explicit Beam(const BeamOptions& options);

  const BeamOptions& options() const { return options_; }
  int n_control() const { return spline_.n_functions(); }
  int n_elements() const { return spline_.elements(); }
  int n_element_controls() const { return spline_.degree() + 1; }
  double mass() const { return options_.line_density * options_.length; }  // [kg]
  /// xi of the control point's Greville abscissa: those of a straight, undeformed beam lie at start + length xi d.
  double greville(int control) const { return spline_.greville(control); }

  /// Fills the parts of an attachment that belong to xi, its q_offset and u_offset from those of the body.
  void attach(double xi, Attachment& attachment) const;

  /// (n_control, n_control) [kg]: the mass matrix is this for x and for y.
  const Matrix& control_mass() const { return control_mass_; }
  /// Row sums of it: gravity acts on control point i with the mass lumped_mass()(i). (n_control) [kg]
  const Vector& lumped_mass() const { return lumped_mass_; }
  /// result = M^-1 f, (2 n_control) both.
  void solve_mass(const double* f, double* result) const;

  /// The square of the highest natural frequency of the straight beam, within a few percent: by this a change of
  /// coordinates, as small as round-off, changes accelerations. [1/s^2]
  double highest_frequency2() const { return highest_frequency2_; }

  double calc_strain_energy(const double* q) const;  // [J]; q (2 n_control) [m]
  /// h -= dE/dq. q, h (2 n_control).
  void add_elastic_force(const double* q, double* h) const;  // [N]
  /// d (-dE/dq) / dq of one element over its own 2 (degree + 1) coordinates, from control point `element` on. [N/m]
  void calc_elastic_stiffness(int element, const double* q, ElementMatrix& K) const;

 private:
  /// One point of the quadrature.
  struct Point {
    int element;
    double weight;                                  // [m] G times the rule's
    std::array<double, kMaxBeamDegree + 1> first;   // [-] dN/dxi
    std::array<double, kMaxBeamDegree + 1> second;  // [-] d2N/dxi2
  };
  /// r' and r'' at a point.
  struct Curve {
    Eigen::Vector2d first, second;  // (2) [m]
  };
  Curve calc_curve(const Point& point, const double* q) const;
  double calc_highest_frequency2() const;

  BeamOptions options_;
  BSpline spline_;
  std::vector<Point> points_;  // element by element
  Matrix control_mass_;
  Vector lumped_mass_;
  BandedCholesky factor_;
  double highest_frequency2_ = 0.0;
};

}  // namespace stickslip
