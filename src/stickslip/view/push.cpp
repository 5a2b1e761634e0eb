// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/push.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

constexpr double kHandRate = 30.0;           // [1/s] a body hangs 1 cm below the hand that lifts it
constexpr double kStepShare = 0.15;          // [-] of 1 / step
constexpr double kMostAcceleration = 100.0;  // [m/s^2]
constexpr double kFarthest = 1e9;            // [m] beyond, sums of squares lose their meaning

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0.0, -a(2), a(1), a(2), 0.0, -a(0), -a(1), a(0), 0.0;
  return m;
}

/// The mass of a body's point in the direction in which it is lightest, without joints and contacts. [kg]
double calc_least_mass(const Body& body, const Vector3& at) {
  double inverse = 1.0 / body.mass;
  if (body.type == BodyType::planar) {
    inverse += at.head<2>().squaredNorm() / body.inertia(2, 2);
  } else if (body.type == BodyType::rigid) {
    // The velocity of the point after a unit impulse f: f / m + (J^-1 (at x f)) x at.
    const Matrix3 r = cross_matrix(at);
    const Matrix3 turned = Matrix3::Identity() / body.mass - r * body.inertia.inverse() * r;
    inverse = Eigen::SelfAdjointEigenSolver<Matrix3>(turned, Eigen::EigenvaluesOnly).eigenvalues()(2);
  }
  return 1.0 / inverse;
}

}  // namespace

std::string find_push_defect(const Body& body) {
  if (body.n_u == 0) return fmt::format("{} cannot move by itself", body.name);
  if (body.beam) return fmt::format("{} is a beam, which has no point to hold", body.name);
  const bool has_inertia = body.type == BodyType::point || body.inertia.diagonal().array().abs().maxCoeff() > 0.0;
  if (!(body.mass > 0.0) || !has_inertia) return fmt::format("{} has no mass", body.name);
  return "";
}

BodyInput calc_push(const System& system, const State& state, const Push& push, double step) {
  const Body& body = system.bodies()[push.body];
  BodyInput input;
  input.body = push.body;
  if (body.type != BodyType::point) input.at = push.at;
  if (system.planar()) input.at(2) = 0.0;
  const Pose pose = system.calc_pose(push.body, state.t, state.q);
  const Twist twist = system.calc_twist(push.body, state.t, state.q, state.u);
  const Vector3 arm = pose.R_WB * input.at;
  Vector3 way = push.target - (pose.p_WB + arm);
  if (system.planar()) way(2) = 0.0;
  const double omega = std::min(kHandRate, kStepShare / step);
  const Vector3 acceleration = omega * (omega * way - 2.0 * (twist.v_WB + twist.w_WB.cross(arm)));
  const double scale = std::min(1.0, kMostAcceleration / acceleration.norm());
  input.force = calc_least_mass(body, input.at) * scale * acceleration;
  return input;
}

void Pusher::begin_run(const System& system, double step) {
  const std::lock_guard lock(mutex_);
  defects_.clear();
  for (const Body& body : system.shown_bodies()) defects_.push_back(find_push_defect(body));
  step_ = step;
}

void Pusher::end_run() {
  const std::lock_guard lock(mutex_);
  defects_.clear();
  push_.reset();
}

std::optional<Push> Pusher::find() const {
  const std::lock_guard lock(mutex_);
  return push_ && Clock::now() - pushed_at_ <= patience_ ? push_ : std::nullopt;
}

bool Pusher::is_active() const {
  return find().has_value();
}

void Pusher::set_inputs(const System& system, const State& state, Inputs& inputs) const {
  inputs.clear();
  const std::optional<Push> push = find();
  const double step = step_ > 0.0 ? step_ : state.step_size.next;
  if (!push || !(step > 0.0) || !system.is_present(push->body)) return;
  inputs.set(system, calc_push(system, state, *push, step));
}

std::string Pusher::push(const Push& push) {
  const std::lock_guard lock(mutex_);
  if (defects_.empty()) return "no run goes on";
  if (push.body < 0 || push.body >= static_cast<int>(defects_.size())) {
    return fmt::format("there are bodies 0 to {}", defects_.size() - 1);
  }
  const auto is_near = [](const Vector3& place) { return place.lpNorm<Eigen::Infinity>() <= kFarthest; };
  if (!push.at.allFinite() || !push.target.allFinite() || !is_near(push.at) || !is_near(push.target)) {
    return fmt::format("places are within {:g} m", kFarthest);
  }
  if (!defects_[static_cast<std::size_t>(push.body)].empty()) return defects_[static_cast<std::size_t>(push.body)];
  push_ = push;
  pushed_at_ = Clock::now();
  return "";
}

void Pusher::release() {
  const std::lock_guard lock(mutex_);
  push_.reset();
}

}  // namespace stickslip
