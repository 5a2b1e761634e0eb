// SPDX-License-Identifier: BSD-3-Clause
// A mesh with a tree of boxes over its triangles.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "stickslip/collision/box_tree.h"
#include "stickslip/collision/triangle_surface.h"

namespace stickslip {
namespace {

class MeshSurface final : public TriangleSurface {
 public:
  MeshSurface(const TriangleMesh& mesh, const Vector3& position, const Matrix3& rotation) : triangles_(mesh.triangles) {
    double largest = 0.0;
    for (const Vector3& x : mesh.vertices) {
      vertices_.emplace_back(position + rotation * x);
      largest = std::max(largest, x.cwiseAbs().maxCoeff());
    }
    make_normals();
    make_edges();
    classify(mesh.is_single ? kSinglePrecision * largest : 0.0);
    std::vector<BoundingBox> boxes;
    boxes.reserve(triangles_.size());
    for (int t = 0; t < n_triangles(); ++t) boxes.push_back(box_of(t));
    tree_ = BoxTree(std::move(boxes));
    set_box(tree_.box());
    find_patches();
  }

  int n_vertices() const override { return static_cast<int>(vertices_.size()); }
  int n_edges() const override { return static_cast<int>(edges_.size()); }
  int n_triangles() const override { return static_cast<int>(triangles_.size()); }
  Vector3 vertex(int vertex) const override { return vertices_[vertex]; }
  std::array<int, 3> corners_of(int triangle) const override { return triangles_[triangle]; }
  std::array<int, 3> edges_of(int triangle) const override { return edges_of_[triangle]; }
  Vector3 normal_of(int triangle) const override { return normals_[triangle]; }
  Edge edge(int edge) const override { return edges_[edge]; }
  EdgeKind kind_of(int edge) const override { return kinds_[edge]; }

  void find_edges_at(int vertex, std::vector<int>& edges) const override {
    edges.assign(edges_at_.begin() + first_edge_[vertex], edges_at_.begin() + first_edge_[vertex + 1]);
  }

  void find(const BoundingBox& box, std::vector<int>& triangles) const override { tree_.find(box, triangles); }

  double find_distance(const Vector3& x) const override { return find_nearest(x).distance; }
  bool holds(const Vector3& x) const override;

 private:
  void make_normals() {
    for (const std::array<int, 3>& t : triangles_) {
      normals_.emplace_back((vertices_[t[1]] - vertices_[t[0]]).cross(vertices_[t[2]] - vertices_[t[0]]).normalized());
    }
  }
  void make_edges();
  void classify(double precision);
  TriangleFoot foot_on(int triangle, const Vector3& x) const;
  BoxTree::Nearest find_nearest(const Vector3& x) const;

  BoundingBox box_of(int triangle) const {
    const std::array<int, 3>& t = triangles_[triangle];
    return {vertices_[t[0]].cwiseMin(vertices_[t[1]]).cwiseMin(vertices_[t[2]]),
            vertices_[t[0]].cwiseMax(vertices_[t[1]]).cwiseMax(vertices_[t[2]])};
  }

  std::vector<Vector3> vertices_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<Vector3> normals_;
  std::vector<Edge> edges_;
  std::vector<EdgeKind> kinds_;
  std::vector<std::array<int, 3>> edges_of_;
  std::vector<int> first_edge_, edges_at_;
  BoxTree tree_;
};

void MeshSurface::make_edges() {
  edges_of_.assign(triangles_.size(), {-1, -1, -1});
  std::unordered_map<std::uint64_t, std::vector<int>> waiting;  // by tail and head: edges that have no right face yet
  waiting.reserve(2 * triangles_.size());
  const auto key = [](int from, int to) {
    return static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint64_t>(to);
  };
  for (int t = 0; t < n_triangles(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = triangles_[t][i];
      const int to = triangles_[t][(i + 1) % 3];
      const auto found = waiting.find(key(to, from));
      if (found != waiting.end() && !found->second.empty()) {
        const int e = found->second.front();
        found->second.erase(found->second.begin());
        edges_[e].right = t;
        edges_of_[t][i] = e;
        continue;
      }
      edges_of_[t][i] = n_edges();
      waiting[key(from, to)].push_back(n_edges());
      edges_.push_back({from, to, t, -1});
    }
  }
  first_edge_.assign(vertices_.size() + 1, 0);
  for (const Edge& e : edges_) {
    ++first_edge_[e.tail + 1];
    ++first_edge_[e.head + 1];
  }
  std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
  edges_at_.resize(2 * edges_.size());
  std::vector<int> next(first_edge_.begin(), first_edge_.end() - 1);
  for (int e = 0; e < n_edges(); ++e) {
    edges_at_[next[edges_[e].tail]++] = e;
    edges_at_[next[edges_[e].head]++] = e;
  }
}

/// precision [m]: how far corners are off.
void MeshSurface::classify(double precision) {
  kinds_.reserve(edges_.size());
  for (const Edge& e : edges_) {
    if (e.right < 0) {
      kinds_.push_back(EdgeKind::border);
      continue;
    }
    const auto opposite = [&](int triangle) {
      for (const int v : triangles_[triangle]) {
        if (v != e.tail && v != e.head) return Vector3(vertices_[v] - vertices_[e.tail]);
      }
      return Vector3(Vector3::Zero());
    };
    const Vector3 along = (vertices_[e.head] - vertices_[e.tail]).normalized();
    const double height = std::min(along.cross(opposite(e.left)).norm(), along.cross(opposite(e.right)).norm());
    kinds_.push_back(classify_edge(normals_[e.left], normals_[e.right], opposite(e.right),
                                   std::max(kFlatAngle, precision / height)));
  }
}

TriangleFoot MeshSurface::foot_on(int triangle, const Vector3& x) const {
  const std::array<int, 3>& t = triangles_[triangle];
  return find_foot(x, vertices_[t[0]], vertices_[t[1]], vertices_[t[2]]);
}

BoxTree::Nearest MeshSurface::find_nearest(const Vector3& x) const {
  return tree_.find_nearest(x, [&](int t) { return (x - foot_on(t, x).foot).norm(); });
}

bool MeshSurface::holds(const Vector3& x) const {
  const int nearest = find_nearest(x).index;
  std::vector<int> edges;
  return is_behind(*this, nearest, foot_on(nearest, x), x, edges);
}

}  // namespace

std::shared_ptr<const TriangleSurface> make_mesh_surface(const TriangleMesh& mesh, const Vector3& position,
                                                         const Matrix3& rotation) {
  return std::make_shared<MeshSurface>(mesh, position, rotation);
}

}  // namespace stickslip
