// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/momentum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/disjoint_sets.h"

namespace stickslip {
namespace {

/// [-] Of the largest percussion: what a balance with known impulses may miss.
constexpr double kOfPercussion = 1e-12;
/// [-] Of all that a balance sums up, in units of the stored precision: sums, products and quotients of a step.
constexpr double kRoundOffs = 16.0;
/// [-] Of all that a balance sums up, or of the largest percussion of the row, where steps are solved by iterations to
/// a tolerance (scheme.tolerance, 1e-10 by default), and percussions that the laws do not determine are chosen over all
/// bodies together.
constexpr double kIterations = 1e-6;
/// [-] Of all that a balance sums up, where integrals over the step come from a method of its own: looser than the
/// tolerances of integrators (1e-9 by default) and of iterations within the step, tighter than a hundredth.
constexpr double kIntegrals = 1e-5;

constexpr const char* kHeldByJoints =
    "momentum of bodies that joints tie to what is fixed or moved, or left out: this scheme writes reactions at the "
    "end of a step only";

}  // namespace

MomentumBalance::MomentumBalance(const System& system, const ResultRows& rows)
    : system_(system),
      rows_(rows),
      is_exact_(rows.has(ResultRows::applied_impulse)),
      eps_(rows.is_single() ? 0x1p-24 : 0x1p-53),
      checked_(system.bodies().size(), 0),
      whole_(system.bodies().size()),
      sums_(system.bodies().size()),
      sizes_(system.bodies().size()),
      loose_(system.bodies().size()),
      most_(system.bodies().size(), 0.0) {
  for (Vector* v : {&force_before_, &force_, &momentum_before_, &momentum_}) v->setZero(system.n_u());
  for (std::size_t i = 0; i < checked_.size(); ++i) {
    checked_[i] = system.bodies()[i].n_u > 0 && !system.bodies()[i].is_rotor ? 1 : 0;
  }
  const auto leave_out = [&](int body, const char* why) {
    if (checked_[body] == 0) return;
    checked_[body] = 0;
    not_checked_ = why;
  };
  DisjointSets tied(whole_.size());
  const bool has_joints = rows.has(ResultRows::reaction_force);
  for (const Joint& joint : system.joints()) {
    if (joint.is_coupling()) continue;  // within the reactions of the joints that it couples
    if (is_exact_ && has_joints) continue;
    for (const int body : {joint.first.body, joint.second.body}) {
      if (is_exact_) leave_out(body, "momentum of jointed bodies: /joints/reaction_force is left out");
    }
    tied.join(joint.first.body, joint.second.body);
  }
  for (std::size_t i = 0; i < whole_.size(); ++i) whole_[i] = tied.find(static_cast<int>(i));
  if (is_exact_) return;
  for (const DryFrictionElement& element : system.dry_frictions()) {
    leave_out(element.first.body, "momentum of bodies under dry friction between points: it is not in the file");
    leave_out(element.second.body, "momentum of bodies under dry friction between points: it is not in the file");
  }
  for (const std::vector<ContactPair>* pairs : {&system.contacts(), &system.detected_pairs()}) {
    for (const ContactPair& pair : *pairs) {
      if (!(pair.law().adhesion > 0.0)) continue;
      const bool is_named = pairs == &system.contacts();
      for (std::size_t i = 0; i < checked_.size(); ++i) {
        const int body = static_cast<int>(i);
        if (is_named && body != pair.options.first && body != pair.options.second) continue;
        leave_out(body, "momentum of bodies that attract each other: what adhesion does is not in the file");
      }
    }
  }
  std::vector<char> is_held(whole_.size(), 0);  // by the first body of those tied together
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    if (checked_[i] == 0) is_held[whole_[i]] = 1;
  }
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    if (is_held[whole_[i]] != 0) leave_out(static_cast<int>(i), kHeldByJoints);
  }
}

void MomentumBalance::add(int body, const Vector3& impulse, double loose) {
  const double size = impulse.norm();
  sums_[body] += impulse;
  sizes_[body] += size;
  loose_[body] += loose * size;
}

/// How fast a body turns at most. [rad/s]
double MomentumBalance::turn(int body, const Vector& u) const {
  const Body& b = system_.bodies()[body];
  if (b.type == BodyType::rigid) return u.segment<3>(b.u_offset + 3).norm();
  if (b.type == BodyType::planar) return std::abs(u(b.u_offset + 2));
  return 0.0;
}

/// Of a body's centre; of one that the scene moves, zero. [m/s]
Vector3 MomentumBalance::velocity(int body, const Vector& u) const {
  const Body& b = system_.bodies()[body];
  Vector3 v = Vector3::Zero();
  if (b.type != BodyType::beam) {
    const int n = std::min(b.n_u, system_.dimension());
    v.head(n) = u.segment(b.u_offset, n);
  }
  return v;
}

Vector3 MomentumBalance::linear(const Vector& generalized, int body) const {
  const Body& b = system_.bodies()[body];
  const int dimension = system_.dimension();
  // Shape functions of a beam sum up to one.
  const int n = b.type == BodyType::beam ? b.n_u : std::min(b.n_u, dimension);
  Vector3 sum = Vector3::Zero();
  for (int row = 0; row < n; ++row) sum(row % dimension) += generalized(b.u_offset + row);
  return sum;
}

/// By what angle the normal of a point turns at most: on a half-space with its body; between balls with the line of
/// their centres, through impacts within the step too; else with both bodies. [rad]
double MomentumBalance::turn_of(const ContactPoint& point, double h, const Vector& u_before, const Vector& u) const {
  const ContactPairOptions& o = system_.contacts()[point.pair].options;
  const auto angle = [&](int body) { return h * std::max(turn(body, u_before), turn(body, u)); };
  if (point.surface < 0) return angle(o.first) + angle(o.second);
  const ShapeSurface& surface = system_.surfaces()[point.surface];
  const ShapeBall& ball = system_.balls()[point.ball];
  if (surface.kind == SurfaceKind::half_space) return angle(surface.body);
  const double distance = surface.radius + ball.radius;
  if (surface.kind != SurfaceKind::sphere || ball.is_ellipsoid || !(distance > 0.0)) {
    return angle(o.first) + angle(o.second);
  }
  double speed = 0.0;  // [m/s] of one centre relative to the other, before and after
  for (const Vector* each : {&u_before, &u}) {
    speed += (velocity(surface.body, *each) - velocity(ball.body, *each)).norm() +
             turn(surface.body, *each) * surface.center.norm() + turn(ball.body, *each) * ball.center.norm();
  }
  return h * speed / distance;
}

void MomentumBalance::add_contacts(std::int64_t k, double h, const Vector& u_before, const Vector& u) {
  largest_ = 0.0;
  // Directions turn with the bodies, and with the way that they move along each other: by less than a radian in any
  // step that a scheme solves, so that the chord of the whole angle bounds what integrals along them are off.
  if (rows_.has(ResultRows::percussion)) {
    const std::vector<ContactPoint>& points = system_.contact_points();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].joint >= 0 || !system_.is_present(points[i])) continue;  // the limit of a joint: in its reaction
      const Vector3 p = rows_.triple(ResultRows::percussion, k, i);
      if (p.isZero(0.0)) continue;
      const ContactPairOptions& o = system_.contacts()[points[i].pair].options;
      double directions = 0.0;
      if (!is_exact_ && rows_.has(ResultRows::normal)) {
        directions = (rows_.triple(ResultRows::normal, k, i) - rows_.triple(ResultRows::normal, k - 1, i)).norm();
      }
      if (!is_exact_ && rows_.has(ResultRows::tangent)) {
        directions += (rows_.triple(ResultRows::tangent, k, i) - rows_.triple(ResultRows::tangent, k - 1, i)).norm();
      }
      const double loose = is_exact_ ? 0.0 : std::min(directions + turn_of(points[i], h, u_before, u), 2.0);
      add(o.second, p, loose);
      add(o.first, -p, loose);
      largest_ = std::max(largest_, p.norm());
    }
  }
  for (std::int64_t e = rows_.set_begin(k); e < rows_.set_last(k); ++e) {
    const Vector3 p = rows_.set_triple(ResultRows::set_percussion, e);
    if (p.isZero(0.0)) continue;
    const int a = static_cast<int>(*rows_.set(ResultRows::set_body_a, e));
    const int b = static_cast<int>(*rows_.set(ResultRows::set_body_b, e));
    double directions = 0.0;
    if (!is_exact_) {
      // The normal of this contact in the row before, where it has one: ids stay. Without it the way over the distance.
      directions = 2.0;
      for (std::int64_t f = rows_.set_begin(k - 1); f < rows_.set_last(k - 1); ++f) {
        if (static_cast<int>(*rows_.set(ResultRows::set_body_a, f)) != a ||
            static_cast<int>(*rows_.set(ResultRows::set_body_b, f)) != b) {
          continue;
        }
        const Vector3 change =
            rows_.set_triple(ResultRows::set_normal, e) - rows_.set_triple(ResultRows::set_normal, f);
        directions = std::min(directions, change.norm());
      }
      for (const int body : {a, b}) directions += h * std::max(turn(body, u_before), turn(body, u));
    }
    const double loose = std::min(directions, 2.0);
    add(b, p, loose);
    add(a, -p, loose);
    largest_ = std::max(largest_, p.norm());
  }
}

MomentumBalance::Miss MomentumBalance::find_worst(std::int64_t k, double h, double t, const Vector& q_before,
                                                  const Vector& u_before, const Vector& q, const Vector& u,
                                                  std::span<const char> left_out) {
  std::ranges::fill(sums_, Vector3::Zero());
  std::ranges::fill(sizes_, 0.0);
  std::ranges::fill(loose_, 0.0);
  add_contacts(k, h, u_before, u);
  system_.multiply_mass(u_before, momentum_before_);
  system_.multiply_mass(u, momentum_);
  if (!is_exact_) {
    system_.calc_applied_forces(t - h, q_before, u_before, force_before_);
    system_.calc_applied_forces(t, q, u, force_);
  }
  if (is_exact_ && rows_.has(ResultRows::reaction_force)) {
    for (std::size_t j = 0; j < system_.shown_joints().size(); ++j) {
      const Joint& joint = system_.joints()[j];
      if (joint.is_coupling()) continue;
      const Vector3 impulse = h * rows_.triple(ResultRows::reaction_force, k, j);
      if (checked_[joint.second.body] != 0) add(joint.second.body, impulse, 0.0);
      if (checked_[joint.first.body] != 0) add(joint.first.body, -impulse, 0.0);
      largest_ = std::max(largest_, impulse.norm());
    }
  }
  for (std::size_t i = 0; i < checked_.size(); ++i) {
    if (checked_[i] == 0 || left_out[i] != 0) continue;
    const int body = static_cast<int>(i);
    if (is_exact_) {
      add(body, rows_.triple(ResultRows::applied_impulse, k, i), 0.0);
    } else {
      const Vector3 before = linear(force_before_, body);
      const Vector3 after = linear(force_, body);
      add(body, 0.5 * h * (before + after), 0.0);
      loose_[i] += h * (after - before).norm();
      if (rows_.has(ResultRows::input_impulse)) {  // one that is fixed in the body turns with it
        const double angle = h * std::max(turn(body, u_before), turn(body, u));
        add(body, rows_.triple(ResultRows::input_impulse, k, i), std::min(angle, 2.0));
      }
    }
    const Vector3 momentum_before = linear(momentum_before_, body);
    const Vector3 momentum = linear(momentum_, body);
    sums_[i] = momentum - momentum_before - sums_[i];
    sizes_[i] += momentum_before.norm() + momentum.norm();
    if (whole_[i] == body) continue;
    sums_[whole_[i]] += sums_[i];  // of the first body, which has been summed up
    sizes_[whole_[i]] += sizes_[i];
    loose_[whole_[i]] += loose_[i];
  }
  Miss worst;
  for (std::size_t i = 0; i < checked_.size(); ++i) {
    const int body = static_cast<int>(i);
    if (checked_[i] == 0 || left_out[i] != 0 || whole_[i] != body) continue;
    const double missed = sums_[i].norm();
    const double size = sizes_[i];
    const double solved = rows_.is_iterated() ? kIterations * std::max(size, largest_) : 0.0;
    // What has stopped keeps the round-off of what it moved with.
    most_[i] = std::max(most_[i], size);
    const double tight = kOfPercussion * largest_ + kRoundOffs * eps_ * most_[i] + solved;
    const double bound = is_exact_ ? tight : tight + loose_[i] + kIntegrals * size;
    const double scale = largest_ > 0.0 ? largest_ : std::max(size, std::numeric_limits<double>::min());
    const double beyond = is_exact_ && solved == 0.0 ? missed : std::max(0.0, missed - bound);
    const double excess = bound > 0.0 ? missed / bound : (missed > 0.0 ? std::numeric_limits<double>::infinity() : 0.0);
    if (std::isnan(missed) || excess > worst.excess) worst = {body, missed, bound, beyond / scale, excess};
  }
  return worst;
}

}  // namespace stickslip
