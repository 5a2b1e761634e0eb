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
/// run, the largest of
///   kinetic energy + (largest - least potential energy),    |work|,
///   1e-8 max(|potential energy|, sum over bodies of m |g| (distance from the origin + size) at the start),
///   1e-8 (sum over contacts, joints, dry friction, loads and inputs of force times size of the smaller body, +
///   torque),
/// the last two being what round-off of positions and the tolerance of solvers may do to a system at rest. Where a
/// motion starts from rest, the first steps have a large share of the little energy there is. So an energy error waits
/// before it is an entry, and is forgotten when the energy has grown so far that the worst error is within the limit.
/// It waits until the energy has paused in its growth for as many steps as it took to grow, or until its share has
/// stayed for longer than that of a start does; an entry then stays. Figures that are not finite pass every limit.
/// The energy that percussions of contacts made, summed over the steps (ContactWork), and that putting positions right
/// put in, is compared and waits likewise; its entry names the contact that made the most in the step that passed. What
/// puts the overlaps of the start right, which are the scene's, does not count: as long as half of the deepest is left.
/// Bodies that went through each other: PassFinder.
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

  /// What passed, in the order in which it was new.
  const std::vector<LimitEntry>& entries() const { return entries_; }
  /// The same of a run that has ended: with an energy error that waited.
  std::vector<LimitEntry> entries_of_ended() const;
  const LimitEntry& first_passed() const { return entries_[*passed_]; }
  /// Those that the last step made entries.
  std::span<const LimitEntry> new_entries() const { return new_entries_; }

  /// The monitor's memory as bytes, for a checkpoint; restore() takes them in a run that goes on from `state`. No
  /// bytes: those of a run before its first step. Throws InputError where they do not fit.
  std::vector<std::byte> to_bytes() const;
  void restore(std::span<const std::byte> bytes, const State& state);

 private:
  using Key = std::tuple<LimitKind, int, int, int>;  // what, body_a, body_b, joint

  /// Of a figure that is a share of the energy of the run.
  struct Share {
    LimitKind what;
    double limit;                       // [-]
    std::optional<LimitEntry> waiting;  // that may be one of a start from rest
    double worst_error = 0.0;           // [J] of what waits
    Key key() const { return {what, -1, -1, -1}; }
  };

  void examine_contacts(const StepReport& report);
  void examine_joints(const State& state, const StepReport& report);
  void examine_energy(const StepReport& report);
  void examine_share(double error, int body_a, int body_b, Share& share);
  void examine_passes(const State& state, const StepReport& report);
  double calc_drift_angle(int joint, const State& state, const StepReport& report) const;
  void note_energy(const State& state, const StepReport& report);
  double calc_load(const State& state, const StepReport& report) const;
  double calc_prescribed_load(const State& state) const;
  double calc_energy() const;        // [J] of the run, without round-off
  double calc_energy_scale() const;  // [J] with it
  void note_growth();
  bool is_settled() const { return quiet_steps_ >= growing_steps_; }
  bool may_be_start(double share, std::int64_t count) const;
  static Key key_of(const LimitEntry& entry);
  void add(LimitKind what, int body_a, int body_b, int joint, double figure, double limit);
  std::size_t note(const Key& key, double figure, double limit);
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
  double largest_load_ = 0.0;                   // [N m] forces times sizes, so far
  double last_energy_ = 0.0;                    // [J] the energy of the run when it last grew
  double contact_work_ = 0.0;                   // [J] sum of ContactWork::made
  double start_overlap_ = 0.0;                  // [m] the deepest of the start, while it is put right; then 0
  double start_projection_ = 0.0;               // [J] what that put in
  double contact_energy_ = 0.0;                 // [J] its largest value so far
  std::int64_t growing_steps_ = 0;              // [-] from where the energy began to grow to where it last did
  std::int64_t quiet_steps_ = 0;                // [-] since then
  Share energy_, made_;                         // the energy error, what contacts made
  std::vector<LimitEntry> entries_;
  std::vector<double> last_times_;       // (n entries) [s] the last step in which each was counted
  std::map<Key, std::size_t> index_;     // into entries_
  std::vector<LimitEntry> new_entries_;  // of the last step
  double time_ = 0.0;                    // [s] the end of the step that is examined
  std::int64_t step_ = 0;                // [-] its number
  std::optional<std::size_t> passed_;    // the first entry that this step passed
  std::vector<Pass> passes_;             // workspace
};

}  // namespace stickslip
