// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/shape.h"

namespace stickslip {
namespace {

struct TypeName {
  std::string_view operator()(const Sphere&) const { return "sphere"; }
  std::string_view operator()(const PointShape&) const { return "point"; }
  std::string_view operator()(const HalfSpace&) const { return "half-space"; }
  std::string_view operator()(const Box&) const { return "box"; }
  std::string_view operator()(const Capsule&) const { return "capsule"; }
  std::string_view operator()(const Cylinder&) const { return "cylinder"; }
  std::string_view operator()(const Convex&) const { return "convex"; }
  std::string_view operator()(const Ellipsoid&) const { return "ellipsoid"; }
};

}  // namespace

std::string_view shape_type_name(const ShapeGeometry& geometry) {
  return std::visit(TypeName{}, geometry);
}

}  // namespace stickslip
