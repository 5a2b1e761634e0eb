// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/phase_clock.h"

#include <ctime>

namespace stickslip {
namespace {

thread_local PhaseClock* active_clock = nullptr;

/// Processor time of all threads of the process. [s]
double process_seconds() {
  timespec t = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kNames = {"load",       "detection", "gather", "solve",
                                                            "projection", "motion",    "report", "output"};
  return kNames[static_cast<std::size_t>(phase)];
}

PhaseClock::~PhaseClock() {
  if (is_active()) active_clock = nullptr;
}

void PhaseClock::activate() {
  active_clock = this;
}

bool PhaseClock::is_active() const {
  return active_clock == this;
}

const std::array<double, kPhases>& PhaseClock::seconds() {
  (void)enter(phase_);
  return seconds_;
}

/// The phase before.
Phase PhaseClock::enter(Phase phase) {
  const double now = process_seconds();
  seconds_[static_cast<std::size_t>(phase_)] += now - since_;
  since_ = now;
  const Phase before = phase_;
  phase_ = phase;
  return before;
}

PhaseScope::PhaseScope(Phase phase) : clock_(active_clock) {
  if (clock_ != nullptr) before_ = clock_->enter(phase);
}

PhaseScope::~PhaseScope() {
  if (clock_ != nullptr) clock_->enter(before_);
}

}  // namespace stickslip
