// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>
#include <signal.h>

#include <atomic>

namespace stickslip::python {

/// As long as it lives, Ctrl-C raises a flag, beside what Python does with it: work without the interpreter sees it
/// within a step. Of Python's main thread only, which is the one that Ctrl-C interrupts; not where somebody else has
/// taken the signal out of Python's hands.
class InterruptFlag {
 public:
  explicit InterruptFlag(std::atomic<bool>& flag);
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

 private:
  bool is_set_ = false;
  std::atomic<bool>& flag_;
  std::atomic<bool>* outer_ = nullptr;
  struct sigaction previous_;
};

/// Remembers which thread is Python's main one.
void remember_main_thread();

}  // namespace stickslip::python
