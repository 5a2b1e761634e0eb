// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "stickslip/robots/robot_model.h"

namespace stickslip {

inline constexpr std::size_t kMaxRobotName = 128;  // [bytes] of a scene's names

/// Names of one table of a scene.
class SceneNames {
 public:
  explicit SceneNames(RobotWarnings& warnings) : warnings_(warnings) {}

  /// The name as a scene can have it, and unlike the others.
  std::string take(const std::string& name, const SourcePlace& place, const std::string& element) {
    const std::string what = element + ".name";
    std::string fit = name;
    for (char& c : fit) {
      if (c == '/' || c == '.' || (c >= 0 && c < ' ') || c == '\x7F') c = '_';
    }
    if (fit.empty()) fit = "_";
    for (const std::string_view word : {"group:", "material:"}) {
      if (!fit.starts_with(word)) continue;
      fit[word.size() - 1] = '_';
      warnings_.add(
          place, what,
          fmt::format("\"{}\" would name a {} of shapes: named \"{}\"", name, word.substr(0, word.size() - 1), fit));
    }
    if (fit.size() > kMaxRobotName) {
      throw InputError(place, what, "", fmt::format("expected a name of at most {} bytes", kMaxRobotName));
    }
    std::string free = fit;
    for (int i = 2; !taken_.insert(free).second; ++i) free = fmt::format("{}~{}", fit, i);
    if (free != fit) warnings_.add(place, what, fmt::format("\"{}\" is taken: named \"{}\"", fit, free));
    return free;
  }
  /// Keeps a name for what the scene makes by itself.
  void keep(const std::string& name) { taken_.insert(name); }

 private:
  RobotWarnings& warnings_;
  std::set<std::string> taken_;
};

}  // namespace stickslip
