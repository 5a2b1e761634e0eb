// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace stickslip {

/// Threads that share the blocks of one loop at a time; the caller is one of them. Each has a part of the blocks, the
/// same in each loop of as many, whose memory it then has at hand; a thread without work takes blocks of others. So a
/// block writes what no other block reads, and sums of blocks are added up afterwards, in their order: the bits are
/// then the same for any number of threads.
///
/// A library of tasks would do the same, but that of Debian (oneTBB) is compiled without the thread sanitizer, which
/// then reports races wherever tasks hand over values.
class ThreadTeam {
 public:
  /// n_threads >= 1 in all; 0: one for each processor. They begin with the first loop that they share.
  explicit ThreadTeam(int n_threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// How many threads `n_threads` stands for.
  static int count(int n_threads);
  int size() const { return n_threads_; }
  /// Processor time that the threads but the caller's have used. [s]
  double calc_cpu_seconds() const;

  /// What this thread and its current team have used. [s]
  static double calc_current_cpu_seconds();

  /// Calls work(block) once for each block in [0, n_blocks), and returns when all have ended. Throws what a block
  /// threw, of several the lowest. The others are done all the same by several threads, and not by one alone.
  template <class Work>
  void run(int n_blocks, Work&& work) {
    using Plain = std::remove_reference_t<Work>;
    const auto call = [](const void* context, int block) { (*static_cast<Plain*>(const_cast<void*>(context)))(block); };
    share(n_blocks, call, &work);
  }

  /// The team whose threads share the loops of this thread; null: none. Blocks have none.
  static ThreadTeam* current();
  /// Its size; 1 where there is none.
  static int count_current() { return current() != nullptr ? current()->size() : 1; }
  /// Makes a team the current one as long as it lives.
  class Scope {
   public:
    explicit Scope(ThreadTeam* team);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ThreadTeam* outer_;
  };

 private:
  using Call = void (*)(const void* context, int block);
  /// The blocks of a thread and what to do with them, on a cache line of its own: handing it over and back takes three
  /// transfers between processors. Changed only while none of these blocks is under way.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> left = 0;  // [-] the loop, 32 bits, and blocks that nobody has taken, 32 bits
    std::atomic<int> n_done = 0;          // [-] blocks that have ended
    int begin = 0, end = 0;               // blocks
    Call call = nullptr;
    const void* context = nullptr;

    bool is_done() const { return n_done == end - begin; }
  };

  void start();
  void share(int n_blocks, Call call, const void* context);
  void work(int thread);
  bool take_block(Part& part);
  void take_blocks(int thread);
  void wait_for_all();
  template <class Condition>
  bool spin(Condition&& condition) const;

  const int n_threads_;
  bool spins_ = false;  // whether each thread has a processor
  bool has_started_ = false;
  std::vector<std::thread> threads_;
  std::vector<Part> parts_;    // (n_threads)
  std::uint32_t loop_ = 0;     // [-] loops so far
  std::exception_ptr thrown_;  // by the lowest block that threw; under the mutex
  int thrown_by_ = 0;

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  std::atomic<int> n_asleep_ = 0;
  std::atomic<bool> is_caller_asleep_ = false;
  std::atomic<bool> is_over_ = false;
};

/// How many blocks [0, n) is cut into: of at most `size` each, and as many for two threads.
inline int count_blocks(std::size_t n, std::size_t size) {
  const std::size_t n_blocks = (n + size - 1) / size;
  return static_cast<int>(n_blocks > 1 ? n_blocks + n_blocks % 2 : n_blocks);
}

/// Some of the blocks that follow each other.
struct BlockRange {
  int begin, end;
  int size() const { return end - begin; }
};

/// Where a block of [0, n) begins; of n_blocks also where the last one ends. They are as large as each other but for
/// one.
inline std::size_t calc_block_begin(std::size_t n, int n_blocks, int block) {
  return n_blocks > 0 ? n * static_cast<std::size_t>(block) / static_cast<std::size_t>(n_blocks) : 0;
}

/// Calls f(begin, end, block) for the blocks `some` of [0, n), which are shared among the threads of the current team
/// where `is_shared`.
template <class F>
void for_blocks(bool is_shared, std::size_t n, std::size_t size, BlockRange some, F&& f) {
  const int n_blocks = count_blocks(n, size);
  const auto visit = [&](int k) {
    const int block = some.begin + k;
    f(calc_block_begin(n, n_blocks, block), calc_block_begin(n, n_blocks, block + 1), block);
  };
  ThreadTeam* team = is_shared && some.size() > 1 ? ThreadTeam::current() : nullptr;
  if (team != nullptr) return team->run(some.size(), visit);
  for (int k = 0; k < some.size(); ++k) visit(k);
}

/// The same for all blocks.
template <class F>
void for_blocks(bool is_shared, std::size_t n, std::size_t size, F&& f) {
  for_blocks(is_shared, n, size, BlockRange{0, count_blocks(n, size)}, std::forward<F>(f));
}

}  // namespace stickslip
