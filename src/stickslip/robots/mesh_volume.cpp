// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mesh_volume.h"

namespace stickslip {

RobotMass calc_volume(const Triangles& triangles) {
  RobotMass result;
  const SurfaceMoments moments = calc_surface_moments(triangles);
  if (moments.volume == 0.0) return result;
  const double sign = moments.volume < 0.0 ? -1.0 : 1.0;
  result.mass = sign * moments.volume;
  result.center = moments.centroid;
  const Matrix3 central = sign * moments.second;
  result.inertia = central.trace() * Matrix3::Identity() - central;
  return result;
}

}  // namespace stickslip
