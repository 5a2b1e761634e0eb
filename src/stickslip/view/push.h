// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/model/inputs.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// What a viewer who drags a body wants: a point of the body at a place.
struct Push {
  int body = 0;
  Vector3 at = Vector3::Zero();      // (3) [m] body frame
  Vector3 target = Vector3::Zero();  // (3) [m] world
  bool operator==(const Push&) const = default;
};

/// Why a body cannot be pushed; empty: it can.
std::string find_push_defect(const Body& body);

/// The force of a push in a step of this length [s]: a spring and a damper between the point and the target,
///   F = m_at (omega^2 (target - x) - 2 omega v),   x, v of the point at the start of the step,
/// critically damped for the mass m_at that the point shows in the direction in which it is lightest. Joints and
/// contacts make it heavier, so the force, which is constant in the step, is stable where omega step is well below 1:
/// omega is the rate of a hand, or a share of 1 / step where that is less. A limit of F / m_at keeps a far target from
/// throwing the body. push.cpp has these constants.
BodyInput calc_push(const System& system, const State& state, const Push& push, double step);

/// Hands the pushes of viewers to the run. Viewers repeat them while they hold a body; one that is not repeated ends.
class Pusher {
 public:
  using Clock = std::chrono::steady_clock;
  /// A push that is not repeated ends after this long.
  static constexpr std::chrono::seconds kPatience{1};

  explicit Pusher(Clock::duration patience = kPatience) : patience_(patience) {}

  // --- the run's side
  /// A run of this system begins, with steps of this length [s]; 0: automatic.
  void begin_run(const System& system, double step);
  /// No run goes on.
  void end_run();
  /// Whether a viewer pushes.
  bool is_active() const;
  /// The inputs of the next step: those of the push, or none.
  void set_inputs(const System& system, const State& state, Inputs& inputs) const;

  // --- viewers' side; any thread
  /// Why not; empty: the run takes it.
  std::string push(const Push& push);
  void release();

 private:
  std::optional<Push> find() const;

  const Clock::duration patience_;
  mutable std::mutex mutex_;
  std::vector<std::string> defects_;  // (bodies) why not, empty: it can be pushed; none: no run goes on
  double step_ = 0.0;                 // [s]
  std::optional<Push> push_;
  Clock::time_point pushed_at_{};
};

}  // namespace stickslip
