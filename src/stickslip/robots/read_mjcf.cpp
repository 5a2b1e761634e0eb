// SPDX-License-Identifier: BSD-3-Clause
// MJCF as the documentation of MuJoCo 3 states it.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "stickslip/geometry/mass_properties.h"
#include "stickslip/math/rotation.h"
#include "stickslip/robots/mjcf_actuators.h"
#include "stickslip/robots/mjcf_geoms.h"
#include "stickslip/robots/mjcf_key.h"
#include "stickslip/robots/mjcf_sensors.h"
#include "stickslip/robots/mjcf_settings.h"
#include "stickslip/robots/mjcf_words.h"
#include "stickslip/robots/robot_attributes.h"
#include "stickslip/robots/robot_model.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

class MjcfReader {
 public:
  MjcfReader(const XmlElement& root, const fs::path& file, const RobotOptions& options, RobotWarnings& warnings)
      : root_(root),
        options_(options),
        warnings_(warnings),
        defaults_(root),
        compiler_(root),
        geoms_(root, file, defaults_, compiler_, options, warnings) {}

  RobotModel read() {
    warn_of_mjcf_words(root_, !options_.key.empty(), warnings_);
    model_.name = root_.has("model") ? root_.find("model")->value : "";
    model_.root_collides = true;
    read_option();
    RobotBody& world = model_.bodies.emplace_back();
    world.name = "world";
    world.place = root_.place();
    // The sections of a kind count as one.
    XmlElement bodies = root_;
    bodies.attributes.clear();
    bodies.children.clear();
    for (const XmlElement& section : root_.children) {
      if (section.name != "worldbody") continue;
      bodies.children.insert(bodies.children.end(), section.children.begin(), section.children.end());
    }
    body_names_["world"] = 0;
    add_parts(bodies, 0, "");
    add_children(bodies, 0, "");
    set_total_mass();
    for (const XmlElement& section : root_.children) {
      if (section.name == "contact") read_contacts(section);
      if (section.name == "equality") read_equalities(section);
    }
    start_geared_joints(model_);
    read_mjcf_sensors(root_, {body_names_, joint_names_, site_names_}, model_, warnings_);
    const std::vector<int> inputs = read_mjcf_actuators(root_, defaults_, compiler_, joint_names_, model_, warnings_);
    if (!options_.key.empty()) read_mjcf_key(root_, options_.key, inputs, model_);
    model_.files = geoms_.files();
    return std::move(model_);
  }

 private:
  void read_option() {
    model_.step = 2e-3;
    for (const XmlElement& option : root_.children) {
      if (option.name != "option") continue;
      model_.step = number_or(option, "timestep", model_.step);
      if (!(model_.step > 0.0)) expect(option, "timestep", "a number > 0 [s]");
      model_.gravity = vector_or(option, "gravity", model_.gravity);
      const XmlElement* flag = option.child("flag");
      if (flag == nullptr) continue;
      for (const XmlAttribute& a : flag->attributes) {
        if (a.value != "enable" && a.value != "disable") expect(*flag, a.name, "enable or disable");
        if (a.name == "filterparent") model_.jointed_collide = a.value == "disable";
      }
    }
  }

  // --- frames and copies

  /// Where an element stands: in frames, with the class of its surroundings, as which copy.
  struct Around {
    Pose frame;
    std::string childclass;
    std::string suffix;
  };
  using Visit = std::function<void(const XmlElement&, const Around&)>;

  void for_each_part(const XmlElement& parent, const Around& around, const Visit& visit) {
    for (const XmlElement& child : parent.children) {
      if (child.name == "frame") {
        defaults_.check(child, "childclass");
        const XmlAttribute* named = child.find("childclass");
        const std::string& childclass = named != nullptr ? named->value : around.childclass;
        const Pose pose = compose_poses(around.frame, read_mjcf_pose(child, "", defaults_, compiler_));
        for_each_part(child, {pose, childclass, around.suffix}, visit);
      } else if (child.name == "replicate") {
        replicate(child, around, visit);
      } else {
        visit(child, around);
      }
    }
  }

  void replicate(const XmlElement& element, const Around& around, const Visit& visit) {
    require_text(element, "count");
    const int count = parse_integer(element, *element.find("count"));
    if (count < 1 || count > static_cast<int>(kMaxRobotBodies)) {
      element.fail("count", fmt::format("a whole number from 1 to {}", kMaxRobotBodies));
    }
    const Vector3 offset = vector_or(element, "offset", Vector3::Zero());
    const Vector3 angles = compiler_.angle * vector_or(element, "euler", Vector3::Zero());
    const Pose step{offset, euler_matrix(angles, compiler_.sequence)};
    const std::string separator = element.has("sep") ? element.find("sep")->value : "";
    const std::size_t width = std::to_string(count).size();
    Pose pose = around.frame;
    for (int i = 0; i < count; ++i) {
      if (++n_copies_ > kMaxParts) element.fail("count", "too many copies");
      for_each_part(element, {pose, around.childclass, fmt::format("{}{:0{}}{}", separator, i, width, around.suffix)},
                    visit);
      pose = compose_poses(pose, step);
    }
  }

  // --- names

  /// The element's own name, or one of its kind and number. `names` has those that are taken.
  template <class Value>
  std::string name_of(const XmlElement& element, const Around& around, const char* kind, std::size_t number,
                      std::map<std::string, Value>& names, const Value& value) {
    const XmlAttribute* given = element.find("name");
    if (given == nullptr || given->value.empty()) return fmt::format("{}{}", kind, number);
    std::string name = given->value + around.suffix;
    if (!names.emplace(name, value).second) {
      element.fail("name", fmt::format("\"{}\": another {} has this name", name, kind));
    }
    return name;
  }

  // --- bodies

  void add_parts(const XmlElement& element, int index, const std::string& childclass) {
    const XmlElement* inertial = nullptr;
    RobotMass of_geoms;
    for_each_part(element, {{}, childclass, suffix_}, [&](const XmlElement& part, const Around& around) {
      if (part.name == "geom") add_geom(part, around, index, of_geoms);
      if (part.name == "joint" || part.name == "freejoint") add_joint(part, around, index);
      if (part.name == "site") add_site(part, around, index);
      if (part.name != "inertial") return;
      if (index == 0) warnings_.add(part, "the world cannot move: left out");
      if (inertial != nullptr && index > 0) {
        part.fail(fmt::format("a body has one, this has another in line {}", inertial->line));
      }
      inertial = &part;
    });
    if (index == 0) return;
    RobotBody& body = body_at(index);
    using From = MjcfCompiler::FromGeoms;
    const bool uses_geoms =
        compiler_.from_geoms == From::always || (compiler_.from_geoms == From::where_needed && inertial == nullptr);
    if (uses_geoms) {
      body.mass = of_geoms;
    } else if (inertial != nullptr) {
      body.mass = read_inertial(*inertial);
    }
    RobotMass& mass = body.mass;
    const bool has_bounds = compiler_.least_mass > 0.0 || compiler_.least_inertia > 0.0;
    if (!(mass.mass > 0.0) && !has_bounds) return;
    const std::string defect = adjust_mjcf_mass(compiler_, mass);
    if (!defect.empty()) (inertial != nullptr ? *inertial : element).fail(defect);
  }

  void add_geom(const XmlElement& element, const Around& around, int index, RobotMass& of_geoms) {
    if (n_geoms_ >= kMaxParts) element.fail(fmt::format("a model has at most {} geoms", kMaxParts));
    MjcfGeom geom = geoms_.read(element, around.childclass, around.frame);
    const std::string name = name_of(element, around, "geom", n_geoms_++, geom_names_, index);
    if (geom.group >= compiler_.groups[0] && geom.group <= compiler_.groups[1]) of_geoms.add(geom.mass);
    if (!geom.shape) return;
    geom.shape->name = name;
    body_at(index).shapes.push_back(std::move(*geom.shape));
  }

  void add_site(const XmlElement& element, const Around& around, int index) {
    RobotSite site;
    const auto number = static_cast<int>(model_.sites.size());
    site.name = name_of(element, around, "site", model_.sites.size(), site_names_, number);
    site.body = index;
    site.place = element.place();
    Pose drawn = read_mjcf_pose(element, around.childclass, defaults_, compiler_);
    if (const MjcfAttribute a = defaults_.find(element, "fromto", around.childclass)) {
      const std::vector<double> x = parse_numbers(*a.element, *a.attribute, 6, 6);
      const Vector3 from(x[0], x[1], x[2]), to(x[3], x[4], x[5]);
      if (from == to) expect(*a.element, "fromto", "two different points");
      drawn = {0.5 * (from + to), z_to((from - to).normalized())};
    }
    site.pose = compose_poses(around.frame, drawn);
    model_.sites.push_back(std::move(site));
  }

  RobotMass read_inertial(const XmlElement& element) const {
    require_text(element, "mass");
    RobotMass mass;
    mass.mass = *find_number(element, "mass");
    if (mass.mass < 0.0) expect(element, "mass", "a mass >= 0 [kg]");
    const Pose pose = read_mjcf_pose(element, "", defaults_, compiler_);
    if (const XmlAttribute* full = element.find("fullinertia")) {
      if (element.has("diaginertia")) element.fail("fullinertia", "diaginertia or fullinertia, not both");
      const std::vector<double> x = parse_numbers(element, *full, 6, 6);
      mass.inertia << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
    } else {
      mass.inertia = vector_or(element, "diaginertia", Vector3::Zero()).asDiagonal();
    }
    const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>(mass.inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (moments(0) < 0.0) {
      expect(element, element.has("fullinertia") ? "fullinertia" : "diaginertia", "moments that are not negative");
    }
    return mass.moved(pose);
  }

  RobotBody& body_at(int index) { return model_.bodies[static_cast<std::size_t>(index)]; }

  void add_children(const XmlElement& element, int index, const std::string& childclass) {
    for_each_part(element, {{}, childclass, suffix_}, [&](const XmlElement& part, const Around& around) {
      if (part.name == "body") add_body(part, around, index);
    });
  }

  void add_body(const XmlElement& element, const Around& around, int parent) {
    if (model_.bodies.size() >= kMaxRobotBodies)
      element.fail(fmt::format("a model has at most {} bodies", kMaxRobotBodies));
    const int index = static_cast<int>(model_.bodies.size());
    RobotBody body;
    body.name = name_of(element, around, "body", model_.bodies.size(), body_names_, index);
    body.place = element.place();
    body.parent = parent;
    body.pose = compose_poses(around.frame, read_mjcf_pose(element, "", defaults_, compiler_));
    model_.bodies.push_back(std::move(body));
    defaults_.check(element, "childclass");
    const XmlAttribute* named = element.find("childclass");
    const std::string childclass = named != nullptr ? named->value : around.childclass;
    const std::string suffix = std::exchange(suffix_, around.suffix);
    add_parts(element, index, childclass);
    const XmlAttribute* mocap = element.find("mocap");
    if (mocap != nullptr && parse_boolean(element, *mocap)) {
      if (parent != 0 || !body_at(index).joints.empty() || body_at(index).is_free) {
        expect(element, "mocap", "a child of the world without joints");
      }
      warnings_.add(element, "mocap", "bodies that are moved from outside have no counterpart: it is fixed");
    }
    add_children(element, index, childclass);
    check_mass(element, index);
    suffix_ = suffix;
  }

  /// A body that moves has mass, or something further out has.
  void check_mass(const XmlElement& element, int index) {
    const RobotBody& body = body_at(index);
    carried_.resize(model_.bodies.size(), 0);
    const bool moves = !body.joints.empty() || body.is_free;
    const bool has_mass = body.mass.mass > 0.0 || carried_[static_cast<std::size_t>(index)] != 0;
    if (moves && !has_mass) {
      element.fail(fmt::format("\"{}\" moves and has no mass, nor has what hangs on it", body.name));
    }
    if (has_mass) carried_[static_cast<std::size_t>(body.parent)] = 1;
  }

  void set_total_mass() {
    if (!(compiler_.total_mass > 0.0)) return;
    double sum = 0.0;
    for (const RobotBody& body : model_.bodies) sum += body.mass.mass;
    if (!(sum > 0.0)) return;
    for (RobotBody& body : model_.bodies) {
      body.mass.mass *= compiler_.total_mass / sum;
      body.mass.inertia *= compiler_.total_mass / sum;
    }
  }

  // --- joints

  void add_joint(const XmlElement& element, const Around& around, int index) {
    RobotBody& body = body_at(index);
    if (index == 0) element.fail("a joint of a body: the world cannot move");
    defaults_.check(element, "class");
    const auto find = [&](const char* key) { return defaults_.find(element, key, around.childclass); };
    const auto number = [&](const char* key, double otherwise) {
      const MjcfAttribute a = find(key);
      return a ? parse_number(*a.element, *a.attribute) : otherwise;
    };
    const auto not_negative = [&](const char* key) {
      const double value = number(key, 0.0);
      if (value < 0.0) expect(*find(key).element, key, "a number >= 0");
      return value;
    };
    const MjcfAttribute type_given = find("type");
    const std::string type = element.name == "freejoint" ? "free" : type_given ? type_given.attribute->value : "hinge";
    RobotJoint joint;
    joint.name = name_of(element, around, "joint", n_joints_++, joint_names_, index);
    joint.place = element.place();
    if (body.is_free || (type == "free" && !body.joints.empty()))
      element.fail("expected a free joint alone, or others");
    if (type == "free") {
      for (const char* key : {"stiffness", "damping", "frictionloss", "armature"}) {
        if (element.name == "freejoint" || !find(key)) continue;  // to which defaults do not apply
        const std::vector<double> numbers = parse_numbers(*find(key).element, *find(key).attribute, 1, 8);
        if (std::ranges::none_of(numbers, [](double x) { return x > 0.0; })) continue;
        warnings_.add(*find(key).element, key, "free joints have no counterpart of it: left out");
      }
      if (body.parent != 0) element.fail("expected a child of the world: a free joint is on one");
      body.is_free = true;
      return;
    }
    if (type != "hinge" && type != "slide" && type != "ball")
      expect(*type_given.element, "type", "free, ball, slide or hinge");
    joint.type = type == "hinge"   ? RobotJointType::hinge
                 : type == "slide" ? RobotJointType::slide
                                   : RobotJointType::ball;
    const auto vector = [&](const char* key, const Vector3& otherwise) {
      const MjcfAttribute a = find(key);
      if (!a) return otherwise;
      const std::vector<double> x = parse_numbers(*a.element, *a.attribute, 3, 3);
      return Vector3(x[0], x[1], x[2]);
    };
    joint.at = around.frame.p_WB + around.frame.R_WB * vector("pos", Vector3::Zero());
    joint.axis = vector("axis", Vector3::UnitZ());
    if (joint.type != RobotJointType::ball && joint.axis.isZero(0.0)) {
      const MjcfAttribute a = find("axis");
      expect(*a.element, "axis", "a direction: not all zero");
    }
    joint.axis = around.frame.R_WB * of_moderate_length(joint.axis);
    joint.damping = read_linear(find("damping"), "dampers");
    joint.friction = not_negative("frictionloss");
    joint.armature = not_negative("armature");
    joint.stiffness = read_linear(find("stiffness"), "springs");
    const double unit = joint.type == RobotJointType::hinge ? compiler_.angle : 1.0;
    joint.reference = unit * number("ref", 0.0);
    joint.rest = unit * number("springref", 0.0);
    read_ranges(find("range"), find("limited"), find("actuatorfrcrange"), find("actuatorfrclimited"), joint);
    if (joint.type == RobotJointType::ball) warn_of_ball(find("stiffness"), joint);
    body.joints.push_back(std::move(joint));
  }

  /// The first of a polynomial's coefficients.
  double read_linear(const MjcfAttribute& a, const char* what) {
    if (!a) return 0.0;
    const std::string& key = a.attribute->name;
    const std::vector<double> numbers = parse_numbers(*a.element, *a.attribute, 1, 8);
    if (numbers[0] < 0.0) expect(*a.element, key, "a number >= 0");
    if (std::any_of(numbers.begin() + 1, numbers.end(), [](double x) { return x != 0.0; })) {
      warnings_.add(*a.element, key, fmt::format("{} are linear: the other coefficients are left out", what));
    }
    return numbers[0];
  }

  void read_ranges(const MjcfAttribute& range, const MjcfAttribute& limited, const MjcfAttribute& effort,
                   const MjcfAttribute& effort_limited, RobotJoint& joint) {
    joint.limits = read_mjcf_range(range, limited, compiler_);
    joint.effort_limit = read_mjcf_range(effort, effort_limited, compiler_);
    if (joint.type == RobotJointType::ball) {
      if (joint.limits) warnings_.add(*range.element, "range", "a ball joint has no limits: left out");
      if (joint.effort_limit) {
        warnings_.add(*effort.element, "actuatorfrcrange", "a ball joint has no limit of its effort: left out");
      }
      joint.limits.reset();
      joint.effort_limit.reset();
    }
    if (!joint.limits || joint.type == RobotJointType::slide) return;
    for (double& limit : *joint.limits) limit *= compiler_.angle;
  }

  void warn_of_ball(const MjcfAttribute& stiffness, RobotJoint& joint) {
    if (joint.stiffness > 0.0) warnings_.add(*stiffness.element, "stiffness", "a ball joint has no spring: left out");
    joint.stiffness = 0.0;
    joint.reference = joint.rest = 0.0;
  }

  // --- contacts

  int find_body(const XmlElement& element, const char* key) const {
    const auto found = body_names_.find(require_text(element, key));
    if (found == body_names_.end()) element.fail(key, fmt::format("\"{}\": no such body", element.find(key)->value));
    return found->second;
  }

  void read_contacts(const XmlElement& section) {
    for (const XmlElement& each : section.children) {
      if (each.name == "exclude") model_.excludes.push_back({find_body(each, "body1"), find_body(each, "body2")});
      if (each.name == "pair") read_pair(each);
    }
  }

  void read_pair(const XmlElement& element) {
    defaults_.check(element, "class");
    RobotPair pair;
    pair.place = element.place();
    std::array<ShapeContact, 2> contacts;
    for (std::size_t i = 0; i < 2; ++i) {
      const char* key = i == 0 ? "geom1" : "geom2";
      pair.shapes[i] = require_text(element, key);
      const auto found = geom_names_.find(pair.shapes[i]);
      if (found == geom_names_.end()) element.fail(key, fmt::format("\"{}\": no such geom", pair.shapes[i]));
      pair.bodies[i] = found->second;
      const std::vector<RobotShape>& shapes = body_at(found->second).shapes;
      const auto shape = std::ranges::find(shapes, pair.shapes[i], &RobotShape::name);
      if (shape == shapes.end()) return warnings_.add(element, "a pair with a geom that is left out: left out");
      contacts[i] = shape->contact;
    }
    const bool first_counts = contacts[0].priority > contacts[1].priority;
    const bool second_counts = contacts[1].priority > contacts[0].priority;
    const auto choose = [&](std::optional<double> ShapeContact::*number) {
      const double one = (contacts[0].*number).value_or(1.0);
      const double other = (contacts[1].*number).value_or(1.0);
      return first_counts ? one : second_counts ? other : std::max(one, other);
    };
    pair.friction = choose(&ShapeContact::friction);
    pair.spinning = choose(&ShapeContact::spinning);
    pair.rolling = choose(&ShapeContact::rolling);
    int condim = first_counts    ? *contacts[0].condim
                 : second_counts ? *contacts[1].condim
                                 : std::max(*contacts[0].condim, *contacts[1].condim);
    const std::vector<MjcfAttribute> all = defaults_.find_all(element, "friction", "");
    for (auto a = all.rbegin(); a != all.rend(); ++a) {
      // Two of sliding, of spinning, two of rolling.
      const std::vector<double> friction = parse_numbers(*a->element, *a->attribute, 1, 5);
      if (std::ranges::any_of(friction, [](double x) { return x < 0.0; }))
        expect(*a->element, "friction", "numbers >= 0");
      pair.friction = friction[0];
      if (friction.size() > 2) pair.spinning = friction[2];
      if (friction.size() > 3) pair.rolling = friction[3];
      const bool differs =
          (friction.size() > 1 && friction[1] != friction[0]) || (friction.size() > 4 && friction[4] != friction[3]);
      if (differs) {
        warnings_.add(*a->element, "friction",
                      "friction that differs by direction has no counterpart: the first counts");
      }
    }
    if (const MjcfAttribute a = defaults_.find(element, "condim", "")) {
      condim = parse_integer(*a.element, *a.attribute);
      if (condim != 1 && condim != 3 && condim != 4 && condim != 6) expect(*a.element, "condim", "1, 3, 4 or 6");
    }
    if (condim < 3) pair.friction = 0.0;
    if (condim < 4) pair.spinning = 0.0;
    if (condim < 6) pair.rolling = 0.0;
    const XmlAttribute* name = element.find("name");
    pair.name = name != nullptr ? name->value : fmt::format("pair{}", model_.pairs.size());
    model_.pairs.push_back(std::move(pair));
  }

  // --- equalities

  void read_equalities(const XmlElement& section) {
    for (const XmlElement& each : section.children) {
      const std::size_t number = n_equalities_++;
      const MjcfAttribute active = defaults_.find(each, "active", "");
      if (active && active.attribute->value == "false") continue;  // warned of
      const std::string name = name_of(each, {}, "equality", number, equality_names_, 0);
      if (each.name == "connect" || each.name == "weld") read_loop(each, name);
      if (each.name == "joint") read_relation(each, name);
    }
  }

  void read_loop(const XmlElement& element, const std::string& name) {
    RobotLoop loop;
    loop.name = name;
    loop.place = element.place();
    loop.is_weld = element.name == "weld";
    if (element.has("site1") || element.has("site2")) {
      for (std::size_t i = 0; i < 2; ++i) {
        const char* key = i == 0 ? "site1" : "site2";
        const RobotSite& site = model_.sites[static_cast<std::size_t>(find_site(element, key))];
        loop.bodies[i] = site.body;
        loop.frames[i] = site.pose;
      }
    } else {
      loop.bodies = {find_body(element, "body1"), element.has("body2") ? find_body(element, "body2") : 0};
      const Pose between = compose_poses(invert_pose(world_pose(loop.bodies[0])), world_pose(loop.bodies[1]));
      Pose relative = between;  // of the second body in the first, where they are joined
      if (loop.is_weld) {
        if (const XmlAttribute* a = element.find("relpose")) {
          const std::vector<double> x = parse_numbers(element, *a, 7, 7);
          const Vector4 turn(x[3], x[4], x[5], x[6]);
          // A quaternion of zeros: as the bodies are drawn.
          if (!turn.isZero(0.0)) relative = {Vector3(x[0], x[1], x[2]), rotation_matrix<double>(unit(turn))};
        }
        loop.frames = {relative, Pose{}};
      } else {
        require_text(element, "anchor");
        loop.frames[0].p_WB = vector_or(element, "anchor", Vector3::Zero());
        loop.frames[1] = compose_poses(invert_pose(between), loop.frames[0]);
      }
    }
    if (loop.bodies[0] == loop.bodies[1]) element.fail("expected two different bodies");
    model_.loops.push_back(std::move(loop));
  }

  int find_site(const XmlElement& element, const char* key) const {
    const std::string& name = require_text(element, key);
    const auto found = site_names_.find(name);
    if (found == site_names_.end()) element.fail(key, fmt::format("\"{}\": no such site", name));
    return found->second;
  }

  Pose world_pose(int index) const {
    Pose pose;
    for (int i = index; i > 0; i = model_.bodies[static_cast<std::size_t>(i)].parent) {
      pose = compose_poses(model_.bodies[static_cast<std::size_t>(i)].pose, pose);
    }
    return pose;
  }

  RobotJoint& find_joint(const XmlElement& element, const char* key) {
    const std::string& name = require_text(element, key);
    const auto found = joint_names_.find(name);
    if (found != joint_names_.end()) {
      for (RobotJoint& joint : body_at(found->second).joints) {
        if (joint.name != name) continue;
        if (joint.type == RobotJointType::ball) expect(element, key, "a hinge or a slide");
        return joint;
      }
    }
    element.fail(key, fmt::format("\"{}\": no such joint", name));
  }

  /// joint1 - ref1 = a0 + a1 (joint2 - ref2)
  void read_relation(const XmlElement& element, const std::string& name) {
    RobotJoint& follower = find_joint(element, "joint1");
    std::array<double, 5> a = {0.0, 1.0, 0.0, 0.0, 0.0};
    if (const MjcfAttribute given = defaults_.find(element, "polycoef", "")) {
      const std::vector<double> x = parse_numbers(*given.element, *given.attribute, 1, 5);
      std::copy(x.begin(), x.end(), a.begin());
    }
    const bool has_two = element.has("joint2");
    if (has_two && (a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0)) {
      return warnings_.add(element, "polycoef", "relations that are not linear have no counterpart: left out");
    }
    if (!has_two || a[1] == 0.0) {
      if (has_two) find_joint(element, "joint2");
      const double there = follower.reference + a[0];
      follower.motion = fmt::format("{}", there);
      follower.start = {there};
      follower.limits.reset();
      return;
    }
    RobotJoint& leader = find_joint(element, "joint2");
    if (&leader == &follower) expect(element, "joint2", "another joint");
    RobotGear gear;
    gear.name = name;
    gear.joints = {leader.name, follower.name};
    gear.ratio = a[1];
    gear.offset = follower.reference + a[0] - a[1] * leader.reference;
    gear.place = element.place();
    model_.gears.push_back(gear);
  }

  static constexpr std::size_t kMaxParts = 1'000'000;  // [-] geoms, and copies

  const XmlElement& root_;
  const RobotOptions& options_;
  RobotWarnings& warnings_;
  MjcfDefaults defaults_;
  MjcfCompiler compiler_;
  MjcfGeoms geoms_;
  RobotModel model_;
  std::string suffix_;  // of the copy of a body that is read
  std::size_t n_geoms_ = 0;
  std::size_t n_joints_ = 0;
  std::size_t n_copies_ = 0;
  std::size_t n_equalities_ = 0;
  std::vector<char> carried_;  // (bodies) whether mass hangs on it
  std::map<std::string, int> body_names_, joint_names_, geom_names_, equality_names_;  // the bodies
  std::map<std::string, int> site_names_, sensor_names_;                               // the sites, and nothing
};

}  // namespace

RobotModel read_mjcf(const XmlElement& root, const fs::path& file, const RobotOptions& options,
                     RobotWarnings& warnings) {
  return MjcfReader(root, file, options, warnings).read();
}

}  // namespace stickslip
