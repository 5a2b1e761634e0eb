// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

/// Throws InputError unless a body has the group.
void check_measured_group(const TableReader& reader, const std::string& group) {
  const std::vector<SceneBody>& bodies = reader.context().scene.bodies;
  if (std::ranges::any_of(bodies, [&](const SceneBody& body) { return body.group == group; })) return;
  std::set<std::string_view> groups;
  for (const SceneBody& body : bodies) {
    if (!body.group.empty()) groups.insert(body.group);
  }
  const std::string nearest = nearest_name(group, std::vector<std::string_view>(groups.begin(), groups.end()));
  reader.fail("group", "a group that a body has" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

}  // namespace

void read_measures(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("measures");
  if (value == nullptr) return;
  if (value->array() == nullptr) scene.fail("measures", "an array of tables: [[measures]]");
  std::set<std::string> names;
  for (std::size_t i = 0; i < value->array()->size(); ++i) {
    const TomlValue& element = (*value->array())[i];
    const std::string position = fmt::format("measures[{}]", i);
    SceneMeasure measure;
    measure.name = TableReader(context, element, position).string("name", "a text");
    const SourcePlace place = context.document.place(find_value(*element.table(), "name")->mark);
    check_name(measure.name, place, position + ".name");
    if (!names.insert(measure.name).second) {
      throw InputError(place, position + ".name", quote_toml(measure.name),
                       "a name of its own: another measure has this one");
    }
    const TableReader reader(context, element, "measures." + measure.name);
    reader.allow({"name", "group", "box", "plane"});
    if (reader.has("group")) {
      measure.group = reader.string("group", "the name of a group of bodies");
      check_measured_group(reader, measure.group);
    }
    if (reader.has("box")) measure.box = reader.box("box");
    if (const TomlValue* given = reader.find("plane")) {
      const TableReader plane(context, *given, reader.path_of("plane"));
      plane.allow({"point", "normal"});
      measure.point = plane.vector("point", "m");
      measure.normal = plane.direction("normal");
    }
    context.scene.measures.push_back(std::move(measure));
  }
}

}  // namespace stickslip
