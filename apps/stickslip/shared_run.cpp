// SPDX-License-Identifier: BSD-3-Clause
#include "shared_run.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "commands.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/io/checksum.h"
#include "stickslip/model/state.h"

namespace stickslip {
namespace {

/// Of ranks but the first: raised where all end together. A signal within a step ends the first one, and it the others.
std::atomic<bool> all_stop = false;

std::uint64_t calc_checksum(const State& state) {
  Checksum sum;
  for (const Vector* part : {&state.q, &state.u}) {
    sum.add_words(std::as_bytes(std::span(part->data(), static_cast<std::size_t>(part->size()))));
  }
  return sum.value();
}

/// Before each step every rank tells the others whether it is to end, and the checksum of its state.
class Agreement {
 public:
  explicit Agreement(Ranks& ranks) : ranks_(ranks), told_(2 * static_cast<std::size_t>(ranks.size())) {
    for (int r = 0; r <= ranks.size(); ++r) begins_.push_back(2 * static_cast<std::size_t>(r));
  }

  /// Whether a rank is to end. Throws where states differ.
  bool ask(const State& state) {
    double* own = told_.data() + begins_[ranks_.rank()];
    own[0] = stop_requested.load() ? 1.0 : 0.0;
    own[1] = std::bit_cast<double>(calc_checksum(state));
    ranks_.gather(told_.data(), begins_);
    bool is_over = false;
    for (int r = 0; r < ranks_.size(); ++r) {
      const double* told = told_.data() + begins_[r];
      is_over |= told[0] != 0.0;
      if (std::bit_cast<std::uint64_t>(told[1]) != std::bit_cast<std::uint64_t>(told_[1])) {
        throw std::runtime_error("ranks have come to different states: their machines or programs are not alike");
      }
    }
    return is_over;
  }

 private:
  Ranks& ranks_;
  std::vector<double> told_;         // (2 ranks)
  std::vector<std::size_t> begins_;  // (ranks + 1)
};

}  // namespace

void share_run(Ranks& ranks, RunOptions& options) {
  const bool is_first = ranks.rank() == 0;
  std::atomic<bool>& stop = is_first ? stop_requested : all_stop;
  options.writes = is_first;
  if (!is_first) {
    options.problems_every.reset();
    options.problems_failed = 0;
  }
  options.stop = &stop;
  if (options.threads == 0) options.threads = std::max(1, ThreadTeam::count(0) / ranks.n_on_machine());
  // Whoever reads an earlier result has read it before the first rank writes it anew.
  options.before_writing = [&ranks, inner = std::move(options.before_writing)] {
    ranks.wait_for_all();
    if (inner) inner();
  };
  options.before_step = [&stop, agreement = std::make_shared<Agreement>(ranks)](const State& state, const auto&) {
    if (agreement->ask(state)) stop.store(true);
  };
}

}  // namespace stickslip
