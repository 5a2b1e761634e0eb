// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/scene.h"

#include <algorithm>

namespace stickslip {

bool has_loose_default(const Scene& scene) {
  const auto can_move = [](const SceneBody& body) {
    return body.type != BodyType::fixed && body.type != BodyType::moving;
  };
  return scene.detects_contacts() && !scheme_traits(scene.scheme).holds_positions &&
         std::ranges::count_if(scene.bodies, can_move) >= kManyBodies;
}

SourcePlace ScenePlaces::find(std::string_view path) const {
  const std::string_view asked = path;
  while (true) {
    const auto found = places_.find(path);
    if (found != places_.end()) return found->second;
    const auto like = like_.find(path);
    if (like != like_.end()) return find(like->second + std::string(asked.substr(path.size())));
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) break;
    path = path.substr(0, dot);
  }
  const auto whole = places_.find("");
  return whole == places_.end() ? SourcePlace{} : whole->second;
}

}  // namespace stickslip
