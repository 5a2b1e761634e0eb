// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "stickslip/base/overloaded.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/robots/robot_model.h"
#include "stickslip/robots/scene_names.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

std::string number(double x) {
  return write_toml_number(x);
}

std::string vector(const Vector3& v) {
  return fmt::format("[{}, {}, {}]", number(v(0)), number(v(1)), number(v(2)));
}

std::string list(const std::vector<double>& x) {
  if (x.size() == 1) return number(x[0]);
  std::string text;
  for (const double each : x) text += (text.empty() ? "" : ", ") + number(each);
  return "[" + text + "]";
}

std::string quaternion(const Matrix3& R) {
  const Eigen::Quaterniond e = Eigen::Quaterniond(R).normalized();
  return list({e.w(), e.x(), e.y(), e.z()});
}

constexpr int kSlidingCondim = 3;  // [-]

class RobotWriter {
 public:
  RobotWriter(RobotModel model, const RobotOptions& options, RobotWarnings& warnings)
      : model_(std::move(model)), options_(options), warnings_(warnings) {}

  ConvertedScene write() {
    from({model_.bodies[0].place.file, 0, 0});
    find_properties();
    fuse();
    name_all();
    line("stickslip = 1");
    line("name = {}", quote_toml(title()));
    line("gravity = {}", vector(model_.gravity));
    line("time = {{end = 1.0, step = {}}}", number(model_.step));
    line("\n[contact_default]");
    line("friction = {}", number(model_.friction));
    write_excepts();
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (moves(i) || i == 0) write_body(i);
    }
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) write_joints(i);
    for (const RobotInput& input : model_.inputs) write_input(input);
    for (const RobotLoop& loop : model_.loops) write_loop(loop);
    for (const RobotGear& gear : model_.gears) write_gear(gear);
    for (const RobotPair& pair : model_.pairs) write_pair(pair);
    for (const RobotSite& site : model_.sites) write_site(site);
    for (const RobotSensor& sensor : model_.sensors) write_sensor(sensor);
    return {std::move(text_), std::move(model_.files), std::move(lines_)};
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::size_t before = text_.size();
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
    n_lines_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(before), text_.end(), '\n'));
  }

  /// What is written from here on is said there.
  void from(const SourcePlace& place) { lines_.push_back({n_lines_ + 1, place}); }

  void find_properties() {
    const auto asks = [](const RobotShape& shape) { return shape.contact.condim.value_or(0) > kSlidingCondim; };
    turns_rub_ = std::ranges::any_of(model_.bodies,
                                     [&](const RobotBody& body) { return std::ranges::any_of(body.shapes, asks); });
    const auto is_free = [](const RobotBody& body) { return body.joints.empty(); };
    closes_free_ = !model_.loops.empty() && std::ranges::all_of(model_.bodies, is_free);
  }

  std::string title() const {
    constexpr std::size_t kMost = 256;  // [bytes] of a scene's title
    std::string title = has_control_character(model_.name) ? "robot" : model_.name;
    if (title.size() > kMost) title = "robot";
    return title;
  }

  // --- bodies that move, and what is fixed to them

  bool moves(std::size_t i) const {
    const RobotBody& body = model_.bodies[i];
    return i == 0 ? model_.first_is_free : body.is_free || !body.joints.empty();
  }

  /// The frames of bodies that are fused into others are sites of their names.
  void keep_frame(std::size_t i) {
    const RobotBody& body = model_.bodies[i];
    model_.sites.push_back({body.name, static_cast<int>(i), {}, body.place});
  }

  void fuse() {
    for (const RobotSite& site : model_.sites) {
      const auto i = static_cast<std::size_t>(site.body);
      if (!site.is_drawn || i == 0 || moves(i)) continue;
      warnings_.add(site.place, "site",
                    fmt::format("\"{}\" has no joint: its sites are on what it is fixed to", model_.bodies[i].name));
    }
    const std::size_t n = model_.bodies.size();
    target_.resize(n);
    pose_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      RobotBody& body = model_.bodies[i];
      for (RobotShape& shape : body.shapes) shape.body = i;
      if (i == 0 || moves(i)) {
        target_[i] = i;
        continue;
      }
      keep_frame(i);
      const auto parent = static_cast<std::size_t>(body.parent);
      target_[i] = target_[parent];
      pose_[i] = compose_poses(pose_[parent], body.pose);
      RobotBody& into = model_.bodies[target_[i]];
      into.mass.add(body.mass.moved(pose_[i]));
      for (RobotShape& shape : body.shapes) {
        shape.pose = compose_poses(pose_[i], shape.pose);
        into.shapes.push_back(std::move(shape));
      }
      body.shapes.clear();
    }
    for (std::size_t i = n; i-- > 0;) {
      if (!moves(i)) continue;
      RobotBody& body = model_.bodies[i];
      if (i > 0) {
        const auto parent = static_cast<std::size_t>(body.parent);
        parent_of_[i] = target_[parent];
        body.pose = compose_poses(pose_[parent], body.pose);
      }
      if (body.mass.mass > 0.0) check_inertia(body);
    }
  }

  void check_inertia(RobotBody& body) const {
    const std::string defect = inertia_defect(body.mass.inertia);
    if (defect.empty()) return;
    throw InputError(body.place, model_.body_word, "",
                     fmt::format("\"{}\", with all that is fixed to it: inertia {}", body.name, defect));
  }

  // --- names

  void name_all() {
    SceneNames bodies(warnings_);
    SceneNames joints(warnings_);
    SceneNames contacts(warnings_);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      RobotBody& body = model_.bodies[i];
      if (i > 0 && !moves(i)) continue;
      body.name = bodies.take(body.name, body.place, model_.body_word);
      SceneNames shapes(warnings_);
      for (RobotShape& shape : body.shapes) {
        const std::string name = shapes.take(shape.name, shape.place, model_.shape_word);
        shape_names_[{i, shape.name}] = name;
        shape.name = name;
      }
      for (RobotJoint& joint : body.joints) {
        const std::string name = joints.take(joint.name, joint.place, "joint");
        joint_names_[joint.name] = name;
        joint.name = name;
        if (joint.limits) contacts.keep(name + "-limits");
      }
    }
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const RobotBody& body = model_.bodies[i];
      for (std::size_t k = 0; k + 1 < body.joints.size(); ++k) {
        between_[i].push_back(bodies.take(body.name + "~" + body.joints[k].name, body.joints[k].place, "joint"));
      }
    }
    for (RobotLoop& loop : model_.loops)
      loop.name = joints.take(loop.name, loop.place, loop.is_weld ? "weld" : "connect");
    for (RobotGear& gear : model_.gears) gear.name = joints.take(gear.name, gear.place, gear.element);
    for (RobotPair& pair : model_.pairs) pair.name = contacts.take(pair.name, pair.place, "pair");
    SceneNames sites(warnings_);
    SceneNames sensors(warnings_);
    for (RobotSite& site : model_.sites) site.name = sites.take(site.name, site.place, "site");
    SceneNames inputs(warnings_);
    for (RobotInput& input : model_.inputs) input.name = inputs.take(input.name, input.place, "actuator");
    for (RobotSensor& sensor : model_.sensors) sensor.name = sensors.take(sensor.name, sensor.place, "sensor");
  }

  // --- contacts

  bool has_shapes(std::size_t i) const {
    return std::ranges::any_of(model_.bodies[i].shapes, [](const RobotShape& s) { return !s.contact.visual; });
  }

  /// A body as a side of `except`: the name of the one it is fused into, or its own shapes there, beside those of
  /// others.
  std::vector<std::string> exception_sides(std::size_t i) const {
    const RobotBody& into = model_.bodies[target_[i]];
    std::vector<std::string> own;
    std::size_t n = 0;
    for (const RobotShape& shape : into.shapes) {
      if (shape.contact.visual) continue;
      ++n;
      if (shape.body == i) own.push_back(into.name + "/" + shape.name);
    }
    return own.size() == n && n > 0 ? std::vector{into.name} : own;
  }

  void write_excepts() {
    std::set<std::pair<std::string, std::string>> pairs;
    std::vector<std::pair<std::string, std::string>> ordered;
    const auto add_sides = [&](const std::string& a, const std::string& b) {
      if (pairs.insert(std::minmax(a, b)).second) ordered.emplace_back(a, b);
    };
    const auto may_touch = [&](std::size_t a, std::size_t b) {
      return a != b && has_shapes(a) && has_shapes(b) && (moves(a) || moves(b));
    };
    const auto add = [&](std::size_t a, std::size_t b) {
      if (may_touch(a, b)) add_sides(model_.bodies[a].name, model_.bodies[b].name);
    };
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      if (!moves(i) || model_.jointed_collide) continue;
      if (model_.root_collides && !moves(parent_of_[i])) continue;
      add(parent_of_[i], i);
    }
    for (const auto& [first, second] : model_.excludes) {
      const auto a = static_cast<std::size_t>(first);
      const auto b = static_cast<std::size_t>(second);
      if (!may_touch(target_[a], target_[b])) continue;
      for (const std::string& of_a : exception_sides(a)) {
        for (const std::string& of_b : exception_sides(b)) add_sides(of_a, of_b);
      }
    }
    if (ordered.empty()) return;
    std::string text;
    for (const auto& [a, b] : ordered) {
      text += fmt::format("{}[{}, {}]", text.empty() ? "" : ",\n          ", quote_toml(a), quote_toml(b));
    }
    line("except = [{}]", text);
  }

  void write_pair(const RobotPair& pair) {
    std::array<std::string, 2> sides;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t body = target_[static_cast<std::size_t>(pair.bodies[i])];
      const auto found = shape_names_.find({body, pair.shapes[i]});
      const std::vector<RobotShape>& shapes = model_.bodies[body].shapes;
      const auto shape =
          found == shape_names_.end() ? shapes.end() : std::ranges::find(shapes, found->second, &RobotShape::name);
      if (shape == shapes.end() || shape->contact.visual) {
        return warnings_.add(pair.place, "pair",
                             fmt::format("\"{}\" touches nothing in this version: left out", pair.shapes[i]));
      }
      sides[i] = model_.bodies[body].name + "/" + found->second;
    }
    const std::size_t a = target_[static_cast<std::size_t>(pair.bodies[0])];
    const std::size_t b = target_[static_cast<std::size_t>(pair.bodies[1])];
    if (a == b || (!moves(a) && !moves(b))) {
      return warnings_.add(pair.place, "pair", "its geoms do not move against each other: left out");
    }
    from(pair.place);
    line("\n[[contacts]]");
    line("name = {}", quote_toml(pair.name));
    line("between = [{}, {}]", quote_toml(sides[0]), quote_toml(sides[1]));
    line("friction = {}", number(pair.friction));
    if (pair.spinning > 0.0) line("spinning = {}", number(pair.spinning));
    if (pair.rolling > 0.0) line("rolling = {}", number(pair.rolling));
  }

  // --- bodies

  void write_pose(const Pose& pose) {
    if (!pose.p_WB.isZero(0.0)) line("position = {}", vector(pose.p_WB));
    if (!(pose.R_WB == Matrix3::Identity())) line("quaternion = {}", quaternion(pose.R_WB));
  }

  void write_mass(const RobotMass& mass) {
    if (!(mass.mass > 0.0)) return line("mass = 0");
    line("mass = {}", number(mass.mass));
    const Matrix3& J = mass.inertia;
    if (J.isDiagonal(0.0)) {
      line("inertia = {}", vector(J.diagonal()));
    } else {
      line("inertia = [{}, {}, {}]", vector(J.row(0)), vector(J.row(1)), vector(J.row(2)));
    }
    if (!mass.center.isZero(0.0)) line("centre_of_mass = {}", vector(mass.center));
  }

  void write_body(std::size_t i) {
    const RobotBody& body = model_.bodies[i];
    const bool is_fixed = i == 0 && !model_.first_is_free;
    std::string parent = i == 0 ? "" : model_.bodies[parent_of_[i]].name;
    Pose pose = body.pose;
    for (std::size_t k = 0; k < between_[i].size(); ++k) {
      const std::string& name = between_[i][k];
      from(body.joints[k].place);
      line("\n[bodies.{}]", quote_toml_key(name));
      line("mass = 0");
      line("parent = {}", quote_toml(parent));
      write_pose(pose);
      parent = name;
      pose = Pose{};
    }
    from(body.place);
    line("\n[bodies.{}]", quote_toml_key(body.name));
    if (is_fixed) line("type = \"fixed\"");
    if (!is_fixed) write_mass(body.mass);
    const bool is_moving = !body.velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0);
    const bool hangs = i > 0 && (!body.is_free || moves(parent_of_[i]) || (closes_free_ && !is_moving));
    if (hangs) line("parent = {}", quote_toml(parent));
    write_pose(pose);
    const Vector3 velocity = body.velocity + pose.R_WB * body.angular_velocity.cross(body.mass.center);
    if (!velocity.isZero(0.0)) line("velocity = {}", vector(velocity));
    if (!body.angular_velocity.isZero(0.0)) line("angular_velocity = {}", vector(body.angular_velocity));
    for (const RobotShape& shape : body.shapes) write_shape(shape, is_fixed);
  }

  void write_shape(const RobotShape& shape, bool is_fixed) {
    if (shape.mesh && shape.mesh->field_size && !is_fixed) {
      return warnings_.add(shape.place, "geom", "a height field on a body that moves has no counterpart: left out");
    }
    std::string keys = std::visit(
        Overloaded{[](const Sphere& s) { return fmt::format(", radius = {}", number(s.radius)); },
                   [](const PointShape&) { return std::string(); },
                   [](const HalfSpace&) { return std::string(", normal = [0.0, 0.0, 1.0]"); },
                   [](const Box& s) { return fmt::format(", size = {}", vector(s.size)); },
                   [](const Capsule& s) {
                     return fmt::format(", radius = {}, length = {}", number(s.radius), number(s.length));
                   },
                   [](const Cylinder& s) {
                     return fmt::format(", radius = {}, length = {}", number(s.radius), number(*s.length));
                   },
                   [](const Ellipsoid& s) { return fmt::format(", radii = {}", vector(s.radii)); },
                   [&](const Convex&) { return keys_of(*shape.mesh); },
                   [&](const Mesh&) { return keys_of(*shape.mesh); }, [](const Polyline&) { return std::string(); }},
        shape.geometry);
    if (!shape.pose.p_WB.isZero(0.0)) keys += ", position = " + vector(shape.pose.p_WB);
    if (!(shape.pose.R_WB == Matrix3::Identity())) keys += ", quaternion = " + quaternion(shape.pose.R_WB);
    from(shape.place);
    const ShapeContact& c = shape.contact;
    if (c.visual) {
      keys += ", visual = true";
    } else {
      if (c.contype != 1) keys += fmt::format(", contype = {}", c.contype);
      if (c.conaffinity != 1) keys += fmt::format(", conaffinity = {}", c.conaffinity);
      if (c.friction) keys += ", friction = " + number(*c.friction);
      if (c.priority != 0) keys += fmt::format(", priority = {}", c.priority);
      if (turns_rub_ && c.spinning) keys += ", spinning = " + number(*c.spinning);
      if (turns_rub_ && c.rolling) keys += ", rolling = " + number(*c.rolling);
      if (c.condim && (turns_rub_ || *c.condim != kSlidingCondim)) keys += fmt::format(", condim = {}", *c.condim);
    }
    line("shapes.{} = {{type = \"{}\"{}}}", quote_toml_key(shape.name), shape_type_name(shape.geometry), keys);
  }

  std::string keys_of(const RobotMesh& mesh) const {
    if (mesh.field_size) {
      const auto [x, y] = *mesh.field_size;
      return fmt::format(", size = [{}, {}], file = {}", number(x), number(y), quote_toml(mesh.file));
    }
    if (mesh.file.empty()) {
      std::string points;
      for (const Vector3& point : mesh.points) points += (points.empty() ? "" : ", ") + vector(point);
      return fmt::format(", points = [{}]", points);
    }
    std::error_code ignored;
    const fs::path folder = options_.scene_folder.empty() ? fs::path(".") : options_.scene_folder;
    const fs::path relative = fs::proximate(mesh.file, folder, ignored);
    std::string keys = fmt::format(", file = {}", quote_toml(relative.empty() ? mesh.file : relative.string()));
    const Vector3& s = mesh.scale;
    if (s == Vector3::Ones()) return keys;
    const bool is_uniform = s(0) == s(1) && s(1) == s(2);
    return keys + fmt::format(", scale = {}", is_uniform ? number(s(0)) : vector(s));
  }

  // --- joints

  void write_joints(std::size_t i) {
    const RobotBody& body = model_.bodies[i];
    std::string first = body.joints.empty() ? "" : model_.bodies[parent_of_[i]].name;
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
      const std::string& second = k + 1 < body.joints.size() ? between_[i][k] : body.name;
      write_joint(body.joints[k], first, second);
      first = second;
    }
  }

  static std::string_view type_of(RobotJointType type) {
    constexpr std::array<std::string_view, 4> kNames = {"revolute", "prismatic", "spherical", "planar"};
    return kNames[static_cast<std::size_t>(type)];
  }

  static void check_start(const RobotJoint& joint) {
    if (!joint.limits || joint.start.size() != 1) return;
    const auto [low, high] = *joint.limits;
    if (joint.start[0] >= low && joint.start[0] <= high) return;
    throw InputError(joint.place, "joint", "",
                     fmt::format("\"{}\" starts at {:.9g}, beyond its limits {:.9g} and {:.9g}", joint.name,
                                 joint.start[0], low, high));
  }

  void write_joint(const RobotJoint& joint, const std::string& first, const std::string& second) {
    check_start(joint);
    from(joint.place);
    line("\n[joints.{}]", quote_toml_key(joint.name));
    line("type = \"{}\"", type_of(joint.type));
    line("between = [{}, {}]", quote_toml(first), quote_toml(second));
    line("local = true");
    if (!joint.at.isZero(0.0)) line("at = {}", vector(joint.at));
    if (joint.type != RobotJointType::ball) line("axis = {}", vector(joint.axis));
    if (joint.reference != 0.0) line("reference = {}", number(joint.reference));
    if (joint.motion) line("motion = {}", *joint.motion);
    if (!joint.start.empty()) line("start = {}", list(joint.start));
    if (!joint.start_rate.empty()) line("start_rate = {}", list(joint.start_rate));
    if (joint.armature > 0.0) line("armature = {}", number(joint.armature));
    if (joint.type == RobotJointType::ball && joint.damping > 0.0) {
      line("spring = {{damping = {}}}", number(joint.damping));
    } else if (joint.stiffness > 0.0 || joint.damping > 0.0) {
      line("spring = {{stiffness = {}, damping = {}, rest = {}}}", number(joint.stiffness), number(joint.damping),
           number(joint.rest));
    }
    if (joint.friction > 0.0) {
      if (joint.type == RobotJointType::planar) {
        line("friction = {{force = {}}}", number(joint.friction));
      } else {
        line("friction = {}", number(joint.friction));
      }
    }
    if (joint.limits) line("limits = {}", bounds(*joint.limits));
    std::vector<std::string> drives;
    for (const RobotSignal& force : joint.forces) drives.push_back(signal(force));
    write_drives("force", drives);
    drives.clear();
    for (const RobotServo& each : joint.servos) drives.push_back(servo(each));
    write_drives("servo", drives);
    if (joint.effort_limit) line("effort_limit = {}", bounds(*joint.effort_limit));
  }

  // --- what drives them

  static std::string bounds(const std::array<double, 2>& x) {
    return fmt::format("[{}, {}]", number(x[0]), number(x[1]));
  }

  std::string signal(const RobotSignal& signal) const {
    if (signal.input < 0) return number(signal.offset);
    std::string keys = "input = " + quote_toml(model_.inputs[static_cast<std::size_t>(signal.input)].name);
    if (signal.gain != 1.0) keys += ", gain = " + number(signal.gain);
    if (signal.offset != 0.0) keys += ", offset = " + number(signal.offset);
    return "{" + keys + "}";
  }

  std::string servo(const RobotServo& servo) const {
    std::string keys = servo.of_velocity ? "type = \"velocity\"" : "type = \"position\"";
    if (!servo.of_velocity) keys += ", stiffness = " + number(servo.stiffness);
    if (servo.of_velocity || servo.damping > 0.0) keys += ", damping = " + number(servo.damping);
    keys += ", target = " + signal(servo.target);
    if (servo.limit) keys += ", limit = " + bounds(*servo.limit);
    return "{" + keys + "}";
  }

  /// One, or an array with a line each.
  void write_drives(const char* key, const std::vector<std::string>& drives) {
    if (drives.empty()) return;
    if (drives.size() == 1) return line("{} = {}", key, drives[0]);
    line("{} = [{}]", key, fmt::join(drives, ",\n         "));
  }

  void write_input(const RobotInput& input) {
    from(input.place);
    line("\n[inputs.{}]", quote_toml_key(input.name));
    line("value = {}", number(input.value));
    if (input.range) line("range = {}", bounds(*input.range));
  }

  void write_loop(const RobotLoop& loop) {
    std::array<std::size_t, 2> bodies;
    std::array<Pose, 2> frames;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto body = static_cast<std::size_t>(loop.bodies[i]);
      bodies[i] = target_[body];
      frames[i] = compose_poses(pose_[body], loop.frames[i]);
    }
    if (bodies[0] == bodies[1] || (!moves(bodies[0]) && !moves(bodies[1]))) {
      return warnings_.add(loop.place, loop.is_weld ? "weld" : "connect",
                           "its bodies do not move against each other: left out");
    }
    from(loop.place);
    line("\n[joints.{}]", quote_toml_key(loop.name));
    line("type = \"{}\"", loop.is_weld ? "weld" : "spherical");
    line("between = [{}, {}]", quote_toml(model_.bodies[bodies[0]].name), quote_toml(model_.bodies[bodies[1]].name));
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string turn = loop.is_weld ? ", quaternion = " + quaternion(frames[i].R_WB) : "";
      line("frame_{} = {{position = {}{}}}", i == 0 ? 'a' : 'b', vector(frames[i].p_WB), turn);
    }
  }

  void write_gear(const RobotGear& gear) {
    from(gear.place);
    line("\n[joints.{}]", quote_toml_key(gear.name));
    line("type = \"gear\"");
    line("joints = [{}, {}]", quote_toml(joint_names_.at(gear.joints[0])), quote_toml(joint_names_.at(gear.joints[1])));
    line("ratio = {}", number(gear.ratio));
    line("offset = {}", number(gear.offset));
  }

  void write_site(const RobotSite& site) {
    const auto body = static_cast<std::size_t>(site.body);
    from(site.place);
    line("\n[sites.{}]", quote_toml_key(site.name));
    line("body = {}", quote_toml(model_.bodies[target_[body]].name));
    write_pose(compose_poses(pose_[body], site.pose));
  }

  void write_sensor(const RobotSensor& sensor) {
    std::string joint = sensor.joint;
    const std::size_t body = sensor.body < 0 ? 0 : target_[static_cast<std::size_t>(sensor.body)];
    if (sensor.type == "wrench") {
      if (model_.bodies[body].joints.empty()) {
        return warnings_.add(
            sensor.place, "sensor",
            fmt::format("\"{}\": the site's body hangs on no joint: the sensor is left out", sensor.name));
      }
      joint = model_.bodies[body].joints.back().name;
    } else if (!joint.empty()) {
      joint = joint_names_.at(joint);
    }
    from(sensor.place);
    line("\n[[sensors]]");
    line("name = {}", quote_toml(sensor.name));
    line("type = \"{}\"", sensor.type);
    if (!joint.empty()) line("joint = {}", quote_toml(joint));
    if (sensor.type == "contact") line("body = {}", quote_toml(model_.bodies[body].name));
    if (sensor.site >= 0) line("site = {}", quote_toml(model_.sites[static_cast<std::size_t>(sensor.site)].name));
    if (sensor.in_site_frame) line("frame = \"site\"");
    if (sensor.most > 0.0) line("max = {}", number(sensor.most));
  }

  RobotModel model_;
  const RobotOptions& options_;
  RobotWarnings& warnings_;
  bool turns_rub_ = false;    // a shape asks for spinning or rolling friction: then what all of them have of it counts
  bool closes_free_ = false;  // loops of free bodies alone: what has a `parent` is moved to close them
  std::string text_;
  int n_lines_ = 0;
  std::vector<ConvertedLines> lines_;
  std::vector<std::size_t> target_;                          // (bodies) the body that has what is fixed to it
  std::vector<Pose> pose_;                                   // (bodies) in that
  std::map<std::size_t, std::size_t> parent_of_;             // bodies that move
  std::map<std::size_t, std::vector<std::string>> between_;  // bodies between several joints of one
  std::map<std::pair<std::size_t, std::string>, std::string> shape_names_;
  std::map<std::string, std::string> joint_names_;
};

}  // namespace

ConvertedScene write_robot(RobotModel model, const RobotOptions& options, RobotWarnings& warnings) {
  return RobotWriter(std::move(model), options, warnings).write();
}

}  // namespace stickslip
