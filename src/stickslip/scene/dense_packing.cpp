// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/dense_packing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

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

/// Cells along one side at most, so that their product stays far from overflow. [-]
constexpr double kMostCells = 1e6;

class Packing {
 public:
  Packing(const std::vector<double>& radii, const Vector3& low, const Vector3& high, int dim, Draws& draws)
      : radii_(radii), low_(low), high_(high), dim_(dim), places_(radii.size(), Vector3::Zero()) {
    for (std::size_t i = 0; i < radii.size(); ++i) {
      for (int k = 0; k < dim; ++k) places_[i](k) = draws.uniform(low(k) + radii[i], high(k) - radii[i]);
    }
    skin_ = kListSkin * *std::min_element(radii.begin(), radii.end());
    cell_ = 2.0 * (1.0 + kMargin) * *std::max_element(radii.begin(), radii.end()) + skin_;
    list_pairs();
  }

  bool separate() {
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      if (list_is_old()) list_pairs();
      bool overlap = false;
      for (const Pair& pair : pairs_) overlap = separate(pair) || overlap;
      if (overlap) continue;
      // Balls that were moved since their pair was looked at: a second look decides.
      list_pairs();
      overlap = std::any_of(pairs_.begin(), pairs_.end(), [this](const Pair& pair) {
        return (places_[pair.i] - places_[pair.j]).norm() < radii_[pair.i] + radii_[pair.j];
      });
      if (!overlap) return true;
    }
    return false;
  }

  std::vector<Vector3> take_places() { return std::move(places_); }

 private:
  struct Pair {
    std::size_t i;
    std::size_t j;
  };

  /// Moves both balls by half of what they lack to the margin's distance; true where they overlap.
  bool separate(const Pair& pair) {
    Vector3& x = places_[pair.i];
    Vector3& y = places_[pair.j];
    const double touching = radii_[pair.i] + radii_[pair.j];
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
    place(pair.i, x - half * apart);
    place(pair.j, y + half * apart);
    return distance < touching;
  }

  void place(std::size_t i, const Vector3& x) {
    for (int k = 0; k < dim_; ++k) places_[i](k) = std::clamp(x(k), low_(k) + radii_[i], high_(k) - radii_[i]);
  }

  bool list_is_old() const {
    const double most = 0.25 * skin_ * skin_;  // two balls may come nearer by half the skin each
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if ((places_[i] - listed_[i]).squaredNorm() > most) return true;
    }
    return false;
  }

  /// Pairs that can touch before a ball has moved by half the skin, by cells as large as the largest pair.
  void list_pairs() {
    listed_ = places_;
    std::array<std::int64_t, 3> n = {1, 1, 1};
    for (int k = 0; k < dim_; ++k) {
      n[k] = static_cast<std::int64_t>(std::clamp((high_(k) - low_(k)) / cell_, 1.0, kMostCells));
    }
    // A box with few balls in it has fewer and larger cells.
    const auto enough = static_cast<std::int64_t>(8 * places_.size());
    while (n[0] * n[1] * n[2] > enough) {
      std::int64_t& most = *std::max_element(n.begin(), n.end());
      most = (most + 1) / 2;
    }
    const auto cell_of = [&](const Vector3& x, int k) {
      const double along = (x(k) - low_(k)) / (high_(k) - low_(k)) * static_cast<double>(n[k]);
      return std::clamp<std::int64_t>(static_cast<std::int64_t>(along), 0, n[k] - 1);
    };
    const auto index_of = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      return static_cast<std::size_t>((a * n[1] + b) * n[2] + c);
    };
    std::vector<std::vector<std::size_t>> cells(index_of(n[0] - 1, n[1] - 1, n[2] - 1) + 1);
    std::vector<std::array<std::int64_t, 3>> at(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      at[i] = {cell_of(places_[i], 0), cell_of(places_[i], 1), dim_ == 3 ? cell_of(places_[i], 2) : 0};
      cells[index_of(at[i][0], at[i][1], at[i][2])].push_back(i);
    }
    pairs_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::int64_t a = std::max<std::int64_t>(at[i][0] - 1, 0); a <= std::min(at[i][0] + 1, n[0] - 1); ++a) {
        for (std::int64_t b = std::max<std::int64_t>(at[i][1] - 1, 0); b <= std::min(at[i][1] + 1, n[1] - 1); ++b) {
          for (std::int64_t c = std::max<std::int64_t>(at[i][2] - 1, 0); c <= std::min(at[i][2] + 1, n[2] - 1); ++c) {
            for (const std::size_t j : cells[index_of(a, b, c)]) {
              const double reach = (1.0 + kMargin) * (radii_[i] + radii_[j]) + skin_;
              if (j > i && (places_[i] - places_[j]).squaredNorm() < reach * reach) pairs_.push_back({i, j});
            }
          }
        }
      }
    }
  }

  const std::vector<double>& radii_;
  Vector3 low_;   // (3) [m]
  Vector3 high_;  // (3) [m]
  int dim_;
  std::vector<Vector3> places_;  // (3) [m] each
  std::vector<Vector3> listed_;  // places_ as the list was made
  std::vector<Pair> pairs_;
  double skin_ = 0.0;  // [m]
  double cell_ = 0.0;  // [m]
};

}  // namespace

std::optional<std::vector<Vector3>> pack_balls(const std::vector<double>& radii, const Vector3& low,
                                               const Vector3& high, int dim, Draws& draws) {
  if (radii.empty()) return std::vector<Vector3>();
  Packing packing(radii, low, high, dim, draws);
  if (!packing.separate()) return std::nullopt;
  return packing.take_places();
}

}  // namespace stickslip
