// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_words.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stickslip/robots/mjcf_actuators.h"
#include "stickslip/robots/mjcf_sensors.h"
#include "stickslip/robots/robot_attributes.h"

namespace stickslip {
namespace {

using Words = std::vector<std::string_view>;

/// Attributes of an element that are read, and those that say nothing of the motion.
struct ElementWords {
  Words read, silent;
};

const Words kOrientation = {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"};

const Words kSilentOfActuators = {"group",      "user",     "lengthrange", "dynprm",
                                  "actlimited", "actrange", "actdim",      "actearly"};

/// Of an actuator, with those of its law.
ElementWords actuator_words(const Words& law) {
  ElementWords words = {
      {"name", "class", "joint", "jointinparent", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"},
      kSilentOfActuators};
  words.read.insert(words.read.end(), law.begin(), law.end());
  return words;
}

const std::unordered_map<std::string_view, ElementWords>& attribute_words() {
  static const std::unordered_map<std::string_view, ElementWords> kWords = {
      {"mujoco", {{"model"}, {}}},
      {"compiler",
       {{"angle", "eulerseq", "autolimits", "meshdir", "assetdir", "inertiafromgeom", "inertiagrouprange",
         "balanceinertia", "boundmass", "boundinertia", "settotalmass", "strippath", "coordinate"},
        {"texturedir", "discardvisual", "usethread", "fusestatic", "exactmeshinertia", "saveinertial"}}},
      {"option",
       {{"timestep", "gravity"},
        {"apirate", "impratio", "integrator", "cone", "jacobian", "solver", "iterations", "tolerance", "ls_iterations",
         "ls_tolerance", "noslip_iterations", "noslip_tolerance", "ccd_iterations", "ccd_tolerance", "mpr_iterations",
         "mpr_tolerance", "sdf_iterations", "sdf_initpoints", "sleep_tolerance"}}},
      {"default", {{"class"}, {}}},
      {"worldbody", {{}, {"name", "childclass"}}},
      {"body",
       {{"name", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "childclass", "mocap"}, {"user", "sleep"}}},
      {"frame", {{"name", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "childclass"}, {}}},
      {"replicate", {{"count", "sep", "offset", "euler"}, {}}},
      {"inertial",
       {{"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"}, {}}},
      {"joint",
       {{"name", "class", "type", "pos", "axis", "range", "limited", "stiffness", "springref", "damping",
         "frictionloss", "ref", "armature", "actuatorfrcrange", "actuatorfrclimited"},
        {"group", "user"}}},
      {"freejoint", {{"name"}, {"group"}}},
      {"geom",
       {{"name",   "class",   "type",        "size",     "pos",  "quat",    "axisangle",
         "euler",  "xyaxes",  "zaxis",       "fromto",   "mass", "density", "friction",
         "condim", "contype", "conaffinity", "priority", "mesh", "hfield",  "fitscale"},
        {"rgba", "material", "group", "user"}}},
      {"site",
       {{"name", "class", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto"},
        {"type", "size", "rgba", "material", "group", "user"}}},
      {"mesh",
       {{"name", "class", "file", "scale", "refpos", "refquat", "vertex", "face", "inertia"},
        {"normal", "texcoord", "smoothnormal", "content_type", "material"}}},
      {"hfield", {{"name", "file", "nrow", "ncol", "size", "elevation"}, {"content_type"}}},
      {"general", actuator_words({"dyntype", "gaintype", "biastype", "gainprm", "biasprm"})},
      {"motor", actuator_words({})},
      {"position", actuator_words({"kp", "kv", "dampratio", "timeconst", "inheritrange"})},
      {"velocity", actuator_words({"kv"})},
      {"contact", {{}, {}}},
      {"asset", {{}, {}}},
      {"equality", {{}, {}}},
      {"keyframe", {{}, {}}},
      {"pair", {{"name", "class", "geom1", "geom2", "friction", "condim"}, {}}},
      {"exclude", {{"name", "body1", "body2"}, {}}},
      {"connect", {{"name", "class", "body1", "body2", "anchor", "site1", "site2", "active"}, {}}},
      {"weld", {{"name", "class", "body1", "body2", "relpose", "anchor", "site1", "site2", "active"}, {}}},
      {"equality joint", {{"name", "class", "joint1", "joint2", "polycoef", "active"}, {}}},
      {"any sensor",
       {{"name", "site", "joint", "objtype", "objname", "reftype", "refname", "cutoff"}, {"user", "nsample"}}},
      {"key", {{"name", "time", "qpos", "qvel", "ctrl"}, {}}}};
  return kWords;
}

/// Elements that say nothing of the motion, by their parent; "": anywhere.
bool is_silent(std::string_view parent, std::string_view name, bool uses_key) {
  static const Words kAnywhere = {"visual", "statistic", "size", "custom", "light", "camera"};
  if (std::ranges::find(kAnywhere, name) != kAnywhere.end()) return true;
  if (parent == "asset" || parent == "default") return name == "texture" || name == "material" || name == "skin";
  if (parent == "deformable") return name == "skin";
  return name == "keyframe" && !uses_key;
}

/// What is left out as a whole, with the reason.
std::string_view why_left_out(std::string_view parent, std::string_view name) {
  if (parent == "actuator") return "actuators of this kind have no counterpart: left out";
  if (parent == "sensor") return "sensors of this kind have no counterpart: left out";
  if (parent == "tendon" || name == "tendon") return "tendons have no counterpart: left out";
  return "it has no counterpart: left out";
}

/// Whether an attribute of what has no counterpart says what is so without it.
bool says_default(const XmlAttribute& attribute) {
  static const std::multimap<std::string_view, std::string_view> kDefaults = {
      {"collision", "all"},   {"convexhull", "true"}, {"align", "auto"},   {"align", "false"},
      {"alignfree", "false"}, {"maxhullvert", "-1"},  {"fitaabb", "false"}};
  const auto [first, last] = kDefaults.equal_range(attribute.name);
  return std::any_of(first, last, [&](const auto& entry) { return entry.second == attribute.value; });
}

bool says_zero(const XmlAttribute& attribute) {
  return attribute.value.find_first_not_of("0. \t\r\n") == std::string::npos;
}

class WordWalk {
 public:
  WordWalk(bool uses_key, RobotWarnings& warnings) : uses_key_(uses_key), warnings_(warnings) {}

  void walk(const XmlElement& element, std::string_view parent) {
    check_attributes(element, parent);
    for (const XmlElement& child : element.children) check_child(child, element.name);
  }

 private:
  void check_child(const XmlElement& child, std::string_view parent) {
    const std::string_view name = child.name;
    if (is_silent(parent, name, uses_key_)) return;
    const auto is_in = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::find(words, name) != words.end();
    };
    bool is_read = false;
    if (parent == "mujoco") {
      is_read = is_in({"compiler", "option", "default", "worldbody", "asset", "contact", "equality", "keyframe",
                       "actuator", "sensor", "tendon"});
    } else if (parent == "worldbody" || parent == "body" || parent == "frame" || parent == "replicate") {
      is_read = is_in({"body", "frame", "replicate", "inertial", "joint", "freejoint", "geom", "site"});
    } else if (parent == "default") {
      is_read = is_in(
          {"default", "joint", "geom", "site", "mesh", "pair", "equality", "general", "motor", "position", "velocity"});
      // Defaults of what is left out as a whole, which is told there.
      if (!is_read && is_in({"tendon", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "plugin"})) return;
    } else if (parent == "asset") {
      is_read = is_in({"mesh", "hfield"});
    } else if (parent == "contact") {
      is_read = is_in({"pair", "exclude"});
    } else if (parent == "equality") {
      is_read = is_in({"connect", "weld", "joint"});
      const XmlAttribute* active = child.find("active");
      if (is_read && active != nullptr && active->value == "false") {
        return warnings_.add(child, "active", "an equality that is not active: left out");
      }
    } else if (parent == "actuator") {
      is_read = is_mjcf_actuator(name);
      if (is_read && !child.has("joint") && !child.has("jointinparent")) return;  // the reader tells why it is left out
    } else if (parent == "keyframe") {
      is_read = name == "key";
    } else if (parent == "sensor") {
      is_read = is_mjcf_sensor(name);
    } else if (parent == "option" && name == "flag") {
      return check_flags(child);
    }
    if (!is_read) return warnings_.add(child, std::string(why_left_out(parent, name)));
    if (parent == "mujoco" && (name == "actuator" || name == "sensor" || name == "tendon")) {
      for (const XmlElement& each : child.children) check_child(each, name);
      return;
    }
    walk(child, parent);
  }

  void check_flags(const XmlElement& flag) {
    static const Words kSilent = {"warmstart", "nativeccd", "island",   "eulerdamp", "refsafe",  "autoreset",
                                  "energy",    "fwdinv",    "multiccd", "clampctrl", "midphase", "filterparent"};
    for (const XmlAttribute& a : flag.attributes) {
      if (std::ranges::find(kSilent, a.name) != kSilent.end() && a.name != "clampctrl") continue;
      const bool is_default =
          a.value == (a.name == "override" || a.name == "invdiscrete" || a.name == "sleep" ? "disable" : "enable");
      if (!is_default) warnings_.add(flag, a.name, "flags have no counterpart: left out");
    }
  }

  void check_attributes(const XmlElement& element, std::string_view parent) {
    std::string_view key = element.name;
    if (parent == "equality" && element.name == "joint") key = "equality joint";
    if (parent == "sensor") key = "any sensor";
    const auto found = attribute_words().find(key);
    const bool is_default = parent == "default";
    for (const XmlAttribute& a : element.attributes) {
      static const Words kIfNotZero = {"margin",           "gap",        "solmix",    "gravcomp", "springdamper",
                                       "armature",         "density",    "viscosity", "wind",     "shellinertia",
                                       "actuatorgravcomp", "fluidshape", "fluidcoef", "noise"};
      const auto is_in = [&](const Words& words) { return std::ranges::find(words, a.name) != words.end(); };
      const bool is_read =
          found != attribute_words().end() && (is_in(found->second.read) || is_in(found->second.silent));
      if (is_read || (is_default && element.name == "equality")) continue;
      if (says_default(a)) continue;
      if (is_in(kIfNotZero) && (says_zero(a) || a.value == "false" || a.value == "none")) continue;
      warnings_.add(element, a.name, "it has no counterpart: left out");
    }
  }

  bool uses_key_;
  RobotWarnings& warnings_;
};

}  // namespace

void warn_of_mjcf_words(const XmlElement& root, bool uses_key, RobotWarnings& warnings) {
  WordWalk(uses_key, warnings).walk(root, "");
}

}  // namespace stickslip
