// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/attachment.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/system.h"

namespace stickslip {

// What contacts, joints and springs share: two attachments with their coordinates in a row, q = (q_first, q_second), u
// likewise. Included by the .cpp files of model/ only.
//
// Frames are functions of *local* coordinates: a body's own q and u, and on a beam the point and the tangent
// (x, y, dx/dxi, dy/dxi) with their rates, which are linear in the control points. Derivatives are taken over local
// coordinates and spread over the control points afterwards, so that their number does not grow with the degree.

/// Most local coordinates and velocities of a pair: two rigid bodies'.
inline constexpr int kMaxLocalQ = 14;
inline constexpr int kMaxLocalU = 12;
/// Two planar bodies' or beams'.
inline constexpr int kMaxPlanarLocalQ = 8;
/// Of one side.
inline constexpr int kMaxLocalSide = 7;

inline int local_n_q(const Body& body) {
  return body.type == BodyType::beam ? kBeamLocalDofs : body.n_q;
}
inline int local_n_u(const Body& body) {
  return body.type == BodyType::beam ? kBeamLocalDofs : body.n_u;
}

/// Coordinates `x` of the range of an attachment as local ones: (n_q) -> (local_n_q), u likewise.
inline void to_local(const Attachment& side, const double* x, int n, double* local) {
  if (side.n_control == 0) {
    for (int i = 0; i < n; ++i) local[i] = x[i];
    return;
  }
  for (int i = 0; i < kBeamLocalDofs; ++i) local[i] = 0.0;
  for (int i = 0; i < side.n_control; ++i) {
    for (int c = 0; c < 2; ++c) {
      local[c] += side.shape[i] * x[2 * i + c];
      local[2 + c] += side.slope[i] * x[2 * i + c];
    }
  }
}

/// Calls f(index, weight) for each coordinate of the range that local coordinate j is made of.
template <class F>
void for_each_of_local(const Attachment& side, int j, F&& f) {
  if (side.n_control == 0) return f(j, 1.0);
  const auto& weights = j < 2 ? side.shape : side.slope;
  for (int i = 0; i < side.n_control; ++i) f(2 * i + j % 2, weights[i]);
}

/// The frame of an attachment: the body's, on a beam the cross-section's. `u` may be null: velocities zero.
inline Frame<double> frame_at(const Body& body, const Attachment& side, double t, const Vector& q, const Vector* u) {
  static constexpr double kZero[kMaxLocalSide] = {};
  if (side.n_control == 0) {
    return body_frame<double>(body, t, q.data() + side.q_offset, u == nullptr ? kZero : u->data() + side.u_offset);
  }
  double q_local[kMaxLocalSide];
  double u_local[kMaxLocalSide] = {};
  to_local(side, q.data() + side.q_offset, side.n_q, q_local);
  if (u != nullptr) to_local(side, u->data() + side.u_offset, side.n_u, u_local);
  return body_frame<double>(body, t, q_local, u_local);
}

/// The generalised force (side.n_u) of a world force F at x and a world torque T on an attachment.
inline void attachment_force(const Body& body, const Attachment& side, const Vector& q, const Frame<double>& frame,
                             const Vector3& x, const Vector3& F, const Vector3& T, double* result) {
  if (side.n_control == 0) {
    return body_generalized_force<double>(body, q.data() + side.q_offset, frame, x, F, T, result);
  }
  double q_local[kMaxLocalSide];
  double local[kMaxLocalSide];
  to_local(side, q.data() + side.q_offset, side.n_q, q_local);
  body_generalized_force<double>(body, q_local, frame, x, F, T, local);
  for (int i = 0; i < side.n_control; ++i) {
    for (int c = 0; c < 2; ++c) result[2 * i + c] = side.shape[i] * local[c] + side.slope[i] * local[2 + c];
  }
}

struct Pair {
  const Body& first_body;
  const Body& second_body;
  const Attachment& first;
  const Attachment& second;
  int first_local_q, first_local_u;  // where second's local coordinates begin
  int n_local_q, n_local_u;

  Pair(const System& system, const Attachment& a, const Attachment& b)
      : first_body(system.bodies()[a.body]),
        second_body(system.bodies()[b.body]),
        first(a),
        second(b),
        first_local_q(local_n_q(first_body)),
        first_local_u(local_n_u(first_body)),
        n_local_q(first_local_q + local_n_q(second_body)),
        n_local_u(first_local_u + local_n_u(second_body)) {}

  int n_q() const { return first.n_q + second.n_q; }
  int n_u() const { return first.n_u + second.n_u; }

  /// Calls f(index, weight) for each of the pair's own coordinates that local coordinate j is made of.
  template <class F>
  void for_each_q(int j, F&& f) const {
    if (j < first_local_q) return for_each_of_local(first, j, f);
    for_each_of_local(second, j - first_local_q, [&](int i, double weight) { f(first.n_q + i, weight); });
  }
  template <class F>
  void for_each_u(int j, F&& f) const {
    if (j < first_local_u) return for_each_of_local(first, j, f);
    for_each_of_local(second, j - first_local_u, [&](int i, double weight) { f(first.n_u + i, weight); });
  }
};

/// The pair's local q, u and a in a row.
struct PairCoordinates {
  double q[kMaxLocalQ] = {};
  double u[kMaxLocalU] = {};
  double a[kMaxLocalU] = {};

  PairCoordinates(const Pair& pair, const Vector& all_q, const Vector* all_u, const Vector* all_a) {
    to_local(pair.first, all_q.data() + pair.first.q_offset, pair.first.n_q, q);
    to_local(pair.second, all_q.data() + pair.second.q_offset, pair.second.n_q, q + pair.first_local_q);
    if (all_u != nullptr) gather(pair, *all_u, u);
    if (all_a != nullptr) gather(pair, *all_a, a);
  }

 private:
  static void gather(const Pair& pair, const Vector& all, double* out) {
    to_local(pair.first, all.data() + pair.first.u_offset, pair.first.n_u, out);
    to_local(pair.second, all.data() + pair.second.u_offset, pair.second.n_u, out + pair.first_local_u);
  }
};

template <class S>
struct PairFrames {
  Frame<S> first, second;
};

/// q, u local.
template <class S>
PairFrames<S> pair_frames(const Pair& pair, const S& t, const S* q, const S* u) {
  return {body_frame<S>(pair.first_body, t, q, u),
          body_frame<S>(pair.second_body, t, q + pair.first_local_q, u + pair.first_local_u)};
}

/// The same in numbers. `u` may be null: velocities zero.
inline PairFrames<double> frames_of(const Pair& pair, double t, const Vector& q, const Vector* u) {
  return {frame_at(pair.first_body, pair.first, t, q, u), frame_at(pair.second_body, pair.second, t, q, u)};
}

/// Whether a coordinate of a joint is that of its free row, but for whole turns.
inline bool has_coordinate_row(const Joint& joint, int c) {
  return joint.spatial || c < joint.n_free_lengths;
}

/// System::calc_joint_coordinate() of one that the joint has, where its frames are known; g of its free row, if
/// has_coordinate_row().
double coordinate_at(const Joint& joint, int c, double t, const Vector& q, const Pair& pair,
                     const PairFrames<double>& frames, double g);

/// The generalised force (n_local_u) of a world force F and torque T on second at on_second, -F and -T on first at
/// on_first. q local.
template <class S>
void pair_force(const Pair& pair, const S* q, const PairFrames<S>& f, const Vec3<S>& on_first, const Vec3<S>& on_second,
                const Vec3<S>& F, const Vec3<S>& T, S* result) {
  body_generalized_force<S>(pair.first_body, q, f.first, on_first, Vec3<S>(-F), Vec3<S>(-T), result);
  body_generalized_force<S>(pair.second_body, q + pair.first_local_q, f.second, on_second, F, T,
                            result + pair.first_local_u);
}

/// (t, q, u) moving along the motion with acceleration a: t' = 1, q' = B(q) u, u' = a, as dual numbers in time.
template <class S>
struct PairInMotion {
  using T = TimeJet<S>;
  T t;
  T q[kMaxLocalQ];
  T u[kMaxLocalU];

  PairInMotion(const Pair& pair, double t0, const S* q0, const S* u0, const double* a) : t(jet(S(t0), S(1.0))) {
    S q_dot[kMaxLocalQ];
    body_coordinate_rates<S>(pair.first_body, q0, u0, q_dot);
    body_coordinate_rates<S>(pair.second_body, q0 + pair.first_local_q, u0 + pair.first_local_u,
                             q_dot + pair.first_local_q);
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = jet(q0[i], q_dot[i]);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = jet(u0[i], S(a[i]));
  }

 private:
  static T jet(const S& value, const S& rate) {
    T x(value);
    x.set_derivative(0, rate);
    return x;
  }
};

/// Adds derivatives over the local coordinates of a pair, entry(i, j) of `rows` rows, to a matrix over its own.
template <class Entry, class Result>
void spread_over_q(const Pair& pair, int rows, Entry&& entry, Result& result) {
  for (int j = 0; j < pair.n_local_q; ++j) {
    pair.for_each_q(j, [&](int column, double weight) {
      for (int i = 0; i < rows; ++i) result(i, column) += weight * entry(i, j);
    });
  }
}
template <class Entry, class Result>
void spread_over_u(const Pair& pair, int rows, Entry&& entry, Result& result) {
  for (int j = 0; j < pair.n_local_u; ++j) {
    pair.for_each_u(j, [&](int column, double weight) {
      for (int i = 0; i < rows; ++i) result(i, column) += weight * entry(i, j);
    });
  }
}
/// The same for derivatives of generalised forces: rows over u, columns over q.
template <class Entry, class Result>
void spread_force_over_q(const Pair& pair, Entry&& entry, Result& result) {
  for (int j = 0; j < pair.n_local_q; ++j) {
    pair.for_each_q(j, [&](int column, double column_weight) {
      for (int i = 0; i < pair.n_local_u; ++i) {
        pair.for_each_u(
            i, [&](int row, double row_weight) { result(row, column) += row_weight * column_weight * entry(i, j); });
      }
    });
  }
}

/// Calls body(std::integral_constant<int, N>) with the least capacity N of derivative directions that fits a pair: two
/// planar bodies or beams, two rigid bodies. Each capacity costs ten seconds of compiling.
template <class F>
void with_capacity(const Pair& pair, F&& body) {
  if (pair.n_local_q <= kMaxPlanarLocalQ) return body(std::integral_constant<int, kMaxPlanarLocalQ>{});
  body(std::integral_constant<int, kMaxLocalQ>{});
}

}  // namespace stickslip
