// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stickslip/base/aside.h"
#include "stickslip/base/input_error.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/model/body.h"
#include "stickslip/model/contact.h"
#include "stickslip/model/joint.h"
#include "stickslip/model/sensor_type.h"
#include "stickslip/scene/fill_rules.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/limits.h"
#include "stickslip/stepping/population.h"
#include "stickslip/stepping/scheme_options.h"
#include "stickslip/stepping/step_control.h"

namespace stickslip {

// What a scene file means, as plain data that can be compared: load_scene() reads it, to_toml() writes
// it, build() makes the System of it. Numbers written as "=expression" are numbers here; names
// stand where the file has names. Vectors of planar scenes have z = 0. docs/scene-format.md has every key.

/// A number or an expression of t (its text, over Scene::parameters); of forces and torques of loads and joints also of
/// the state.
using TimeFunction = std::variant<double, std::string>;

struct PlanarAngle {
  double angle = 0.0;  // [rad] counter-clockwise
  bool operator==(const PlanarAngle&) const = default;
};

struct AxisAngle {
  Vector3 axis = Vector3::UnitZ();  // (3) [-] any length but zero
  double angle = 0.0;               // [rad]
  bool operator==(const AxisAngle&) const = default;
};

struct Quaternion {
  Vector4 wxyz = Vector4::UnitX();  // (4) [-] any length but zero
  bool operator==(const Quaternion&) const = default;
};

/// An orientation as it was written; monostate: none, the identity.
using Orientation = std::variant<std::monostate, PlanarAngle, AxisAngle, Quaternion>;

/// How the surface of a shape moves over it, in the body's drawing frame.
struct SceneSurfaceVelocity {
  std::array<TimeFunction, 3> velocity = {0.0, 0.0, 0.0};  // [m/s]
  bool turns = false;                                      // whether it has the rest, in the place of the velocity
  Vector3 axis = Vector3::UnitZ();                         // (3) [-] any length but zero
  TimeFunction rate = 0.0;                                 // [rad/s]
  std::optional<Vector3> at;                               // (3) [m] none: the position of the shape
  bool operator==(const SceneSurfaceVelocity&) const = default;
};

struct SceneShape {
  std::string name;
  ShapeGeometry geometry;              // a half-space's normal has any length: {x : normal . x <= offset} as written
  Vector3 position = Vector3::Zero();  // (3) [m] in the body's drawing frame
  Orientation orientation;
  ShapeContact contact = {};
  std::string material = {};  // a name of Scene::materials; empty: none
  std::string group = {};     // empty: that of the body
  Aside<SceneSurfaceVelocity> surface_velocity = {};
  bool operator==(const SceneShape&) const = default;
};

/// Inertia about the centre of mass [kg m^2]: none, a planar body's, principal moments, or the matrix in the body
/// frame.
using SceneInertia = std::variant<std::monostate, double, Vector3, Matrix3>;

/// The motion of a moving body: x_W = position(t) + R(axis, angle(t)) R(orientation) x_B.
struct SceneMotion {
  std::array<TimeFunction, 3> position;  // [m]
  Vector3 axis = Vector3::UnitZ();       // (3) [-] world; any length but zero
  TimeFunction angle = 0.0;              // [rad]
  bool operator==(const SceneMotion&) const = default;
};

/// A beam, at the start straight and undeformed from the body's position on.
struct SceneBeam {
  BeamOptions options;
  Vector3 direction = Vector3::UnitX();  // (3) [-] any length but zero
  bool operator==(const SceneBeam&) const = default;
};

/// [materials.NAME]: what shapes are made of.
struct SceneMaterial {
  std::string name;
  std::optional<double> density;  // [kg/m^3], planar [kg/m^2]
  bool operator==(const SceneMaterial&) const = default;
};

struct SceneBody {
  std::string name;
  std::string group;  // of its shapes that have none of their own; empty: none
  BodyType type = BodyType::rigid;
  std::optional<double> mass;  // [kg]
  SceneInertia inertia;
  std::optional<Vector3> centre_of_mass;  // (3) [m] in the drawing frame; none: its origin, or that of the shapes
  std::optional<double> density;          // [kg/m^3], planar [kg/m^2]; instead of mass and inertia
  std::string parent;                     // position and orientation are relative to its drawing frame; empty: world
  Vector3 position = Vector3::Zero();     // (3) [m] of the drawing frame, whose origin is the centre of mass where
                                          // neither density nor centre_of_mass says otherwise
  Orientation orientation;                // a moving body's: where its angle is 0
  Vector3 velocity = Vector3::Zero();     // (3) [m/s] of the centre of mass
  Vector3 angular_velocity = Vector3::Zero();  // (3) [rad/s] body frame; planar: z
  bool gyroscopic = true;                      // rigid bodies
  Aside<SceneMotion> motion;                   // moving bodies
  Aside<SceneBeam> beam;                       // beams
  std::vector<SceneShape> shapes;
  std::optional<double> from;  // [s] when it comes; none: it is there from the start on, or its fill has a rate
  int fill = -1;               // which of Scene::fills made it, -1: none
  bool operator==(const SceneBody&) const = default;
};

/// "body" (all its shapes: shape is empty), "body/shape", or all shapes of "group:NAME" or "material:NAME", which is
/// then in `body`.
struct SceneSide {
  std::string body;
  std::string shape;
  bool operator==(const SceneSide&) const = default;
};

struct SceneContact {
  std::string name;
  std::array<SceneSide, 2> between;  // the normal points from the first to the second
  ContactLaw law;
  std::optional<double> envelope;          // [m]
  std::optional<double> correction_speed;  // [m/s]
  bool operator==(const SceneContact&) const = default;
};

/// [contact_default]: the law of contacts that are detected.
struct SceneContactDefault {
  ContactLaw law;
  std::optional<double> envelope;          // [m]
  std::optional<double> correction_speed;  // [m/s]
  /// Pairs without contacts: "body", "body/shape", "group:G" or "material:M" each.
  std::vector<std::array<std::string, 2>> except;
  bool operator==(const SceneContactDefault&) const = default;
};

/// [[laws]]: the law of detected contacts between shapes of two materials or groups.
struct SceneLaw {
  std::array<std::string, 2> between;  // a material's name or "group:G" each
  bool collide = true;                 // false: these shapes pass through each other
  ContactLaw law;
  std::optional<double> envelope;          // [m]
  std::optional<double> correction_speed;  // [m/s]
  bool operator==(const SceneLaw&) const = default;
};

/// A joint's frame on a body: z is the joint's axis.
struct SceneFrame {
  Vector3 position = Vector3::Zero();  // (3) [m] in the body's drawing frame
  Orientation orientation;             // against it
  bool operator==(const SceneFrame&) const = default;
};

/// The coordinate of the second joint is ratio times that of the first, both from their starting values.
struct SceneGear {
  std::array<std::string, 2> joints;
  double ratio = 1.0;            // [-, rad/m, m/rad] not 0
  std::optional<double> offset;  // [m, rad] second = ratio first + offset; none: as at the start
  bool operator==(const SceneGear&) const = default;
};

/// What a servo or a force of a joint follows.
struct SceneSignal {
  TimeFunction value = 0.0;
  std::string input;  // the name of an input, in the place of `value`
  double gain = 1.0, offset = 0.0;
  bool operator==(const SceneSignal&) const = default;
};

struct SceneServo {
  bool of_velocity = false;  // target is then a rate
  double stiffness = 0.0;    // [N/m, N m/rad] of one of position
  double damping = 0.0;      // [N s/m, N m s/rad]
  SceneSignal target, rate;
  std::optional<std::array<double, 2>> limit;  // [N, N m]
  bool operator==(const SceneServo&) const = default;
};

struct SceneInput {
  std::string name;
  TimeFunction value = 0.0;
  std::optional<std::array<double, 2>> range;
  bool operator==(const SceneInput&) const = default;
};

struct SceneJoint {
  std::string name;
  JointType type = JointType::revolute;
  std::array<std::string, 2> between;  // the second relative to the first
  bool local = false;                  // at and axes are in the second body's drawing frame
  std::optional<Vector3> at;           // (3) [m] world, as drawn; none: the point of the beam, else second's origin
  std::vector<double> at_parameter;    // [-] xi on the beam, or on each of two
  std::optional<Vector3> axis;   // (3) [-] world direction at the start, any length but zero; of a knife-edge the blade
  std::optional<Vector3> axis2;  // (3) [-] likewise: universal, the axis on the second body
  std::optional<Vector3> normal;  // (3) [-] likewise: knife-edge in space and rolling, of a plane of the first body
  std::optional<std::array<SceneFrame, 2>> frames;  // spatial: on the first and the second body, instead of at and axes
  Vector3 at_a = Vector3::Zero();                   // (3) [m] distance: on the first body, in its drawing frame
  Vector3 at_b = Vector3::Zero();                   // (3) [m] distance: on the second
  std::optional<double> length;                     // [m] distance; none: as placed, or anything within limits
  double pitch = 0.0;                               // [m a turn] screw, not 0
  double radius = 0.0;                              // [m] rolling, > 0
  std::optional<TimeFunction> motion;               // [rad] or [m] revolute, screw, prismatic
  bool absolute =
      false;  // coordinates are not 0 at the start but the angles or offsets of the bodies, or of the frames
  std::optional<double> reference;    // [rad, m] the coordinate as drawn; none: 0
  std::vector<double> start;          // [rad, m] coordinates at the start, spherical: a quaternion; none: as drawn
  std::vector<double> start_rate;     // [rad/s, m/s] their rates; none: 0
  std::optional<JointSpring> spring;  // this, force and limits: of joints with one coordinate; spherical: damping
  double armature = 0.0;              // [kg, kg m2] of joints with one coordinate, and of spherical ones
  std::optional<TimeFunction> force;  // [N, N m]
  std::vector<SceneSignal> forces;    // [N, N m] added to it: inputs, and all where there are several
  std::vector<SceneServo> servos;
  std::optional<std::array<double, 2>> effort_limit;  // [N, N m] of servos, inputs and forces together
  double friction = 0.0;         // [N, N m] in the free directions; of the force where both are free
  double friction_torque = 0.0;  // [N m] of the torque where both are free
  double load_friction = 0.0;    // [-] coefficient of friction by the joint's load: revolute, prismatic
  double load_radius = 0.0;      // [m] at which it acts: revolute
  std::optional<JointLimits> limits;
  bool collide = true;            // whether contacts between its bodies are detected
  std::optional<SceneGear> gear;  // of a gear, all that is said of it
  bool operator==(const SceneJoint&) const = default;
};

/// The sum of coefficient times coordinate of its joints stays as at the start.
struct SceneCoupling {
  std::string name;
  std::vector<std::string> joints;
  std::vector<double> coefficients;  // [-, rad/m, m/rad] not 0, one a joint
  bool operator==(const SceneCoupling&) const = default;
};

struct SceneSpring {
  std::array<std::string, 2> between;
  std::vector<double> at_parameter;  // [-] xi on the beam, or on each of two
  Vector3 at_a = Vector3::Zero();    // (3) [m] on the first body, in its drawing frame
  Vector3 at_b = Vector3::Zero();    // (3) [m] on the second body, in its drawing frame
  double stiffness = 0.0;            // [N/m]
  double damping = 0.0;              // [N s/m]
  double rest = 0.0;                 // [m]
  bool operator==(const SceneSpring&) const = default;
};

struct SceneDryFriction {
  std::array<std::string, 2> between;
  std::vector<double> at_parameter;  // [-] xi on the beam, or on each of two
  std::optional<Vector3> at;         // (3) [m] world, at the start; none: the point of the beam, else second's origin
  double bound = 0.0;                // [N]
  std::optional<Vector3> axis;       // (3) [-] world direction at the start; none: isotropic
  bool operator==(const SceneDryFriction&) const = default;
};

struct SceneLoad {
  std::string body;
  Vector3 at = Vector3::Zero();                          // (3) [m] in the body's drawing frame
  std::optional<double> at_parameter;                    // [-] xi on a beam
  std::array<TimeFunction, 3> force = {0.0, 0.0, 0.0};   // [N]
  std::array<TimeFunction, 3> torque = {0.0, 0.0, 0.0};  // [N m]; planar: z
  bool body_frame = false;                               // components along the body's axes
  bool operator==(const SceneLoad&) const = default;
};

struct SceneForce {
  std::string name;
  std::variant<SceneSpring, SceneDryFriction, SceneLoad> law;
  bool operator==(const SceneForce&) const = default;
};

struct SceneTime {
  double start = 0.0;  // [s]
  double end = 1.0;    // [s] > start
  double step = 1e-3;  // [s] > 0; 0 where it is automatic
  bool automatic = false;
  StepControlOptions control = {};  // where it is automatic
  bool operator==(const SceneTime&) const = default;
};

struct SceneOutput {
  std::optional<double> every;           // [s] none: by the expected size of the result
  bool single_precision = false;         // of what is written at these instants, but for the time
  std::vector<std::string> fields = {};  // of kOutputFields; none: all
  bool operator==(const SceneOutput&) const = default;
};

/// sites.NAME: a frame on a body that is no beam.
struct SceneSite {
  std::string name;
  std::string body;
  Vector3 position = Vector3::Zero();  // (3) [m] in the body's drawing frame
  Orientation orientation;             // against it
  bool operator==(const SceneSite&) const = default;
};

/// [[sensors]]: what is read at the end of steps. Names that its type has no use for are empty.
struct SceneSensor {
  std::string name;
  SensorType type = SensorType::pose;
  std::string site;
  bool in_site_frame = false;  // velocity: components along the site's axes
  std::string joint;
  std::string body;
  std::string with;                                       // contact: empty: all
  double most = std::numeric_limits<double>::infinity();  // [m] range
  bool operator==(const SceneSensor&) const = default;
};

/// [[measures]]: what is measured of a group in a region.
struct SceneMeasure {
  std::string name;
  std::string group;                          // of bodies; empty: all that can move
  std::optional<std::array<Vector3, 2>> box;  // (3) [m] lower and upper corner; none: everywhere
  std::optional<Vector3> point, normal;       // (3) [m], [-] of a plane; both or none
  bool operator==(const SceneMeasure&) const = default;
};

/// The exact motion of a body, from which `compare` measures errors.
struct SceneReference {
  std::string body;
  std::optional<std::array<TimeFunction, 3>> position;  // [m] of its centre of mass
  std::optional<std::array<TimeFunction, 3>> velocity;  // [m/s]
  bool operator==(const SceneReference&) const = default;
};

/// Where the parts of a scene were written, by dotted path ("bodies.ball.mass"), for errors that show
/// only when the scene is built. Not part of what a scene means: all places compare equal.
class ScenePlaces {
 public:
  void set(const std::string& path, const SourcePlace& place) { places_.insert_or_assign(path, place); }
  /// What is within `path` was written where what is within `other` was: bodies that repeat one.
  void set_like(const std::string& path, const std::string& other) { like_.insert_or_assign(path, other); }
  /// The place of a path, or of the nearest table around it; empty when nothing is known.
  SourcePlace find(std::string_view path) const;
  bool operator==(const ScenePlaces&) const { return true; }

 private:
  std::map<std::string, SourcePlace, std::less<>> places_;
  std::map<std::string, std::string, std::less<>> like_;
};

/// A [[fill]] with a rate, whose bodies come one after the other. Each stands in the middle of the box as yet.
struct SceneSource {
  int fill = 0;                 // into Scene::fills: which bodies
  double from = 0.0;            // [s]
  double rate = 1.0;            // [1/s] > 0
  std::array<Vector3, 2> box;   // (3) [m] lower and upper corner
  std::vector<double> reaches;  // [m] how far each of its bodies reaches around its place
  std::uint64_t seed = 0;
  bool operator==(const SceneSource&) const = default;
};

/// A [[fill]], which made bodies.
struct SceneFill {
  std::string keys;  // those of a table, but for `rows`
  BodyRows rows;     // none: of another rule
  bool operator==(const SceneFill&) const = default;
};

/// [domain]: where bodies are meant to be.
struct SceneDomain {
  std::array<Vector3, 2> box;  // (3) [m] lower and upper corner
  Outside outside = Outside::keep;
  bool operator==(const SceneDomain&) const = default;
};

struct Scene {
  std::string name;
  bool planar = false;
  Vector3 gravity = Vector3(0.0, 0.0, -9.81);  // (3) [m/s^2]
  SceneTime time;
  SchemeOptions scheme;
  SolverOptions solver;
  bool eases_tolerance = false;  // solver.tolerance = "auto": that of the solver or looser, see contact_tolerance.h
  SceneOutput output;
  LimitOptions limits;
  Expression::Parameters parameters;
  std::vector<SceneMaterial> materials;
  std::vector<SceneBody> bodies;  // in the order of the file, which is the order in q and u; then those of the fills
  std::vector<SceneFill> fills;
  std::vector<SceneSource> sources;
  std::optional<SceneDomain> domain;
  std::vector<SceneContact> contacts;
  std::optional<SceneContactDefault> contact_default;
  std::vector<SceneLaw> laws;  // the last that fits counts
  bool detects_contacts() const { return contact_default || !laws.empty(); }
  std::vector<SceneJoint> joints;
  std::vector<SceneCoupling> couplings;
  std::vector<SceneInput> inputs;
  std::vector<SceneForce> forces;
  std::vector<SceneSite> sites;
  std::vector<SceneSensor> sensors;
  std::vector<SceneMeasure> measures;
  std::vector<SceneReference> reference;  // of some bodies
  ScenePlaces places;
  /// Leaves out what takes most of the memory: of a scene that is built, and written where it is to be.
  void drop_bodies() {
    bodies = std::vector<SceneBody>();
    fills = std::vector<SceneFill>();
    places = ScenePlaces();
  }
  bool operator==(const Scene&) const = default;
};

/// Whether the scene may have so many contacts that the default tolerance is looser with more of them
/// (contact_tolerance.h): they are detected, and the scheme is one on velocities and percussions.
bool may_ease_tolerance(const Scene& scene);

/// Whether each body is of a joint or of a force: such a one does not come or go. (n bodies)
std::vector<char> find_tied(const Scene& scene);

/// Where the points of polylines are that come from no file: in the text, or stored beside it, as in results.
enum class PointsOfLines { in_text, stored };

/// The scene as a file's text, includes, parameters and overrides applied. Reads back as an equal scene.
std::string to_toml(const Scene& scene, PointsOfLines points = PointsOfLines::in_text);

}  // namespace stickslip
