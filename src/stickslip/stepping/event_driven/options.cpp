// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/event_driven/event_driven.h"
#include "stickslip/stepping/event_driven/transition.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip {

void EventDrivenOptions::check() const {
  const auto refuse = [](const char* key, const std::string& value, const char* allowed) {
    throw InputError({}, std::string("scheme.") + key, value, allowed);
  };
  if (facets != 0 && facets < 3) refuse("facets", std::to_string(facets), "0 for the round cone, or at least 3");
  if (integrator != EventIntegrator::dormand_prince) {
    require_sundials(kEventIntegratorNames[static_cast<std::size_t>(integrator)], "dormand-prince");
  }
  if (!std::isfinite(orientation)) refuse("orientation", std::to_string(orientation), "finite [rad]");
  if (!(relative_tolerance >= 1e-14 && relative_tolerance <= 1e-3)) {
    refuse("relative_tolerance", fmt::format("{}", relative_tolerance), "1e-14 to 1e-3");
  }
  if (!(absolute_tolerance > 0.0 && absolute_tolerance <= 1e-3)) {
    refuse("absolute_tolerance", fmt::format("{}", absolute_tolerance), "above 0, at most 1e-3");
  }
  if (!(max_step >= 0.0) || !std::isfinite(max_step)) {
    refuse("max_step", fmt::format("{}", max_step), "a number > 0 [s], or 0: none");
  }
  if (!(zeno_time > 0.0) || !std::isfinite(zeno_time)) {
    refuse("zeno_time", fmt::format("{}", zeno_time), "a number > 0 [s]");
  }
}

namespace event_driven {

void refuse_contacts(const System& system) {
  const auto refuse = [](const std::string& what) {
    throw InputError({}, "scheme.type", std::string(EventDrivenOptions::kTraits.name),
                     "another scheme: " + what + ", and event-driven knows its contacts from the start");
  };
  if (system.detection()) refuse("detected contacts come and go");
  if (!system.manifold_pairs().empty()) {
    const ManifoldPair& pair = system.manifold_pairs().front();
    const auto describe = [&](int shape) {
      const ShapeFeatures& features = system.shapes()[shape];
      const Body& body = system.bodies()[features.body];
      return body.name + "/" + body.shapes[features.shape].name;
    };
    refuse(fmt::format("what touches in contact '{}', between {} and {}, depends on where they are",
                       system.contacts()[pair.pair].options.name, describe(pair.first_shape),
                       describe(pair.second_shape)));
  }
}

}  // namespace event_driven
}  // namespace stickslip
