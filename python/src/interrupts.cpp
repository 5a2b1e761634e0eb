// SPDX-License-Identifier: BSD-3-Clause
#include "interrupts.h"

#include <csignal>

namespace stickslip::python {
namespace {

static_assert(std::atomic<std::atomic<bool>*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch nothing else");
std::atomic<std::atomic<bool>*> raised_by_signal = nullptr;
/// Python's handler, while ours stands before it.
std::atomic<void (*)(int)> pythons_handler = nullptr;
unsigned long main_thread = 0;

void answer_interrupt(int signal) {
  if (std::atomic<bool>* flag = raised_by_signal.load()) flag->store(true);
  if (void (*handler)(int) = pythons_handler.load()) handler(signal);
}

}  // namespace

void remember_main_thread() {
  main_thread =
      pybind11::cast<unsigned long>(pybind11::module_::import("threading").attr("main_thread")().attr("ident"));
}

InterruptFlag::InterruptFlag(std::atomic<bool>& flag) : flag_(flag) {
  if (PyThread_get_thread_ident() != main_thread) return;
  if (::sigaction(SIGINT, nullptr, &previous_) != 0) return;
  const bool is_ours = (previous_.sa_flags & SA_SIGINFO) == 0 && previous_.sa_handler == answer_interrupt;
  const bool is_plain =
      (previous_.sa_flags & SA_SIGINFO) == 0 && previous_.sa_handler != SIG_DFL && previous_.sa_handler != SIG_IGN;
  if (!is_plain) return;
  if (!is_ours) pythons_handler.store(previous_.sa_handler);
  outer_ = raised_by_signal.exchange(&flag_);
  struct sigaction action = previous_;
  action.sa_handler = answer_interrupt;
  is_set_ = ::sigaction(SIGINT, &action, nullptr) == 0;
}

InterruptFlag::~InterruptFlag() {
  if (!is_set_) return;
  struct sigaction now;
  const bool is_still_ours = ::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == answer_interrupt;
  if (is_still_ours) ::sigaction(SIGINT, &previous_, nullptr);
  raised_by_signal.store(outer_);
  flag_.store(false);
}

}  // namespace stickslip::python
