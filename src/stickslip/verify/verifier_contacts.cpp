// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "stickslip/collision/gap.h"
#include "stickslip/verify/verifier.h"

namespace stickslip {

/// What acted touched: shapes whose contact has a percussion are apart at the end of the step by no more than their way
/// to each other and back, what gravity closes in it, and what the scheme lets act.
void Verifier::check_touch(std::int64_t k) {
  const bool one_step = k > 0 && step_ >= 0 && step_ == step_before_ + 1 && steps_[step_].status == 0;
  if (!one_step || rows_.has_events() || !has_q_ || !has_u_) return;
  const std::vector<ContactPoint>& points = system_.contact_points();
  for (std::size_t i = 0; rows_.has(Rows::normal_percussion) && i < points.size(); ++i) {
    const ContactPoint& point = points[i];
    if (point.joint >= 0 || !(rows_.row(Rows::normal_percussion, k)[i] > 0.0)) continue;
    if (manifolds_[i] >= 0) {
      const ManifoldPair& shapes = system_.manifold_pairs()[manifolds_[i]];
      check_touch(shapes.first_shape, shapes.second_shape);
    } else {
      check_touch(system_.surfaces()[point.surface].shape, system_.balls()[point.ball].shape);
    }
  }
  if (!rows_.has_set_shapes()) return;
  std::pair<int, int> last(-1, -1);  // points of the same two shapes follow one another
  for (std::int64_t e = rows_.set_begin(k); e < rows_.set_last(k); ++e) {
    if (rows_.set_triple(Rows::set_percussion, e).isZero(0.0)) continue;
    const std::pair<int, int> shapes(static_cast<int>(*rows_.set(Rows::set_shape_a, e)),
                                     static_cast<int>(*rows_.set(Rows::set_shape_b, e)));
    if (shapes != last) check_touch(shapes.first, shapes.second);
    last = shapes;
  }
}

void Verifier::check_touch(int shape_a, int shape_b) {
  if (std::min(shape_a, shape_b) < 0 || std::max(shape_a, shape_b) >= static_cast<int>(places_.size())) return;
  const int a = shapes_.body(shape_a);
  const int b = shapes_.body(shape_b);
  if (system_.bodies()[a].type == BodyType::beam || system_.bodies()[b].type == BodyType::beam) return;
  const auto gap = shapes_.find_gap(shape_a, shape_b, places_);
  const auto [reach, ahead] = verified_reach(scene_.scheme);
  const double h = steps_[step_].step;
  const double rest = std::pow(h + ahead, 2) * system_.gravity().norm() + reach;
  if (!gap || !(gap->gap > rest)) return;
  const Vector3& place = gap->on_second;
  const auto move = [&](int body) {  // (3) [m] of the body's point that is there at the end
    const Placement& end = motion_[body];
    return Vector3(place - motion_before_[body].apply(end.R.transpose() * (place - end.p)));
  };
  const double size = shapes_.smaller_size(shape_a, shape_b);
  const auto speed = [&](double t, const Vector& q, const Vector& u, const std::vector<Placement>& at) {
    const Twist x = system_.calc_twist(a, t, q, u);
    const Twist y = system_.calc_twist(b, t, q, u);
    const Vector3 apart =
        x.v_WB - y.v_WB + x.w_WB.cross(Vector3(place - at[a].p)) - y.w_WB.cross(Vector3(place - at[b].p));
    return apart.norm() + (x.w_WB - y.w_WB).norm() * size;
  };
  // They may have met at the velocity of the start, and part at that of the end.
  const double both = speed(t_ - h, q_before_, u_before_, motion_before_) + speed(t_, q_, u_, motion_);
  const double way = std::max((h + ahead) * both, (move(a) - move(b)).norm());
  const double bound = rest + way + kLength + kSumRoundOffs * eps_ * (place.norm() + size);
  at_most(
      "percussion at a distance", [&] { return names(a, b); }, "m", t_, 0.0, gap->gap, bound);
}

/// mu of a contact in the step of the row; nothing where its law takes a slip that rows do not say.
std::optional<double> Verifier::find_friction(const ContactLaw& law, const FrictionBounds::Contact& contact) {
  if (!law.is_of_speed()) {
    return law.ellipse && contact.shape_a < 0 ? std::max(law.friction, law.ellipse->across) : law.friction;
  }
  const bool is_known = has_q_ && has_u_ && step_ > 0 && step_ == step_before_ + 1 && contact.shape_a >= 0;
  slips_unknown_ |= !is_known;
  if (!is_known) return std::nullopt;
  const bool at_instants = rows_.has_events() || std::holds_alternative<RelaxationOptions>(scene_.scheme);
  return friction_.find_most(law, contact, {t_ - steps_[step_].step, &q_before_, &u_before_, &motion_before_},
                             {t_, &q_, &u_, &motion_}, at_instants);
}

template <class Who>
void Verifier::check_cone(const Who& who, const ContactLaw& law, const FrictionBounds::Contact& contact, double normal,
                          const Vector3& friction, double largest) {
  if (largest == 0.0 || has_accumulation()) return;
  const std::optional<double> mu = find_friction(law, contact);
  if (!mu) return;
  const bool is_measured = law.ellipse && contact.shape_a >= 0 && (has_poses_ || has_q_);
  double size = friction.norm();
  if (is_measured) size = friction_.measure(law, contact, friction, motion_before_, motion_);
  check_size(who, *mu, normal, size, largest);
}

/// P_N >= 0 and size <= mu P_N.
template <class Who>
void Verifier::check_size(const Who& who, double mu, double normal, double size, double largest) {
  if (largest == 0.0 || has_accumulation()) return;
  const double off = std::max({0.0, -normal, size - mu * std::max(normal, 0.0)}) / largest;
  out_.cone = std::max(out_.cone, off);
  // The residual of the step claims how far a percussion is from its cone: as a velocity, over 1/m of the heaviest.
  double residual = step_ >= 0 ? steps_[step_].residual * heaviest_ / largest : 0.0;
  if (!std::isfinite(residual)) residual = 0.0;
  at_most("cone", who, "", t_, 0.0, off, kRelative + kSumRoundOffs * eps_ * (1.0 + mu) + residual);
}

void Verifier::check_cones(std::int64_t k) {
  const std::vector<ContactPoint>& points = system_.contact_points();
  double largest = 0.0;
  const bool has_points = rows_.has(Rows::normal_percussion) && rows_.has(Rows::friction_percussion);
  if (has_points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].joint < 0 && system_.is_present(points[i]))
        largest = std::max(largest, std::abs(rows_.row(Rows::normal_percussion, k)[i]));
    }
  }
  for (std::int64_t e = rows_.set_begin(k); e < rows_.set_last(k); ++e) {
    largest = std::max(largest, rows_.set_triple(Rows::set_percussion, e).norm());
  }
  if (has_points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].joint >= 0 || !system_.is_present(points[i])) continue;
      const ContactPair& pair = system_.contacts()[points[i].pair];
      Vector3 friction = rows_.triple(Rows::friction_percussion, k, i);
      FrictionBounds::Contact contact{-1, -1, Vector3::Zero(), Vector3::Zero()};
      if (!is_plain(pair.law()) && rows_.has(Rows::point) && rows_.has(Rows::normal) && rows_.has(Rows::tangent)) {
        contact = friction_.make_contact(points[i], rows_.triple(Rows::point, k, i), rows_.triple(Rows::normal, k, i));
        if (pair.law().ellipse) {
          const Vector3 t1 = rows_.triple(Rows::tangent, k, i);
          friction = friction(0) * t1 + friction(1) * contact.normal.cross(t1);
        }
      }
      check_cone([&] { return pair.options.name; }, pair.law(), contact, rows_.row(Rows::normal_percussion, k)[i],
                 friction, largest);
      if (!pair.has_moments() || !rows_.has(Rows::moment) || !rows_.has(Rows::normal)) continue;
      ContactBounds bounds;
      bounds.add(pair.law());
      check_moment([&] { return pair.options.name; }, bounds, rows_.row(Rows::normal_percussion, k)[i],
                   rows_.triple(Rows::normal, k, i), rows_.triple(Rows::moment, k, i), largest);
    }
  }
  for (std::int64_t e = rows_.set_begin(k); e < rows_.set_last(k); ++e) {
    const Vector3 n = rows_.set_triple(Rows::set_normal, e);
    const Vector3 p = rows_.set_triple(Rows::set_percussion, e);
    const int named = static_cast<int>(*rows_.set(Rows::set_pair, e));
    const auto body_a = static_cast<int>(*rows_.set(Rows::set_body_a, e));
    const auto body_b = static_cast<int>(*rows_.set(Rows::set_body_b, e));
    FrictionBounds::Contact contact{-1, -1, rows_.set_triple(Rows::set_point, e), n};
    if (rows_.has_set_shapes()) {
      contact.shape_a = static_cast<int>(*rows_.set(Rows::set_shape_a, e));
      contact.shape_b = static_cast<int>(*rows_.set(Rows::set_shape_b, e));
    }
    const double normal = n.dot(p);
    const ContactLaw law = friction_.find_law(named, body_a, body_b, contact);
    const auto who = [&] { return names(body_a, body_b); };
    check_cone(who, law, contact, normal, p - normal * n, largest);
    if (!rows_.has_set_moments()) continue;
    ContactBounds bounds;
    if (named >= 0 && named < static_cast<int>(system_.contacts().size())) {
      bounds.add(system_.contacts()[named].law());
    } else if (system_.detection()) {
      bounds = find_largest_bounds(system_, body_a, body_b);
    }
    check_moment(who, bounds, normal, n, rows_.set_triple(Rows::set_moment, e), largest);
  }
  check_kind(k, Rows::normal_percussion, Rows::friction_percussion, Rows::percussion,
             "percussion against its components");
  check_kind(k, Rows::normal_impulse, Rows::friction_impulse, Rows::impulse, "impulse against its components");
  check_kind(k, Rows::normal_force, Rows::friction_force, Rows::force, "force against its components");
}

/// The world's vector is that of the components along normal and tangents.
void Verifier::check_kind(std::int64_t k, Rows::Column normal, Rows::Column friction, Rows::Column world,
                          const char* what) {
  for (const Rows::Column c : {normal, friction, world, Rows::normal, Rows::tangent}) {
    if (!rows_.has(c)) return;
  }
  const std::vector<ContactPoint>& points = system_.contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].joint >= 0) continue;
    const Vector3 p = rows_.triple(world, k, i);
    const Vector3 f = rows_.triple(friction, k, i);
    const double along = rows_.row(normal, k)[i];
    if (along == 0.0 && f.isZero(0.0) && p.isZero(0.0)) continue;
    if (std::isnan(along) && std::isnan(p(0))) continue;  // not known in this row
    const Vector3 n = rows_.triple(Rows::normal, k, i);
    const Vector3 t1 = rows_.triple(Rows::tangent, k, i);
    Vector3 sum = along * n + f(0) * t1;
    if (!system_.planar()) sum += f(1) * n.cross(t1);
    const ContactPair& pair = system_.contacts()[points[i].pair];
    at_most(
        what, [&] { return pair.options.name; }, "", t_, 0.0, (sum - p).norm(),
        (kRelative + kSumRoundOffs * eps_) * (std::abs(along) + f.norm() + p.norm()));
  }
}

}  // namespace stickslip
