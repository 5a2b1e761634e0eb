// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/contact_finder.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

// A detected contact's id: kDetectedBit, the shape with the surface (24 bits), the shape with the ball (24), which of
// its balls (12).
constexpr int kShapeBits = 24;
constexpr int kFeatureBits = 12;
constexpr std::uint64_t kShapeMask = (std::uint64_t{1} << kShapeBits) - 1;
constexpr std::uint64_t kFeatureMask = (std::uint64_t{1} << kFeatureBits) - 1;

std::uint64_t make_id(int surface_shape, int ball_shape, int feature) {
  return kDetectedBit | static_cast<std::uint64_t>(surface_shape) << (kShapeBits + kFeatureBits) |
         static_cast<std::uint64_t>(ball_shape) << kFeatureBits | static_cast<std::uint64_t>(feature);
}

/// Distance from a surface without bounds to a point, positive where it is free.
double distance_to(const SurfaceFeature& surface, const BodyMotion& body, const Vector3& point) {
  const Vector3 d = point - (body.p + body.R * surface.center);
  const Vector3 axis = body.R * surface.axis;
  switch (surface.kind) {
    case GapKind::half_space_ball:
      return axis.dot(d);
    case GapKind::container_cylinder_ball:
      return surface.radius - (d - axis.dot(d) * axis).norm();
    case GapKind::container_sphere_ball:
      return surface.radius - d.norm();
    case GapKind::ball_ball:
    case GapKind::joint_limit:
      break;
  }
  STICKSLIP_ASSERT(!is_bounded(surface.kind));
  return 0.0;
}

Vector3 center_of(const BallFeature& ball, const BodyMotion& body) {
  return body.p + body.R * ball.center;
}

}  // namespace

DetectedPair detected_pair(std::uint64_t id) {
  return {static_cast<int>(id >> (kShapeBits + kFeatureBits) & kShapeMask),
          static_cast<int>(id >> kFeatureBits & kShapeMask), static_cast<int>(id & kFeatureMask)};
}

ContactFinder::ContactFinder(const System& system, StopToken stop)
    : system_(system), stop_(stop), points_(system.contact_points()), n_named_(static_cast<int>(points_.size())) {
  if (!system.detection()) return;
  filter_.emplace(system);
  const auto& shapes = filter_->shapes();
  STICKSLIP_ASSERT(shapes.size() <= kShapeMask);
  first_ball_.assign(shapes.size(), -1);
  surface_.assign(shapes.size(), -1);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    stop_.check();
    add_features(system.bodies()[shapes[i].body].shapes[shapes[i].shape], static_cast<int>(i), shapes[i].body);
  }
  for (Surface& surface : surfaces_) {
    stop_.check();
    surfaces_move_ |= system.bodies()[surface.body].type != BodyType::fixed;
    for (std::size_t k = 0; k < balls_.size(); ++k) {
      if (filter_->allows(surface.shape, balls_[k].shape)) surface.balls.push_back(static_cast<int>(k));
    }
  }
  centers_.resize(balls_.size());
  reaches_.resize(balls_.size());
}

void ContactFinder::add_features(const Shape& shape, int index, int body) {
  const std::optional<SurfaceFeature> surface = surface_of(shape);
  if (surface && !is_bounded(surface->kind)) {
    surface_[index] = static_cast<int>(surfaces_.size());
    surfaces_.push_back({index, body, *surface, {}});
    return;
  }
  const std::vector<BallFeature> features = balls_of(shape, system_.planar(), true);
  STICKSLIP_ASSERT(features.size() <= kFeatureMask);
  const bool on_balls = !balls_of(shape, system_.planar(), false).empty();
  if (!features.empty()) first_ball_[index] = static_cast<int>(balls_.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (on_balls) swept_.push_back(static_cast<int>(balls_.size()));
    balls_.push_back({index, static_cast<int>(f), body, system_.attach(body, features[f].parameter), features[f],
                      surface.has_value()});
  }
}

void ContactFinder::calc_reaches(const BodySnapshot& start, double h) {
  const double fall = h * h * system_.gravity().norm();
  BodyMotion scratch;
  for (std::size_t k = 0; k < balls_.size(); ++k) {
    stop_.check();
    const Ball& ball = balls_[k];
    const BodyMotion& body = start.at(ball.at, scratch);
    const Vector3 arm = body.R * ball.ball.center;
    centers_[k] = body.p + arm;
    reaches_[k] = std::max(h * (body.v + body.w.cross(arm)).norm() + fall, margin_);
  }
}

void ContactFinder::find(const BodySnapshot& start, double t_end, std::span<const std::uint64_t> keep) {
  if (!filter_) return;
  const double h = t_end - start.t();
  margin_ = 0.5 * system_.detection()->envelope;
  calc_reaches(start, h);
  ids_.assign(keep.begin(), keep.end());
  collect(start, h);
  make_points();
}

void ContactFinder::find_touching(const BodySnapshot& at, double distance) {
  if (!filter_) return;
  BodyMotion scratch;
  for (std::size_t k = 0; k < balls_.size(); ++k) {
    stop_.check();
    centers_[k] = center_of(balls_[k].ball, at.at(balls_[k].at, scratch));
  }
  constexpr double kTouching = 1e-9;  // [m] positions of scenes are rounded to a few digits
  std::fill(reaches_.begin(), reaches_.end(), std::max(kTouching, distance));
  ids_.clear();
  collect(at, 0.0);
  make_points();
}

bool ContactFinder::extend(const BodySnapshot& end) {
  if (!filter_) return false;
  bool beyond = surfaces_move_;
  BodyMotion scratch;
  for (std::size_t k = 0; k < balls_.size(); ++k) {
    stop_.check();
    const Vector3 center = center_of(balls_[k].ball, end.at(balls_[k].at, scratch));
    beyond |= !((center - centers_[k]).norm() <= reaches_[k]);
    centers_[k] = center;
  }
  if (!beyond) return false;
  std::fill(reaches_.begin(), reaches_.end(), 0.0);
  collect(end, 0.0);
  if (ids_.size() == listed_.size()) return false;
  for (const std::uint64_t id : ids_) {
    if (!std::binary_search(listed_.begin(), listed_.end(), id)) points_.push_back(make_point(id));
  }
  is_listed_ = false;  // not in their order
  return true;
}

/// Adds the ids of all that is within its reach to ids_, which ends sorted and without repetition.
void ContactFinder::collect(const BodySnapshot& at, double h) {
  collect_on_surfaces(at, h);
  boxes_.clear();
  for (const int k : swept_) {
    const Vector3 extent = Vector3::Constant(balls_[k].ball.radius + reaches_[k]);
    boxes_.push_back({centers_[k] - extent, centers_[k] + extent});
  }
  broad_phase_.find(boxes_, pairs_, stop_);
  for (const BroadPhase::Pair& pair : pairs_) {
    int i = swept_[pair.first];
    int j = swept_[pair.second];
    if (!balls_[i].is_sphere) std::swap(i, j);
    if (!balls_[i].is_sphere) continue;
    const Ball& a = balls_[i];
    const Ball& b = balls_[j];
    const double reach = a.ball.radius + reaches_[i] + b.ball.radius + reaches_[j];
    if ((centers_[i] - centers_[j]).squaredNorm() > reach * reach || !filter_->allows(a.shape, b.shape)) continue;
    ids_.push_back(make_id(a.shape, b.shape, b.feature));
  }
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

/// h: the length of the step that is looked ahead, 0 for none.
void ContactFinder::collect_on_surfaces(const BodySnapshot& at, double h) {
  for (const Surface& surface : surfaces_) {
    stop_.check();
    const BodyMotion& body = at[surface.body];
    const bool moves = system_.bodies()[surface.body].type != BodyType::fixed;
    const double fall = moves ? h * h * system_.gravity().norm() : 0.0;
    for (const int k : surface.balls) {
      double reach = reaches_[k];
      if (moves && h > 0.0) {
        const double speed = body.v.norm() + body.w.norm() * (centers_[k] - body.p).norm();
        reach += std::max(h * speed + fall, margin_);
      }
      if (distance_to(surface.feature, body, centers_[k]) > balls_[k].ball.radius + reach) continue;
      ids_.push_back(make_id(surface.shape, balls_[k].shape, balls_[k].feature));
    }
  }
}

void ContactFinder::make_points() {
  if (is_listed_ && ids_ == listed_) return;
  is_listed_ = false;
  points_.resize(n_named_);
  for (const std::uint64_t id : ids_) {
    stop_.check();
    points_.push_back(make_point(id));
  }
  listed_ = ids_;
  is_listed_ = true;
}

ContactPoint ContactFinder::make_point(std::uint64_t id) const {
  const auto [surface_shape, ball_shape, feature] = detected_pair(id);
  const Ball& ball = balls_[first_ball_[ball_shape] + feature];
  ContactPoint point;
  if (const int k = surface_[surface_shape]; k >= 0) {
    point = make_contact_point(system_, surfaces_[k].body, surfaces_[k].feature, ball.body, ball.ball, false);
  } else {
    const Ball& sphere = balls_[first_ball_[surface_shape]];
    const SurfaceFeature surface{GapKind::ball_ball, sphere.ball.center, Vector3::UnitZ(), sphere.ball.radius};
    point = make_contact_point(system_, sphere.body, surface, ball.body, ball.ball, false);
  }
  point.pair = kDetected;
  point.index = feature;
  point.id = id;
  return point;
}

}  // namespace stickslip
