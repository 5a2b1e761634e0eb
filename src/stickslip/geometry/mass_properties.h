// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Mass, centre of mass and inertia of a body in the frame its shapes are placed in.
struct MassProperties {
  double mass = 0.0;                  // [kg]
  Vector3 center = Vector3::Zero();   // (3) [m]
  Matrix3 inertia = Matrix3::Zero();  // (3, 3) [kg m^2] about the centre; planar: only (2, 2) is set
};

/// Sums shapes of uniform density. `density` is [kg/m^3], [kg/m^2] when `planar`. Shapes without
/// volume (points, half-spaces, containers) count nothing; overlaps count twice.
MassProperties calc_mass_properties(std::span<const Shape> shapes, double density, bool planar);
/// The same with a density for each shape.
MassProperties calc_mass_properties(std::span<const Shape> shapes, std::span<const double> densities, bool planar);

/// What keeps a symmetric matrix [kg m^2] from being the inertia of a body about its centre of mass:
/// not symmetric, not positive definite, principal moments against the triangle inequality.
/// Empty where nothing does. A thin rod or plate meets the triangle inequality with equality.
std::string inertia_defect(const Matrix3& inertia);

}  // namespace stickslip
