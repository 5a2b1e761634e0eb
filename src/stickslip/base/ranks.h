// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace stickslip {

/// Processes that run the same program on the same scene: each holds the whole state and does the same steps. Every
/// rank calls these functions in the same order, from one thread.
///
/// An abstract transport: MPI where the program was built with it (apps/stickslip/mpi); one process alone has none.
class Ranks {
 public:
  virtual ~Ranks() = default;

  int rank() const { return rank_; }  // in [0, size)
  int size() const { return size_; }
  /// Ranks on this one's machine, itself among them.
  int n_on_machine() const { return n_on_machine_; }

  /// Rank r knows numbers [begins[r], begins[r + 1]) of the data; all of them become known to all. begins (size + 1)
  virtual void gather(double* data, std::span<const std::size_t> begins) = 0;
  /// Each rank sends numbers [send_begins[r], send_begins[r + 1]) of `sent` to rank r, and receives from it numbers
  /// [receive_begins[r], receive_begins[r + 1]) of `received`. Both ends know how many. begins (size + 1)
  virtual void exchange(const double* sent, std::span<const std::size_t> send_begins, double* received,
                        std::span<const std::size_t> receive_begins) = 0;
  virtual void wait_for_all() = 0;

  /// Called at the end of the program, after which there are no more calls: waits for all ranks, and returns the first
  /// one's status. Where this rank has failed, others may wait for it elsewhere: some seconds later it returns nothing.
  virtual std::optional<int> end(int status, bool has_failed) = 0;
  /// Ends the processes of all ranks.
  virtual void abort(int status) = 0;

  /// The ranks that this thread's run belongs to; null: none.
  static Ranks* current();
  /// How many there are; 1 where there are none.
  static int count_current() { return current() != nullptr ? current()->size() : 1; }
  /// Makes ranks the current ones as long as it lives.
  class Scope {
   public:
    explicit Scope(Ranks* ranks);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Ranks* outer_;
  };

 protected:
  Ranks(int rank, int size, int n_on_machine) : rank_(rank), size_(size), n_on_machine_(n_on_machine) {}
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

 private:
  int rank_;
  int size_;
  int n_on_machine_;
};

}  // namespace stickslip
