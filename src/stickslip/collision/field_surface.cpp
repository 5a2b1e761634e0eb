// SPDX-License-Identifier: BSD-3-Clause
// A height-field: what is near is looked up by the cells of its grid.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/collision/triangle_surface.h"

namespace stickslip {
namespace {

/// [-] Of the diagonal of the grid: how far down the box round a height-field goes, which is solid without end.
constexpr double kDepth = 100.0;

/// Nodes are numbered along x first, cells likewise; cell c has the triangles 2 c, below its diagonal, and 2 c + 1.
/// Edges along x come first, then those along y, then the diagonals.
class FieldSurface final : public TriangleSurface {
 public:
  FieldSurface(std::shared_ptr<const TriangleMesh> mesh, const HeightField& field, Vector3 position,
               const Matrix3& rotation)
      : mesh_(std::move(mesh)),
        position_(std::move(position)),
        rotation_(rotation),
        half_(0.5 * field.size[0], 0.5 * field.size[1]),
        cell_(field.size[0] / field.cells[0], field.size[1] / field.cells[1]),
        n_x_(field.cells[0]),
        n_y_(field.cells[1]) {
    BoundingBox box{position_ + rotation_ * mesh_->vertices.front(), position_ + rotation_ * mesh_->vertices.front()};
    double largest = 0.0;
    for (const Vector3& v : mesh_->vertices) {
      const Vector3 x = position_ + rotation_ * v;
      box = {box.lower.cwiseMin(x), box.upper.cwiseMax(x)};
      largest = std::max(largest, v.cwiseAbs().maxCoeff());
    }
    set_box(box);
    const Vector3 down = -kDepth * 2.0 * half_.norm() * rotation_.col(2);
    set_reach({box.lower.cwiseMin(box.lower + down), box.upper.cwiseMax(box.upper + down)});
    precision_ = mesh_->is_single ? kSinglePrecision * largest : 0.0;
    find_patches();
  }

  int n_vertices() const override { return static_cast<int>(mesh_->vertices.size()); }
  int n_edges() const override { return first_diagonal() + n_x_ * n_y_; }
  int n_triangles() const override { return 2 * n_x_ * n_y_; }
  Vector3 vertex(int vertex) const override { return position_ + rotation_ * mesh_->vertices[vertex]; }
  std::array<int, 3> corners_of(int triangle) const override { return mesh_->triangles[triangle]; }
  bool is_endless() const override { return true; }

  std::array<int, 3> edges_of(int triangle) const override {
    const auto [i, j] = cell_of(triangle / 2);
    if (triangle % 2 == 0) return {along_x(i, j), along_y(i + 1, j), diagonal(i, j)};
    return {diagonal(i, j), along_x(i, j + 1), along_y(i, j)};
  }

  Vector3 normal_of(int triangle) const override {
    const std::array<int, 3>& t = mesh_->triangles[triangle];
    const Vector3& a = mesh_->vertices[t[0]];
    return rotation_ * (mesh_->vertices[t[1]] - a).cross(mesh_->vertices[t[2]] - a).normalized();
  }

  Edge edge(int edge) const override {
    if (edge >= first_diagonal()) {
      const int cell = edge - first_diagonal();
      const auto [i, j] = cell_of(cell);
      return {node(i, j), node(i + 1, j + 1), 2 * cell + 1, 2 * cell};
    }
    if (edge >= first_along_y()) {
      const int k = edge - first_along_y();
      const int i = k % (n_x_ + 1);
      const int j = k / (n_x_ + 1);
      if (i == 0) return {node(0, j + 1), node(0, j), upper(0, j), -1};
      return {node(i, j), node(i, j + 1), lower(i - 1, j), i < n_x_ ? upper(i, j) : -1};
    }
    const int i = edge % n_x_;
    const int j = edge / n_x_;
    if (j == n_y_) return {node(i + 1, j), node(i, j), upper(i, j - 1), -1};
    return {node(i, j), node(i + 1, j), lower(i, j), j > 0 ? upper(i, j - 1) : -1};
  }

  EdgeKind kind_of(int edge) const override;

  void find_edges_at(int vertex, std::vector<int>& edges) const override {
    const int i = vertex % (n_x_ + 1);
    const int j = vertex / (n_x_ + 1);
    edges.clear();
    if (i > 0) edges.push_back(along_x(i - 1, j));
    if (i < n_x_) edges.push_back(along_x(i, j));
    if (j > 0) edges.push_back(along_y(i, j - 1));
    if (j < n_y_) edges.push_back(along_y(i, j));
    if (i > 0 && j > 0) edges.push_back(diagonal(i - 1, j - 1));
    if (i < n_x_ && j < n_y_) edges.push_back(diagonal(i, j));
  }

  void find(const BoundingBox& box, std::vector<int>& triangles) const override;
  double find_distance(const Vector3& x) const override;
  bool holds(const Vector3& x) const override;

 private:
  int first_along_y() const { return n_x_ * (n_y_ + 1); }
  int first_diagonal() const { return first_along_y() + (n_x_ + 1) * n_y_; }
  int node(int i, int j) const { return j * (n_x_ + 1) + i; }
  int along_x(int i, int j) const { return j * n_x_ + i; }
  int along_y(int i, int j) const { return first_along_y() + j * (n_x_ + 1) + i; }
  int diagonal(int i, int j) const { return first_diagonal() + j * n_x_ + i; }
  int lower(int i, int j) const { return 2 * (j * n_x_ + i); }
  int upper(int i, int j) const { return lower(i, j) + 1; }
  std::pair<int, int> cell_of(int cell) const { return {cell % n_x_, cell / n_x_}; }

  /// The cell along an axis in whose column x [m] from the border lies; one at the border where it is beside.
  static int column(double x, double cell, int n) {
    return static_cast<int>(std::clamp(std::floor(x / cell), 0.0, static_cast<double>(n - 1)));
  }
  BoundingBox box_of(int triangle) const {
    const std::array<int, 3>& t = mesh_->triangles[triangle];
    const Vector3 a = vertex(t[0]);
    const Vector3 b = vertex(t[1]);
    const Vector3 c = vertex(t[2]);
    return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
  }
  Vector3 in_grid(const Vector3& x) const { return rotation_.transpose() * (x - position_); }

  std::shared_ptr<const TriangleMesh> mesh_;
  Vector3 position_;
  Matrix3 rotation_;
  Eigen::Vector2d half_, cell_;  // (2) [m]
  int n_x_, n_y_;                // [-] cells
  double precision_ = 0.0;       // [m] of heights
};

TriangleSurface::EdgeKind FieldSurface::kind_of(int edge) const {
  const Edge e = this->edge(edge);
  if (e.right < 0) return EdgeKind::border;
  const auto opposite = [&](int triangle) {
    const std::array<int, 3>& t = mesh_->triangles[triangle];
    const int v = *std::find_if(t.begin(), t.end(), [&](int corner) { return corner != e.tail && corner != e.head; });
    return Vector3(rotation_ * (mesh_->vertices[v] - mesh_->vertices[e.tail]));
  };
  double flat = kFlatAngle;
  if (precision_ > 0.0) {
    const Vector3 along = (rotation_ * (mesh_->vertices[e.head] - mesh_->vertices[e.tail])).normalized();
    const double height = std::min(along.cross(opposite(e.left)).norm(), along.cross(opposite(e.right)).norm());
    flat = std::max(flat, precision_ / height);
  }
  return classify_edge(normal_of(e.left), normal_of(e.right), opposite(e.right), flat);
}

void FieldSurface::find(const BoundingBox& box, std::vector<int>& triangles) const {
  triangles.clear();
  const Vector3 center = in_grid(0.5 * (box.lower + box.upper));
  const Vector3 reach = rotation_.transpose().cwiseAbs() * (0.5 * (box.upper - box.lower));
  const Eigen::Vector2d low = center.head<2>() - reach.head<2>() + half_;
  const Eigen::Vector2d high = center.head<2>() + reach.head<2>() + half_;
  if (low(0) > 2.0 * half_(0) || low(1) > 2.0 * half_(1) || high(0) < 0.0 || high(1) < 0.0) return;
  // A body on a line of the grid touches what is on both sides.
  constexpr double kBeside = 1e-9;  // [-] of a cell
  const Eigen::Vector2d beside = kBeside * cell_;
  const int last_i = column(high(0) + beside(0), cell_(0), n_x_);
  const int last_j = column(high(1) + beside(1), cell_(1), n_y_);
  for (int j = column(low(1) - beside(1), cell_(1), n_y_); j <= last_j; ++j) {
    for (int i = column(low(0) - beside(0), cell_(0), n_x_); i <= last_i; ++i) {
      for (const int t : {lower(i, j), upper(i, j)}) {
        if (box_of(t).overlaps(box)) triangles.push_back(t);
      }
    }
  }
}

/// Ring by ring of cells, until the next is further than what is found.
double FieldSurface::find_distance(const Vector3& x) const {
  const Vector3 at = in_grid(x);
  const int i = column(at(0) + half_(0), cell_(0), n_x_);
  const int j = column(at(1) + half_(1), cell_(1), n_y_);
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](int k, int l) {
    for (const int t : {lower(k, l), upper(k, l)}) {
      const std::array<int, 3>& v = mesh_->triangles[t];
      const TriangleFoot foot = find_foot(at, mesh_->vertices[v[0]], mesh_->vertices[v[1]], mesh_->vertices[v[2]]);
      least = std::min(least, (at - foot.foot).norm());
    }
  };
  const int rings = std::max({i, n_x_ - 1 - i, j, n_y_ - 1 - j});
  for (int ring = 0; ring <= rings && (ring - 1) * cell_.minCoeff() <= least; ++ring) {
    for (int l = std::max(j - ring, 0); l <= std::min(j + ring, n_y_ - 1); ++l) {
      const bool is_side = std::abs(l - j) == ring;
      for (int k = i - ring; k <= i + ring; k += is_side || ring == 0 ? 1 : 2 * ring) {
        if (k >= 0 && k < n_x_) look(k, l);
      }
    }
  }
  return least;
}

bool FieldSurface::holds(const Vector3& x) const {
  const Vector3 at = in_grid(x);
  if (std::abs(at(0)) > half_(0) || std::abs(at(1)) > half_(1)) return false;
  const int i = column(at(0) + half_(0), cell_(0), n_x_);
  const int j = column(at(1) + half_(1), cell_(1), n_y_);
  const Vector3& a = mesh_->vertices[node(i, j)];
  const bool is_lower = (at(0) - a(0)) * cell_(1) >= (at(1) - a(1)) * cell_(0);
  const std::array<int, 3>& t = mesh_->triangles[is_lower ? lower(i, j) : upper(i, j)];
  return (mesh_->vertices[t[1]] - a).cross(mesh_->vertices[t[2]] - a).dot(at - a) < 0.0;
}

}  // namespace

std::shared_ptr<const TriangleSurface> make_field_surface(std::shared_ptr<const TriangleMesh> mesh,
                                                          const HeightField& field, const Vector3& position,
                                                          const Matrix3& rotation) {
  return std::make_shared<FieldSurface>(std::move(mesh), field, position, rotation);
}

}  // namespace stickslip
