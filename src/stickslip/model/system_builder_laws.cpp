// SPDX-License-Identifier: BSD-3-Clause
// Which law the contacts obey that are found between two shapes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "stickslip/base/input_error.h"
#include "stickslip/model/system.h"

namespace stickslip {

std::vector<std::vector<char>> SystemBuilder::find_law_sides() const {
  const std::vector<ContactDetectionOptions::Law>& laws = system_.detection_->laws;
  std::vector<std::vector<char>> sides;
  if (laws.empty()) return sides;
  sides.assign(system_.shapes_.size(), std::vector<char>(laws.size(), 0));
  const auto note = [&](const std::vector<ShapeSelection>& selections, std::size_t law, char side) {
    for (const ShapeSelection& s : selections) {
      const int begin = system_.first_shape(s.body);
      const int n_shapes = static_cast<int>(system_.bodies_[s.body].shapes.size());
      const int first = s.shape >= 0 ? begin + s.shape : begin;
      const int last = s.shape >= 0 ? first + 1 : begin + n_shapes;
      for (int i = first; i < last; ++i) sides[i][law] = static_cast<char>(sides[i][law] | side);
    }
  };
  for (std::size_t i = 0; i < laws.size(); ++i) {
    note(laws[i].first, i, 1);
    note(laws[i].second, i, 2);
  }
  return sides;
}

int SystemBuilder::find_detected(const ShapeClass& a, const ShapeClass& b) {
  const ContactDetectionOptions& options = *system_.detection_;
  ContactPairOptions pair;
  for (std::size_t i = options.laws.size(); i-- > 0;) {
    const bool fits = ((a.law_sides[i] & 1) != 0 && (b.law_sides[i] & 2) != 0) ||
                      ((a.law_sides[i] & 2) != 0 && (b.law_sides[i] & 1) != 0);
    if (!fits) continue;
    const ContactDetectionOptions::Law& law = options.laws[i];
    if (!law.collide) return -1;
    pair.law = law.law;
    if (pair.law.ellipse) pair.law.ellipse->is_of_second = (a.law_sides[i] & 1) == 0 || (b.law_sides[i] & 2) == 0;
    pair.envelope = law.envelope;
    pair.correction_speed = law.correction_speed;
    return add_detected(pair);
  }
  if (options.by_laws_only) return -1;
  pair.law = options.law;
  pair.envelope = options.envelope;
  pair.correction_speed = options.correction_speed;
  constexpr int kSliding = 3, kSpinning = 4, kRolling = 6;  // condim
  const bool equals = a.priority == b.priority;
  const ShapeClass& first = equals || a.priority > b.priority ? a : b;
  const ShapeClass& second = equals ? b : first;
  const bool has_condim = first.condim || second.condim;
  const int condim = std::max(first.condim.value_or(kSliding), second.condim.value_or(kSliding));
  if (first.friction || second.friction || condim == 1) {  // a number of a shape is a mu of its own
    pair.law.kinetic.reset();
    pair.law.friction_of_speed.reset();
    pair.law.ellipse.reset();
  }
  // The larger number of the shapes; where none has one, that of the law, unless a condim leaves it out.
  const auto choose = [&](std::optional<double> ShapeClass::*number, double of_law, int least) {
    const bool is_of_shape = first.*number || second.*number;
    if (condim < least && (is_of_shape || has_condim)) return 0.0;
    return std::max((first.*number).value_or(of_law), (second.*number).value_or(of_law));
  };
  pair.law.friction = choose(&ShapeClass::friction, options.law.friction, kSliding);
  pair.law.spinning = choose(&ShapeClass::spinning, options.law.spinning, kSpinning);
  pair.law.rolling = choose(&ShapeClass::rolling, options.law.rolling, kRolling);
  return add_detected(pair);
}

void SystemBuilder::sort_into_classes() {
  std::map<ShapeClass, int> classes;
  const std::vector<std::vector<char>> law_sides = find_law_sides();
  for (std::size_t i = 0; i < system_.shapes_.size(); ++i) {
    const ShapeFeatures& shape = system_.shapes_[i];
    const ShapeContact& c = system_.bodies_[shape.body].shapes[shape.shape].contact;
    const ShapeClass of_shape{c.friction, c.spinning, c.rolling,
                              c.priority, c.condim,   law_sides.empty() ? std::vector<char>() : law_sides[i]};
    system_.class_of_.push_back(classes.emplace(of_shape, static_cast<int>(classes.size())).first->second);
  }
  constexpr std::size_t kMostClasses = 4096;  // [-] 64 MiB of pairs
  if (classes.size() > kMostClasses) {
    throw InputError(fmt::format("contact_default: at most {} different frictions of shapes", kMostClasses));
  }
  system_.detected_.clear();
  const int n = system_.n_classes_ = std::max(static_cast<int>(classes.size()), 1);
  system_.detected_of_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), -1);
  for (const auto& [a, i] : classes) {
    for (const auto& [b, j] : classes) {
      system_.detected_of_[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)] =
          find_detected(a, b);
    }
  }
}

}  // namespace stickslip
