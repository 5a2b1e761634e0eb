// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// An attribute where it stands: at the element, or in a default.
struct MjcfAttribute {
  const XmlElement* element = nullptr;
  const XmlAttribute* attribute = nullptr;
  explicit operator bool() const { return attribute != nullptr; }
};

/// Classes of defaults.
class MjcfDefaults {
 public:
  /// Reads all <default> of a model.
  explicit MjcfDefaults(const XmlElement& root);

  /// An attribute of the element, or of the class that it names, else of `childclass`, and those around it.
  MjcfAttribute find(const XmlElement& element, std::string_view attribute, const std::string& childclass) const;
  /// All of them, the one that counts first: fewer numbers than there can be leave the others as the next has them.
  std::vector<MjcfAttribute> find_all(const XmlElement& element, std::string_view attribute,
                                      const std::string& childclass) const;
  /// What the class of an actuator and those around it say of actuators, of whatever kind, in the order in which they
  /// count.
  std::vector<const XmlElement*> find_actuators(const XmlElement& element) const;
  /// Throws InputError at `element` where there is no such class.
  void check(const XmlElement& element, std::string_view attribute) const;

 private:
  void add(const XmlElement& element, const std::string& name, const std::string& parent);

  struct Class {
    std::string parent;  // empty: none
    std::map<std::string, std::vector<const XmlElement*>, std::less<>> elements;
    std::vector<const XmlElement*> actuators;
  };
  std::map<std::string, Class, std::less<>> classes_;
  std::vector<std::string> main_names_;  // other names of the main class
};

/// <compiler>
struct MjcfCompiler {
  explicit MjcfCompiler(const XmlElement& root);

  double angle = 0.0;  // [rad] of the unit of angles
  std::string sequence = "xyz";
  bool auto_limits = true;
  std::filesystem::path mesh_folder, asset_folder;
  bool strips_path = false;
  enum class FromGeoms { never, where_needed, always } from_geoms = FromGeoms::where_needed;
  std::array<int, 2> groups = {0, 5};
  bool balances = false;
  double least_mass = 0.0;     // [kg]
  double least_inertia = 0.0;  // [kg m^2]
  double total_mass = -1.0;    // [kg] < 0: as it is
};

/// A range [low, high] that counts: `limited` says so, or it is there and says nothing.
std::optional<std::array<double, 2>> read_mjcf_range(const MjcfAttribute& range, const MjcfAttribute& limited,
                                                     const MjcfCompiler& compiler);

/// The pose that pos and one of quat, axisangle, euler, xyaxes and zaxis say.
Pose read_mjcf_pose(const XmlElement& element, const std::string& childclass, const MjcfDefaults& defaults,
                    const MjcfCompiler& compiler);

}  // namespace stickslip
