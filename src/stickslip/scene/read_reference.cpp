// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/read_scene.h"

namespace stickslip {
namespace {

/// Refuses a name that is no body's, or a body's that has no coordinates of its own.
void check_reference_body(const TableReader& reader, const TomlEntry& entry) {
  const Scene& scene = reader.context().scene;
  std::vector<std::string_view> names;
  for (const SceneBody& body : scene.bodies) {
    const bool moves = body.type == BodyType::rigid || body.type == BodyType::planar || body.type == BodyType::point;
    if (moves && body.name == entry.key) return;
    if (moves) names.push_back(body.name);
  }
  const std::string nearest = nearest_name(entry.key, names);
  throw InputError(reader.context().document.place(entry.mark), reader.path_of(entry.key), "",
                   nearest.empty()
                       ? "the name of a rigid, planar or point body"
                       : fmt::format("the name of a rigid, planar or point body: did you mean '{}'?", nearest));
}

}  // namespace

void read_reference(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("reference");
  if (value == nullptr) return;
  const TableReader bodies(context, *value, "reference");
  for (const TomlEntry& entry : bodies.entries()) {
    check_reference_body(bodies, entry);
    const TableReader body(context, entry.value, bodies.path_of(entry.key));
    body.allow({"position", "velocity"});
    SceneReference reference;
    reference.body = entry.key;
    if (!body.has("position") && !body.has("velocity")) body.require("position", "position [m] or velocity [m/s]");
    if (body.has("position")) reference.position = body.time_functions("position", "m");
    if (body.has("velocity")) reference.velocity = body.time_functions("velocity", "m/s");
    context.scene.reference.push_back(reference);
  }
}

}  // namespace stickslip
