// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/run_sweep.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

#include "stickslip/base/thread_team.h"

namespace stickslip {

bool run_sweep(const ParameterSweep& sweep, SweepTable& table, const SweepOptions& options) {
  const std::vector<std::int64_t> pending = table.pending();
  const StopToken stop(options.stop);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> is_over = false;
  std::mutex telling;
  std::exception_ptr error;
  std::int64_t done = table.rows() - static_cast<std::int64_t>(pending.size());
  const auto work = [&] {
    for (std::size_t k = next++; k < pending.size() && !is_over; k = next++) {
      try {
        table.record(pending[k], sweep.run(sweep.plan().values(pending[k]), stop));
        const std::lock_guard lock(telling);
        ++done;
        if (options.progress) options.progress(done, table.rows());
      } catch (const Interrupted&) {
        is_over = true;
      } catch (...) {
        const std::lock_guard lock(telling);
        if (!error) error = std::current_exception();
        is_over = true;
      }
    }
  };
  const int wanted = ThreadTeam::count(options.jobs);
  const int n_threads =
      std::clamp(wanted, 1, std::max(1, static_cast<int>(std::min<std::size_t>(pending.size(), 1024))));
  ThreadTeam(n_threads).run(n_threads, [&](int) { work(); });
  if (error) std::rethrow_exception(error);
  return done == table.rows();
}

}  // namespace stickslip
