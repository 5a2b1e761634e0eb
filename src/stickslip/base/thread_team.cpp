// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/thread_team.h"

#include <pthread.h>

#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

#include "stickslip/base/processor_clock.h"

namespace stickslip {
namespace {

/// How long a thread waits on its processor before it sleeps: about what waking it up takes. Less makes the loops of a
/// sweep, some microseconds apart, wait for sleepers; more wastes processor time between solves. [s]
constexpr std::chrono::microseconds kLongestSpin{20};

thread_local ThreadTeam* current_team = nullptr;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int count_left(std::uint64_t left) {
  return static_cast<int>(left & 0xffffffffu);
}

}  // namespace

int ThreadTeam::count(int n_threads) {
  return n_threads > 0 ? n_threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadTeam::ThreadTeam(int n_threads)
    : n_threads_(count(n_threads)), spins_(n_threads_ <= count(0)), parts_(n_threads_) {
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

ThreadTeam* ThreadTeam::current() {
  return current_team;
}

ThreadTeam::Scope::Scope(ThreadTeam* team) : outer_(std::exchange(current_team, team)) {
}

ThreadTeam::Scope::~Scope() {
  current_team = outer_;
}

double ThreadTeam::calc_cpu_seconds() const {
  double sum = 0.0;
  for (const std::thread& thread : threads_) {
    clockid_t clock = {};
    if (pthread_getcpuclockid(const_cast<std::thread&>(thread).native_handle(), &clock) == 0) sum += read_clock(clock);
  }
  return sum;
}

double ThreadTeam::calc_current_cpu_seconds() {
  return read_clock(CLOCK_THREAD_CPUTIME_ID) + (current_team != nullptr ? current_team->calc_cpu_seconds() : 0.0);
}

/// Waits a little for the condition; whether it holds.
template <class Condition>
bool ThreadTeam::spin(Condition&& condition) const {
  if (!spins_) return condition();
  constexpr int kPauses = 16;  // before others may have the processor
  const auto end = std::chrono::steady_clock::now() + kLongestSpin;
  do {
    for (int k = 0; k < kPauses; ++k) {
      if (condition()) return true;
      pause_briefly();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

/// Makes the threads, once. Where the system has no more, those that there are take the blocks of the others.
void ThreadTeam::start() {
  if (has_started_) return;
  has_started_ = true;
  threads_.reserve(n_threads_ - 1);
  try {
    for (int k = 1; k < n_threads_; ++k) threads_.emplace_back([this, k] { work(k); });
  } catch (const std::system_error&) {
    spins_ = false;
  }
}

void ThreadTeam::share(int n_blocks, Call call, const void* context) {
  if (n_blocks <= 0) return;
  const Scope alone(nullptr);
  if (n_threads_ == 1 || n_blocks == 1) {
    for (int block = 0; block < n_blocks; ++block) call(context, block);
    return;
  }
  start();
  ++loop_;
  for (int k = n_threads_ - 1; k >= 0; --k) {
    Part& part = parts_[k];
    part.begin = static_cast<int>(static_cast<std::int64_t>(n_blocks) * k / n_threads_);
    part.end = static_cast<int>(static_cast<std::int64_t>(n_blocks) * (k + 1) / n_threads_);
    part.call = call;
    part.context = context;
    part.n_done.store(0, std::memory_order_relaxed);
    // Whoever takes a block sees what was written before.
    part.left = static_cast<std::uint64_t>(loop_) << 32 | static_cast<std::uint64_t>(part.end - part.begin);
  }
  if (n_asleep_ > 0) {
    { const std::lock_guard lock(mutex_); }  // nobody is between looking and falling asleep
    begun_.notify_all();
  }
  take_blocks(0);
  wait_for_all();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

/// Does a block of the part that nobody has taken; whether there was one.
bool ThreadTeam::take_block(Part& part) {
  std::uint64_t left = part.left;
  do {
    if (count_left(left) == 0) return false;
  } while (!part.left.compare_exchange_weak(left, left - 1));
  const int block = part.end - count_left(left);
  const int size = part.end - part.begin;
  try {
    part.call(part.context, block);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!thrown_ || block < thrown_by_) {
      thrown_ = std::current_exception();
      thrown_by_ = block;
    }
  }
  if (++part.n_done == size && is_caller_asleep_) {
    { const std::lock_guard lock(mutex_); }
    ended_.notify_one();
  }
  return true;
}

/// Those of a thread, then of the others.
void ThreadTeam::take_blocks(int thread) {
  for (int k = 0; k < n_threads_; ++k) {
    while (take_block(parts_[(thread + k) % n_threads_])) {
    }
  }
}

void ThreadTeam::wait_for_all() {
  const auto is_done = [this] { return std::ranges::all_of(parts_, &Part::is_done); };
  if (spin(is_done)) return;
  std::unique_lock lock(mutex_);
  is_caller_asleep_ = true;
  ended_.wait(lock, is_done);
  is_caller_asleep_ = false;
}

/// What each thread but the caller's does.
void ThreadTeam::work(int thread) {
  const auto is_called = [&] { return count_left(parts_[thread].left) > 0 || is_over_; };
  while (!is_over_) {
    if (!spin(is_called)) {
      std::unique_lock lock(mutex_);
      ++n_asleep_;
      begun_.wait(lock, is_called);
      --n_asleep_;
    }
    take_blocks(thread);
  }
}

}  // namespace stickslip
