// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds of the narrow phase by kind of pair and by how the pair lies: at rest face on face, anyhow and touching,
// anyhow and a hundredth of their size apart, too far apart to matter. First what the machine gives, so that the
// figures can be compared.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The least time of a few rounds. [s]
template <class Work>
double time_of(const Work& work, int rounds) {
  double least = 1e300;
  for (int k = 0; k < rounds; ++k) {
    const double start = seconds_now();
    work();
    least = std::min(least, seconds_now() - start);
  }
  return least;
}

void calibrate() {
  constexpr int kLanes = 8;
  constexpr int kRounds = 20'000'000;
  volatile double start = 1.0;  // so that nothing is known of what follows
  std::array<double, kLanes> x;
  x.fill(static_cast<double>(start));
  const double seconds = time_of(
      [&] {
        for (int k = 0; k < kRounds; ++k) {
          for (double& lane : x) lane = lane * 0.999999 + 1e-6;
        }
        start = x[0];
      },
      3);
  fmt::print("calibration,{:.3g} multiply-adds/s,{:.0f}\n", kLanes * static_cast<double>(kRounds) / seconds, x[0]);
}

struct Placed {
  Placement first, second;
};

class Bench {
 public:
  void run(const std::string& name, const Solid& first, const Solid& second, bool flat) {
    if (flat) measure(name, "at rest", first, second, 0.0, true);
    measure(name, "touching", first, second, 0.0, false);
    measure(name, "near", first, second, 0.01, false);
    measure(name, "far", first, second, 1.0, false);
  }

 private:
  Vector3 draw_direction() {
    std::normal_distribution<double> normal;
    const double x = normal(random_);
    const double y = normal(random_);
    return Vector3(x, y, normal(random_)).normalized();
  }

  void measure(const std::string& name, const char* how, const Solid& first, const Solid& second, double gap,
               bool flat) {
    constexpr int kPairs = 256;
    constexpr double kWithin = 0.05;  // [m]
    std::uniform_real_distribution<double> angle(0.0, 6.0);
    std::vector<Placed> pairs;
    for (int k = 0; k < kPairs; ++k) {
      Placed placed;
      placed.first.R = axis_angle_matrix(draw_direction(), angle(random_));
      Vector3 direction = draw_direction();
      if (flat) {
        direction = placed.first.R.col(2);
        placed.second.R = placed.first.R * axis_angle_matrix(Vector3::UnitZ(), angle(random_));
      } else {
        placed.second.R = axis_angle_matrix(draw_direction(), angle(random_));
      }
      placed.second.p = 3.0 * direction;
      for (int step = 0; step < 40; ++step) {
        narrow_.calc_manifold(first, placed.first, second, placed.second, 1e300, points_);
        const auto nearest = std::min_element(points_.begin(), points_.end(),
                                              [](const auto& a, const auto& b) { return a.gap < b.gap; });
        const double rate = nearest->normal.dot(direction);
        if (std::abs(nearest->gap - gap) < 1e-12 || rate < 0.1) break;
        placed.second.p -= (nearest->gap - gap) / rate * direction;
      }
      if (flat) placed.second.p += placed.first.R * Vector3(0.2, 0.1, 0.0);
      pairs.push_back(placed);
    }
    std::size_t n_points = 0;
    constexpr int kRepeats = 20;
    const double seconds = time_of(
        [&] {
          n_points = 0;
          for (int repeat = 0; repeat < kRepeats; ++repeat) {
            for (const Placed& placed : pairs) {
              narrow_.calc_manifold(first, placed.first, second, placed.second, kWithin, points_);
              n_points += points_.size();
            }
          }
        },
        9);
    constexpr double kCalls = kPairs * kRepeats;
    fmt::print("{},{},{:.0f},{:.2f}\n", name, how, 1e9 * seconds / kCalls, static_cast<double>(n_points) / kCalls);
  }

  std::mt19937 random_{3};
  NarrowPhase narrow_;
  std::vector<ManifoldPoint> points_;
};

Solid solid_of(ShapeGeometry geometry) {
  Shape shape;
  shape.geometry = std::move(geometry);
  return make_solid(shape, false);
}

/// Points on a sphere of diameter 1, evenly by the golden angle.
Convex round_hull(int n) {
  Convex convex;
  for (int k = 0; k < n; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / n;
    const double across = std::sqrt(1.0 - z * z);
    const double angle = 2.399963229728653 * k;
    convex.points.push_back(0.5 * Vector3(across * std::cos(angle), across * std::sin(angle), z));
  }
  return convex;
}

void run_all() {
  calibrate();
  fmt::print("pair,how,ns,points\n");
  const Solid sphere = solid_of(Sphere{0.5, false});
  const Solid capsule = solid_of(Capsule{0.2, 0.6});
  const Solid box = solid_of(Box{{1.0, 0.9, 0.8}});
  Convex prism;
  for (int k = 0; k < 6; ++k) {
    for (const double z : {-0.4, 0.4}) {
      prism.points.emplace_back(0.5 * std::cos(k * M_PI / 3.0), 0.5 * std::sin(k * M_PI / 3.0), z);
    }
  }
  const Solid hull = solid_of(prism);
  const Solid large = solid_of(round_hull(200));
  const Solid larger = solid_of(round_hull(1000));
  const Solid cylinder = solid_of(Cylinder{0.3, 0.8});
  const Solid ellipsoid = solid_of(Ellipsoid{Vector3(0.5, 0.4, 0.3)});
  Bench bench;
  bench.run("sphere-sphere", sphere, sphere, false);
  bench.run("capsule-sphere", capsule, sphere, false);
  bench.run("capsule-capsule", capsule, capsule, false);
  bench.run("box-sphere", box, sphere, false);
  bench.run("box-capsule", box, capsule, false);
  bench.run("box-box", box, box, true);
  bench.run("box-hull of 12", box, hull, true);
  bench.run("hull of 12-hull of 12", hull, hull, true);
  bench.run("hull of 200-sphere", large, sphere, false);
  bench.run("hull of 200-hull of 200", large, large, false);
  bench.run("hull of 1000-hull of 1000", larger, larger, false);
  bench.run("cylinder-capsule", cylinder, capsule, false);
  bench.run("cylinder-box", cylinder, box, false);
  bench.run("cylinder-hull of 12", cylinder, hull, false);
  bench.run("cylinder-ellipsoid", cylinder, ellipsoid, false);
  bench.run("cylinder-cylinder", cylinder, cylinder, false);
}

}  // namespace
}  // namespace stickslip

int main() {
  stickslip::run_all();
  return 0;
}
