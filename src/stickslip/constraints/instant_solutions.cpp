// SPDX-License-Identifier: BSD-3-Clause
// How many solutions an instant has.
#include <algorithm>
#include <cmath>

#include "stickslip/constraints/instant.h"
#include "stickslip/math/dense_factors.h"

namespace stickslip {

/// With joints eliminated and friction following normal forces z, the instant is w = A z + b >= 0 perpendicular to z >=
/// 0 over the normal rows, A asymmetric. Takes each set of contacts that may have forces.
int Instant::count_solutions() {
  constexpr int kMaxNormals = 8;       // [-] 2^8 sets
  constexpr int kMaxBilateral = 100;   // [-] rows, in a dense matrix
  constexpr double kRank = 1e-11;      // [-] pivots below are round-off
  constexpr double kZero = 1e-10;      // [-] of the accelerations in play: a force or an acceleration that is none
  constexpr double kDifferent = 1e-7;  // [-] accelerations that are two
  if (sliding_.empty()) return InstantReport::kUnknown;
  std::vector<Eigen::Index> normal, bilateral;  // into the rows of the set
  std::vector<Vector> give;                     // (n_u) accelerations by a unit of each, the bilateral ones first
  const auto add = [&](int cone, const double* p) {
    std::ranges::fill(memory_.v, 0.0);
    add_response(cone, p);
    give.emplace_back(ConstVectorView(memory_.v.data(), free_.size()));
  };
  std::array<double, kMaxConeDim> p;
  double largest = 0.0;  // [1/kg] G_NN
  for (const Rows& rows : rows_) {
    const int offset = set_.problem().cones[rows.cone].offset;
    const Member& member = members_[rows.cone];
    if (member.mode == InstantMode::bilateral) {
      for (int r = 0; r < rows.n; ++r) bilateral.push_back(offset + r);
    } else if (set_.kind(rows.cone) == ConstraintSet::Kind::contact && !on_edge(rows.cone) &&
               (slides(rows.cone) || member.mu == 0.0) && !turns_held(rows.cone)) {
      normal.push_back(offset);
      problem_.calc_diagonal(static_cast<int>(&rows - rows_.data()), p.data());
      largest = std::max(largest, p[0]);
    } else {
      return InstantReport::kUnknown;
    }
  }
  const auto n = static_cast<Eigen::Index>(normal.size());
  const auto m = static_cast<Eigen::Index>(bilateral.size());
  if (n > kMaxNormals || m > kMaxBilateral) return InstantReport::kUnknown;
  for (const Rows& rows : rows_) {
    if (members_[rows.cone].mode != InstantMode::bilateral) continue;
    for (int r = 0; r < rows.n; ++r) {
      p.fill(0.0);
      p[r] = 1.0;
      add(rows.cone, p.data());
    }
  }
  for (const Rows& rows : rows_) {
    const Member& member = members_[rows.cone];
    if (member.mode == InstantMode::bilateral) continue;
    p.fill(0.0);
    p[0] = 1.0;
    for (int r = 0; r < member.n_friction; ++r) p[1 + r] = -member.mu * member.direction[r];
    for (const Turning& turning : turning(rows.cone)) {
      for (int r = 0; r < turning.n; ++r) p[turning.first + r] = -turning.direction[r];
    }
    add(rows.cone, p.data());
  }
  // Accelerations of all rows by each of them; and by forces and dry friction that slides.
  held_.assign(sliding_.size(), 0.0);
  set_friction(held_);
  Vector start = ConstVectorView(memory_.v.data(), free_.size());
  std::vector<double> of_rows(given_);
  set_.add_relative_velocities(start, of_rows);
  Vector c = ConstVectorView(of_rows.data(), set_.size());
  Matrix G(set_.size(), m + n);
  for (Eigen::Index k = 0; k < m + n; ++k) {
    of_rows.assign(set_.size(), 0.0);
    set_.add_relative_velocities(give[k], of_rows);
    G.col(k) = ConstVectorView(of_rows.data(), set_.size());
  }
  Matrix A = G(normal, Eigen::seqN(m, n));
  Vector b = c(normal);
  Matrix motion(free_.size(), n);  // u' = motion z + what does not depend on z
  for (Eigen::Index k = 0; k < n; ++k) motion.col(k) = give[m + k];
  if (m > 0) {
    const Matrix held = G(bilateral, Eigen::seqN(0, m));
    const PivotedQr factors(held, kRank);
    const Matrix by_normal = factors.solve(Matrix(G(bilateral, Eigen::seqN(m, n))));
    const Vector by_given = factors.solve(Vector(c(bilateral)));
    if ((held * by_given - c(bilateral)).norm() > kZero * c(bilateral).norm()) return InstantReport::kUnknown;
    A -= G(normal, Eigen::seqN(0, m)) * by_normal;
    b -= G(normal, Eigen::seqN(0, m)) * by_given;
    for (Eigen::Index j = 0; j < m; ++j) motion -= give[j] * by_normal.row(j);
  }
  std::vector<Vector> found;              // motion z
  std::size_t least = normal.size() + 1;  // contacts with forces
  bool is_certain = true;
  for (unsigned set = 0; set < 1u << n; ++set) {
    std::vector<Eigen::Index> pushed;
    for (Eigen::Index k = 0; k < n; ++k) {
      if ((set >> k & 1u) != 0) pushed.push_back(k);
    }
    Vector z = Vector::Zero(n);
    if (!pushed.empty()) {
      const Matrix own = A(pushed, pushed);
      const PivotedQr factors(own, kRank);
      const bool vanishes = own.cwiseAbs().maxCoeff() <= kRank * largest;
      if (vanishes || factors.rank() < static_cast<Eigen::Index>(pushed.size())) {
        is_certain = false;
        continue;
      }
      z(pushed) = factors.solve(Vector(-b(pushed)));
    }
    const Vector w = A * z + b;
    const double zero = kZero * (b.cwiseAbs().maxCoeff() + A.cwiseAbs().maxCoeff() * z.cwiseAbs().maxCoeff());
    const auto pushes = [&](Eigen::Index k) { return A.col(k).cwiseAbs().maxCoeff() * z(k) > zero; };
    if (!std::ranges::all_of(pushed, pushes) || !(w.minCoeff() >= -zero)) continue;
    const Vector moves = motion * z;
    const auto is_same = [&](const Vector& other) {
      return (other - moves).norm() <= kDifferent * (moves.norm() + free_.norm());
    };
    if (std::ranges::none_of(found, is_same)) found.push_back(moves);
    if (pushed.size() >= least) continue;
    least = pushed.size();
    counted_.clear();
    for (const int cone : sliding_) {
      const auto of_cone = std::ranges::find(normal, Eigen::Index{set_.problem().cones[cone].offset});
      counted_.push_back(z(of_cone - normal.begin()));
    }
  }
  if (found.empty() && !is_certain) return InstantReport::kUnknown;
  return static_cast<int>(found.size());
}

}  // namespace stickslip
