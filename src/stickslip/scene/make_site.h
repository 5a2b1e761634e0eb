// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "stickslip/model/site.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// The site of a scene on a body of the system that was built from the scene.
Site make_site(const SceneSite& site, const System& system);

/// The scene's site of that name, which exists.
const SceneSite& find_site(const Scene& scene, std::string_view name);

}  // namespace stickslip
