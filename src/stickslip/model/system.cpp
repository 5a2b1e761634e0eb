// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/system.h"

#include <algorithm>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/pair_kinematics.h"

namespace stickslip {

int System::find_body(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int System::find_joint(std::string_view name) const {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (joints_[i].options.name == name) return static_cast<int>(i);
  }
  return -1;
}

void System::set_absent(std::vector<char> absent) {
  if (std::ranges::all_of(absent, [](char is_absent) { return is_absent == 0; })) absent.clear();
  if (absent == absent_) return;
  absent_ = std::move(absent);
  ++attendance_;
}

// --- kinematics of bodies

Pose System::calc_pose(int body, double t, const Vector& q) const {
  return calc_pose(origins_[body], t, q);
}

Twist System::calc_twist(int body, double t, const Vector& q, const Vector& u) const {
  return calc_twist(origins_[body], t, q, u);
}

Pose System::calc_pose(const Attachment& at, double t, const Vector& q) const {
  const Frame<double> f = frame_at(bodies_[at.body], at, t, q, nullptr);
  return {f.p, f.R};
}

Twist System::calc_twist(const Attachment& at, double t, const Vector& q, const Vector& u) const {
  const Frame<double> f = frame_at(bodies_[at.body], at, t, q, &u);
  return {f.v, f.w};
}

// Flat, as calc_contact_within().
[[gnu::flatten]] BodyMotion System::calc_motion(const Attachment& at, double t, const Vector& q,
                                                const Vector* u) const {
  return frame_at(bodies_[at.body], at, t, q, u);
}

Attachment System::attach(int body, double parameter) const {
  const Body& b = bodies_[body];
  Attachment at;
  at.body = body;
  at.q_offset = b.q_offset;
  at.n_q = b.n_q;
  at.u_offset = b.u_offset;
  at.n_u = b.n_u;
  if (b.beam) b.beam->attach(parameter, at);
  return at;
}

void System::calc_coordinate_rates(const Vector& q, const Vector& u, Vector& q_dot) const {
  for (const Body& b : bodies_) {
    if (b.type == BodyType::beam) {
      q_dot.segment(b.q_offset, b.n_q) = u.segment(b.u_offset, b.n_u);
    } else {
      body_coordinate_rates<double>(b, q.data() + b.q_offset, u.data() + b.u_offset, q_dot.data() + b.q_offset);
    }
  }
  q_dot.tail(n_turns_).setZero();  // counted at the end of a step
}

void System::advance(double h, const Vector& u, Vector& q) const {
  for (const Body& b : bodies_) {
    for (int i = 0; i < n_straight(b); ++i) q(b.q_offset + i) += h * u(b.u_offset + i);
    if (!has_quaternion(b.type)) continue;
    auto e = q.segment<4>(b.q_offset + 3);
    e = quaternion_product<double>(e, quaternion_exp(h * u.segment<3>(b.u_offset + 3)));
  }
}

void System::normalize_quaternions(Vector& q) const {
  for (const Body& b : bodies_) {
    if (has_quaternion(b.type)) q.segment<4>(b.q_offset + 3).normalize();
  }
}

// --- masses and forces

void System::multiply_mass(const Vector& v, Vector& result) const {
  STICKSLIP_ASSERT(v.size() == n_u_ && result.size() == n_u_);
  if (has_diagonal_mass_) {
    for (Eigen::Index i = 0; i < v.size(); ++i) result(i) = mass_diagonal_(i) * v(i);
    return;
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& b = bodies_[i];
    set_product(b.n_u, b.n_u, mass_[i].data(), v.data() + b.u_offset, result.data() + b.u_offset);
  }
}

void System::solve_mass(const Vector& f, Vector& result) const {
  STICKSLIP_ASSERT(f.size() == n_u_ && result.size() == n_u_);
  if (has_diagonal_mass_) {
    for (Eigen::Index i = 0; i < f.size(); ++i) result(i) = inverse_mass_diagonal_(i) * f(i);
    return;
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& b = bodies_[i];
    if (b.beam) {
      b.beam->solve_mass(f.data() + b.u_offset, result.data() + b.u_offset);
      continue;
    }
    set_product(b.n_u, b.n_u, inverse_mass_[i].data(), f.data() + b.u_offset, result.data() + b.u_offset);
  }
}

double System::calc_kinetic_energy(const Vector& u) const {
  double energy = 0.0;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& b = bodies_[k];
    if (b.beam) {
      const auto v = u.segment(b.u_offset, b.n_u);
      energy += 0.5 * v.dot(mass_[k].lazyProduct(v));
      continue;
    }
    const int n = b.n_u == 0 ? 0 : dimension();
    for (int i = 0; i < n; ++i) energy += 0.5 * b.mass * u(b.u_offset + i) * u(b.u_offset + i);
    switch (b.type) {
      case BodyType::planar:
        energy += 0.5 * b.inertia(2, 2) * u(b.u_offset + 2) * u(b.u_offset + 2);
        break;
      case BodyType::rigid: {
        const Vector3 omega = u.segment<3>(b.u_offset + 3);
        energy += 0.5 * omega.dot(b.inertia * omega);
        break;
      }
      case BodyType::point:
      case BodyType::beam:
      case BodyType::fixed:
      case BodyType::moving:
        break;
    }
  }
  return energy;
}

}  // namespace stickslip
