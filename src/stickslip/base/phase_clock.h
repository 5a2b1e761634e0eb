// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

namespace stickslip {

/// Where the processor time of a run goes.
enum class Phase : int {
  load,        // reading the scene and building its system
  detection,   // finding contacts
  gather,      // the contact problem of a step
  solve,       // its solution
  projection,  // putting positions right
  motion,      // the rest of steps: forces, velocities, positions, energies
  report,      // judging a step by its shapes, its contacts and the limits
  output,      // rows of results, and all else outside of steps
};
inline constexpr int kPhases = 8;
/// "load", "detection", ...
std::string_view phase_name(Phase phase);

/// Sums up the processor time of the process by phases, that before it was made as `load`. One at a time counts, from
/// activate() on, in the thread that calls it; without one a PhaseScope costs a comparison.
class PhaseClock {
 public:
  PhaseClock() = default;
  ~PhaseClock();
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

  void activate();
  bool is_active() const;
  /// Of each phase so far, the present one included; their sum is that of the process. [s]
  const std::array<double, kPhases>& seconds();

 private:
  friend class PhaseScope;
  Phase enter(Phase phase);

  Phase phase_ = Phase::load;
  double since_ = 0.0;  // [s] of the process, when the present phase began
  std::array<double, kPhases> seconds_ = {};
};

/// What its block does belongs to a phase, but for phases within.
class PhaseScope {
 public:
  explicit PhaseScope(Phase phase);
  ~PhaseScope();
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  PhaseClock* clock_;
  Phase before_ = Phase::load;
};

}  // namespace stickslip
