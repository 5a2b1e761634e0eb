// SPDX-License-Identifier: BSD-3-Clause
// The only file that knows MPI. Errors within MPI end all ranks: its own default.
#include "make_ranks.h"

#include <mpi.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace stickslip {
namespace {

/// How long a rank that has failed waits for the others to fail alike before it ends them. A machine that is busy may
/// delay one by this much; a longer time lets a failed run linger. [wall-clock]
constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kAskEvery{2};

class MpiRanks final : public Ranks {
 public:
  MpiRanks(int rank, int size, int n_on_machine) : Ranks(rank, size, n_on_machine) {
    requests_.reserve(2 * static_cast<std::size_t>(size));  // they keep their places
    MPI_Comm_dup(MPI_COMM_WORLD, &end_);
  }
  ~MpiRanks() override {
    MPI_Comm_free(&end_);
    MPI_Finalize();
  }

  void gather(double* data, std::span<const std::size_t> begins) override {
    if (std::cmp_greater(begins.back(), std::numeric_limits<int>::max()))
      throw std::length_error("more than MPI can count");
    begins_.assign(begins.begin(), begins.end() - 1);
    sizes_.resize(begins_.size());
    for (std::size_t r = 0; r < sizes_.size(); ++r) sizes_[r] = static_cast<int>(begins[r + 1] - begins[r]);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, data, sizes_.data(), begins_.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }

  void exchange(const double* sent, std::span<const std::size_t> send_begins, double* received,
                std::span<const std::size_t> receive_begins) override {
    requests_.clear();
    for (int r = 0; r < size(); ++r) {
      const auto n = static_cast<int>(receive_begins[r + 1] - receive_begins[r]);
      if (n > 0) MPI_Irecv(received + receive_begins[r], n, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, add_request());
    }
    for (int r = 0; r < size(); ++r) {
      const auto n = static_cast<int>(send_begins[r + 1] - send_begins[r]);
      if (n > 0) MPI_Isend(sent + send_begins[r], n, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, add_request());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  void wait_for_all() override { MPI_Barrier(MPI_COMM_WORLD); }

  std::optional<int> end(int status, bool has_failed) override {
    // Apart from all other calls: others may be in one of those.
    MPI_Request all_here = MPI_REQUEST_NULL;
    MPI_Ibarrier(end_, &all_here);
    const auto latest = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      int is_done = 0;
      MPI_Test(&all_here, &is_done, MPI_STATUS_IGNORE);
      if (is_done != 0) break;
      if (has_failed && std::chrono::steady_clock::now() >= latest) return std::nullopt;
      std::this_thread::sleep_for(kAskEvery);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, end_);
    return status;
  }

  void abort(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  MPI_Request* add_request() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  MPI_Comm end_ = MPI_COMM_NULL;
  std::vector<int> sizes_, begins_;
  std::vector<MPI_Request> requests_;
};

int count_on_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int n = 1;
  MPI_Comm_size(machine, &n);
  MPI_Comm_free(&machine);
  return n;
}

}  // namespace

std::string_view transport_name() {
  return "MPI";
}

std::unique_ptr<Ranks> make_ranks(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;  // the first thread alone calls MPI
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return std::make_unique<MpiRanks>(rank, size, count_on_machine());
}

}  // namespace stickslip
