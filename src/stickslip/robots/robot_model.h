// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/math/types.h"
#include "stickslip/model/body.h"
#include "stickslip/robots/xml_tree.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {

// What URDF and MJCF have in common: a tree of bodies with joints, which the readers make and write_robot() writes as a
// scene. SI, angles in radians.

/// Mass, centre of mass and inertia about it along the axes of the frame that it is in.
struct RobotMass {
  double mass = 0.0;                  // [kg]
  Vector3 center = Vector3::Zero();   // (3) [m]
  Matrix3 inertia = Matrix3::Zero();  // (3, 3) [kg m^2]

  void add(const RobotMass& other);
  /// The same seen from the frame in which this one's is `pose`.
  RobotMass moved(const Pose& pose) const;
};

struct RobotMesh {
  std::string file;                                 // as looked up, empty: points alone
  Vector3 scale = Vector3::Ones();                  // (3) [-]
  std::vector<Vector3> points;                      // (3) [m] corners of the hull, of a mesh that no file says
  std::optional<std::array<double, 2>> field_size;  // [m] of a height field, whose file is one of RobotModel::files
};

/// A shape of a body, drawn in its frame.
struct RobotShape {
  std::string name;
  ShapeGeometry geometry;  // a Convex or a Mesh is that of `mesh`
  std::optional<RobotMesh> mesh;
  Pose pose;
  ShapeContact contact;
  SourcePlace place;
  std::size_t body = 0;  // of the model, also where that is fused into another
};

/// gain times the value of an input, and offset; offset alone where there is no input.
struct RobotSignal {
  int input = -1;  // index into RobotModel::inputs
  double gain = 1.0, offset = 0.0;
};

struct RobotServo {
  bool of_velocity = false;
  double stiffness = 0.0, damping = 0.0;
  RobotSignal target;  // of velocity: of the rate
  std::optional<std::array<double, 2>> limit;
};

enum class RobotJointType { hinge, slide, ball, planar };

/// Between a body and what it hangs on, drawn in the body's frame.
struct RobotJoint {
  std::string name;
  RobotJointType type = RobotJointType::hinge;
  Vector3 at = Vector3::Zero();     // (3) [m]
  Vector3 axis = Vector3::UnitZ();  // (3) [-] any length but zero
  double reference = 0.0;           // [rad, m]
  std::optional<std::array<double, 2>> limits;
  double stiffness = 0.0, damping = 0.0, rest = 0.0;
  double friction = 0.0;
  double armature = 0.0;
  std::optional<std::string> motion;  // a constant
  std::vector<double> start, start_rate;
  std::vector<RobotServo> servos;
  std::vector<RobotSignal> forces;
  std::optional<std::array<double, 2>> effort_limit;
  SourcePlace place;
};

struct RobotBody {
  std::string name;
  int parent = -1;  // index, before this one; -1: the first body, which cannot move
  Pose pose;        // in the parent's frame
  bool is_free = false;
  Vector3 velocity = Vector3::Zero();          // (3) [m/s] of a free body: of its frame's origin
  Vector3 angular_velocity = Vector3::Zero();  // (3) [rad/s] body frame
  std::vector<RobotJoint> joints;              // the first is nearest to the parent
  RobotMass mass;
  std::vector<RobotShape> shapes;
  SourcePlace place;
};

/// A joint that closes a loop: a point, or a whole frame, of two bodies.
struct RobotLoop {
  std::string name;
  bool is_weld = false;
  std::array<int, 2> bodies = {0, 0};
  std::array<Pose, 2> frames;
  SourcePlace place;
};

/// second = ratio first + offset
struct RobotGear {
  std::string name;
  std::array<std::string, 2> joints;
  double ratio = 1.0;
  double offset = 0.0;
  SourcePlace place;
  const char* element = "joint";  // that says it
};

/// What servos and forces follow.
struct RobotInput {
  std::string name;
  double value = 0.0;
  std::optional<std::array<double, 2>> range;
  SourcePlace place;
};

struct RobotPair {
  std::string name;
  std::array<int, 2> bodies = {0, 0};
  std::array<std::string, 2> shapes;
  double friction = 0.0;                 // [-]
  double spinning = 0.0, rolling = 0.0;  // [m]
  SourcePlace place;
};

/// A frame on a body.
struct RobotSite {
  std::string name;
  int body = 0;
  Pose pose;  // in the body's frame
  SourcePlace place;
  bool is_drawn = true;  // the file has it; false: made for a sensor
};

struct RobotSensor {
  std::string name;
  std::string type;            // of a scene
  int site = -1;               // index into RobotModel::sites, -1: none
  bool in_site_frame = false;  // velocity
  std::string joint;           // joint
  int body = -1;               // contact; wrench: the second body of the joint
  double most = 0.0;           // [m] range, 0: no limit
  SourcePlace place;
};

struct RobotModel {
  std::string name;
  const char* body_word = "body";  // what messages call a body and a shape: the format's elements
  const char* shape_word = "geom";
  Vector3 gravity = Vector3(0.0, 0.0, -9.81);  // (3) [m/s^2]
  double step = 1e-3;                          // [s]
  double friction = 1.0;                       // [-] of contacts that are found
  std::vector<RobotBody> bodies;               // the first cannot move
  bool first_is_free = false;                  // but for this
  std::vector<RobotLoop> loops;
  std::vector<RobotGear> gears;
  std::vector<RobotPair> pairs;
  std::vector<RobotSite> sites;
  std::vector<RobotSensor> sensors;
  std::vector<RobotInput> inputs;
  std::vector<std::array<int, 2>> excludes;
  std::map<std::string, std::string> files;  // bytes of those to be beside the scene, by their names
  bool jointed_collide = false;              // whether the bodies of a joint may touch
  bool root_collides = true;                 // whether they may where the first body is one of them
};

/// Warnings of a conversion, a line each.
class RobotWarnings {
 public:
  void add(const SourcePlace& place, const std::string& what, const std::string& text);
  void add(const XmlElement& element, const std::string& text) { add(element.place(), element.name, text); }
  void add(const XmlElement& element, const std::string& attribute, const std::string& text);

  struct Entry {
    SourcePlace place;
    std::string what, text;
    bool operator==(const Entry&) const = default;
  };
  /// In the order of their finding, each once.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::set<std::string> told_;
};

struct RobotOptions {
  bool strict = false;                          // what is left out or changed is an error
  std::vector<std::filesystem::path> packages;  // folders of packages, or of one
  std::string base;                             // "", "fixed" or "free": URDF's root
  std::string key;                              // MJCF's keyframe
  bool balance_inertia = false;                 // URDF
  bool reads_files = true;                      // meshes and includes
  std::filesystem::path scene_folder;           // meshes are named relative to it
  bool operator==(const RobotOptions&) const = default;
};

inline constexpr std::size_t kMaxRobotBodies = 100'000;

RobotModel read_urdf(const XmlElement& root, const std::filesystem::path& file, const RobotOptions& options,
                     RobotWarnings& warnings);
RobotModel read_mjcf(const XmlElement& root, const std::filesystem::path& file, const RobotOptions& options,
                     RobotWarnings& warnings);

/// The scene of a model.
ConvertedScene write_robot(RobotModel model, const RobotOptions& options, RobotWarnings& warnings);

/// Starts joints that follow others by gears where these say, the first of each chain as it is. What follows two
/// others, or itself, starts as drawn.
void start_geared_joints(RobotModel& model);

Pose compose_poses(const Pose& a, const Pose& b);
Pose invert_pose(const Pose& a);

}  // namespace stickslip
