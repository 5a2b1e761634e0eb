// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "stickslip/scene/read_scene.h"

namespace stickslip {
namespace {

constexpr const char* kSelections = "\"body\", \"body/shape\", \"group:name\" or \"material:name\"";
constexpr const char* kSides = "two of \"body\", \"body/shape\", \"group:name\" and \"material:name\"";

SceneSide read_side(const TableReader& contact, const TomlValue& value, const std::string& text,
                    const std::string& path) {
  if (text.starts_with("group:") || text.starts_with("material:")) return {text, ""};
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, ""};
  const SceneSide side{text.substr(0, slash), text.substr(slash + 1)};
  if (side.body.empty() || side.shape.empty()) contact.fail_at(value, path, kSelections);
  return side;
}

constexpr Range kRestitution = {.least = 0.0,
                                .most = 1.0,
                                .text =
                                    "a number in [0, 1], an expression of the approach speed v, or a table {normal "
                                    "= 0, tangential = 0, law = \"newton\"}"};
constexpr Range kNormalRestitution = {
    .least = 0.0, .most = 1.0, .text = "a number in [0, 1], or an expression of the approach speed v"};
constexpr std::array<std::string_view, 3> kImpactLaws = {"newton", "poisson", "energetic"};

constexpr const char* kFriction =
    "a number >= 0, an expression of the slip speed v, {static, kinetic, stick_speed = 1e-6}, or in space {x, y, "
    "direction = [1, 0, 0]}";

void read_friction_table(const TableReader& friction, const TableReader& law_reader, ContactLaw& law) {
  if (friction.has("static") || friction.has("kinetic") || friction.has("stick_speed")) {
    friction.allow({"static", "kinetic", "stick_speed"});
    law.friction = friction.number("static", kNotNegative, "");
    KineticFriction& kinetic = law.kinetic.emplace();
    kinetic.friction = friction.number("kinetic", kNotNegative, "");
    if (kinetic.friction > law.friction) friction.fail("kinetic", "a number >= 0, at most that of static");
    kinetic.stick_speed = friction.number_or("stick_speed", kNotNegative, "m/s", kinetic.stick_speed);
    return;
  }
  friction.allow({"x", "y", "direction", "static", "kinetic", "stick_speed"});
  if (law_reader.context().scene.planar) {
    law_reader.fail("friction",
                    "in a planar scene: a number >= 0, an expression of the slip speed v, or {static, "
                    "kinetic, stick_speed = 1e-6}");
  }
  law.friction = friction.number("x", kPositive, "");
  FrictionEllipse& ellipse = law.ellipse.emplace();
  ellipse.across = friction.number("y", kPositive, "");
  if (friction.has("direction")) ellipse.direction = friction.direction3("direction");
}

void read_friction(const TableReader& reader, ContactLaw& law) {
  const TomlValue* value = reader.find("friction");
  if (value == nullptr) return;
  if (value->table() != nullptr) {
    return read_friction_table(TableReader(reader.context(), *value, reader.path_of("friction")), reader, law);
  }
  if (value->string() == nullptr) {
    constexpr Range kRange = {.least = 0.0, .text = kFriction};
    law.friction = reader.number("friction", kRange, "");
    return;
  }
  SpeedFunction function = reader.speed_function_from(*value, reader.path_of("friction"));
  if (!std::isfinite(function(0.0))) reader.fail("friction", "an expression of the speed v that is finite at v = 0");
  law.friction = function(0.0);
  if (function.expression.is_constant()) {
    if (!(law.friction >= 0.0)) reader.fail("friction", kFriction);
    return;
  }
  law.friction = std::max(law.friction, 0.0);
  law.friction_of_speed = std::move(function);
}

/// A number, or an expression of v, which is then a function in the law.
void read_normal_restitution(const TableReader& reader, const TomlValue& value, const std::string& path,
                             const Range& range, ContactLaw& law) {
  if (value.string() == nullptr) {
    law.restitution_normal = reader.number_from(value, path, range, "");
    return;
  }
  SpeedFunction function = reader.speed_function_from(value, path);
  if (!function.expression.is_constant()) {
    law.restitution_of_speed = std::move(function);
    return;
  }
  law.restitution_normal = function(0.0);
  if (!range.contains(law.restitution_normal)) reader.fail_at(value, path, range.text);
}

/// A length, or {radius = r}.
double read_moment(const TableReader& reader, std::string_view key) {
  const TomlValue* value = reader.find(key);
  if (value == nullptr || value->table() == nullptr) return reader.number_or(key, kNotNegative, "m", 0.0);
  const TableReader table(reader.context(), *value, reader.path_of(key));
  table.allow({"radius"});
  return table.number("radius", kNotNegative, "m");
}

/// The keys of read_law().
constexpr std::array<std::string_view, 6> kLawKeys = {"friction", "rolling",        "spinning",
                                                      "adhesion", "adhesion_range", "restitution"};

/// Allows these keys beside those of the law.
void allow_with_law(const TableReader& reader, std::initializer_list<std::string_view> others,
                    std::initializer_list<std::string_view> later = {}) {
  std::vector<std::string_view> keys(others);
  keys.insert(keys.end(), kLawKeys.begin(), kLawKeys.end());
  reader.allow(keys, later);
}

/// What named and detected contacts obey.
ContactLaw read_law(const TableReader& reader) {
  ContactLaw law;
  read_friction(reader, law);
  law.rolling = read_moment(reader, "rolling");
  law.spinning = read_moment(reader, "spinning");
  if (law.spinning > 0.0 && reader.context().scene.planar) {
    reader.fail("spinning", "0 in a planar scene, where all turning is rolling");
  }
  law.adhesion = reader.number_or("adhesion", kNotNegative, "N", 0.0);
  if (reader.has("adhesion")) {
    law.adhesion_range = reader.number("adhesion_range", kPositive, "m");
  } else if (reader.has("adhesion_range")) {
    reader.fail("adhesion_range", "none without adhesion");
  }
  const TomlValue* value = reader.find("restitution");
  if (value == nullptr) return law;
  if (value->table() == nullptr) {  // Newton's, the normal one
    read_normal_restitution(reader, *value, reader.path_of("restitution"), kRestitution, law);
    return law;
  }
  const TableReader restitution(reader.context(), *value, reader.path_of("restitution"));
  restitution.allow({"normal", "tangential", "law"});
  if (const TomlValue* normal = restitution.find("normal")) {
    read_normal_restitution(restitution, *normal, restitution.path_of("normal"), kNormalRestitution, law);
  }
  law.restitution_tangential = restitution.number_or("tangential", kUnitInterval, "", 0.0);
  if (!restitution.has("law")) return law;
  const std::string name = restitution.choice("law", kImpactLaws, {});
  law.impact = static_cast<ImpactLaw>(std::ranges::find(kImpactLaws, name) - kImpactLaws.begin());
  if (law.impact != ImpactLaw::newton && law.restitution_tangential != 0.0) {
    restitution.fail("tangential", "0 under the law \"" + name + "\"");
  }
  return law;
}

SceneContact read_contact(const TableReader& reader, const std::string& name) {
  allow_with_law(reader, {"name", "between", "contensou", "envelope", "correction_speed"}, {"law", "activation"});
  SceneContact contact;
  contact.name = name;
  const std::array<std::string, 2> between = reader.pair_of_names("between", kSides);
  const TomlValue::Array& sides = *reader.find("between")->array();
  for (std::size_t i = 0; i < 2; ++i) {
    contact.between[i] = read_side(reader, sides[i], between[i], fmt::format("{}[{}]", reader.path_of("between"), i));
  }
  contact.law = read_law(reader);
  contact.envelope = reader.optional_number("envelope", kNotNegative, "m");
  contact.correction_speed = reader.optional_number("correction_speed", kCorrectionSpeeds, "m/s");
  if (const TomlValue* value = reader.find("contensou")) {
    if (reader.context().scene.planar) reader.fail("contensou", "drilling friction needs a spatial scene");
    const TableReader contensou(reader.context(), *value, reader.path_of("contensou"));
    contensou.allow({"radius"});
    if (contact.law.ellipse) reader.fail("contensou", "none beside friction of two directions");
    contact.law.contensou_radius = contensou.number("radius", kPositive, "m");
    for (const char* key : {"rolling", "spinning"}) {
      if (reader.has(key)) reader.fail(key, "none beside contensou, which stands for spinning");
    }
  }
  return contact;
}

}  // namespace

void read_contact_default(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("contact_default");
  if (value == nullptr) return;
  const TableReader reader(context, *value, "contact_default");
  allow_with_law(reader, {"except", "envelope", "correction_speed"});
  SceneContactDefault contacts;
  contacts.law = read_law(reader);
  contacts.envelope = reader.optional_number("envelope", kNotNegative, "m");
  contacts.correction_speed = reader.optional_number("correction_speed", kCorrectionSpeeds, "m/s");
  if (const TomlValue* except = reader.find("except")) {
    const std::string allowed = "pairs of names: [[\"a\", \"b\"], [\"group:walls\", \"group:walls\"], ...]";
    if (except->array() == nullptr) reader.fail("except", allowed);
    for (std::size_t i = 0; i < except->array()->size(); ++i) {
      const TomlValue& pair = (*except->array())[i];
      const std::string path = fmt::format("{}[{}]", reader.path_of("except"), i);
      const TomlValue::Array* sides = pair.array();
      if (sides == nullptr || sides->size() != 2) reader.fail_at(pair, path, allowed);
      std::array<std::string, 2> names;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::string* name = (*sides)[k].string();
        if (name == nullptr || name->empty()) reader.fail_at((*sides)[k], path, kSelections);
        names[k] = *name;
      }
      context.scene.places.set(path, context.document.place(pair.mark));
      contacts.except.push_back(names);
    }
  }
  context.scene.contact_default = contacts;
}

void read_materials(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("materials");
  if (value == nullptr) return;
  const TableReader materials(context, *value, "materials");
  for (const TomlEntry& entry : materials.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "materials");
    const TableReader reader(context, entry.value, materials.path_of(entry.key));
    reader.allow({"density"});
    const char* unit = context.scene.planar ? "kg/m^2" : "kg/m^3";
    context.scene.materials.push_back({entry.key, reader.optional_number("density", kPositive, unit)});
  }
}

void read_laws(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("laws");
  if (value == nullptr) return;
  if (value->array() == nullptr) scene.fail("laws", "an array of tables: [[laws]]");
  for (std::size_t i = 0; i < value->array()->size(); ++i) {
    const TableReader reader(context, (*value->array())[i], fmt::format("laws[{}]", i));
    allow_with_law(reader, {"between", "collide", "envelope", "correction_speed"});
    SceneLaw law;
    law.between = reader.pair_of_names("between", "two of \"material\" and \"group:name\"");
    law.collide = reader.boolean_or("collide", true);
    law.law = read_law(reader);
    law.envelope = reader.optional_number("envelope", kNotNegative, "m");
    law.correction_speed = reader.optional_number("correction_speed", kCorrectionSpeeds, "m/s");
    context.scene.laws.push_back(law);
  }
}

void read_contacts(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("contacts");
  if (value == nullptr) return;
  if (value->array() == nullptr) scene.fail("contacts", "an array of tables: [[contacts]]");
  std::set<std::string> names;
  for (std::size_t i = 0; i < value->array()->size(); ++i) {
    const TomlValue& element = (*value->array())[i];
    const std::string position = fmt::format("contacts[{}]", i);
    const std::string name = contact_name(element);
    if (name.empty()) {  // no name, or none that could be: the reader of the broken part says what is wrong
      const TableReader reader(context, element, position);
      if (reader.has("name"))
        check_name(reader.string("name", "a text"), context.document.place(reader.find("name")->mark),
                   reader.path_of("name"));
      read_contact(reader, name);
    }
    const TableReader reader(context, element, "contacts." + name);
    const TomlValue* named = reader.find("name");
    const SourcePlace place = context.document.place(named == nullptr ? element.mark : named->mark);
    check_name(name, place, position + ".name");
    if (!names.insert(name).second) {
      throw InputError(place, position + ".name", "\"" + name + "\"",
                       "another contact has this name; give each a name of its own");
    }
    context.scene.contacts.push_back(read_contact(reader, name));
  }
}

}  // namespace stickslip
