// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/data_file.h"
#include "stickslip/scene/read_scene.h"

namespace stickslip {
namespace {

constexpr std::array<std::string_view, 6> kBodyTypes = {"rigid", "planar", "point", "beam", "fixed", "moving"};

constexpr int kBeamElements = 8;  // [-] bend a beam by a quarter turn to plotting accuracy
constexpr int kBeamDegree = 3;    // [-] bending moments without jumps

// --- shapes

void refuse_in_planar_scene(const TableReader& shape) {
  if (shape.context().scene.planar) {
    shape.fail("type",
               "in a planar scene: sphere (a disc), point, half-space, box, convex, polyline or a cylinder with inside "
               "= true");
  }
}

/// Refuses keys of a shape but those that all have and its own.
void allow_shape(const TableReader& reader, std::initializer_list<std::string_view> own) {
  std::vector<std::string_view> keys = {"type",    "position",         "quaternion", "rotation", "angle",  "visual",
                                        "contype", "conaffinity",      "friction",   "priority", "condim", "material",
                                        "group",   "surface_velocity", "spinning",   "rolling"};
  keys.insert(keys.end(), own);
  reader.allow(keys);
}

ShapeGeometry read_sphere(const TableReader& reader) {
  allow_shape(reader, {"radius", "inside"});
  return Sphere{reader.number("radius", kPositive, "m"), reader.boolean_or("inside", false)};
}

ShapeGeometry read_point(const TableReader& reader) {
  allow_shape(reader, {});
  return PointShape{};
}

ShapeGeometry read_half_space(const TableReader& reader) {
  allow_shape(reader, {"normal", "offset"});
  return HalfSpace{reader.direction("normal"), reader.number_or("offset", kAnyNumber, "m", 0.0)};
}

ShapeGeometry read_box(const TableReader& reader) {
  allow_shape(reader, {"size"});
  const Vector3 size = reader.vector("size", "m");
  if (!(size.head(static_cast<int>(reader.dimension())).minCoeff() > 0.0)) {
    reader.fail("size", "full edge lengths, each > 0 [m]");
  }
  return Box{size};
}

ShapeGeometry read_capsule(const TableReader& reader) {
  refuse_in_planar_scene(reader);
  allow_shape(reader, {"radius", "length"});
  return Capsule{reader.number("radius", kPositive, "m"), reader.number("length", kNotNegative, "m")};
}

ShapeGeometry read_cylinder(const TableReader& reader) {
  allow_shape(reader, {"radius", "length", "inside"});
  Cylinder cylinder;
  cylinder.radius = reader.number("radius", kPositive, "m");
  cylinder.inside = reader.boolean_or("inside", false);
  if (!cylinder.inside) {
    refuse_in_planar_scene(reader);
    cylinder.length = reader.number("length", kPositive, "m");
  } else {
    cylinder.length = reader.optional_number("length", kPositive, "m");
  }
  return cylinder;
}

ShapeGeometry read_convex(const TableReader& reader) {
  allow_shape(reader, {"points", "file", "scale"});
  if (reader.has("file")) {
    if (reader.has("points")) reader.fail("file", "either points or file");
    return Convex{read_hull_file(reader, "file")};
  }
  if (reader.has("scale")) reader.fail("scale", "a file beside it: points are as they are");
  const std::string allowed = reader.dimension() == 2 ? "at least 3 points [[x, y], ...] [m], not on a line"
                                                      : "at least 4 points [[x, y, z], ...] [m], not in a plane";
  Convex convex{reader.rows("points", allowed, reader.dimension(), "m")};
  if (convex.points.size() <= reader.dimension()) reader.fail("points", allowed);
  return convex;
}

ShapeGeometry read_ellipsoid(const TableReader& reader) {
  refuse_in_planar_scene(reader);
  allow_shape(reader, {"radii"});
  const Vector3 radii = reader.vector("radii", "m");
  if (!(radii.minCoeff() > 0.0)) reader.fail("radii", "three lengths along x, y, z, each > 0 [m]");
  return Ellipsoid{radii};
}

ShapeGeometry read_mesh_shape(const TableReader& reader) {
  refuse_in_planar_scene(reader);
  allow_shape(reader, {"file", "scale", "stored"});
  return read_mesh(reader);
}

ShapeGeometry read_height_field_shape(const TableReader& reader) {
  refuse_in_planar_scene(reader);
  allow_shape(reader, {"size", "height", "cells", "file", "stored"});
  return read_height_field(reader);
}

ShapeGeometry read_polyline_shape(const TableReader& reader) {
  if (!reader.context().scene.planar) reader.fail("type", "no polyline in a spatial scene: mesh or height-field");
  allow_shape(reader, {"points", "file", "closed", "stored"});
  return read_polyline(reader);
}

struct ShapeReader {
  std::string_view type;
  ShapeGeometry (*read)(const TableReader&);
};

constexpr std::array kShapes = {
    ShapeReader{"sphere", read_sphere},          ShapeReader{"point", read_point},
    ShapeReader{"half-space", read_half_space},  ShapeReader{"box", read_box},
    ShapeReader{"capsule", read_capsule},        ShapeReader{"cylinder", read_cylinder},
    ShapeReader{"convex", read_convex},          ShapeReader{"ellipsoid", read_ellipsoid},
    ShapeReader{"mesh", read_mesh_shape},        ShapeReader{"height-field", read_height_field_shape},
    ShapeReader{"polyline", read_polyline_shape}};

std::string read_group(const TableReader& reader) {
  const std::string& group = reader.string("group", "a name, for laws and exceptions of contact_default");
  check_name(group, reader.context().document.place(reader.find("group")->mark), reader.path_of("group"));
  return group;
}

ShapeContact read_shape_contact(const TableReader& reader) {
  constexpr int kSliding = 3, kSpinning = 4, kRolling = 6;
  ShapeContact contact;
  contact.visual = reader.boolean_or("visual", false);
  contact.contype = reader.integer_or("contype", 0, 1);
  contact.conaffinity = reader.integer_or("conaffinity", 0, 1);
  contact.friction = reader.optional_number("friction", kNotNegative, "");
  contact.priority = reader.integer_or("priority", std::numeric_limits<int>::min(), 0);
  contact.spinning = reader.optional_number("spinning", kNotNegative, "m");
  contact.rolling = reader.optional_number("rolling", kNotNegative, "m");
  if (contact.spinning && reader.context().scene.planar) {
    reader.fail("spinning", "none in a planar scene, where all turning is rolling");
  }
  if (reader.has("condim")) contact.condim = reader.integer_or("condim", 1, kSliding);
  const int condim = contact.condim.value_or(kSliding);
  if (condim != 1 && condim != kSliding && condim != kSpinning && condim != kRolling) {
    reader.fail("condim", "1 (no friction), 3 (sliding), 4 (spinning too) or 6 (rolling too)");
  }
  return contact;
}

/// What laws and exceptions know a shape by.
void read_memberships(const TableReader& reader, SceneShape& shape) {
  if (reader.has("material")) {
    shape.material = reader.string("material", "the name of a material");
    const std::vector<SceneMaterial>& materials = reader.context().scene.materials;
    const auto is_named = [&](const SceneMaterial& m) { return m.name == shape.material; };
    if (std::none_of(materials.begin(), materials.end(), is_named)) {
      std::vector<std::string_view> names;
      names.reserve(materials.size());
      for (const SceneMaterial& material : materials) names.push_back(material.name);
      const std::string nearest = nearest_name(shape.material, names);
      reader.fail("material", "the name of a table [materials.NAME], which may be empty" +
                                  (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
  }
  if (reader.has("group")) shape.group = read_group(reader);
}

/// A velocity, or a rate of turning about an axis.
Aside<SceneSurfaceVelocity> read_surface_velocity(const TableReader& reader) {
  const TomlValue* value = reader.find("surface_velocity");
  if (value == nullptr) return {};
  SceneSurfaceVelocity surface;
  if (value->table() == nullptr) {
    if (value->array() == nullptr) {
      reader.fail("surface_velocity", "an array of numbers or expressions of t [m/s], or a table {axis, rate, at}");
    }
    surface.velocity = reader.time_functions("surface_velocity", "m/s");
    return surface;
  }
  const TableReader table(reader.context(), *value, reader.path_of("surface_velocity"));
  table.allow({"axis", "rate", "at"});
  surface.turns = true;
  if (!reader.context().scene.planar) {
    surface.axis = table.direction3("axis");
  } else if (table.has("axis")) {
    table.fail("axis", "none in a planar scene, where surfaces turn about z");
  }
  surface.rate = table.time_function("rate", "rad/s");
  if (table.has("at")) surface.at = table.vector("at", "m");
  return surface;
}

SceneShape read_shape(const TableReader& reader, const std::string& name) {
  std::vector<std::string_view> types;
  types.reserve(kShapes.size());
  for (const ShapeReader& each : kShapes) types.push_back(each.type);
  const std::string type = reader.choice("type", types, {});
  SceneShape shape;
  shape.name = name;
  for (const ShapeReader& each : kShapes) {
    if (each.type == type) shape.geometry = each.read(reader);
  }
  shape.position = reader.vector_or("position", "m", Vector3::Zero());
  shape.orientation = reader.orientation();
  shape.contact = read_shape_contact(reader);
  read_memberships(reader, shape);
  shape.surface_velocity = read_surface_velocity(reader);
  return shape;
}

/// A beam has points at its parameter `at` and no other shapes.
SceneShape read_beam_shape(const TableReader& reader, const std::string& name) {
  constexpr std::array<std::string_view, 1> kTypes = {"point"};
  reader.choice("type", kTypes, {});
  reader.allow({"type", "at", "material", "group"}, {"spinning", "rolling"});
  SceneShape shape;
  shape.name = name;
  shape.geometry = PointShape{reader.number("at", kUnitInterval, "-")};
  read_memberships(reader, shape);
  return shape;
}

bool is_height_field(const TableReader& shape) {
  const TomlValue* type = shape.find("type");
  return type != nullptr && type->string() != nullptr && *type->string() == "height-field";
}

void read_shapes(const TableReader& body, SceneBody& result, std::string_view type) {
  const TomlValue* value = body.find("shapes");
  if (value == nullptr) return;
  const TableReader shapes(body.context(), *value, body.path_of("shapes"));
  for (const TomlEntry& entry : shapes.entries()) {
    check_name(entry.key, body.context().document.place(entry.mark), shapes.path());
    const TableReader shape(body.context(), entry.value, shapes.path_of(entry.key));
    if (is_height_field(shape) && type != "fixed" && type != "moving") {
      shape.fail("type", "a height-field on a fixed or moving body: it is solid without end and has no mass");
    }
    result.shapes.push_back(result.beam ? read_beam_shape(shape, entry.key) : read_shape(shape, entry.key));
  }
}

// --- bodies

/// Where a body is: against the world, or against its parent, from which its velocity follows, too.
void read_parent(const TableReader& body, SceneBody& result) {
  if (!body.has("parent")) return;
  result.parent = body.string("parent", "the name of a body");
  for (const std::string_view key : {"velocity", "angular_velocity"}) {
    if (body.has(key)) body.fail(key, "no velocity beside parent: start_rate of its joint gives it");
  }
}

/// Whether the body's weight follows from what its shapes are made of: each that is more than drawn has a material with
/// a density.
bool materials_have_densities(const TableReader& body, const std::vector<SceneShape>& shapes) {
  const std::vector<SceneMaterial>& materials = body.context().scene.materials;
  const auto has_density = [&](const SceneShape& shape) {
    return shape.contact.visual || std::any_of(materials.begin(), materials.end(), [&](const SceneMaterial& m) {
             return m.name == shape.material && m.density;
           });
  };
  const auto is_solid = [](const SceneShape& shape) { return !shape.contact.visual; };
  return std::any_of(shapes.begin(), shapes.end(), is_solid) && std::all_of(shapes.begin(), shapes.end(), has_density);
}

void read_centre(const TableReader& body, SceneBody& result) {
  if (!body.has("centre_of_mass")) return;
  const bool by_shapes = result.density || (!result.mass && materials_have_densities(body, result.shapes));
  if (by_shapes) body.fail("centre_of_mass", "either density or centre_of_mass: shapes have one of their own");
  result.centre_of_mass = body.vector("centre_of_mass", "m");
}

void read_mass_or_density(const TableReader& body, SceneBody& result) {
  const bool planar = result.type == BodyType::planar;
  if (body.has("density")) {
    if (body.has("inertia")) body.fail("inertia", "either density or inertia");
    result.density = body.number("density", kPositive, planar ? "kg/m^2" : "kg/m^3");
    if (body.has("mass")) result.mass = body.number("mass", kPositive, "kg");
    return;
  }
  if (!body.has("mass") && !body.has("inertia") && materials_have_densities(body, result.shapes)) return;
  const std::string or_density =
      planar ? "kg], with inertia, or density [kg/m^2" : "kg], with inertia, or density [kg/m^3";
  constexpr Range kMass = {.least = 0.0, .text = kPositive.text};  // 0 between joints alone
  result.mass = body.number("mass", kMass, or_density);
  if (result.mass == 0.0 && body.has("inertia")) body.fail("mass", "a number > 0 [kg]; 0 goes without inertia");
}

void read_rigid(const TableReader& body, SceneBody& result) {
  body.allow({"type", "from", "group", "mass", "inertia", "density", "centre_of_mass", "parent", "position",
              "quaternion", "rotation", "angle", "velocity", "angular_velocity", "gyroscopic", "shapes"});
  read_mass_or_density(body, result);
  read_parent(body, result);
  read_centre(body, result);
  if (result.mass && result.mass != 0.0 && !result.density) {
    const std::string allowed = "[Ix, Iy, Iz] or [[..], [..], [..]] [kg m^2], about the centre of mass";
    const TomlValue::Array* inertia = body.require("inertia", allowed).array();
    if (inertia == nullptr || inertia->size() != 3) body.fail("inertia", allowed);
    if (inertia->front().array() != nullptr) {
      const std::vector<Vector3> rows = body.rows("inertia", allowed, 3, "kg m^2");
      Matrix3 matrix;
      for (int i = 0; i < 3; ++i) matrix.row(i) = rows[static_cast<std::size_t>(i)].transpose();
      result.inertia = matrix;
    } else {
      result.inertia = body.vector3("inertia", "kg m^2");
    }
  }
  result.position = body.vector_or("position", "m", Vector3::Zero());
  result.orientation = body.orientation();
  result.velocity = body.vector_or("velocity", "m/s", Vector3::Zero());
  result.angular_velocity = body.vector_or("angular_velocity", "rad/s", Vector3::Zero());
  result.gyroscopic = body.boolean_or("gyroscopic", true);
}

void read_planar(const TableReader& body, SceneBody& result) {
  body.allow({"type", "from", "group", "mass", "inertia", "density", "centre_of_mass", "parent", "position", "angle",
              "velocity", "angular_velocity", "shapes"});
  read_mass_or_density(body, result);
  read_parent(body, result);
  read_centre(body, result);
  if (result.mass && result.mass != 0.0 && !result.density)
    result.inertia = body.number("inertia", kPositive, "kg m^2");
  result.position = body.vector_or("position", "m", Vector3::Zero());
  result.orientation = body.orientation();
  result.velocity = body.vector_or("velocity", "m/s", Vector3::Zero());
  result.angular_velocity.z() = body.number_or("angular_velocity", kAnyNumber, "rad/s", 0.0);
}

void read_point_body(const TableReader& body, SceneBody& result) {
  body.allow({"type", "from", "group", "mass", "parent", "position", "velocity", "shapes"});
  read_parent(body, result);
  result.mass = body.number("mass", kPositive, "kg");
  result.position = body.vector_or("position", "m", Vector3::Zero());
  result.velocity = body.vector_or("velocity", "m/s", Vector3::Zero());
}

void read_beam(const TableReader& body, SceneBody& result) {
  body.allow({"type", "from", "group", "length", "axial_stiffness", "bending_stiffness", "line_density", "elements",
              "degree", "quadrature", "start", "direction", "velocity", "shapes"});
  SceneBeam beam;
  BeamOptions& o = beam.options;
  o.length = body.number("length", kPositive, "m");
  o.axial_stiffness = body.number("axial_stiffness", kPositive, "N");
  o.bending_stiffness = body.number("bending_stiffness", kPositive, "N m^2");
  o.line_density = body.number("line_density", kPositive, "kg/m");
  o.elements = body.integer_or("elements", 1, kBeamElements);
  o.degree = body.integer_or("degree", 2, kBeamDegree);
  o.quadrature = body.integer_or("quadrature", 1, o.degree + 1);
  beam.direction = body.direction("direction");
  result.position = body.vector_or("start", "m", Vector3::Zero());
  result.velocity = body.vector_or("velocity", "m/s", Vector3::Zero());
  result.beam = beam;
}

void read_fixed(const TableReader& body, SceneBody& result) {
  body.allow({"type", "from", "group", "parent", "position", "quaternion", "rotation", "angle", "shapes"});
  read_parent(body, result);
  result.position = body.vector_or("position", "m", Vector3::Zero());
  result.orientation = body.orientation();
}

void read_moving(const TableReader& body, SceneBody& result) {
  body.allow({"type", "from", "group", "position", "rotation", "angle", "quaternion", "shapes"});
  SceneMotion motion;
  if (body.has("position")) motion.position = body.time_functions("position", "m");
  if (body.context().scene.planar) {
    for (const std::string_view key : {"rotation", "quaternion"}) {
      if (body.has(key)) body.fail(key, "a planar scene turns bodies and shapes by angle");
    }
    if (body.has("angle")) motion.angle = body.time_function("angle", "rad");
  } else {
    if (body.has("angle")) body.fail("angle", "a spatial scene turns bodies by rotation = {axis, angle = \"...\"}");
    if (const TomlValue* value = body.find("rotation")) {
      const TableReader rotation(body.context(), *value, body.path_of("rotation"));
      rotation.allow({"axis", "angle"});
      motion.axis = rotation.direction3("axis");
      motion.angle = rotation.time_function("angle", "rad");
    }
    result.orientation = body.quaternion_orientation();
  }
  result.motion = motion;
}

}  // namespace

SceneBody read_body(const TableReader& reader, const std::string& name) {
  SceneBody body;
  body.name = name;
  const std::string type = reader.has("type") ? reader.choice("type", kBodyTypes, {}) : "rigid";
  if (type != "beam") read_shapes(reader, body, type);  // first, since materials may say what the body weighs
  if (type == "rigid") {
    if (reader.context().scene.planar)
      reader.fail("type", "planar, point, beam, fixed or moving, as the scene is planar");
    body.type = BodyType::rigid;
    read_rigid(reader, body);
  } else if (type == "planar") {
    body.type = BodyType::planar;
    read_planar(reader, body);
  } else if (type == "point") {
    body.type = BodyType::point;
    read_point_body(reader, body);
  } else if (type == "beam") {
    body.type = BodyType::beam;
    read_beam(reader, body);
    read_shapes(reader, body, type);
  } else if (type == "fixed") {
    body.type = BodyType::fixed;
    read_fixed(reader, body);
  } else {
    body.type = BodyType::moving;
    read_moving(reader, body);
  }
  if (reader.has("group")) body.group = read_group(reader);
  body.from = reader.optional_number("from", kAnyNumber, "s");
  return body;
}

void read_bodies(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("bodies");
  if (value == nullptr) return;
  const TableReader bodies(context, *value, "bodies");
  for (const TomlEntry& entry : bodies.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "bodies");
    const TableReader body(context, entry.value, bodies.path_of(entry.key));
    context.scene.bodies.push_back(read_body(body, entry.key));
  }
}

}  // namespace stickslip
