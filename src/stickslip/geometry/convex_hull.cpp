// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/convex_hull.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "stickslip/base/input_error.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace stickslip {
namespace {

/// Frees what Qhull allocated for one hull.
struct QhullSession {
  qhT qh{};
  QhullSession() { qh_zero(&qh, nullptr); }
  QhullSession(const QhullSession&) = delete;
  QhullSession& operator=(const QhullSession&) = delete;
  ~QhullSession() {
    qh_freeqhull(&qh, !qh_ALL);
    int long_memory = 0;
    int long_blocks = 0;
    qh_memfreeshort(&qh, &long_memory, &long_blocks);
  }
};

}  // namespace

ConvexHull make_convex_hull(std::span<const Vector3> points, bool planar) {
  const int dim = planar ? 2 : 3;
  const InputError flat(planar ? "convex: the points must span an area" : "convex: the points must span a volume");
  if (static_cast<int>(points.size()) <= dim) throw flat;
  std::vector<coordT> coordinates;
  coordinates.reserve(points.size() * dim);
  for (const Vector3& p : points) coordinates.insert(coordinates.end(), p.data(), p.data() + dim);

  // Qhull prints its complaints to a FILE; they go nowhere, the exit code says enough.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> quiet(std::fopen("/dev/null", "w"), std::fclose);
  const auto session = std::make_unique<QhullSession>();
  qhT* const qh = &session->qh;
  char options[] = "qhull Qt";  // Qt: split flat facets with more corners into simplices
  const int failed = qh_new_qhull(qh, dim, static_cast<int>(points.size()), coordinates.data(), False, options,
                                  quiet.get(), quiet.get());
  if (failed != 0) throw flat;

  ConvexHull hull;
  facetT* facet = nullptr;
  FORALLfacets {
    std::array<int, 3> corners = {-1, -1, -1};
    int n = 0;
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FOREACHvertex_(facet->vertices) {
      if (n < dim) corners[n++] = qh_pointid(qh, vertex->point);
    }
    hull.facets.push_back(corners);
  }
  for (const auto& corners : hull.facets) {
    for (int j = 0; j < dim; ++j) hull.vertices.push_back(corners[j]);
  }
  std::sort(hull.vertices.begin(), hull.vertices.end());
  hull.vertices.erase(std::unique(hull.vertices.begin(), hull.vertices.end()), hull.vertices.end());
  return hull;
}

}  // namespace stickslip
