// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/rigid_contact_derivatives.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/rigid_side.h"

// A ball on body b and a surface on body a, in the world. With the arms r_a, r_b from the bodies' origins to the centre
// of the surface and of the ball,
//
//   d = (p_b + r_b) - (p_a + r_a),   d' and d'' from v + omega x r and a + alpha x r + omega x (omega x r),
//
// the surface gives its normal n and the contact point s on it, from its centre, as functions of d and of its own axis
// A, a unit vector that turns with body a. With f = 1, or -1 where the ball is on the pair's first body (then n is the
// normal towards second, from the ball to the surface), the velocity of second relative to first at the contact is
//
//   w = f d' - r omega_b x n - f omega_a x s,
//
// and (n, t1, t2), t_0 = n, turn with phi = n x n' - k (t2 . n') n where k = n_e / sqrt(1 - n_e^2), e the world's axis
// that t1 is the projection of (planar: k = 0):
//
//   gamma_i = t_i . w,   gamma_i' = t_i . (w' - phi x w),   gamma_3 = c n . (omega_2 - omega_1).
//
// Gradients of each row over n, n', s, s', d', d'', omega and alpha are pulled back to d, A, d', A', and from there to
// displacements dp and small rotations theta of each body, with which turns all that is fixed to it.

namespace stickslip {
namespace {

/// Over d and A.
struct OverGeometry {
  Vector3 d, axis;
};

/// A sphere or the inside of one: n = sign d / |d|, s = lever n. Where d vanishes n is any direction, and its
/// derivatives are left out.
class SphereNormal {
 public:
  static constexpr bool kHasAxis = false;  // whether A matters

  SphereNormal(const Vector3& d, const Vector3& fallback, double sign, double lever) : sign_(sign), lever_(lever) {
    const double length = d.norm();
    per_length_ = length > 0.0 ? 1.0 / length : 0.0;
    e_ = length > 0.0 ? Vector3(d * per_length_) : fallback;  // to the last bit as calc_gap()
  }
  Vector3 n() const { return sign_ * e_; }
  Vector3 s() const { return lever_ * n(); }
  void calc_rates(const Vector3& d_dot, const Vector3&, Vector3& n_dot, Vector3& s_dot) const {
    n_dot = (sign_ * per_length_) * across(d_dot);
    s_dot = lever_ * n_dot;
  }
  /// N . dn + S . ds.
  OverGeometry pull(const Vector3& N, const Vector3& S) const {
    return {(sign_ * per_length_) * across(N + lever_ * S), Vector3::Zero()};
  }
  /// N . dn' + S . ds' with d' and A' held.
  OverGeometry pull_rates(const Vector3& N, const Vector3& S, const Vector3& d_dot, const Vector3&) const {
    const Vector3 G = N + lever_ * S;
    const Vector3 y = across(d_dot);
    const double along = e_.dot(G);
    return {(-sign_ * per_length_ * per_length_) * (y.dot(G) * e_ + e_.dot(d_dot) * (G - along * e_) + along * y),
            Vector3::Zero()};
  }

 private:
  Vector3 across(const Vector3& x) const { return x - e_.dot(x) * e_; }

  double sign_, lever_, per_length_;
  Vector3 e_;
};

/// A half-space: n = A, s = d - n (n . d).
class PlaneNormal {
 public:
  static constexpr bool kHasAxis = true;

  PlaneNormal(const Vector3& d, const Vector3& axis) : d_(d), n_(axis), height_(axis.dot(d)) {}
  Vector3 n() const { return n_; }
  Vector3 s() const { return d_ - height_ * n_; }
  void calc_rates(const Vector3& d_dot, const Vector3& axis_dot, Vector3& n_dot, Vector3& s_dot) const {
    n_dot = axis_dot;
    s_dot = d_dot - height_ * axis_dot - (axis_dot.dot(d_) + n_.dot(d_dot)) * n_;
  }
  OverGeometry pull(const Vector3& N, const Vector3& S) const {
    const double along = n_.dot(S);
    return {S - along * n_, N - height_ * S - along * d_};
  }
  OverGeometry pull_rates(const Vector3&, const Vector3& S, const Vector3& d_dot, const Vector3& axis_dot) const {
    const double along = n_.dot(S);
    const double rate = axis_dot.dot(S);
    const double height_dot = axis_dot.dot(d_) + n_.dot(d_dot);
    return {-rate * n_ - along * axis_dot, -height_dot * S - rate * d_ - along * d_dot};
  }

 private:
  Vector3 d_, n_;
  double height_;
};

/// The inside of a cylinder around A, or the outside of one: with m = A (A . d), x = d - m, e = x / |x|: n = sign e, s
/// = m + radius e.
class CylinderNormal {
 public:
  static constexpr bool kHasAxis = true;

  CylinderNormal(const Vector3& d, const Vector3& axis, const Vector3& fallback, double sign, double radius)
      : d_(d), axis_(axis), sign_(sign), radius_(radius), height_(axis.dot(d)) {
    const Vector3 x = d - height_ * axis;
    const double length = x.norm();
    per_length_ = length > 0.0 ? 1.0 / length : 0.0;
    e_ = length > 0.0 ? Vector3(x * per_length_) : fallback;
  }
  Vector3 n() const { return sign_ * e_; }
  Vector3 s() const { return height_ * axis_ + radius_ * e_; }
  void calc_rates(const Vector3& d_dot, const Vector3& axis_dot, Vector3& n_dot, Vector3& s_dot) const {
    const Vector3 m_dot = height_ * axis_dot + (axis_dot.dot(d_) + axis_.dot(d_dot)) * axis_;
    const Vector3 e_dot = per_length_ * across(d_dot - m_dot);
    n_dot = sign_ * e_dot;
    s_dot = m_dot + radius_ * e_dot;
  }
  OverGeometry pull(const Vector3& N, const Vector3& S) const {
    const Vector3 X = per_length_ * across(sign_ * N + radius_ * S);
    return pull_m(X, S - X);
  }
  OverGeometry pull_rates(const Vector3& N, const Vector3& S, const Vector3& d_dot, const Vector3& axis_dot) const {
    const Vector3 G = sign_ * N + radius_ * S;
    const double height_dot = axis_dot.dot(d_) + axis_.dot(d_dot);
    const Vector3 x_dot = d_dot - height_ * axis_dot - height_dot * axis_;
    const Vector3 y = across(x_dot);
    const double along = e_.dot(G);
    const Vector3 over_x =
        (-per_length_ * per_length_) * (y.dot(G) * e_ + e_.dot(x_dot) * (G - along * e_) + along * y);
    OverGeometry over = pull_m(over_x, -over_x);
    // m' = A' (A . d) + A (A' . d + A . d') over d and A, weighed by V.
    const Vector3 V = S - per_length_ * across(G);
    const double on_axis = V.dot(axis_);
    const double on_rate = V.dot(axis_dot);
    over.d += on_rate * axis_ + on_axis * axis_dot;
    over.axis += height_dot * V + on_rate * d_ + on_axis * d_dot;
    return over;
  }

 private:
  Vector3 across(const Vector3& x) const { return x - e_.dot(x) * e_; }
  /// X . dd + V . dm.
  OverGeometry pull_m(const Vector3& X, const Vector3& V) const {
    const double along = V.dot(axis_);
    return {X + along * axis_, height_ * V + along * d_};
  }

  Vector3 d_, axis_;
  double sign_, radius_, height_, per_length_;
  Vector3 e_;
};

/// The gradient of a row of gamma, and of gamma'.
struct Gradient {
  Vector3 n, s, d_dot, omega_a, omega_b;
};
struct RateGradient : Gradient {
  Vector3 n_dot, s_dot, d_ddot, alpha_a, alpha_b;
};

template <class Surface>
class RigidContact {
 public:
  RigidContact(const Surface& surface, const RigidSide& a, const RigidSide& b, const Vector3& axis, double f, double r,
               bool planar)
      : surface_(surface), a_(a), b_(b), f_(f), r_(r), axis_(axis), axis_dot_(a.omega.cross(axis)) {
    d_dot_ = b.v + b.arm_v - a.v - a.arm_v;
    const Vector3 d_ddot = b.a + b.arm_a - a.a - a.arm_a;
    s_ = surface.s();
    surface.calc_rates(d_dot_, axis_dot_, n_dot_, s_dot_);
    w_ = f * d_dot_ - f * a.omega.cross(s_);

    ContactFrame<double> frame{};
    frame.normal = surface.n();
    contact_tangents<double>(planar, frame);
    t_[0] = frame.normal;
    t_[1] = frame.t1;
    t_[2] = frame.t2;
    w_ -= r * b.omega.cross(t_[0]);
    if (!planar) {
      e_ = tangent_axis(t_[0]);  // t1_e = sqrt(1 - n_e^2)
      const double across = t_[1](e_);
      k_ = t_[0](e_) / across;
      k_over_n_e_ = 1.0 / (across * across * across);
    }
    turning_ = t_[2].dot(n_dot_);
    phi_ = t_[0].cross(n_dot_) - k_ * turning_ * t_[0];
    const Vector3 w_dot = f * d_ddot - r * (b.alpha.cross(t_[0]) + b.omega.cross(n_dot_)) -
                          f * (a.alpha.cross(s_) + a.omega.cross(s_dot_));
    z_ = w_dot - phi_.cross(w_);
  }

  double f() const { return f_; }

  /// gamma_i, i < 3.
  void fill_gamma(int i, Gradient& g) const {
    const Vector3& t = t_[i];
    g.n = over_turn(t.cross(w_)) - r_ * t.cross(b_.omega);
    g.s = -f_ * t.cross(a_.omega);
    g.d_dot = f_ * t;
    g.omega_a = -f_ * s_.cross(t);
    g.omega_b = -r_ * t_[0].cross(t);
  }

  /// gamma_i', i < 3.
  void fill_gamma_dot(int i, RateGradient& g) const {
    const Vector3& n = t_[0];
    const Vector3& t = t_[i];
    const Vector3 over_w = phi_.cross(t);
    const Vector3 over_phi = t.cross(w_);
    const double drill = over_phi.dot(n);
    const Vector3 over_n_dot = over_turn(over_phi);
    g.n = over_turn(t.cross(z_) - drill * k_ * t_[2].cross(n_dot_)) + n_dot_.cross(over_phi) -
          k_ * turning_ * over_phi - r_ * (over_w.cross(b_.omega) + t.cross(b_.alpha));
    g.n(e_) -= drill * turning_ * k_over_n_e_;
    g.n_dot = over_n_dot - r_ * t.cross(b_.omega);
    g.s = -f_ * (over_w.cross(a_.omega) + t.cross(a_.alpha));
    g.s_dot = -f_ * t.cross(a_.omega);
    g.d_dot = f_ * over_w;
    g.d_ddot = f_ * t;
    g.omega_a = -f_ * (s_.cross(over_w) + s_dot_.cross(t));
    g.alpha_a = -f_ * s_.cross(t);
    g.omega_b = -r_ * (n.cross(over_w) + n_dot_.cross(t));
    g.alpha_b = -r_ * n.cross(t);
  }

  /// gamma_3 = c n . dw and its rate, dw = f (omega_b - omega_a).
  void fill_drilling(double c, Gradient& g, RateGradient& rate) const {
    const Vector3 spin = (c * f_) * (b_.omega - a_.omega);
    const Vector3 n = (c * f_) * t_[0];
    const Vector3 n_dot = (c * f_) * n_dot_;
    const Vector3 zero = Vector3::Zero();
    g = {spin, zero, zero, -n, n};
    rate = {{(c * f_) * (b_.alpha - a_.alpha), zero, zero, -n_dot, n_dot}, spin, zero, zero, -n, n};
  }

  /// A row of gamma in the columns of both bodies.
  template <class RowQ>
  void write(const Gradient& g, const RigidColumns& to_a, const RigidColumns& to_b, RowQ&& over_q) const {
    const OverGeometry over = surface_.pull(g.n, g.s);
    const auto by_arm = [&](const RigidSide& side) -> Vector3 {
      if (!side.has_arm) return Vector3::Zero();
      return side.arm.cross(over.d) + side.arm_v.cross(g.d_dot);
    };
    if (!to_b.empty()) to_b.over_q(over.d, by_arm(b_) + b_.omega.cross(g.omega_b), over_q);
    if (to_a.empty()) return;
    Vector3 over_theta = a_.omega.cross(g.omega_a) - by_arm(a_);
    if constexpr (Surface::kHasAxis) over_theta += axis_.cross(over.axis);
    to_a.over_q(-over.d, over_theta, over_q);
  }

  /// A row of gamma' likewise.
  template <class RowQ, class RowU>
  void write(const RateGradient& g, const RigidColumns& to_a, const RigidColumns& to_b, RowQ&& over_q,
             RowU&& over_u) const {
    OverGeometry over = surface_.pull(g.n, g.s);
    const OverGeometry more = surface_.pull_rates(g.n_dot, g.s_dot, d_dot_, axis_dot_);
    over.d += more.d;
    over.axis += more.axis;
    OverGeometry over_rates = surface_.pull(g.n_dot, g.s_dot);
    over_rates.d += g.d_dot;
    const auto by_arm = [&](const RigidSide& side) -> Vector3 {
      if (!side.has_arm) return Vector3::Zero();
      return side.arm.cross(over.d) + side.arm_v.cross(over_rates.d) + side.arm_a.cross(g.d_ddot);
    };
    const auto by_arm_rate = [&](const RigidSide& side) -> Vector3 {
      if (!side.has_arm) return Vector3::Zero();
      return side.arm.cross(over_rates.d + g.d_ddot.cross(side.omega)) + side.arm_v.cross(g.d_ddot);
    };
    if (!to_b.empty()) {
      to_b.over_q(over.d, by_arm(b_) + b_.omega.cross(g.omega_b) + b_.alpha.cross(g.alpha_b), over_q);
      to_b.over_u(over_rates.d, by_arm_rate(b_) + g.omega_b, over_u);
    }
    if (to_a.empty()) return;
    Vector3 over_theta = a_.omega.cross(g.omega_a) + a_.alpha.cross(g.alpha_a) - by_arm(a_);
    Vector3 over_omega = g.omega_a - by_arm_rate(a_);
    if constexpr (Surface::kHasAxis) {
      over_theta += axis_.cross(over.axis) + axis_dot_.cross(over_rates.axis);
      over_omega += axis_.cross(over_rates.axis);
    }
    to_a.over_q(-over.d, over_theta, over_q);
    to_a.over_u(-over_rates.d, over_omega, over_u);
  }

  /// W lambda: with f inside F and T, the force F and the torque T on b at the arm m_b = r_b - r f n; -F and -T on a at
  /// m_a = r_a + s.
  template <class Result>
  void write_force(const ContactVector& lambda, double drilling, const RigidColumns& to_a, const RigidColumns& to_b,
                   Result&& result) const {
    const Vector3& n = t_[0];
    const Vector3 F = f_ * (lambda(0) * n + lambda(1) * t_[1] + lambda(2) * t_[2]);
    const Vector3 T = (f_ * drilling) * n;
    // over_n . dn + over_s . ds and, beside it, over_theta over the rotation of `side`: into rows with a sign each.
    using Rows = std::initializer_list<std::pair<int, double>>;
    const auto write_row = [&](Rows rows, const Vector3& over_n, const Vector3& over_s, const RigidSide* side,
                               const Vector3& over_theta) {
      const OverGeometry over = surface_.pull(over_n, over_s);
      Vector3 over_theta_a = Vector3::Zero();
      Vector3 over_theta_b = Vector3::Zero();
      if (a_.has_arm) over_theta_a -= a_.arm.cross(over.d);
      if (b_.has_arm) over_theta_b += b_.arm.cross(over.d);
      if constexpr (Surface::kHasAxis) over_theta_a += axis_.cross(over.axis);
      if (side != nullptr) (side == &a_ ? over_theta_a : over_theta_b) += over_theta;
      Eigen::Matrix<double, 1, 2 * kMaxLocalSide> row;
      if (!to_b.empty()) to_b.over_q(over.d, over_theta_b, row);
      if (!to_a.empty()) to_a.over_q(-over.d, over_theta_a, row);
      for (const auto& [to, sign] : rows) result.row(to) = sign * row.head(result.cols());
    };
    // G . tau, tau = sign (m x F + T), G fixed to the body: dm = dtheta x arm + n_part dn + s_part ds, dF = phi x F.
    const auto write_torque = [&](int row, const Vector3& G, const RigidSide& side, double sign, const Vector3& m,
                                  double n_part, double s_part) {
      const Vector3 over_m = F.cross(G);
      const Vector3 over_n = over_turn(F.cross(Vector3(G.cross(m))) + T.cross(G)) + n_part * over_m;
      const Vector3 tau = m.cross(F) + T;
      write_row({{row, sign}}, over_n, s_part * over_m, &side, side.arm.cross(over_m) - tau.cross(G));
    };
    const auto write_torques = [&](const RigidColumns& rows, const RigidSide& side, double sign, const Vector3& m,
                                   double n_part, double s_part) {
      if (side.has_quaternion) {
        for (int i = 0; i < 3; ++i) write_torque(rows.u() + 3 + i, side.R.col(i), side, sign, m, n_part, s_part);
      } else if (side.body.type == BodyType::planar) {
        write_torque(rows.u() + 2, Vector3::UnitZ(), side, sign, m, n_part, s_part);
      }
    };
    const int n_translations = std::max(to_a.n_translations(), to_b.n_translations());
    for (int i = 0; i < n_translations; ++i) {
      const Vector3 over_n = over_turn(F.cross(Vector3::Unit(i)));
      const std::pair on_b(to_b.u() + i, 1.0);
      const std::pair on_a(to_a.u() + i, -1.0);
      const Vector3 none = Vector3::Zero();
      if (to_a.empty()) {
        write_row({on_b}, over_n, none, nullptr, none);
      } else if (to_b.empty()) {
        write_row({on_a}, over_n, none, nullptr, none);
      } else {
        write_row({on_a, on_b}, over_n, none, nullptr, none);
      }
    }
    write_torques(to_b, b_, 1.0, b_.arm - r_ * f_ * n, -r_ * f_, 0.0);
    write_torques(to_a, a_, -1.0, a_.arm + s_, 0.0, 1.0);
  }

 private:
  /// The gradient over n of h . phi(dn), phi(dn) = n x dn - k (t2 . dn) n.
  Vector3 over_turn(const Vector3& h) const { return h.cross(t_[0]) - k_ * h.dot(t_[0]) * t_[2]; }

  const Surface& surface_;
  const RigidSide& a_;
  const RigidSide& b_;
  double f_, r_;
  Vector3 axis_, axis_dot_, d_dot_;
  Vector3 s_, n_dot_, s_dot_;
  Vector3 t_[3];
  Vector3 w_, phi_, z_;
  int e_ = 0;
  double k_ = 0.0, k_over_n_e_ = 0.0, turning_ = 0.0;
};

/// Rows of a contact (of dim rows, `drilling` the lever of the fourth) or of a distance joint; gap its gradient.
/// Products of three numbers each, which the compiler leaves as calls else: a sixth of the time.
template <class Surface, class Gap, class Derivatives>
[[gnu::flatten]] void fill_rows(const Surface& surface, const RigidContact<Surface>& contact, const RigidSide& a,
                                const RigidSide& b, const RigidColumns& to_a, const RigidColumns& to_b, int dim,
                                double drilling, const ContactVector& lambda, Gap&& gap, Derivatives& D) {
  Gradient g;
  RateGradient rate;
  for (int i = 0; i < dim; ++i) {
    if (i < 3) {
      contact.fill_gamma(i, g);
      contact.fill_gamma_dot(i, rate);
    } else {
      contact.fill_drilling(drilling, g, rate);
    }
    contact.write(g, to_a, to_b, D.gamma_q.row(i));
    contact.write(rate, to_a, to_b, D.gamma_dot_q.row(i), D.gamma_dot_u.row(i));
  }
  contact.write_force(lambda, drilling * lambda(3), to_a, to_b, D.force_q);
  // The gap changes by n . w, with displacements for velocities.
  const Vector3 n = contact.f() * surface.n();
  if (!to_b.empty()) to_b.over_q(n, b.arm.cross(n), gap);
  if (!to_a.empty()) to_a.over_q(-n, n.cross(a.arm + surface.s()), gap);
}

}  // namespace

bool has_rigid_contact_derivatives(const SurfaceFeature& surface, const BallFeature& ball) {
  switch (surface.kind) {
    case SurfaceKind::half_space:
    case SurfaceKind::sphere:
    case SurfaceKind::container_sphere:
    case SurfaceKind::container_cylinder:
    case SurfaceKind::line:
      return !ball.is_ellipsoid;
    case SurfaceKind::crossing:
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      return false;
  }
  return false;
}

void calc_rigid_contact_derivatives(const System& system, const ContactPoint& point, double t, const Vector& q,
                                    const Vector& u, const Vector& a, const ContactVector& lambda,
                                    ContactDerivatives& D) {
  const ShapeSurface& surface = system.surface(point);
  const ShapeBall& ball = system.ball(point);
  const ContactPair& pair = system.pair(point);
  const Attachment& first = system.side(point, Side::first);
  const Attachment& second = system.side(point, Side::second);
  const Attachment& at_a = point.flipped ? second : first;
  const Attachment& at_b = point.flipped ? first : second;
  const RigidSide of_a(system.bodies()[at_a.body], at_a, surface.center, t, q, u, &a);
  const RigidSide of_b(system.bodies()[at_b.body], at_b, ball.center, t, q, u, &a);
  const RigidColumns to_a(of_a, at_a, q.data(), point.flipped ? first.n_q : 0, point.flipped ? first.n_u : 0);
  const RigidColumns to_b(of_b, at_b, q.data(), point.flipped ? 0 : first.n_q, point.flipped ? 0 : first.n_u);
  const double f = point.flipped ? -1.0 : 1.0;
  const int dim = pair.dim();
  ContactVector forces = ContactVector::Zero();
  forces.head(dim) = lambda.head(dim);

  const auto fill = [&](const auto& normal, const Vector3& axis) {
    const RigidContact contact(normal, of_a, of_b, axis, f, ball.radius, system.planar());
    fill_rows(normal, contact, of_a, of_b, to_a, to_b, dim, pair.rows.drilling, forces, D.gap_q, D);
  };
  const Vector3 d = of_b.p + of_b.arm - of_a.p - of_a.arm;
  const Vector3 axis = of_a.R * surface.axis;
  switch (surface.kind) {
    case SurfaceKind::half_space:
      return fill(PlaneNormal(d, f * axis), f * axis);  // s is the same for the axis f A
    case SurfaceKind::sphere:
      return fill(SphereNormal(d, of_a.R.col(1), f, f * surface.radius), axis);
    case SurfaceKind::container_sphere:
      return fill(SphereNormal(d, of_a.R.col(1), -f, -f * surface.radius), axis);
    case SurfaceKind::container_cylinder:
      return fill(CylinderNormal(d, axis, of_a.R * across_axis(surface), -f, surface.radius), axis);
    case SurfaceKind::line:
      return fill(CylinderNormal(d, axis, of_a.R * across_axis(surface), f, surface.radius), axis);
    case SurfaceKind::crossing:  // not here
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      STICKSLIP_ASSERT(false);
      return;
  }
}

void calc_rigid_distance_derivatives(const System& system, const Joint& joint, double t, const Vector& q,
                                     const Vector& u, const Vector& a, double lambda, JointDerivatives& D) {
  const RigidSide of_a(system.bodies()[joint.first.body], joint.first, joint.options.on_first.at, t, q, u, &a);
  const RigidSide of_b(system.bodies()[joint.second.body], joint.second, joint.options.on_second.at, t, q, u, &a);
  const RigidColumns to_a(of_a, joint.first, q.data(), 0, 0);
  const RigidColumns to_b(of_b, joint.second, q.data(), joint.first.n_q, joint.first.n_u);
  const SphereNormal normal(of_b.p + of_b.arm - of_a.p - of_a.arm, of_a.R * joint.options.on_first.axes.col(0), 1.0,
                            0.0);
  const RigidContact contact(normal, of_a, of_b, Vector3::UnitX(), 1.0, 0.0, system.planar());
  fill_rows(normal, contact, of_a, of_b, to_a, to_b, 1, 0.0, lambda * ContactVector::Unit(0), D.g_q.row(0), D);
}

}  // namespace stickslip
