// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/spatial_joint_rows.h"

#include <array>

#include "stickslip/base/assert.h"
#include "stickslip/model/rigid_side.h"

// All rows of joints in space but angles that are driven are sums of products of two vectors,
//
//   x . y                x fixed in first, y in second
//   e . r                e fixed in first, r from first's point to second's
//   e . r                e fixed in the world
//
// A vector that is fixed in a body has x' = omega x x, x'' = alpha x x + omega x (omega x x), and a small rotation
// theta of the body turns all three alike: d x^(k) = theta x x^(k), omega and alpha being fixed in the body, too. So
// gradients of the products' rates are products of the same rates. Torques are in body frames: d (R^T T) = R^T (dT -
// theta x T).

namespace stickslip {
namespace {

/// A vector that is fixed in a body, and its rates.
struct Carried {
  Vector3 r, r1, r2;  // (3) world; 1 and 2: first and second rate in time

  Carried(const RigidSide& side, const Vector3& in_body) : r(side.R * in_body) {
    r1 = side.omega.cross(r);
    r2 = side.alpha.cross(r) + side.omega.cross(r1);
  }
  Carried(const Vector3& value, const Vector3& rate, const Vector3& second_rate)
      : r(value), r1(rate), r2(second_rate) {}
};

/// A row's gradients over displacements of both bodies, small rotations, velocities and angular velocities.
struct SpatialGradient {
  std::array<Vector3, 2> p, theta;
};

struct SpatialRow {
  double g = 0.0, gamma = 0.0, gamma_dot = 0.0;
  SpatialGradient of_g, of_gamma, of_gamma_dot;
  std::array<Vector3, 2> over_v, over_omega;  // of gamma_dot
};

/// Derivatives of the forces and torques on a body (0 first, 1 second) over displacements and rotations of each.
struct ForceGradient {
  std::array<std::array<Matrix3, 2>, 2> F_theta, T_p, T_theta;
  ForceGradient() {
    for (auto* all : {&F_theta, &T_p, &T_theta}) {
      for (auto& of_body : *all) {
        for (Matrix3& m : of_body) m.setZero();
      }
    }
  }
};

class SpatialJoint {
 public:
  SpatialJoint(const Joint& joint, const RigidSide& first, const RigidSide& second)
      : joint_(joint), first_(first), second_(second) {
    const Vector3 r = second.p + second.arm - first.p - first.arm;
    const Vector3 r1 = second.v + second.arm_v - first.v - first.arm_v;
    const Vector3 r2 = second.a + second.arm_a - first.a - first.arm_a;
    between_ = Carried(r, r1, r2);
  }

  /// Calls row(i, SpatialRow) for each row. `force`: where the derivatives of forces go; null: they are not asked for,
  /// nor are gradients but those of g. lambda (dim) [N, N m] counts for these alone.
  template <class Take>
  void for_each_row(const JointVector* lambda, ForceGradient* force, Take&& take) const {
    int i = 0;
    const auto finish = [&](const SpatialRow& row) { take(i++, row); };
    const auto weight = [&] { return lambda == nullptr ? 0.0 : (*lambda)(i); };
    const auto meet = [&] {
      for (int k = 0; k < 3; ++k) finish(along_world(k, weight(), force));
    };
    const auto slide = [&](int axis) { finish(along(axis, weight(), force)); };
    const auto tilt = [&](int axis) {
      SpatialRow row = zero();
      add_product(axis, 2, 1.0, weight(), row, force);
      finish(row);
    };
    const auto keep_rotation = [&] {
      for (int axis = 0; axis < 3; ++axis) {
        const int j = (axis + 1) % 3;
        const int k = (axis + 2) % 3;
        SpatialRow row = zero();
        add_product(k, j, 0.5, weight(), row, force);
        add_product(j, k, -0.5, weight(), row, force);
        finish(row);
      }
    };
    switch (joint_.options.type) {
      case JointType::revolute:
        meet();
        tilt(0);
        tilt(1);
        break;
      case JointType::prismatic:
        if (joint_.options.motion) slide(2);
        slide(0);
        slide(1);
        keep_rotation();
        break;
      case JointType::spherical:
        meet();
        break;
      case JointType::cylindrical:
        slide(0);
        slide(1);
        tilt(0);
        tilt(1);
        break;
      case JointType::universal:
        meet();
        tilt(2);
        break;
      case JointType::planar:
        slide(2);
        tilt(0);
        tilt(1);
        break;
      case JointType::weld:
        meet();
        keep_rotation();
        break;
      case JointType::distance:
      case JointType::knife_edge:
      case JointType::screw:
      case JointType::rolling:
      case JointType::gear:
      case JointType::coupling:
        break;
    }
    STICKSLIP_ASSERT(i == joint_.dim);
  }

 private:
  static SpatialRow zero() {
    SpatialRow row;
    for (SpatialGradient* g : {&row.of_g, &row.of_gamma, &row.of_gamma_dot}) {
      for (int s = 0; s < 2; ++s) {
        g->p[s].setZero();
        g->theta[s].setZero();
      }
    }
    for (int s = 0; s < 2; ++s) {
      row.over_v[s].setZero();
      row.over_omega[s].setZero();
    }
    return row;
  }

  /// Adds factor x . y, x an axis of first's frame, y one of second's.
  void add_product(int on_first, int on_second, double factor, double lambda, SpatialRow& row,
                   ForceGradient* force) const {
    const Carried x(first_, joint_.options.on_first.axes.col(on_first));
    const Carried y(second_, joint_.options.on_second.axes.col(on_second));
    row.g += factor * x.r.dot(y.r);
    row.gamma += factor * (x.r1.dot(y.r) + x.r.dot(y.r1));
    row.gamma_dot += factor * (x.r2.dot(y.r) + 2.0 * x.r1.dot(y.r1) + x.r.dot(y.r2));
    const auto add = [factor](SpatialGradient& g, const Vector3& turn) {
      g.theta[0] += factor * turn;
      g.theta[1] -= factor * turn;
    };
    add(row.of_g, x.r.cross(y.r));
    if (force == nullptr) return;
    add(row.of_gamma, x.r1.cross(y.r) + x.r.cross(y.r1));
    add(row.of_gamma_dot, x.r2.cross(y.r) + 2.0 * x.r1.cross(y.r1) + x.r.cross(y.r2));
    row.over_omega[0] += factor * (x.r1.cross(y.r) + x.r.cross(y.r.cross(first_.omega)) + 2.0 * x.r.cross(y.r1));
    row.over_omega[1] += factor * (y.r1.cross(x.r) + y.r.cross(x.r.cross(second_.omega)) + 2.0 * y.r.cross(x.r1));
    const Matrix3 XY = factor * lambda * skew<double>(x.r) * skew<double>(y.r);
    force->T_theta[0][0] += XY;
    force->T_theta[0][1] -= XY;
    force->T_theta[1][1] += XY.transpose();
    force->T_theta[1][0] -= XY.transpose();
  }

  /// The offset along an axis of first's frame: its force acts on first where second's point is.
  SpatialRow along(int axis, double lambda, ForceGradient* force) const {
    const Carried e(first_, joint_.options.on_first.axes.col(axis));
    SpatialRow row = along(e, force != nullptr);
    const Carried& r = between_;
    row.of_g.theta[0] += e.r.cross(r.r);
    if (force == nullptr) return row;
    row.of_gamma.theta[0] += e.r1.cross(r.r) + e.r.cross(r.r1);
    row.of_gamma_dot.theta[0] += e.r2.cross(r.r) + 2.0 * e.r1.cross(r.r1) + e.r.cross(r.r2);
    row.over_omega[0] +=
        e.r1.cross(r.r) + e.r.cross(r.r.cross(first_.omega)) + 2.0 * e.r.cross(r.r1) - 2.0 * first_.arm.cross(e.r1);
    const Matrix3 E = lambda * skew<double>(e.r);
    const Matrix3 B = skew<double>(second_.arm);
    const Matrix3 C = skew<double>(Vector3(r.r + first_.arm));
    force->F_theta[1][0] -= E;
    force->F_theta[0][0] += E;
    force->T_p[0][1] += E;
    force->T_p[0][0] -= E;
    force->T_theta[0][0] += E * C;
    force->T_theta[0][1] -= E * B;
    force->T_theta[1][1] += B * E;
    force->T_theta[1][0] -= B * E;
    return row;
  }

  /// The offset along an axis of the world: its force acts on first at its own point.
  SpatialRow along_world(int axis, double lambda, ForceGradient* force) const {
    const Carried e(Vector3::Unit(axis), Vector3::Zero(), Vector3::Zero());
    if (force != nullptr) {
      const Matrix3 E = lambda * skew<double>(e.r);
      force->T_theta[0][0] -= skew<double>(first_.arm) * E;
      force->T_theta[1][1] += skew<double>(second_.arm) * E;
    }
    return along(e, force != nullptr);
  }

  /// What both have in common: all but what first's rotation does to e.
  SpatialRow along(const Carried& e, bool of_rates) const {
    const Carried& r = between_;
    SpatialRow row = zero();
    row.g = e.r.dot(r.r);
    row.gamma = e.r1.dot(r.r) + e.r.dot(r.r1);
    row.gamma_dot = e.r2.dot(r.r) + 2.0 * e.r1.dot(r.r1) + e.r.dot(r.r2);
    const auto set_p = [](SpatialGradient& g, const Vector3& over) {
      g.p[0] = -over;
      g.p[1] = over;
    };
    set_p(row.of_g, e.r);
    row.of_g.theta = {-first_.arm.cross(e.r), second_.arm.cross(e.r)};
    if (!of_rates) return row;
    set_p(row.of_gamma, e.r1);
    set_p(row.of_gamma_dot, e.r2);
    for (int s = 0; s < 2; ++s) {
      const RigidSide& side = s == 0 ? first_ : second_;
      const double sign = s == 0 ? -1.0 : 1.0;
      row.of_gamma.theta[s] = sign * (side.arm.cross(e.r1) + side.arm_v.cross(e.r));
      row.of_gamma_dot.theta[s] = sign * (side.arm.cross(e.r2) + 2.0 * side.arm_v.cross(e.r1) + side.arm_a.cross(e.r));
      row.over_v[s] = sign * 2.0 * e.r1;
      row.over_omega[s] = sign * (side.arm_v.cross(e.r) + side.arm.cross(e.r.cross(side.omega)));
    }
    row.over_omega[1] += 2.0 * second_.arm.cross(e.r1);
    return row;
  }

  const Joint& joint_;
  const RigidSide& first_;
  const RigidSide& second_;
  Carried between_ = Carried(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
};

}  // namespace

bool has_spatial_rows(const Joint& joint) {
  if (!joint.spatial || joint.is_coupling()) return false;
  switch (joint.options.type) {
    case JointType::distance:
    case JointType::knife_edge:
    case JointType::screw:
    case JointType::rolling:
      return false;
    case JointType::revolute:
      return !joint.options.motion;
    default:
      return true;
  }
}

void calc_spatial_joint_rows(const System& system, const Joint& joint, double t, const Vector& q, const Vector& u,
                             JointRows& rows) {
  const RigidSide first(system.bodies()[joint.first.body], joint.first, joint.options.on_first.at, t, q, u, nullptr);
  const RigidSide second(system.bodies()[joint.second.body], joint.second, joint.options.on_second.at, t, q, u,
                         nullptr);
  const RigidColumns to_first(first, joint.first, q.data(), 0, 0);
  const RigidColumns to_second(second, joint.second, q.data(), 0, 0);
  for (JointVector* y : {&rows.g, &rows.gamma, &rows.zeta}) y->resize(joint.dim);
  SpatialJoint(joint, first, second).for_each_row(nullptr, nullptr, [&](int i, const SpatialRow& row) {
    rows.g(i) = row.g;
    rows.gamma(i) = row.gamma;
    rows.zeta(i) = row.gamma_dot;
    const auto fill = [&](int s, const RigidColumns& columns) {
      if (columns.empty()) return;
      auto& W = rows.W[static_cast<std::size_t>(s)];
      columns.over_u(row.of_g.p[s], row.of_g.theta[s], [&](int j) -> double& { return W(i, j); });
    };
    fill(0, to_first);
    fill(1, to_second);
  });
  if (!joint.options.motion) return;
  rows.g(0) -= joint.options.motion->value(t) - joint.options.coordinate_origin;
  rows.gamma(0) -= joint.motion_rate.value(t);
  rows.zeta(0) -= joint.motion_acceleration.value(t);
}

void calc_spatial_joint_derivatives(const System& system, const Joint& joint, double t, const Vector& q,
                                    const Vector& u, const Vector& a, const JointVector& lambda, JointDerivatives& d) {
  const RigidSide first(system.bodies()[joint.first.body], joint.first, joint.options.on_first.at, t, q, u, &a);
  const RigidSide second(system.bodies()[joint.second.body], joint.second, joint.options.on_second.at, t, q, u, &a);
  const std::array<RigidColumns, 2> to = {
      RigidColumns(first, joint.first, q.data(), 0, 0),
      RigidColumns(second, joint.second, q.data(), joint.first.n_q, joint.first.n_u)};
  ForceGradient force;
  SpatialJoint(joint, first, second).for_each_row(&lambda, &force, [&](int i, const SpatialRow& row) {
    for (int s = 0; s < 2; ++s) {
      const RigidColumns& columns = to[s];
      if (columns.empty()) continue;
      const auto fill_q = [&](const SpatialGradient& g, auto& values) {
        columns.over_q(g.p[s], g.theta[s], [&](int j) -> double& { return values(i, j); });
      };
      fill_q(row.of_g, d.g_q);
      fill_q(row.of_gamma, d.gamma_q);
      fill_q(row.of_gamma_dot, d.gamma_dot_q);
      columns.over_u(row.over_v[s], row.over_omega[s], [&](int j) -> double& { return d.gamma_dot_u(i, j); });
    }
  });
  for (int of = 0; of < 2; ++of) {
    if (to[of].empty()) continue;
    const RigidSide& side = of == 0 ? first : second;
    for (int over = 0; over < 2; ++over) {
      if (to[over].empty()) continue;
      const Matrix3 T_p = side.R.transpose() * force.T_p[of][over];
      const Matrix3 T_theta = side.R.transpose() * force.T_theta[of][over];
      for (int k = 0; k < 3; ++k) {
        const auto fill = [&](int row, const Matrix3& over_p, const Matrix3& over_theta) {
          to[over].over_q(over_p.row(k).transpose(), over_theta.row(k).transpose(),
                          [&](int j) -> double& { return d.force_q(row, j); });
        };
        fill(to[of].u() + k, Matrix3::Zero(), force.F_theta[of][over]);
        if (side.has_quaternion) fill(to[of].u() + 3 + k, T_p, T_theta);
      }
    }
  }
}

}  // namespace stickslip
