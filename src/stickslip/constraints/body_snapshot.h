// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/prefetch.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Poses and velocities of all bodies at one instant (t, q, u), computed in one pass for contacts. A copy: it does not
/// follow a state that moves on.
///
/// Bodies that can have no contact are not computed: planar bodies, points and beams that touch nothing are left at
/// rest at the origin, and so is the turn of a disc whose centre is that of its body.
class BodySnapshot {
 public:
  /// Empty until take(). The system must outlive this.
  explicit BodySnapshot(const System& system) : system_(&system) {}

  /// The instant. q (n_q), u (n_u); u may be null: at rest.
  const BodySnapshot& take(double t, const Vector& q, const Vector* u);

  const System& system() const { return *system_; }
  double t() const { return t_; }         // [s]
  const Vector& q() const { return q_; }  // (n_q)
  const Vector& u() const { return u_; }  // (n_u)
  /// Of a beam: its cross-section at xi = 0.
  const BodyMotion& operator[](int body) const { return motions_[body]; }
  /// At a place of a body, or at that of this number. On a beam it is worked out now, into `scratch`.
  const BodyMotion& at(const Attachment& place, BodyMotion& scratch) const {
    if (place.n_control == 0) return motions_[place.body];
    return scratch = system_->calc_motion(place, t_, q_, &u_);
  }
  const BodyMotion& at(int place, BodyMotion& scratch) const {
    if (place >= 0) return motions_[place];
    return at(system_->place(place), scratch);
  }

 private:
  void prepare();

  const System* system_;
  double t_ = 0.0;
  Vector q_;
  Vector u_;
  std::vector<BodyMotion> motions_;  // of the bodies
  std::vector<int> moving_;          // bodies whose motion is worked out
  std::vector<int> unturned_;        // planar ones of which the rotation is not
};

/// In a loop over `points` at the k-th: prefetches balls and motions of points some way ahead. Points are sorted by
/// their surfaces, which need no prefetch.
[[gnu::always_inline]] inline void prefetch_ahead(const BodySnapshot& at, std::span<const ContactPoint> points,
                                                  std::size_t k) {
  const std::vector<ShapeBall>& balls = at.system().balls();
  const auto ball_of = [&](std::size_t i) { return i < points.size() ? points[i].ball : -1; };
  const int far = ball_of(k + 2 * kPrefetchDistance);
  if (far >= 0) prefetch(balls[far]);
  const int next = ball_of(k + kPrefetchDistance);
  if (next >= 0) prefetch(at[balls[next].body]);
}

/// A contact point there; its gap alone; and with gamma (dim) [m/s] where the gap is at most `most`, else false.
void calc_contact(const BodySnapshot& at, const ContactPoint& point, ContactGeometry& geometry);
double calc_gap(const BodySnapshot& at, const ContactPoint& point);
bool calc_contact_within(const BodySnapshot& at, const ContactPoint& point, double most, ContactGeometry& geometry,
                         ContactVector& gamma);

}  // namespace stickslip
