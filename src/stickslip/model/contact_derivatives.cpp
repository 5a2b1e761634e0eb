// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_on_fixed.h"
#include "stickslip/model/contact_traits.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/rigid_contact_derivatives.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

Pair pair_of(const System& system, const ContactPoint& point) {
  return {system, system.side(point, Side::first), system.side(point, Side::second)};
}

template <class S>
ContactFrame<S> contact_between(const System& system, const ContactPoint& point, const PairFrames<S>& f) {
  ContactFrame<S> c = contact_frame<S>(system.surface(point), system.ball(point), point.flipped, system.planar(),
                                       point.flipped ? f.second : f.first, point.flipped ? f.first : f.second);
  if (const ContactLaw& law = system.pair(point).law(); law.ellipse) turn_to_ellipse(law, f.first, f.second, c);
  return c;
}

/// gamma' = d/dt gamma(t, q(t), u(t)) with q' = B(q) u and u' = a, by one dual number in time.
template <class S>
void gamma_dot(const System& system, const ContactPoint& point, double t, const S* q, const S* u, const double* a,
               S* result) {
  using T = TimeJet<S>;
  const Pair pair = pair_of(system, point);
  const ContactPair& contact = system.pair(point);
  const PairInMotion<S> moving(pair, t, q, u, a);
  const PairFrames<T> f = pair_frames<T>(pair, moving.t, moving.q, moving.u);
  T gamma[kMaxContactRows];
  const ContactFrame<T> c = contact_between(system, point, f);
  contact_velocity<T>(c, contact.rows, f.first, f.second, gamma);
  if (system.has_surface_velocity(point)) add_surface_velocity(system, point, moving.t, c, f.first, f.second, gamma);
  for (int i = 0; i < contact.dim(); ++i) result[i] = gamma[i].derivative(0);
}

/// W lambda over the pair's local velocities (n_local_u).
template <class S>
void contact_force(const System& system, const ContactPoint& point, const S* q, const PairFrames<S>& f,
                   const ContactFrame<S>& c, const ContactVector& lambda, S* result) {
  const ContactPair& contact = system.pair(point);
  Vec3<S> F = c.normal * S(lambda(0));
  if (contact.rows.n_slide > 0) F += c.t1 * S(lambda(1));
  if (contact.rows.n_slide > 1) F += c.t2 * S(lambda(2));
  const Vec3<S> T = contact_moment<S>(c, contact.rows, lambda.data());
  pair_force<S>(pair_of(system, point), q, f, c.first, c.second, F, T, result);
}

/// Where beams touch (N of two of them), lines cross (of two rigid bodies) or rows are not plain, by one derivative
/// direction per local coordinate.
template <int N>
struct AutomaticDerivatives {
  using Dual = Jet<double, N>;

  static void over_q(const System& system, const ContactPoint& point, double t, const PairCoordinates& at,
                     const ContactVector& lambda, ContactDerivatives& out) {
    const Pair pair = pair_of(system, point);
    const ContactPair& contact = system.pair(point);
    Dual q[kMaxLocalQ];
    Dual u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual::variable(at.q[i], i);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual(at.u[i]);
    const PairFrames<Dual> f = pair_frames<Dual>(pair, Dual(t), q, u);
    const ContactFrame<Dual> c = contact_between(system, point, f);
    const int dim = contact.dim();
    Dual gamma[kMaxContactRows];
    Dual rate[kMaxContactRows];
    Dual force[kMaxLocalU];
    contact_velocity<Dual>(c, contact.rows, f.first, f.second, gamma);
    if (system.has_surface_velocity(point)) add_surface_velocity(system, point, Dual(t), c, f.first, f.second, gamma);
    gamma_dot<Dual>(system, point, t, q, u, at.a, rate);
    contact_force<Dual>(system, point, q, f, c, lambda, force);
    spread_over_q(
        pair, 1, [&](int, int j) { return c.gap.derivative(j); }, out.gap_q);
    spread_over_q(
        pair, dim, [&](int i, int j) { return gamma[i].derivative(j); }, out.gamma_q);
    spread_over_q(
        pair, dim, [&](int i, int j) { return rate[i].derivative(j); }, out.gamma_dot_q);
    spread_force_over_q(
        pair, [&](int i, int j) { return force[i].derivative(j); }, out.force_q);
  }

  static void over_u(const System& system, const ContactPoint& point, double t, const PairCoordinates& at,
                     ContactDerivatives& out) {
    const Pair pair = pair_of(system, point);
    const int dim = system.pair(point).dim();
    Dual q[kMaxLocalQ];
    Dual u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual(at.q[i]);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual::variable(at.u[i], i);
    Dual rate[kMaxContactRows];
    gamma_dot<Dual>(system, point, t, q, u, at.a, rate);
    spread_over_u(
        pair, dim, [&](int i, int j) { return rate[i].derivative(j); }, out.gamma_dot_u);
  }
};

}  // namespace

ContactVector System::calc_contact_acceleration_bias(const ContactPoint& point, double t, const Vector& q,
                                                     const Vector& u) const {
  ContactVector zeta = ContactVector::Zero();
  if (point.joint >= 0) {
    JointVector bias;
    PairRows::free_direction(joints_[point.joint]).calc_acceleration_bias(*this, t, q, u, bias);
    zeta(0) = limit_sign(point) * bias(0);
    return zeta;
  }
  const PairCoordinates local(pair_of(*this, point), q, &u, nullptr);
  gamma_dot<double>(*this, point, t, local.q, local.u, local.a, zeta.data());
  return zeta;
}

void System::calc_limit_derivatives(const ContactPoint& point, double t, const Vector& q, const Vector& u,
                                    const Vector& a, double lambda, ContactDerivatives& derivatives) const {
  JointDerivatives d;
  PairRows::free_direction(joints_[point.joint])
      .calc_derivatives(*this, t, q, u, &a, JointVector::Constant(1, limit_sign(point) * lambda), d);
  derivatives.gap_q = limit_sign(point) * d.g_q;
  derivatives.gamma_q = limit_sign(point) * d.gamma_q;
  derivatives.gamma_dot_q = limit_sign(point) * d.gamma_dot_q;
  derivatives.gamma_dot_u = limit_sign(point) * d.gamma_dot_u;
  derivatives.force_q = d.force_q;
}

void System::calc_contact_derivatives(const ContactPoint& point, double t, const Vector& q, const Vector& u,
                                      const Vector& a, const ContactVector& lambda,
                                      ContactDerivatives& derivatives) const {
  if (point.joint >= 0) return calc_limit_derivatives(point, t, q, u, a, lambda(0), derivatives);
  const Pair pair = pair_of(*this, point);
  const int dim = this->pair(point).dim();
  derivatives.gap_q.setZero(pair.n_q());
  derivatives.gamma_q.setZero(dim, pair.n_q());
  derivatives.gamma_dot_q.setZero(dim, pair.n_q());
  derivatives.gamma_dot_u.setZero(dim, pair.n_u());
  derivatives.force_q.setZero(pair.n_u(), pair.n_q());
  if (has_derivatives_on_fixed(*this, point)) {
    calc_derivatives_on_fixed(*this, point, q, u, a, lambda, derivatives);
    return;
  }
  if (has_plain_rows(point) && has_rigid_contact_derivatives(surface(point), ball(point)) &&
      pair.first_body.type != BodyType::beam && pair.second_body.type != BodyType::beam) {
    calc_rigid_contact_derivatives(*this, point, t, q, u, a, lambda, derivatives);
    return;
  }
  const PairCoordinates local(pair, q, &u, &a);
  with_capacity(pair, [&]<int kN>(std::integral_constant<int, kN>) {
    AutomaticDerivatives<kN>::over_q(*this, point, t, local, lambda, derivatives);
    AutomaticDerivatives<kN>::over_u(*this, point, t, local, derivatives);
  });
}

}  // namespace stickslip
