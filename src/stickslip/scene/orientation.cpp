// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/orientation.h"

#include <variant>

#include "stickslip/math/rotation.h"

namespace stickslip {

Matrix3 rotation_of(const Orientation& orientation) {
  struct Rotation {
    Matrix3 operator()(const std::monostate&) const { return Matrix3::Identity(); }
    Matrix3 operator()(const PlanarAngle& o) const { return axis_angle_matrix(Vector3::UnitZ(), o.angle); }
    Matrix3 operator()(const AxisAngle& o) const { return axis_angle_matrix(o.axis.normalized(), o.angle); }
    Matrix3 operator()(const Quaternion& o) const { return rotation_matrix<double>(o.wxyz.normalized()); }
  };
  return std::visit(Rotation{}, orientation);
}

Vector4 quaternion_of(const Orientation& orientation) {
  struct Turned {
    Vector4 operator()(const std::monostate&) const { return Vector4::UnitX(); }
    Vector4 operator()(const PlanarAngle& o) const { return quaternion_exp(o.angle * Vector3::UnitZ()); }
    Vector4 operator()(const AxisAngle& o) const { return quaternion_exp(o.angle * o.axis.normalized()); }
    Vector4 operator()(const Quaternion& o) const { return o.wxyz.normalized(); }
  };
  return std::visit(Turned{}, orientation);
}

Matrix3 inertia_of(const SceneInertia& inertia) {
  struct Inertia {
    Matrix3 operator()(const std::monostate&) const { return Matrix3::Zero(); }
    Matrix3 operator()(double planar) const { return Vector3(0.0, 0.0, planar).asDiagonal(); }
    Matrix3 operator()(const Vector3& principal) const { return principal.asDiagonal(); }
    Matrix3 operator()(const Matrix3& matrix) const { return matrix; }
  };
  return std::visit(Inertia{}, inertia);
}

}  // namespace stickslip
