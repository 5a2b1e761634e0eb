// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_settings.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <numbers>

#include "stickslip/math/rotation.h"
#include "stickslip/robots/robot_attributes.h"

namespace stickslip {
namespace {

constexpr const char* kMain = "main";

/// One of the texts that an attribute may be; empty where it is not there.
std::string read_choice(const XmlElement& element, std::string_view attribute,
                        std::initializer_list<std::string_view> choices) {
  const XmlAttribute* found = element.find(attribute);
  if (found == nullptr) return "";
  std::string all;
  for (const std::string_view choice : choices) {
    if (found->value == choice) return found->value;
    all += (all.empty() ? "" : ", ") + std::string(choice);
  }
  expect(element, attribute, "one of " + all);
}

bool is_actuator(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kKinds = {
      "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor"};
  return std::ranges::find(kKinds, name) != kKinds.end();
}

}  // namespace

MjcfDefaults::MjcfDefaults(const XmlElement& root) {
  classes_[kMain];
  for (const XmlElement& child : root.children) {
    if (child.name != "default") continue;
    // The first level is the main class, whatever it is called.
    if (const XmlAttribute* name = child.find("class")) main_names_.push_back(name->value);
    add(child, kMain, "");
  }
}

void MjcfDefaults::add(const XmlElement& element, const std::string& name, const std::string& parent) {
  if (name != kMain) {
    if (classes_.contains(name)) element.fail("class", fmt::format("\"{}\": another class has this name", name));
    classes_[name].parent = parent;
  }
  for (const XmlElement& child : element.children) {
    if (child.name != "default") {
      classes_[name].elements[child.name].push_back(&child);
      if (is_actuator(child.name)) classes_[name].actuators.push_back(&child);
      continue;
    }
    add(child, require_text(child, "class"), name);
  }
}

void MjcfDefaults::check(const XmlElement& element, std::string_view attribute) const {
  const XmlAttribute* name = element.find(attribute);
  if (name == nullptr || classes_.contains(name->value)) return;
  if (std::ranges::find(main_names_, name->value) != main_names_.end()) return;
  element.fail(attribute, fmt::format("\"{}\": no default has this class", name->value));
}

MjcfAttribute MjcfDefaults::find(const XmlElement& element, std::string_view attribute,
                                 const std::string& childclass) const {
  const std::vector<MjcfAttribute> all = find_all(element, attribute, childclass);
  return all.empty() ? MjcfAttribute{} : all.front();
}

std::vector<MjcfAttribute> MjcfDefaults::find_all(const XmlElement& element, std::string_view attribute,
                                                  const std::string& childclass) const {
  std::vector<MjcfAttribute> all;
  if (const XmlAttribute* own = element.find(attribute)) all.push_back({&element, own});
  const XmlAttribute* named = element.find("class");
  std::string name = named != nullptr ? named->value : childclass;
  while (true) {
    auto found = classes_.find(name);
    if (found == classes_.end()) found = classes_.find(kMain);
    const auto of_kind = found->second.elements.find(element.name);
    if (of_kind != found->second.elements.end()) {
      for (auto each = of_kind->second.rbegin(); each != of_kind->second.rend(); ++each) {
        if (const XmlAttribute* a = (*each)->find(attribute)) all.push_back({*each, a});
      }
    }
    if (found->first == kMain) return all;
    name = found->second.parent;
  }
}

std::vector<const XmlElement*> MjcfDefaults::find_actuators(const XmlElement& element) const {
  std::vector<const XmlElement*> found;
  const XmlAttribute* named = element.find("class");
  auto at = classes_.find(named != nullptr ? named->value : kMain);
  if (at == classes_.end()) at = classes_.find(kMain);
  while (at != classes_.end()) {
    found.insert(found.begin(), at->second.actuators.begin(), at->second.actuators.end());
    at = at->first == kMain ? classes_.end() : classes_.find(at->second.parent);
  }
  return found;
}

MjcfCompiler::MjcfCompiler(const XmlElement& root) : angle(std::numbers::pi / 180.0) {
  for (const XmlElement& c : root.children) {
    if (c.name != "compiler") continue;
    const auto boolean = [&](const char* key, bool otherwise) {
      const XmlAttribute* a = c.find(key);
      return a == nullptr ? otherwise : parse_boolean(c, *a);
    };
    const std::string unit = read_choice(c, "angle", {"degree", "radian"});
    if (!unit.empty()) angle = unit == "radian" ? 1.0 : std::numbers::pi / 180.0;
    if (const XmlAttribute* a = c.find("eulerseq")) {
      sequence = a->value;
      if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos) {
        expect(c, "eulerseq", "three of x, y, z, X, Y, Z");
      }
    }
    read_choice(c, "coordinate", {"local"});
    auto_limits = boolean("autolimits", auto_limits);
    strips_path = boolean("strippath", strips_path);
    if (const XmlAttribute* a = c.find("assetdir")) mesh_folder = asset_folder = a->value;
    if (const XmlAttribute* a = c.find("meshdir")) mesh_folder = a->value;
    const std::string from = read_choice(c, "inertiafromgeom", {"false", "true", "auto"});
    if (!from.empty()) {
      from_geoms = from == "false" ? FromGeoms::never : from == "true" ? FromGeoms::always : FromGeoms::where_needed;
    }
    if (const XmlAttribute* a = c.find("inertiagrouprange")) {
      const std::vector<double> range = parse_numbers(c, *a, 2, 2);
      groups = {static_cast<int>(std::clamp(range[0], -1e9, 1e9)), static_cast<int>(std::clamp(range[1], -1e9, 1e9))};
    }
    balances = boolean("balanceinertia", balances);
    least_mass = number_or(c, "boundmass", least_mass);
    least_inertia = number_or(c, "boundinertia", least_inertia);
    total_mass = number_or(c, "settotalmass", total_mass);
  }
}

std::optional<std::array<double, 2>> read_mjcf_range(const MjcfAttribute& range, const MjcfAttribute& limited,
                                                     const MjcfCompiler& compiler) {
  const std::string wish = limited ? limited.attribute->value : "auto";
  const auto refuse = [](const MjcfAttribute& at, const std::string& text) {
    expect(*at.element, at.attribute->name, text);
  };
  if (wish != "true" && wish != "false" && wish != "auto") refuse(limited, "true, false or auto");
  std::vector<double> numbers;
  if (range) numbers = parse_numbers(*range.element, *range.attribute, 2, 2);
  const bool is_range = range && (numbers[0] != 0.0 || numbers[1] != 0.0);  // "0 0" is none in this format
  if (wish == "auto" && is_range && !compiler.auto_limits) {
    std::string name = range.attribute->name;
    name.replace(name.size() - std::string_view("range").size(), std::string::npos, "limited");
    refuse(range, fmt::format("{} = \"true\" or \"false\" beside it, as compiler.autolimits is false", name));
  }
  if (wish == "false" || (wish == "auto" && !is_range)) return {};
  if (!range) refuse(limited, "a range");
  if (!(numbers[0] < numbers[1])) refuse(range, "low < high");
  return std::array{numbers[0], numbers[1]};
}

Pose read_mjcf_pose(const XmlElement& element, const std::string& childclass, const MjcfDefaults& defaults,
                    const MjcfCompiler& compiler) {
  const auto find = [&](const char* key) { return defaults.find(element, key, childclass); };
  const auto numbers = [](const MjcfAttribute& a, std::size_t n) {
    return parse_numbers(*a.element, *a.attribute, n, n);
  };
  Pose pose;
  if (const MjcfAttribute a = find("pos")) pose.p_WB = Eigen::Map<const Vector3>(numbers(a, 3).data());
  const XmlElement* own = nullptr;
  for (const char* key : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
    if (!element.has(key)) continue;
    if (own != nullptr) element.fail(key, "one orientation, not two");
    own = &element;
  }
  // The element's own orientation, of whatever kind, comes before a default's.
  for (const char* key : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
    const MjcfAttribute a = own != nullptr ? MjcfAttribute{own, own->find(key)} : find(key);
    if (!a) continue;
    const std::string_view kind = key;
    const auto refuse = [&](const char* why) { expect(*a.element, a.attribute->name, why); };
    if (kind == "quat") {
      const std::vector<double> e = numbers(a, 4);
      const Vector4 quaternion(e[0], e[1], e[2], e[3]);
      if (quaternion.isZero(0.0)) refuse("a quaternion of any length but zero");
      pose.R_WB = rotation_matrix<double>(unit(quaternion));
    } else if (kind == "axisangle") {
      const std::vector<double> e = numbers(a, 4);
      const Vector3 axis(e[0], e[1], e[2]);
      if (axis.isZero(0.0)) refuse("an axis of any length but zero");
      pose.R_WB = axis_angle_matrix(unit(axis), compiler.angle * e[3]);
    } else if (kind == "euler") {
      const std::vector<double> e = numbers(a, 3);
      pose.R_WB = euler_matrix(compiler.angle * Vector3(e[0], e[1], e[2]), compiler.sequence);
    } else if (kind == "xyaxes") {
      const std::vector<double> e = numbers(a, 6);
      Vector3 x(e[0], e[1], e[2]);
      Vector3 y(e[3], e[4], e[5]);
      if (x.isZero(0.0)) refuse("an x axis of any length but zero");
      if (y.isZero(0.0)) refuse("a y axis of any length but zero");
      x = unit(x);
      y = unit(y);
      y -= x * x.dot(y);
      constexpr double kParallel = 1e-10;  // [-]
      if (!(y.norm() > kParallel)) refuse("a y axis that is not along x");
      y.normalize();
      pose.R_WB.col(0) = x;
      pose.R_WB.col(1) = y;
      pose.R_WB.col(2) = x.cross(y);
    } else {
      const std::vector<double> e = numbers(a, 3);
      const Vector3 z(e[0], e[1], e[2]);
      if (z.isZero(0.0)) refuse("a z axis of any length but zero");
      pose.R_WB = z_to(z);
    }
    break;
  }
  return pose;
}

}  // namespace stickslip
