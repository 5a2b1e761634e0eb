// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/make_site.h"

#include <algorithm>
#include <cassert>

#include "stickslip/scene/orientation.h"

namespace stickslip {

Site make_site(const SceneSite& site, const System& system) {
  const int body = system.find_body(site.body);
  return {site.name, body, system.bodies()[body].drawing_origin + site.position, quaternion_of(site.orientation)};
}

const SceneSite& find_site(const Scene& scene, std::string_view name) {
  const auto found = std::ranges::find_if(scene.sites, [&](const SceneSite& site) { return site.name == name; });
  assert(found != scene.sites.end());
  return *found;
}

}  // namespace stickslip
