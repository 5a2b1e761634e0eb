// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/joint_rows.h"

#include <array>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/model/planar_side.h"
#include "stickslip/model/rigid_contact_derivatives.h"
#include "stickslip/model/spatial_joint_rows.h"

namespace stickslip {
namespace {

/// Entries of z = (x, y, phi of first, x, y, phi of second), and where the angles are.
constexpr int kZ = 6;
constexpr std::array<int, 2> kPhi = {2, 5};

using OverZ = std::array<double, kZ>;

struct Row {
  double g = 0.0, gamma = 0.0, gamma_dot = 0.0;
  OverZ W = {};  // d gamma / dz', which is dg / dz
  // Only where asked for.
  OverZ gamma_z = {};
  OverZ gamma_dot_z = {}, gamma_dot_u = {};      // over z and z'
  std::array<std::array<double, kZ>, kZ> W_z{};  // d W_j / dz_k
};

/// What a coordinate may be asked to be: value, rate and acceleration of a motion.
struct Target {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

Target target_of(const Joint& joint, double t) {
  if (!joint.options.motion) return {};
  return {joint.options.motion->value(t) - joint.options.coordinate_origin, joint.motion_rate.value(t),
          joint.motion_acceleration.value(t)};
}

/// d = p_second - p_first of the joint's points, with rates, and their derivatives: over z', d' has those of d over z,
/// and d'' twice those of d' over z.
struct Offset {
  Vector2 value, rate, acceleration;
  std::array<Vector2, kZ> over, rate_over, acceleration_over;
  std::array<Vector2, 2> bend;  // d^2 d / d phi^2 of each side

  Offset(const PlanarSide* sides, const Joint& joint) {
    value.setZero();
    rate.setZero();
    acceleration.setZero();
    for (int s = 0; s < 2; ++s) {
      const PlanarSide& side = sides[s];
      const double sign = s == 0 ? -1.0 : 1.0;
      const Vector2 arm = side.to_world(s == 0 ? joint.options.on_first.at : joint.options.on_second.at);
      const Vector2 across = turn(arm);
      const double omega2 = side.omega * side.omega;
      value += sign * (side.position + arm);
      rate += sign * (side.velocity + side.omega * across);
      acceleration += sign * (side.acceleration + side.alpha * across - omega2 * arm);
      over[3 * s] = sign * Vector2::UnitX();
      over[3 * s + 1] = sign * Vector2::UnitY();
      over[3 * s + 2] = sign * across;
      for (auto* y : {&rate_over, &acceleration_over}) {
        (*y)[3 * s].setZero();
        (*y)[3 * s + 1].setZero();
      }
      rate_over[3 * s + 2] = -sign * side.omega * arm;
      acceleration_over[3 * s + 2] = -sign * (side.alpha * arm + omega2 * across);
      bend[s] = -sign * arm;
    }
  }
};

/// The offset along a direction D that is fixed in the world or turns with first's frame, less the target:
///   gamma = D . d' + D' . d,   gamma' = D . d'' + 2 D' . d' + D'' . d.
void along_row(const Offset& d, const Vector2& D, const PlanarSide* carrier, const Target& target, bool derive,
               Row& r) {
  r.g = D.dot(d.value) - target.value;
  r.gamma = D.dot(d.rate) - target.rate;
  r.gamma_dot = D.dot(d.acceleration) - target.acceleration;
  for (int j = 0; j < kZ; ++j) r.W[j] = D.dot(d.over[j]);
  if (derive) {
    for (const int j : kPhi) {
      r.gamma_z[j] = D.dot(d.rate_over[j]);
      r.gamma_dot_z[j] = D.dot(d.acceleration_over[j]);
      r.gamma_dot_u[j] = 2.0 * r.gamma_z[j];
      r.W_z[j][j] = D.dot(d.bend[j / 3]);
    }
  }
  if (carrier == nullptr) return;
  const Vector2 D_phi = turn(D);
  const Vector2 D1 = carrier->omega * D_phi;
  const double omega2 = carrier->omega * carrier->omega;
  const Vector2 D2 = carrier->alpha * D_phi - omega2 * D;
  const int phi = kPhi[0];
  r.gamma += D1.dot(d.value);
  r.gamma_dot += 2.0 * D1.dot(d.rate) + D2.dot(d.value);
  r.W[phi] += D_phi.dot(d.value);
  if (!derive) return;
  for (int j = 0; j < kZ; ++j) {
    r.gamma_z[j] += D1.dot(d.over[j]);
    r.gamma_dot_z[j] += 2.0 * D1.dot(d.rate_over[j]) + D2.dot(d.over[j]);
    r.gamma_dot_u[j] += 2.0 * D1.dot(d.over[j]);
    r.W_z[phi][j] += D_phi.dot(d.over[j]);
    r.W_z[j][phi] += D_phi.dot(d.over[j]);
  }
  const Vector2 D1_phi = -carrier->omega * D;
  r.gamma_z[phi] += D_phi.dot(d.rate) + D1_phi.dot(d.value);
  r.gamma_dot_z[phi] +=
      D_phi.dot(d.acceleration) + 2.0 * D1_phi.dot(d.rate) - (carrier->alpha * D + omega2 * D_phi).dot(d.value);
  r.gamma_dot_u[phi] += 2.0 * D_phi.dot(d.rate) - 2.0 * carrier->omega * D.dot(d.value);
  r.W_z[phi][phi] -= D.dot(d.value);
}

/// |d| - length, with D = d / |d| and t = z x D: gamma' = D . d'' + (t . d')^2 / |d|.
void distance_row(const Offset& d, double length, const Vector2& fallback, bool derive, Row& r) {
  const double distance = d.value.norm();
  const bool apart = distance > 0.0;
  const Vector2 D = apart ? Vector2(d.value / distance) : fallback;
  along_row(d, D, nullptr, {}, derive, r);
  r.g = distance - length;
  if (!apart) return;
  const Vector2 t = turn(D);
  const double turning = t.dot(d.rate) / distance;  // [rad/s]
  r.gamma_dot += turning * t.dot(d.rate);
  if (!derive) return;
  for (int j = 0; j < kZ; ++j) {
    const double across = t.dot(d.over[j]);
    const double along = D.dot(d.over[j]);
    r.gamma_z[j] += turning * across;
    r.gamma_dot_z[j] += across / distance * t.dot(d.acceleration) +
                        2.0 * turning * (t.dot(d.rate_over[j]) - across / distance * D.dot(d.rate)) -
                        turning * turning * along;
    r.gamma_dot_u[j] += 2.0 * turning * across;
    for (int k = 0; k < kZ; ++k) r.W_z[j][k] += across * t.dot(d.over[k]) / distance;
  }
}

/// The angle of second relative to first less the target, in (-pi, pi].
void angle_row(const PlanarSide* sides, const Joint& joint, const Target& target, Row& r) {
  const Vector2 e1 = sides[0].to_world(joint.options.on_first.axes.col(0));
  const Vector2 e2 = sides[1].to_world(joint.options.on_second.axes.col(0));
  const double c = e1.dot(e2);
  const double s = turn(e1).dot(e2);
  const double ct = std::cos(target.value);
  const double st = std::sin(target.value);
  r.g = std::atan2(s * ct - c * st, c * ct + s * st);
  r.gamma = sides[1].omega - sides[0].omega - target.rate;
  r.gamma_dot = sides[1].alpha - sides[0].alpha - target.acceleration;
  r.W[kPhi[0]] = -1.0;
  r.W[kPhi[1]] = 1.0;
}

/// The two sides and all rows of a joint.
struct JointInPlane {
  std::array<PlanarSide, 2> sides;
  std::array<Row, 3> rows;

  JointInPlane(const Joint& joint, const Pair& pair, double t, const PairCoordinates& at, bool derive)
      : sides{PlanarSide(pair.first_body, t, at.q, at.u, at.a),
              PlanarSide(pair.second_body, t, at.q + pair.first_local_q, at.u + pair.first_local_u,
                         at.a + pair.first_local_u)} {
    const Offset d(sides.data(), joint);
    const auto axis = [&](int i) { return sides[0].to_world(joint.options.on_first.axes.col(i)); };
    const auto coincide = [&](int i) { along_row(d, Vector2::Unit(i), nullptr, {}, derive, rows[i]); };
    const bool driven = joint.options.motion.has_value();
    STICKSLIP_ASSERT(joint.dim <= static_cast<int>(rows.size()));
    switch (joint.options.type) {
      case JointType::revolute:
        coincide(0);
        coincide(1);
        if (driven) angle_row(sides.data(), joint, target_of(joint, t), rows[2]);
        break;
      case JointType::prismatic: {
        const int still = driven ? 1 : 0;
        if (driven) along_row(d, axis(0), sides.data(), target_of(joint, t), derive, rows[0]);
        along_row(d, axis(1), sides.data(), {}, derive, rows[still]);
        angle_row(sides.data(), joint, {}, rows[still + 1]);
        break;
      }
      case JointType::weld:
        coincide(0);
        coincide(1);
        angle_row(sides.data(), joint, {}, rows[2]);
        break;
      case JointType::distance:
        if (joint.dim > 0) distance_row(d, joint.options.length, axis(0), derive, rows[0]);
        break;
      case JointType::spherical:
      case JointType::cylindrical:
      case JointType::universal:
      case JointType::screw:
      case JointType::rolling:
      case JointType::planar:
      case JointType::knife_edge:
      case JointType::gear:
      case JointType::coupling:
        break;
    }
  }
};

bool is_in_plane(const System& system, const Joint& joint) {
  return system.planar() && joint.options.type != JointType::knife_edge && !joint.is_coupling();
}

/// A distance joint in space, where no body is a beam.
bool is_rigid_distance(const System& system, const Joint& joint) {
  return !system.planar() && joint.options.type == JointType::distance;
}

void rows_in_plane(const Joint& joint, const Pair& pair, double t, const PairCoordinates& at, JointRows& out) {
  const JointInPlane in_plane(joint, pair, t, at, false);
  for (int i = 0; i < joint.dim; ++i) {
    const Row& row = in_plane.rows[i];
    out.g(i) = row.g;
    out.gamma(i) = row.gamma;
    out.zeta(i) = row.gamma_dot;
  }
  for (int s = 0; s < 2; ++s) {
    const Attachment& attachment = s == 0 ? pair.first : pair.second;
    const PlanarSide& side = in_plane.sides[s];
    for (int j = 0; j < side.n_local; ++j) {
      const int z = 3 * s + side.z_of_local(j);
      const double factor = side.z_by_local(j);
      for_each_of_local(attachment, j, [&](int column, double weight) {
        for (int i = 0; i < joint.dim; ++i) out.W[s](i, column) += weight * factor * in_plane.rows[i].W[z];
      });
    }
  }
}

void derivatives_in_plane(const Joint& joint, const Pair& pair, double t, const PairCoordinates& at,
                          const JointVector& lambda, JointDerivatives& out) {
  const JointInPlane in_plane(joint, pair, t, at, true);
  // Which side and entry of z each local coordinate of the pair moves.
  const int n_first = in_plane.sides[0].n_local;
  const auto side_of = [&](int j) { return j < n_first ? 0 : 1; };
  const auto own = [&](int j) { return j < n_first ? j : j - n_first; };
  std::array<int, 2 * PlanarSide::kMaxLocal> z;
  std::array<double, 2 * PlanarSide::kMaxLocal> factor;
  for (int j = 0; j < pair.n_local_q; ++j) {
    z[j] = 3 * side_of(j) + in_plane.sides[side_of(j)].z_of_local(own(j));
    factor[j] = in_plane.sides[side_of(j)].z_by_local(own(j));
  }
  spread_over_q(
      pair, joint.dim, [&](int i, int j) { return factor[j] * in_plane.rows[i].W[z[j]]; }, out.g_q);
  spread_over_q(
      pair, joint.dim,
      [&](int i, int j) {
        const Row& row = in_plane.rows[i];
        const int s = side_of(j);
        return factor[j] * row.gamma_z[z[j]] + row.W[kPhi[s]] * in_plane.sides[s].omega_q[own(j)];
      },
      out.gamma_q);
  spread_over_q(
      pair, joint.dim,
      [&](int i, int j) {
        const Row& row = in_plane.rows[i];
        const int s = side_of(j);
        return factor[j] * row.gamma_dot_z[z[j]] + row.gamma_dot_u[kPhi[s]] * in_plane.sides[s].omega_q[own(j)] +
               row.W[kPhi[s]] * in_plane.sides[s].alpha_q[own(j)];
      },
      out.gamma_dot_q);
  spread_over_u(
      pair, joint.dim,
      [&](int i, int j) {
        const Row& row = in_plane.rows[i];
        const int s = side_of(j);
        return factor[j] * row.gamma_dot_u[z[j]] + 2.0 * row.W[kPhi[s]] * in_plane.sides[s].omega_q[own(j)];
      },
      out.gamma_dot_u);
  // d (W lambda): over z, and by the turning of a beam's tangent.
  std::array<std::array<double, kZ>, kZ> over_z{};
  std::array<double, 2> torque = {};
  for (int i = 0; i < joint.dim; ++i) {
    const Row& row = in_plane.rows[i];
    for (int j = 0; j < kZ; ++j) {
      for (int k = 0; k < kZ; ++k) over_z[j][k] += lambda(i) * row.W_z[j][k];
    }
    for (int s = 0; s < 2; ++s) torque[s] += lambda(i) * row.W[kPhi[s]];
  }
  spread_force_over_q(
      pair,
      [&](int i, int j) {
        const int s = side_of(i);
        const double turning = s == side_of(j) ? torque[s] * in_plane.sides[s].phi_qq_of(own(i), own(j)) : 0.0;
        return factor[i] * factor[j] * over_z[z[i]][z[j]] + turning;
      },
      out.force_q);
}

}  // namespace

void calc_joint_rows(const System& system, int j, double t, const Vector& q, const Vector& u, JointRows& rows) {
  const Joint& joint = system.joints()[j];
  if (joint.is_coupling()) {
    system.calc_joint_position(j, t, q, rows.g);
    system.calc_joint_velocity(j, t, q, u, rows.gamma);
    system.calc_joint_acceleration_bias(j, t, q, u, rows.zeta);
    return;
  }
  rows.W[0].setZero(joint.dim, joint.first.n_u);
  rows.W[1].setZero(joint.dim, joint.second.n_u);
  if (is_in_plane(system, joint)) {
    for (JointVector* y : {&rows.g, &rows.gamma, &rows.zeta}) y->resize(joint.dim);
    const Pair pair(system, joint.first, joint.second);
    return rows_in_plane(joint, pair, t, PairCoordinates(pair, q, &u, nullptr), rows);
  }
  if (has_spatial_rows(joint)) return calc_spatial_joint_rows(system, joint, t, q, u, rows);
  system.calc_joint_position(j, t, q, rows.g);
  system.calc_joint_velocity(j, t, q, u, rows.gamma);
  system.calc_joint_acceleration_bias(j, t, q, u, rows.zeta);
  for (const Side side : {Side::first, Side::second}) {
    system.calc_joint_jacobian(j, t, q, side, rows.W[static_cast<std::size_t>(side)]);
  }
}

void calc_joint_row_derivatives(const System& system, int j, double t, const Vector& q, const Vector& u,
                                const Vector& a, const JointVector& lambda, JointDerivatives& derivatives) {
  const Joint& joint = system.joints()[j];
  const bool in_plane = is_in_plane(system, joint);
  const bool in_space = has_spatial_rows(joint);
  if (!in_plane && !in_space && !is_rigid_distance(system, joint)) {
    return system.calc_joint_derivatives(j, t, q, u, a, lambda, derivatives);
  }
  const Pair pair(system, joint.first, joint.second);
  derivatives.g_q.setZero(joint.dim, pair.n_q());
  derivatives.gamma_q.setZero(joint.dim, pair.n_q());
  derivatives.gamma_dot_q.setZero(joint.dim, pair.n_q());
  derivatives.gamma_dot_u.setZero(joint.dim, pair.n_u());
  derivatives.force_q.setZero(pair.n_u(), pair.n_q());
  if (in_space) return calc_spatial_joint_derivatives(system, joint, t, q, u, a, lambda, derivatives);
  if (!in_plane) return calc_rigid_distance_derivatives(system, joint, t, q, u, a, lambda(0), derivatives);
  derivatives_in_plane(joint, pair, t, PairCoordinates(pair, q, &u, &a), lambda, derivatives);
}

}  // namespace stickslip
