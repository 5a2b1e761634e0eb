// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>

namespace stickslip {

/// Leaves long work that somebody asked to end: no outcome, neither good nor bad, so no Status either. What threw it is
/// as it was before the call; its workspaces serve the next call as if there had been none.
class Interrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Counts how often work, of any thread, asks whether to end, and raises the flag at one of these asks: for tests,
/// which never time.
struct StopCounter {
  std::atomic<std::int64_t> asks = 0;                               // [-] so far
  std::int64_t stop_at = std::numeric_limits<std::int64_t>::max();  // [-] the ask that is answered with yes
  std::atomic<bool> flag = false;
};

/// Whether somebody, a signal handler or another thread, wants long work to end. Work is handed one and asks it so
/// often that it never goes on for a tenth of a second of processor time. An empty one is never raised.
class StopToken {
 public:
  StopToken() = default;
  /// The flag must outlive the work.
  StopToken(const std::atomic<bool>* flag) : flag_(flag) {}  // NOLINT(google-explicit-constructor): it is one
  explicit StopToken(StopCounter* counter) : flag_(&counter->flag), counter_(counter) {}

  /// Throws Interrupted where the flag is raised.
  void check() const {
    if (flag_ == nullptr) return;
    if (counter_ != nullptr && ++counter_->asks >= counter_->stop_at) counter_->flag = true;
    if (flag_->load(std::memory_order_relaxed)) throw Interrupted();
  }
  bool is_raised() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }

  bool operator==(const StopToken&) const = default;

 private:
  const std::atomic<bool>* flag_ = nullptr;
  StopCounter* counter_ = nullptr;
};

}  // namespace stickslip
