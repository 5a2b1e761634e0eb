// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "stickslip/collision/solid.h"
#include "stickslip/model/body.h"
#include "stickslip/model/contact.h"
#include "stickslip/model/force.h"
#include "stickslip/model/frame.h"
#include "stickslip/model/inputs.h"
#include "stickslip/model/joint.h"
#include "stickslip/model/state.h"

namespace stickslip {

class PairRows;

/// The mechanics of a scene, immutable once built: answers questions about masses, forces,
/// kinematics and contacts at a given (t, q, u), and never steps. Equations of motion
///   q' = B(q) u,   M du = h(t, q, u) dt + W dP,   gamma = W^T u + tau(t, q),
/// with M constant and block-diagonal. All calc_* functions are const and do not allocate.
class System {
 public:
  /// Coordinates of all bodies, and the turns of joints behind them: see count_turns().
  int n_q() const { return n_q_; }
  int n_body_q() const { return n_q_ - n_turns_; }  // those of bodies alone
  int n_u() const { return n_u_; }
  bool planar() const { return planar_; }
  int dimension() const { return planar_ ? 2 : 3; }
  const Vector3& gravity() const { return gravity_; }  // (3) [m/s^2]

  const std::vector<Body>& bodies() const { return bodies_; }
  /// All bodies without the rotors, which come last.
  std::span<const Body> shown_bodies() const { return std::span(bodies_).first(bodies_.size() - n_rotors_); }
  /// Whether a body takes part. One that does not is at rest: no force acts on it, it has no energy, no contact of its
  /// shapes is found, and its named contacts are kAbsentGap apart. All do unless set_absent() says otherwise.
  bool is_present(int body) const { return absent_.empty() || absent_[static_cast<std::size_t>(body)] == 0; }
  bool is_present(const Body& body) const { return is_present(static_cast<int>(&body - bodies_.data())); }
  bool is_present(const ContactPoint& point) const {
    return absent_.empty() || (is_present(body(point, Side::first)) && is_present(body(point, Side::second)));
  }
  bool all_are_present() const { return absent_.empty(); }
  /// absent (n bodies): whether each takes no part; empty: all do. The only thing that changes in a system.
  void set_absent(std::vector<char> absent);
  /// Changes whenever a body enters or leaves.
  std::uint64_t attendance() const { return attendance_; }
  static constexpr double kAbsentGap = 1e9;  // [m] beyond whatever a scheme looks at, and not infinite
  const std::vector<ContactPair>& contacts() const { return contacts_; }       // named pairs
  const std::vector<ContactPoint>& contact_points() const { return points_; }  // of all pairs, pair by pair
  /// How contacts that no pair names are found, if they are; see ContactFinder.
  const std::optional<ContactDetectionOptions>& detection() const { return detection_; }
  /// The pair of a contact point, or for a detected one what all with its law have in common: law and n_F.
  const ContactPair& pair(const ContactPoint& k) const {
    return k.pair != kDetected ? contacts_[k.pair] : detected_pair(k.id);
  }
  /// Law and friction dimension of a detected contact.
  const ContactPair& detected_pair(ElementId id) const { return n_classes_ > 1 ? detected_between(id) : detected_[0]; }
  /// Whether contacts between two shapes, by their numbers, have a law; of a system with detection().
  bool has_detected_law(int shape_a, int shape_b) const { return detected_index(shape_a, shape_b) >= 0; }
  /// Shapes of one class have the same laws.
  int shape_class(int shape) const { return class_of_[shape]; }
  /// The laws of all detected contacts, each once; of a system with detection().
  const std::vector<ContactPair>& detected_pairs() const { return detected_; }
  /// The law of contacts that are found between two shapes with one, by their numbers; of a system with detection().
  const ContactLaw& detected_law(int shape_a, int shape_b) const { return detected_between(shape_a, shape_b).law(); }
  /// What shapes touch with, shape by shape through all bodies.
  const std::vector<ShapeFeatures>& shapes() const { return shapes_; }
  /// Number of a body's first shape; the others follow.
  int first_shape(int body) const { return first_shape_[body]; }
  const std::vector<ShapeSurface>& surfaces() const { return surfaces_; }
  const std::vector<ShapeBall>& balls() const { return balls_; }
  const std::vector<Solid>& solids() const { return solids_; }
  /// The narrow phase's solid of a shape, by number: of a solid, or of a half-space in space.
  const Solid& solid(int shape) const {
    const ShapeFeatures& of = shapes_[shape];
    return solids_[of.solid >= 0 ? of.solid : of.plane];
  }
  /// Shapes of named pairs that touch in manifolds, pair by pair.
  const std::vector<ManifoldPair>& manifold_pairs() const { return manifold_pairs_; }
  const std::vector<Joint>& joints() const { return joints_; }
  /// All joints without the couplings of rotors, which come last.
  std::span<const Joint> shown_joints() const { return std::span(joints_).first(joints_.size() - n_rotors_); }
  /// Gives the rotors the rates of their joints in u.
  void spin_rotors(double t, const Vector& q, Vector& u) const;
  /// Named inputs, which servos and joint forces may follow.
  const std::vector<NamedInput>& inputs() const { return inputs_; }
  /// A signal at (t, q, u), where `inputs` have the inputs by name.
  double calc_signal(const Signal& signal, const Inputs& inputs, double t, const Vector& q, const Vector& u) const;
  const std::vector<Force>& forces() const { return forces_; }
  /// Index of the body, or of the joint, of that name, or -1.
  int find_body(std::string_view name) const;
  int find_joint(std::string_view name) const;

  // --- kinematics of bodies
  /// Of a beam: its cross-section at xi = 0.
  Pose calc_pose(int body, double t, const Vector& q) const;
  Twist calc_twist(int body, double t, const Vector& q, const Vector& u) const;
  /// A place to hold on to a body; `parameter` (xi in [0, 1]) counts on a beam only.
  Attachment attach(int body, double parameter = 0.0) const;
  /// The place of a surface (its body) or of a ball (ShapeBall::place).
  const Attachment& place(int k) const { return k >= 0 ? origins_[k] : beam_places_[~k]; }
  /// The frame there: the body's own, on a beam the cross-section's with its x axis along the tangent.
  Pose calc_pose(const Attachment& at, double t, const Vector& q) const;
  Twist calc_twist(const Attachment& at, double t, const Vector& q, const Vector& u) const;
  /// Both; u may be null: velocities zero.
  BodyMotion calc_motion(const Attachment& at, double t, const Vector& q, const Vector* u) const;
  /// q' = B(q) u. Shapes (n_q), (n_u) -> (n_q).
  void calc_coordinate_rates(const Vector& q, const Vector& u, Vector& q_dot) const;
  /// q moved by the constant velocities u over h: straight lines, and rotations by the
  /// exponential map, so that quaternions keep their length. [in place]
  void advance(double h, const Vector& u, Vector& q) const;
  /// Divides every quaternion in q by its length and counts turns: the last operation of a step on positions.
  void normalize(double t, Vector& q) const {
    normalize_quaternions(q);
    count_turns(t, q);
  }
  void normalize_quaternions(Vector& q) const;
  /// Poses in space do not tell how often a joint has turned: q remembers, behind the coordinates of the bodies, each
  /// angle that a joint in space leaves free, relative to where its frames coincide. [rad] The angle at (t, q) is the
  /// one of those that differ by whole turns that is nearest to what q remembers; this puts it there. So a joint may
  /// turn by less than half a turn from one call to the next.
  void count_turns(double t, Vector& q) const;

  // --- masses and forces
  /// Mass block of a body, (n_u, n_u) [kg, kg m^2], constant. Where all blocks are diagonal it is made of the diagonal.
  using MassBlock = Eigen::Ref<const Matrix>;
  MassBlock mass(int body) const { return block_of(mass_, mass_diagonal_, body); }
  MassBlock inverse_mass(int body) const { return block_of(inverse_mass_, inverse_mass_diagonal_, body); }
  /// Whether the mass blocks of all bodies are diagonal; then these diagonals are all of M and M^-1.
  /// (n_u) [kg, kg m^2] and the inverse
  bool has_diagonal_mass() const { return has_diagonal_mass_; }
  const Vector& mass_diagonal() const { return mass_diagonal_; }
  const Vector& inverse_mass_diagonal() const { return inverse_mass_diagonal_; }
  /// M v. Shapes (n_u) -> (n_u).
  void multiply_mass(const Vector& v, Vector& result) const;
  /// M^-1 f. Shapes (n_u) -> (n_u).
  void solve_mass(const Vector& f, Vector& result) const;
  /// h(t, q, u) without the gyroscopic term: gravity, springs, dampers, loads, those of joints included. (n_u) [N, N m]
  void calc_applied_forces(double t, const Vector& q, const Vector& u, Vector& h,
                           JointSprings springs = JointSprings::included) const;
  /// The part of it that has no potential: dampers, loads and forces of joints. (n_u) [N, N m]
  void calc_nonconservative_forces(double t, const Vector& q, const Vector& u, Vector& h,
                                   JointSprings springs = JointSprings::included) const;
  /// Adds what a caller puts on bodies and in joints to h. (n_u) [N, N m]
  void add_input_forces(const Inputs& inputs, double t, const Vector& q, Vector& h) const;
  /// Adds -omega x J omega to the rotational rows of h. (n_u) [N m]
  void add_gyroscopic_forces(const Vector& u, Vector& h) const;
  /// The force and the torque of a load at a state.
  BodyInput calc_load(const Load& load, double t, const Vector& q, const Vector& u) const;
  /// The blocks of d(calc_applied_forces + add_gyroscopic_forces)/d(q, u), in a fixed order with fixed ranges and
  /// sizes: beams element by element, gyroscopic terms, springs and loads, then joints, then what forces that depend on
  /// the state change by.
  std::vector<ForceBlock> make_force_blocks() const;
  /// Fills blocks that make_force_blocks() made. Does not allocate.
  void calc_force_derivatives(double t, const Vector& q, const Vector& u, std::vector<ForceBlock>& blocks) const;
  /// Makes the blocks of the derivatives of add_input_forces over q; none where these do not depend on q.
  void calc_input_derivatives(const Inputs& inputs, double t, const Vector& q, const Vector& u,
                              std::vector<ForceBlock>& blocks) const;
  /// The power that moving bodies put in through springs. [W]
  double calc_prescribed_power(double t, const Vector& q, const Vector& u,
                               JointSprings springs = JointSprings::included) const;
  double calc_kinetic_energy(const Vector& u) const;              // [J]
  double calc_potential_energy(double t, const Vector& q) const;  // [J] of gravity, and elastic
  double calc_elastic_energy(double t, const Vector& q) const;    // [J] of beams, springs and springs of joints

  // --- forces that depend on the state
  double calc_variable(const StateVariable& variable, double t, const Vector& q, const Vector& u) const;
  /// Adds `factor` times d(rate of the variable)/du, of a velocity d(variable)/du, to `row`. (n_u)
  void add_variable_row(const StateVariable& variable, double factor, double t, const Vector& q, Vector& row) const;
  /// All of them: loads component by component, then joints.
  const std::vector<StateForce>& state_forces() const { return state_forces_; }
  const StateExpression& expression(const StateForce& force) const;
  /// Adds a state force of that value to h. (n_u) [N, N m]
  void add_state_force(const StateForce& force, double value, double t, const Vector& q, Vector& h) const;
  /// State forces alone, a part of calc_applied_forces(). (n_u) [N, N m]
  void calc_state_forces(double t, const Vector& q, const Vector& u, Vector& h) const;

  // --- contacts: points of contact_points() or detected ones
  /// Whether points come and go: detected ones, and those of named pairs whose points vary.
  bool has_varying_contacts() const { return detection_ || n_varying_pairs_ > 0; }
  /// Whether two shapes, by their numbers, touch in points that depend on where they are.
  bool meet_in_manifold(int shape_a, int shape_b) const;
  /// Whether the surface of one shape has a gap function to the balls of another.
  bool touch_by_balls(const ShapeFeatures& on, const ShapeFeatures& of) const;
  bool is_height_field(const ShapeFeatures& shape) const;
  /// The shapes of such points by their id; nothing where it is that of another contact.
  struct ManifoldOfId {
    int first_shape, second_shape;
    int manifold_pair;  // index into manifold_pairs(), -1 where it is detected
  };
  std::optional<ManifoldOfId> find_manifold(ElementId id) const;
  /// A point between two shapes with these features, of a named pair (index into manifold_pairs()) or detected (-1),
  /// without what touches there.
  ContactPoint make_manifold_point(int first_shape, int second_shape, int manifold_pair, std::uint32_t feature_first,
                                   std::uint32_t feature_second) const;
  /// The detected contact between two shapes, by their numbers, that has this id.
  ContactPoint make_contact_point(ElementId id) const;
  static ElementId make_contact_id(int surface_shape, int ball_shape, int ball);
  /// Such an id as one number, different for all detected contacts that the system can have.
  std::uint64_t number_of(ElementId id) const;
  /// What touches at a contact point; not of a joint's limit.
  const ShapeSurface& surface(const ContactPoint& k) const {
    return k.frozen != nullptr ? k.frozen->surface : surfaces_[k.surface];
  }
  const ShapeBall& ball(const ContactPoint& k) const { return k.frozen != nullptr ? k.frozen->ball : balls_[k.ball]; }
  /// The body on one side of a contact point.
  int body(const ContactPoint& k, Side side) const {
    if (k.joint >= 0) return joints_[k.joint].side(side).body;
    const bool has_ball = (side == Side::second) != k.flipped;
    return has_ball ? ball(k).body : surface(k).body;
  }
  /// The number of its place(); not of a joint's limit.
  int place_number(const ContactPoint& k, Side side) const {
    const bool has_ball = (side == Side::second) != k.flipped;
    return has_ball ? ball(k).place : surface(k).body;
  }
  /// One side of a contact point.
  const Attachment& side(const ContactPoint& k, Side side) const {
    if (k.joint >= 0) return joints_[k.joint].side(side);
    return place(place_number(k, side));
  }
  /// Whether the gap is an angle: at limits of joints that turn.
  bool turns(const ContactPoint& k) const { return k.joint >= 0 && joints_[k.joint].turns(); }
  void calc_contact(const ContactPoint& k, double t, const Vector& q, ContactGeometry& geometry) const;
  /// The same from the motions of its two sides; not for limits of joints.
  void calc_contact(const ContactPoint& k, const BodyMotion& first, const BodyMotion& second,
                    ContactGeometry& geometry) const;
  /// Sets geometry and gamma (dim) [m/s], as calc_contact_velocity() without surface velocities, if the gap is at most
  /// `most` [m]; else returns false and sets neither.
  bool calc_contact_within(const ContactPoint& k, const BodyMotion& first, const BodyMotion& second, double most,
                           ContactGeometry& geometry, ContactVector& gamma) const;
  /// Whether neither an ellipse of friction nor a surface that moves over its shape changes the rows of a contact.
  bool has_plain_rows(const ContactPoint& k) const { return has_plain_rows_ || rows_are_plain(k); }
  /// Whether the surface of some shape moves over it; on either side of a contact.
  bool has_surface_velocities() const { return !surface_velocities_.empty(); }
  bool has_surface_velocity(const ContactPoint& k) const {
    return has_surface_velocities() && (surface_velocity(k, Side::first) || surface_velocity(k, Side::second));
  }
  /// The one of a side; null: none.
  const SurfaceVelocity* surface_velocity(const ContactPoint& k, Side side) const;
  /// Adds what surfaces do by themselves to gamma (dim) [m/s].
  void add_surface_velocity(const ContactPoint& k, double t, const ContactGeometry& geometry, const BodyMotion& first,
                            const BodyMotion& second, ContactVector& gamma) const;
  /// The name of a shape whose surface does not move at a finite velocity at t; empty: none.
  std::string find_non_finite_surface(double t) const;
  /// gap alone. [m]
  double calc_gap(const ContactPoint& k, double t, const Vector& q) const;
  double calc_gap(const ContactPoint& k, const BodyMotion& first, const BodyMotion& second) const;
  /// Rows of W^T for one side of the contact: gamma = J_first u_first + J_second u_second + tau.
  /// J (dim, n_u of side(k, side)), or as many of its first rows; untouched when that side has no velocities.
  void calc_contact_jacobian(const ContactPoint& k, const ContactGeometry& geometry, const Vector& q, Side side,
                             Eigen::Ref<RowMatrix> J) const;
  /// The same of where the side is.
  void calc_contact_jacobian(const ContactPoint& k, const ContactGeometry& geometry, const Vector& q,
                             const BodyMotion& at, Side side, Eigen::Ref<RowMatrix> J) const;
  /// gamma (dim) [m/s], components as in ContactReport; rest of the array zero.
  ContactVector calc_contact_velocity(const ContactPoint& k, const ContactGeometry& geometry, double t, const Vector& q,
                                      const Vector& u) const;
  /// Whether a prescribed motion is on either side, a surface velocity included, so that tau is not zero.
  bool has_prescribed_motion(const ContactPoint& k) const;
  /// zeta in gamma' = W^T u' + zeta. (dim) [m/s^2]
  ContactVector calc_contact_acceleration_bias(const ContactPoint& k, double t, const Vector& q, const Vector& u) const;
  /// Exact derivatives of the above for a Newton method.
  void calc_contact_derivatives(const ContactPoint& k, double t, const Vector& q, const Vector& u, const Vector& a,
                                const ContactVector& lambda, ContactDerivatives& derivatives) const;

  // --- the same by index into contact_points()
  void calc_contact(int k, double t, const Vector& q, ContactGeometry& geometry) const {
    calc_contact(points_[k], t, q, geometry);
  }
  double calc_gap(int k, double t, const Vector& q) const { return calc_gap(points_[k], t, q); }
  void calc_contact_jacobian(int k, const ContactGeometry& geometry, const Vector& q, Side side,
                             Eigen::Ref<RowMatrix> J) const {
    calc_contact_jacobian(points_[k], geometry, q, side, J);
  }
  ContactVector calc_contact_velocity(int k, const ContactGeometry& geometry, double t, const Vector& q,
                                      const Vector& u) const {
    return calc_contact_velocity(points_[k], geometry, t, q, u);
  }
  bool has_prescribed_motion(int k) const { return has_prescribed_motion(points_[k]); }
  ContactVector calc_contact_acceleration_bias(int k, double t, const Vector& q, const Vector& u) const {
    return calc_contact_acceleration_bias(points_[k], t, q, u);
  }
  void calc_contact_derivatives(int k, double t, const Vector& q, const Vector& u, const Vector& a,
                                const ContactVector& lambda, ContactDerivatives& derivatives) const {
    calc_contact_derivatives(points_[k], t, q, u, a, lambda, derivatives);
  }

  // --- dry friction, in forces and in joints, by index into dry_frictions()
  const std::vector<DryFrictionElement>& dry_frictions() const { return dry_frictions_; }
  /// Its bound where joints bore so much in the step before. loads (joints) [N], or empty: nothing. [N, N m]
  double calc_friction_bound(int k, const Vector& loads) const {
    const DryFrictionElement& e = dry_frictions_[k];
    return e.of_load == 0.0 || loads.size() == 0 ? e.bound : e.bound + e.of_load * loads(e.joint);
  }
  /// gamma (dim) [m/s, rad/s]
  void calc_dry_friction_velocity(int k, double t, const Vector& q, const Vector& u, JointVector& gamma) const;
  /// Rows of W^T for one side, (dim, n_u of that side).
  void calc_dry_friction_jacobian(int k, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const;
  /// All of these at once, and reactions. u null: at rest.
  void calc_dry_friction_geometry(int k, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const;
  /// Whether a prescribed motion is on either side, so that tau is not zero.
  bool dry_friction_has_prescribed_motion(int k) const;
  /// zeta in gamma' = W^T u' + zeta. (dim) [m/s^2, rad/s^2]
  void calc_dry_friction_acceleration_bias(int k, double t, const Vector& q, const Vector& u, JointVector& zeta) const;
  /// What lambda (dim) [N, N m] does to second, of a joint's about its point.
  JointReaction calc_dry_friction_reaction(int k, double t, const Vector& q, const JointVector& lambda) const;
  /// Exact derivatives of the above for a Newton method; g_q is zero.
  void calc_dry_friction_derivatives(int k, double t, const Vector& q, const Vector& u, const Vector& a,
                                     const JointVector& lambda, JointDerivatives& derivatives) const;

  // --- joints, by index into joints(); lambda (dim) [N] for length rows, [N m] for angle rows
  /// g (dim) [m, rad], zero on the constraint; angle rows in (-pi, pi], relative to their target.
  void calc_joint_position(int j, double t, const Vector& q, JointVector& g) const;
  /// gamma = W^T u + tau (dim) [m/s, rad/s]; equal to g' in rows that hold positions.
  void calc_joint_velocity(int j, double t, const Vector& q, const Vector& u, JointVector& gamma) const;
  /// Rows of W^T for side k, J (dim, n_u of joints()[j].side(k)); untouched when that side has no velocities.
  void calc_joint_jacobian(int j, double t, const Vector& q, int k, Eigen::Ref<RowMatrix> J) const;
  void calc_joint_jacobian(int j, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const {
    calc_joint_jacobian(j, t, q, static_cast<int>(side), J);
  }
  /// All of these at once, and reactions. u null: at rest.
  void calc_joint_geometry(int j, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const;
  /// Whether a motion drives it or a prescribed motion is on either side, so that tau is not zero.
  bool joint_has_prescribed_motion(int j) const;
  /// zeta in gamma' = W^T u' + zeta. (dim) [m/s^2, rad/s^2]
  void calc_joint_acceleration_bias(int j, double t, const Vector& q, const Vector& u, JointVector& zeta) const;
  /// Exact derivatives of the above for a Newton method; not of gears and couplings.
  void calc_joint_derivatives(int j, double t, const Vector& q, const Vector& u, const Vector& a,
                              const JointVector& lambda, JointDerivatives& derivatives) const;
  /// Derivatives of one term of a gear or a coupling with the force lambda, over the coordinates of its joint's bodies:
  /// the derivatives of the row and of its force are the sums over its terms.
  void calc_term_derivatives(const JointTerm& term, double t, const Vector& q, const Vector& u, const Vector& a,
                             const JointVector& lambda, JointDerivatives& derivatives) const;
  /// Coordinate c of a joint, the first one where none is said, and its rate; NaN where there is none.
  double calc_joint_coordinate(int j, int c, double t, const Vector& q) const;
  JointCoordinate calc_joint_coordinate(int j, int c, double t, const Vector& q, const Vector& u) const;
  double calc_joint_coordinate(int j, double t, const Vector& q) const { return calc_joint_coordinate(j, 0, t, q); }
  JointCoordinate calc_joint_coordinate(int j, double t, const Vector& q, const Vector& u) const {
    return calc_joint_coordinate(j, 0, t, q, u);
  }
  /// What the constraint does to second; of a gear or coupling to the second body of its last joint.
  JointReaction calc_joint_reaction(int j, double t, const Vector& q, const JointVector& lambda) const;
  /// What spring, damper and applied force of the joint do to second in the free direction. [N, N m]
  double calc_joint_drive(int j, double t, const Vector& q, const Vector& u) const;
  /// The same of all its driven directions: of a spherical joint the three of dry_friction_rows().
  JointVector calc_joint_drives(int j, double t, const Vector& q, const Vector& u,
                                JointSprings springs = JointSprings::included) const;
  /// What `force` [N, N m] in the free direction does to second.
  JointReaction calc_joint_free_reaction(int j, double t, const Vector& q, double force) const;
  /// The same of the first free directions, as many as there are forces.
  JointReaction calc_joint_free_reaction(int j, double t, const Vector& q, const JointVector& forces) const;

 private:
  friend class SystemBuilder;
  System() = default;

  PairRows dry_friction_rows(int k) const;
  double calc_joint_rate(int j, int c, double t, const Vector& q, const Vector& u) const;
  JointVector calc_joint_damping(int j, double t, const Vector& q, const Vector& u, JointSprings springs) const;
  double calc_joint_prescribed_power(int j, double t, const Vector& q) const;
  void add_joint_drive(int j, const JointVector& forces, double t, const Vector& q, Vector& h) const;
  void fill_joint_drive(int j, const JointVector& forces, const JointSpring* spring, double t, const Vector& q,
                        const Vector& u, ForceBlock*& next) const;
  void add_state_blocks(std::vector<ForceBlock>& blocks) const;
  void fill_state_blocks(double t, const Vector& q, const Vector& u, ForceBlock*& next) const;
  bool rows_are_plain(const ContactPoint& k) const;
  void calc_limit(const ContactPoint& point, double t, const Vector& q, ContactGeometry& geometry) const;
  void calc_limit_derivatives(const ContactPoint& point, double t, const Vector& q, const Vector& u, const Vector& a,
                              double lambda, ContactDerivatives& derivatives) const;

  bool planar_ = false;
  int n_q_ = 0;
  int n_turns_ = 0;
  int n_u_ = 0;
  Vector3 gravity_ = Vector3::Zero();
  std::vector<Body> bodies_;
  std::vector<char> absent_;  // (n bodies) or empty
  std::uint64_t attendance_ = 0;
  std::vector<Attachment> origins_;      // of the bodies
  std::vector<Attachment> beam_places_;  // of balls on beams
  std::vector<ShapeFeatures> shapes_;
  std::vector<int> first_shape_;  // (n bodies)
  std::vector<ShapeSurface> surfaces_;
  std::vector<ShapeBall> balls_;
  std::uint64_t most_balls_ = 1;  // of a shape
  std::vector<Solid> solids_;
  std::uint64_t most_features_ = 1;           // of a convex solid
  std::uint64_t most_triangle_features_ = 1;  // of what is_surface(), which touches convex solids alone
  /// Contacts that two shapes can have at most.
  std::uint64_t numbers_a_pair() const {
    return std::max(most_features_ * std::max(most_features_, most_triangle_features_), most_balls_);
  }
  std::vector<ManifoldPair> manifold_pairs_;
  int n_varying_pairs_ = 0;
  std::deque<FrozenFeatures> unfrozen_;  // of points of manifolds, for what asks for their bodies
  std::vector<ContactPair> contacts_;
  std::vector<ContactPoint> points_;
  std::optional<ContactDetectionOptions> detection_;
  /// Those of detected contacts between two shapes.
  const ContactPair& detected_between(ElementId id) const;
  const ContactPair& detected_between(int shape_a, int shape_b) const {
    return detected_[detected_index(shape_a, shape_b)];
  }
  int detected_index(int shape_a, int shape_b) const {
    return detected_of_[class_of_[shape_a] * n_classes_ + class_of_[shape_b]];
  }
  // Shapes that say the same of their friction, and that the same laws mean, are a class; one pair of detected contacts
  // for each law that two classes have. They have no points of their own.
  std::vector<ContactPair> detected_ = std::vector<ContactPair>(1);  // of a system without detection() one
  int n_classes_ = 1;
  std::vector<int> class_of_;     // (n shapes)
  std::vector<int> detected_of_;  // (n classes, n classes) index into detected_, -1: they pass through each other
  std::vector<SurfaceVelocity> surface_velocities_;
  std::vector<int> surface_velocity_of_;  // (n shapes) index into surface_velocities_, -1: none
  bool has_plain_rows_ = true;            // of all contacts
  std::vector<Joint> joints_;
  std::size_t n_rotors_ = 0;
  std::vector<NamedInput> inputs_;
  std::vector<int> driven_joints_;  // those with a spring or a force
  std::vector<Force> forces_;
  std::vector<StateForce> state_forces_;
  std::vector<DryFrictionElement> dry_frictions_;
  MassBlock block_of(const std::vector<Matrix>& blocks, const Vector& diagonal, int body) const {
    if (!has_diagonal_mass_) return blocks[static_cast<std::size_t>(body)];
    const Body& b = bodies_[static_cast<std::size_t>(body)];
    // No matrix but an expression, which the reference then holds itself.
    return Matrix::NullaryExpr(b.n_u, b.n_u,
                               [&](Eigen::Index r, Eigen::Index c) { return r == c ? diagonal(b.u_offset + r) : 0.0; });
  }
  std::vector<Matrix> mass_, inverse_mass_;  // (n bodies) or none: all are diagonal
  Vector mass_diagonal_, inverse_mass_diagonal_;
  bool has_diagonal_mass_ = true;
};

/// Collects the parts of a System and checks that they fit together. Every add_* and build()
/// throws InputError on what cannot be.
class SystemBuilder {
 public:
  SystemBuilder(bool planar, const Vector3& gravity);

  /// Returns the body's index. Offsets are assigned; shapes are in the body frame (origin: centre of mass).
  int add_body(Body body);
  /// Gives a body that was added with another mass and inertia these.
  void set_mass(int body, double mass, const Matrix3& inertia);
  /// A pair of bodies (all their shapes) or of single shapes; the normal points from first to second.
  /// first_shape / second_shape: index into Body::shapes, or -1 for all.
  int add_contact(const ContactPairOptions& options);
  /// Contacts between all shapes that can touch and that no pair names. To be called after the last body.
  void detect_contacts(const ContactDetectionOptions& options);
  /// Also its dry friction, and its limits as a pair of contact points "<joint>-limits": 0 the low, 1 the high one.
  int add_joint(const JointOptions& options);
  /// A gear or a coupling between joints that have been added.
  int add_coupling(std::string name, JointType type, std::vector<JointTerm> terms);
  int add_force(Force force);
  /// The force of a joint that was added with one: it may depend on joints that were added after it.
  void set_joint_force(int joint, StateExpression force);
  /// An input by name.
  int add_named_input(NamedInput input);
  /// Servos and forces of a joint, which may depend on joints that were added after it.
  void set_joint_servos(int joint, std::vector<JointServo> servos, std::vector<Signal> forces,
                        std::optional<EffortLimit> limit);
  /// The unfinished system, to find parts by their names.
  const System& system() const { return system_; }
  System build();

 private:
  /// What decides which law a shape's detected contacts obey.
  struct ShapeClass {
    std::optional<double> friction, spinning, rolling;  // [-], [m], [m]
    int priority;
    std::optional<int> condim;
    std::vector<char> law_sides;  // (n laws) bit 1: it is of the law's first side, bit 2: of its second
    auto operator<=>(const ShapeClass&) const = default;
  };
  /// (n shapes) their ShapeClass::law_sides; empty where there are no laws.
  std::vector<std::vector<char>> find_law_sides() const;
  /// Index into System::detected_ of the law between two classes; -1: they pass through each other.
  int find_detected(const ShapeClass& a, const ShapeClass& b);
  /// Index of these options in System::detected_; adds them if they are not there.
  int add_detected(const ContactPairOptions& options);
  void sort_into_classes();
  void add_rotor(int joint);
  void set_mass_blocks(int body);
  void add_joint_friction(int joint);
  void add_joint_friction(int joint, int first_free, int dim, double bound);
  void add_limits(int joint);
  void add_features(int body);
  void add_surface_velocities(Body& body);
  std::span<const ShapeBall> balls_on(const ShapeFeatures& on, const ShapeFeatures& of) const;
  void check(const ContactLaw& law, const std::string& owner) const;
  void set_rows(ContactPair& pair);
  System system_;
  std::unordered_set<std::string> body_names_, contact_names_, joint_names_;
};

}  // namespace stickslip
