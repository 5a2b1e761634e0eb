// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_geoms.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/geometry/point_file.h"
#include "stickslip/geometry/triangle_file.h"
#include "stickslip/math/rotation.h"
#include "stickslip/robots/hull_file.h"
#include "stickslip/robots/mesh_volume.h"
#include "stickslip/robots/robot_attributes.h"
#include "stickslip/scene/data_file.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

std::vector<Vector3> to_points(const XmlElement& element, const XmlAttribute& attribute) {
  const std::vector<double> numbers = parse_numbers(element, attribute, 12, std::numeric_limits<std::size_t>::max());
  if (numbers.size() % 3 != 0) expect(element, attribute.name, "three numbers a vertex");
  std::vector<Vector3> points;
  for (std::size_t i = 0; i < numbers.size(); i += 3) points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return points;
}

/// Of density 1 in its own frame.
RobotMass unit_mass(const ShapeGeometry& geometry) {
  const Shape shape{"", geometry, Vector3::Zero(), Matrix3::Identity(), {}};
  const MassProperties p = calc_mass_properties(std::span(&shape, 1), 1.0, false);
  return {p.mass, p.center, p.inertia};
}

}  // namespace

MjcfGeoms::MjcfGeoms(const XmlElement& root, const fs::path& file, const MjcfDefaults& defaults,
                     const MjcfCompiler& compiler, const RobotOptions& options, RobotWarnings& warnings)
    : defaults_(defaults),
      compiler_(compiler),
      options_(options),
      warnings_(warnings),
      folder_(file.parent_path()),
      fields_(root, folder_, compiler, options) {
  for (const XmlElement& asset : root.children) {
    if (asset.name != "asset") continue;
    for (const XmlElement& mesh : asset.children) {
      if (mesh.name != "mesh") continue;
      const XmlAttribute* name = mesh.find("name");
      const XmlAttribute* of_file = mesh.find("file");
      if (name == nullptr && of_file == nullptr) mesh.fail("expected a name or a file");
      const std::string known = name != nullptr ? name->value : fs::path(of_file->value).stem().string();
      const auto [found, is_new] = meshes_.try_emplace(known, &mesh, Mesh{});
      if (!is_new) {
        mesh.fail("name",
                  fmt::format("\"{}\": another mesh has this name, in line {}", known, found->second.first->line));
      }
    }
  }
}

std::string MjcfGeoms::read_inertia(const XmlElement& mesh) {
  const MjcfAttribute inertia = defaults_.find(mesh, "inertia", "");
  if (!inertia) return "legacy";
  const std::string& value = inertia.attribute->value;
  if (value == "shell") {
    warnings_.add(*inertia.element, "inertia", "masses of shells have no counterpart: taken as solid");
  } else if (value != "convex" && value != "exact" && value != "legacy") {
    expect(*inertia.element, "inertia", "convex, exact, legacy or shell");
  }
  return value;
}

void MjcfGeoms::read_mesh(const XmlElement& element, Mesh& mesh) {
  mesh.is_read = true;
  const auto get = [&](const char* key, const Vector3& otherwise) {
    const MjcfAttribute a = defaults_.find(element, key, "");
    if (!a) return otherwise;
    const std::vector<double> x = parse_numbers(*a.element, *a.attribute, 3, 3);
    return Vector3(x[0], x[1], x[2]);
  };
  const Vector3 scale = get("scale", Vector3::Ones());
  if (scale(0) == 0.0 || scale(1) == 0.0 || scale(2) == 0.0) expect(element, "scale", "numbers other than 0");
  const Vector3 origin = get("refpos", Vector3::Zero());
  Matrix3 turn = Matrix3::Identity();
  if (const XmlAttribute* a = element.find("refquat")) {
    const std::vector<double> e = parse_numbers(element, *a, 4, 4);
    const Vector4 quaternion(e[0], e[1], e[2], e[3]);
    if (quaternion.isZero(0.0)) expect(element, "refquat", "a quaternion of any length but zero");
    turn = rotation_matrix<double>(unit(quaternion));
  }
  const bool is_of_hull = read_inertia(element) == "convex";
  const auto place = [&](const Vector3& v) { return Vector3(scale.cwiseProduct(turn.transpose() * (v - origin))); };
  Triangles triangles;
  std::vector<Vector3> points;
  std::string name;
  if (const XmlAttribute* file = element.find("file")) {
    const std::string ending = hull_file_ending(file->value);
    if (ending != "stl" && ending != "obj") expect(element, "file", "a mesh in STL or OBJ");
    if (!options_.reads_files) element.fail("file", "no file: none is read here");
    const fs::path given = compiler_.strips_path ? fs::path(file->value).filename() : fs::path(file->value);
    const fs::path path = folder_ / compiler_.mesh_folder / given;
    name = path.string();
    const std::string bytes = read_model_file(path, element.place(*file), kMaxDataBytes, "mesh.file");
    try {
      triangles = read_triangles(bytes, name);
      for (auto& triangle : triangles) {
        for (Vector3& corner : triangle) corner = place(corner);
      }
    } catch (const InputError& error) {
      element.fail("file", error.what());
    }
    const bool is_uniform = scale(0) == scale(1) && scale(1) == scale(2);
    if (is_uniform || turn == Matrix3::Identity()) {
      mesh.mesh.file = name;
      mesh.mesh.scale = scale;
      mesh.pose.R_WB = turn.transpose();
      mesh.pose.p_WB = -scale.cwiseProduct(turn.transpose() * origin);
    }
    points = parse_points(bytes, name, point_file_format(name), false);
  } else {
    const XmlAttribute* vertices = element.find("vertex");
    if (vertices == nullptr) element.fail("expected a file or vertices");
    points = to_points(element, *vertices);
    if (const XmlAttribute* faces = element.find("face")) {
      const std::vector<double> f = parse_numbers(element, *faces, 3, std::numeric_limits<std::size_t>::max());
      if (f.size() % 3 != 0) expect(element, "face", "three vertices a face");
      for (const double index : f) {
        if (index < 0.0 || index != std::floor(index) || index >= static_cast<double>(points.size())) {
          expect(element, "face", "vertices that the mesh has, counted from 0");
        }
      }
      for (std::size_t i = 0; i < f.size(); i += 3) {
        const auto corner = [&](std::size_t k) { return place(points[static_cast<std::size_t>(f[i + k])]); };
        triangles.push_back({corner(0), corner(1), corner(2)});
      }
    }
  }
  for (Vector3& point : points) point = place(point);
  const char* where = element.has("file") ? "file" : "vertex";
  try {
    const std::vector<Vector3> corners = find_hull_corners(points, false);
    if (corners.size() > kMaxHullCorners) {
      element.fail(where, fmt::format("a hull of at most {} corners; this has {}", kMaxHullCorners, corners.size()));
    }
    if (mesh.mesh.file.empty()) mesh.mesh.points = corners;
    mesh.unit = triangles.empty() || is_of_hull ? unit_mass(Convex{corners}) : calc_volume(triangles);
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    element.fail(where, error.what());
  }
  if (!(mesh.unit.mass > 0.0)) element.fail(where, "a mesh that holds a volume");
}

Vector3 MjcfGeoms::read_sizes(const std::string& type, std::size_t n, Pose& pose) const {
  const MjcfAttribute given = find("size");
  std::vector<double> size(3, 0.0);
  std::size_t n_given = 0;
  if (given) {
    std::vector<double> numbers = parse_numbers(*given.element, *given.attribute, 1, 3);
    n_given = numbers.size();
    std::copy(numbers.begin(), numbers.end(), size.begin());
  }
  const MjcfAttribute line = find("fromto");
  const bool is_along = line && (type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid");
  if (line && !is_along) expect(*line.element, "fromto", "a capsule, cylinder, box or ellipsoid");
  if (is_along) {
    const std::vector<double> x = parse_numbers(*line.element, *line.attribute, 6, 6);
    const Vector3 from(x[0], x[1], x[2]);
    const Vector3 to(x[3], x[4], x[5]);
    const double length = (from - to).norm();
    if (!(length > 0.0)) expect(*line.element, "fromto", "two different points");
    pose = {0.5 * (from + to), z_to(from - to)};
    const bool is_round = type == "capsule" || type == "cylinder";
    if (!is_round) {
      if (n_given < 2) size[1] = size[0];
      size[2] = 0.5 * length;
    } else {
      size[1] = 0.5 * length;
    }
    n_given = std::max<std::size_t>(n_given == 0 ? 0 : n, n_given);
  }
  if (n_given < n) {
    element_->fail("size", fmt::format("expected {} number{} for a {}", n, n == 1 ? "" : "s", type));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(size[i] > 0.0)) expect(given ? *given.element : *element_, "size", "lengths > 0 [m]");
  }
  return {size[0], size[1], size[2]};
}

MjcfGeoms::Mesh& MjcfGeoms::find_mesh(const MjcfAttribute& name) {
  const auto found = meshes_.find(name.attribute->value);
  if (found == meshes_.end()) name.element->fail("mesh", fmt::format("\"{}\": no such mesh", name.attribute->value));
  Mesh& mesh = found->second.second;
  if (!mesh.is_read) read_mesh(*found->second.first, mesh);
  return mesh;
}

/// The shape in place of a mesh, as the format says: by the box with the mesh's moments of inertia, the longest along
/// z.
ShapeGeometry MjcfGeoms::fit(const std::string& type, const Mesh& mesh, Pose& pose) const {
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(mesh.unit.inertia);
  Matrix3 axes = solver.eigenvectors().rowwise().reverse();
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  const Vector3 moments = solver.eigenvalues().reverse();
  const MjcfAttribute scale = find("fitscale");
  const double factor = scale ? parse_number(*scale.element, *scale.attribute) : 1.0;
  if (!(factor > 0.0)) expect(*scale.element, "fitscale", "a number > 0");
  constexpr double kOfBox = 1.5;  // [-] m (b^2 + c^2)/3 about an axis of a box
  const Vector3 squares = kOfBox / mesh.unit.mass * (Vector3::Constant(moments.sum()) - 2.0 * moments);
  const Vector3 half = squares.cwiseMax(0.0).cwiseSqrt();
  pose = compose_poses(pose, {mesh.unit.center, axes});
  const double radius = 0.5 * (half(0) + half(1));
  if (type == "sphere") return Sphere{factor * half.mean()};
  if (type == "box") return Box{2.0 * factor * half};
  if (type == "ellipsoid") return Ellipsoid{factor * half};
  if (type == "cylinder") return Cylinder{factor * radius, 2.0 * factor * half(2)};
  const double along = half(2) - 0.5 * radius;
  if (!(along > 0.0)) return Sphere{factor * radius};
  return Capsule{factor * radius, 2.0 * factor * along};
}

std::optional<ShapeGeometry> MjcfGeoms::read_geometry(const std::string& type, MjcfGeom& geom, Pose& pose,
                                                      std::optional<RobotMesh>& mesh) {
  if (type == "plane") return HalfSpace{};
  if (type == "hfield") {
    const MjcfAttribute name = find("hfield");
    if (!name) element_->fail("hfield", "missing: the name of a height field");
    mesh = fields_.find(name);
    stickslip::Mesh field;
    field.field.emplace();
    return field;
  }
  std::optional<ShapeGeometry> geometry;
  static constexpr std::array<std::string_view, 5> kFitted = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
  const MjcfAttribute fitted = find("mesh");
  if (fitted && std::ranges::find(kFitted, type) != kFitted.end()) {
    geometry = fit(type, find_mesh(fitted), pose);
  } else if (type == "sphere") {
    geometry = Sphere{read_sizes(type, 1, pose)(0)};
  } else if (type == "capsule") {
    const Vector3 size = read_sizes(type, 2, pose);
    geometry = Capsule{size(0), 2.0 * size(1)};
  } else if (type == "cylinder") {
    const Vector3 size = read_sizes(type, 2, pose);
    geometry = Cylinder{size(0), 2.0 * size(1)};
  } else if (type == "box") {
    geometry = Box{2.0 * read_sizes(type, 3, pose)};
  } else if (type == "ellipsoid") {
    geometry = Ellipsoid{read_sizes(type, 3, pose)};
  } else if (type == "mesh") {
    const MjcfAttribute name = find("mesh");
    if (!name) element_->fail("mesh", "missing: the name of a mesh");
    const Mesh& of = find_mesh(name);
    geom.mass = of.unit.moved(pose);
    mesh = of.mesh;
    pose = compose_poses(pose, of.pose);
    return Convex{of.mesh.points};
  } else {
    const MjcfAttribute a = find("type");
    expect(*a.element, "type", "plane, hfield, sphere, capsule, ellipsoid, cylinder, box or mesh");
  }
  geom.mass = unit_mass(*geometry).moved(pose);
  return geometry;
}

void MjcfGeoms::read_contact(ShapeContact& contact) {
  constexpr double kSpinning = 0.005, kRolling = 0.0001;  // [m] the format's own
  const auto integer = [&](const char* key, int otherwise) {
    const MjcfAttribute a = find(key);
    return a ? parse_integer(*a.element, *a.attribute) : otherwise;
  };
  contact.contype = integer("contype", 1);
  contact.conaffinity = integer("conaffinity", 1);
  for (const char* key : {"contype", "conaffinity"}) {
    if (integer(key, 1) < 0) expect(*find(key).element, key, "a whole number >= 0");
  }
  contact.priority = integer("priority", 0);
  const int condim = integer("condim", 3);
  contact.condim = condim;
  contact.spinning = kSpinning;
  contact.rolling = kRolling;
  const std::vector<MjcfAttribute> all = defaults_.find_all(*element_, "friction", childclass_);
  for (auto a = all.rbegin(); a != all.rend(); ++a) {
    const std::vector<double> friction = parse_numbers(*a->element, *a->attribute, 1, 3);
    if (std::ranges::any_of(friction, [](double x) { return x < 0.0; }))
      expect(*a->element, "friction", "numbers >= 0");
    contact.friction = friction[0];
    if (friction.size() > 1) contact.spinning = friction[1];
    if (friction.size() > 2) contact.rolling = friction[2];
  }
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
    expect(*find("condim").element, "condim", "1, 3, 4 or 6");
  }
}

MjcfGeom MjcfGeoms::read(const XmlElement& element, const std::string& childclass, const Pose& frame) {
  defaults_.check(element, "class");
  element_ = &element;
  childclass_ = childclass;
  MjcfGeom geom;
  Pose pose = read_mjcf_pose(element, childclass, defaults_, compiler_);
  const MjcfAttribute type_given = find("type");
  const bool is_mesh = !type_given && find("mesh");
  const std::string type = type_given ? type_given.attribute->value : is_mesh ? "mesh" : "sphere";
  if (type == "sdf") {
    warnings_.add(*type_given.element, "type",
                  "surfaces by a signed distance have no counterpart: the geom is left out, with its mass");
    return geom;
  }
  RobotShape shape;
  shape.place = element.place();
  std::optional<ShapeGeometry> geometry = read_geometry(type, geom, pose, shape.mesh);
  const auto number = [&](const char* key, double otherwise) {
    const MjcfAttribute a = find(key);
    if (!a) return otherwise;
    const double value = parse_number(*a.element, *a.attribute);
    if (value < 0.0) expect(*a.element, key, "a number >= 0");
    return value;
  };
  const MjcfAttribute group = find("group");
  geom.group = group ? parse_integer(*group.element, *group.attribute) : 0;
  if (geom.mass.mass > 0.0) {
    const double mass = number("mass", -1.0);
    const double factor = mass >= 0.0 ? mass / geom.mass.mass : number("density", 1000.0);
    geom.mass.mass = mass >= 0.0 ? mass : factor * geom.mass.mass;
    geom.mass.inertia *= factor;
    geom.mass = geom.mass.moved(frame);
  }
  if (!geometry) return geom;
  read_contact(shape.contact);
  shape.geometry = std::move(*geometry);
  shape.pose = compose_poses(frame, pose);
  geom.shape = std::move(shape);
  return geom;
}

std::string adjust_mjcf_mass(const MjcfCompiler& compiler, RobotMass& mass) {
  mass.mass = std::max(mass.mass, compiler.least_mass);
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(mass.inertia);
  Vector3 moments = solver.eigenvalues();
  const bool is_bound = moments(0) < compiler.least_inertia;
  if (is_bound) moments = moments.cwiseMax(compiler.least_inertia);
  constexpr double kRelative = 1e-9;  // [-] as of inertia_defect()
  const bool is_broken = moments(2) > (moments(0) + moments(1)) * (1.0 + kRelative);
  if (is_broken && compiler.balances) {
    mass.inertia = moments.mean() * Matrix3::Identity();
    return "";
  }
  if (is_bound) {
    const Matrix3 inertia = solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose();
    mass.inertia = 0.5 * (inertia + inertia.transpose());
  }
  if (!is_broken) return "";
  return "inertia " + inertia_defect(mass.inertia) + "; compiler.balanceinertia balances it";
}

}  // namespace stickslip
