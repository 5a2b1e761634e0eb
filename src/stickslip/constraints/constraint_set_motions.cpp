// SPDX-License-Identifier: BSD-3-Clause
// Rows of servos; what prescribed motions give rows, and how surfaces that turn carry what is on them.
#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/pair_rows.h"

namespace stickslip {
namespace {

/// How many times what the chord and the instant differ by a body's motion may differ from the surface's for it to be
/// carried: what begins to stick lags by a step's turn, twice that difference. What slides or rolls differs by far
/// more.
/// [-]
constexpr double kCarried = 4.0;

/// The share in which a body moves with a surface that is not prescribed, from which it differs by so much, where chord
/// and instant differ by `turns`: all of it up to half of kCarried, none from there on. Without a jump, which would let
/// what creeps stick in every other step. [m/s]
double calc_share(double differs, double turns) {
  if (differs == 0.0) return 1.0;
  if (!(differs < kCarried * turns)) return 0.0;
  return std::min(1.0, 2.0 * (1.0 - differs / (kCarried * turns)));
}

}  // namespace

void ConstraintSet::get_tau(std::vector<double>& gamma) const {
  make_room(gamma, gamma_.size());
  if (tau_.empty()) return gamma.assign(gamma_.size(), 0.0);
  gamma = tau_;
}

void ConstraintSet::get_tau_at_start(std::vector<double>& gamma) const {
  make_room(gamma, gamma_.size());
  gamma.assign(gamma_.size(), 0.0);
  for (std::size_t row = 0; row < tau_.size(); ++row) gamma[row] = 2.0 * tau_at_instant_[row] - tau_[row];
  for (std::size_t row = 0; row < tau_by_joints_.size(); ++row) gamma[row] += 2.0 * tau_by_joints_[row];
}

/// A motion that is not known until the end of the step, which may lie behind that of the run, stays the instant's.
void ConstraintSet::find_finite_motions(double h) {
  turning_.clear();
  for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
    stop_.check();
    const Body& body = system_.bodies()[i];
    if (body.type != BodyType::moving) continue;
    const double angle = body.motion->angle.value(at_->t() + h) - body.motion->angle.value(at_->t());
    const int k = static_cast<int>(i);
    const Vector3 end = system_.calc_pose(k, at_->t() + h, at_->q()).p_WB;
    if (angle == 0.0 || !std::isfinite(angle) || !end.allFinite()) continue;
    append(turning_, FiniteMotion{k, axis_angle_matrix(body.motion->axis, angle), end, angle / h * body.motion->axis});
  }
}

/// One side of a contact, the other one at rest: where it turns as prescribed, how it carries a body that moves with
/// it. What slides or rolls on it meets the velocity of the instant.
BodyMotion ConstraintSet::carry(const ContactPoint& point, Side side, double h) const {
  const int body = system_.body(point, side);
  BodyMotion motion;
  motion = at_->at(system_.place_number(point, side), motion);
  if (system_.bodies()[body].type != BodyType::moving) {
    motion.v.setZero();
    motion.w.setZero();
    return motion;
  }
  const auto turns = std::ranges::find(turning_, body, &FiniteMotion::body);
  if (turns == turning_.end()) return motion;
  const Side other = side == Side::first ? Side::second : Side::first;
  const Body& carried = system_.bodies()[system_.body(point, other)];
  BodyMotion scratch;
  if (carried.type == BodyType::beam || carried.n_u == 0) return motion;
  const BodyMotion& held = at_->at(system_.place_number(point, other), scratch);
  const Vector3 arm = held.p - motion.p;
  const Vector3 at_instant = motion.v + motion.w.cross(arm);
  const Vector3 along_chord = (turns->end + turns->turn * arm - held.p) / h;
  const double turn = h * motion.w.squaredNorm();  // [rad/s] by which the axes of what lags turn away
  if ((held.v - at_instant).norm() > kCarried * (along_chord - at_instant).norm()) return motion;
  if (carried.type != BodyType::point &&
      (held.w - motion.w).norm() > kCarried * ((turns->omega - motion.w).norm() + turn)) {
    return motion;
  }
  motion.w = turns->omega;
  motion.v = along_chord - motion.w.cross(arm);
  return motion;
}

/// The surface of two bodies whose motion is not prescribed and that may move as one: one that turns, or that joints
/// may turn.
std::optional<Side> ConstraintSet::find_carrier(const BodySnapshot& at, const ContactPoint& point, double h) const {
  const Body& first = system_.bodies()[system_.body(point, Side::first)];
  const Body& second = system_.bodies()[system_.body(point, Side::second)];
  if (point.joint >= 0 || first.n_u == 0 || second.n_u == 0) return std::nullopt;
  if (first.type == BodyType::beam || second.type == BodyType::beam) return std::nullopt;
  if (first.type == BodyType::point && second.type == BodyType::point) return std::nullopt;
  const Side carrier = first.type == BodyType::point ? Side::second : Side::first;
  if (!system_.joints().empty()) return carrier;
  const Vector3& w = at[system_.body(point, carrier)].w;
  const bool is_point = first.type == BodyType::point || second.type == BodyType::point;
  const Vector3& other = is_point ? w : at[system_.body(point, Side::second)].w;
  return w.squaredNorm() > 0.0 && (other - w).norm() <= kCarried * h * w.squaredNorm() ? std::optional(carrier)
                                                                                       : std::nullopt;
}

bool ConstraintSet::may_carry(const BodySnapshot& at, const std::vector<ContactPoint>& points, double h) const {
  return std::ranges::any_of(points, [&](const ContactPoint& k) { return find_carrier(at, k, h).has_value(); });
}

/// By how much the surface of the first of two such bodies moves faster over the step than at the instant, as the other
/// one sees it, if they move as one: adds what that gives the rows of the contact there to tau. by_joints: the share of
/// joints, which move bodies within the step as no velocities say. The step before had it, and it is no slip.
void ConstraintSet::add_carried(const ContactPoint& point, const ContactGeometry& geometry, Side carrier, double h,
                                ContactVector& tau, ContactVector& by_joints) const {
  const int surface = system_.body(point, carrier);
  const int carried = system_.body(point, carrier == Side::first ? Side::second : Side::first);
  const BodyMotion& on = (*at_)[surface];
  const BodyMotion& held = (*at_)[carried];
  const Vector3 arm = held.p - on.p;
  const bool is_point = system_.bodies()[carried].type == BodyType::point;
  // [m/s] less the tangent; to second order, so that pads of one hand ask for the same motion of what they grip.
  const Vector3 w = is_point ? on.w : Vector3(0.5 * (on.w + held.w));
  const Vector3 chord = 0.5 * h * w.cross(w.cross(arm));
  Vector3 v_joints = Vector3::Zero(), w_joints = Vector3::Zero();
  double turns = chord.norm() + h * on.w.squaredNorm() * arm.norm();  // [m/s] by which chord and instant differ
  if (ahead_ != nullptr) {
    const BodyMotion& on_ahead = (*ahead_)[surface];
    const BodyMotion& held_ahead = (*ahead_)[carried];
    w_joints = on_ahead.w - on.w;
    if (!is_point) w_joints -= held_ahead.w - held.w;
    v_joints = on_ahead.v - on.v - (held_ahead.v - held.v) + (on_ahead.w - on.w - w_joints).cross(arm);
    turns += (held_ahead.v - held.v).norm() + (on_ahead.v - on.v).norm();
    turns += ((held_ahead.w - held.w).norm() + (on_ahead.w - on.w).norm()) * arm.norm();
  }
  double share = calc_share((held.v - on.v - on.w.cross(arm)).norm(), turns);
  if (!is_point) share = std::min(share, calc_share((held.w - on.w).norm() * arm.norm(), turns));
  if (share == 0.0) return;
  const Attachment& at = system_.side(point, carrier);
  Eigen::Matrix<double, kMaxContactRows, 6, Eigen::RowMajor> J;
  auto rows = J.topLeftCorner(problem_.cones.back().dim, at.n_u);
  system_.calc_contact_jacobian(point, geometry, at_->q(), on, carrier, rows);
  const auto add_rows = [&](const Vector3& v, const Vector3& turn, ContactVector& sum) {
    Eigen::Matrix<double, 6, 1> u;
    if (system_.planar()) {
      u << v.head<2>(), turn.z(), Vector3::Zero();
    } else {
      u << v, on.R.transpose() * turn;
    }
    sum.head(rows.rows()) += rows * (share * u.head(at.n_u));
  };
  add_rows(v_joints + chord, w_joints, tau);
  if (ahead_ != nullptr) add_rows(v_joints, w_joints, by_joints);
}

void ConstraintSet::add_motion_rate(int cone, double more) {
  const Joint& joint = system_.joints()[index(cone)];
  STICKSLIP_ASSERT(!tau_.empty() && joint.options.motion);
  const int row = problem_.cones[cone].offset + motion_row(joint);
  tau_[row] -= more;
  tau_at_instant_[row] -= more;
}

/// The compliance of each is that of a body of its own, of unit mass.
void ConstraintSet::gather_servos(double h) {
  for (std::size_t i = 0; i < servos_->rows().size(); ++i) {
    stop_.check();
    ServoRows::Row& row = servos_->rows()[i];
    const Joint& joint = system_.joints()[row.joint];
    if (row.is_bounded()) {
      problem_.add_ball(1, 0.0);
    } else {
      problem_.add_free(1);
    }
    const double t = servos_->time_of(row, at_->t());
    const Vector& q = servos_->coordinates_of(row, at_->q());
    const PairRows direction = PairRows::free_directions(joint, row.direction, 1);
    direction.calc_geometry(system_, t, q, &at_->u(), pair_);
    row.unit = pair_.unit[0];
    double inverse_mass = 0.0;
    for (const int s : {0, 1}) {
      const Attachment& at = joint.side(s);
      if (at.n_u == 0) continue;
      const int column = at.u_offset - system_.bodies()[at.body].u_offset;
      const auto W = pair_.W[s].row(0);
      Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxSideDofs, 1> y(at.n_u);  // no memory
      if (system_.has_diagonal_mass()) {
        y = system_.inverse_mass_diagonal().segment(at.u_offset, at.n_u).cwiseProduct(W.transpose());
      } else {
        y.noalias() = system_.inverse_mass(at.body).block(column, column, at.n_u, at.n_u) * W.transpose();
      }
      inverse_mass += W.dot(y);
    }
    const double gain = row.calc_gain(h);
    const double compliance = 1.0 / (h * gain);
    row.scale = inverse_mass > 0.0 ? 1.0 / std::sqrt(1.0 + compliance / inverse_mass) : 1.0;
    row.compliance = compliance * row.scale * row.scale;
    if (row.is_bounded()) problem_.cones.back().radius = h * 0.5 * (row.high - row.low) / row.scale;
    double stretch = 0.0;
    if (row.stiffness > 0.0) stretch = row.target - system_.calc_joint_coordinate(row.joint, at_->t(), at_->q());
    row.moved = 0.0;
    if (system_.joint_has_prescribed_motion(row.joint)) {
      JointVector rate;
      direction.calc_velocity(system_, t, q, nullptr, rate);
      row.moved = rate(0);
    }
    row.wanted = (row.stiffness * stretch + row.damping * row.rate) / gain;
    row.shift = row.scale * (row.moved - row.wanted + compliance * h * row.middle);
    const double gamma = row.scale * pair_.gamma(0);
    add_member(static_cast<int>(i), &gamma);
    const double half = 0.5 * row.shift;  // so that get_tau_at_start() gives zero
    set_last_tau(&row.shift, &half);
    for (auto& W : pair_.W) W *= row.scale;
    add_pair(joint.first, joint.second);
    auto& factored = std::get<FactoredDelassus>(problem_.delassus);
    factored.add_block(factored.n_bodies() - n_servos_ + static_cast<int>(i))(0, 0) = std::sqrt(row.compliance);
  }
}

}  // namespace stickslip
