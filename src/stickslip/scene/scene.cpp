// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/scene.h"

namespace stickslip {

bool may_ease_tolerance(const Scene& scene) {
  return scene.detects_contacts() && is_on_velocities(scene.scheme);
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
