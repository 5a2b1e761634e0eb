// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/verify.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "stickslip/base/input_error.h"
#include "stickslip/collision/gap.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/stored_meshes.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/verify/momentum.h"
#include "stickslip/verify/result_rows.h"
#include "stickslip/verify/touching_shapes.h"

namespace stickslip {
namespace {

using Rows = ResultRows;

/// What a figure may be worse than its claim by: relative, and lengths in metres.
constexpr double kRelative = 1e-9;
constexpr double kLength = 1e-12;
/// [-] Of what a sum is made of, in units of the stored precision.
constexpr double kSumRoundOffs = 16.0;

Scene scene_of(const Trajectory& result) {
  LoadOptions options;
  options.allow_include = false;
  options.max_bytes = result.scene().size();
  options.stored_meshes = find_stored_meshes(result.file());
  return parse_scene(result.scene(), result.file().name() + " (scene)", options);
}

/// How far contacts of the scheme act before shapes touch: up to a gap [m], and by a time [s].
std::pair<double, double> verified_reach(const SchemeOptions& scheme) {
  if (const auto* moreau = std::get_if<MoreauOptions>(&scheme)) return {moreau->activation, 0.0};
  const auto* relaxation = std::get_if<RelaxationOptions>(&scheme);
  if (relaxation == nullptr || relaxation->form != RelaxationForm::ode) return {0.0, 0.0};
  return {0.0, (2.0 * relaxation->zeta + 1.0) * relaxation->delta};
}

class Verifier {
 public:
  Verifier(const Trajectory& result, const StopToken& stop)
      : result_(result),
        stop_(stop),
        scene_(scene_of(result)),
        built_(build(scene_, nullptr, stop)),
        system_(*built_.system),
        rows_(result),
        shapes_(system_),
        balance_(system_, rows_),
        eps_(rows_.is_single() ? 0x1p-24 : 0x1p-53),
        motion_(system_.bodies().size()),
        motion_before_(motion_),
        places_(system_.shapes().size()),
        manifolds_(system_.contact_points().size(), -1) {
    for (std::size_t i = 0; i < system_.manifold_pairs().size(); ++i) {
      const int point = system_.manifold_pairs()[i].point;
      if (point >= 0) manifolds_[point] = static_cast<int>(i);
    }
    for (const Body& body : system_.bodies()) {
      if (body.n_u > 0) heaviest_ = std::max(heaviest_, body.mass);
    }
  }

  Verification verify(const std::string& file);

 private:
  void check_shape_of_file();
  void list_not_checked();
  void check_steps();
  void claim(std::string_view what, std::string_view who, const char* unit, double t, double claimed, double found,
             double excess);
  /// Claims that `found` is at most `claimed` + `bound`. `who` names the bodies, and is called where that is false.
  template <class Who>
  void at_most(std::string_view what, const Who& who, const char* unit, double t, double claimed, double found,
               double bound);
  /// Claims that `found` and `claimed` differ by at most `bound`.
  void same(std::string_view what, std::string_view who, const char* unit, double t, double claimed, double found,
            double bound);

  void take_state(std::int64_t k);
  void check_bodies(std::int64_t k);
  void check_gaps(std::int64_t k);
  void check_penetration(std::int64_t k);
  void check_touch(std::int64_t k);
  void check_touch(int shape_a, int shape_b);
  void check_cones(std::int64_t k);
  /// Of detected contacts between the shapes of two bodies: results do not say which shapes touch.
  double largest_friction(int body_a, int body_b) const;
  template <class Who>
  void check_cone(const Who& who, double mu, double normal, double friction, double largest);
  void check_energy(std::int64_t k);
  void check_momentum(std::int64_t k);
  void check_kind(std::int64_t k, Rows::Column normal, Rows::Column friction, Rows::Column world, const char* what);

  std::string name(int body) const { return body < 0 ? "" : system_.bodies()[body].name; }
  std::string names(int a, int b) const { return fmt::format("{}, {}", name(a), name(b)); }
  /// The row of /steps that ends at t, or -1.
  std::int64_t find_step(double t) const;
  /// Whether impacts accumulate in the step of the row: those that are passed over obey no law.
  bool has_accumulation() const;

  const Trajectory& result_;
  StopToken stop_;
  Scene scene_;
  BuiltScene built_;
  const System& system_;
  ResultRows rows_;
  TouchingShapes shapes_;
  MomentumBalance balance_;
  double eps_;
  Verification out_;

  std::vector<StepRow> steps_;
  std::vector<double> accumulations_;  // [s] in order
  bool has_q_ = false, has_u_ = false, has_poses_ = false;
  double t_ = 0.0;                             // [s] of the row
  std::int64_t step_ = -1, step_before_ = -1;  // in steps_
  Vector q_, u_, q_before_, u_before_;         // (n_q), (n_u)
  std::vector<Placement> motion_;              // (bodies)
  std::vector<Placement> motion_before_;       // (bodies) of the row before
  std::vector<Placement> places_;              // (shapes)
  std::vector<int> manifolds_;                 // (points) index into System::manifold_pairs(), -1: none
  double heaviest_ = 0.0;                      // [kg] of the bodies
  bool wide_rows_ = false;                     // some rows are more than a step apart
};

void Verifier::claim(std::string_view what, std::string_view who, const char* unit, double t, double claimed,
                     double found, double excess) {
  const FalseClaim claim{std::string(what), std::string(who), unit, t, claimed, found, excess};
  if (out_.n_false++ == 0) out_.first = claim;
  if (out_.n_false == 1 || excess > out_.worst.excess || std::isnan(excess)) out_.worst = claim;
}

template <class Who>
void Verifier::at_most(std::string_view what, const Who& who, const char* unit, double t, double claimed, double found,
                       double bound) {
  if (found <= claimed + bound) return;
  claim(what, who(), unit, t, claimed, found, (found - claimed) / bound);
}

void Verifier::same(std::string_view what, std::string_view who, const char* unit, double t, double claimed,
                    double found, double bound) {
  if (std::abs(found - claimed) <= bound) return;
  claim(what, who, unit, t, claimed, found, std::abs(found - claimed) / bound);
}

std::int64_t Verifier::find_step(double t) const {
  const auto at = std::ranges::lower_bound(steps_, t, {}, &StepRow::time);
  return at != steps_.end() && at->time == t ? at - steps_.begin() : -1;
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
  const std::size_t n = system_.bodies().size();
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
                               Rows::impulse, Rows::friction_percussion, Rows::percussion}) {
    width(c, 3 * n_points);
  }
  width(Rows::reaction_force, 3 * system_.joints().size());
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
    same("energy_error", "/steps", "J", step.time, step.energy_error, error,
         kRelative * std::abs(step.energy_error) + kSumRoundOffs * 0x1p-53 * size + std::numeric_limits<double>::min());
  }
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
    if (system_.n_q() > system_.n_body_q()) system_.count_turns(t_, q_);
  }
  if (has_u_) u_ = Eigen::Map<const Vector>(rows_.row(Rows::u, k), system_.n_u());
  if (!has_poses_ && !has_q_) return;
  for (std::size_t i = 0; i < motion_.size(); ++i) {
    if (has_poses_) {
      const double* e = rows_.row(Rows::orientation, k) + 4 * i;
      motion_[i] = {rows_.triple(Rows::position, k, i),
                    Eigen::Quaterniond(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix()};
    } else {
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
    if (point.joint >= 0) continue;
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

double Verifier::largest_friction(int body_a, int body_b) const {
  double most = 0.0;
  const auto n_shapes = [&](int body) { return static_cast<int>(system_.bodies()[body].shapes.size()); };
  for (int a = 0; a < n_shapes(body_a); ++a) {
    for (int b = 0; b < n_shapes(body_b); ++b) {
      const int shape_a = system_.first_shape(body_a) + a;
      const int shape_b = system_.first_shape(body_b) + b;
      if (!system_.has_detected_law(shape_a, shape_b)) continue;
      most = std::max(most, system_.detected_law(shape_a, shape_b).friction);
    }
  }
  return most;
}

template <class Who>
void Verifier::check_cone(const Who& who, double mu, double normal, double friction, double largest) {
  if (largest == 0.0 || has_accumulation()) return;
  const double off = std::max({0.0, -normal, friction - mu * std::max(normal, 0.0)}) / largest;
  out_.cone = std::max(out_.cone, off);
  // The residual of the step claims how far a percussion may be from its cone, as a velocity: over at least 1/m of the
  // heaviest body.
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
      if (points[i].joint < 0) largest = std::max(largest, std::abs(rows_.row(Rows::normal_percussion, k)[i]));
    }
  }
  for (std::int64_t e = rows_.set_begin(k); e < rows_.set_last(k); ++e) {
    largest = std::max(largest, rows_.set_triple(Rows::set_percussion, e).norm());
  }
  if (has_points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].joint >= 0) continue;
      const ContactPair& pair = system_.contacts()[points[i].pair];
      check_cone([&] { return pair.options.name; }, pair.law().friction, rows_.row(Rows::normal_percussion, k)[i],
                 rows_.triple(Rows::friction_percussion, k, i).norm(), largest);
    }
  }
  for (std::int64_t e = rows_.set_begin(k); e < rows_.set_last(k); ++e) {
    const Vector3 n = rows_.set_triple(Rows::set_normal, e);
    const Vector3 p = rows_.set_triple(Rows::set_percussion, e);
    const int named = static_cast<int>(*rows_.set(Rows::set_pair, e));
    double mu = 0.0;
    if (named >= 0 && named < static_cast<int>(system_.contacts().size())) {
      mu = system_.contacts()[named].law().friction;
    } else if (system_.detection()) {
      mu = largest_friction(static_cast<int>(*rows_.set(Rows::set_body_a, e)),
                            static_cast<int>(*rows_.set(Rows::set_body_b, e)));
    }
    const double normal = n.dot(p);
    const auto who = [&] {
      return names(static_cast<int>(*rows_.set(Rows::set_body_a, e)),
                   static_cast<int>(*rows_.set(Rows::set_body_b, e)));
    };
    check_cone(who, mu, normal, (p - normal * n).norm(), largest);
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
    if (body.n_u == 0) continue;
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
  const MomentumBalance::Miss miss = balance_.find_worst(k, step.step, t_, q_before_, u_before_, q_, u_);
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

}  // namespace

Verification verify_result(const std::filesystem::path& path, const StopToken& stop) {
  const Trajectory result(path);
  return Verifier(result, stop).verify(path.string());
}

}  // namespace stickslip
