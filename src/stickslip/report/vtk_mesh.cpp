// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/vtk_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/report/scene_facts.h"

namespace stickslip {
namespace {

constexpr int kContainerCorners = 48;
constexpr int kContainerRings = 5;  // of a tube

/// A shape of /shapes.
struct DrawnShape {
  std::string type;
  int body = 0;
  bool inside = false;
  Pose pose;                              // in the body's frame
  Vector4 size = Vector4::Zero();         // (4) as in /shapes/size
  std::vector<Vector3> vertices;          // of what has corners
  std::vector<std::array<int, 3>> faces;  // corners of triangles; in a plane two, then -1
};

RowMatrix read_all(const Hdf5File& file, const std::string& path) {
  const Hdf5Dataset dataset = file.open_dataset(path);
  RowMatrix values(dataset.rows(), dataset.width());
  dataset.read(0, std::span<double>(values.data(), static_cast<std::size_t>(values.size())));
  return values;
}

std::vector<DrawnShape> read_shapes(const Hdf5File& file) {
  std::vector<DrawnShape> shapes;
  if (!file.has("/shapes")) return shapes;
  const std::vector<std::string> types = file.read_texts("/shapes/type");
  const RowMatrix body = read_all(file, "/shapes/body"), inside = read_all(file, "/shapes/inside"),
                  position = read_all(file, "/shapes/position"), orientation = read_all(file, "/shapes/orientation"),
                  size = read_all(file, "/shapes/size");
  const bool has_vertices = file.has("/shapes/vertices");
  RowMatrix vertices, faces, vertex_offset, face_offset;
  if (has_vertices) {
    vertices = read_all(file, "/shapes/vertices");
    faces = read_all(file, "/shapes/faces");
    vertex_offset = read_all(file, "/shapes/vertex_offset");
    face_offset = read_all(file, "/shapes/face_offset");
  }
  for (std::size_t s = 0; s < types.size(); ++s) {
    const auto i = static_cast<Eigen::Index>(s);
    DrawnShape& shape = shapes.emplace_back();
    shape.type = types[s];
    shape.body = static_cast<int>(body(i, 0));
    shape.inside = inside(i, 0) != 0.0;
    shape.pose.p_WB = position.row(i).transpose();
    shape.pose.R_WB =
        Eigen::Quaterniond(orientation(i, 0), orientation(i, 1), orientation(i, 2), orientation(i, 3)).matrix();
    shape.size = size.row(i).transpose();
    if (!has_vertices) continue;
    for (auto k = static_cast<Eigen::Index>(vertex_offset(i, 0)); k < vertex_offset(i + 1, 0); ++k) {
      shape.vertices.emplace_back(vertices.row(k).transpose());
    }
    for (auto k = static_cast<Eigen::Index>(face_offset(i, 0)); k < face_offset(i + 1, 0); ++k) {
      shape.faces.push_back(
          {static_cast<int>(faces(k, 0)), static_cast<int>(faces(k, 1)), static_cast<int>(faces(k, 2))});
    }
  }
  return shapes;
}

/// The largest distance of a shape from its body's origin; of one without end that of its origin. [m]
double calc_reach(const DrawnShape& shape) {
  double own = 0.0;
  for (const Vector3& vertex : shape.vertices) own = std::max(own, vertex.norm());
  if (shape.size.allFinite()) own = std::max(own, shape.size.norm());
  return shape.pose.p_WB.norm() + own;
}

/// The part of the world where the bodies are that move.
struct Region {
  Vector3 middle = Vector3::Zero();
  double extent = 1.0;  // [m] a power of two: the last bits of positions do not change what is drawn
};

Region find_region(const Trajectory& result, const std::vector<DrawnShape>& shapes) {
  const std::vector<LayoutRow> layout = result.layout();
  std::vector<double> reach(layout.size(), 0.0);
  for (const DrawnShape& shape : shapes) {
    double& largest = reach[static_cast<std::size_t>(shape.body)];
    largest = std::max(largest, calc_reach(shape));
  }
  const RowMatrix position = result.read("/bodies/position", 0, 1);
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::max()), high = -low;
  for (std::size_t b = 0; b < layout.size(); ++b) {
    if (layout[b].type == "fixed") continue;
    const Vector3 at(position.data() + 3 * b);
    low = low.cwiseMin(Vector3(at.array() - reach[b]));
    high = high.cwiseMax(Vector3(at.array() + reach[b]));
  }
  Region region;
  if (low(0) > high(0)) return region;
  region.middle = 0.5 * (low + high);
  const double width = (high - low).norm();
  constexpr double kMargin = 2.0;  // [-] the scene's size on each side of it
  if (width > 0.0 && std::isfinite(width)) region.extent = std::exp2(std::ceil(std::log2((1.0 + kMargin) * width)));
  return region;
}

/// Adds shapes, of bodies whose poses are those of the first row.
class ShapeDrawer {
 public:
  ShapeDrawer(bool planar, const Region& region, VtkMesh& mesh) : planar_(planar), region_(region), mesh_(mesh) {}

  void draw(const DrawnShape& shape, const Pose& body) {
    shape_ = &shape;
    const Vector4& size = shape.size;
    if (shape.type == "sphere") {
      sphere(size(0));
    } else if (shape.type == "point") {
      vertex();
    } else if (shape.type == "half-space") {
      half_space(body);
    } else if (shape.type == "box") {
      box(0.5 * size.head<3>());
    } else if (shape.type == "capsule") {
      capsule(size(0), size(1));
    } else if (shape.type == "ellipsoid") {
      ellipsoid(size.head<3>());
    } else if (shape.type == "cylinder") {
      cylinder(size(0), 0.5 * (std::isfinite(size(1)) ? size(1) : region_.extent));
    } else if (shape.type == "polyline") {
      polyline();
    } else {
      planar_ ? flat_hull() : hull();
    }
  }

 private:
  std::int32_t point(const Vector3& in_shape) {
    mesh_.corners.push_back({shape_->body, shape_->pose.p_WB + shape_->pose.R_WB * in_shape});
    return static_cast<std::int32_t>(mesh_.corners.size()) - 1;
  }
  /// Distance from the axis and height on a circle about the origin, k of n corners down from its top.
  static Eigen::Vector2d on_circle(double radius, int k) {
    constexpr int n = kCircleCorners;
    if (k == 0 || 2 * k == n) return {0.0, k == 0 ? radius : -radius};
    const double phi = 2.0 * std::numbers::pi * k / n;
    return {radius * std::sin(phi), radius * std::cos(phi)};
  }

  void vertex() {
    const std::int32_t at = point(Vector3::Zero());
    mesh_.vertices.add(std::span(&at, 1), shape_->body);
  }
  void sphere(double radius) {
    if (!shape_->inside) {
      mesh_.balls.push_back({shape_->body, shape_->pose.p_WB});
      mesh_.radii.push_back(static_cast<float>(radius));
      return;
    }
    circle(radius, Vector3::UnitX(), Vector3::UnitY(), 0.0);
    if (planar_) return;
    circle(radius, Vector3::UnitY(), Vector3::UnitZ(), 0.0);
    circle(radius, Vector3::UnitZ(), Vector3::UnitX(), 0.0);
  }
  /// z <= 0 of its frame, as it is seen from the middle of the scene.
  void half_space(const Pose& body) {
    const Vector3 in_body = body.R_WB.transpose() * (region_.middle - body.p_WB);
    Vector3 middle = shape_->pose.R_WB.transpose() * (in_body - shape_->pose.p_WB);
    middle.z() = 0.0;
    const double half = 0.5 * region_.extent;
    if (planar_) {
      // The frame's z lies in the plane; the line is across both.
      const Vector3 across = half * shape_->pose.R_WB.transpose().col(2).cross(Vector3::UnitZ());
      mesh_.lines.add(std::array{point(middle - across), point(middle + across)}, shape_->body);
      return;
    }
    const Vector3 a = half * Vector3::UnitX(), b = half * Vector3::UnitY();
    mesh_.polygons.add(
        std::array{point(middle - a - b), point(middle + a - b), point(middle + a + b), point(middle - a + b)},
        shape_->body);
  }
  void box(const Vector3& h) {
    if (planar_) {
      const std::array rectangle = {point({-h(0), -h(1), 0.0}), point({h(0), -h(1), 0.0}), point({h(0), h(1), 0.0}),
                                    point({-h(0), h(1), 0.0})};
      mesh_.polygons.add(rectangle, shape_->body);
      return;
    }
    std::array<std::int32_t, 8> corner = {};
    for (std::size_t k = 0; k < 8; ++k) {
      corner[k] = point({(k & 1U) != 0 ? h(0) : -h(0), (k & 2U) != 0 ? h(1) : -h(1), (k & 4U) != 0 ? h(2) : -h(2)});
    }
    constexpr std::array<std::array<std::size_t, 4>, 6> kFaces = {
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    for (const auto& f : kFaces) {
      mesh_.polygons.add(std::array{corner[f[0]], corner[f[1]], corner[f[2]], corner[f[3]]}, shape_->body);
    }
  }
  void capsule(double radius, double length) {
    std::vector<Eigen::Vector2d> profile;
    const Eigen::Vector2d half(0.0, 0.5 * length);
    constexpr int kQuarter = kCircleCorners / 4;
    for (int k = 0; k <= kQuarter; ++k) profile.emplace_back(on_circle(radius, k) + half);
    for (int k = kQuarter; k <= 2 * kQuarter; ++k) profile.emplace_back(on_circle(radius, k) - half);
    revolve(profile);
  }
  void ellipsoid(const Vector3& radii) {
    std::vector<Eigen::Vector2d> profile;
    for (int k = 0; 2 * k <= kCircleCorners; ++k) profile.push_back(on_circle(1.0, k));
    revolve(profile, radii);
  }
  void cylinder(double radius, double half) {
    if (!shape_->inside) {
      revolve({{0.0, half}, {radius, half}, {radius, -half}, {0.0, -half}});
    } else if (planar_) {
      circle(radius, Vector3::UnitX(), Vector3::UnitY(), 0.0);
    } else {
      for (int k = 0; k < kContainerRings; ++k) {
        circle(radius, Vector3::UnitX(), Vector3::UnitY(), half * (2.0 * k / (kContainerRings - 1) - 1.0));
      }
      for (int k = 0; k < 4; ++k) {
        const double phi = 0.5 * std::numbers::pi * k;
        const Vector3 on_rim(radius * std::cos(phi), radius * std::sin(phi), half);
        const std::array ends = {point(on_rim), point(on_rim - Vector3(0.0, 0.0, 2.0 * half))};
        mesh_.lines.add(ends, shape_->body);
      }
    }
  }
  void circle(double radius, const Vector3& a, const Vector3& b, double height) {
    std::vector<std::int32_t> rim;
    for (int k = 0; k < kContainerCorners; ++k) {
      const double phi = 2.0 * std::numbers::pi * k / kContainerCorners;
      rim.push_back(point(radius * (std::cos(phi) * a + std::sin(phi) * b) + height * a.cross(b)));
    }
    rim.push_back(rim.front());
    mesh_.lines.add(rim, shape_->body);
  }
  /// A surface of revolution about z, profile (distance from the axis, height) from the top down; it ends on the axis.
  /// Stretched by `scale` [-] along x, y, z.
  void revolve(const std::vector<Eigen::Vector2d>& profile, const Vector3& scale = Vector3::Ones()) {
    constexpr int n = kCircleCorners;
    std::vector<std::int32_t> above, ring;
    for (const Eigen::Vector2d& at : profile) {
      ring.clear();
      if (at(0) <= 0.0) {
        ring.assign(static_cast<std::size_t>(n) + 1, point({0.0, 0.0, scale(2) * at(1)}));
      } else {
        for (int k = 0; k < n; ++k) {
          const double phi = 2.0 * std::numbers::pi * k / n;
          ring.push_back(point(scale.cwiseProduct(Vector3(at(0) * std::cos(phi), at(0) * std::sin(phi), at(1)))));
        }
        ring.push_back(ring.front());
      }
      for (std::size_t k = 0; !above.empty() && k + 1 < ring.size(); ++k) {
        const std::array around = {above[k], ring[k], ring[k + 1], above[k + 1]};
        std::vector<std::int32_t> face;  // a triangle at the axis
        for (const std::int32_t corner : around) {
          if (std::ranges::find(face, corner) == face.end()) face.push_back(corner);
        }
        if (face.size() > 2) mesh_.polygons.add(face, shape_->body);
      }
      above = ring;
    }
  }
  void hull() {
    const std::vector<Vector3>& x = shape_->vertices;
    Vector3 middle = Vector3::Zero();
    std::vector<std::int32_t> number(x.size(), -1);
    int n_corners = 0;
    for (const auto& f : shape_->faces) {
      for (const int v : f) {
        if (number[v] >= 0) continue;
        number[v] = point(x[v]);
        middle += x[v];
        ++n_corners;
      }
    }
    middle /= std::max(n_corners, 1);
    for (const auto& f : shape_->faces) {
      const Vector3 &a = x[f[0]], &b = x[f[1]], &c = x[f[2]];
      const bool outward = (b - a).cross(c - a).dot(a - middle) >= 0.0;
      mesh_.polygons.add(std::array{number[f[0]], number[f[outward ? 1 : 2]], number[f[outward ? 2 : 1]]},
                         shape_->body);
    }
  }
  void polyline() {
    std::vector<std::int32_t> line;
    for (const Vector3& x : shape_->vertices) line.push_back(point(x));
    if (shape_->faces.size() == line.size()) line.push_back(line.front());
    mesh_.lines.add(line, shape_->body);
  }
  void flat_hull() {
    std::vector<int> corners;
    for (const auto& edge : shape_->faces) corners.insert(corners.end(), {edge[0], edge[1]});
    std::ranges::sort(corners);
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    const std::vector<Vector3>& x = shape_->vertices;
    Vector3 middle = Vector3::Zero();
    for (const int v : corners) middle += x[v] / static_cast<double>(corners.size());
    std::ranges::sort(corners, {}, [&](int v) { return std::atan2(x[v](1) - middle(1), x[v](0) - middle(0)); });
    std::vector<std::int32_t> polygon;
    polygon.reserve(corners.size());
    for (const int v : corners) polygon.push_back(point({x[v](0), x[v](1), 0.0}));
    mesh_.polygons.add(polygon, shape_->body);
  }

  bool planar_;
  const Region& region_;
  VtkMesh& mesh_;
  const DrawnShape* shape_ = nullptr;
};

/// The curve and the points on it.
void draw_beam(int body, const BeamCurve& curve, const std::vector<DrawnShape>& shapes, VtkMesh& mesh) {
  const auto place = [&mesh, body](double xi) {
    mesh.on_beams.push_back({body, xi});
    return static_cast<std::int32_t>(mesh.corners.size() + mesh.on_beams.size()) - 1;
  };
  std::vector<std::int32_t> line;
  for (const double xi : curve.places()) line.push_back(place(xi));
  mesh.lines.add(line, body);
  for (const DrawnShape& shape : shapes) {
    if (shape.body != body) continue;
    const std::int32_t at = place(shape.size(0));
    mesh.vertices.add(std::span(&at, 1), body);
  }
}

}  // namespace

VtkMesh make_vtk_mesh(const Trajectory& result) {
  for (const char* path : {"/bodies/position", "/bodies/orientation"}) {
    if (result.find_rows(path) == nullptr) {
      throw InputError({result.file().name()}, path, "",
                       "not in this result (output.fields): its rows cannot be drawn");
    }
  }
  if (result.rows() == 0) throw InputError({result.file().name()}, "/time", "", "no rows");
  const SceneFacts facts = find_facts(result);
  const std::vector<LayoutRow> layout = result.layout();
  const std::vector<DrawnShape> shapes = read_shapes(result.file());
  const Region region = find_region(result, shapes);
  const RowMatrix position = result.read("/bodies/position", 0, 1),
                  orientation = result.read("/bodies/orientation", 0, 1);
  VtkMesh mesh;
  for (std::size_t b = 0; b < layout.size(); ++b) {
    const auto beam = facts.beams.find(layout[b].body);
    if (beam != facts.beams.end() && result.find_rows("/q") != nullptr)
      mesh.beams.emplace(static_cast<int>(b), beam->second);
  }
  ShapeDrawer drawer(facts.planar, region, mesh);
  std::vector<bool> is_drawn(layout.size(), false);
  for (const DrawnShape& shape : shapes) {
    const auto b = static_cast<std::size_t>(shape.body);
    is_drawn[b] = true;
    if (layout[b].type == "beam") continue;
    const double* e = orientation.data() + 4 * b;
    drawer.draw(shape, {Vector3(position.data() + 3 * b), Eigen::Quaterniond(e[0], e[1], e[2], e[3]).matrix()});
  }
  for (std::size_t b = 0; b < layout.size(); ++b) {
    if (is_drawn[b] || layout[b].type == "beam") continue;
    DrawnShape origin;
    origin.type = "point";
    origin.body = static_cast<int>(b);
    drawer.draw(origin, {});
  }
  for (const auto& [body, curve] : mesh.beams) draw_beam(body, curve, shapes, mesh);
  return mesh;
}

}  // namespace stickslip
