// SPDX-License-Identifier: BSD-3-Clause
// Bodies of a scene that come and go.
#include "stickslip/scene/scene_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stickslip/base/overloaded.h"

namespace stickslip {

std::vector<char> find_tied(const Scene& scene) {
  std::vector<std::string_view> names;
  const auto add_both = [&](const std::array<std::string, 2>& between) {
    names.insert(names.end(), between.begin(), between.end());
  };
  for (const SceneJoint& joint : scene.joints) {
    if (!joint.gear) add_both(joint.between);
  }
  for (const SceneForce& force : scene.forces) {
    std::visit(Overloaded{[&](const SceneLoad& load) { names.emplace_back(load.body); },
                          [&](const auto& law) { add_both(law.between); }},
               force.law);
  }
  std::ranges::sort(names);
  std::vector<char> tied;
  for (const SceneBody& body : scene.bodies) {
    tied.push_back(std::ranges::binary_search(names, std::string_view(body.name)) ? 1 : 0);
  }
  return tied;
}

PopulationOptions SceneBuilder::make_population() const {
  PopulationOptions options;
  if (!scene_.time.automatic) options.step = scene_.time.step;
  const std::vector<char> tied = find_tied(scene_);
  const auto check = [&](std::size_t i) {
    if (tied[i] == 0) return;
    fail("bodies." + scene_.bodies[i].name + ".from", "",
         fmt::format("a body that is there from the start on: '{}' is of a joint or a force", scene_.bodies[i].name));
  };
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    const SceneBody& body = scene_.bodies[i];
    options.from.push_back(body.from.value_or(std::numeric_limits<double>::quiet_NaN()));
    if (body.from) check(i);
    const bool moves = body.type != BodyType::fixed && body.type != BodyType::moving;
    options.can_leave.push_back(moves && tied[i] == 0 ? 1 : 0);
  }
  for (const SceneSource& source : scene_.sources) {
    BodySource made;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      if (scene_.bodies[i].fill != source.fill) continue;
      check(i);
      made.bodies.push_back(static_cast<int>(i));
    }
    made.reaches = source.reaches;
    made.from = source.from;
    made.interval = 1.0 / source.rate;
    made.box = source.box;
    made.seed = source.seed;
    options.sources.push_back(std::move(made));
    for (const SceneMeasure& measure : scene_.measures) {
      if (!measure.point) continue;
      const std::string& group = scene_.bodies[static_cast<std::size_t>(options.sources.back().bodies.front())].group;
      if (!measure.group.empty() && measure.group != group) continue;
      // A body is counted from the side on which it came.
      double least = std::numeric_limits<double>::infinity();
      double most = -least;
      for (int corner = 0; corner < 8; ++corner) {
        Vector3 x;
        for (int k = 0; k < 3; ++k) x(k) = source.box[static_cast<std::size_t>(corner >> k & 1)](k);
        const double height = measure.normal->dot(x - *measure.point);
        least = std::min(least, height);
        most = std::max(most, height);
      }
      if (least > 0.0 || most <= 0.0) continue;
      fail("measures." + measure.name + ".plane", "", "a plane that does not cut the box of a fill with a rate");
    }
  }
  if (scene_.domain) {
    options.domain = scene_.domain->box;
    options.outside = scene_.domain->outside;
  }
  return options;
}

}  // namespace stickslip
