// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/verify.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/collision/gap.h"
#include "stickslip/io/events_table.h"
#include "stickslip/verify/verifier.h"

namespace stickslip {

void Verifier::claim(std::string_view what, std::string_view who, const char* unit, double t, double claimed,
                     double found, double excess) {
  const FalseClaim claim{std::string(what), std::string(who), unit, t, claimed, found, excess};
  if (out_.n_false++ == 0) out_.first = claim;
  if (out_.n_false == 1 || excess > out_.worst.excess || std::isnan(excess)) out_.worst = claim;
}

void Verifier::same(std::string_view what, std::string_view who, const char* unit, double t, double claimed,
                    double found, double bound) {
  if (std::abs(found - claimed) <= bound) return;
  claim(what, who, unit, t, claimed, found, std::abs(found - claimed) / bound);
}

std::int64_t Verifier::find_step(double t) const {
  const auto at = std::ranges::lower_bound(steps_, t, {}, &StepRow::t);
  return at != steps_.end() && at->t == t ? at - steps_.begin() : -1;
}

bool Verifier::has_accumulation() const {
  if (step_ < 0) return false;
  const auto at = std::ranges::lower_bound(accumulations_, t_ - steps_[step_].step);
  return at != accumulations_.end() && *at <= t_;
}

/// The file must be of the system that its scene describes.
void Verifier::check_shape_of_file() {
  const auto width = [&](Rows::Column column, std::size_t items) {
    if (!rows_.has(column) || static_cast<std::size_t>(rows_.width(column)) == items) return;
    throw InputError({result_.file().name()}, Rows::path(column), fmt::format("{} numbers a row", rows_.width(column)),
                     fmt::format("{}, by the scene that the file holds", items));
  };
  const std::size_t n = system_.shown_bodies().size();
  const std::size_t n_points = system_.contact_points().size();
  width(Rows::q, static_cast<std::size_t>(system_.n_body_q()));
  width(Rows::u, static_cast<std::size_t>(system_.n_u()));
  for (const Rows::Column c :
       {Rows::position, Rows::velocity, Rows::angular_velocity, Rows::applied_impulse, Rows::input_impulse}) {
    width(c, 3 * n);
  }
  width(Rows::orientation, 4 * n);
  for (const Rows::Column c : {Rows::gap, Rows::normal_force, Rows::normal_impulse, Rows::normal_percussion}) {
    width(c, n_points);
  }
  for (const Rows::Column c : {Rows::normal, Rows::tangent, Rows::friction_force, Rows::force, Rows::friction_impulse,
                               Rows::impulse, Rows::friction_percussion, Rows::percussion, Rows::moment}) {
    width(c, 3 * n_points);
  }
  width(Rows::reaction_force, 3 * system_.shown_joints().size());
}

void Verifier::list_not_checked() {
  const auto note = [&](const std::string& text) { out_.not_checked.push_back(text); };
  if (!has_poses_ && !has_q_) note("penetration, gaps: poses are left out");
  if (!has_q_ || !has_u_) note("energies: /q or /u is left out");
  if (!has_u_ || !has_q_) note("momentum: /q or /u is left out");
  const bool has_points = !system_.contact_points().empty();
  const bool lacks_points = has_points && (!rows_.has(Rows::percussion) || !rows_.has(Rows::normal_percussion) ||
                                           !rows_.has(Rows::friction_percussion));
  const bool lacks_sets = (system_.detection() || system_.has_varying_contacts()) && !rows_.has_sets();
  if (lacks_points || lacks_sets) note("cones, momentum: percussions are left out");
  if (!accumulations_.empty())
    note("cones in steps in which impacts accumulate: those that are passed over obey no law");
  if (slips_unknown_)
    note("cones of friction that depends on slip, where the row does not follow a step from the last");
  if (wide_rows_) note("momentum between rows that are more than a step apart");
  if (wide_rows_ && system_.n_q() > system_.n_body_q()) {
    note("potential energy of rows that are more than a step apart: joints may have turned round in between");
  }
  if (!balance_.not_checked().empty() && has_u_) note(balance_.not_checked());
}

/// The sums of the energy balance, of all steps.
void Verifier::check_steps() {
  if (steps_.empty()) return;
  const double initial = steps_.front().kinetic_energy + steps_.front().potential_energy;
  for (const StepRow& step : steps_) {
    if (step.status == 2) continue;  // a failed one reached nothing
    const double error =
        step.kinetic_energy + step.potential_energy - initial - step.work + step.dissipated - step.projection_energy;
    const double size = std::abs(step.kinetic_energy) + std::abs(step.potential_energy) + std::abs(initial) +
                        std::abs(step.work) + std::abs(step.dissipated) + std::abs(step.projection_energy);
    same("energy_error", "/steps", "J", step.t, step.energy_error, error,
         kRelative * std::abs(step.energy_error) + kSumRoundOffs * 0x1p-53 * size + std::numeric_limits<double>::min());
  }
}

/// Who takes no part in a row has no figures there; it counts as at rest where the start has it.
void Verifier::take_absent(std::int64_t k) {
  std::swap(absent_, absent_before_);
  const std::size_t n = system_.bodies().size();
  absent_.assign(n, 0);
  if (!built_.stepper->moves_bodies_in_and_out()) return;
  State shown;
  shown.presence.assign(n, Presence::present);
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = system_.bodies()[i];
    const bool by_pose =
        i < motion_.size() && rows_.has(Rows::position) && std::isnan(rows_.triple(Rows::position, k, i)(0));
    const bool by_q = has_q_ && body.n_q > 0 && std::isnan(rows_.row(Rows::q, k)[body.q_offset]);
    if (!by_pose && !by_q) continue;
    absent_[i] = 1;
    shown.presence[i] = Presence::gone;
    if (has_q_) q_.segment(body.q_offset, body.n_q) = built_.initial.q.segment(body.q_offset, body.n_q);
    if (has_u_) u_.segment(body.u_offset, body.n_u).setZero();
  }
  built_.stepper->tell_system(shown);
}

void Verifier::take_state(std::int64_t k) {
  std::swap(q_, q_before_);
  std::swap(u_, u_before_);
  std::swap(motion_, motion_before_);
  step_before_ = step_;
  t_ = *rows_.row(Rows::time, k);
  step_ = find_step(t_);
  if (has_q_) {
    q_ = q_before_;
    q_.head(system_.n_body_q()) = Eigen::Map<const Vector>(rows_.row(Rows::q, k), system_.n_body_q());
  }
  if (has_u_) u_ = Eigen::Map<const Vector>(rows_.row(Rows::u, k), system_.n_u());
  take_absent(k);
  if (has_q_ && system_.n_q() > system_.n_body_q()) system_.count_turns(t_, q_);
  if (!has_poses_ && !has_q_) return;
  for (std::size_t i = 0; i < motion_.size(); ++i) {
    if (has_poses_ && absent_[i] == 0) {
      const double* e = rows_.row(Rows::orientation, k) + 4 * i;
      motion_[i] = {rows_.triple(Rows::position, k, i),
                    Eigen::Quaterniond(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix()};
    } else if (has_q_) {
      const Pose pose = system_.calc_pose(static_cast<int>(i), t_, q_);
      motion_[i] = {pose.p_WB, pose.R_WB};
    }
  }
  for (std::size_t s = 0; s < places_.size(); ++s) {
    const ShapeFeatures& shape = system_.shapes()[s];
    places_[s] = motion_[shape.body];
    if (shape.n_balls == 0 || system_.bodies()[shape.body].type != BodyType::beam || !has_q_) continue;
    const Pose pose = system_.calc_pose(system_.place(system_.balls()[shape.first_ball].place), t_, q_);
    places_[s] = {pose.p_WB, pose.R_WB};
  }
}

/// /bodies says the same as /q and /u.
void Verifier::check_bodies(std::int64_t k) {
  for (std::size_t i = 0; i < motion_.size(); ++i) {
    if (absent_[i] != 0) continue;
    const int body = static_cast<int>(i);
    const auto who = [&] { return name(body); };
    if (has_q_ && (rows_.has(Rows::position) || rows_.has(Rows::orientation))) {
      const Pose pose = system_.calc_pose(body, t_, q_);
      if (rows_.has(Rows::position)) {
        const double off = (pose.p_WB - rows_.triple(Rows::position, k, i)).norm();
        at_most("position against q", who, "m", t_, 0.0, off, kLength + kSumRoundOffs * eps_ * pose.p_WB.norm());
      }
      if (rows_.has(Rows::orientation)) {
        const double* e = rows_.row(Rows::orientation, k) + 4 * i;
        const Eigen::Quaterniond stored(e[0], e[1], e[2], e[3]);
        at_most("orientation against q", who, "rad", t_, 0.0,
                (stored.normalized().toRotationMatrix() - pose.R_WB).norm() + std::abs(stored.norm() - 1.0),
                kRelative + kSumRoundOffs * eps_);
      }
    }
    if (!has_q_ || !has_u_ || (!rows_.has(Rows::velocity) && !rows_.has(Rows::angular_velocity))) continue;
    const Twist twist = system_.calc_twist(body, t_, q_, u_);
    const auto compare = [&](Rows::Column column, const char* what, const char* unit, const Vector3& by_state) {
      if (!rows_.has(column)) return;
      at_most(what, who, unit, t_, 0.0, (by_state - rows_.triple(column, k, i)).norm(),
              kRelative * by_state.norm() + kSumRoundOffs * eps_ * (by_state.norm() + 1e-3));
    };
    compare(Rows::velocity, "velocity against u", "m/s", twist.v_WB);
    const Vector3 omega = rows_.has(Rows::orientation)
                              ? Vector3(motion_[i].R.transpose() * twist.w_WB)
                              : Vector3(system_.calc_pose(body, t_, q_).R_WB.transpose() * twist.w_WB);
    compare(Rows::angular_velocity, "angular velocity against u", "rad/s", omega);
  }
}

/// Gaps of named points are no less than they say.
void Verifier::check_gaps(std::int64_t k) {
  if (!rows_.has(Rows::gap) || (!has_poses_ && !has_q_)) return;
  const std::vector<ContactPoint>& points = system_.contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& point = points[i];
    if (point.joint >= 0 || !system_.is_present(point)) continue;
    const double claimed = rows_.row(Rows::gap, k)[i];
    double found = 0.0;
    double far = 0.0;
    if (manifolds_[i] >= 0) {
      const ManifoldPair& shapes = system_.manifold_pairs()[manifolds_[i]];
      const auto gap = shapes_.find_gap(shapes.first_shape, shapes.second_shape, places_);
      if (!gap) continue;
      found = gap->gap;
      far = gap->on_first.norm() + shapes_.size(shapes.first_shape) + shapes_.size(shapes.second_shape);
    } else {
      const ShapeSurface& surface = system_.surfaces()[point.surface];
      const ShapeBall& ball = system_.balls()[point.ball];
      const Placement& at = motion_[surface.body];
      const Placement& of = places_[ball.shape];
      Vector3 center;
      found = calc_gap<double>(surface, at.p, at.R, ball, of.p, of.R, center).gap;
      far = center.norm() + at.p.norm() + surface.center.norm() + ball.center.norm();
    }
    const double bound = kLength + kRelative * std::abs(claimed) + kSumRoundOffs * eps_ * far;
    if (found >= claimed - bound) continue;
    const ContactPairOptions& o = system_.contacts()[point.pair].options;
    claim("gap", fmt::format("{} ({})", o.name, names(o.first, o.second)), "m", t_, claimed, found,
          (claimed - found) / bound);
  }
}

void Verifier::check_penetration(std::int64_t k) {
  if (!has_poses_ && !has_q_) return;
  const TouchingShapes::Overlap deepest = shapes_.find_deepest(places_);
  if (deepest.shape_a < 0 && !(k == 0 && rows_.first() == 0)) return;
  const double claimed = step_ >= 0 ? steps_[step_].penetration : 0.0;
  const auto who = [&] {
    return deepest.shape_a < 0 ? "" : names(shapes_.body(deepest.shape_a), shapes_.body(deepest.shape_b));
  };
  double far = 0.0;
  if (deepest.shape_a >= 0) {
    for (const int s : {deepest.shape_a, deepest.shape_b}) far += places_[s].p.norm() + shapes_.size(s);
  }
  if (deepest.depth > out_.penetration.found || out_.penetration.bodies.empty()) {
    out_.penetration = {claimed, deepest.depth, t_, who()};
  }
  if (step_ < 0) return;
  at_most("penetration", who, "m", t_, claimed, deepest.depth,
          kLength + kRelative * std::abs(claimed) + kSumRoundOffs * eps_ * far);
}

void Verifier::check_energy(std::int64_t k) {
  if (!has_q_ || !has_u_ || step_ < 0) return;
  Vector momentum(system_.n_u());
  system_.multiply_mass(u_, momentum);
  const double kinetic = 0.5 * u_.dot(momentum);
  const double potential = system_.calc_potential_energy(t_, q_);
  double scale = std::abs(potential);
  double spread = 0.0;  // [J] what round-off of stored positions makes
  for (std::size_t i = 0; i < motion_.size(); ++i) {
    const Body& body = system_.bodies()[i];
    if (body.n_u == 0 || absent_[i] != 0) continue;
    const double weight = body.mass * system_.gravity().norm();
    const double far = q_.segment(body.q_offset, body.n_q).head(std::min(body.n_q, 3)).lpNorm<Eigen::Infinity>();
    scale += weight * far;
    spread += eps_ * weight * far;
  }
  const StepRow& step = steps_[step_];
  const auto check = [&](const char* what, double claimed, double found, double bound) {
    const double off = std::abs(found - claimed);
    if (off > std::abs(out_.energy.found - out_.energy.claimed) || (k == 0 && rows_.first() == 0)) {
      out_.energy = {claimed, found};
    }
    same(what, "/steps", "J", t_, claimed, found, bound);
  };
  check("kinetic energy", step.kinetic_energy, kinetic,
        kRelative * kinetic + kSumRoundOffs * eps_ * kinetic + std::numeric_limits<double>::min());
  const bool turned = system_.n_q() > system_.n_body_q() && step_ != step_before_ + 1;
  if (turned) return;
  const double elastic = rows_.is_single() ? std::abs(system_.calc_elastic_energy(t_, q_)) : 0.0;
  check("potential energy", step.potential_energy, potential,
        kRelative * std::abs(potential) + kSumRoundOffs * (0x1p-53 * scale + spread) + 1e3 * eps_ * elastic +
            std::numeric_limits<double>::min());
}

void Verifier::check_momentum(std::int64_t k) {
  if (k == 0) return;
  if (step_ < 0 || step_ != step_before_ + 1) {
    wide_rows_ = true;
    return;
  }
  const bool has_points = system_.contact_points().empty() || rows_.has(Rows::percussion);
  const bool needs_sets = system_.detection() || system_.has_varying_contacts();
  if (!has_q_ || !has_u_ || !has_points || (needs_sets && !rows_.has_sets())) return;
  const StepRow& step = steps_[step_];
  // An inexact step of iterations claims no balance.
  if (step.status == 2 || (step.status == 1 && rows_.is_iterated())) return;
  std::vector<char> left_out = absent_;  // who came at the end of the step took no part in it
  for (std::size_t i = 0; i < left_out.size(); ++i) left_out[i] |= absent_before_[i];
  const MomentumBalance::Miss miss = balance_.find_worst(k, step.step, t_, q_before_, u_before_, q_, u_, left_out);
  if (miss.body < 0) return;
  out_.momentum = std::max(out_.momentum, miss.share);
  at_most(
      "momentum", [&] { return name(miss.body); }, "N s", t_, 0.0, miss.missed, miss.bound);
}

Verification Verifier::verify(const std::string& file) {
  out_.file = file;
  out_.rows = result_.rows();
  check_shape_of_file();
  has_q_ = rows_.has(Rows::q);
  has_u_ = rows_.has(Rows::u);
  has_poses_ = rows_.has(Rows::position) && rows_.has(Rows::orientation);
  steps_ = result_.read_steps(0, result_.steps());
  for (const EventRow& event : read_events(result_.file())) {
    if (event.what == "accumulation") accumulations_.push_back(event.time);
  }
  check_steps();
  q_ = q_before_ = built_.initial.q;
  u_ = u_before_ = built_.initial.u;
  for (std::int64_t first = 0; first < out_.rows; first += rows_.block()) {
    // The last row of the block before is the start of the first step of this one.
    const std::int64_t from = std::max<std::int64_t>(first - 1, 0);
    const std::int64_t n = std::min(first + rows_.block(), out_.rows) - from;
    rows_.load(from, n);
    for (std::int64_t k = first - from; k < n; ++k) {
      stop_.check();
      take_state(k);
      check_bodies(k);
      check_gaps(k);
      check_penetration(k);
      check_touch(k);
      check_cones(k);
      check_energy(k);
      check_momentum(k);
    }
  }
  for (const auto& entry : result_.limits()) out_.limits.push_back(describe(entry));
  list_not_checked();
  return out_;
}

Verification verify_result(const std::filesystem::path& path, const StopToken& stop) {
  const Trajectory result(path);
  return Verifier(result, stop).verify(path.string());
}

}  // namespace stickslip
