// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/read_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

/// Says why none of `unread` can be read: they refer to one another, or to what does not exist.
[[noreturn]] void fail_unreadable(const TableReader& parameters, const std::vector<const TomlEntry*>& unread) {
  Expression::Parameters supposed = parameters.context().scene.parameters;
  for (const TomlEntry* entry : unread) supposed.emplace(entry->key, 1.0);
  for (const TomlEntry* entry : unread) {
    try {
      static_cast<void>(Expression::parse(entry->value.string()->substr(1), supposed));
    } catch (const ExpressionError&) {
      static_cast<void>(parameters.number(entry->key, kAnyNumber, ""));  // throws: it has an error of its own
    }
  }
  parameters.fail(unread.front()->key, "parameters that do not refer to one another in a circle");
}

}  // namespace

// Parameters may be expressions of other parameters, in any order: those that can be read are read, round
// by round, until all are or none could be.
void read_parameters(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("parameters");
  if (value == nullptr) return;
  constexpr int kMaxRounds = 32;  // [-] how long a chain of parameters may be
  const TableReader parameters(context, *value, "parameters");
  std::vector<const TomlEntry*> unread;
  for (const TomlEntry& entry : parameters.entries()) {
    check_parameter_name(parameters, entry);
    unread.push_back(&entry);
  }
  Expression::Parameters& known = context.scene.parameters;
  for (int round = 1; !unread.empty(); ++round) {
    std::vector<const TomlEntry*> still_unread;
    Expression::Parameters found;
    for (const TomlEntry* entry : unread) {
      try {
        found.emplace(entry->key, parameters.number(entry->key, kAnyNumber, ""));
      } catch (const InputError&) {
        const bool refers = entry->value.string() != nullptr && entry->value.string()->starts_with('=');
        if (!refers || round == kMaxRounds) throw;
        still_unread.push_back(entry);
      }
    }
    if (found.empty()) fail_unreadable(parameters, still_unread);
    known.merge(found);
    unread = std::move(still_unread);
  }
}

Scene read_scene(const Document& document, const std::string& default_name) {
  Scene scene;
  ReadContext context{document, scene};
  const TableReader reader(context, document.root, "");
  check_format_version(reader);
  reader.allow({"stickslip", "name", "gravity", "time", "scheme", "solver", "output", "limits", "parameters", "bodies",
                "fill", "contacts", "contact_default", "joints", "forces", "reference"});
  scene.name = read_name(reader, default_name);
  read_parameters(context, reader);
  scene.planar = is_planar(reader);
  const Vector3 standard = scene.planar ? Vector3(0.0, -9.81, 0.0) : Vector3(0.0, 0.0, -9.81);
  scene.gravity = reader.vector_or("gravity", "m/s^2", standard);
  read_settings(context, reader);
  read_bodies(context, reader);
  read_fills(context, reader);
  read_contacts(context, reader);
  read_contact_default(context, reader);
  set_default_tolerance(context, reader);
  read_joints(context, reader);
  read_forces(context, reader);
  read_reference(context, reader);
  return scene;
}

}  // namespace stickslip
