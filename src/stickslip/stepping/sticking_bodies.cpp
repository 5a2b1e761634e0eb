// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/sticking_bodies.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/rank_revealing_solve.h"

namespace stickslip {
namespace {

/// Directions in which contacts hold a body by less than this share of the rest are not held, in normal equations: what
/// two points hold turns about the line through them. [-]
constexpr double kHeld = 1e-9;
constexpr int kMaxDirections = 3;

/// The turn R (3, 3) of less than a quarter as a vector. [rad]
Vector3 turn_vector(const Matrix3& R) {
  const Vector3 sine = 0.5 * Vector3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const double s = sine.norm();
  return s > 0.0 ? Vector3(std::asin(std::min(1.0, s)) / s * sine) : sine;
}

/// Where a body is in the frame of another.
Pose relative_pose(const Pose& frame, const Pose& body) {
  return {frame.R_WB.transpose() * (body.p_WB - frame.p_WB), frame.R_WB.transpose() * body.R_WB};
}

}  // namespace

StickingBodies::StickingBodies(const System& system) : system_(system) {
  const std::size_t n = system.bodies().size();
  roles_at_start_.assign(n, Role::free);
  for (std::size_t i = 0; i < n; ++i) {
    if (system.bodies()[i].n_u == 0) roles_at_start_[i] = Role::stays;
  }
  bool some_lead = false;
  for (const Joint& joint : system.joints()) {
    for (const int body : {joint.first.body, joint.second.body}) {
      if (!joint.holonomic || joint.dim == 0 || roles_at_start_[body] == Role::stays) continue;
      roles_at_start_[body] = Role::leads;
      some_lead = true;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (roles_at_start_[i] != Role::free) continue;
    if (system.bodies()[i].type == BodyType::beam) {
      roles_at_start_[i] = Role::stays;
    } else {
      are_possible_ |= some_lead;
    }
  }
  displacement_.setZero(system.n_u());
}

bool StickingBodies::stuck(std::size_t k, const std::vector<ContactPoint>& points, const StepReport& report) const {
  return k < report.contacts.size() && report.contacts[k].status == ContactStatus::stick && points[k].joint < 0 &&
         !points[k].apart;
}

/// Bodies that stick to what does not move.
void StickingBodies::find_stayers(const std::vector<ContactPoint>& points, const StepReport& report) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!stuck(k, points, report)) continue;
    const int first = system_.body(points[k], Side::first);
    const int second = system_.body(points[k], Side::second);
    if (roles_at_start_[first] == Role::stays && roles_[second] == Role::free) roles_[second] = Role::stays;
    if (roles_at_start_[second] == Role::stays && roles_[first] == Role::free) roles_[first] = Role::stays;
  }
}

bool StickingBodies::follow(const BodySnapshot& start, const std::vector<ContactPoint>& points,
                            const StepReport& report, Vector& q, BodySnapshot& at) {
  if (!are_possible_) return false;
  roles_ = roles_at_start_;
  find_stayers(points, report);
  bool some_moved = false;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!stuck(i, points, report)) continue;
      for (const Side side : {Side::first, Side::second}) {
        const int body = system_.body(points[i], side);
        const int other = system_.body(points[i], side == Side::first ? Side::second : Side::first);
        if (roles_[body] != Role::free || roles_[other] != Role::leads) continue;
        n_ = 0;
        for (std::size_t k = i; k < points.size(); ++k) {
          if (!stuck(k, points, report)) continue;
          const int first = system_.body(points[k], Side::first);
          const int second = system_.body(points[k], Side::second);
          if (first == body && roles_[second] == Role::leads) add_contact(start, at, points[k], Side::first);
          if (second == body && roles_[first] == Role::leads) add_contact(start, at, points[k], Side::second);
        }
        solve(body);
        system_.advance(1.0, displacement_, q);
        displacement_.setZero();
        system_.normalize(at.t(), q);
        at.take(at.t(), q, nullptr);
        roles_[body] = Role::leads;
        some_moved = goes_on = true;
      }
    }
  }
  return some_moved;
}

/// The rows of a contact into the normal equations of the body on a side of it.
void StickingBodies::add_contact(const BodySnapshot& start, const BodySnapshot& at, const ContactPoint& point,
                                 Side side) {
  const int body = system_.body(point, side);
  if (n_ == 0) {
    n_ = system_.bodies()[body].n_u;
    for (int i = 0; i < n_; ++i) scale_[i] = std::sqrt(system_.inverse_mass(body)(i, i));
    std::fill_n(matrix_.begin(), n_ * n_, 0.0);
    std::fill_n(rhs_.begin(), n_, 0.0);
  }
  ContactGeometry geometry;
  calc_contact(at, point, geometry);
  const int n_rows = 1 + std::min(system_.pair(point).friction_dim, kMaxDirections - 1);
  std::array<double, kMaxDirections * kMaxRows> values;
  RowMatrixView J(values.data(), n_rows, n_);
  J.setZero();
  system_.calc_contact_jacobian(point, geometry, at.q(), at[body], side, J);
  const Vector3 slip = calc_slip(start, at, point);
  const std::array<double, kMaxDirections> off = {geometry.gap, geometry.tangent1.dot(slip),
                                                  geometry.tangent2.dot(slip)};
  for (int r = 0; r < n_rows; ++r) {
    for (int i = 0; i < n_; ++i) {
      const double entry = scale_[i] * J(r, i);
      rhs_[i] -= entry * off[r];
      for (int j = 0; j < n_; ++j) matrix_[i * n_ + j] += entry * scale_[j] * J(r, j);
    }
  }
}

/// Of the second side relative to the first in the step. (3) [m]
Vector3 StickingBodies::calc_slip(const BodySnapshot& start, const BodySnapshot& at, const ContactPoint& point) const {
  const Side of_ball = point.flipped ? Side::first : Side::second;
  const Side of_surface = point.flipped ? Side::second : Side::first;
  const int ball = system_.body(point, of_ball);
  const int surface = system_.body(point, of_surface);
  ContactGeometry before;
  ContactGeometry after;
  calc_contact(start, point, before);
  calc_contact(at, point, after);
  const auto place = [&](const ContactGeometry& g) { return point.flipped ? g.position_first : g.position_second; };
  const Pose frame_before = system_.calc_pose(surface, start.t(), start.q());
  const Pose frame = system_.calc_pose(surface, at.t(), at.q());
  const Pose ball_before = system_.calc_pose(ball, start.t(), start.q());
  const Pose ball_after = system_.calc_pose(ball, at.t(), at.q());
  const Pose from = relative_pose(frame_before, ball_before);
  const Pose to = relative_pose(frame, ball_after);
  const Vector3 arms = frame_before.R_WB.transpose() * (place(before) - ball_before.p_WB) +
                       frame.R_WB.transpose() * (place(after) - ball_after.p_WB);
  const Vector3 turn = turn_vector(to.R_WB * from.R_WB.transpose());
  const Vector3 slip = frame.R_WB * (to.p_WB - from.p_WB + 0.5 * turn.cross(arms));
  return point.flipped ? Vector3(-slip) : slip;
}

/// displacement_ of the body.
void StickingBodies::solve(int body) {
  solve_least_norm(n_, matrix_.data(), rhs_.data(), solution_.data(), kHeld);
  const int offset = system_.bodies()[body].u_offset;
  for (int i = 0; i < n_; ++i) displacement_(offset + i) = scale_[i] * solution_[i];
}

}  // namespace stickslip
