// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/collision/solid.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Whether friction has one mu, whatever the slip.
inline bool is_plain(const ContactLaw& law) {
  return !law.is_of_speed() && !law.ellipse;
}

/// How large friction may be where it depends on the speed or the direction of slip, by how bodies move at both ends of
/// a step.
class FrictionBounds {
 public:
  /// The system must outlive this.
  explicit FrictionBounds(const System& system) : system_(system) {}

  /// An end of the step.
  struct End {
    double t;         // [s]
    const Vector* q;  // (n_q)
    const Vector* u;  // (n_u)
    const std::vector<Placement>* bodies;
  };
  struct Contact {
    int shape_a, shape_b;  // their numbers in System::shapes(): of the first and the second side
    Vector3 point;         // (3) [m] world
    Vector3 normal;        // (3) [-] world
  };

  /// The largest mu that the law has within the step. at_instants: whether the scheme takes the slip of each instant,
  /// and not that at the start of the step. [-]
  double find_most(const ContactLaw& law, const Contact& contact, const End& start, const End& end,
                   bool at_instants) const;
  /// A named point whose features are known; where it is.
  Contact make_contact(const ContactPoint& point, const Vector3& position, const Vector3& normal) const;
  /// The law of a contact of varying points: that of a named pair; of detected ones that of its shapes, where that is
  /// not plain, else one with the largest mu of all shapes of the two bodies.
  ContactLaw find_law(int named, int body_a, int body_b, const Contact& contact) const;
  /// How large friction (3) is by the law, in units of what mu = ContactLaw::friction allows along all directions: at
  /// least, by how the bodies turn in the step.
  double measure(const ContactLaw& law, const Contact& contact, const Vector3& friction,
                 const std::vector<Placement>& start, const std::vector<Placement>& end) const;

 private:
  Vector3 surface_velocity(int shape, const Vector3& x, const End& at) const;
  Vector3 calc_slip(const Contact& contact, const End& at) const;
  double calc_driven(const Contact& contact, const End& start, const End& end) const;
  double calc_turning(const Contact& contact, const End& at) const;
  double calc_free_acceleration(const Contact& contact, const End& at) const;

  const System& system_;
};

}  // namespace stickslip
