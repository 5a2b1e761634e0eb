// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_filter.h"

#include <algorithm>

namespace stickslip {

ContactFilter::ContactFilter(const System& system) : system_(system) {
  const std::size_t n_shapes = system.shapes().size();
  for (const ShapeFeatures& shape : system.shapes()) {
    bodies_.push_back(shape.body);
    moves_.push_back(system.bodies()[shape.body].n_u > 0 ? 1 : 0);
    const ShapeContact& contact = system.bodies()[shape.body].shapes[shape.shape].contact;
    masks_.push_back(contact.visual ? Masks{0, 0} : Masks{contact.contype, contact.conaffinity});
    has_masks_ |= masks_.back() != Masks{};
  }
  const auto for_each = [&](const ShapeSelection& selection, auto&& use) {
    const int begin = system.first_shape(selection.body);
    if (selection.shape >= 0) return use(begin + selection.shape);
    const int end = begin + static_cast<int>(system.bodies()[selection.body].shapes.size());
    for (int i = begin; i < end; ++i) use(i);
  };
  const auto add_pairs = [&](const ShapeSelection& first, const ShapeSelection& second) {
    for_each(first, [&](int i) { for_each(second, [&](int j) { apart_.emplace_back(std::minmax(i, j)); }); });
  };
  for (const ContactDetectionOptions::Except& except : system.detection()->except) {
    if (except.first.size() == 1 && except.second.size() == 1) {
      add_pairs(except.first.front(), except.second.front());
      continue;
    }
    Rule rule{std::vector<char>(n_shapes, 0), std::vector<char>(n_shapes, 0)};
    for (const ShapeSelection& s : except.first) for_each(s, [&](int i) { rule.first[i] = 1; });
    for (const ShapeSelection& s : except.second) for_each(s, [&](int i) { rule.second[i] = 1; });
    rules_.push_back(std::move(rule));
  }
  for (const ContactPair& pair : system.contacts()) {
    // The limits of a joint are a pair of contact points, too, and say nothing of the shapes of its bodies.
    if (pair.n_points > 0 && system.contact_points()[pair.first_point].joint >= 0) continue;
    const ContactPairOptions& o = pair.options;
    add_pairs({o.first, o.first_shape}, {o.second, o.second_shape});
  }
  std::sort(apart_.begin(), apart_.end());
}

bool ContactFilter::allows(int a, int b) const {
  if (bodies_[a] == bodies_[b] || !rules_allow(a, b)) return false;
  return !std::binary_search(apart_.begin(), apart_.end(), std::pair<int, int>(std::minmax(a, b)));
}

bool ContactFilter::rules_allow(int a, int b) const {
  if (moves_[a] == 0 && moves_[b] == 0) return false;
  if (has_masks_ && (masks_[a].contype & masks_[b].conaffinity) == 0 &&
      (masks_[b].contype & masks_[a].conaffinity) == 0) {
    return false;
  }
  if (!system_.has_detected_law(a, b)) return false;
  for (const Rule& rule : rules_) {
    if ((rule.first[a] != 0 && rule.second[b] != 0) || (rule.first[b] != 0 && rule.second[a] != 0)) return false;
  }
  return true;
}

std::vector<char> ContactFilter::rules_of(int shape) const {
  std::vector<char> result = {moves_[shape]};
  const int shape_class = system_.shape_class(shape);
  const bool has_laws = !system_.detection()->laws.empty();
  for (int byte = 0; has_laws && byte < 2; ++byte) result.push_back(static_cast<char>(shape_class >> 8 * byte & 0xFF));
  for (const int mask : {masks_[shape].contype, masks_[shape].conaffinity}) {
    for (int byte = 0; has_masks_ && byte < 4; ++byte) result.push_back(static_cast<char>(mask >> 8 * byte & 0xFF));
  }
  for (const Rule& rule : rules_) {
    result.push_back(rule.first[shape]);
    result.push_back(rule.second[shape]);
  }
  return result;
}

}  // namespace stickslip
