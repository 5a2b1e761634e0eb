// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/report/drawn_rows.h"
#include "stickslip/report/vtk_file.h"

namespace stickslip {

/// What a result's frames for VTK draw of its shapes, the same in all rows. Spheres are balls; all else are points that
/// move with their bodies, and cells over them whose owner is the body. Capsules, cylinders and ellipsoids are
/// polyhedra; containers are drawn by lines, so that their contents are visible, a half-space by a square of its
/// surface (in a plane a line) about the scene's start; a beam is a line; a body without shapes is a point.
struct VtkMesh {
  struct Place {
    int body;
    Vector3 at;  // (3) [m] in the body's frame
  };
  struct BeamPoint {
    int body;
    double xi;  // [-]
  };
  std::vector<Place> corners;
  std::vector<BeamPoint> on_beams;  // points behind the corners
  std::map<int, BeamCurve> beams;   // by body
  VtkCells vertices, lines, polygons;
  std::vector<Place> balls;  // their centres
  std::vector<float> radii;  // (balls) [m]
};

inline constexpr int kCircleCorners = 24;  // of capsules, cylinders and ellipsoids

/// Throws InputError where the result has no poses.
VtkMesh make_vtk_mesh(const Trajectory& result);

}  // namespace stickslip
