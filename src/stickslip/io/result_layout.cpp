// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/result_layout.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/polyline.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {
namespace {

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Writes the datasets of one group, each with its unit and meaning.
class LayoutWriter {
 public:
  LayoutWriter(Hdf5File& file, std::string group) : file_(file), group_(std::move(group)) {
    file_.create_group(group_);
  }

  void texts(const std::string& name, const Texts& values, std::string_view meaning) {
    file_.write_fixed(path(name), values);
    file_.describe(path(name), "1", meaning);
  }
  void integers(const std::string& name, const Integers& values, std::string_view meaning,
                Hdf5Type type = Hdf5Type::int64) {
    file_.write_fixed(path(name), type, values);
    file_.describe(path(name), "1", meaning);
  }
  void numbers(const std::string& name, std::int64_t components, const Numbers& values, std::string_view unit,
               std::string_view meaning) {
    const std::vector<std::int64_t> row = components > 1 ? std::vector{components} : std::vector<std::int64_t>{};
    file_.write_fixed(path(name), Hdf5Type::float64, row, values);
    file_.describe(path(name), unit, meaning);
  }

 private:
  std::string path(const std::string& name) const { return group_ + "/" + name; }

  Hdf5File& file_;
  std::string group_;
};

template <class Vector>
void append(Numbers& numbers, const Vector& v) {
  numbers.insert(numbers.end(), v.data(), v.data() + v.size());
}

void write_bodies(Hdf5File& file, const System& system) {
  Texts names, types;
  Integers q_offset, n_q, u_offset, n_u;
  Numbers mass, origin;
  for (const Body& body : system.shown_bodies()) {
    names.push_back(body.name);
    types.emplace_back(body_type_name(body.type));
    q_offset.push_back(body.q_offset);
    n_q.push_back(body.n_q);
    u_offset.push_back(body.u_offset);
    n_u.push_back(body.n_u);
    mass.push_back(body.n_u > 0 ? body.mass : std::numeric_limits<double>::quiet_NaN());
    append(origin, body.drawing_origin);
  }
  LayoutWriter group(file, "/bodies");
  group.texts("name", names, "of the body with the same index");
  group.texts("type", types, "of the body, as in scenes");
  group.integers("q_offset", q_offset, "the body's first coordinate in a row of /q");
  group.integers("n_q", n_q, "how many coordinates it has");
  group.integers("u_offset", u_offset, "its first velocity in a row of /u");
  group.integers("n_u", n_u, "how many velocities it has");
  group.numbers("mass", 1, mass, "kg", "NaN: of a body that does not move by itself");
  group.numbers("origin", 3, origin, "m", "of the frame that the body was drawn in, in the body's own");
}

/// Size as in /shapes/size: what the type says, then zeros.
struct SizeOf {
  Vector4 operator()(const Sphere& s) const { return {s.radius, 0.0, 0.0, 0.0}; }
  Vector4 operator()(const PointShape& s) const { return {s.at, 0.0, 0.0, 0.0}; }
  Vector4 operator()(const HalfSpace&) const { return Vector4::Zero(); }
  Vector4 operator()(const Box& s) const { return {s.size(0), s.size(1), s.size(2), 0.0}; }
  Vector4 operator()(const Capsule& s) const { return {s.radius, s.length, 0.0, 0.0}; }
  Vector4 operator()(const Cylinder& s) const {
    return {s.radius, s.length.value_or(std::numeric_limits<double>::infinity()), 0.0, 0.0};
  }
  Vector4 operator()(const Convex&) const { return Vector4::Zero(); }
  Vector4 operator()(const Mesh& s) const {
    return s.field ? Vector4(s.field->size[0], s.field->size[1], 0.0, 0.0) : Vector4::Zero();
  }
  Vector4 operator()(const Polyline&) const { return Vector4::Zero(); }
  Vector4 operator()(const Ellipsoid& s) const { return {s.radii(0), s.radii(1), s.radii(2), 0.0}; }
};

bool is_container(const ShapeGeometry& geometry) {
  const auto* sphere = std::get_if<Sphere>(&geometry);
  const auto* cylinder = std::get_if<Cylinder>(&geometry);
  return (sphere != nullptr && sphere->inside) || (cylinder != nullptr && cylinder->inside);
}

/// Where a shape is drawn: a half-space is {x : z <= 0} there.
Pose drawing_frame(const Shape& shape) {
  Pose pose{shape.position, shape.rotation};
  if (const auto* half = std::get_if<HalfSpace>(&shape.geometry)) {
    pose.p_WB += shape.rotation * (half->offset * half->normal);
    pose.R_WB = shape.rotation * Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), half->normal).toRotationMatrix();
  }
  return pose;
}

void write_shapes(Hdf5File& file, const System& system) {
  Texts names, types;
  Integers bodies, inside, visual, vertex_offset = {0}, face_offset = {0}, faces;
  Integers single;
  bool has_mesh = false;
  Numbers position, orientation, size, vertices;
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    for (const Shape& shape : system.bodies()[b].shapes) {
      const Pose pose = drawing_frame(shape);
      const Eigen::Quaterniond e(pose.R_WB);
      names.push_back(shape.name);
      types.emplace_back(shape_type_name(shape.geometry));
      bodies.push_back(static_cast<std::int64_t>(b));
      inside.push_back(is_container(shape.geometry) ? 1 : 0);
      visual.push_back(shape.contact.visual ? 1 : 0);
      append(position, pose.p_WB);
      append(orientation, Vector4(e.w(), e.x(), e.y(), e.z()));
      append(size, std::visit(SizeOf{}, shape.geometry));
      if (const auto* convex = std::get_if<Convex>(&shape.geometry)) {
        const ConvexHull hull = make_convex_hull(convex->points, system.planar());
        for (const Vector3& point : convex->points) append(vertices, point);
        for (const auto& facet : hull.facets) faces.insert(faces.end(), facet.begin(), facet.end());
      }
      const auto* mesh = std::get_if<Mesh>(&shape.geometry);
      if (mesh != nullptr) {
        for (const Vector3& vertex : mesh->surface->vertices) append(vertices, vertex);
        for (const auto& t : mesh->surface->triangles) faces.insert(faces.end(), t.begin(), t.end());
        has_mesh = true;
      }
      const auto* line = std::get_if<Polyline>(&shape.geometry);
      if (line != nullptr) {
        for (const Vector3& point : *line->points) append(vertices, point);
        const auto n = static_cast<std::int64_t>(line->points->size());
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(count_segments(*line)); ++k) {
          faces.insert(faces.end(), {k, (k + 1) % n, -1});
        }
      }
      single.push_back(mesh != nullptr && mesh->surface->is_single ? 1 : 0);
      vertex_offset.push_back(static_cast<std::int64_t>(vertices.size() / 3));
      face_offset.push_back(static_cast<std::int64_t>(faces.size() / 3));
    }
  }
  if (names.empty()) return;
  LayoutWriter group(file, "/shapes");
  group.texts("name", names, "on its body");
  group.integers("body", bodies, "index of /bodies/name");
  group.texts("type", types, "as in scenes");
  group.numbers("position", 3, position, "m", "of the shape's frame in the body's");
  group.numbers("orientation", 4, orientation, "1", "quaternion w, x, y, z from the shape's frame to the body's");
  group.numbers(
      "size", 4, size, "m",
      "sphere: radius; box: edges; capsule, cylinder: radius, length along z (inf: no end); ellipsoid: radii "
      "along x, y, z; height-field: along x, y; point: xi on a beam [-]; a half-space is z <= 0 of its frame");
  group.integers("inside", inside, "1: a container, free inside", Hdf5Type::uint8);
  if (std::ranges::find(visual, 1) != visual.end()) {
    group.integers("visual", visual, "1: drawn only, it touches nothing", Hdf5Type::uint8);
  }
  if (vertices.empty()) return;
  group.integers("vertex_offset", vertex_offset, "shape i has the vertices vertex_offset[i] to vertex_offset[i+1] - 1");
  group.numbers("vertices", 3, vertices, "m",
                "of convex shapes, meshes, height-fields and polylines, in the shape's frame");
  group.integers("face_offset", face_offset, "shape i has the faces face_offset[i] to face_offset[i+1] - 1");
  if (has_mesh) {
    group.integers("single_precision", single, "1: a mesh whose coordinates have single precision", Hdf5Type::uint8);
  }
  Numbers corners(faces.begin(), faces.end());
  file.write_fixed("/shapes/faces", Hdf5Type::int32, {3}, corners);
  file.describe("/shapes/faces", "1",
                "corners of a triangle, counted from the shape's first vertex; in a plane two, then -1");
}

void write_contacts(Hdf5File& file, const System& system, const OutputChoice& choice) {
  Texts pairs;
  for (const ContactPair& pair : system.contacts()) pairs.push_back(pair.options.name);
  if (!pairs.empty())
    LayoutWriter(file, "/pairs").texts("name", pairs, "of the pair of bodies or shapes, as in the scene");
  if (system.contact_points().empty() || !choice.wants("/contacts")) return;
  Texts names;
  Integers pair, body_a, body_b;
  Numbers friction;
  Integers shape_a(system.contact_points().size(), -1), shape_b = shape_a;
  for (const ManifoldPair& manifold : system.manifold_pairs()) {
    if (manifold.point < 0) continue;
    shape_a[manifold.point] = manifold.first_shape;
    shape_b[manifold.point] = manifold.second_shape;
  }
  for (std::size_t k = 0; k < system.contact_points().size(); ++k) {
    const ContactPoint& point = system.contact_points()[k];
    const ContactPairOptions& options = system.contacts()[point.pair].options;
    names.push_back(contact_name(system, static_cast<int>(k)));
    pair.push_back(point.pair);
    body_a.push_back(options.first);
    body_b.push_back(options.second);
    friction.push_back(options.law.friction);
    if (point.surface < 0 || point.ball < 0) continue;
    shape_a[k] = system.surfaces()[point.surface].shape;
    shape_b[k] = system.balls()[point.ball].shape;
    if (point.flipped) std::swap(shape_a[k], shape_b[k]);
  }
  LayoutWriter group(file, "/contacts");
  group.texts("name", names, "of the contact point: the pair's, with /0, /1, ... where the pair has several");
  group.integers("pair", pair, "index of /pairs/name");
  group.integers("body_a", body_a, "index of /bodies/name: the body that the normal points from");
  group.integers("body_b", body_b, "index of /bodies/name: the body that the normal points to");
  group.integers("shape_a", shape_a, "index of /shapes/name: the shape of body a; -1: a joint's limit has none");
  group.integers("shape_b", shape_b, "index of /shapes/name: the shape of body b; -1: a joint's limit has none");
  group.numbers("friction_coefficient", 1, friction, "1", "mu");
}

void write_joints(Hdf5File& file, const System& system, const OutputChoice& choice) {
  if (system.joints().empty() || !choice.wants("/joints")) return;
  Texts names, types;
  Integers body_a, body_b;
  for (const Joint& joint : system.shown_joints()) {
    names.push_back(joint.options.name);
    types.emplace_back(joint_type_name(joint.options.type));
    const bool is_of_bodies = joint.options.type != JointType::coupling;
    body_a.push_back(is_of_bodies ? joint.options.first : -1);
    body_b.push_back(is_of_bodies ? joint.options.second : -1);
  }
  LayoutWriter group(file, "/joints");
  group.texts("name", names, "of the joint with the same index");
  group.texts("type", types, "of the joint, as in scenes");
  group.integers("body_a", body_a,
                 "index of /bodies/name: the first body; of a gear that of its second joint, -1: coupling");
  group.integers("body_b", body_b, "index of /bodies/name: the second body, whose coordinates and reactions are told");
}

void write_inputs(Hdf5File& file, const System& system) {
  Texts names;
  for (const int j : find_joints_with_effort(system)) names.push_back(system.joints()[j].options.name);
  if (names.empty()) return;
  LayoutWriter group(file, "/inputs");
  group.texts("name", names, "of the joint whose effort is the input with the same index");
}

}  // namespace

void write_layout(Hdf5File& file, const System& system, const OutputChoice& choice) {
  write_bodies(file, system);
  write_shapes(file, system);
  write_contacts(file, system, choice);
  write_joints(file, system, choice);
  if (choice.inputs) write_inputs(file, system);
}

}  // namespace stickslip
