// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/touching_shapes.h"

#include <algorithm>

#include "stickslip/collision/triangle_surface.h"

namespace stickslip {
namespace {

template <class Use>
void for_each_shape(const System& system, int body, int shape, const Use& use) {
  const int first = system.first_shape(body);
  if (shape >= 0) return use(first + shape);
  const int n = static_cast<int>(system.bodies()[body].shapes.size());
  for (int i = 0; i < n; ++i) use(first + i);
}

void add_pairs(const System& system, const ShapeSelection& a, const ShapeSelection& b,
               std::vector<std::pair<int, int>>& pairs) {
  for_each_shape(system, a.body, a.shape, [&](int i) {
    for_each_shape(system, b.body, b.shape, [&](int j) { pairs.emplace_back(std::minmax(i, j)); });
  });
}

}  // namespace

TouchingShapes::TouchingShapes(const System& system) : system_(system) {
  const std::size_t n = system.shapes().size();
  own_solids_.reserve(n);
  for (const ShapeFeatures& shape : system.shapes()) {
    GapSide& side = sides_.emplace_back();
    if (system.bodies()[shape.body].shapes[shape.shape].contact.visual) continue;
    if (shape.solid >= 0) {
      side.solid = &system.solids()[shape.solid];
    } else if (shape.surface >= 0 && !is_bounded(system.surfaces()[shape.surface].kind)) {
      side.wall = &system.surfaces()[shape.surface];
    } else {
      // A point on a beam, a capsule in a plane.
      const Shape& drawn = system.bodies()[shape.body].shapes[shape.shape];
      if (!has_solid(drawn, false)) continue;
      side.solid = &own_solids_.emplace_back(make_solid(drawn, system.planar() && has_solid(drawn, true)));
    }
  }
  // The limits of joints are pairs of points in the system, too, but of no shapes.
  for (const ContactPair& pair : system.contacts()) {
    if (pair.n_points > 0 && system.contact_points()[pair.first_point].joint >= 0) continue;
    const ContactPairOptions& o = pair.options;
    add_pairs(system, {o.first, o.first_shape}, {o.second, o.second_shape}, named_);
  }
  std::ranges::sort(named_);
  if (!system.detection()) return;
  for (const ContactDetectionOptions::Except& except : system.detection()->except) {
    if (except.first.size() == 1 && except.second.size() == 1) {
      add_pairs(system, except.first.front(), except.second.front(), excepted_);
      continue;
    }
    rules_.push_back(make_rule(except.first, except.second));
  }
  for (const ContactDetectionOptions::Law& law : system.detection()->laws) {
    laws_.push_back(make_rule(law.first, law.second));
  }
  std::ranges::sort(excepted_);
  for (std::size_t i = 0; i < n; ++i) {
    if (sides_[i].wall != nullptr) walls_.push_back(static_cast<int>(i));
    if (sides_[i].solid != nullptr) solids_.push_back(static_cast<int>(i));
  }
}

TouchingShapes::Rule TouchingShapes::make_rule(const std::vector<ShapeSelection>& first,
                                               const std::vector<ShapeSelection>& second) const {
  const std::size_t n = system_.shapes().size();
  Rule rule{std::vector<char>(n, 0), std::vector<char>(n, 0)};
  for (const ShapeSelection& s : first) for_each_shape(system_, s.body, s.shape, [&](int i) { rule.first[i] = 1; });
  for (const ShapeSelection& s : second) for_each_shape(system_, s.body, s.shape, [&](int i) { rule.second[i] = 1; });
  return rule;
}

bool TouchingShapes::may_touch(int a, int b) const {
  if (body(a) == body(b)) return false;
  if (system_.bodies()[body(a)].n_u == 0 && system_.bodies()[body(b)].n_u == 0) return false;
  const ShapeContact& x = contact(a);
  const ShapeContact& y = contact(b);
  if (x.visual || y.visual) return false;
  if ((x.contype & y.conaffinity) == 0 && (y.contype & x.conaffinity) == 0) return false;
  for (const Rule& rule : rules_) {
    if (fits(rule, a, b)) return false;
  }
  const ContactDetectionOptions& options = *system_.detection();
  const auto law = std::find_if(laws_.rbegin(), laws_.rend(), [&](const Rule& rule) { return fits(rule, a, b); });
  if (law == laws_.rend() ? options.by_laws_only : !options.laws[laws_.rend() - law - 1].collide) return false;
  const std::pair<int, int> pair = std::minmax(a, b);
  return !std::ranges::binary_search(excepted_, pair) && !std::ranges::binary_search(named_, pair);
}

std::optional<TrueGap> TouchingShapes::find_gap(int a, int b, const std::vector<Placement>& places) {
  const GapSide& x = sides_[a];
  const GapSide& y = sides_[b];
  if ((x.solid == nullptr && x.wall == nullptr) || (y.solid == nullptr && y.wall == nullptr)) return std::nullopt;
  if (x.solid != nullptr && y.solid != nullptr && x.solid->planar != y.solid->planar) return std::nullopt;
  return finder_.find(x, places[a], y, places[b]);
}

void TouchingShapes::offer(int a, int b, const std::vector<Placement>& places, Overlap& deepest) {
  const GapSide& x = sides_[a];
  const GapSide& y = sides_[b];
  if (!system_.is_present(body(a)) || !system_.is_present(body(b))) return;
  if ((x.solid == nullptr && x.wall == nullptr) || (y.solid == nullptr && y.wall == nullptr)) return;
  if (x.solid != nullptr && y.solid != nullptr && x.solid->planar != y.solid->planar) return;
  const std::optional<TrueGap> gap = finder_.find(x, places[a], y, places[b], -deepest.depth);
  if (gap && -gap->gap > deepest.depth) deepest = {-gap->gap, a, b};
}

TouchingShapes::Overlap TouchingShapes::find_deepest(const std::vector<Placement>& places) {
  Overlap deepest;
  const auto is_far = [&](int a, int b) {
    if (sides_[a].solid == nullptr || sides_[b].solid == nullptr) return false;
    const Solid& x = *sides_[a].solid;
    const Solid& y = *sides_[b].solid;
    if ((x.surface && x.surface->is_endless()) || (y.surface && y.surface->is_endless())) return false;
    const double reach = 0.5 * (x.size + y.size);
    return (places[a].apply(x.center) - places[b].apply(y.center)).squaredNorm() > reach * reach;
  };
  for (const auto& [a, b] : named_) {
    if (!is_far(a, b)) offer(a, b, places, deepest);
  }
  if (solids_.empty()) return deepest;
  for (const int wall : walls_) {
    for (const int solid : solids_) {
      if (may_touch(wall, solid)) offer(wall, solid, places, deepest);
    }
  }
  boxes_.clear();
  for (const int i : solids_) boxes_.push_back(calc_bounding_box(*sides_[i].solid, places[i]));
  broad_phase_.find(boxes_, pairs_);
  for (const BroadPhase::Pair& pair : pairs_) {
    const int a = solids_[pair.first];
    const int b = solids_[pair.second];
    if (!is_far(a, b) && may_touch(a, b)) offer(a, b, places, deepest);
  }
  return deepest;
}

}  // namespace stickslip
