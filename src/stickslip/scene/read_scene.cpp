// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/read_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stickslip/scene/read_servos.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

constexpr std::int64_t kFormatVersion = 1;

void check_format_version(const TableReader& scene) {
  const std::string allowed = fmt::format("must be {}, the version of the scene format", kFormatVersion);
  const auto* version = std::get_if<std::int64_t>(&scene.require("stickslip", allowed).content);
  if (version == nullptr || *version != kFormatVersion) scene.fail("stickslip", allowed);
}

bool is_planar_body(const TomlValue& body) {
  const TomlValue::Table* table = body.table();
  const TomlValue* type = table == nullptr ? nullptr : find_value(*table, "type");
  return type != nullptr && type->string() != nullptr && (*type->string() == "planar" || *type->string() == "beam");
}

/// A scene is planar when a body of it is, in a fill too, or when gravity has two components.
bool is_planar(const TableReader& scene) {
  const TomlValue* gravity = scene.find("gravity");
  if (gravity != nullptr && gravity->array() != nullptr && gravity->array()->size() == 2) return true;
  const TomlValue* bodies = scene.find("bodies");
  const TomlValue::Table* table = bodies == nullptr ? nullptr : bodies->table();
  const auto is_planar_entry = [](const TomlEntry& body) { return is_planar_body(body.value); };
  if (table != nullptr && std::any_of(table->begin(), table->end(), is_planar_entry)) return true;
  const TomlValue* fills = scene.find("fill");
  const TomlValue::Array* array = fills == nullptr ? nullptr : fills->array();
  const auto is_planar_fill = [](const TomlValue& fill) {
    const TomlValue* body = fill.table() == nullptr ? nullptr : find_value(*fill.table(), "body");
    return body != nullptr && is_planar_body(*body);
  };
  return array != nullptr && std::any_of(array->begin(), array->end(), is_planar_fill);
}

std::string read_name(const TableReader& scene, const std::string& default_name) {
  constexpr std::size_t kMaxTitleSize = 256;  // [bytes] a title, not a heading of results: '.' and '/' may stand in it
  if (!scene.has("name")) return default_name;
  const std::string allowed = fmt::format("a text of 1 to {} bytes without control characters", kMaxTitleSize);
  const std::string& name = scene.string("name", allowed);
  if (name.empty() || name.size() > kMaxTitleSize || has_control_character(name)) scene.fail("name", allowed);
  return name;
}

void check_parameter_name(const TableReader& parameters, const TomlEntry& entry) {
  const std::string& name = entry.key;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  constexpr std::size_t kMaxParameterName = 64;  // [bytes]
  const bool is_name = !name.empty() && name.size() <= kMaxParameterName && is_letter(name[0]) &&
                       std::all_of(name.begin(), name.end(), fits);
  const char* allowed = nullptr;
  if (!is_name) allowed = "a parameter's name has letters a-z A-Z, digits and _, at most 64, and starts with no digit";
  if (Expression::is_reserved(name)) allowed = "this name has a meaning of its own in expressions";
  if (allowed == nullptr) return;
  throw InputError(parameters.context().document.place(entry.mark), parameters.path_of(quote_toml_key(name)), "",
                   allowed);
}

/// The names in a text that can be parameters: in an expression, what else is a name is not a parameter's.
std::vector<std::string_view> find_names(std::string_view text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && is_part(text[i])) ++i;
    if (i > begin) names.push_back(text.substr(begin, i - begin));  // "1e5" is none that there is
    if (i == begin) ++i;
  }
  return names;
}

}  // namespace

// Parameters may be expressions of other parameters, in any order: each is read once those are that it names.
void read_parameters(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("parameters");
  if (value == nullptr) return;
  const TableReader parameters(context, *value, "parameters");
  struct Parameter {
    const TomlEntry* entry;
    std::vector<std::string_view> names;  // that it may depend on
    std::size_t next = 0;                 // of these, the first that was not looked at
    bool is_begun = false;
    bool is_read = false;
  };
  std::vector<Parameter> all;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const TomlEntry& entry : parameters.entries()) {
    check_parameter_name(parameters, entry);
    index.emplace(entry.key, all.size());
    const std::string* text = entry.value.string();
    all.push_back({&entry, text == nullptr ? std::vector<std::string_view>{} : find_names(*text)});
  }
  // Depth first, without recursion: a chain of parameters may be as long as the table.
  std::vector<std::size_t> chain;
  for (std::size_t first = 0; first < all.size(); ++first) {
    if (!all[first].is_read) chain.push_back(first);
    while (!chain.empty()) {
      Parameter& last = all[chain.back()];
      last.is_begun = true;
      const TomlEntry& entry = *last.entry;
      if (last.next < last.names.size()) {
        const auto named = index.find(last.names[last.next++]);
        if (named == index.end() || all[named->second].is_read) continue;
        if (all[named->second].is_begun) {
          parameters.fail(named->first, "parameters that do not refer to one another in a circle");
        }
        chain.push_back(named->second);
        continue;
      }
      const double number = parameters.number_from(entry.value, parameters.path_of(entry.key), kAnyNumber, "");
      context.scene.parameters.emplace(entry.key, number);
      if (context.notes_places) {
        context.scene.places.set(parameters.path_of(entry.key), context.document.place(entry.value.mark));
      }
      last.is_read = true;
      chain.pop_back();
    }
  }
}

Scene read_scene(const Document& document, const std::string& default_name) {
  Scene scene;
  ReadContext context{document, scene};
  const TableReader reader(context, document.root, "");
  check_format_version(reader);
  reader.allow({"stickslip",  "name",   "gravity", "time",     "scheme",          "solver",    "output", "limits",
                "parameters", "bodies", "fill",    "contacts", "contact_default", "materials", "laws",   "joints",
                "couplings",  "forces", "sites",   "sensors",  "measures",        "reference", "inputs", "domain"});
  scene.name = read_name(reader, default_name);
  read_parameters(context, reader);
  scene.planar = is_planar(reader);
  const Vector3 standard = scene.planar ? Vector3(0.0, -9.81, 0.0) : Vector3(0.0, 0.0, -9.81);
  scene.gravity = reader.vector_or("gravity", "m/s^2", standard);
  read_settings(context, reader);
  read_materials(context, reader);
  read_bodies(context, reader);
  read_fills(context, reader);
  read_contacts(context, reader);
  read_contact_default(context, reader);
  read_laws(context, reader);
  set_default_tolerance(context, reader);
  read_inputs(context, reader);
  read_joints(context, reader);
  read_couplings(context, reader);
  read_forces(context, reader);
  read_sites(context, reader);
  read_sensors(context, reader);
  read_measures(context, reader);
  read_reference(context, reader);
  return scene;
}

}  // namespace stickslip
