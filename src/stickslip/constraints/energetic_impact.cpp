// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/energetic_impact.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/cone/cone.h"
#include "stickslip/math/types.h"

namespace stickslip {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
/// Slip below this part of the velocities of the impact is none. [-]
constexpr double kNoSlip = 1e-11;
/// Tangential velocity of a unit of percussion below this part of the normal one is round-off: joints hold it. [-]
constexpr double kHeld = 1e-12;
/// Turns of the slip's direction in a step of the path, as its rate over its size: the error of a step of fourth order
/// is the fifth power. [-]
constexpr double kTurn = 0.02;
/// Steps at most: slip that stops halves some thirty times, each in about a hundred. [-]
constexpr int kMaxSteps = 20000;
/// Halvings that place the end of a phase within a step. [-]
constexpr int kHalvings = 60;

/// Velocities, percussions and the work of the normal ones, along the path.
class ImpactPath {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxConeDim, 1>;
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxConeDim, kMaxConeDim>;

  ImpactPath(std::span<const double> w, double mu, std::span<const double> before)
      : d_(static_cast<int>(before.size()) - 1),
        mu_(mu),
        w_(Eigen::Map<const RowMatrix>(w.data(), d_ + 1, d_ + 1)),
        u_(ConstVectorView(before.data(), d_ + 1)),
        p_(Rows::Zero(d_ + 1)),
        scale_(u_.norm()) {
    choose_mode();
  }

  bool go(double e) {
    for (int i = 0; u_(0) < 0.0; ++i) {
      if (i == kMaxSteps || !step([](const ImpactPath& at) { return at.u_(0) < 0.0; })) return false;
    }
    const double target = work_ - e * e * work_;  // the work of the compression is below zero
    for (int i = 0; work_ < target; ++i) {
      if (i == kMaxSteps || !step([target](const ImpactPath& at) { return at.work_ < target; })) return false;
    }
    return true;
  }
  const Rows& percussion() const { return p_; }

 private:
  /// (dim) What the percussions of a unit of normal percussion are.
  Rows directions() const {
    Rows unit(d_ + 1);
    unit(0) = 1.0;
    if (slides_) {
      const double slip = u_.tail(d_).norm();
      unit.tail(d_) = -mu_ * (has_way_ || !(slip > 0.0) ? way_ : Rows(u_.tail(d_) / slip));
    } else {
      unit.tail(d_) = hold_;
    }
    return unit;
  }

  /// Whether what has stopped sticks, else where it slips from then on: along its own acceleration,
  /// (mu W_TT + lambda) s = W_TN with lambda > 0, of length one.
  void choose_mode() {
    slides_ = false;
    has_way_ = false;
    hold_ = Rows::Zero(d_);
    way_ = hold_;
    if (d_ == 0) return;
    if (u_.tail(d_).norm() > kNoSlip * scale_) {
      slides_ = true;
      return;
    }
    u_.tail(d_).setZero();
    const Block tangential = w_.bottomRightCorner(d_, d_);
    const Rows by_normal = w_.col(0).tail(d_);
    const Eigen::SelfAdjointEigenSolver<Block> ways(tangential);
    for (int i = 0; i < d_; ++i) {
      const double ease = ways.eigenvalues()(i);
      if (ease > kHeld * w_(0, 0))
        hold_ -= ways.eigenvectors().col(i).dot(by_normal) / ease * ways.eigenvectors().col(i);
    }
    if (hold_.norm() <= mu_) return;
    slides_ = true;
    has_way_ = true;
    const auto solve = [&](double lambda) {
      return Rows((mu_ * tangential + lambda * Block::Identity(d_, d_)).llt().solve(by_normal));
    };
    double low = 0.0;
    double high = by_normal.norm();  // where s is shorter than one
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      (solve(middle).norm() > 1.0 ? low : high) = middle;
    }
    way_ = solve(high).normalized();
  }

  /// Moves by a normal percussion; where the direction of slip turns by a Runge-Kutta step of fourth order.
  void move(double by) {
    const Rows start = u_;
    if (!turns()) {
      const Rows unit = directions();
      const Rows rate = w_ * unit;
      p_ += by * unit;
      u_ += by * rate;
      work_ += by * (start(0) + 0.5 * by * rate(0));
      return;
    }
    Rows unit[4];
    Rows sum = Rows::Zero(d_ + 1);
    constexpr double kAt[4] = {0.0, 0.5, 0.5, 1.0};
    constexpr double kWeight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double work = 0.0;
    Rows rate = Rows::Zero(d_ + 1);
    for (int k = 0; k < 4; ++k) {
      u_ = start + (by * kAt[k]) * rate;
      unit[k] = directions();
      rate = w_ * unit[k];
      sum += kWeight[k] * unit[k];
      work += kWeight[k] * u_(0);
    }
    p_ += by * sum;
    u_ = start + by * (w_ * sum);
    work_ += by * work;
  }

  /// Whether the direction of slip does.
  bool turns() const { return slides_ && !has_way_ && d_ > 1; }

  /// The normal percussion after which slip along a line stops.
  double stops_after(const Rows& rate) const {
    if (!slides_ || has_way_) return kEndless;
    const double slip = u_.tail(d_).norm();
    const double along = u_.tail(d_).dot(rate.tail(d_)) / slip;
    if (turns()) return kTurn * slip / rate.tail(d_).norm();
    return along < 0.0 ? -slip / along : kEndless;
  }

  /// One step within a phase, to its end at most.
  template <class Goes>
  bool step(const Goes& goes_on) {
    const Rows rate = w_ * directions();
    double most = stops_after(rate);
    const bool may_stop = std::isfinite(most);
    if (!may_stop || turns()) {
      // Beyond the end of the phase: of the compression u_N / rate, of the expansion no more than as much again.
      const double whole = rate(0) > 0.0 ? 4.0 * (scale_ + std::abs(u_(0))) / rate(0) : kEndless;
      most = std::min(most, whole);
    }
    if (!std::isfinite(most)) return false;
    const ImpactPath start = *this;
    move(most);
    if (goes_on(*this)) {
      if (may_stop && !turns()) u_.tail(d_).setZero();
      if (!has_way_) choose_mode();
      return true;
    }
    double low = 0.0;
    double high = most;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      *this = start;
      move(middle);
      (goes_on(*this) ? low : high) = middle;
    }
    *this = start;
    move(high);
    return true;
  }

  int d_;
  double mu_;
  Block w_;
  Rows u_, p_;
  double scale_;
  double work_ = 0.0;
  bool slides_ = false;
  bool has_way_ = false;
  Rows hold_, way_;
};

}  // namespace

bool calc_energetic_impact(std::span<const double> w, double mu, double e, std::span<const double> before,
                           std::span<double> percussion) {
  STICKSLIP_ASSERT(!before.empty() && before.size() <= kMaxConeDim && w.size() == before.size() * before.size());
  ImpactPath path(w, mu, before);
  if (!path.go(e)) return false;
  std::copy_n(path.percussion().data(), percussion.size(), percussion.data());
  return true;
}

}  // namespace stickslip
