// SPDX-License-Identifier: BSD-3-Clause
// The contacts of a scene: named pairs, and what is said of those that are detected.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/constraints/contact_blocks.h"
#include "stickslip/scene/scene_builder.h"

namespace stickslip {
namespace {

/// Whether the name of a side stands for any number of shapes.
bool names_many(const std::string& text) {
  return text.starts_with("group:") || text.starts_with("material:");
}

}  // namespace

void SceneBuilder::list_shapes() {
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const SceneBody& body = scene_.bodies[b];
    for (std::size_t s = 0; s < body.shapes.size(); ++s) {
      const SceneShape& shape = body.shapes[s];
      const ShapeSelection selection{static_cast<int>(b), static_cast<int>(s)};
      const std::string& group = shape.group.empty() ? body.group : shape.group;
      if (!group.empty()) shapes_of_["group:" + group].push_back(selection);
      if (!shape.material.empty()) shapes_of_["material:" + shape.material].push_back(selection);
    }
  }
}

std::vector<ShapeSelection> SceneBuilder::select(const std::string& text, const std::string& path) const {
  if (names_many(text)) return select_many(text, path);
  const std::size_t slash = text.find('/');
  const SceneSide side{text.substr(0, slash), slash == std::string::npos ? "" : text.substr(slash + 1)};
  const int body = find_body(side.body, path).index;
  return {{body, find_shape(side, body, path)}};
}

std::vector<ShapeSelection> SceneBuilder::select_many(const std::string& text, const std::string& path) const {
  const auto found = shapes_of_.find(text);
  if (found != shapes_of_.end()) return found->second;
  const std::size_t kind = text.find(':') + 1;
  std::vector<std::string_view> names;
  for (const auto& [name, shapes] : shapes_of_) {
    if (name.starts_with(text.substr(0, kind))) names.push_back(std::string_view(name).substr(kind));
  }
  fail(path, "\"" + text + "\"",
       fmt::format("no shape has this {}{}", text.substr(0, kind - 1), hint(text.substr(kind), names)));
}

void SceneBuilder::add_contact(const SceneContact& source) {
  stop_.check();
  const std::string path = "contacts." + source.name;
  const auto side_path = [&path](int i) { return fmt::format("{}.between[{}]", path, i); };
  if (names_many(source.between[0].body) || names_many(source.between[1].body)) return add_contacts(source);
  const BodyFrame& first = find_body(source.between[0].body, side_path(0));
  const BodyFrame& second = find_body(source.between[1].body, side_path(1));
  require_motion(first, second, path + ".between");
  add_pair(source, source.name, {first.index, find_shape(source.between[0], first.index, side_path(0))},
           {second.index, find_shape(source.between[1], second.index, side_path(1))});
}

void SceneBuilder::add_pair(const SceneContact& source, const std::string& name, const ShapeSelection& first,
                            const ShapeSelection& second) {
  ContactPairOptions options;
  options.name = name;
  options.first = first.body;
  options.second = second.body;
  options.first_shape = first.shape;
  options.second_shape = second.shape;
  options.law = source.law;
  options.envelope = source.envelope;
  options.correction_speed = source.correction_speed;
  at_place("contacts." + source.name + ".between", [&] { return system_.add_contact(options); });
}

/// A contact of groups or materials: a pair for each two bodies that have shapes of them, of which one can move.
void SceneBuilder::add_contacts(const SceneContact& source) {
  const std::string path = "contacts." + source.name;
  std::array<std::vector<ShapeSelection>, 2> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    const SceneSide& side = source.between[i];
    const std::string side_path = fmt::format("{}.between[{}]", path, i);
    const std::string text = side.shape.empty() ? side.body : side.body + "/" + side.shape;
    sides[i] = one_a_body(select(text, side_path), text, side_path);
  }
  std::set<std::pair<int, int>> done;  // where a group is on both sides each pair comes twice
  for (const ShapeSelection& first : sides[0]) {
    for (const ShapeSelection& second : sides[1]) {
      stop_.check();
      const SceneBody& a = scene_.bodies[static_cast<std::size_t>(first.body)];
      const SceneBody& b = scene_.bodies[static_cast<std::size_t>(second.body)];
      if (first.body == second.body || !(frames_.at(a.name).moves || frames_.at(b.name).moves)) continue;
      if (!done.insert(std::minmax(first.body, second.body)).second) continue;
      const bool in_order = first.body < second.body;
      add_pair(source, fmt::format("{}/{}-{}", source.name, (in_order ? a : b).name, (in_order ? b : a).name), first,
               second);
    }
  }
  if (done.empty()) fail(path + ".between", "", "two bodies that can touch, of which one can move; there are none");
}

/// One selection for each body: of its only shape among `shapes`, or of all that it has.
std::vector<ShapeSelection> SceneBuilder::one_a_body(const std::vector<ShapeSelection>& shapes, const std::string& text,
                                                     const std::string& path) const {
  std::vector<ShapeSelection> bodies;
  for (std::size_t i = 0; i < shapes.size();) {
    if (shapes[i].shape < 0) {  // a body that is named: all that it has
      bodies.push_back(shapes[i++]);
      continue;
    }
    std::size_t end = i + 1;
    while (end < shapes.size() && shapes[end].body == shapes[i].body) ++end;
    const SceneBody& body = scene_.bodies[static_cast<std::size_t>(shapes[i].body)];
    const auto is_solid = [](const SceneShape& shape) { return !shape.contact.visual; };
    std::size_t meant = 0;
    for (std::size_t k = i; k < end; ++k)
      meant += is_solid(body.shapes[static_cast<std::size_t>(shapes[k].shape)]) ? 1 : 0;
    if (meant > 0 && meant == static_cast<std::size_t>(std::ranges::count_if(body.shapes, is_solid))) {
      bodies.push_back({shapes[i].body, -1});
    } else if (end - i == 1) {
      bodies.push_back(shapes[i]);
    } else {
      fail(path, "\"" + text + "\"",
           fmt::format("one shape or all shapes of each body; of body '{}' it means some: name its shapes", body.name));
    }
    i = end;
  }
  return bodies;
}

void SceneBuilder::refuse_blocks(const System& system, const ConeSolver& solver) const {
  for (const std::vector<ContactPair>* pairs : {&system.contacts(), &system.detected_pairs()}) {
    for (const ContactPair& pair : *pairs) {
      if (!pair.has_moments()) continue;
      ConeProblem problem;
      problem.add_contact(ContactBlocks(pair, pair.law().friction).all());
      const std::optional<std::string> reason = solver.refuses(problem);
      if (!reason) continue;
      fail("solver.type", "\"" + std::string(solver.name()) + "\"",
           "another solver where contacts have rolling or spinning friction: " + *reason);
    }
  }
}

void SceneBuilder::add_detection() {
  ContactDetectionOptions options;
  if (scene_.contact_default) {
    const SceneContactDefault& source = *scene_.contact_default;
    options.law = source.law;
    options.envelope = source.envelope;
    options.correction_speed = source.correction_speed;
    for (std::size_t i = 0; i < source.except.size(); ++i) {
      const std::string path = fmt::format("contact_default.except[{}]", i);
      options.except.push_back({select(source.except[i][0], path), select(source.except[i][1], path)});
    }
  }
  for (const SceneJoint& joint : scene_.joints) {
    if (joint.collide || joint.gear) continue;
    const std::string path = fmt::format("joints.{}.between", joint.name);
    options.except.push_back({select(joint.between[0], path), select(joint.between[1], path)});
  }
  options.by_laws_only = !scene_.contact_default;
  for (std::size_t i = 0; i < scene_.laws.size(); ++i) {
    const SceneLaw& source = scene_.laws[i];
    ContactDetectionOptions::Law& law = options.laws.emplace_back();
    law.collide = source.collide;
    law.law = source.law;
    law.envelope = source.envelope;
    law.correction_speed = source.correction_speed;
    law.first = select_of_law(source.between[0], fmt::format("laws[{}].between[0]", i));
    law.second = select_of_law(source.between[1], fmt::format("laws[{}].between[1]", i));
  }
  at_place(scene_.contact_default ? "contact_default" : "laws", [&] {
    system_.detect_contacts(options);
    return 0;
  });
}

/// Shapes of a group or of a material, which a table defines and nobody need use.
std::vector<ShapeSelection> SceneBuilder::select_of_law(const std::string& text, const std::string& path) const {
  if (text.starts_with("group:")) return select_many(text, path);
  std::vector<std::string_view> names;
  for (const SceneMaterial& material : scene_.materials) names.push_back(material.name);
  if (std::find(names.begin(), names.end(), text) == names.end()) {
    fail(path, "\"" + text + "\"", "the scene has no such material" + hint(text, names));
  }
  const auto found = shapes_of_.find("material:" + text);
  return found == shapes_of_.end() ? std::vector<ShapeSelection>() : found->second;
}

}  // namespace stickslip
