// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/true_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "stickslip/base/make_room.h"
#include "stickslip/collision/gap.h"

namespace stickslip {
namespace {

/// Gaps of two bodies that differ by less are the same, as rows are computed by other formulas: a part of the smaller
/// size, and of the distances from the origin, by which positions are rounded. [-]
constexpr double kSameGap = 1e-12;
constexpr double kRoundOffOfPositions = 16.0 * std::numeric_limits<double>::epsilon();

/// Percussions act at a distance from so many times that gap on: a curved container's row is off by 1e-12 of its own
/// size, not of that of what it holds. [-]
constexpr double kTimesSame = 10.0;

/// The margin of a shape that is listed: this part of its radius, and what it moves in so many steps. Smaller ones list
/// more often, larger ones look at more pairs; no answer depends on it.
constexpr double kMarginOfRadius = 0.1;  // [-]
constexpr double kMarginSteps = 4.0;     // [-]

std::pair<int, int> sorted(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

TrueContacts::TrueContacts(const System& system, ContactReach reach)
    : system_(system),
      reach_(reach),
      sizes_(system),
      round_of_(system.shapes().size(), -1),
      wall_of_(system.shapes().size(), -1),
      points_(system.contact_points().size()),
      at_(system) {
  const std::vector<ShapeFeatures>& shapes = system.shapes();
  if (system.detection()) filter_.emplace(system);
  double sum = 0.0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ShapeFeatures& shape = shapes[i];
    if (shape.solid >= 0) {
      const Solid& solid = system.solids()[shape.solid];
      rounds_.push_back({static_cast<int>(i), shape.body, &solid, 0.5 * solid.size});
      sum += rounds_.back().radius;
    } else if (shape.surface >= 0 && !is_bounded(system.surfaces()[shape.surface].kind)) {
      const bool moves = system.bodies()[shape.body].type != BodyType::fixed;
      walls_.push_back({static_cast<int>(i), shape.body, &system.surfaces()[shape.surface], moves});
    }
  }
  if (!rounds_.empty()) common_margin_ = kMarginOfRadius * sum / static_cast<double>(rounds_.size());
  add_named();
  varies_ = system.has_varying_contacts() || !system.manifold_pairs().empty();
}

void TrueContacts::add_named() {
  for (std::size_t i = 0; i < rounds_.size(); ++i) round_of_[rounds_[i].shape] = static_cast<int>(i);
  for (std::size_t i = 0; i < walls_.size(); ++i) wall_of_[walls_[i].shape] = static_cast<int>(i);
  std::set<std::tuple<bool, int, int>> known;  // pairs of several points come once
  const auto add = [&](int a, int b, int manifold) {
    const std::optional<Pair> pair = make_pair(a, b, manifold);
    if (pair && known.emplace(pair->wall, pair->first, pair->second).second) named_.push_back(*pair);
    return pair;
  };
  for (std::size_t k = 0; k < system_.manifold_pairs().size(); ++k) {
    const ManifoldPair& shapes = system_.manifold_pairs()[k];
    const std::optional<Pair> pair = add(shapes.first_shape, shapes.second_shape, static_cast<int>(k));
    if (shapes.point >= 0) points_[shapes.point] = pair;
  }
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const ContactPoint& point = system_.contact_points()[k];
    if (point.joint >= 0 || point.surface < 0 || point.ball < 0) continue;
    points_[k] = add(system_.surfaces()[point.surface].shape, system_.balls()[point.ball].shape, -1);
  }
}

/// Nothing where one has no shape that is measured.
std::optional<TrueContacts::Pair> TrueContacts::make_pair(int a, int b, int manifold) const {
  if (round_of_[a] < 0) std::swap(a, b);  // a wall
  if (round_of_[a] < 0) return std::nullopt;
  const bool wall = round_of_[b] < 0;
  if (wall && wall_of_[b] < 0) return std::nullopt;
  if (wall) return Pair{true, wall_of_[b], round_of_[a], -1};
  return Pair{false, round_of_[a], round_of_[b], manifold};
}

/// Of the shapes of row k of a report.
std::optional<TrueContacts::Pair> TrueContacts::pair_of(std::size_t k, const ContactReport& contact) const {
  if (k < points_.size()) return points_[k];
  if (const auto manifold = system_.find_manifold(contact.id)) {
    return make_pair(manifold->first_shape, manifold->second_shape, manifold->manifold_pair);
  }
  const ContactPoint point = system_.make_contact_point(contact.id);
  return make_pair(system_.surfaces()[point.surface].shape, system_.balls()[point.ball].shape, -1);
}

std::pair<int, int> TrueContacts::bodies_of(const Pair& pair) const {
  return sorted(pair.wall ? walls_[pair.first].body : rounds_[pair.first].body, rounds_[pair.second].body);
}

std::pair<int, int> TrueContacts::shapes_of(const Pair& pair) const {
  return sorted(pair.wall ? walls_[pair.first].shape : rounds_[pair.first].shape, rounds_[pair.second].shape);
}

/// Whether detection has a law for two shapes of this kind: points do not touch each other.
bool TrueContacts::may_touch(const Round& a, const Round& b) const {
  const ShapeFeatures& x = system_.shapes()[a.shape];
  const ShapeFeatures& y = system_.shapes()[b.shape];
  const bool touch = system_.touch_by_balls(x, y) || system_.touch_by_balls(y, x);
  return (touch || system_.meet_in_manifold(a.shape, b.shape)) && filter_->allows(a.shape, b.shape);
}

void TrueContacts::place() {
  for (Round& round : rounds_) {
    const BodyMotion& body = at_[round.body];
    round.center = place_point<double>(body.p, body.R, round.solid->center);
  }
}

bool TrueContacts::has_moved() const {
  return std::ranges::any_of(rounds_, [](const Round& round) {
    return !((round.center - round.listed_at).squaredNorm() <= round.margin * round.margin);
  });
}

void TrueContacts::list_pairs(double h) {
  for (Round& round : rounds_) {
    const BodyMotion& body = at_[round.body];
    const double speed = body.v.norm() + body.w.norm() * (round.center - body.p).norm();
    round.margin = kMarginOfRadius * round.radius + common_margin_ + kMarginSteps * h * speed;
    round.listed_at = round.center;
  }
  pairs_.clear();
  const auto are_present = [this](const Pair& pair) {
    const auto [a, b] = bodies_of(pair);
    return system_.is_present(a) && system_.is_present(b);
  };
  attendance_ = system_.attendance();
  for (const Pair& pair : named_) {
    if (are_present(pair) && is_near(pair, 1.0)) append(pairs_, pair);
  }
  is_listed_ = true;
  if (!filter_) return;
  present_.clear();
  for (std::size_t k = 0; k < rounds_.size(); ++k) {
    if (system_.is_present(rounds_[k].body)) append(present_, static_cast<int>(k));
  }
  for (std::size_t w = 0; w < walls_.size(); ++w) {
    if (!system_.is_present(walls_[w].body)) continue;
    for (const int k : present_) {
      const Pair pair{true, static_cast<int>(w), k, -1};
      if (is_near(pair, 1.0) && filter_->allows(walls_[w].shape, rounds_[k].shape)) append(pairs_, pair);
    }
  }
  boxes_.clear();
  for (const int k : present_) {
    const Round& round = rounds_[k];
    const Vector3 extent = Vector3::Constant(round.radius + round.margin);
    append(boxes_, BoundingBox{round.center - extent, round.center + extent});
  }
  broad_phase_.find(boxes_, near_);
  for (const BroadPhase::Pair& k : near_) {
    const Pair pair{false, present_[k.first], present_[k.second], -1};
    if (is_near(pair, 1.0) && may_touch(rounds_[pair.first], rounds_[pair.second])) append(pairs_, pair);
  }
}

/// Whether the balls round the shapes, wider by `margin` times their margins, touch. A wall that moves is near.
bool TrueContacts::is_near(const Pair& pair, double margin) const {
  const Round& b = rounds_[pair.second];
  if (pair.wall) {
    const Wall& wall = walls_[pair.first];
    if (wall.moves && margin > 0.0) return true;
    const BodyMotion& body = at_[wall.body];
    return !(stickslip::calc_gap<double>(*wall.surface, body.p, body.R, b.center, b.radius).gap > margin * b.margin);
  }
  const Round& a = rounds_[pair.first];
  const double reach = a.radius + b.radius + margin * (a.margin + b.margin);
  return !((a.center - b.center).squaredNorm() > reach * reach);
}

/// Infinite where it is larger than `within`; `found` is then not set.
double TrueContacts::calc_gap(const Pair& pair, double within, TrueGap& found) {
  const auto placement = [this](int body) { return Placement{at_[body].p, at_[body].R}; };
  const Round& b = rounds_[pair.second];
  const GapSide second{b.solid, nullptr};
  std::optional<TrueGap> gap;
  if (pair.wall) {
    const Wall& wall = walls_[pair.first];
    gap = finder_.find({nullptr, wall.surface}, placement(wall.body), second, placement(b.body), within);
  } else {
    const Round& a = rounds_[pair.first];
    if (a.solid->kind == Solid::Kind::ball && b.solid->kind == Solid::Kind::ball) {
      const Vector3 d = b.center - a.center;
      const double distance = d.norm();
      found.gap = distance - (a.radius + b.radius);
      found.normal = distance > 0.0 ? Vector3(d / distance) : Vector3(at_[a.body].R.col(1));
      found.on_second = b.center - b.radius * found.normal;
      return found.gap;
    }
    gap = finder_.find({a.solid, nullptr}, placement(a.body), second, placement(b.body), within);
  }
  if (!gap) return std::numeric_limits<double>::infinity();
  found = *gap;
  return gap->gap;
}

/// And which shapes are no farther apart than `near`.
void TrueContacts::find_overlaps(double near) {
  // Many bodies have far more pairs than overlaps, whose memory grows as they come.
  constexpr std::size_t kRoom = 1000;  // [-]
  make_room(overlaps_, std::min(pairs_.size(), kRoom));
  overlaps_.clear();
  touching_.clear();
  TrueGap found;
  for (const Pair& pair : pairs_) {
    if (!is_near(pair, 0.0)) continue;
    const double gap = calc_gap(pair, near, found);
    if (gap <= near) append(touching_, shapes_of(pair));
    if (!(gap < 0.0)) continue;
    const auto [a, b] = bodies_of(pair);
    append(overlaps_, Overlap{a, b, pair, found.gap, found.on_second, found.normal});
  }
  std::ranges::sort(overlaps_, [](const Overlap& x, const Overlap& y) {
    return std::tie(x.body_a, x.body_b, x.gap) < std::tie(y.body_a, y.body_b, y.gap);
  });
  const auto same = [](const Overlap& x, const Overlap& y) { return x.body_a == y.body_a && x.body_b == y.body_b; };
  overlaps_.erase(std::unique(overlaps_.begin(), overlaps_.end(), same), overlaps_.end());
  std::ranges::sort(touching_);
}

/// Puts gaps of rows right, and finds the least of each two bodies that overlap. No point of a pair is nearer than the
/// pair: a face that was frozen goes on beyond its edges. A named pair of one point is as far apart as its shapes are,
/// from which frozen features turn away.
void TrueContacts::lift_rows(StepReport& report) {
  const auto key = [](const Overlap& x) { return std::pair(x.body_a, x.body_b); };
  TrueGap nearest;
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    ContactReport& contact = report.contacts[k];
    if (k < system_.contact_points().size() && system_.contact_points()[k].joint >= 0) continue;
    const auto bodies = sorted(contact.body_a, contact.body_b);
    const auto found = std::ranges::lower_bound(overlaps_, bodies, {}, key);
    const bool overlaps = found != overlaps_.end() && key(*found) == bodies;
    const double same = varies_ ? calc_same(bodies.first, bodies.second) : 0.0;
    if (varies_ && contact.gap < -same) {
      const double gap = overlaps ? found->gap : calc_least_gap(bodies.first, bodies.second);
      if (std::isfinite(gap) && contact.gap < gap - same) contact.gap = gap;
    } else if (varies_ && k < system_.contact_points().size() && contact.gap > same) {
      const std::optional<Pair> pair = pair_of(k, contact);
      const double gap =
          pair && pair->manifold >= 0 ? calc_gap(*pair, std::numeric_limits<double>::infinity(), nearest) : contact.gap;
      if (std::isfinite(gap)) contact.gap = gap;
    }
    if (!overlaps || !(contact.gap < found->claimed)) continue;
    found->claimed = contact.gap;
    found->row = static_cast<int>(k);
  }
}

/// Two bodies overlap more than their rows say: the nearest row has the gap, or a new one that nothing acted in.
void TrueContacts::put_gap(const Overlap& overlap, StepReport& report) const {
  if (overlap.row >= 0) {
    report.contacts[overlap.row].gap = overlap.gap;
    return;
  }
  const Pair& pair = overlap.pair;
  int first = pair.wall ? walls_[pair.first].shape : rounds_[pair.first].shape;
  int second = rounds_[pair.second].shape;
  Vector3 normal = overlap.normal;
  Vector3 position = overlap.place;
  const bool is_manifold = system_.meet_in_manifold(first, second);
  if (!is_manifold && !system_.touch_by_balls(system_.shapes()[first], system_.shapes()[second])) {
    std::swap(first, second);
    position -= overlap.gap * normal;
    normal = -normal;
  }
  const ContactPoint point = is_manifold ? system_.make_manifold_point(first, second, pair.manifold, 0, 0)
                                         : system_.make_contact_point(System::make_contact_id(first, second, 0));
  ContactReport contact;
  contact.contact = point.pair;
  contact.id = point.id;
  contact.body_a = system_.shapes()[first].body;
  contact.body_b = system_.shapes()[second].body;
  contact.friction_dim = system_.pair(point).friction_dim;
  contact.gap = overlap.gap;
  contact.position = position;
  contact.normal = normal;
  append(report.contacts, contact);
}

/// By how much gaps of two bodies may differ and be the same. [m]
double TrueContacts::calc_same(int body_a, int body_b) const {
  return kSameGap * sizes_.of_pair(body_a, body_b) +
         kRoundOffOfPositions *
             std::max(at_[body_a].p.lpNorm<Eigen::Infinity>(), at_[body_b].p.lpNorm<Eigen::Infinity>());
}

/// Of all shapes of two bodies.
double TrueContacts::calc_least_gap(int body_a, int body_b) {
  constexpr double kAnywhere = std::numeric_limits<double>::infinity();
  double least = kAnywhere;
  TrueGap found;
  for (std::size_t j = 0; j < rounds_.size(); ++j) {
    const int body = rounds_[j].body;
    if (body != body_a && body != body_b) continue;
    const int other = body == body_a ? body_b : body_a;
    for (std::size_t w = 0; w < walls_.size(); ++w) {
      if (walls_[w].body != other) continue;
      least = std::min(least, calc_gap({true, static_cast<int>(w), static_cast<int>(j), -1}, kAnywhere, found));
    }
    for (std::size_t i = 0; i < j; ++i) {
      if (rounds_[i].body != other) continue;
      least = std::min(least, calc_gap({false, static_cast<int>(i), static_cast<int>(j), -1}, kAnywhere, found));
    }
  }
  return least;
}

/// How fast the bodies move past each other, where they overlap and at the ends of the smaller one. [m/s]
double TrueContacts::calc_speed(const Overlap& overlap, const Vector& u, double t) const {
  const auto twist = [&](int body) { return system_.calc_twist(body, t, at_.q(), u); };
  const Twist a = twist(overlap.body_a);
  const Twist b = twist(overlap.body_b);
  const auto velocity = [&](const Twist& x, int body) {
    return Vector3(x.v_WB + x.w_WB.cross(Vector3(overlap.place - at_[body].p)));
  };
  return (velocity(a, overlap.body_a) - velocity(b, overlap.body_b)).norm() +
         (a.w_WB - b.w_WB).norm() * sizes_.of_pair(overlap.body_a, overlap.body_b);
}

/// How far the bodies' points that are there at the end moved past each other in the step. [m]
double TrueContacts::calc_move(const Overlap& overlap, const Start& start) const {
  const auto move = [&](int body) {  // (3) [m]
    const BodyMotion& end = at_[body];
    const Pose pose = system_.calc_pose(body, start.t, start.q);
    return Vector3(overlap.place - pose.p_WB - pose.R_WB * (end.R.transpose() * (overlap.place - end.p)));
  };
  return (move(overlap.body_a) - move(overlap.body_b)).norm();
}

/// How far they move past each other there in the step, at most, and fall. [m]
double TrueContacts::calc_way(const Overlap& overlap, const Start& start, const State& state) const {
  const double h = state.t - start.t;
  const double speed = std::max(calc_speed(overlap, start.u, start.t), calc_speed(overlap, state.u, state.t));
  return std::max(h * speed, calc_move(overlap, start)) + h * h * system_.gravity().norm();
}

/// How far apart they may be there at the end where they were about to touch, and have bounced. [m]
double TrueContacts::calc_way_and_back(const Overlap& overlap, const Start& start, const State& state) const {
  const double h = state.t - start.t;
  const double both = calc_speed(overlap, start.u, start.t) + calc_speed(overlap, state.u, state.t);
  return std::max((h + reach_.time) * both, calc_move(overlap, start)) + calc_rest(h);
}

/// How far apart shapes may be whose contact acted although nothing moves: what a fall closes in the step, and the
/// reach. [m]
double TrueContacts::calc_rest(double h) const {
  const double time = h + reach_.time;
  return time * time * system_.gravity().norm() + reach_.gap;
}

std::optional<TrueContacts::Missed> TrueContacts::measure(const Start* start, const State& state, StepReport& report) {
  if (rounds_.empty() || (named_.empty() && !filter_)) return std::nullopt;
  at_.take(state.t, state.q, &state.u);
  place();
  if (!is_listed_ || attendance_ != system_.attendance() || has_moved())
    list_pairs(start != nullptr ? state.t - start->t : 0.0);
  make_room(touching_, pairs_.size());
  find_overlaps(start != nullptr ? calc_rest(state.t - start->t) : 0.0);
  if (overlaps_.empty() && !varies_) return std::nullopt;
  lift_rows(report);
  std::optional<Missed> worst;
  for (const Overlap& overlap : overlaps_) {
    const double same = calc_same(overlap.body_a, overlap.body_b);
    if (!(overlap.gap < std::min(overlap.claimed, 0.0) - same)) continue;
    put_gap(overlap, report);
    const double missed = std::min(overlap.claimed, 0.0) - overlap.gap;
    const double way = start != nullptr ? calc_way(overlap, *start, state) : 0.0;
    if (!(missed > way + same) || (worst && worst->gap < overlap.gap)) continue;
    worst = {overlap.body_a, overlap.body_b, overlap.gap, overlap.claimed};
  }
  report.penetration = 0.0;
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    if (k < system_.contact_points().size() && system_.turns(system_.contact_points()[k])) continue;
    const double gap = report.contacts[k].gap;
    if (-gap > report.penetration || std::isnan(gap)) report.penetration = -gap;
  }
  return worst;
}

std::optional<TrueContacts::Apart> TrueContacts::find_apart(const Start& start, const State& state,
                                                            const StepReport& report) {
  std::optional<Apart> worst;
  if (rounds_.empty()) return worst;
  std::pair<int, int> last(-1, -1);  // a manifold's points follow one another
  TrueGap found;
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    if (!(report.contacts[k].percussion[0] > 0.0)) continue;
    const std::optional<Pair> pair = pair_of(k, report.contacts[k]);
    if (!pair) continue;
    const std::pair<int, int> shapes = shapes_of(*pair);
    if (shapes == last || std::ranges::binary_search(touching_, shapes)) continue;
    last = shapes;
    const double gap = calc_gap(*pair, std::numeric_limits<double>::infinity(), found);
    if (!(gap > (worst ? worst->gap : 0.0)) || std::isinf(gap)) continue;
    const auto [a, b] = bodies_of(*pair);
    const Overlap at{a, b, *pair, gap, found.on_second, found.normal};
    if (gap > calc_way_and_back(at, start, state) + kTimesSame * calc_same(a, b)) worst = {a, b, gap};
  }
  return worst;
}

}  // namespace stickslip
