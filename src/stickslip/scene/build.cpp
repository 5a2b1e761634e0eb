// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/build.h"

#include "stickslip/scene/build_start.h"
#include "stickslip/scene/scene_builder.h"

namespace stickslip {

BuiltScene build(const Scene& scene) {
  return build(scene, nullptr, {});
}

BuiltScene build_start(const Scene& scene, StopToken stop) {
  BuiltScene built;
  SceneBuilder(scene, stop).build_start(built);
  return built;
}

BuiltScene build(const Scene& scene, const SolverDecorator& decorate, StopToken stop) {
  return SceneBuilder(scene, stop).build(decorate);
}

}  // namespace stickslip
