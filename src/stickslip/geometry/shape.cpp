// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/shape.h"

#include "stickslip/geometry/triangle_mesh.h"

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
  std::string_view operator()(const Mesh& m) const { return m.field ? "height-field" : "mesh"; }
  std::string_view operator()(const Polyline&) const { return "polyline"; }
};

}  // namespace

bool Mesh::operator==(const Mesh& other) const {
  return field == other.field && (surface == other.surface || *surface == *other.surface);
}

std::string_view shape_type_name(const ShapeGeometry& geometry) {
  return std::visit(TypeName{}, geometry);
}

}  // namespace stickslip
