// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/contact_finder.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/make_room.h"
#include "stickslip/base/phase_clock.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/collision/gap.h"

namespace stickslip {
namespace {

/// Balls, or pairs of them, of a block that threads share, and from how many on they do: 20 us in all. [-]
constexpr std::size_t kBallsOfABlock = 256;
constexpr std::size_t kManyBalls = 2048;
/// Numbers that cells may have, for each cell whose balls are looked at: more make those of other cells rarer. [-]
constexpr std::size_t kNumbersOfACell = 8;

template <class F>
void for_balls(std::size_t n, F&& f) {
  for_blocks(n >= kManyBalls, n, kBallsOfABlock, f);
}

Vector3 center_of(const BallFeature& ball, const BodyMotion& body) {
  return place_point<double>(body.p, body.R, ball.center);
}

/// Adds ids to others; all are sorted. Takes no memory beside theirs.
void merge(const std::vector<ElementId>& ids, std::vector<ElementId>& others) {
  std::size_t i = others.size();
  std::size_t j = ids.size();
  make_room(others, i + j);
  others.resize(i + j);
  for (std::size_t k = others.size(); j > 0;) {
    const bool is_other = i > 0 && ids[j - 1] < others[i - 1];
    others[--k] = is_other ? others[--i] : ids[--j];
  }
}

/// Puts what touches at named points into them.
void place_fixed(const System& system, std::span<const ContactPoint> fixed, std::vector<ContactPoint>& points) {
  auto next = fixed.begin();
  for (const ManifoldPair& pair : system.manifold_pairs()) {
    if (pair.point >= 0) points[pair.point] = *next++;
  }
}

}  // namespace

ContactFinder::ContactFinder(const System& system, StopToken stop)
    : system_(system),
      stop_(stop),
      points_(system.contact_points()),
      n_named_(static_cast<int>(points_.size())),
      filter_(system.detection() ? std::make_optional<ContactFilter>(system) : std::nullopt),
      manifolds_(system, filter_ ? &*filter_ : nullptr, stop) {
  if (!filter_) return;
  for (const ContactPair& pair : system.detected_pairs()) {
    detected_envelope_ = std::max(detected_envelope_, pair.options.envelope.value_or(0.0));
  }
  const std::vector<ShapeBall>& balls = system.balls();
  for (std::size_t i = 0; i < system.surfaces().size(); ++i) {
    stop_.check();
    const ShapeSurface& surface = system.surfaces()[i];
    if (surface.kind == SurfaceKind::cylinder || surface.kind == SurfaceKind::ellipsoid) {
      curved_.push_back(static_cast<int>(i));
      walls_move_ = true;  // all is looked for again at the end of a step, as a turn moves what is near
    }
    if (is_bounded(surface.kind)) continue;
    walls_move_ |= system.bodies()[surface.body].type != BodyType::fixed;
    Wall& wall = walls_.emplace_back();
    wall.surface = static_cast<int>(i);
    for (std::size_t k = 0; k < balls.size(); ++k) {
      if (filter_->allows(surface.shape, balls[k].shape)) wall.balls.push_back(static_cast<int>(k));
    }
  }
  for (std::size_t k = 0; k < balls.size(); ++k) {
    stop_.check();
    if (system.shapes()[balls[k].shape].is_round) round_.push_back(static_cast<int>(k));
  }
  centers_.resize(balls.size());
  reaches_.resize(balls.size());
  curved_reaches_.resize(curved_.size());
}

/// Leaves out what is of bodies that take no part.
void ContactFinder::list_present() {
  if (attendance_ == system_.attendance()) return;
  attendance_ = system_.attendance();
  if (!filter_) return;
  if (!all_) all_ = Lists{walls_, round_, curved_};
  const auto is_absent_ball = [this](int k) { return !system_.is_present(system_.balls()[k].body); };
  const auto is_absent_surface = [this](int i) { return !system_.is_present(system_.surfaces()[i].body); };
  walls_ = all_->walls;
  std::erase_if(walls_, [&](const Wall& wall) { return is_absent_surface(wall.surface); });
  for (Wall& wall : walls_) std::erase_if(wall.balls, is_absent_ball);
  round_ = all_->round;
  std::erase_if(round_, is_absent_ball);
  curved_ = all_->curved;
  std::erase_if(curved_, is_absent_surface);
  curved_reaches_.resize(curved_.size());
}

void ContactFinder::calc_reaches(const BodySnapshot& start, double h) {
  const std::vector<ShapeBall>& balls = system_.balls();
  const double fall = h * h * system_.gravity().norm();
  for_balls(balls.size(), [&](std::size_t begin, std::size_t end, int) {
    BodyMotion scratch;
    for (std::size_t k = begin; k < end; ++k) {
      stop_.check();
      const ShapeBall& ball = balls[k];
      if (!system_.is_present(ball.body)) continue;
      const BodyMotion& body = start.at(ball.place, scratch);
      const Vector3 arm = place_point<double>(Vector3::Zero(), body.R, ball.center);
      centers_[k] = body.p + arm;
      double way = h * (body.v + body.w.cross(arm)).norm() + fall;
      if (ball.is_ellipsoid) way += h * body.w.norm() * calc_extent(ball);
      reaches_[k] = std::max(way, margin_);
    }
  });
  for (std::size_t i = 0; i < curved_.size(); ++i) {
    const ShapeSurface& surface = system_.surfaces()[curved_[i]];
    const BodyMotion& body = start[surface.body];
    const double arm = surface.center.norm() + calc_extent(surface);
    curved_reaches_[i] = std::max(h * (body.v.norm() + body.w.norm() * arm) + fall, margin_);
  }
}

void ContactFinder::find(const BodySnapshot& start, double t_end, std::span<const ElementId> keep, bool again) {
  if (!detects()) return;
  const PhaseScope phase(Phase::detection);
  list_present();
  const double h = t_end - start.t();
  margin_ = 0.5 * std::max(envelope_, detected_envelope_);
  kept_manifolds_.clear();
  some_ids_.clear();
  for (const ElementId id : keep) {
    const bool is_listed = (id.pair & (kDetectedBit | kVaryingBit)) == 0;  // by name, always
    if (!is_listed) append(system_.find_manifold(id) ? kept_manifolds_ : some_ids_, id);
  }
  const bool is_known = again && filter_.has_value();
  if (is_known) {
    const auto is_other = [this](ElementId id) {
      return std::ranges::binary_search(added_ids_, id) ||
             (manifolds_.is_needed() && system_.find_manifold(id).has_value());
    };
    std::erase_if(ids_, is_other);
    merge(some_ids_, ids_);
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  } else {
    make_room(ids_, some_ids_.size());
    ids_ = some_ids_;
  }
  added_ids_.clear();
  if (manifolds_.is_needed()) manifolds_.find(start, h, margin_, kept_manifolds_, again);
  if (filter_) {
    calc_reaches(start, h);
    if (!is_known) collect(start, h, ids_);
  }
  make_points();
}

void ContactFinder::follow(const BodySnapshot& at, double h) {
  if (!manifolds_.is_needed()) return;
  const PhaseScope phase(Phase::detection);
  if (!manifolds_.follow(at, h)) return;
  std::erase_if(ids_, [this](ElementId id) { return system_.find_manifold(id).has_value(); });
  make_points();
}

void ContactFinder::find_touching(const BodySnapshot& at, double distance) {
  if (!detects()) return;
  const PhaseScope phase(Phase::detection);
  list_present();
  constexpr double kTouching = 1e-9;  // [m] positions of scenes are rounded to a few digits
  if (manifolds_.is_needed()) manifolds_.find_within(at, std::max(kTouching, distance));
  ids_.clear();
  if (!filter_) return make_points();
  const std::vector<ShapeBall>& balls = system_.balls();
  BodyMotion scratch;
  for (std::size_t k = 0; k < balls.size(); ++k) {
    stop_.check();
    centers_[k] = center_of(balls[k], at.at(balls[k].place, scratch));
  }
  std::fill(reaches_.begin(), reaches_.end(), std::max(kTouching, distance));
  std::fill(curved_reaches_.begin(), curved_reaches_.end(), std::max(kTouching, distance));
  collect(at, 0.0, ids_);
  make_points();
}

bool ContactFinder::extend(const BodySnapshot& end) {
  const PhaseScope phase(Phase::detection);
  const std::size_t before = points_.size();
  const auto overlaps = [&](const ContactPoint& k) { return k.frozen != nullptr && calc_gap(end, k) < 0.0; };
  const auto named = std::span(points_).first(n_named_);
  if (std::ranges::any_of(named, overlaps)) {
    manifolds_.refresh_fixed(end);
    place_fixed(system_, manifolds_.fixed(), points_);
  }
  overlapping_.clear();
  for (std::size_t i = n_named_; i < before; ++i) {
    if (overlaps(points_[i])) append(overlapping_, &points_[i]);
  }
  manifolds_.refresh(end, overlapping_);
  if (filter_) extend_balls(end);
  if (manifolds_.extend(end)) points_.insert(points_.end(), manifolds_.added().begin(), manifolds_.added().end());
  if (points_.size() == before) return false;
  for (std::size_t i = before; i < points_.size(); ++i) append(added_ids_, points_[i].id);
  std::ranges::sort(added_ids_);
  merge(added_ids_, ids_);
  return true;
}

void ContactFinder::extend_balls(const BodySnapshot& end) {
  const std::vector<ShapeBall>& balls = system_.balls();
  moved_far_.resize(balls.size());
  for_balls(balls.size(), [&](std::size_t first, std::size_t last, int) {
    BodyMotion scratch;
    for (std::size_t k = first; k < last; ++k) {
      stop_.check();
      moved_far_[k] = 0;
      if (!system_.is_present(balls[k].body)) continue;
      const Vector3 center = center_of(balls[k], end.at(balls[k].place, scratch));
      moved_far_[k] = (center - centers_[k]).norm() <= reaches_[k] ? 0 : 1;
      centers_[k] = center;
    }
  });
  const auto n_far = static_cast<std::size_t>(std::ranges::count(moved_far_, 1));
  if (n_far == 0 && !walls_move_) return;
  std::fill(reaches_.begin(), reaches_.end(), 0.0);
  std::fill(curved_reaches_.begin(), curved_reaches_.end(), 0.0);
  some_ids_.clear();
  walls_move_ ? collect(end, 0.0, some_ids_) : collect_far(end, n_far, some_ids_);
  for (const ElementId id : some_ids_) {
    if (!std::ranges::binary_search(ids_, id)) append(points_, system_.make_contact_point(id));
  }
}

/// Adds the ids of what touches the balls that have left their reach; whatever else touches is listed.
void ContactFinder::collect_far(const BodySnapshot& at, std::size_t n_far, std::vector<ElementId>& ids) {
  const auto is_far = [this](int k) { return moved_far_[k] != 0; };
  for (const Wall& wall : walls_) {
    for (const int k : wall.balls) {
      if (is_far(k)) try_on_wall(at, 0.0, wall, k, ids);
    }
  }
  list_near_far(n_far);
  boxes_.clear();
  for (const int k : near_) {
    const Vector3 extent = Vector3::Constant(system_.balls()[k].radius);
    boxes_.push_back({centers_[k] - extent, centers_[k] + extent});
  }
  broad_phase_.find(boxes_, pairs_, stop_, {});
  for (const BroadPhase::Pair& pair : pairs_) {
    const int i = near_[pair.first];
    const int j = near_[pair.second];
    if (is_far(i) || is_far(j)) try_balls(i, j, ids);
  }
  std::ranges::sort(ids);
}

/// Lists the balls in the cells round those that have left their reach, and a few others: cells as large as the largest
/// ball, which share numbers.
void ContactFinder::list_near_far(std::size_t n_far) {
  constexpr double kSlack = 1.001;  // [-] more than round-off moves places
  constexpr int kNeighbors = 27;
  const std::vector<ShapeBall>& balls = system_.balls();
  double size = std::numeric_limits<double>::min();
  for (const int k : round_) size = std::max(size, 2.0 * kSlack * balls[k].radius);
  using Cell = std::array<std::int64_t, 3>;
  const auto cell_of = [&](int k) {
    constexpr double kMost = 1e15;  // [-] all that is farther away, or nowhere (NaN), shares a cell
    Cell cell;
    for (int i = 0; i < 3; ++i) {
      cell[i] = static_cast<std::int64_t>(std::fmin(std::fmax(std::floor(centers_[k](i) / size), -kMost), kMost));
    }
    return cell;
  };
  marks_.assign(std::bit_ceil(kNumbersOfACell * kNeighbors * std::min(n_far, round_.size())), 0);
  const auto mark_of = [&](const Cell& cell) -> char& {
    constexpr std::array<std::uint64_t, 3> kFactors = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9};
    std::uint64_t number = 0;
    for (int i = 0; i < 3; ++i) number = (number ^ static_cast<std::uint64_t>(cell[i])) * kFactors[i];
    return marks_[(number >> 32) & (marks_.size() - 1)];
  };
  for (const int k : round_) {
    if (moved_far_[k] == 0) continue;
    const Cell middle = cell_of(k);
    for (int n = 0; n < kNeighbors; ++n) {
      mark_of({middle[0] + n / 9 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n % 3 - 1}) = 1;
    }
  }
  near_.clear();
  for (const int k : round_) {
    stop_.check();
    if (mark_of(cell_of(k)) != 0) append(near_, k);
  }
}

/// append_block(begin, end, ids) for this rank's blocks of [0, n), whose ids follow each other.
template <class F>
void ContactFinder::append_ids(std::size_t n, const RankShare& share, std::vector<ElementId>& ids,
                               const F& append_block) {
  const int n_blocks = count_blocks(n, kBallsOfABlock);
  const BlockRange own = share.own(n_blocks);
  if (ids_of_blocks_.size() < static_cast<std::size_t>(n_blocks)) ids_of_blocks_.resize(n_blocks);
  for_blocks(n >= kManyBalls, n, kBallsOfABlock, own, [&](std::size_t begin, std::size_t end, int block) {
    ids_of_blocks_[block].clear();
    append_block(begin, end, ids_of_blocks_[block]);
  });
  for (int block = own.begin; block < own.end; ++block) {
    const std::vector<ElementId>& of_block = ids_of_blocks_[block];
    make_room(ids, ids.size() + of_block.size());
    ids.insert(ids.end(), of_block.begin(), of_block.end());
  }
}

/// Adds the ids of all balls that are within their reach; `ids` ends sorted and without repetition. Of many balls each
/// rank finds a part.
void ContactFinder::collect(const BodySnapshot& at, double h, std::vector<ElementId>& ids) {
  const std::vector<ShapeBall>& balls = system_.balls();
  const RankShare share(balls.size() >= kManyBalls);
  const std::size_t n_known = ids.size();
  collect_on_surfaces(at, h, share, ids);
  boxes_.clear();
  for (const int k : round_) {
    const Vector3 extent = Vector3::Constant(balls[k].radius + reaches_[k]);
    boxes_.push_back({centers_[k] - extent, centers_[k] + extent});
  }
  for (std::size_t i = 0; i < curved_.size(); ++i) {
    const ShapeSurface& surface = system_.surfaces()[curved_[i]];
    const Vector3 center = place_point<double>(at[surface.body].p, at[surface.body].R, surface.center);
    const Vector3 extent = Vector3::Constant(calc_extent(surface) + curved_reaches_[i]);
    boxes_.push_back({center - extent, center + extent});
  }
  broad_phase_.find(boxes_, pairs_, stop_, share);  // of this rank
  append_ids(pairs_.size(), {}, ids, [&](std::size_t begin, std::size_t end, std::vector<ElementId>& found) {
    for (std::size_t k = begin; k < end; ++k) {
      if (k + kPrefetchDistance < pairs_.size() &&
          static_cast<std::size_t>(pairs_[k + kPrefetchDistance].second) < round_.size()) {
        const int ahead = round_[pairs_[k + kPrefetchDistance].second];
        prefetch(balls[ahead]);
        prefetch(centers_[ahead]);
        prefetch(reaches_[ahead]);
      }
      const BroadPhase::Pair& pair = pairs_[k];
      if (static_cast<std::size_t>(pair.second) >= round_.size()) {
        if (static_cast<std::size_t>(pair.first) < round_.size()) {
          collect_on_curved(at, pair.second - static_cast<int>(round_.size()), round_[pair.first], found);
        }
        continue;
      }
      try_balls(round_[pair.first], round_[pair.second], found);
    }
  });
  records_.gather(share, ids, n_known);
  if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);  // pairs come sorted
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Adds the id of two balls that are within their reach of each other.
void ContactFinder::try_balls(int i, int j, std::vector<ElementId>& ids) const {
  const std::vector<ShapeBall>& balls = system_.balls();
  const auto is_sphere = [&](int k) { return system_.shapes()[balls[k].shape].surface >= 0; };
  if (!is_sphere(i)) std::swap(i, j);
  if (!is_sphere(i)) return;
  const ShapeBall& a = balls[i];
  const ShapeBall& b = balls[j];
  const double reach = a.radius + reaches_[i] + b.radius + reaches_[j];
  if ((centers_[i] - centers_[j]).squaredNorm() > reach * reach || !filter_->allows(a.shape, b.shape)) return;
  append(ids, System::make_contact_id(a.shape, b.shape, j - system_.shapes()[b.shape].first_ball));
}

/// Adds the id of a ball that is within its reach of a solid cylinder or an ellipsoid.
void ContactFinder::collect_on_curved(const BodySnapshot& at, int curved, int k, std::vector<ElementId>& ids) {
  const ShapeSurface& surface = system_.surfaces()[curved_[curved]];
  const ShapeBall& ball = system_.balls()[k];
  const BodyMotion& body = at[surface.body];
  const double gap = calc_gap<double>(surface, body.p, body.R, centers_[k], ball.radius).gap;
  if (gap > curved_reaches_[curved] + reaches_[k] || !filter_->allows(surface.shape, ball.shape)) return;
  append(ids, System::make_contact_id(surface.shape, ball.shape, k - system_.shapes()[ball.shape].first_ball));
}

/// h: the length of the step that is looked ahead, 0 for none.
void ContactFinder::collect_on_surfaces(const BodySnapshot& at, double h, const RankShare& share,
                                        std::vector<ElementId>& ids) {
  for (const Wall& wall : walls_) {
    stop_.check();
    append_ids(wall.balls.size(), share, ids, [&](std::size_t begin, std::size_t end, std::vector<ElementId>& found) {
      for (std::size_t n = begin; n < end; ++n) try_on_wall(at, h, wall, wall.balls[n], found);
    });
  }
}

/// Adds the id of a ball that is within its reach of a surface without bounds.
void ContactFinder::try_on_wall(const BodySnapshot& at, double h, const Wall& wall, int k,
                                std::vector<ElementId>& ids) const {
  const ShapeSurface& surface = system_.surfaces()[wall.surface];
  const BodyMotion& body = at[surface.body];
  const ShapeBall& ball = system_.balls()[k];
  double reach = reaches_[k];
  if (h > 0.0 && system_.bodies()[surface.body].type != BodyType::fixed) {
    const double speed = body.v.norm() + body.w.norm() * (centers_[k] - body.p).norm();
    reach += std::max(h * speed + h * h * system_.gravity().norm(), margin_);
  }
  const auto gap = [&] {
    if (!ball.is_ellipsoid) return calc_gap<double>(surface, body.p, body.R, centers_[k], ball.radius).gap;
    BodyMotion scratch;
    const BodyMotion& of = at.at(ball.place, scratch);
    Vector3 lowest;
    return calc_gap<double>(surface, body.p, body.R, ball, of.p, of.R, lowest).gap;
  };
  if (gap() > reach) return;
  append(ids, System::make_contact_id(surface.shape, ball.shape, k - system_.shapes()[ball.shape].first_ball));
}

/// The named points, what touches in them; and behind them those of manifolds and of balls, by id.
void ContactFinder::make_points() {
  const std::span<const ContactPoint> varying = manifolds_.varying();
  for (const ContactPoint& k : varying) append(ids_, k.id);
  if (!varying.empty()) std::ranges::sort(ids_);
  const auto listed = std::span(points_).subspan(n_named_);
  if (!varying.empty() || !std::ranges::equal(listed, ids_, {}, &ContactPoint::id)) {
    points_.resize(n_named_);
    make_room(points_, n_named_ + ids_.size());
    auto manifold = varying.begin();
    for (const ElementId id : ids_) {
      stop_.check();
      const bool varies = manifold != varying.end() && manifold->id == id;
      points_.push_back(varies ? *manifold++ : system_.make_contact_point(id));
    }
  }
  place_fixed(system_, manifolds_.fixed(), points_);
}

}  // namespace stickslip
