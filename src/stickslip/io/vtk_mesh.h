// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/io/vtk_file.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// The mesh of the bodies of a system, the same in all its frames: points that move with their bodies, and cells over
/// them whose owner is the body. Spheres, capsules and cylinders are polyhedra, with fewer faces the more there are;
/// containers are drawn by lines, so that their contents are visible, a half-space by a square of its surface (in a
/// plane a line) about the scene; a beam is a line, kBeamPoints an element; a body without shapes is a point.
struct VtkMesh {
  std::vector<Vector3> points;       // (3) [m] in the body's frame; of a beam unused
  std::vector<std::size_t> begin;    // (bodies + 1) of each body's points
  std::vector<Attachment> on_beams;  // the points of beams, beam by beam
  VtkCells vertices, lines, polygons;
};

inline constexpr int kBeamPoints = 8;  // an element, and one more

/// state: the initial one, which tells where the scene is.
VtkMesh make_vtk_mesh(const System& system, const State& state);

/// Corners of a circle if this number of shapes are round.
int choose_circle_corners(std::size_t round_shapes);

}  // namespace stickslip
