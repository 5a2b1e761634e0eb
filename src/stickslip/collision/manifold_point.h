// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/features.h"

namespace stickslip {

/// Where two solids touch or may touch: a feature of one against a feature of the other, both at rest in their bodies,
/// between which calc_gap() is smooth.
struct ManifoldPoint {
  SurfaceFeature surface;  // in the frame of the first solid's body; of the second's where flipped
  BallFeature ball;        // in the frame of the other body
  bool flipped = false;    // the surface is on the second body
  FeatureId feature_first = 0, feature_second = 0;
  double gap = 0.0;                     // [m] > 0 apart
  Vector3 normal = Vector3::Zero();     // (3) [-] world, from first to second
  Vector3 on_first = Vector3::Zero();   // (3) [m] world
  Vector3 on_second = Vector3::Zero();  // (3) [m] world: on_first + gap normal
};

}  // namespace stickslip
