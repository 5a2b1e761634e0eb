// SPDX-License-Identifier: BSD-3-Clause
// URDF as its specification at wiki.ros.org/urdf/XML states it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "stickslip/geometry/mass_properties.h"
#include "stickslip/math/rotation.h"
#include "stickslip/robots/hull_file.h"
#include "stickslip/robots/robot_attributes.h"
#include "stickslip/robots/robot_model.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// What an element of URDF may have: attributes that are read, and elements.
struct UrdfWords {
  std::string_view element;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> children;
};

const std::vector<UrdfWords>& words() {
  static const std::vector<UrdfWords> kWords = {
      {"robot", {"name", "version"}, {"link", "joint", "material"}},
      {"link", {"name"}, {"inertial", "visual", "collision"}},
      {"inertial", {}, {"origin", "mass", "inertia"}},
      {"origin", {"xyz", "rpy"}, {}},
      {"mass", {"value"}, {}},
      {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}},
      {"visual", {"name"}, {"origin", "geometry", "material"}},
      {"collision", {"name"}, {"origin", "geometry"}},
      {"geometry", {}, {"box", "cylinder", "sphere", "capsule", "mesh"}},
      {"box", {"size"}, {}},
      {"cylinder", {"radius", "length"}, {}},
      {"sphere", {"radius"}, {}},
      {"capsule", {"radius", "length"}, {}},
      {"mesh", {"filename", "scale"}, {}},
      {"joint", {"name", "type"}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}},
      {"parent", {"link"}, {}},
      {"child", {"link"}, {}},
      {"axis", {"xyz"}, {}},
      {"limit", {"lower", "upper", "effort", "velocity"}, {}},
      {"dynamics", {"damping", "friction"}, {}},
      {"mimic", {"joint", "multiplier", "offset"}, {}}};
  return kWords;
}

class UrdfReader {
 public:
  UrdfReader(const XmlElement& root, fs::path file, const RobotOptions& options, RobotWarnings& warnings)
      : root_(root), file_(std::move(file)), options_(options), warnings_(warnings) {}

  RobotModel read() {
    check_words(root_);
    model_.body_word = "link";
    model_.shape_word = "collision";
    model_.name = root_.has("name") ? root_.find("name")->value : "";
    for (const XmlElement& child : root_.children) {
      if (child.name == "link") add_name(child, links_);
      if (child.name == "joint") add_name(child, joints_);
    }
    if (links_.empty()) root_.fail("expected a robot with a link");
    find_tree();
    for (const XmlElement* link : order_) add_link(*link);
    check_masses();
    for (const XmlElement& child : root_.children) {
      if (child.name == "joint") add_mimic(child);
    }
    start_geared_joints(model_);
    model_.first_is_free = options_.base == "free";
    model_.root_collides = false;
    return std::move(model_);
  }

 private:
  using Names = std::map<std::string, const XmlElement*>;

  // --- words

  void check_words(const XmlElement& element) {
    const auto has_placeholder = [](const std::string& text) {
      return text.find("${") != std::string::npos || text.find("$(") != std::string::npos;
    };
    if (element.name.starts_with("xacro:")) {
      element.fail("a macro: expand it first, by `xacro " + file_.filename().string() + " > robot.urdf`");
    }
    for (const XmlAttribute& a : element.attributes) {
      if (has_placeholder(a.value)) {
        element.fail(a.name, "a placeholder of a macro: expand it first, by `xacro " + file_.filename().string() +
                                 " > robot.urdf`");
      }
    }
    const auto found = std::ranges::find(words(), element.name, &UrdfWords::element);
    for (const XmlAttribute& a : element.attributes) {
      if (a.name.starts_with("xmlns")) continue;
      if (std::ranges::find(found->attributes, a.name) == found->attributes.end()) {
        warnings_.add(element, a.name, "it has no counterpart: left out");
      }
    }
    for (const XmlElement& child : element.children) {
      const bool is_known = std::ranges::find(found->children, child.name) != found->children.end();
      if (child.name == "material") continue;
      if (is_known || child.name.starts_with("xacro:")) {
        check_words(child);
      } else {
        warnings_.add(child, "it has no counterpart: left out");
      }
      if (child.name == "limit" && child.has("velocity")) {
        warnings_.add(child, "velocity", "rates have no limits: left out");
      }
    }
  }

  // --- the tree

  static void add_name(const XmlElement& element, Names& names) {
    const std::string& name = require_text(element, "name");
    const auto [found, is_new] = names.emplace(name, &element);
    if (!is_new) {
      element.fail(
          "name", fmt::format("\"{}\": another {} has this name, in line {}", name, element.name, found->second->line));
    }
  }

  const XmlElement& find_link(const XmlElement& joint, std::string_view end) {
    const XmlElement* element = joint.child(end);
    if (element == nullptr) joint.fail(fmt::format("expected an element <{} link=\"...\"/>", end));
    const std::string& name = require_text(*element, "link");
    const auto found = links_.find(name);
    if (found == links_.end()) element->fail("link", fmt::format("\"{}\": the robot has no such link", name));
    return *found->second;
  }

  void find_tree() {
    std::map<const XmlElement*, std::vector<const XmlElement*>> below;  // joints by their parent link
    for (const XmlElement& joint : root_.children) {
      if (joint.name != "joint") continue;
      const XmlElement& parent = find_link(joint, "parent");
      const XmlElement& child = find_link(joint, "child");
      if (&parent == &child) joint.fail("expected two different links");
      if (!above_.emplace(&child, &joint).second) {
        joint.child("child")->fail("link", fmt::format("\"{}\" has two parents, the other by the joint in line {}",
                                                       child.find("name")->value, above_.at(&child)->line));
      }
      below[&parent].push_back(&joint);
    }
    const XmlElement* first = nullptr;
    for (const XmlElement& link : root_.children) {
      if (link.name != "link" || above_.contains(&link)) continue;
      if (first != nullptr) {
        link.fail("name", fmt::format("\"{}\" is a second root, beside \"{}\": a robot has one",
                                      link.find("name")->value, first->find("name")->value));
      }
      first = &link;
    }
    if (first == nullptr) root_.child("joint")->fail("links that do not hang on one another in a circle");
    std::vector<const XmlElement*> open = {first};
    while (!open.empty()) {
      const XmlElement* link = open.back();
      open.pop_back();
      index_[link] = static_cast<int>(order_.size());
      order_.push_back(link);
      const std::vector<const XmlElement*>& joints = below[link];
      for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) open.push_back(&find_link(**joint, "child"));
    }
    for (const XmlElement& link : root_.children) {
      if (link.name == "link" && !index_.contains(&link)) {
        link.fail("name", fmt::format("\"{}\" hangs in a circle of links", link.find("name")->value));
      }
    }
    if (order_.size() > kMaxRobotBodies) root_.fail(fmt::format("a robot has at most {} links", kMaxRobotBodies));
  }

  // --- links

  static Pose pose_of(const XmlElement& element) {
    const XmlElement* origin = element.child("origin");
    if (origin == nullptr) return {};
    const Vector3 rpy = vector_or(*origin, "rpy", Vector3::Zero());
    return {vector_or(*origin, "xyz", Vector3::Zero()), euler_matrix(rpy, "XYZ")};
  }

  void add_link(const XmlElement& link) {
    RobotBody body;
    body.name = link.find("name")->value;
    body.place = link.place();
    const auto above = above_.find(&link);
    if (above != above_.end()) {
      const XmlElement& joint = *above->second;
      body.parent = index_.at(&find_link(joint, "parent"));
      body.pose = pose_of(joint);
      add_joint(joint, body);
    }
    add_mass(link, body);
    int n_visuals = 0;
    int n_collisions = 0;
    for (const XmlElement& child : link.children) {
      if (child.name == "visual") add_shape(child, fmt::format("{}-v{}", body.name, n_visuals++), true, body);
      if (child.name == "collision") add_shape(child, fmt::format("{}-{}", body.name, n_collisions++), false, body);
    }
    model_.bodies.push_back(std::move(body));
  }

  void add_mass(const XmlElement& link, RobotBody& body) {
    const XmlElement* inertial = link.child("inertial");
    if (inertial == nullptr) return;
    const XmlElement* mass = inertial->child("mass");
    if (mass == nullptr) inertial->fail("expected an element <mass value=\"...\"/>");
    require_text(*mass, "value");
    RobotMass own;
    own.mass = *find_number(*mass, "value");
    if (own.mass < 0.0) expect(*mass, "value", "a mass >= 0 [kg]");
    if (const XmlElement* inertia = inertial->child("inertia")) {
      const auto get = [&](const char* key) { return number_or(*inertia, key, 0.0); };
      const double xx = get("ixx"), xy = get("ixy"), xz = get("ixz");
      const double yy = get("iyy"), yz = get("iyz"), zz = get("izz");
      own.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;  // whole: reading a number may throw
      if (own.mass > 0.0 && !own.inertia.isZero(0.0)) check_inertia(*inertia, own.inertia);
    }
    if (own.mass == 0.0) {
      if (!own.inertia.isZero(0.0) && body.parent >= 0) {
        warnings_.add(*inertial, "an inertia without mass: left out");
      }
      return;
    }
    body.mass = own.moved(pose_of(*inertial));
  }

  void check_inertia(const XmlElement& element, Matrix3& inertia) {
    const std::string defect = inertia_defect(inertia);
    if (defect.empty()) return;
    const double mean = inertia.trace() / 3.0;
    if (!options_.balance_inertia || !(mean > 0.0)) {
      element.fail(fmt::format("it {}; --balance-inertia takes the mean of the moments", defect));
    }
    inertia = mean * Matrix3::Identity();
    warnings_.add(element, fmt::format("it {}: balanced, {:.9g} times the unit matrix", defect, mean));
  }

  void add_shape(const XmlElement& element, const std::string& name, bool visual, RobotBody& body) {
    const XmlElement* geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty())
      element.fail("expected an element <geometry> with a shape in it");
    RobotShape shape;
    shape.name = element.has("name") && !element.find("name")->value.empty() ? element.find("name")->value : name;
    shape.place = element.place();
    shape.pose = pose_of(element);
    shape.contact.visual = visual;
    const XmlElement& form = geometry->children.front();
    const auto length = [&](const char* key) {
      require_text(form, key);
      const double value = *find_number(form, key);
      if (!(value > 0.0)) expect(form, key, "a length > 0 [m]");
      return value;
    };
    if (form.name == "box") {
      require_text(form, "size");
      const Vector3 size = vector_or(form, "size", Vector3::Zero());
      if (!(size.minCoeff() > 0.0)) expect(form, "size", "three lengths > 0 [m]");
      shape.geometry = Box{size};
    } else if (form.name == "sphere") {
      shape.geometry = Sphere{length("radius")};
    } else if (form.name == "cylinder") {
      shape.geometry = Cylinder{length("radius"), length("length")};
    } else if (form.name == "capsule") {
      shape.geometry = Capsule{length("radius"), length("length")};
    } else if (form.name == "mesh") {
      if (!add_mesh(form, visual, shape)) return;
    } else {
      if (!visual) form.fail("expected box, cylinder, sphere, capsule or mesh");
      return;  // warned of
    }
    body.shapes.push_back(std::move(shape));
  }

  /// False where a visual one is left out.
  bool add_mesh(const XmlElement& form, bool visual, RobotShape& shape) {
    const std::string& given = require_text(form, "filename");
    const Vector3 scale = scale_of(form);
    const auto refuse = [&](const std::string& why) {
      const std::string text = fmt::format("\"{}\": {}", given, why);
      if (!visual) form.fail("filename", text);
      warnings_.add(form, "filename", text + ": left out");
      return false;
    };
    const std::string ending = hull_file_ending(given);
    if (ending != "stl" && ending != "obj") {
      return refuse(ending == "dae" ? "Collada is not read: convert the mesh to STL or OBJ" : "a mesh in STL or OBJ");
    }
    if (!options_.reads_files) return refuse("no file: none is read here");
    const std::optional<fs::path> path = find_file(given);
    if (!path) return refuse(fmt::format("no such file; --package DIR says where packages are"));
    shape.mesh.emplace();
    shape.mesh->file = path->string();
    shape.mesh->scale = scale;
    shape.geometry = Convex{};
    if (visual && is_mesh_file(*path, scale)) {
      shape.geometry = Mesh{};
      return true;
    }
    const std::string defect = check_hull_file(*path, scale);
    if (!defect.empty()) return refuse(defect);
    return true;
  }

  static Vector3 scale_of(const XmlElement& form) {
    const XmlAttribute* given = form.find("scale");
    if (given == nullptr) return Vector3::Ones();
    const std::vector<double> numbers = parse_numbers(form, *given, 1, 3);
    if (numbers.size() == 2) expect(form, "scale", "one number or three");
    const Vector3 scale =
        numbers.size() == 1 ? Vector3::Constant(numbers[0]) : Vector3(numbers[0], numbers[1], numbers[2]);
    if (scale(0) == 0.0 || scale(1) == 0.0 || scale(2) == 0.0) expect(form, "scale", "numbers other than 0");
    return scale;
  }

  /// package://P/x: DIR/P/x, DIR/x of each package folder, then of the model's folder and those above.
  std::optional<fs::path> find_file(const std::string& given) const {
    std::error_code ignored;
    const auto is_file = [&](const fs::path& path) { return fs::is_regular_file(path, ignored); };
    const fs::path here = file_.parent_path();
    std::string rest = given;
    constexpr std::string_view kPackage = "package://";
    constexpr std::string_view kModel = "model://";
    const bool is_package = given.starts_with(kPackage) || given.starts_with(kModel);
    if (given.starts_with("file://")) rest = given.substr(7);
    if (!is_package) {
      const fs::path path = here / fs::path(rest);
      return is_file(path) ? std::make_optional(path) : std::nullopt;
    }
    rest = given.substr(given.find("//") + 2);
    const std::size_t slash = rest.find('/');
    std::vector<fs::path> folders = options_.packages;
    fs::path above = here.empty() ? fs::path(".") : here;
    folders.push_back(above);
    fs::path absolute = fs::absolute(above, ignored).lexically_normal();
    while (absolute.has_relative_path()) {
      absolute = absolute.parent_path();
      folders.push_back(absolute);
    }
    for (const fs::path& folder : folders) {
      if (is_file(folder / rest)) return folder / rest;
      if (slash != std::string::npos && is_file(folder / rest.substr(slash + 1)))
        return folder / rest.substr(slash + 1);
    }
    return std::nullopt;
  }

  // --- joints

  void add_joint(const XmlElement& joint, RobotBody& body) {
    const std::string& type = require_text(joint, "type");
    RobotJoint result;
    result.name = joint.find("name")->value;
    result.place = joint.place();
    read_effort(joint, type, result);
    if (type == "fixed") return;
    if (type == "floating") {
      body.is_free = true;
      return;
    }
    if (type == "revolute" || type == "continuous") {
      result.type = RobotJointType::hinge;
    } else if (type == "prismatic") {
      result.type = RobotJointType::slide;
    } else if (type == "planar") {
      result.type = RobotJointType::planar;
    } else {
      expect(joint, "type", "revolute, continuous, prismatic, fixed, floating or planar");
    }
    result.axis = Vector3::UnitX();
    if (const XmlElement* axis = joint.child("axis")) {
      require_text(*axis, "xyz");
      result.axis = vector_or(*axis, "xyz", Vector3::UnitX());
      if (result.axis.isZero(0.0)) expect(*axis, "xyz", "a direction: not all zero");
      result.axis = of_moderate_length(result.axis);
    }
    add_limits(joint, type, result);
    if (const XmlElement* dynamics = joint.child("dynamics")) {
      result.damping = number_or(*dynamics, "damping", 0.0);
      result.friction = number_or(*dynamics, "friction", 0.0);
      if (result.damping < 0.0) expect(*dynamics, "damping", "a number >= 0");
      if (result.friction < 0.0) expect(*dynamics, "friction", "a number >= 0");
      if (result.type == RobotJointType::planar && result.damping > 0.0) {
        warnings_.add(*dynamics, "damping", "a joint with several coordinates has no damping: left out");
        result.damping = 0.0;
      }
    }
    body.joints.push_back(std::move(result));
  }

  /// |effort| <= |the attribute|
  void read_effort(const XmlElement& joint, const std::string& type, RobotJoint& result) {
    const XmlElement* limit = joint.child("limit");
    if (limit == nullptr || !limit->has("effort")) return;
    const double effort = std::abs(number_or(*limit, "effort", 0.0));
    if (type == "revolute" || type == "continuous" || type == "prismatic") {
      result.effort_limit = {-effort, effort};
    } else {
      warnings_.add(*limit, "effort", fmt::format("a {} joint has no limit of its effort: left out", type));
    }
  }

  void add_limits(const XmlElement& joint, const std::string& type, RobotJoint& result) {
    const XmlElement* limit = joint.child("limit");
    const bool is_limited = type == "revolute" || type == "prismatic";
    const bool has_limits = limit != nullptr && (limit->has("lower") || limit->has("upper"));
    if (!is_limited) {
      if (has_limits) warnings_.add(*limit, fmt::format("a {} joint has no limits: left out", type));
      return;
    }
    if (!has_limits) {
      warnings_.add(limit == nullptr ? joint : *limit,
                    fmt::format("a {} joint without lower and upper: it has no limits", type));
      return;
    }
    const double lower = number_or(*limit, "lower", 0.0);
    const double upper = number_or(*limit, "upper", 0.0);
    if (!(lower < upper)) expect(*limit, "lower", "lower < upper");
    result.limits = {lower, upper};
  }

  void add_mimic(const XmlElement& joint) {
    const XmlElement* mimic = joint.child("mimic");
    if (mimic == nullptr) return;
    const std::string& of = require_text(*mimic, "joint");
    const auto found = joints_.find(of);
    if (found == joints_.end()) mimic->fail("joint", fmt::format("\"{}\": the robot has no such joint", of));
    RobotGear gear;
    const std::string& name = joint.find("name")->value;
    gear.name = name + "~mimic";
    gear.place = mimic->place();
    gear.element = "mimic";
    gear.joints = {of, name};
    gear.ratio = number_or(*mimic, "multiplier", 1.0);
    gear.offset = number_or(*mimic, "offset", 0.0);
    for (const XmlElement* each : {&joint, found->second}) {
      const std::string& type = each->find("type")->value;
      if (type != "revolute" && type != "continuous" && type != "prismatic") {
        expect(*mimic, "joint", "joints with one coordinate: revolute, continuous or prismatic");
      }
    }
    if (gear.ratio == 0.0) expect(*mimic, "multiplier", "a number other than 0");
    if (of == name) expect(*mimic, "joint", "another joint");
    model_.gears.push_back(gear);
  }

  // --- what moves has mass

  /// A link that moves, with all that is fixed to it, has mass or something that moves further out.
  void check_masses() const {
    const std::size_t n = model_.bodies.size();
    std::vector<double> mass(n, 0.0);
    std::vector<char> carries(n, 0);
    for (std::size_t i = n; i-- > 1;) {
      const RobotBody& body = model_.bodies[i];
      mass[i] += body.mass.mass;
      const auto parent = static_cast<std::size_t>(body.parent);
      if (body.joints.empty() && !body.is_free) {
        mass[parent] += mass[i];
        carries[parent] = carries[parent] != 0 || carries[i] != 0 ? 1 : 0;
        continue;
      }
      if (!(mass[i] > 0.0) && (carries[i] == 0 || body.is_free)) {
        order_[i]->fail(fmt::format("\"{}\" moves and has no mass, nor has what hangs on it", body.name));
      }
      carries[parent] = 1;
    }
    mass[0] += model_.bodies[0].mass.mass;
    if (options_.base == "free" && !(mass[0] > 0.0)) {
      order_[0]->fail(fmt::format("\"{}\" moves and has no mass", model_.bodies[0].name));
    }
  }

  const XmlElement& root_;
  fs::path file_;
  const RobotOptions& options_;
  RobotWarnings& warnings_;
  RobotModel model_;
  Names links_, joints_;
  std::map<const XmlElement*, const XmlElement*> above_;  // the joint by which a link hangs
  std::map<const XmlElement*, int> index_;
  std::vector<const XmlElement*> order_;
};

}  // namespace

RobotModel read_urdf(const XmlElement& root, const fs::path& file, const RobotOptions& options,
                     RobotWarnings& warnings) {
  return UrdfReader(root, file, options, warnings).read();
}

}  // namespace stickslip
