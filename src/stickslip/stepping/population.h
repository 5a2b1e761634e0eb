// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// What happens to a body whose centre leaves the domain.
enum class Outside { remove, error, keep };

/// Bodies that come one after the other, each at a place that is drawn.
struct BodySource {
  std::vector<int> bodies;      // into System::bodies(), in the order in which they come
  std::vector<double> reaches;  // [m] of each, from its place
  double from = 0.0;            // [s] of the first
  double interval = 0.0;        // [s] to the next, at least
  std::array<Vector3, 2> box;   // (3) [m] that holds them as a whole: lower and upper corner; the start has each
                                // place in its middle
  std::uint64_t seed = 0;
};

/// Which bodies come and go, and when.
struct PopulationOptions {
  std::vector<double> from;  // (n bodies) [s] when each comes; NaN: at the start, or from a source
  std::vector<BodySource> sources;
  std::optional<std::array<Vector3, 2>> domain;  // (3) [m] lower and upper corner
  Outside outside = Outside::keep;
  std::vector<char> can_leave;  // (n bodies) whether the rule of `outside` applies to it
  double step = 0.0;            // [s] nominal length, the unit for comparing instants; 0: that of each step

  bool empty() const;
};

/// A scheme for a system whose bodies come and go. It decides at the ends of steps, and is the only one that tells the
/// system which bodies take part.
///
/// - A body comes at the end of the first step that is not before its time, with the coordinates and velocities that
///   the start has for it. Until then and after it went, it is at rest in State.
/// - A body of a source comes where its place, drawn up to kMostDraws times at each end of a step, is free: nothing
///   there overlaps it. The next one waits for it.
/// - A body whose centre a step has carried out of the domain takes part up to the end of this step.
/// - What a body has of energy when it comes or goes is booked as work.
///
/// Where bodies come or go the scheme begins anew at this instant: what it remembers is of other bodies. All that this
/// class remembers is in State.
class PopulationStepper final : public TimeStepper {
 public:
  /// The system must outlive this. `start`: the state of the start, with all bodies.
  PopulationStepper(std::unique_ptr<TimeStepper> scheme, System& system, PopulationOptions options, const State& start);

  std::string_view name() const override { return scheme_->name(); }
  bool knows_accelerations() const override { return scheme_->knows_accelerations(); }
  bool knows_impulses() const override { return scheme_->knows_impulses(); }
  bool knows_applied_impulses() const override { return scheme_->knows_applied_impulses(); }
  bool finds_events() const override { return scheme_->finds_events(); }
  bool moves_bodies_in_and_out() const override { return true; }
  void initialize(State& state, StepReport& report) override;
  [[nodiscard]] Status step(State& state, double h, double t_end, StepReport& report) override;
  bool estimates_errors() const override { return scheme_->estimates_errors(); }
  void estimate_errors(const State& before, const State& after, StepEstimate& estimate) override {
    scheme_->estimate_errors(before, after, estimate);
  }
  void forget(State& state) const override { scheme_->forget(state); }
  void tell_system(const State& state) override;

 private:
  static constexpr int kMostDraws = 100;  // [-] of a place, at each end of a step

  void begin(State& state);
  void settle(State& state);
  void forget_absent(ValuesById& values) const;
  void let_enter(State& state, double h, std::vector<int>& entered);
  void let_next_enter(std::size_t source, State& state, double h, std::vector<int>& entered);
  bool place(std::size_t source, std::size_t k, State& state);
  bool is_free(int body, double reach, const State& state);
  void put_in(int body, State& state) const;
  void stop(int body, State& state) const;
  Vector3 calc_centre(int body, const State& state) const;
  bool examine_domain(State& state, StepReport& report);
  void add_entered(State& state, StepReport& report);
  void report_entered(const State& state, StepReport& report);
  void find_touching(const State& state);
  double calc_energy(const State& state) const;
  void blank_contacts(StepReport& report) const;

  std::unique_ptr<TimeStepper> scheme_;
  System& system_;
  PopulationOptions options_;
  Vector start_q_, start_u_;   // (n_q), (n_u) of all bodies
  std::vector<double> balls_;  // (n bodies) [m] the radius of a body that is a sphere about its centre, else 0
  std::optional<ContactFinder> finder_;
  std::optional<BodySnapshot> at_;
  State kept_;  // of the start of a step, where it has to come back
  std::vector<int> entered_;
};

}  // namespace stickslip
