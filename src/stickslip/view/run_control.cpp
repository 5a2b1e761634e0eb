// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/run_control.h"

#include <algorithm>
#include <utility>

namespace stickslip {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

/// Longest sleep: whoever ends the run by a signal, which wakes nobody, waits this long.
constexpr milliseconds kNap{20};
/// How far ahead of the clock a run gets before it waits: a frame of a screen is 16 ms.
constexpr double kAhead = 2e-3;  // [s]
/// A run that is slower than its pace by more does not make up for it later.
constexpr double kBehind = 0.25;  // [s]
/// A page asks once a second at least: after this long it has gone.
constexpr std::chrono::seconds kSeen{3};
constexpr std::size_t kMostViewers = 1000;  // [-] names that are remembered

}  // namespace

void RunControl::begin_run(bool keeps_pause) {
  const std::lock_guard lock(mutex_);
  stop_.store(restart_.has_value());  // asked for since: at once again
  paused_ = paused_ && keeps_pause;
  steps_ = paused_ ? 1 : 0;
  anchored_ = false;
  change();
}

void RunControl::wait_at_start() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  steps_ = 0;
  change();
}

void RunControl::hold(double t, const std::function<void()>& save) {
  if (!paused_.load(std::memory_order_relaxed) && pace_.load(std::memory_order_relaxed) == Pace::fast) return;
  std::unique_lock lock(mutex_);
  bool saved = false;
  while (!stop_token().is_raised()) {
    const Clock::time_point now = Clock::now();
    if (paused_) {
      anchored_ = false;
      if (steps_ > 0) {
        --steps_;
        return;
      }
      if (is_alone(now)) {
        paused_ = false;
        change();
        continue;
      }
      if (!std::exchange(saved, true)) {
        lock.unlock();
        save();
        lock.lock();
        continue;
      }
      changed_.wait_for(lock, kNap);
      continue;
    }
    if (pace_.load() == Pace::fast) return;
    const double ahead = anchored_ ? t - anchor_t_ - duration<double>(now - anchor_).count() : 0.0;
    if (!anchored_ || ahead < -kBehind) {
      anchored_ = true;
      anchor_t_ = t;
      anchor_ = now;
      return;
    }
    if (ahead < kAhead) return;
    changed_.wait_for(lock, std::min<duration<double>>(duration<double>(ahead), kNap));
  }
}

std::optional<RunControl::Restart> RunControl::take_restart() {
  const std::lock_guard lock(mutex_);
  return std::exchange(restart_, std::nullopt);
}

void RunControl::wait_for_restart(milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return restart_.has_value(); });
}

void RunControl::pause() {
  const std::lock_guard lock(mutex_);
  if (!paused_) steps_ = 1;
  paused_ = true;
  change();
}

void RunControl::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  change();
}

void RunControl::step() {
  const std::lock_guard lock(mutex_);
  steps_ = paused_ ? steps_ + 1 : 1;
  paused_ = true;
  change();
}

void RunControl::set_pace(Pace pace) {
  const std::lock_guard lock(mutex_);
  pace_ = pace;
  anchored_ = false;
  change();
}

void RunControl::restart(const Parameters& parameters, const JointStarts& starts) {
  const std::lock_guard lock(mutex_);
  restart_ = {parameters, starts};
  stop_.store(true);
  change();
}

void RunControl::see_viewer(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  had_viewers_ = true;
  std::erase_if(viewers_, [this, now](const auto& viewer) { return now - viewer.second > patience_; });
  if (viewers_.size() < kMostViewers || viewers_.contains(name)) viewers_[name] = now;
}

RunControl::State RunControl::state() const {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const auto seen = std::ranges::count_if(viewers_, [now](const auto& viewer) { return now - viewer.second <= kSeen; });
  return {paused_, pace_, static_cast<int>(seen), revision_};
}

void RunControl::change() {
  ++revision_;
  changed_.notify_all();
}

bool RunControl::is_alone(Clock::time_point now) const {
  return had_viewers_ &&
         std::ranges::none_of(viewers_, [this, now](const auto& viewer) { return now - viewer.second <= patience_; });
}

}  // namespace stickslip
