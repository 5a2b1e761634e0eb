// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_filter.h"

#include <algorithm>

namespace stickslip {

ContactFilter::ContactFilter(const System& system) {
  std::vector<int> begin;  // per body: its first shape
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const Body& body = system.bodies()[b];
    begin.push_back(static_cast<int>(shapes_.size()));
    for (std::size_t s = 0; s < body.shapes.size(); ++s) {
      shapes_.push_back({static_cast<int>(b), static_cast<int>(s)});
      moves_.push_back(body.n_u > 0 ? 1 : 0);
    }
  }
  begin.push_back(static_cast<int>(shapes_.size()));
  const auto for_each = [&](const ShapeSelection& selection, auto&& use) {
    if (selection.shape >= 0) return use(begin[selection.body] + selection.shape);
    for (int i = begin[selection.body]; i < begin[selection.body + 1]; ++i) use(i);
  };
  for (const ContactDetectionOptions::Except& except : system.detection()->except) {
    Rule rule{std::vector<char>(shapes_.size(), 0), std::vector<char>(shapes_.size(), 0)};
    for (const ShapeSelection& s : except.first) for_each(s, [&](int i) { rule.first[i] = 1; });
    for (const ShapeSelection& s : except.second) for_each(s, [&](int i) { rule.second[i] = 1; });
    rules_.push_back(std::move(rule));
  }
  for (const ContactPair& pair : system.contacts()) {
    const ContactPairOptions& o = pair.options;
    for_each({o.first, o.first_shape}, [&](int i) {
      for_each({o.second, o.second_shape}, [&](int j) { named_.emplace_back(std::minmax(i, j)); });
    });
  }
  std::sort(named_.begin(), named_.end());
}

bool ContactFilter::allows(int a, int b) const {
  if (shapes_[a].body == shapes_[b].body || (moves_[a] == 0 && moves_[b] == 0)) return false;
  for (const Rule& rule : rules_) {
    if ((rule.first[a] != 0 && rule.second[b] != 0) || (rule.first[b] != 0 && rule.second[a] != 0)) return false;
  }
  return !std::binary_search(named_.begin(), named_.end(), std::pair<int, int>(std::minmax(a, b)));
}

}  // namespace stickslip
