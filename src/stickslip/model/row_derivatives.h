// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/joint.h"
#include "stickslip/model/pair_kinematics.h"

namespace stickslip {

// Rates and derivatives of rows between two attachments, by automatic differentiation. Included by the .cpp files of
// model/ only. RowsAt<S>(system, source, pair, t, q, u) are the rows of `source` over the scalar S, at local
// coordinates: g(i), velocity(i) = gamma_i, and get_force(pair, q, dim, lambda, result), W lambda (n_local_u).

/// gamma' of all rows over S.
template <template <class> class RowsAt, class S, class Source>
void calc_rows_gamma_dot(const System& system, const Source& source, const Pair& pair, double t, const S* q, const S* u,
                         const double* a, S* result) {
  const PairInMotion<S> moving(pair, t, q, u, a);
  const RowsAt<TimeJet<S>> at(system, source, pair, moving.t, moving.q, moving.u);
  for (int i = 0; i < source.dim(); ++i) result[i] = at.velocity(i).derivative(0);
}

/// One derivative direction, of N, per local coordinate.
template <template <class> class RowsAt, int N, class Source>
void add_rows_derivatives(const System& system, const Source& source, const Pair& pair, double t,
                          const PairCoordinates& at, const double* lambda, JointDerivatives& out) {
  using Dual = Jet<double, N>;
  const int dim = source.dim();
  Dual q[kMaxLocalQ];
  Dual u[kMaxLocalU];
  Dual rate[kMaxJointDim];
  for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual::variable(at.q[i], i);
  for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual(at.u[i]);
  const RowsAt<Dual> rows(system, source, pair, Dual(t), q, u);
  Dual gamma[kMaxJointDim];
  Dual force[kMaxLocalU];
  for (int i = 0; i < dim; ++i) gamma[i] = rows.velocity(i);
  calc_rows_gamma_dot<RowsAt, Dual>(system, source, pair, t, q, u, at.a, rate);
  rows.get_force(pair, q, dim, lambda, force);
  spread_over_q(
      pair, dim, [&](int i, int j) { return rows.g(i).derivative(j); }, out.g_q);
  spread_over_q(
      pair, dim, [&](int i, int j) { return gamma[i].derivative(j); }, out.gamma_q);
  spread_over_q(
      pair, dim, [&](int i, int j) { return rate[i].derivative(j); }, out.gamma_dot_q);
  spread_force_over_q(
      pair, [&](int i, int j) { return force[i].derivative(j); }, out.force_q);

  for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual(at.q[i]);
  for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual::variable(at.u[i], i);
  calc_rows_gamma_dot<RowsAt, Dual>(system, source, pair, t, q, u, at.a, rate);
  spread_over_u(
      pair, dim, [&](int i, int j) { return rate[i].derivative(j); }, out.gamma_dot_u);
}

/// All of JointDerivatives. a null: accelerations zero.
template <template <class> class RowsAt, class Source>
void calc_rows_derivatives(const System& system, const Source& source, double t, const Vector& q, const Vector& u,
                           const Vector* a, const JointVector& lambda, JointDerivatives& out) {
  const Pair pair(system, source.first(), source.second());
  const PairCoordinates at(pair, q, &u, a);
  out.g_q.setZero(source.dim(), pair.n_q());
  out.gamma_q.setZero(source.dim(), pair.n_q());
  out.gamma_dot_q.setZero(source.dim(), pair.n_q());
  out.gamma_dot_u.setZero(source.dim(), pair.n_u());
  out.force_q.setZero(pair.n_u(), pair.n_q());
  with_capacity(pair, [&](auto capacity) {
    add_rows_derivatives<RowsAt, decltype(capacity)::value>(system, source, pair, t, at, lambda.data(), out);
  });
}

}  // namespace stickslip
