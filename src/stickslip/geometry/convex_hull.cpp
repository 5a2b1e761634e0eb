// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/convex_hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>

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

// Eigen's allFinite() subtracts infinities, which traps where invalid operations do.
bool is_finite(const Vector3& p, int dim) {
  return std::all_of(p.data(), p.data() + dim, [](double x) { return std::isfinite(x); });
}

/// Where points lie: Qhull's tolerances grow with the largest coordinate, so it is given points around the origin.
struct Placed {
  Vector3 middle = Vector3::Zero();  // (3) [m]
  double scale = 0.0;                // [m] a power of two about the largest distance from the middle; 0: all the same
};

Placed place_for_qhull(std::span<const Vector3> points, int dim) {
  Vector3 low = points[0];
  Vector3 high = points[0];
  for (const Vector3& p : points) {
    if (!is_finite(p, dim) || p.head(dim).cwiseAbs().maxCoeff() > kMaxHullCoordinate) {
      throw InputError(fmt::format("convex: finite coordinates up to {:g} m", kMaxHullCoordinate));
    }
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  Placed placed;
  placed.middle.head(dim) = 0.5 * (low + high).head(dim);
  const double reach = 0.5 * (high - low).head(dim).maxCoeff();
  if (reach >= std::numeric_limits<double>::min()) placed.scale = std::ldexp(1.0, std::ilogb(reach));
  return placed;
}

}  // namespace

ConvexHull make_convex_hull(std::span<const Vector3> points, bool planar) {
  const int dim = planar ? 2 : 3;
  const InputError flat(planar ? "convex: the points must span an area" : "convex: the points must span a volume");
  if (static_cast<int>(points.size()) <= dim) throw flat;
  const Placed placed = place_for_qhull(points, dim);
  if (!(placed.scale > 0.0)) throw flat;
  std::vector<coordT> coordinates;
  coordinates.reserve(points.size() * dim);
  for (const Vector3& p : points) {
    const Vector3 x = (p - placed.middle) / placed.scale;
    coordinates.insert(coordinates.end(), x.data(), x.data() + dim);
  }

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

std::vector<Vector3> find_hull_corners(std::span<const Vector3> points, bool planar) {
  const auto less = [](const Vector3& a, const Vector3& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::set<Vector3, decltype(less)> known(less);
  std::vector<Vector3> distinct;
  for (const Vector3& p : points) {
    // What is not finite has no order; make_convex_hull() says what is wrong with it.
    if (!is_finite(p, 3) || known.insert(p).second) distinct.push_back(p);
  }
  std::vector<Vector3> corners;
  for (const int k : make_convex_hull(distinct, planar).vertices) corners.push_back(distinct[k]);
  return corners;
}

}  // namespace stickslip
