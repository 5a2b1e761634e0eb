// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/packed_delassus.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

using Map3 = Eigen::Map<const Vector3>;

static_assert(sizeof(PackedDelassus::Contact) <= 128 && sizeof(PackedDelassus::Body) <= 112);

/// A symmetric matrix times a vector.
Vector3 times(const std::array<double, 6>& a, const Vector3& x) {
  return {a[0] * x(0) + a[1] * x(1) + a[2] * x(2), a[1] * x(0) + a[3] * x(1) + a[4] * x(2),
          a[2] * x(0) + a[4] * x(1) + a[5] * x(2)};
}

/// The directions of a contact's rows.
std::array<Vector3, 3> directions_of(const PackedDelassus::Contact& c) {
  return {c.normal, c.tangent, c.normal.cross(c.tangent)};
}

Vector3 force_of(const PackedDelassus::Contact& c, int dim, const double* p) {
  if (dim == 1) return p[0] * c.normal;
  return p[0] * c.normal + p[1] * c.tangent + p[2] * c.normal.cross(c.tangent);
}

/// v += M^-1 (force, torque) of one body.
void accelerate(const PackedDelassus::Body& body, const Vector3& force, const Vector3& torque, double* v) {
  Eigen::Map<Vector3>(v) += body.inverse_mass * force;
  Eigen::Map<Vector3>(v + 3) += times(body.inverse_inertia, torque);
}

/// block (dim, dim) += sign (d_r . d_c / m + (arm_i x d_r) . I^-1 (arm_j x d_c)), d the directions of two contacts of a
/// body.
void add_coupling(const PackedDelassus::Body& body, int dim, double sign, const std::array<Vector3, 3>& left,
                  const Vector3& arm_left, const std::array<Vector3, 3>& right, const Vector3& arm_right,
                  double* block) {
  if (dim == 1) {
    const Vector3 turned = times(body.inverse_inertia, arm_right.cross(right[0]));
    block[0] += sign * (body.inverse_mass * left[0].dot(right[0]) + arm_left.cross(left[0]).dot(turned));
    return;
  }
  std::array<Vector3, 3> turned;
  for (int c = 0; c < 3; ++c) turned[c] = times(body.inverse_inertia, arm_right.cross(right[c]));
  for (int r = 0; r < 3; ++r) {
    const Vector3 lever = arm_left.cross(left[r]);
    for (int c = 0; c < 3; ++c) {
      block[3 * r + c] += sign * (body.inverse_mass * left[r].dot(right[c]) + lever.dot(turned[c]));
    }
  }
}

}  // namespace

void PackedDelassus::clear(int dim) {
  STICKSLIP_ASSERT(dim == kDim || dim == 1);
  dim_ = dim;
  bodies_.clear();
  contacts_.clear();
}

int PackedDelassus::add_body(double inverse_mass, const Matrix3& inverse_inertia) {
  const Matrix3& a = inverse_inertia;
  append(bodies_, {inverse_mass, {a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)}});
  return n_bodies() - 1;
}

void PackedDelassus::add_relative_velocity(int i, const double* v, double* u) const {
  const Contact& c = contacts_[i];
  Vector3 dv = Vector3::Zero();
  if (c.second != kFixed) {
    const double* of_body = v + kBodyRows * c.second;
    dv = Map3(of_body) + Map3(of_body + 3).cross(c.arm_second);
  }
  if (c.first != kFixed) {
    const double* of_body = v + kBodyRows * c.first;
    dv -= Map3(of_body) + Map3(of_body + 3).cross(c.arm_first);
  }
  u[0] += c.normal.dot(dv);
  if (dim_ == 1) return;
  u[1] += c.tangent.dot(dv);
  u[2] += c.normal.cross(c.tangent).dot(dv);
}

void PackedDelassus::add_momentum(int i, const double* p, double* momentum) const {
  const Contact& c = contacts_[i];
  const Vector3 force = force_of(c, dim_, p);
  if (c.second != kFixed) {
    double* of_body = momentum + kBodyRows * c.second;
    Eigen::Map<Vector3>(of_body) += force;
    Eigen::Map<Vector3>(of_body + 3) += c.arm_second.cross(force);
  }
  if (c.first != kFixed) {
    double* of_body = momentum + kBodyRows * c.first;
    Eigen::Map<Vector3>(of_body) -= force;
    Eigen::Map<Vector3>(of_body + 3) -= c.arm_first.cross(force);
  }
}

PackedDelassus::BodyRow PackedDelassus::row_of(int i, int body, int r) const {
  const Contact& c = contacts_[i];
  const double sign = body == c.second ? 1.0 : -1.0;
  const Vector3 force = sign * directions_of(c)[r];
  const Vector3 torque = (body == c.second ? c.arm_second : c.arm_first).cross(force);
  BodyRow row = {};
  Eigen::Map<Vector3>(row.momentum.data()) = force;
  Eigen::Map<Vector3>(row.momentum.data() + 3) = torque;
  accelerate(bodies_[body], force, torque, row.velocity.data());
  return row;
}

/// v = M^-1 J^T p. (6 n_bodies)
void PackedDelassus::calc_velocities(std::span<const Cone> cones, const double* p, double* v) const {
  std::fill_n(v, kBodyRows * bodies_.size(), 0.0);
  for (int i = 0; i < n_rows(); ++i) {
    prefetch_ahead(i, v);
    add_momentum(i, p + cones[i].offset, v);
  }
  for (int k = 0; k < n_bodies(); ++k, v += kBodyRows) {  // momenta become velocities in place
    const Vector3 force = Map3(v);
    const Vector3 torque = Map3(v + 3);
    std::fill_n(v, kBodyRows, 0.0);
    accelerate(bodies_[k], force, torque, v);
  }
}

void PackedDelassus::apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const {
  calc_velocities(cones, p, work.data());
  for (int i = 0; i < n_rows(); ++i) {
    prefetch_ahead(i, work.data());
    std::fill_n(u + cones[i].offset, dim_, 0.0);
    add_relative_velocity(i, work.data(), u + cones[i].offset);
  }
}

/// block += W_ij; false where the contacts share no body.
bool PackedDelassus::calc_product(int i, int j, double* block) const {
  const Contact& a = contacts_[i];
  const Contact& b = contacts_[j];
  bool coupled = false;
  const std::array<Vector3, 3> left = directions_of(a);
  const std::array<Vector3, 3> right = directions_of(b);
  const auto add = [&](int body, int other, double sign, const Vector3& arm, const Vector3& other_arm) {
    if (body == kFixed || body != other) return;
    coupled = true;
    add_coupling(bodies_[body], dim_, sign, left, arm, right, other_arm, block);
  };
  add(a.first, b.first, 1.0, a.arm_first, b.arm_first);
  add(a.first, b.second, -1.0, a.arm_first, b.arm_second);
  add(a.second, b.first, -1.0, a.arm_second, b.arm_first);
  add(a.second, b.second, 1.0, a.arm_second, b.arm_second);
  return coupled;
}

void PackedDelassus::calc_diagonal_block(std::span<const Cone> /*cones*/, int i, double* block) const {
  std::fill_n(block, dim_ * dim_, 0.0);
  calc_product(i, i, block);
  for (int r = 0; r < dim_; ++r) {  // exactly symmetric
    for (int c = r + 1; c < dim_; ++c) block[c * dim_ + r] = block[r * dim_ + c];
  }
}

void PackedDelassus::calc_diagonal(std::span<const Cone> /*cones*/, int i, double* diagonal) const {
  const Contact& contact = contacts_[i];
  const std::array<Vector3, 3> directions = directions_of(contact);
  for (int r = 0; r < dim_; ++r) {
    diagonal[r] = 0.0;
    const auto add = [&](int body, const Vector3& arm) {
      if (body == kFixed) return;
      const Vector3 lever = arm.cross(directions[r]);
      diagonal[r] += bodies_[body].inverse_mass + lever.dot(times(bodies_[body].inverse_inertia, lever));
    };
    add(contact.first, contact.arm_first);
    add(contact.second, contact.arm_second);
  }
}

/// The sum over three orthonormal d of 1 / m + (r x d) . I^-1 (r x d) is the same for any three: here the axes.
double PackedDelassus::calc_trace(int i) const {
  const Contact& contact = contacts_[i];
  double trace = 0.0;
  const auto add = [&](int body, const Vector3& r) {
    if (body == kFixed) return;
    const auto& [xx, xy, xz, yy, yz, zz] = bodies_[body].inverse_inertia;
    const double x = r(0), y = r(1), z = r(2);
    trace += 3.0 * bodies_[body].inverse_mass + (yy + zz) * x * x + (xx + zz) * y * y + (xx + yy) * z * z -
             2.0 * (xy * x * y + xz * x * z + yz * y * z);
  };
  add(contact.first, contact.arm_first);
  add(contact.second, contact.arm_second);
  return trace;
}

void PackedDelassus::prepare_row(std::span<const Cone> cones, int i, SweepMemory& /*memory*/,
                                 double* diagonal_block) const {
  calc_diagonal_block(cones, i, diagonal_block);
}

void PackedDelassus::start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const {
  memory.v.resize(kBodyRows * bodies_.size());
  calc_velocities(cones, p, memory.v.data());
}

void PackedDelassus::add_relative_velocity(std::span<const Cone> /*cones*/, int i, const double* /*p*/,
                                           const SweepMemory& memory, double* u) const {
  prefetch_ahead(i, memory.v.data());  // sweeps go through them in order
  prefetch_ahead(i);
  add_relative_velocity(i, memory.v.data(), u);
}

void PackedDelassus::add_velocity(std::span<const Cone> /*cones*/, int i, const double* dp, SweepMemory& memory) const {
  const Contact& c = contacts_[i];
  const Vector3 force = force_of(c, dim_, dp);
  if (c.second != kFixed) {
    accelerate(bodies_[c.second], force, c.arm_second.cross(force), memory.v.data() + kBodyRows * c.second);
  }
  if (c.first != kFixed) {
    accelerate(bodies_[c.first], -force, -c.arm_first.cross(force), memory.v.data() + kBodyRows * c.first);
  }
}

bool PackedDelassus::calc_block(std::span<const Cone> /*cones*/, int i, int j, const SweepMemory& /*memory*/,
                                double* block) const {
  std::array<double, kDim* kDim> sum = {};
  if (!calc_product(i, j, sum.data())) return false;
  std::copy_n(sum.begin(), dim_ * dim_, block);
  return true;
}

}  // namespace stickslip
