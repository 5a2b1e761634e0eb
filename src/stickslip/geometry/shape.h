// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

struct TriangleMesh;

/// A ball; a disc in a planar scene. `inside`: the container with this surface, free inside.
struct Sphere {
  double radius = 0.0;  // [m] > 0
  bool inside = false;
  bool operator==(const Sphere&) const = default;
};

/// The origin of its frame: a rod's tip.
struct PointShape {
  double at = 0.0;  // [-] on a beam: xi in [0, 1]
  bool operator==(const PointShape&) const = default;
};

/// {x : normal . x <= offset}, solid below.
struct HalfSpace {
  Vector3 normal = Vector3::UnitZ();  // (3) [-] unit
  double offset = 0.0;                // [m]
  bool operator==(const HalfSpace&) const = default;
};

/// A box centred on its frame; a rectangle in a planar scene (third size ignored).
struct Box {
  Vector3 size = Vector3::Zero();  // (3) [m] full edge lengths, > 0
  bool operator==(const Box&) const = default;
};

/// A cylinder of `length` along z closed by half balls.
struct Capsule {
  double radius = 0.0;  // [m] > 0
  double length = 0.0;  // [m] between the balls' centres, >= 0
  bool operator==(const Capsule&) const = default;
};

/// A cylinder about z, centred. `inside`: the tube with this surface, free inside, infinite where length is absent.
struct Cylinder {
  double radius = 0.0;           // [m] > 0
  std::optional<double> length;  // [m] > 0; required unless inside
  bool inside = false;
  bool operator==(const Cylinder&) const = default;
};

/// The convex hull of points.
struct Convex {
  std::vector<Vector3> points;  // (3) [m] each; at least 4 not in a plane (3 not on a line in a planar scene)
  bool operator==(const Convex&) const = default;
};

/// {x : sum (x_i / radii_i)^2 <= 1}
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();  // (3) [m] along x, y, z, > 0
  bool operator==(const Ellipsoid&) const = default;
};

/// A height-field: heights along z over the nodes of a grid that is centred on the shape.
struct HeightField {
  std::array<double, 2> size = {};  // [m] along x and y
  std::array<int, 2> cells = {};    // [-] along x and y
  bool operator==(const HeightField&) const = default;
};

/// A surface of triangles, solid behind it: of a mesh, or of a height-field, whose nodes are its vertices, x before y.
struct Mesh {
  std::shared_ptr<const TriangleMesh> surface;  // never null
  std::optional<HeightField> field;             // none: a mesh
  std::string file;                             // where it is from; of no weight
  Vector3 scale = Vector3::Ones();              // by which the file's coordinates were multiplied; likewise
  bool operator==(const Mesh& other) const;
};

/// Segments from point to point in the plane, solid on the right hand as one walks along them.
struct Polyline {
  std::shared_ptr<const std::vector<Vector3>> points;  // (3) [m] each, z = 0; never null, no two in a row the same
  bool closed = false;                                 // the last one goes to the first
  int n_repeated = 0;                                  // [-] points that were left out; of no weight
  std::string file;                                    // where it is from, empty: the scene; likewise
  bool operator==(const Polyline& other) const { return closed == other.closed && *points == *other.points; }
};

using ShapeGeometry =
    std::variant<Sphere, PointShape, HalfSpace, Box, Capsule, Cylinder, Convex, Ellipsoid, Mesh, Polyline>;

/// What contacts that are found ask of a shape.
struct ShapeContact {
  bool visual = false;             // drawn only: it touches nothing
  int contype = 1;                 // bits: two shapes may touch where one's meet the other's conaffinity
  int conaffinity = 1;             // bits
  std::optional<double> friction;  // [-] of two shapes the larger counts; none: that of all found contacts
  std::optional<double> spinning;  // [m] likewise
  std::optional<double> rolling;   // [m] likewise
  int priority = 0;                // the higher one's frictions and condim count alone
  std::optional<int> condim;       // 1: no friction, 3: sliding, 4: spinning, 6: rolling too; the larger; none: 3
  bool operator==(const ShapeContact&) const = default;
};

/// A shape on a body: x_body = position + rotation x_shape.
struct Shape {
  std::string name;
  ShapeGeometry geometry;
  Vector3 position = Vector3::Zero();      // (3) [m] in the body's frame
  Matrix3 rotation = Matrix3::Identity();  // (3, 3) [-] shape frame to body frame
  ShapeContact contact = {};
  bool operator==(const Shape&) const = default;
};

/// "sphere", "half-space", ...: the name in scene files.
std::string_view shape_type_name(const ShapeGeometry& geometry);

}  // namespace stickslip
