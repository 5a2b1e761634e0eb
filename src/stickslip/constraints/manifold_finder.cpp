// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/manifold_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/constraints/closest_approach.h"

namespace stickslip {
namespace {

/// Pairs of shapes of a block that threads share, ten microseconds and more, and from how many on they do. [-]
constexpr std::size_t kPairsOfABlock = 128;
constexpr std::size_t kManyPairs = 512;
/// The same of shapes whose boxes are made. [-]
constexpr std::size_t kShapesOfABlock = 256;
constexpr std::size_t kManyShapes = 2048;
/// A grid takes as long for a box as holding it against so many. [-]
constexpr std::size_t kFewEdged = 64;

bool comes_before(const ContactPoint& a, const ContactPoint& b) {
  return a.id < b.id;
}

}  // namespace

ManifoldFinder::ManifoldFinder(const System& system, const ContactFilter* filter, StopToken stop)
    : system_(system), filter_(filter), stop_(stop) {
  const std::vector<ShapeFeatures>& shapes = system.shapes();
  radius_.assign(shapes.size(), 0.0);
  reach_.assign(shapes.size(), 0.0);
  bool all_round = true;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    stop_.check();
    if (filter != nullptr && shapes[i].plane >= 0) planes_.push_back(static_cast<int>(i));
    if (shapes[i].solid < 0) continue;
    const Solid& solid = system.solids()[shapes[i].solid];
    const bool meets_planes = solid.kind == Solid::Kind::cylinder || solid.kind == Solid::Kind::surface;
    if (filter != nullptr && meets_planes) on_planes_.push_back(static_cast<int>(i));
    radius_[i] = solid.center.norm() + 0.5 * solid.size;
    all_round &= shapes[i].is_round;
    if (filter != nullptr) shapes_.push_back(static_cast<int>(i));
  }
  if (all_round) shapes_.clear();
  list_edged();
  const auto n_fixed = static_cast<std::size_t>(
      std::ranges::count_if(system.manifold_pairs(), [](const ManifoldPair& pair) { return pair.point >= 0; }));
  fixed_.resize(n_fixed);
  fixed_features_.resize(n_fixed);
}

/// Leaves out what is of bodies that take no part.
void ManifoldFinder::list_present() {
  if (attendance_ == system_.attendance()) return;
  attendance_ = system_.attendance();
  knows_pairs_ = false;
  if (!all_) all_ = Lists{shapes_, planes_, on_planes_};
  const auto keep_present = [this](const std::vector<int>& from, std::vector<int>& to) {
    to = from;
    std::erase_if(to, [this](int shape) { return !system_.is_present(system_.shapes()[shape].body); });
  };
  keep_present(all_->shapes, shapes_);
  list_edged();
  keep_present(all_->planes, planes_);
  keep_present(all_->on_planes, on_planes_);
}

void ManifoldFinder::list_edged() {
  edged_.clear();
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    if (!system_.shapes()[shapes_[k]].is_round) edged_.push_back(static_cast<int>(k));
  }
}

void ManifoldFinder::find(const BodySnapshot& at, double h, double margin, std::span<const ElementId> keep,
                          bool again) {
  list_present();
  set_reaches(at, h, margin);
  find_fixed(at);
  found_.clear();
  looks_ahead_ = true;
  knows_pairs_ = false;
  collect(at, found_);
  looks_ahead_ = false;
  knows_pairs_ = true;
  places_.clear();
  reaches_.clear();
  for (const int i : shapes_) {
    append(places_, placement(at, i));
    append(reaches_, reach_[i]);
  }
  sort_found();
  asked_.clear();
  for (const ElementId id : keep) {
    if (!std::ranges::binary_search(order_, id, {}, &Key::id)) append(asked_, id);
  }
  find_shared(asked_.size(), found_, [&](std::size_t k, Workspace& w) { keep_point(at, asked_[k], again, w); });
  if (!asked_.empty()) sort_found();
  place(varying_features_, varying_);
  added_.clear();
}

bool ManifoldFinder::follow(const BodySnapshot& at, double h) {
  bool some = false;
  std::size_t n = 0;
  for (std::size_t k = 0; k < system_.manifold_pairs().size(); ++k) {
    if (system_.manifold_pairs()[k].point < 0) continue;
    if (has_passed(at, std::span(fixed_).subspan(n, 1), h)) {
      find_fixed(at, k, n);
      some = true;
    }
    ++n;
  }
  found_.clear();
  bool some_vary = false;
  for (std::size_t begin = 0, end = 0; begin < varying_.size(); begin = end) {
    stop_.check();
    while (end < varying_.size() && varying_[end].id.pair == varying_[begin].id.pair) ++end;
    const std::span<const ContactPoint> points = std::span(varying_).subspan(begin, end - begin);
    if (has_passed(at, points, h)) {
      const auto [a, b, k] = *system_.find_manifold(points.front().id);
      looks_ahead_ = true;
      collect_pair(at, a, b, k, calc_reach(a, b, k), workspace_, found_);
      looks_ahead_ = false;
      some_vary = true;
      continue;
    }
    for (const ContactPoint& point : points) append(found_, {point, *point.frozen});
  }
  if (some_vary) {
    sort_found();
    place(varying_features_, varying_);
  }
  return some || some_vary;
}

/// Whether two shapes are apart where the features of their `points` overlap, or the other way round. What has moved by
/// less than kApart of the smaller one in a time h, with the velocities of `at`, has not.
bool ManifoldFinder::has_passed(const BodySnapshot& at, std::span<const ContactPoint> points, double h) {
  const FrozenFeatures& features = *points.front().frozen;
  const int a = points.front().flipped ? features.ball.shape : features.surface.shape;
  const int b = points.front().flipped ? features.surface.shape : features.ball.shape;
  const Solid& first = system_.solid(a);
  const Solid& second = system_.solid(b);
  const BodyMotion& first_at = at[system_.shapes()[a].body];
  const BodyMotion& second_at = at[system_.shapes()[b].body];
  const double turns = first_at.w.norm() * radius_[a] + second_at.w.norm() * radius_[b];
  const double smaller = std::min(first.size, second.size);
  const double apart = kApart * (smaller > 0.0 ? smaller : std::max(first.size, second.size));
  if (!(h * ((first_at.v - second_at.v).norm() + turns) > apart)) return false;
  double gap = std::numeric_limits<double>::infinity();
  for (const ContactPoint& point : points) gap = std::min(gap, calc_gap(at, point));
  std::vector<ManifoldPoint>& manifold = workspace_.manifold;
  workspace_.narrow.calc_manifold(first, placement(at, a), second, placement(at, b), apart, manifold);
  if (gap <= 0.0) return manifold.empty();
  return std::ranges::any_of(manifold, [](const ManifoldPoint& point) { return point.gap < 0.0; });
}

void ManifoldFinder::find_within(const BodySnapshot& at, double distance) {
  list_present();
  step_ = 0.0;
  knows_pairs_ = false;
  std::ranges::fill(reach_, distance);
  find_fixed(at);
  found_.clear();
  collect(at, found_);
  sort_found();
  place(varying_features_, varying_);
  added_.clear();
}

bool ManifoldFinder::extend(const BodySnapshot& at) {
  if (!is_needed()) return false;
  step_ = 0.0;
  knows_pairs_ = knows_pairs_ && are_within_reach(at);
  std::ranges::fill(reach_, 0.0);
  found_.clear();
  collect(at, found_);
  knows_pairs_ = false;
  std::erase_if(found_, [this](const FoundPoint& found) {
    return std::ranges::binary_search(varying_, found.point, comes_before);
  });
  sort_found();
  place(added_features_, added_);
  return !added_.empty();
}

void ManifoldFinder::refresh(const BodySnapshot& at, std::span<ContactPoint* const> points) {
  found_.clear();
  find_shared(points.size(), found_, [&](std::size_t k, Workspace& workspace) {
    const System::ManifoldOfId of = *system_.find_manifold(points[k]->id);
    const std::optional<ManifoldPoint> now = make_again(at, of, points[k]->id, workspace);
    append(workspace.found, now ? freeze(*now, of.first_shape, of.second_shape, of.manifold_pair)
                                : FoundPoint{*points[k], *points[k]->frozen});
    workspace.found.back().point.apart = !now;
  });
  for (std::size_t k = 0; k < points.size(); ++k) {
    ContactPoint& point = *points[k];
    const FoundPoint& found = found_[k];
    point.apart = found.point.apart;
    if (point.apart) continue;
    const auto i = point.frozen - varying_features_.data();
    varying_features_[i] = found.features;
    varying_[i].flipped = point.flipped = found.point.flipped;
  }
}

std::optional<ManifoldPoint> ManifoldFinder::make_again(const BodySnapshot& at, const System::ManifoldOfId& of,
                                                        ElementId id, Workspace& workspace) const {
  const bool as_before = std::exchange(workspace.made_again, id.pair) == id.pair;
  return workspace.narrow.calc_point(system_.solid(of.first_shape), placement(at, of.first_shape),
                                     system_.solid(of.second_shape), placement(at, of.second_shape),
                                     static_cast<FeatureId>(id.feature >> 32), static_cast<FeatureId>(id.feature),
                                     as_before);
}

void ManifoldFinder::set_reaches(const BodySnapshot& at, double h, double margin) {
  const double fall = h * h * system_.gravity().norm();
  step_ = h;
  for (std::size_t i = 0; i < reach_.size(); ++i) {
    const BodyMotion& body = at[system_.shapes()[i].body];
    reach_[i] = std::max(h * (body.v.norm() + body.w.norm() * radius_[i]) + fall, margin);
  }
}

Placement ManifoldFinder::placement(const BodySnapshot& at, int shape) const {
  const BodyMotion& body = at[system_.shapes()[shape].body];
  return {body.p, body.R};
}

void ManifoldFinder::collect(const BodySnapshot& at, std::vector<FoundPoint>& found) {
  const std::vector<ManifoldPair>& named = system_.manifold_pairs();
  for (std::size_t k = 0; k < named.size(); ++k) {
    stop_.check();
    if (named[k].point >= 0) continue;
    const auto [a, b] = std::pair(named[k].first_shape, named[k].second_shape);
    if (!are_present(a, b)) continue;
    collect_pair(at, a, b, static_cast<int>(k), calc_reach(a, b, static_cast<int>(k)), workspace_, found);
  }
  if (shapes_.empty()) return;
  collect_on_planes(at, found);
  collect_detected(at, found);
}

/// Of shapes that no pair names and whose boxes overlap.
void ManifoldFinder::collect_detected(const BodySnapshot& at, std::vector<FoundPoint>& found) {
  calc_boxes(at);
  if (!knows_pairs_) find_pairs();
  find_shared(pairs_.size(), found, [&](std::size_t k, Workspace& workspace) {
    if (!boxes_[pairs_[k].first].overlaps(boxes_[pairs_[k].second])) return;
    const int a = shapes_[pairs_[k].first];
    const int b = shapes_[pairs_[k].second];
    if (!system_.meet_in_manifold(a, b) || !filter_->allows(a, b)) return;
    collect_pair(at, a, b, -1, calc_reach(a, b, -1), workspace, workspace.found);
  });
}

/// Of shapes_ whose boxes overlap. Few that are not round, as a plate in a heap of balls, are held against all.
void ManifoldFinder::find_pairs() {
  if (edged_.size() > kFewEdged) return broad_phase_.find(boxes_, pairs_, stop_);
  pairs_.clear();
  const auto is_round = [this](int k) { return system_.shapes()[shapes_[k]].is_round; };
  for (const int k : edged_) {
    for (int j = 0; j < static_cast<int>(boxes_.size()); ++j) {
      stop_.check();
      if (j == k || !boxes_[k].overlaps(boxes_[j])) continue;
      if (k < j || is_round(j)) append(pairs_, {std::min(k, j), std::max(k, j)});
    }
  }
}

/// Appends what visit(k, workspace) finds for each of [0, n), in their order. Threads and ranks share them where there
/// are many.
template <class Visit>
void ManifoldFinder::find_shared(std::size_t n, std::vector<FoundPoint>& found, const Visit& visit) {
  const auto visit_some = [&](std::size_t begin, std::size_t end, Workspace& workspace) {
    workspace.made_again = 0;
    for (std::size_t k = begin; k < end; ++k) {
      stop_.check();
      visit(k, workspace);
    }
  };
  if (n < kManyPairs) {
    std::swap(workspace_.found, found);
    visit_some(0, n, workspace_);
    return std::swap(workspace_.found, found);
  }
  const RankShare share(true);
  const int n_blocks = count_blocks(n, kPairsOfABlock);
  const BlockRange own = share.own(n_blocks);
  if (of_blocks_.size() < static_cast<std::size_t>(n_blocks)) of_blocks_.resize(n_blocks);
  for_blocks(true, n, kPairsOfABlock, own, [&](std::size_t begin, std::size_t end, int block) {
    of_blocks_[block].found.clear();
    visit_some(begin, end, of_blocks_[block]);
  });
  const auto of_own = std::span(of_blocks_).subspan(own.begin, own.size());
  if (share.ranks() == nullptr) {
    std::size_t n_found = found.size();
    for (const Workspace& workspace : of_own) n_found += workspace.found.size();
    make_room(found, n_found);
    for (const Workspace& workspace : of_own) {
      found.insert(found.end(), workspace.found.begin(), workspace.found.end());
    }
    return;
  }
  numbers_.clear();
  for (const Workspace& workspace : of_own) {
    for (const FoundPoint& point : workspace.found) put_found(point, numbers_);
  }
  records_.gather(share, numbers_);
  const double* end = numbers_.data() + numbers_.size();
  for (const double* next = numbers_.data(); next < end;) append(found, take_found(system_, next));
}

/// Of found_; points lie in memory many times as large as their ids.
void ManifoldFinder::sort_found() {
  order_.clear();
  make_room(order_, found_.size());
  for (const FoundPoint& found : found_) order_.push_back({found.point.id, order_.size()});
  if (!std::ranges::is_sorted(order_, {}, &Key::id)) std::ranges::sort(order_, {}, &Key::id);
}

/// Of shapes_, with the reaches that are set.
void ManifoldFinder::calc_boxes(const BodySnapshot& at) {
  boxes_.resize(shapes_.size());
  for_blocks(shapes_.size() >= kManyShapes, shapes_.size(), kShapesOfABlock,
             [&](std::size_t begin, std::size_t end, int) {
               for (std::size_t k = begin; k < end; ++k) {
                 const int i = shapes_[k];
                 BoundingBox box = calc_bounding_box(system_.solids()[system_.shapes()[i].solid], placement(at, i));
                 box.lower.array() -= reach_[i];
                 box.upper.array() += reach_[i];
                 boxes_[k] = box;
               }
             });
}

/// Whether no point of a shape has moved further than its reach since find(): what touches now was in pairs_ then. A
/// turn moves a point at a distance r by at most |R' - R|_F r / sqrt(2).
bool ManifoldFinder::are_within_reach(const BodySnapshot& at) const {
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    const Placement now = placement(at, shapes_[k]);
    const double turned = std::sqrt(0.5) * (now.R - places_[k].R).norm() * radius_[shapes_[k]];
    if (!((now.p - places_[k].p).norm() + turned <= reaches_[k])) return false;
  }
  return true;
}

/// A half-space is near to everything; of a moving one what is far from its body's origin counts, too.
void ManifoldFinder::collect_on_planes(const BodySnapshot& at, std::vector<FoundPoint>& found) {
  for (const int plane : planes_) {
    for (const int other : on_planes_) {
      stop_.check();
      if (!filter_->allows(plane, other)) continue;
      const BodyMotion& body = at[system_.shapes()[plane].body];
      const Vector3 center = placement(at, other).apply(system_.solid(other).center);
      const double turns = step_ * body.w.norm() * (center - body.p).norm();
      collect_pair(at, std::min(plane, other), std::max(plane, other), -1, calc_reach(plane, other, -1) + turns,
                   workspace_, found);
    }
  }
}

/// How far points of two shapes are listed; of a named pair (-1: none) also as far as its envelope says.
double ManifoldFinder::calc_reach(int shape_a, int shape_b, int manifold_pair) const {
  const double reach = reach_[shape_a] + reach_[shape_b];
  if (!looks_ahead_ || manifold_pair < 0) return reach;
  const ManifoldPair& named = system_.manifold_pairs()[manifold_pair];
  return std::max(reach, system_.contacts()[named.pair].options.envelope.value_or(0.0));
}

void ManifoldFinder::collect_pair(const BodySnapshot& at, int a, int b, int manifold_pair, double within,
                                  Workspace& workspace, std::vector<FoundPoint>& found) const {
  workspace.narrow.calc_manifold(system_.solid(a), placement(at, a), system_.solid(b), placement(at, b), within,
                                 workspace.manifold);
  for (const ManifoldPoint& point : workspace.manifold) append(found, freeze(point, a, b, manifold_pair));
}

/// Adds a point that is to be kept to what is found.
void ManifoldFinder::keep_point(const BodySnapshot& at, ElementId id, bool again, Workspace& workspace) const {
  const auto append_from = [&](const std::vector<ContactPoint>& points) {
    const auto listed = std::ranges::lower_bound(points, id, {}, &ContactPoint::id);
    if (listed == points.end() || listed->id != id) return false;
    append(workspace.found, {*listed, *listed->frozen});
    return true;
  };
  if (again && append_from(added_)) return;
  const std::optional<System::ManifoldOfId> of = system_.find_manifold(id);
  if (!of) return;
  const std::optional<ManifoldPoint> point = make_again(at, *of, id, workspace);
  if (point) return append(workspace.found, freeze(*point, of->first_shape, of->second_shape, of->manifold_pair));
  // Added at the end of an earlier solve of this step; at its start these features have no point.
  if (again) append_from(varying_);
}

FoundPoint ManifoldFinder::freeze(const ManifoldPoint& point, int a, int b, int manifold_pair) const {
  FoundPoint found;
  const int surface_shape = point.flipped ? b : a;
  const int ball_shape = point.flipped ? a : b;
  const int ball_body = system_.shapes()[ball_shape].body;
  found.features.surface = {point.surface, surface_shape, system_.shapes()[surface_shape].body};
  found.features.ball = {point.ball, ball_shape, ball_body, ball_body};
  found.point = system_.make_manifold_point(a, b, manifold_pair, point.feature_first, point.feature_second);
  found.point.flipped = point.flipped;
  return found;
}

/// Named pairs with a ball or a point have one point, however far away.
void ManifoldFinder::find_fixed(const BodySnapshot& at) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < system_.manifold_pairs().size(); ++k) {
    stop_.check();
    if (system_.manifold_pairs()[k].point >= 0) find_fixed(at, k, n++);
  }
}

/// That of one such pair, the n-th of them.
void ManifoldFinder::find_fixed(const BodySnapshot& at, std::size_t manifold_pair, std::size_t n) {
  const ManifoldPair& pair = system_.manifold_pairs()[manifold_pair];
  found_.clear();
  collect_pair(at, pair.first_shape, pair.second_shape, static_cast<int>(manifold_pair),
               std::numeric_limits<double>::infinity(), workspace_, found_);
  STICKSLIP_ASSERT(!found_.empty());
  const std::vector<ManifoldPoint>& manifold = workspace_.manifold;
  const auto nearest = std::ranges::min_element(manifold, {}, &ManifoldPoint::gap) - manifold.begin();
  fixed_features_[n] = found_[nearest].features;
  fixed_[n] = system_.contact_points()[pair.point];
  fixed_[n].flipped = found_[nearest].point.flipped;
  fixed_[n].frozen = &fixed_features_[n];
}

/// Points and features side by side, the ones pointing to the others.
void ManifoldFinder::place(std::vector<FrozenFeatures>& features, std::vector<ContactPoint>& points) {
  features.clear();
  points.clear();
  make_room(features, found_.size());
  make_room(points, found_.size());
  for (const Key& key : order_) {
    features.push_back(found_[key.index].features);
    points.push_back(found_[key.index].point);
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].frozen = &features[i];
}

}  // namespace stickslip
