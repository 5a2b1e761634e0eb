// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// What a result has of shapes beside its scene, by the checksums that the scene has of it.
struct StoredShapes {
  std::map<std::string, std::shared_ptr<const TriangleMesh>> meshes;
  std::map<std::string, std::vector<Vector3>> lines;  // (3) [m] points of polylines
};

}  // namespace stickslip
