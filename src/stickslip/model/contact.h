// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/collision/features.h"
#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/model/attachment.h"
#include "stickslip/model/element_id.h"

namespace stickslip {

/// Rows of one contact at most: the normal, two of sliding, one of spinning, two of rolling.
inline constexpr int kMaxContactRows = 6;

/// (dim) [m/s], [m/s^2], [N], ...: rows of one contact, the normal first; the rest is zero.
using ContactVector = Eigen::Matrix<double, kMaxContactRows, 1>;

/// The rows of a contact: the normal, sliding, turning about the normal, turning across it. A row of turning is the
/// rate of turning times a lever, so that all rows are velocities [m/s] and their multipliers forces.
struct ContactRowLayout {
  int n_slide = 0;        // [-] 1 planar, 2 spatial, 0 in limits of joints
  int n_drill = 0;        // [-] 1 with Contensou, whose friction is one set with sliding, or with spinning
  int n_roll = 0;         // [-] with rolling: 1 planar, of all turning; 2 spatial, about the tangents
  double drilling = 0.0;  // [m] their levers
  double rolling = 0.0;   // [m]

  int dim() const { return 1 + n_slide + n_drill + n_roll; }
  int drill_row() const { return 1 + n_slide; }
  int roll_row() const { return 1 + n_slide + n_drill; }
};

/// A function of a speed v, as scenes write it.
struct SpeedFunction {
  std::string text;       // without "="
  Expression expression;  // v is its variable 1
  double operator()(double v) const {
    const std::array<double, 2> x = {0.0, v};
    return expression.value(x);
  }
  bool operator==(const SpeedFunction&) const = default;
};

/// Friction of what slides, which is at most that of what sticks.
struct KineticFriction {
  double friction = 0.0;      // [-] mu >= 0
  double stick_speed = 1e-6;  // [m/s] >= 0: slip up to which a step begins with the friction of what sticks
  bool operator==(const KineticFriction&) const = default;
};

/// Friction that differs along and across a direction in the tangent plane, which is fixed in one of the bodies. In the
/// rows of such a contact the second tangent is `across` / mu times a unit vector, so that the friction set is a disc.
struct FrictionEllipse {
  double across = 1.0;                   // [-] mu > 0; ContactLaw::friction is that along the direction
  Vector3 direction = Vector3::UnitX();  // (3) [-] in the frame of that body, any length but zero
  bool is_of_second = false;             // whether that body is the contact's second one, else its first
  bool operator==(const FrictionEllipse&) const = default;
};

/// Of the normal direction: Newton's ratio of velocities, Poisson's of percussions, Stronge's of works.
enum class ImpactLaw { newton, poisson, energetic };

/// What contacts of a pair obey: set-valued Coulomb friction, set-valued moments against rolling and spinning, and
/// Newton's law of impacts in both directions.
struct ContactLaw {
  double friction = 0.0;                // [-] mu >= 0: of what sticks, at no speed, along the direction of an ellipse
  double restitution_normal = 0.0;      // [-] in [0, 1]
  double restitution_tangential = 0.0;  // [-] in [0, 1]
  double contensou_radius = 0.0;        // [m] 0: none; > 0 adds the friction velocity 3 pi / 16 R (n . omega)
  double rolling = 0.0;                 // [m] >= 0: |moment across the normal| <= rolling p_N; planar: all of it
  double spinning = 0.0;                // [m] >= 0: |moment about the normal| <= spinning p_N; spatial
  double adhesion = 0.0;                // [N] >= 0: attraction of two shapes while their gap is at most the range
  double adhesion_range = 0.0;          // [m] > 0 where there is adhesion
  ImpactLaw impact = ImpactLaw::newton;
  std::optional<SpeedFunction> restitution_of_speed = {};  // [-] of the approach speed, in place of restitution_normal
  std::optional<KineticFriction> kinetic = {};             // at most one of these
  std::optional<SpeedFunction> friction_of_speed = {};     // [-] of the slip speed; what is below 0 is 0
  std::optional<FrictionEllipse> ellipse = {};
  bool operator==(const ContactLaw&) const = default;

  /// Whether there is friction at any speed.
  bool has_friction() const { return friction > 0.0 || friction_of_speed.has_value(); }
  /// The length of the second tangent in the rows of contacts. [-]
  double second_tangent() const { return ellipse ? ellipse->across / friction : 1.0; }
  /// Whether mu depends on how fast the contact slides.
  bool is_of_speed() const { return kinetic.has_value() || friction_of_speed.has_value(); }
  /// mu at a slip speed [m/s], of a step that begins with it. [-]
  double calc_friction(double speed) const {
    if (kinetic && !(speed > kinetic->stick_speed)) return friction;
    return is_of_speed() ? calc_sliding_friction(speed) : friction;
  }
  /// mu of what slides, however slowly. [-]
  double calc_sliding_friction(double speed) const {
    if (kinetic) return kinetic->friction;
    if (!friction_of_speed) return friction;
    const double mu = (*friction_of_speed)(speed);
    return mu > 0.0 && std::isfinite(mu) ? mu : 0.0;
  }

  /// Whether impacts may end with a rebound.
  bool rebounds() const { return restitution_normal > 0.0 || restitution_of_speed.has_value(); }
  /// e_N at a normal velocity before the impact, which is below 0 where the contact closes. In [0, 1]; what is no
  /// number is 0. [-]
  double calc_restitution(double normal_velocity) const {
    if (!restitution_of_speed) return restitution_normal;
    const double e = (*restitution_of_speed)(std::max(0.0, -normal_velocity));
    return e > 0.0 ? std::min(e, 1.0) : 0.0;
  }
};

/// The description of a named contact for the builder.
struct ContactPairOptions {
  std::string name;
  int first = 0, second = 0;                // bodies; the normal points from first to second
  int first_shape = -1, second_shape = -1;  // index into Body::shapes, -1: all shapes that can touch
  ContactLaw law = {};
  // Of schemes that correct positions; none: as the scheme says.
  std::optional<double> envelope = {};          // [m] >= 0 gap up to which a contact takes part in a step
  std::optional<double> correction_speed = {};  // [m/s] > 0 cap on the velocity at which an overlap is corrected
};

/// A named contact with its points, which are fixed by its shapes (a box on a half-space: its corners).
struct ContactPair {
  ContactPairOptions options;
  int first_point = 0;  // index into System::contact_points()
  int n_points = 0;
  int friction_dim = 0;  // n_F: 1 planar, 2 spatial, 3 with Contensou, also when mu = 0; none in limits of joints
  ContactRowLayout rows;

  const ContactLaw& law() const { return options.law; }
  int dim() const { return rows.dim(); }
  /// Whether rolling or spinning has rows of its own.
  bool has_moments() const { return dim() > 1 + friction_dim; }
};

/// A shape of a body, or all of them.
struct ShapeSelection {
  int body = 0;
  int shape = -1;  // index into Body::shapes; -1: all of the body's
};

/// The laws of contacts between shapes that no pair names, and between which of them there are none.
struct ContactDetectionOptions {
  ContactLaw law = {};                  // without Contensou
  std::optional<double> envelope = {};  // [m] >= 0: how far beyond their way in a step shapes are looked for, at
                                        // least; and as of ContactPairOptions
  std::optional<double> correction_speed = {};  // [m/s] as of ContactPairOptions
  struct Except {
    std::vector<ShapeSelection> first, second;
  };
  std::vector<Except> except;  // no contacts between a shape of `first` and one of `second`
  /// Another law between shapes of `first` and of `second`, in either order.
  struct Law {
    bool collide = true;                          // false: they pass through each other
    ContactLaw law = {};                          // without Contensou
    std::optional<double> envelope = {};          // [m] as above
    std::optional<double> correction_speed = {};  // [m/s] as above
    std::vector<ShapeSelection> first, second;
  };
  std::vector<Law> laws;      // the last that fits counts
  bool by_laws_only = false;  // shapes that no law fits pass through each other
};

/// What a shape touches others with, in the tables of the System. Shapes are numbered through all bodies, in order.
struct ShapeFeatures {
  int body = 0;        // index into System::bodies()
  int shape = 0;       // index into Body::shapes
  int surface = -1;    // index into System::surfaces(); -1: none
  int first_ball = 0;  // index into System::balls()
  int n_balls = 0;
  bool is_round = false;  // whether bounded surfaces touch its balls, too
  int solid = -1;         // index into System::solids(); -1: none
  int plane = -1;         // likewise, of a half-space in space, for cylinders that touch it; -1: none
};
struct ShapeSurface : SurfaceFeature {
  int shape = 0;  // its number
  int body = 0;
};
struct ShapeBall : BallFeature {
  int shape = 0;  // its number
  int body = 0;
  int place = 0;  // see System::place()
};

/// Two shapes of a named pair whose points depend on where they are (collision/manifold.h).
struct ManifoldPair {
  int pair = 0;                           // index into System::contacts()
  int first_shape = 0, second_shape = 0;  // their numbers
  int point = -1;  // of a ball or a point and another: index into System::contact_points(); -1: as many as there are
};

/// ContactPoint::pair of a detected contact.
inline constexpr int kDetected = -1;

/// What touches at a point of a manifold: features of two shapes, which depend on where their bodies are. They are
/// frozen in the frames of the bodies, with the gap between them a smooth function of these, until the point is found
/// again.
struct FrozenFeatures {
  ShapeSurface surface;
  ShapeBall ball;
};

/// One point at which two sides can touch: a surface and a ball between which a gap is measured, or the limit of a
/// joint, whose gap is the free coordinate, an angle [rad] in a revolute joint.
struct ContactPoint {
  ElementId id;
  int pair = 0;                            // index into System::contacts(), or kDetected
  int index = 0;                           // which point of the pair
  int surface = -1, ball = -1;             // into System::surfaces() and balls(); of a manifold -1
  const FrozenFeatures* frozen = nullptr;  // of a manifold: in the ContactFinder, until it finds again
  int joint = -1;                          // limits: index into System::joints(); else -1
  bool flipped = false;                    // the ball is on the pair's first side
  bool apart = false;    // of a manifold: the shapes no longer touch with what is frozen, whatever its gap
  bool is_high = false;  // limits: gap = high - coordinate, else coordinate - low
};

/// d gap / d coordinate at a joint's limit. [-]
inline double limit_sign(const ContactPoint& limit) {
  return limit.is_high ? -1.0 : 1.0;
}

/// A contact point at one instant; world frame. position_second - position_first = gap normal. At a joint's limit both
/// are the joint's points, normal is the direction of the force on second (zero where it is a torque), tangent1 zero,
/// tangent2 the axis of the torque on it.
struct ContactGeometry {
  double gap = 0.0;                           // [m]
  Vector3 position_first = Vector3::Zero();   // (3) [m] on the pair's first body
  Vector3 position_second = Vector3::Zero();  // (3) [m] on the pair's second body
  Vector3 normal = Vector3::Zero();           // (3) [-] from first to second
  Vector3 tangent1 = Vector3::Zero();         // (3) [-] see docs/scene-format.md
  Vector3 tangent2 = Vector3::Zero();         // (3) [-] normal x tangent1, see FrictionEllipse; zero in planar systems
};

/// Exact derivatives at one contact over the pair's own coordinates: q = (q_first, q_second) of
/// n_q, u likewise of n_u, each side's as its Attachment says; dim rows = those of the pair.
struct ContactDerivatives {
  using GammaQ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxContactRows, kMaxPairQ>;
  using GammaU = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxContactRows, kMaxPairU>;
  using ForceQ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPairU, kMaxPairQ>;
  using GapQ = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMaxPairQ>;
  GapQ gap_q;          // (1, n_q) d g / dq
  GammaQ gamma_q;      // (dim, n_q) d gamma / dq
  GammaQ gamma_dot_q;  // (dim, n_q) d gamma' / dq
  GammaU gamma_dot_u;  // (dim, n_u) d gamma' / du
  ForceQ force_q;      // (n_u, n_q) d (W lambda) / dq
};

}  // namespace stickslip
