// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <type_traits>
#include <utility>

#include "stickslip/base/nearest.h"
#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/math/rotation.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/joint_frames.h"
#include "stickslip/scene/massless_bodies.h"
#include "stickslip/scene/orientation.h"
#include "stickslip/scene/pose_start.h"
#include "stickslip/scene/project_start.h"
#include "stickslip/scene/start_state.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {

/// Where a body's parts are: the frame the scene draws them in against the body's own, whose axes are the same
/// and whose origin is the centre of mass.
struct BodyFrame {
  int index = -1;                    // in the System
  double angle = 0.0;                // [rad] planar: of the world, whole turns included
  bool moves = false;                // has velocities
  Vector3 center = Vector3::Zero();  // (3) [m] of mass, in the drawing frame
  Pose pose;                         // of the body's own frame, as drawn: at the start where no joint says otherwise
};

using ForceLaw = decltype(Force::law);

/// Turns a scene into a System, part by part.
class SceneBuilder {
 public:
  SceneBuilder(const Scene& scene, StopToken stop) : scene_(scene), stop_(stop), system_(scene.planar, scene.gravity) {}

  BuiltScene build(const SolverDecorator& decorate) {
    BuiltScene built;
    System& population = build_start(built);
    built.solver = at_place("solver", [&] {
      SolverOptions options = scene_.solver;
      stop_options(options).stop = stop_;
      return make_solver(options, forces());
    });
    refuse_blocks(*built.system, *built.solver);
    if (decorate) built.solver = decorate(std::move(built.solver));
    built.stepper = at_place("scheme", [&] {
      return make_stepper(scene_.scheme, *built.system, *built.solver, stop_, scene_.eases_tolerance);
    });
    PopulationOptions options = make_population();
    if (!options.empty()) {
      options.from.resize(built.system->bodies().size(), std::numeric_limits<double>::quiet_NaN());  // rotors
      options.can_leave.resize(built.system->bodies().size(), 0);
      built.stepper =
          std::make_unique<PopulationStepper>(std::move(built.stepper), population, std::move(options), built.initial);
    }
    return built;
  }

  /// The system and its state at the start, without a solver and a scheme. Returns the system.
  System& build_start(BuiltScene& built) {
    poses_by_joints_ = poses_by_joints();
    draw_bodies();
    for (const SceneBody& body : scene_.bodies) add_body(body);
    list_shapes();
    for (const SceneContact& contact : scene_.contacts) add_contact(contact);
    if (scene_.detects_contacts()) add_detection();
    for (const SceneJoint& joint : scene_.joints) add_joint(joint);
    for (const SceneCoupling& c : scene_.couplings) add_terms(c.name, JointType::coupling, c.joints, c.coefficients);
    massless_.lend(system_);
    add_inputs();
    set_joint_forces();
    for (const SceneForce& force : scene_.forces) add_force(force);
    stop_.check();
    auto system = std::make_unique<System>(system_.build());
    System& population = *system;
    built.system = std::move(system);
    stop_.check();
    std::vector<Vector3> centers;
    for (const SceneBody& body : scene_.bodies) centers.push_back(frames_.at(body.name).pose.p_WB);
    built.initial = make_start_state(scene_, *built.system, centers);
    built.misfits = misfits_;
    if (poses_by_joints_) {
      set_start_pose(*built.system, built.initial);
    } else if (!misfits_.empty()) {
      project_start(*built.system, built.initial, stop_);
    }
    built.system->spin_rotors(built.initial.t, built.initial.q, built.initial.u);
    if (const int loose = massless_.find_loose(*built.system, built.initial); loose >= 0) {
      fail(fmt::format("bodies.{}.mass", built.system->bodies()[loose].name), "0",
           "a number > 0 [kg]: its joints let it move where nothing with mass or armature moves");
    }
    return population;
  }

 private:
  PopulationOptions make_population() const;

  /// The choice of forces of schemes that leave it to the solver.
  ForceChoice forces() const {
    return std::visit(
        [](const auto& scheme) {
          if constexpr (requires { scheme.forces; }) {
            return scheme.forces;
          } else {
            return ForceChoice::any;
          }
        },
        scene_.scheme);
  }

  // --- errors

  [[noreturn]] void fail(const std::string& path, const std::string& value, const std::string& allowed) const {
    throw InputError(scene_.places.find(path), path, value, allowed);
  }

  // Runs `make` and gives the errors it throws, which know nothing of files, the place of `path` or of the key in it.
  template <class Make>
  std::invoke_result_t<Make> at_place(const std::string& path, const Make& make) const {
    try {
      return make();
    } catch (const InputError& error) {
      if (!error.place().file.empty()) throw;
      fail(error.key().starts_with(path + ".") ? error.key() : path, error.value(), error.allowed());
    } catch (const ExpressionError& error) {
      fail(path, "", error.what());
    }
  }

  // --- bodies
  void add_body(const SceneBody& source);
  SurfaceVelocity make_surface_velocity(const SceneShape& source, int index, const std::string& body_path) const;
  Shape make_shape(const SceneShape& source, const std::string& body_path) const;
  MassProperties calc_density(const SceneBody& source, const std::vector<Shape>& shapes, const std::string& path) const;
  void check_mass(const SceneBody& source, const Body& body, const std::string& path) const;
  Motion make_motion(const SceneBody& source, const std::string& path) const;
  // A motion enters with its velocity and acceleration: they must exist at the start.
  Expression make_motion_part(const TimeFunction& given, const std::string& path) const;
  Expression make_expression(const TimeFunction& given, const std::string& path) const;
  // Of the system as far as it is made; the place of `path` is that of the expression's first byte.
  StateExpression make_state_expression(const TimeFunction& given, const std::string& path) const;
  /// Of the drawing frame, in the world; of a beam its start.
  Pose calc_drawn_pose(const SceneBody& source, const Body& body) const;

  // --- poses by joints
  bool poses_by_joints() const;
  /// Puts the drawing frames of all bodies into drawn_ where some hang on others, and finds mistakes in that.
  void draw_bodies();
  void draw_body(const SceneBody& source);
  void set_start_pose(const System& system, State& start) const;

  // --- names

  const BodyFrame& find_body(const std::string& name, const std::string& path) const {
    const auto found = frames_.find(name);
    if (found != frames_.end()) return found->second;
    std::vector<std::string_view> names;
    for (const SceneBody& body : scene_.bodies) names.push_back(body.name);
    fail(path, "\"" + name + "\"", "the scene has no such body" + hint(name, names));
  }

  int find_shape(const SceneSide& side, int body, const std::string& path) const {
    if (side.shape.empty()) return -1;
    const std::vector<SceneShape>& shapes = scene_.bodies[static_cast<std::size_t>(body)].shapes;
    const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const auto& s) { return s.name == side.shape; });
    if (found != shapes.end()) return static_cast<int>(found - shapes.begin());
    std::vector<std::string_view> names;
    names.reserve(shapes.size());
    for (const SceneShape& shape : shapes) names.push_back(shape.name);
    fail(path, "\"" + side.body + "/" + side.shape + "\"",
         fmt::format("body '{}' has no shape '{}'{}", side.body, side.shape, hint(side.shape, names)));
  }

  static std::string hint(const std::string& word, const std::vector<std::string_view>& names) {
    const std::string nearest = nearest_name(word, names);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  }

  void require_motion(const BodyFrame& first, const BodyFrame& second, const std::string& path) const {
    if (first.index == second.index) fail(path, "", "two different bodies");
    if (!first.moves && !second.moves) fail(path, "", "at least one body that can move: rigid, planar, point or beam");
  }

  // --- contacts

  /// Fills shapes_of_.
  void list_shapes();
  /// What "body", "body/shape", "group:name" or "material:name" means.
  std::vector<ShapeSelection> select(const std::string& text, const std::string& path) const;
  std::vector<ShapeSelection> select_many(const std::string& text, const std::string& path) const;
  std::vector<ShapeSelection> select_of_law(const std::string& text, const std::string& path) const;
  std::vector<ShapeSelection> one_a_body(const std::vector<ShapeSelection>& shapes, const std::string& text,
                                         const std::string& path) const;
  void add_contact(const SceneContact& source);
  void add_contacts(const SceneContact& source);
  void add_pair(const SceneContact& source, const std::string& name, const ShapeSelection& first,
                const ShapeSelection& second);
  void add_detection();
  /// Throws InputError where rolling or spinning asks for friction blocks that the solver does not take.
  void refuse_blocks(const System& system, const ConeSolver& solver) const;

  // --- joints

  /// How well poses, frames, lengths and motions typed as decimal numbers agree.
  static constexpr double kFits = 1e-6;  // [m, rad]

  /// A body where a joint or a force holds on to it.
  struct JointSide {
    const SceneBody& body;
    const BodyFrame& frame;
    Pose pose;         // at the start; a beam's cross-section
    double parameter;  // on a beam
  };

  JointSide make_side(const std::array<std::string, 2>& between, std::size_t i, const std::vector<double>& parameters,
                      const std::string& path) const {
    const BodyFrame& frame = find_body(between[i], fmt::format("{}.between[{}]", path, i));
    const SceneBody& body = scene_.bodies[static_cast<std::size_t>(frame.index)];
    JointSide side{body, frame, frame.pose, 0.0};
    if (body.beam) {
      if (parameters.empty()) fail(path + ".at_parameter", "missing", "xi in [0, 1]: where on the beam");
      move_along_beam(parameters.size() == 1 ? parameters[0] : parameters[i], side);
    }
    return side;
  }

  static void move_along_beam(double parameter, JointSide& side) {
    side.parameter = parameter;
    side.pose.p_WB += parameter * side.body.beam->options.length * side.pose.R_WB.col(0);
  }

  /// The two sides of a joint, spring or dry friction.
  std::pair<JointSide, JointSide> make_sides(const std::array<std::string, 2>& between,
                                             const std::vector<double>& parameters, const std::string& path) const {
    const JointSide first = make_side(between, 0, parameters, path);
    const JointSide second = make_side(between, 1, parameters, path);
    require_motion(first.frame, second.frame, path + ".between");
    const int n_beams = (first.body.beam ? 1 : 0) + (second.body.beam ? 1 : 0);
    const std::size_t n = parameters.size();
    if (n_beams == 0 && n > 0) fail(path + ".at_parameter", "", "a beam: neither body is one");
    if (n_beams == 2 && n == 1) fail(path + ".at_parameter", "", "[xi, xi]: both bodies are beams");
    if (n_beams == 1 && n == 2) fail(path + ".at_parameter", "", "one number: one of the bodies is a beam");
    return {first, second};
  }

  void add_joint(const SceneJoint& source) {
    stop_.check();
    if (source.gear) {
      return add_terms(source.name, JointType::gear, source.gear->joints, std::array{-source.gear->ratio, 1.0},
                       source.gear->offset);
    }
    const std::string path = "joints." + source.name;
    if (source.local) check_local(source, path);
    const auto [first, second] = make_sides(source.between, source.at_parameter, path);
    JointOptions o;
    o.name = source.name;
    o.type = source.type;
    o.first = first.frame.index;
    o.second = second.frame.index;
    o.pitch = source.pitch;
    o.radius = source.radius;
    if (source.type == JointType::distance) {
      set_distance(source, first, second, path, o);
    } else if (scene_.planar) {
      set_frames(source, first, second, o);
    } else {
      set_spatial_frames(source, first, second, path, o);
    }
    o.on_first.parameter = first.parameter;
    o.on_second.parameter = second.parameter;
    if (source.motion) o.motion = make_motion_part(*source.motion, path + ".motion");
    o.spring = source.spring;
    o.armature = source.armature;
    o.friction = source.friction;
    o.friction_torque = source.friction_torque;
    o.friction_of_load = source.load_friction * (source.type == JointType::revolute ? source.load_radius : 1.0);
    o.limits = source.limits;
    // set_joint_forces() knows all joints.
    if (has_plain_force(source) || has_effort_expression(source)) o.force = Expression();
    set_coordinate(source, first, second, path, o);
    joints_[source.name] = {at_place(path, [&] { return system_.add_joint(o); }),
                            start_coordinate(source, first, second, o)};
    ++n_joints_;
  }

  void set_joint_forces() {
    for (const SceneJoint& joint : scene_.joints) {
      set_joint_servos(joint);
      if (!has_plain_force(joint)) continue;
      const std::string path = "joints." + joint.name + ".force";
      StateExpression force = make_state_expression(*joint.force, path);
      at_place(path, [&] {
        system_.set_joint_force(joints_.at(joint.name).index, std::move(force));
        return 0;
      });
    }
  }

  void add_inputs();
  Signal make_signal(const SceneSignal& source, const std::string& path) const;
  void set_joint_servos(const SceneJoint& joint);
  static bool has_servos(const SceneJoint& joint) {
    return !joint.servos.empty() || !joint.forces.empty() || joint.effort_limit;
  }
  /// Whether a joint's force is a force and nothing else.
  static bool has_plain_force(const SceneJoint& joint) { return joint.force && !has_servos(joint); }
  /// Whether all efforts in a joint are one expression of the state, as of schemes without rows of servos.
  bool has_effort_expression(const SceneJoint& joint) const {
    return has_servos(joint) && !is_idle(joint) && !is_on_velocities(scene_.scheme);
  }
  /// Whether a limit of the effort has nothing to limit but what a program may put there.
  static bool is_idle(const SceneJoint& joint) {
    if (joint.force || !joint.forces.empty() || !joint.servos.empty()) return false;
    return (*joint.effort_limit)[0] <= 0.0 && (*joint.effort_limit)[1] >= 0.0;
  }
  std::string effort_text(const SceneJoint& joint) const;
  std::string signal_text(const SceneSignal& signal) const;

  void add_terms(const std::string& name, JointType type, std::span<const std::string> of_joints,
                 std::span<const double> coefficients, const std::optional<double>& offset = {}) {
    const std::string path = (type == JointType::gear ? "joints." : "couplings.") + name;
    std::vector<JointTerm> terms;
    for (std::size_t i = 0; i < of_joints.size(); ++i) {
      const auto found = joints_.find(of_joints[i]);
      if (found == joints_.end()) {
        std::vector<std::string_view> names;
        for (const auto& each : joints_) names.push_back(each.first);
        fail(fmt::format("{}.joints[{}]", path, i), quote_toml(of_joints[i]),
             "a joint of the scene that is not a gear" + hint(of_joints[i], names));
      }
      terms.push_back({found->second.index, coefficients[i], found->second.start});
    }
    if (offset) {
      terms[0].start = 0.0;
      terms[1].start = *offset;
    }
    at_place(path, [&] { return system_.add_coupling(name, type, std::move(terms)); });
  }

  /// The coordinate of a joint at the start. [rad, m]
  double start_coordinate(const SceneJoint& source, const JointSide& first, const JointSide& second,
                          const JointOptions& o) const {
    if (source.start.size() == 1) return source.start[0];
    if (source.type == JointType::distance) return o.length;
    const bool is_elsewhere = source.absolute && !scene_.planar;
    return o.coordinate_origin + (is_elsewhere ? calc_start_coordinate(first.pose, second.pose, o) : 0.0);
  }

  void set_distance(const SceneJoint& source, const JointSide& first, const JointSide& second, const std::string& path,
                    JointOptions& o) {
    o.on_first.at = source.at_a - first.frame.center;
    o.on_second.at = source.at_b - second.frame.center;
    const Vector3 a = first.pose.p_WB + first.pose.R_WB * o.on_first.at;
    const Vector3 b = second.pose.p_WB + second.pose.R_WB * o.on_second.at;
    const double placed = (b - a).norm();
    o.length = source.length.value_or(placed);
    const double miss = std::abs(placed - o.length);
    if (!(miss <= kFits) && !poses_by_joints_) {
      fail(path + ".length", fmt::format("{}", o.length),
           fmt::format("a length that fits to {:g} m at the start: the points are {:.9g} m apart", kFits, placed));
    }
    if (miss > kNoMisfit && !poses_by_joints_) misfits_.push_back({n_joints_, miss, 0.0});
  }

  /// The side whose place is meant where none is said: the beam's, else second's.
  static const JointSide& natural_side(const JointSide& first, const JointSide& second) {
    return first.body.beam && !second.body.beam ? first : second;
  }

  void check_local(const SceneJoint& source, const std::string& path) const {
    for (const std::string& name : source.between) {
      const auto found = by_name_.find(name);
      if (found != by_name_.end() && found->second->beam) fail(path + ".local", "true", "bodies that are no beams");
    }
  }

  /// What a joint says, in the world as drawn.
  static std::optional<Vector3> world_point(const SceneJoint& source, const JointSide& second) {
    if (!source.local || !source.at) return source.at;
    return second.pose.p_WB + second.pose.R_WB * (*source.at - second.frame.center);
  }
  static Vector3 world_direction(const SceneJoint& source, const JointSide& second, const Vector3& direction) {
    return source.local ? Vector3(second.pose.R_WB * direction) : direction;
  }

  static void set_frames(const SceneJoint& source, const JointSide& first, const JointSide& second, JointOptions& o) {
    const Vector3 at = world_point(source, second).value_or(natural_side(first, second).pose.p_WB);
    const Vector3 axis = world_direction(source, second, source.axis.value_or(Vector3::UnitX()));
    const Matrix3 axes = axis_angle_matrix(Vector3::UnitZ(), std::atan2(axis(1), axis(0)));
    o.on_first = JointFrame::from_world(first.pose, at, axes);
    o.on_second = JointFrame::from_world(second.pose, at, axes);
  }

  void set_spatial_frames(const SceneJoint& source, const JointSide& first, const JointSide& second,
                          const std::string& path, JointOptions& o) {
    if (!source.frames) {
      const Vector3 at = world_point(source, second).value_or(second.pose.p_WB);
      if (source.normal) {
        const auto place = source.type == JointType::rolling ? place_disc : place_knife_edge;
        return place(first.pose, second.pose, at, world_direction(source, second, *source.axis),
                     world_direction(source, second, *source.normal), o);
      }
      std::optional<Vector3> axis2 = source.axis2;
      if (axis2) axis2 = world_direction(source, second, *axis2);
      return place_joint(first.pose, second.pose, at,
                         world_direction(source, second, source.axis.value_or(Vector3::UnitZ())), axis2, o);
    }
    const auto frame_on = [&](const JointSide& side, const SceneFrame& frame) {
      return JointFrame{frame.position - side.frame.center, rotation_of(frame.orientation), 0.0};
    };
    o.on_first = frame_on(first, source.frames->front());
    o.on_second = frame_on(second, source.frames->back());
    const JointMisfit misfit = calc_misfit(first.pose, second.pose, o);
    const bool fits = misfit.length <= kFits && misfit.angle <= kFits;
    if (!fits && !poses_by_joints_) {
      fail(path + ".frame_b", "",
           fmt::format("frames that fit to {:g} m and {:g} rad at the start: they miss by {:.6g} m and {:.6g} rad",
                       kFits, kFits, misfit.length, misfit.angle));
    }
    if (!poses_by_joints_) misfits_.push_back({n_joints_, misfit.length, misfit.angle});
    if (!source.absolute) reset_coordinates(first.pose, second.pose, o);
  }

  /// The coordinate at the start, from which a motion has to begin.
  void set_coordinate(const SceneJoint& source, const JointSide& first, const JointSide& second,
                      const std::string& path, JointOptions& o) const {
    o.coordinate_origin = source.reference.value_or(0.0);
    if (!scene_.planar) {
      const bool is_absolute = source.absolute && o.motion;
      return check_start(source, path, is_absolute ? calc_start_coordinate(first.pose, second.pose, o) : 0.0, o);
    }
    o.relative_angle = drawn_angle(second.body) - drawn_angle(first.body);
    if (source.absolute) {
      const Matrix3 axes = first.pose.R_WB * o.on_first.axes;
      o.coordinate_origin = source.type == JointType::prismatic
                                ? axes.col(0).dot(second.frame.pose.p_WB - first.frame.pose.p_WB)
                                : o.relative_angle;
    }
    check_start(source, path, 0.0, o);
  }

  /// A motion begins where the joint is, at `from` relative to where its frames coincide; of an angle by whole turns
  /// elsewhere where it is absolute.
  void check_start(const SceneJoint& source, const std::string& path, double from, JointOptions& o) const {
    if (!o.motion) return;
    const double start = o.motion->value(scene_.time.start);
    constexpr double kTurn = 2.0 * std::numbers::pi;
    if (source.absolute && source.type == JointType::revolute) {
      o.coordinate_origin += kTurn * std::round((start - from - o.coordinate_origin) / kTurn);
    }
    const double there = source.start.size() == 1 ? source.start[0] : from + o.coordinate_origin;
    if (std::abs(start - there) > kFits) {
      fail(path + ".motion", fmt::format("{} at the start", start),
           fmt::format("a motion that begins where the joint is: at {}", there));
    }
  }

  /// The angle of a body of a planar scene at the start, whole turns included.
  double start_angle(const SceneBody& body) const {
    if (body.beam) return std::atan2(body.beam->direction(1), body.beam->direction(0));
    if (body.motion)
      return make_expression(body.motion->angle, "bodies." + body.name + ".angle").value(scene_.time.start);
    const auto* turned = std::get_if<PlanarAngle>(&body.orientation);
    return turned == nullptr ? 0.0 : turned->angle;
  }

  /// The same in the world, as drawn.
  double drawn_angle(const SceneBody& body) const {
    double angle = start_angle(body);
    for (const SceneBody* each = &body; !each->parent.empty();) {
      each = by_name_.at(each->parent);
      angle += start_angle(*each);
    }
    return angle;
  }

  // --- forces

  void add_force(const SceneForce& source) {
    stop_.check();
    const std::string path = "forces." + source.name;
    Force force;
    force.name = source.name;
    force.law = std::visit([&](const auto& law) { return ForceLaw(make_law(law, path)); }, source.law);
    at_place(path, [&] { return system_.add_force(std::move(force)); });
  }

  Spring make_law(const SceneSpring& source, const std::string& path) const {
    const auto [first, second] = make_sides(source.between, source.at_parameter, path);
    Spring spring;
    spring.first = first.frame.index;
    spring.second = second.frame.index;
    spring.at_first = source.at_a - first.frame.center;
    spring.at_second = source.at_b - second.frame.center;
    spring.parameter_first = first.parameter;
    spring.parameter_second = second.parameter;
    spring.stiffness = source.stiffness;
    spring.damping = source.damping;
    spring.rest = source.rest;
    return spring;
  }

  DryFriction make_law(const SceneDryFriction& source, const std::string& path) const {
    const auto [first, second] = make_sides(source.between, source.at_parameter, path);
    const Vector3 at = source.at.value_or(natural_side(first, second).pose.p_WB);
    DryFriction friction;
    friction.first = first.frame.index;
    friction.second = second.frame.index;
    friction.at_first = first.pose.R_WB.transpose() * (at - first.pose.p_WB);
    friction.at_second = second.pose.R_WB.transpose() * (at - second.pose.p_WB);
    friction.parameter_first = first.parameter;
    friction.parameter_second = second.parameter;
    friction.bound = source.bound;
    if (source.axis) friction.axis = first.pose.R_WB.transpose() * source.axis->normalized();
    return friction;
  }

  Load make_law(const SceneLoad& source, const std::string& path) const {
    const BodyFrame& body = find_body(source.body, path + ".body");
    if (!body.moves)
      fail(path + ".body", "\"" + source.body + "\"", "a body that can move: rigid, planar, point or beam");
    const SceneBody& drawn = scene_.bodies[static_cast<std::size_t>(body.index)];
    if (drawn.beam && !source.at_parameter) fail(path + ".at_parameter", "missing", "xi in [0, 1]: where on the beam");
    if (!drawn.beam && source.at_parameter) fail(path + ".at_parameter", "", "a beam: the body is none");
    const bool has_torque = source.torque != SceneLoad{}.torque;
    if (drawn.type == BodyType::point && has_torque) fail(path + ".torque", "", "no torque: a point does not turn");
    Load load;
    load.body = body.index;
    load.at = source.at - body.center;
    load.parameter = source.at_parameter.value_or(0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      load.force[i] = make_state_expression(source.force[i], fmt::format("{}.force[{}]", path, i));
      load.torque[i] = make_state_expression(source.torque[i],
                                             scene_.planar ? path + ".torque" : fmt::format("{}.torque[{}]", path, i));
    }
    load.body_frame = source.body_frame;
    return load;
  }

  const Scene& scene_;
  StopToken stop_;
  SystemBuilder system_;
  std::map<std::string, BodyFrame, std::less<>> frames_;
  MasslessBodies massless_;
  /// Shapes by the names of their groups and materials, "group:G" and "material:M", in the order of the bodies.
  std::map<std::string, std::vector<ShapeSelection>, std::less<>> shapes_of_;
  std::map<std::string, const SceneBody*, std::less<>> by_name_;
  std::map<std::string, Pose, std::less<>> drawn_;  // drawing frames in the world, where bodies hang on others
  bool poses_by_joints_ = false;
  /// What gears and couplings need of a joint: its index in the System and its coordinate at the start. [rad, m]
  struct BuiltJoint {
    int index = 0;
    double start = 0.0;
  };
  std::map<std::string, BuiltJoint, std::less<>> joints_;
  int n_joints_ = 0;
  std::vector<StartMisfit> misfits_;
};

}  // namespace stickslip
