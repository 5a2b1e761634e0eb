// SPDX-License-Identifier: BSD-3-Clause
// Bodies of a scene, and where they are at the start.
#include "stickslip/scene/scene_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/geometry/polyline.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/math/rotation.h"
#include "stickslip/scene/orientation.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {

namespace {

/// A body that can move, and whose mass neither it nor its density says: its shapes' materials do.
bool body_weighs_by_materials(const SceneBody& body) {
  return body.type == BodyType::rigid || body.type == BodyType::planar;
}

}  // namespace

void SceneBuilder::add_body(const SceneBody& source) {
  stop_.check();
  const std::string path = "bodies." + source.name;
  Body body;
  body.name = source.name;
  body.type = source.type;
  body.gyroscopic = source.gyroscopic;
  for (const SceneShape& shape : source.shapes) {
    if (shape.surface_velocity) {
      body.surface_velocities.push_back(make_surface_velocity(shape, static_cast<int>(body.shapes.size()), path));
    }
    body.shapes.push_back(make_shape(shape, path));
  }

  BodyFrame frame;
  const bool by_shapes = source.density || (!source.mass && body_weighs_by_materials(source));
  if (by_shapes) {
    const MassProperties properties = calc_density(source, body.shapes, path);
    body.mass = source.mass.value_or(properties.mass);
    body.inertia = properties.inertia;
    if (source.mass) body.inertia *= *source.mass / properties.mass;
    frame.center = properties.center;
  } else if (source.beam) {
    at_place(path, [&] { return body.beam.emplace(source.beam->options).mass(); });
    body.mass = body.beam->mass();
  } else {
    body.mass = source.mass.value_or(0.0);
    body.inertia = inertia_of(source.inertia);
    const bool is_massless = source.mass == 0.0;  // until it is lent some
    if (is_massless) {
      body.mass = 1.0;
      body.inertia.setIdentity();
      body.is_massless = true;
      massless_.add(static_cast<int>(system_.system().bodies().size()));
    }
    if (source.centre_of_mass) frame.center = *source.centre_of_mass;
  }
  if (by_shapes || source.centre_of_mass) {
    for (Shape& shape : body.shapes) shape.position -= frame.center;
    for (SurfaceVelocity& surface : body.surface_velocities) surface.at -= frame.center;
    body.drawing_origin = -frame.center;
  }
  check_mass(source, body, path);
  if (source.motion) body.motion = make_motion(source, path);
  frame.pose = calc_drawn_pose(source, body);
  if (source.type != BodyType::moving && !source.beam) frame.pose.p_WB += frame.pose.R_WB * frame.center;
  if (!frame.pose.p_WB.allFinite() || !frame.pose.R_WB.allFinite()) fail(path, "", "a finite position and orientation");
  frame.angle = scene_.planar ? drawn_angle(source) : 0.0;
  frame.moves = source.type != BodyType::fixed && source.type != BodyType::moving;
  if (source.type == BodyType::fixed) body.pose = frame.pose;
  frame.index = at_place(path, [&] { return system_.add_body(std::move(body)); });
  frames_.emplace(source.name, frame);
}

SurfaceVelocity SceneBuilder::make_surface_velocity(const SceneShape& source, int index,
                                                    const std::string& body_path) const {
  const std::string path = fmt::format("{}.shapes.{}.surface_velocity", body_path, source.name);
  const SceneSurfaceVelocity& given = *source.surface_velocity;
  SurfaceVelocity surface;
  surface.shape = index;
  for (std::size_t i = 0; i < 3; ++i) surface.velocity[i] = make_expression(given.velocity[i], path);
  surface.rate = make_expression(given.rate, path + ".rate");
  surface.axis = given.axis.normalized();
  surface.at = given.at.value_or(source.position);
  at_place(path, [&] {
    double sum = 0.0;
    const auto add = [&](const Expression& part) {
      sum += part.value(scene_.time.start) + part.derivative().value(scene_.time.start);
    };
    std::ranges::for_each(surface.velocity, add);
    add(surface.rate);
    if (!std::isfinite(sum)) throw InputError("a velocity that is finite at the start, with its derivative");
    return 0;
  });
  return surface;
}

Shape SceneBuilder::make_shape(const SceneShape& source, const std::string& body_path) const {
  const std::string path = body_path + ".shapes." + source.name;
  Shape shape{source.name, source.geometry, source.position, rotation_of(source.orientation), source.contact};
  if (auto* plane = std::get_if<HalfSpace>(&shape.geometry)) {
    const double length = plane->normal.norm();
    if (!(length > 0.0)) fail(path + ".normal", "", "a direction: not all zero");
    plane->normal /= length;  // {n . x <= offset} is the same set as {n/|n| . x <= offset/|n|}
    plane->offset /= length;
  }
  if (const auto* convex = std::get_if<Convex>(&shape.geometry)) {
    at_place(path + ".points", [&] { return make_convex_hull(convex->points, scene_.planar); });
  }
  return shape;
}

MassProperties SceneBuilder::calc_density(const SceneBody& source, const std::vector<Shape>& shapes,
                                          const std::string& path) const {
  std::vector<double> densities;
  for (const SceneShape& shape : source.shapes) {
    const auto is_material = [&](const SceneMaterial& m) { return m.name == shape.material; };
    const auto material = std::find_if(scene_.materials.begin(), scene_.materials.end(), is_material);
    const double of_material = material == scene_.materials.end() ? 0.0 : material->density.value_or(0.0);
    densities.push_back(source.density.value_or(of_material));
  }
  for (const Shape& shape : shapes) {
    if (const auto* line = std::get_if<Polyline>(&shape.geometry); line != nullptr && !shape.contact.visual) {
      if (line->closed && calc_clockwise_area(*line->points) > 0.0) continue;
      fail(path + ".density", source.density ? fmt::format("{}", *source.density) : "",
           fmt::format("mass and inertia: the polyline {} {}; one that is closed and runs clockwise has a density",
                       shape.name, line->closed ? "runs counter-clockwise" : "is open"));
    }
    const auto* mesh = std::get_if<Mesh>(&shape.geometry);
    if (mesh == nullptr || shape.contact.visual || mesh->surface->is_closed()) continue;
    fail(path + ".density", source.density ? fmt::format("{}", *source.density) : "",
         fmt::format("mass and inertia: the mesh {} is open, {} of its edges are borders", shape.name,
                     mesh->surface->n_border));
  }
  const MassProperties properties =
      at_place(path + ".density", [&] { return calc_mass_properties(shapes, densities, scene_.planar); });
  if (!(properties.mass > 0.0) || !std::isfinite(properties.mass)) {
    fail(path + ".density", source.density ? fmt::format("{}", *source.density) : "",
         fmt::format("a density of shapes that have a volume; here the mass would be {} kg", properties.mass));
  }
  return properties;
}

void SceneBuilder::check_mass(const SceneBody& source, const Body& body, const std::string& path) const {
  const bool moves = source.type != BodyType::fixed && source.type != BodyType::moving;
  if (moves && !(body.mass > 0.0 && std::isfinite(1.0 / body.mass))) {
    fail(path + ".mass", fmt::format("{}", body.mass), "a number > 0 [kg], the inverse of which a double can hold");
  }
  const std::string key = path + (source.density || !source.mass ? ".density" : ".inertia");
  if (source.type == BodyType::rigid) {
    const std::string defect = inertia_defect(body.inertia);
    if (!defect.empty()) fail(key, "", "inertia " + defect);
  }
  if (source.type == BodyType::planar && !(body.inertia(2, 2) > 0.0 && std::isfinite(1.0 / body.inertia(2, 2)))) {
    fail(key, fmt::format("{}", body.inertia(2, 2)), "inertia must be > 0 [kg m^2]");
  }
}

Motion SceneBuilder::make_motion(const SceneBody& source, const std::string& path) const {
  const SceneMotion& given = *source.motion;
  Motion motion;
  for (std::size_t i = 0; i < 3; ++i) {
    motion.position[i] = make_motion_part(given.position[i], fmt::format("{}.position", path));
  }
  motion.axis = given.axis.normalized();
  motion.angle = make_motion_part(given.angle, path + (scene_.planar ? ".angle" : ".rotation.angle"));
  motion.rotation0 = rotation_of(source.orientation);
  return motion;
}

Expression SceneBuilder::make_motion_part(const TimeFunction& given, const std::string& path) const {
  const Expression part = make_expression(given, path);
  at_place(path, [&] {
    const Expression velocity = part.derivative();
    const double t = scene_.time.start;
    const double sum = part.value(t) + velocity.value(t) + velocity.derivative().value(t);
    if (!std::isfinite(sum))
      throw InputError("a motion whose value, velocity and acceleration at the start are finite");
    return 0;
  });
  return part;
}

Expression SceneBuilder::make_expression(const TimeFunction& given, const std::string& path) const {
  if (const auto* constant = std::get_if<double>(&given)) return Expression(*constant);
  return at_place(path, [&] { return Expression::parse(std::get<std::string>(given), scene_.parameters); });
}

StateExpression SceneBuilder::make_state_expression(const TimeFunction& given, const std::string& path) const {
  if (const auto* constant = std::get_if<double>(&given)) return Expression(*constant);
  const std::string& text = std::get<std::string>(given);
  try {
    return StateExpression::parse(text, system_.system(), scene_.parameters);
  } catch (const ExpressionError& error) {
    SourcePlace place = scene_.places.find(path);
    if (place.line > 0) place.column += std::max(error.column(), 1) - 1;
    throw InputError(place, path, quote_toml(text), error.what());
  }
}

Pose SceneBuilder::calc_drawn_pose(const SceneBody& source, const Body& body) const {
  Pose pose;
  if (body.motion) {
    const double t = scene_.time.start;
    for (int i = 0; i < 3; ++i) pose.p_WB(i) = body.motion->position[static_cast<std::size_t>(i)].value(t);
    pose.R_WB = axis_angle_matrix(body.motion->axis, body.motion->angle.value(t)) * body.motion->rotation0;
  } else if (source.beam) {
    pose.R_WB = axis_angle_matrix(Vector3::UnitZ(), start_angle(source));
    pose.p_WB = source.position;
  } else {
    pose.R_WB = rotation_of(source.orientation);
    pose.p_WB = source.position;
    if (source.parent.empty()) return pose;
    const Pose& parent = drawn_.at(source.parent);
    pose = {parent.p_WB + parent.R_WB * pose.p_WB, parent.R_WB * pose.R_WB};
  }
  return pose;
}

bool SceneBuilder::poses_by_joints() const {
  const auto hangs = [](const SceneBody& body) { return !body.parent.empty(); };
  const auto starts = [](const SceneJoint& joint) { return !joint.start.empty() || !joint.start_rate.empty(); };
  return std::ranges::any_of(scene_.bodies, hangs) || std::ranges::any_of(scene_.joints, starts);
}

void SceneBuilder::draw_bodies() {
  const auto needs_names = [](const auto& parts, const auto& test) { return std::ranges::any_of(parts, test); };
  const bool has_parents = needs_names(scene_.bodies, [](const SceneBody& body) { return !body.parent.empty(); });
  if (!has_parents && !needs_names(scene_.joints, [](const SceneJoint& joint) { return joint.local; })) return;
  for (const SceneBody& body : scene_.bodies) by_name_.emplace(body.name, &body);
  for (const SceneBody& body : scene_.bodies) {
    stop_.check();
    std::vector<const SceneBody*> chain = {&body};
    while (!chain.back()->parent.empty()) {
      const SceneBody& last = *chain.back();
      const std::string path = fmt::format("bodies.{}.parent", last.name);
      const auto found = by_name_.find(last.parent);
      if (found == by_name_.end()) {
        std::vector<std::string_view> names;
        for (const SceneBody& each : scene_.bodies) names.push_back(each.name);
        fail(path, quote_toml(last.parent), "the scene has no such body" + hint(last.parent, names));
      }
      const SceneBody& parent = *found->second;
      if (parent.beam) fail(path, quote_toml(last.parent), "a body that is no beam");
      if (last.type == BodyType::fixed && parent.type != BodyType::fixed) {
        fail(path, quote_toml(last.parent), "a fixed body: what hangs on a body that moves is not fixed");
      }
      if (drawn_.contains(last.parent)) break;
      if (chain.size() > scene_.bodies.size())
        fail(path, quote_toml(last.parent), "bodies that do not hang on one another in a circle");
      chain.push_back(&parent);
    }
    for (; !chain.empty() && has_parents; chain.pop_back()) draw_body(*chain.back());
  }
}

void SceneBuilder::draw_body(const SceneBody& source) {
  if (source.beam) return;
  const std::string path = "bodies." + source.name;
  Body motion;
  if (source.motion) motion.motion = make_motion(source, path);
  drawn_.emplace(source.name, calc_drawn_pose(source, motion));
}

void SceneBuilder::set_start_pose(const System& system, State& start) const {
  std::vector<DrawnBody> bodies;
  for (const SceneBody& body : scene_.bodies) {
    const BodyFrame& frame = frames_.at(body.name);
    DrawnBody drawn{-1, frame.pose, frame.angle};
    if (!body.parent.empty()) {
      const BodyFrame& parent = frames_.at(body.parent);
      drawn.parent = parent.index;
      drawn.relative = {parent.pose.R_WB.transpose() * (frame.pose.p_WB - parent.pose.p_WB),
                        parent.pose.R_WB.transpose() * frame.pose.R_WB};
      drawn.angle = frame.angle - parent.angle;
    }
    bodies.push_back(drawn);
  }
  bodies.resize(system.bodies().size(), DrawnBody{-1, {}, 0.0});  // rotors
  std::vector<StartCoordinates> joints(system.joints().size());
  for (const SceneJoint& joint : scene_.joints) {
    if (!joint.gear) joints[joints_.at(joint.name).index] = {joint.start, joint.start_rate, joint.absolute};
  }
  const JointGap open = pose_start(system, bodies, joints, start, stop_);
  if (open.joint < 0) return;
  const Joint& joint = system.joints()[open.joint];
  fail((joint.options.type == JointType::coupling ? "couplings." : "joints.") + joint.options.name, "",
       fmt::format("a joint that can be closed at the start: {:.6g} m and {:.6g} rad are left, from the poses and "
                   "coordinates that are given",
                   open.length, open.angle));
}

void SceneBuilder::add_inputs() {
  for (const SceneInput& source : scene_.inputs) {
    const std::string path = "inputs." + source.name;
    NamedInput input;
    input.name = source.name;
    input.value = make_state_expression(source.value, path + ".value");
    if (source.range) std::tie(input.low, input.high) = std::tuple((*source.range)[0], (*source.range)[1]);
    // Other schemes know its value as a part of efforts alone.
    if (is_on_velocities(scene_.scheme)) at_place(path, [&] { return system_.add_named_input(std::move(input)); });
  }
}

Signal SceneBuilder::make_signal(const SceneSignal& source, const std::string& path) const {
  Signal signal;
  signal.gain = source.gain;
  signal.offset = source.offset;
  if (source.input.empty()) {
    signal.value = make_state_expression(source.value, path);
  } else {
    const auto found = std::ranges::find(scene_.inputs, source.input, &SceneInput::name);
    signal.input = static_cast<int>(found - scene_.inputs.begin());
  }
  return signal;
}

namespace {

std::string function_text(const TimeFunction& function) {
  const auto* number = std::get_if<double>(&function);
  return number != nullptr ? fmt::format("({:.17g})", *number) : "(" + std::get<std::string>(function) + ")";
}

std::string clamped_text(const std::string& text, const std::optional<std::array<double, 2>>& bounds) {
  return bounds ? fmt::format("min(max({}, {:.17g}), {:.17g})", text, (*bounds)[0], (*bounds)[1]) : text;
}

}  // namespace

std::string SceneBuilder::signal_text(const SceneSignal& signal) const {
  if (signal.input.empty()) return function_text(signal.value);
  const auto input = std::ranges::find(scene_.inputs, signal.input, &SceneInput::name);
  return fmt::format("({:.17g} + {:.17g}*{})", signal.offset, signal.gain,
                     clamped_text(function_text(input->value), input->range));
}

std::string SceneBuilder::effort_text(const SceneJoint& joint) const {
  std::string sum = joint.force ? function_text(*joint.force) : "0";
  for (const SceneSignal& force : joint.forces) sum += " + " + signal_text(force);
  for (const SceneServo& servo : joint.servos) {
    const std::string rate = signal_text(servo.of_velocity ? servo.target : servo.rate);
    std::string law = fmt::format("{:.17g}*({} - rate('{}'))", servo.damping, rate, joint.name);
    if (!servo.of_velocity) {
      law += fmt::format(" + {:.17g}*({} - coordinate('{}'))", servo.stiffness, signal_text(servo.target), joint.name);
    }
    sum += fmt::format(" + {}", servo.limit ? clamped_text(law, servo.limit) : law);
  }
  return clamped_text(sum, joint.effort_limit);
}

/// A force beside servos, inputs or a limit of the effort is known as inputs are: before the step.
void SceneBuilder::set_joint_servos(const SceneJoint& joint) {
  if (!has_servos(joint) || (is_idle(joint) && !is_on_velocities(scene_.scheme))) return;
  const std::string path = "joints." + joint.name;
  const auto path_of = [&](const char* key, std::size_t n, std::size_t i) {
    return n == 1 ? fmt::format("{}.{}", path, key) : fmt::format("{}.{}[{}]", path, key, i);
  };
  std::vector<JointServo> servos;
  servos.reserve(joint.servos.size());
  for (std::size_t i = 0; i < joint.servos.size(); ++i) {
    const SceneServo& source = joint.servos[i];
    const std::string of_servo = path_of("servo", joint.servos.size(), i);
    JointServo servo;
    servo.stiffness = source.stiffness;
    servo.damping = source.damping;
    (source.of_velocity ? servo.rate : servo.target) = make_signal(source.target, of_servo + ".target");
    if (!source.of_velocity) servo.rate = make_signal(source.rate, of_servo + ".rate");
    if (source.limit) std::tie(servo.low, servo.high) = std::tuple((*source.limit)[0], (*source.limit)[1]);
    servos.push_back(std::move(servo));
  }
  std::vector<Signal> forces;
  forces.reserve(joint.forces.size() + 1);
  if (joint.force) forces.push_back(make_signal({.value = *joint.force}, path + ".force"));
  for (std::size_t i = 0; i < joint.forces.size(); ++i) {
    forces.push_back(make_signal(joint.forces[i], path_of("force", joint.forces.size(), i)));
  }
  if (has_effort_expression(joint)) {
    at_place(path, [&] {
      StateExpression effort = StateExpression::parse(effort_text(joint), system_.system(), scene_.parameters);
      system_.set_joint_force(joints_.at(joint.name).index, std::move(effort));
      return 0;
    });
    return;
  }
  std::optional<EffortLimit> limit;
  if (joint.effort_limit) limit = {(*joint.effort_limit)[0], (*joint.effort_limit)[1]};
  at_place(path, [&] {
    system_.set_joint_servos(joints_.at(joint.name).index, std::move(servos), std::move(forces), limit);
    return 0;
  });
}

}  // namespace stickslip
