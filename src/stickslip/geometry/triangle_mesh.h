// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// The triangles of a file's surface, counterclockwise from outside. [m]
using Triangles = std::vector<std::array<Vector3, 3>>;

/// What a closed surface holds, exact: signed tetrahedra from the mean of all corners. A surface that is turned inside
/// out has negative moments.
struct SurfaceMoments {
  double volume = 0.0;                 // [m^3]
  Vector3 centroid = Vector3::Zero();  // (3) [m]
  Matrix3 second = Matrix3::Zero();    // (3, 3) [m^5] about the centroid: integral of x x^T
};
SurfaceMoments calc_surface_moments(const Triangles& triangles);

/// Triangles over shared vertices.
struct TriangleMesh {
  std::vector<Vector3> vertices;              // (3) [m] each, no two equal
  std::vector<std::array<int, 3>> triangles;  // vertices, counterclockwise from outside
  bool is_single = false;                     // coordinates have single precision
  int n_degenerate = 0;                       // triangles without area that were left out
  int n_border = 0;  // edges that are not in two triangles which run along them in opposite directions

  bool is_closed() const { return n_border == 0; }
  bool operator==(const TriangleMesh& other) const {
    return vertices == other.vertices && triangles == other.triangles && is_single == other.is_single;
  }
};

/// Of the triangles of a file; equal corners become one vertex, and triangles without area are left out. Throws
/// InputError where none is left, where a coordinate is too large, or where a closed surface is turned inside out.
std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Triangles& triangles, bool is_single);

/// The same of vertices and triangles that were written; throws InputError where they are none.
std::shared_ptr<const TriangleMesh> make_triangle_mesh(std::vector<Vector3> vertices,
                                                       std::vector<std::array<int, 3>> triangles, bool is_single);

/// Of a mesh: its triangles with their corners.
Triangles corners_of(const TriangleMesh& mesh);

/// A number that differs where vertices or triangles do: a 64-bit FNV-1a checksum.
std::uint64_t calc_checksum(const TriangleMesh& mesh);

}  // namespace stickslip
