// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/dense_packing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "stickslip/collision/broad_phase.h"

namespace stickslip {
namespace {

/// Share of a radius by which pairs are moved apart beyond touching. Overlaps fall by a constant factor in each sweep
/// and never quite to zero: with a margin there is an end. A larger one takes room from the densest packings. [-]
constexpr double kMargin = 1e-3;
/// Sweeps over all pairs at most. The densest packings stated take 500 to 2000; a box without room takes all. [-]
constexpr int kMaxSweeps = 20'000;
/// How far apart pairs are kept in the list, as a share of the smallest radius: a longer list, or one that is
/// made anew more often. [-]
constexpr double kListSkin = 0.3;

class Packing {
 public:
  Packing(const std::vector<double>& radii, const Vector3& low, const Vector3& high, int dim, Draws& draws)
      : radii_(radii), low_(low), high_(high), dim_(dim), places_(radii.size(), Vector3::Zero()) {
    for (std::size_t i = 0; i < radii.size(); ++i) {
      for (int k = 0; k < dim; ++k) places_[i](k) = draws.uniform(low(k) + radii[i], high(k) - radii[i]);
    }
    skin_ = kListSkin * *std::min_element(radii.begin(), radii.end());
    list_pairs();
  }

  bool separate() {
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      if (list_is_old()) list_pairs();
      bool overlap = false;
      for (const BroadPhase::Pair& pair : pairs_) overlap = separate(pair) || overlap;
      if (overlap) continue;
      // Balls that were moved since their pair was looked at: a second look decides.
      list_pairs();
      overlap = std::any_of(pairs_.begin(), pairs_.end(), [this](const BroadPhase::Pair& pair) {
        return (places_[pair.first] - places_[pair.second]).norm() < radii_[pair.first] + radii_[pair.second];
      });
      if (!overlap) return true;
    }
    return false;
  }

  std::vector<Vector3> take_places() { return std::move(places_); }

 private:
  /// Moves both balls by half of what they lack to the margin's distance; true where they overlap.
  bool separate(const BroadPhase::Pair& pair) {
    Vector3& x = places_[pair.first];
    Vector3& y = places_[pair.second];
    const double touching = radii_[pair.first] + radii_[pair.second];
    const double wanted = (1.0 + kMargin) * touching;
    Vector3 apart = y - x;
    const double distance = apart.norm();
    if (distance >= wanted) return false;
    if (distance > 0.0) {
      apart /= distance;
    } else {
      apart = Vector3::UnitX();
    }
    const double half = 0.5 * (wanted - distance);
    place(pair.first, x - half * apart);
    place(pair.second, y + half * apart);
    return distance < touching;
  }

  void place(int i, const Vector3& x) {
    for (int k = 0; k < dim_; ++k) places_[i](k) = std::clamp(x(k), low_(k) + radii_[i], high_(k) - radii_[i]);
  }

  bool list_is_old() const {
    const double most = 0.25 * skin_ * skin_;  // two balls may come nearer by half the skin each
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if ((places_[i] - listed_[i]).squaredNorm() > most) return true;
    }
    return false;
  }

  /// Pairs that can touch before a ball has moved by half the skin.
  void list_pairs() {
    listed_ = places_;
    boxes_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Vector3 reach = Vector3::Constant((1.0 + kMargin) * radii_[i] + 0.5 * skin_);
      boxes_.push_back({places_[i] - reach, places_[i] + reach});
    }
    broad_phase_.find(boxes_, pairs_);
  }

  const std::vector<double>& radii_;
  Vector3 low_;   // (3) [m]
  Vector3 high_;  // (3) [m]
  int dim_;
  std::vector<Vector3> places_;  // (3) [m] each
  std::vector<Vector3> listed_;  // places_ as the list was made
  BroadPhase broad_phase_;
  std::vector<BoundingBox> boxes_;  // (balls)
  std::vector<BroadPhase::Pair> pairs_;
  double skin_ = 0.0;  // [m]
};

/// Of the box, what the balls take. [-]
double calc_share(const std::vector<double>& radii, const Vector3& low, const Vector3& high, int dim) {
  double taken = 0.0;
  for (const double r : radii) taken += std::numbers::pi * (dim == 2 ? r * r : 4.0 / 3.0 * r * r * r);
  return taken / (high - low).head(dim).prod();
}

/// What no packing passes: copies of the box fill all of the space, where balls of one size take pi / sqrt(18) of it at
/// most [Hales2005], discs pi / sqrt(12), and others less than all. [-]
double find_largest_share(const std::vector<double>& radii, int dim) {
  const auto [least, most] = std::minmax_element(radii.begin(), radii.end());
  if (*least < *most) return 1.0;
  return std::numbers::pi / std::sqrt(dim == 2 ? 12.0 : 18.0);
}

}  // namespace

std::optional<std::vector<Vector3>> pack_balls(const std::vector<double>& radii, const Vector3& low,
                                               const Vector3& high, int dim, Draws& draws) {
  if (radii.empty()) return std::vector<Vector3>();
  if (calc_share(radii, low, high, dim) > find_largest_share(radii, dim)) return std::nullopt;
  Packing packing(radii, low, high, dim, draws);
  if (!packing.separate()) return std::nullopt;
  return packing.take_places();
}

}  // namespace stickslip
