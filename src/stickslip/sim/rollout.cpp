// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/rollout.h"

#include <algorithm>
#include <exception>

#include "stickslip/base/input_error.h"
#include "stickslip/base/thread_team.h"

namespace stickslip {
namespace {

/// The runs of one thread: it keeps the simulation of a scene that the next run shares.
class Runner {
 public:
  Runner(const RolloutOptions& options, std::atomic<bool>& stop) : options_(options), stop_(stop) {}

  void run(int i, RolloutRun& result) {
    const std::size_t scene = options_.scenes.size() == 1 ? 0 : static_cast<std::size_t>(i);
    if (!simulation_ || scene != scene_) {
      simulation_.reset();
      simulation_ = std::make_unique<Simulation>(*options_.scenes[scene], options_.endless[scene], &stop_);
      scene_ = scene;
      start_ = simulation_->save();
      find_joints();
    }
    const std::size_t state = options_.states.size() == 1 ? 0 : static_cast<std::size_t>(i);
    const bool is_given = !options_.states.empty() && options_.states[state].has_value();
    simulation_->restore(is_given ? *options_.states[state] : start_);
    result.n_q = system().n_body_q();
    result.n_u = system().n_u();
    for (std::int64_t n = 0; !options_.n_steps || n < *options_.n_steps; ++n) {
      if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
      if (simulation_->done()) break;
      set_efforts(i, n);
      const Status status = simulation_->step();
      result.status.push_back(static_cast<int>(status));
      if (status == Status::failed) break;
      result.time.push_back(simulation_->state().t);
      append(result.q, simulation_->shown_q());
      append(result.u, simulation_->shown_u());
    }
  }

 private:
  const System& system() const { return simulation_->system(); }
  static void append(std::vector<double>& rows, const Vector& row) { rows.insert(rows.end(), row.begin(), row.end()); }

  void find_joints() {
    joints_.clear();
    for (const std::string& name : options_.joints) {
      joints_.push_back(system().find_joint(name));
      if (joints_.back() < 0) throw InputError({}, "joints", name, "the name of a joint of each scene");
    }
  }

  void set_efforts(int run, std::int64_t step) {
    if (step >= options_.n_controls) return;
    const std::size_t first = ((options_.shares_controls ? 0 : static_cast<std::size_t>(run)) *
                                   static_cast<std::size_t>(options_.n_controls) +
                               static_cast<std::size_t>(step)) *
                              joints_.size();
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      simulation_->inputs().set_effort(system(), joints_[k], options_.controls[first + k]);
    }
  }

  const RolloutOptions& options_;
  std::atomic<bool>& stop_;
  std::unique_ptr<Simulation> simulation_;
  std::size_t scene_ = 0;
  SavedState start_;
  std::vector<int> joints_;
};

}  // namespace

std::vector<RolloutRun> roll_out(const RolloutOptions& options, std::atomic<bool>& stop) {
  const int n_threads = std::clamp(ThreadTeam::count(options.n_threads), 1, std::max(1, options.n_runs));
  std::vector<RolloutRun> runs(static_cast<std::size_t>(options.n_runs));
  std::vector<std::exception_ptr> errors(runs.size());
  std::atomic<int> next = 0;
  std::atomic<bool> has_error = false;
  const auto work = [&](int) {
    Runner runner(options, stop);
    for (int i = next++; i < options.n_runs && !has_error; i = next++) {
      try {
        runner.run(i, runs[static_cast<std::size_t>(i)]);
      } catch (...) {
        errors[static_cast<std::size_t>(i)] = std::current_exception();
        has_error = true;
      }
    }
  };
  ThreadTeam(n_threads).run(n_threads, work);
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return runs;
}

}  // namespace stickslip
