// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/limits.h"
#include "stickslip/stepping/pass_finder.h"

namespace stickslip {

/// Holds every step of a run against its limits and keeps a list of what passed them: the certificate of the run.
///
/// Penetrations and drifts are compared with shares of BodySizes. The energy error is compared with the energy of the
/// run, the largest so far of
///   kinetic energy + (largest - least potential energy so far),    |work|,
///   1e-8 max(|potential energy|, sum over bodies of m |g| (distance from the origin + size) at the start),
/// the last being what round-off of positions and the tolerance of solvers may do to a system at rest. Figures that
/// are not finite pass every limit. Bodies that went through each other: PassFinder.
///
/// A step in which nothing passes costs a few comparisons, beside those of PassFinder, and allocates nothing.
class LimitMonitor {
 public:
  /// So many entries are kept one by one; beyond them each kind has one without a name for all others. [-]
  static constexpr std::size_t kMostEntries = 10000;

  /// Of a run that starts at `initial`, of which `report` is the report. The system must outlive this.
  LimitMonitor(const System& system, const LimitOptions& options, const State& initial, const StepReport& report);
  LimitMonitor(const LimitMonitor&) = delete;
  LimitMonitor& operator=(const LimitMonitor&) = delete;

  /// Looks at the step that ended at `state`. Whether it passed a limit; first_passed() is the first of those then.
  bool examine(const State& state, const StepReport& report);

  /// What passed, in the order of first times.
  const std::vector<LimitEntry>& entries() const { return entries_; }
  const LimitEntry& first_passed() const { return entries_[*passed_]; }
  /// Those of them that the last step was the first to pass.
  std::span<const LimitEntry> new_entries() const { return std::span(entries_).subspan(n_before_); }

  /// What later steps are compared with and counted in, beside the state; and back, of a monitor of the same run that
  /// goes on from `state`. No bytes are those of a run before its first step. Throws InputError where they are others.
  std::vector<std::byte> to_bytes() const;
  void restore(std::span<const std::byte> bytes, const State& state);

 private:
  using Key = std::tuple<LimitKind, int, int, int>;  // what, body_a, body_b, joint

  void examine_contacts(const StepReport& report);
  void examine_joints(const State& state, const StepReport& report);
  void examine_energy(const StepReport& report);
  void examine_passes(const State& state, const StepReport& report);
  double calc_drift_angle(int joint, const State& state, const StepReport& report) const;
  void note_energy(const StepReport& report);
  void add(LimitKind what, int body_a, int body_b, int joint, double figure, double limit);
  std::string name_of(const LimitEntry& entry) const;

  const System& system_;
  LimitOptions options_;
  BodySizes sizes_;
  PassFinder pass_finder_;
  double weights_ = 0.0;  // [J] sum of m |g| (distance from the origin + size) at the start
  bool has_angular_stops_ = false;

  double least_potential_, largest_potential_;  // [J] so far
  double largest_energy_ = 0.0;                 // [J] kinetic energy + spread of the potential energy, so far
  double largest_work_ = 0.0;                   // [J] |work| so far
  std::vector<LimitEntry> entries_;
  std::vector<double> last_times_;     // (n entries) [s] the last step in which each was counted
  std::map<Key, std::size_t> index_;   // into entries_
  std::size_t n_before_ = 0;           // entries before the last step
  double time_ = 0.0;                  // [s] the end of the step that is examined
  std::optional<std::size_t> passed_;  // the first entry that this step passed
  std::vector<Pass> passes_;           // workspace
};

}  // namespace stickslip
