// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/pass_finder.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/collision/features.h"
#include "stickslip/constraints/contact_finder.h"

namespace stickslip {
namespace {

/// How far two balls with the sum of radii R must move past each other to be closer than touching by more than
/// `depth` in between and apart at both ends, or to count whatever the depth.
double calc_least_way(double radii, double depth) {
  if (!(depth < radii)) return radii;
  return std::min(radii, 2.0 * std::sqrt((2.0 * radii - depth) * depth));
}

/// Whether a gap to a surface of this kind can be open at both ends of a straight way and closed in between.
bool can_be_passed(SurfaceKind kind) {
  switch (kind) {
    case SurfaceKind::sphere:
      return true;
    case SurfaceKind::half_space:
    case SurfaceKind::container_sphere:
    case SurfaceKind::container_cylinder:
    case SurfaceKind::line:
    case SurfaceKind::crossing:
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      return false;
  }
  return false;
}

/// Whether the named contact point had a percussion.
bool had_percussion(ElementId id, const StepReport& report) {
  return std::ranges::any_of(report.contacts, [id](const ContactReport& contact) {
    return contact.contact != kDetected && contact.id == id && contact.percussion[0] > 0.0;
  });
}

}  // namespace

PassFinder::PassFinder(const System& system, const BodySizes& sizes, double penetration)
    : system_(system), sizes_(sizes), penetration_(penetration) {
  add_named_pairs();
  first_detected_ = balls_.size();
  if (system.detection()) add_detected();
  add_movers();
  set_least_way();
}

void PassFinder::add_named_pairs() {
  for (const ContactPoint& point : system_.contact_points()) {
    if (point.joint >= 0 || point.frozen != nullptr) continue;
    const ShapeSurface& surface = system_.surfaces()[point.surface];
    if (!can_be_passed(surface.kind)) continue;
    const int first = static_cast<int>(balls_.size());
    const ShapeBall& ball = system_.balls()[point.ball];
    balls_.push_back({-1, 0, surface.body, surface.body, surface.center, surface.radius});
    balls_.push_back({-1, 0, ball.body, ball.place, ball.center, ball.radius});
    named_.push_back({first, first + 1, point.id});
  }
}

void PassFinder::add_detected() {
  filter_.emplace(system_);
  for (const ShapeBall& ball : system_.balls()) {
    const ShapeFeatures& shape = system_.shapes()[ball.shape];
    if (!shape.is_round) continue;
    const int feature = static_cast<int>(&ball - system_.balls().data()) - shape.first_ball;
    balls_.push_back({ball.shape, feature, ball.body, ball.place, ball.center, ball.radius});
  }
}

void PassFinder::add_movers() {
  std::vector<int> mover_of(system_.bodies().size(), -1);
  for (const Ball& ball : balls_) {
    const Body& body = system_.bodies()[ball.body];
    if (body.type == BodyType::fixed) continue;
    int& k = mover_of[ball.body];
    if (k < 0) {
      k = static_cast<int>(movers_.size());
      movers_.push_back({body.type, ball.body, body.q_offset, body.n_q, 0.0});
    }
    movers_[k].arm = std::max(movers_[k].arm, ball.center.norm());
  }
}

void PassFinder::set_least_way() {
  least_way_ = std::numeric_limits<double>::infinity();
  const double depth = penetration_ * sizes_.least();
  for (const auto& [i, j, id] : named_) {
    least_way_ = std::min(least_way_, calc_least_way(balls_[i].radius + balls_[j].radius, depth));
  }
  double least_ball = std::numeric_limits<double>::infinity();
  double least_other = std::numeric_limits<double>::infinity();  // another ball or a point
  for (std::size_t k = first_detected_; k < balls_.size(); ++k) {
    const double radius = balls_[k].radius;
    if (radius > 0.0) least_ball = std::min(least_ball, radius);
    least_other = std::min(least_other, radius);
  }
  if (std::isfinite(least_ball)) least_way_ = std::min(least_way_, calc_least_way(least_ball + least_other, depth));
}

void PassFinder::begin(const State& state) {
  if (balls_.empty()) return;
  before_.t = state.t;
  before_.q = state.q;
  before_.u = state.u;
  before_.presence = state.presence;
}

void PassFinder::find(const State& state, const StepReport& report, std::vector<Pass>& passes) {
  passes.clear();
  if (balls_.empty()) return;
  after_.t = state.t;
  after_.q = state.q;
  after_.u = state.u;
  after_.presence = state.presence;
  if (may_have_passes()) {
    mark_kinks(report);
    for (const auto& [i, j, id] : named_) {
      if (!is_known(balls_[i], balls_[j])) continue;
      const double depth = calc_depth(balls_[i], balls_[j]);
      if (depth > 0.0 && !had_percussion(id, report)) passes.push_back({balls_[i].body, balls_[j].body, depth});
    }
    examine_detected(report, passes);
  }
  std::swap(before_, after_);
}

void PassFinder::mark_kinks(const StepReport& report) {
  kinks_.assign(system_.bodies().size(), 0);
  // What is not there at both ends of the step has no way.
  for (std::size_t i = 0; i < after_.presence.size(); ++i) {
    const int body = static_cast<int>(i);
    if (!before_.has(body) || !after_.has(body) || after_.presence[i] == Presence::entering) kinks_[i] = 1;
  }
  if (std::ranges::all_of(report.events, [](const StepEvent& event) { return event.body >= 0; })) return;
  bool spreads = false;
  // Fixed and prescribed bodies go on as they do.
  const auto mark = [&](int body) {
    if (system_.bodies()[body].n_u == 0 || kinks_[body] != 0) return;
    kinks_[body] = 1;
    spreads = true;
  };
  const auto tie = [&](int a, int b) {
    if (kinks_[a] != 0) mark(b);
    if (kinks_[b] != 0) mark(a);
  };
  const auto mark_sides = [&](const auto& sides) {
    for (const Side side : {Side::first, Side::second}) mark(sides(side));
  };
  for (const StepEvent& event : report.events) {
    if (event.contact >= 0) {
      const ContactPoint& point = system_.contact_points()[event.contact];
      mark_sides([&](Side side) { return system_.body(point, side); });
    } else if (event.dry_friction >= 0) {
      const DryFrictionElement& element = system_.dry_frictions()[event.dry_friction];
      mark_sides([&](Side side) { return element.side(side).body; });
    }
  }
  while (spreads) {
    spreads = false;
    for (const ContactReport& contact : report.contacts) {
      if (contact.percussion[0] > 0.0) tie(contact.body_a, contact.body_b);
    }
    for (const Joint& joint : system_.joints()) tie(joint.side(Side::first).body, joint.side(Side::second).body);
  }
}

Vector3 PassFinder::calc_center(const Ball& ball, const Instant& instant) const {
  const Pose pose = system_.calc_pose(system_.place(ball.place), instant.t, instant.q);
  return pose.p_WB + pose.R_WB * ball.center;
}

Vector3 PassFinder::calc_velocity(const Ball& ball, const Instant& instant) const {
  const Pose pose = system_.calc_pose(system_.place(ball.place), instant.t, instant.q);
  const Twist twist = system_.calc_twist(system_.place(ball.place), instant.t, instant.q, instant.u);
  return twist.v_WB + twist.w_WB.cross(Vector3(pose.R_WB * ball.center));
}

/// How far one of the body's balls moved in the step, at most.
double PassFinder::calc_way(const Mover& mover) const {
  const auto from = before_.q.segment(mover.q_offset, mover.n_q);
  const auto to = after_.q.segment(mover.q_offset, mover.n_q);
  switch (mover.type) {
    case BodyType::fixed:
      return 0.0;
    case BodyType::point:
      return (to - from).norm();
    case BodyType::planar:
      return (to - from).head<2>().norm() + mover.arm * std::abs(to(2) - from(2));
    case BodyType::rigid:  // a turn by x moves an arm by 2 arm sin(x / 2), a quaternion by 2 sin(x / 4)
      return (to - from).head<3>().norm() + 2.0 * mover.arm * (to - from).tail<4>().norm();
    case BodyType::beam: {  // a point of it is a mean of control points
      double way = 0.0;
      for (int i = 0; i < mover.n_q; i += 2) way = std::max(way, (to - from).segment<2>(i).norm());
      return way;
    }
    case BodyType::moving: {
      const Pose a = system_.calc_pose(mover.body, before_.t, before_.q);
      const Pose b = system_.calc_pose(mover.body, after_.t, after_.q);
      return (b.p_WB - a.p_WB).norm() + mover.arm * (b.R_WB - a.R_WB).norm();
    }
  }
  return 0.0;
}

bool PassFinder::may_have_passes() const {
  return std::any_of(movers_.begin(), movers_.end(),
                     [this](const Mover& mover) { return 2.0 * calc_way(mover) >= least_way_; });
}

/// How much closer than touching the balls certainly were in between, where that counts; else 0.
double PassFinder::calc_depth(const Ball& a, const Ball& b) const {
  const Vector3 a0 = calc_center(a, before_);
  const Vector3 b0 = calc_center(b, before_);
  const Vector3 s0 = b0 - a0;
  const Vector3 s1 = calc_center(b, after_) - calc_center(a, after_);
  const double radii = a.radius + b.radius;
  const double limit = penetration_ * sizes_.of_pair(a.body, b.body);
  const double nearest_end = std::min(s0.norm(), s1.norm());
  const bool touch = !(nearest_end > radii);
  if (touch && !(std::isfinite(limit) && nearest_end > radii - limit)) return 0.0;
  const Vector3 d = s1 - s0;
  const double approach = -s0.dot(d);
  if (!(approach > 0.0 && approach < d.squaredNorm())) return 0.0;
  const double x = approach / d.squaredNorm();
  const double depth = radii - (s0 + x * d).norm();
  const bool is_graze = d.norm() < radii;
  if ((is_graze || touch) && (depth <= limit || (is_graze && touch))) return 0.0;
  Vector3 change =
      calc_velocity(b, after_) - calc_velocity(a, after_) - calc_velocity(b, before_) + calc_velocity(a, before_);
  change -= change.dot(d) / d.squaredNorm() * d;  // along the chord it changes when, not where they are
  constexpr double kRoundOff = 1e-15;             // [-] of coordinates
  const double unsure =
      0.25 * (after_.t - before_.t) * change.norm() + kRoundOff * (a0.norm() + b0.norm() + d.norm() + radii);
  return depth > unsure ? depth : 0.0;
}

/// Whether a detected contact of just these balls had a percussion.
bool PassFinder::acted_on_each_other(const Ball& a, const Ball& b, const StepReport& report) {
  return std::ranges::any_of(report.contacts, [&](const ContactReport& contact) {
    if (contact.contact != kDetected || !(contact.percussion[0] > 0.0)) return false;
    const auto is_between = [&contact](const Ball& sphere, const Ball& ball) {
      return contact.id == System::make_contact_id(sphere.shape, ball.shape, ball.feature);
    };
    return is_between(a, b) || is_between(b, a);
  });
}

void PassFinder::examine_detected(const StepReport& report, std::vector<Pass>& passes) {
  boxes_.clear();
  in_boxes_.clear();
  for (std::size_t k = first_detected_; k < balls_.size(); ++k) {
    if (!before_.has(balls_[k].body) || !after_.has(balls_[k].body)) continue;
    in_boxes_.push_back(k);
    const Vector3 from = calc_center(balls_[k], before_);
    const Vector3 to = calc_center(balls_[k], after_);
    const Vector3 extent = Vector3::Constant(balls_[k].radius);
    boxes_.push_back({from.cwiseMin(to) - extent, from.cwiseMax(to) + extent});
  }
  broad_phase_.find(boxes_, pairs_);
  for (const BroadPhase::Pair& pair : pairs_) {
    const Ball& a = balls_[in_boxes_[static_cast<std::size_t>(pair.first)]];
    const Ball& b = balls_[in_boxes_[static_cast<std::size_t>(pair.second)]];
    if (!is_known(a, b) || !(a.radius + b.radius > 0.0) || !filter_->allows(a.shape, b.shape)) continue;
    const double depth = calc_depth(a, b);
    if (depth > 0.0 && !acted_on_each_other(a, b, report)) passes.push_back({a.body, b.body, depth});
  }
}

}  // namespace stickslip
