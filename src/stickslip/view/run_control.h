// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "stickslip/base/stop_token.h"
#include "stickslip/view/start_pose.h"

namespace stickslip {

enum class Pace { real, fast };

/// Commands of viewers to a run: pace, pause, single steps, stop, restart. The run checks them before each step;
/// viewers give them from the server's thread.
class RunControl {
 public:
  using Clock = std::chrono::steady_clock;
  /// A paused run continues this long after the last viewer was seen; it waits for the first one.
  static constexpr std::chrono::seconds kPatience{10};

  explicit RunControl(Pace pace, Clock::duration patience = kPatience) : patience_(patience), pace_(pace) {}

  // --- the run's side
  /// A run begins, without commands; keeps_pause: one that went on until now, which stays paused after one more step.
  void begin_run(bool keeps_pause = false);
  /// The run that has begun waits before its first step until a viewer says otherwise.
  void wait_at_start();
  /// Before a step from simulated time t [s]: waits as the pace or a pause requires. Calls `save` once if that may be
  /// long. Returns at once if the run is to stop.
  void hold(double t, const std::function<void()>& save);
  /// Whether each step is wanted: viewers watch the run step by step.
  bool is_stepping() const { return paused_.load(std::memory_order_relaxed); }
  /// Raised when the run is to end.
  StopToken stop_token() const { return {&stop_}; }

  // --- between runs
  using Parameters = std::map<std::string, double>;
  /// How a viewer wants the scene to run again.
  struct Restart {
    Parameters parameters;
    JointStarts starts;
  };
  /// The last such wish, once.
  std::optional<Restart> take_restart();
  /// Waits for such a command for a while.
  void wait_for_restart(std::chrono::milliseconds most);

  // --- viewers' side; any thread
  /// Pauses after one more step, which the viewers see.
  void pause();
  void resume();
  /// Makes one more step, then pauses.
  void step();
  void stop() { stop_.store(true); }
  void set_pace(Pace pace);
  /// Ends the run and starts it anew.
  void restart(const Parameters& parameters, const JointStarts& starts = {});
  /// A viewer has asked.
  void see_viewer(const std::string& name);

  struct State {
    bool paused = false;
    Pace pace = Pace::real;
    int viewers = 0;            // [-] seen lately
    std::int64_t revision = 0;  // [-] changes with pause and pace
  };
  State state() const;

 private:
  void change();
  bool is_alone(Clock::time_point now) const;

  const Clock::duration patience_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> paused_ = false;  // written under the mutex
  std::atomic<Pace> pace_;            // likewise
  int steps_ = 0;                     // [-] wanted while paused
  std::int64_t revision_ = 0;
  bool anchored_ = false;
  double anchor_t_ = 0.0;       // [s] simulated time at
  Clock::time_point anchor_{};  // this instant
  std::map<std::string, Clock::time_point> viewers_;
  bool had_viewers_ = false;
  std::optional<Restart> restart_;
};

}  // namespace stickslip
