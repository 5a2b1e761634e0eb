// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/limit_monitor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "stickslip/base/bytes.h"

namespace stickslip {
namespace {

constexpr std::uint64_t kMagic = 0x4d4c5353;  // "SSLM"
constexpr std::uint64_t kVersion = 7;
constexpr std::size_t kEntryNumbers = 9;

/// What is left at rest, of weights times distances: round-off in long runs, and what loose tolerances leave.
constexpr double kEnergyRoundOff = 1e-8;  // [-]

/// By more than this the energy of the run grows where it grows at all: enough to matter to no limit, and more than
/// what round-off and the error that is looked for add to it from step to step.
constexpr double kEnergyGrowth = 0.01;  // [-]

/// The error of a start from rest is what a step or two add to the energy. Where this goes like the power k of the
/// time, that is the share k / n of it after n steps (half of it for half a step), so that share times steps stays as
/// small as k is. Where energy grows because it is wrong, as in a scheme that blows up, the share stays or grows, and
/// the product passes any number. How far the energy has grown would tell less: a start has a larger share than the
/// limit until it has grown by 1 / limit to the power k, a few steps of some blow-ups and more than others ever reach.
constexpr double kMostOfStart = 10.0;  // [-]

bool passes(double figure, double limit) {
  return !(figure <= limit) || !std::isfinite(figure);
}

}  // namespace

LimitMonitor::LimitMonitor(const System& system, const LimitOptions& options, const State& initial,
                           const StepReport& report)
    : system_(system),
      options_(options),
      sizes_(system),
      pass_finder_(system, sizes_, options.penetration),
      least_potential_(report.potential_energy),
      largest_potential_(report.potential_energy),
      start_overlap_(report.penetration),
      energy_{LimitKind::energy, options.energy, {}, 0.0},
      made_{LimitKind::contact_energy, options.contact_energy, {}, 0.0} {
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    if (body.n_u == 0 || body.is_rotor) continue;
    const int b = static_cast<int>(i);
    const double distance = system.calc_pose(b, initial.t, initial.q).p_WB.norm() + sizes_.size(b);
    weights_ += (body.beam ? body.beam->mass() : body.mass) * system.gravity().norm() * distance;
  }
  for (const ContactPoint& point : system.contact_points()) has_angular_stops_ |= system.turns(point);
  note_energy(initial, report);
  last_energy_ = calc_energy();
  pass_finder_.begin(initial);
}

bool LimitMonitor::examine(const State& state, const StepReport& report) {
  note_energy(state, report);
  note_growth();
  new_entries_.clear();
  time_ = report.t;
  step_ = state.step;
  passed_.reset();
  if (passes(report.penetration, options_.penetration * sizes_.least()) || has_angular_stops_) {
    examine_contacts(report);
  }
  if (passes(report.drift_position, options_.drift * sizes_.least()) || passes(report.drift_angle, options_.drift)) {
    examine_joints(state, report);
  }
  examine_energy(report);
  examine_passes(state, report);
  return passed_.has_value();
}

void LimitMonitor::examine_contacts(const StepReport& report) {
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    const ContactReport& contact = report.contacts[k];
    if (contact.gap >= 0.0) continue;
    // Named points come first, in the system's order.
    const bool is_named = k < system_.contact_points().size();
    const int joint = is_named ? system_.contact_points()[k].joint : -1;
    if (is_named && system_.turns(system_.contact_points()[k])) {
      if (!passes(-contact.gap, options_.penetration)) continue;
      add(LimitKind::penetration_angle, contact.body_a, contact.body_b, joint, -contact.gap, options_.penetration);
    } else {
      const double limit = options_.penetration * sizes_.of_pair(contact.body_a, contact.body_b);
      if (!passes(-contact.gap, limit)) continue;
      add(LimitKind::penetration, contact.body_a, contact.body_b, joint, -contact.gap, limit);
    }
  }
}

void LimitMonitor::examine_joints(const State& state, const StepReport& report) {
  for (std::size_t i = 0; i < report.joints.size(); ++i) {
    const int j = static_cast<int>(i);
    const JointOptions& o = system_.joints()[i].options;
    if (o.type == JointType::coupling) continue;  // in units of its own
    const double limit = options_.drift * sizes_.of_pair(o.first, o.second);
    const double drift = report.joints[i].drift_position;
    if (passes(drift, limit)) add(LimitKind::drift, o.first, o.second, j, drift, limit);
    if (!passes(report.joints[i].drift_angle, options_.drift)) continue;
    const double angle = calc_drift_angle(j, state, report);
    if (passes(angle, options_.drift)) add(LimitKind::drift_angle, o.first, o.second, j, angle, options_.drift);
  }
}

/// The violation of a joint's angle rows alone: what a report has is also by how much a stop is overshot.
double LimitMonitor::calc_drift_angle(int joint, const State& state, const StepReport& report) const {
  const Joint& j = system_.joints()[joint];
  if (!j.options.limits || !j.turns()) return report.joints[joint].drift_angle;
  JointVector g;
  system_.calc_joint_position(joint, state.t, state.q, g);
  return g.tail(j.n_angle_rows).norm();
}

/// Figures that are not finite are no measure.
void LimitMonitor::note_energy(const State& state, const StepReport& report) {
  const double potential = report.potential_energy;
  if (potential < least_potential_ || !std::isfinite(least_potential_)) least_potential_ = potential;
  if (potential > largest_potential_ || !std::isfinite(largest_potential_)) largest_potential_ = potential;
  const double energy = report.kinetic_energy + (largest_potential_ - least_potential_);
  if (std::isfinite(energy)) largest_energy_ = std::max(largest_energy_, energy);
  if (std::isfinite(report.work)) largest_work_ = std::max(largest_work_, std::abs(report.work));
  const double load = calc_load(state, report);
  if (std::isfinite(load)) largest_load_ = std::max(largest_load_, load);
}

/// What contacts and dry friction bear, joints transmit, and scene and caller put on bodies, times sizes: forces that
/// hold each other without any energy. [N m]
double LimitMonitor::calc_load(const State& state, const StepReport& report) const {
  double load = calc_prescribed_load(state);
  for (std::size_t k = 0; report.step > 0.0 && k < report.contacts.size(); ++k) {
    const ContactReport& contact = report.contacts[k];
    if (!(contact.percussion[0] > 0.0)) continue;
    const bool turns = k < system_.contact_points().size() && system_.turns(system_.contact_points()[k]);
    const double size = turns ? 1.0 : sizes_.of_pair(contact.body_a, contact.body_b);
    load += contact.percussion[0] / report.step * size;
  }
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    const JointOptions& o = system_.joints()[j].options;
    if (system_.joints()[j].is_coupling()) continue;  // within the reactions of the joints that it couples
    const double force = report.joints[j].reaction_force.norm();
    if (std::isfinite(force)) load += force * sizes_.of_pair(o.first, o.second);
  }
  for (std::size_t k = 0; k < report.dry_frictions.size(); ++k) {
    const DryFrictionElement& e = system_.dry_frictions()[k];
    const double force = report.dry_frictions[k];
    if (std::isfinite(force)) load += force * (e.turns ? 1.0 : sizes_.of_pair(e.first.body, e.second.body));
  }
  return load;
}

double LimitMonitor::calc_prescribed_load(const State& state) const {
  double load = 0.0;
  const auto add = [&](int body, const Vector3& force, const Vector3& torque) {
    load += force.norm() * sizes_.of_pair(body, body) + torque.norm();
  };
  for (const Force& force : system_.forces()) {
    if (!std::holds_alternative<Load>(force.law)) continue;
    const BodyInput input = system_.calc_load(std::get<Load>(force.law), state.t, state.q, state.u);
    add(input.body, input.force, input.torque);
  }
  for (const BodyInput& input : state.inputs.bodies()) add(input.body, input.force, input.torque);
  for (const JointInput& input : state.inputs.joints()) {
    const Joint& joint = system_.joints()[input.joint];
    const double size = joint.turns() ? 1.0 : sizes_.of_pair(joint.options.first, joint.options.second);
    load += std::abs(input.effort) * size;
  }
  return load;
}

double LimitMonitor::calc_energy() const {
  return std::max(largest_energy_, largest_work_);
}

double LimitMonitor::calc_energy_scale() const {
  const double potential = std::max({std::abs(least_potential_), std::abs(largest_potential_), weights_});
  return std::max({calc_energy(), kEnergyRoundOff * potential, kEnergyRoundOff * largest_load_});
}

/// Growth goes on until it has paused for as many steps as it took. A start from rest may begin with steps whose energy
/// is below the round-off of positions.
void LimitMonitor::note_growth() {
  const double energy = calc_energy();
  if (energy > (1.0 + kEnergyGrowth) * last_energy_) {
    growing_steps_ = is_settled() ? 1 : growing_steps_ + quiet_steps_ + 1;
    quiet_steps_ = 0;
    last_energy_ = energy;
  } else {
    ++quiet_steps_;
  }
}

/// Whether the error that waits, now that `share` of the energy and beyond its limit in `count` steps, may be that of a
/// start from rest.
bool LimitMonitor::may_be_start(double share, std::int64_t count) const {
  const double most = std::min(share, 1.0);  // the first steps may have an error of many times their energy
  return !is_settled() && most * static_cast<double>(count) <= kMostOfStart;
}

void LimitMonitor::examine_energy(const StepReport& report) {
  examine_share(std::abs(report.energy_error), -1, -1, energy_);
  const ContactWork& work = report.contact_work;
  contact_work_ += work.made;
  if (start_overlap_ > 0.0) start_projection_ = report.projection_energy;
  if (!(report.penetration >= 0.5 * start_overlap_)) start_overlap_ = 0.0;
  const double put_in = contact_work_ + report.projection_energy - start_projection_;
  if (!(put_in <= contact_energy_)) contact_energy_ = put_in;
  examine_share(contact_energy_, work.body_a, work.body_b, made_);
}

/// error [J]: what is judged as a share of the energy of the run; the bodies are those that an entry names.
void LimitMonitor::examine_share(double error, int body_a, int body_b, Share& share) {
  std::optional<LimitEntry>& waiting = share.waiting;
  if (std::isfinite(error) && std::isinf(share.limit)) return;
  const double scale = calc_energy_scale();
  const double figure = error == 0.0 ? 0.0 : error / scale;
  const bool is_beyond = passes(figure, share.limit);
  if (index_.contains(share.key())) {
    if (is_beyond) add(share.what, -1, -1, -1, figure, share.limit);
    return;
  }
  if (is_beyond) {
    if (!waiting) {
      waiting = LimitEntry{share.what, body_a, body_b, -1, "", time_, 0, 0.0, share.limit, step_};
      share.worst_error = 0.0;
    }
    ++waiting->count;
    if (!(error <= share.worst_error)) share.worst_error = error;
  }
  if (!waiting) return;
  waiting->worst = std::isfinite(error) ? share.worst_error / scale : figure;
  if (!passes(waiting->worst, share.limit)) waiting.reset();
  if (!is_beyond || (std::isfinite(error) && may_be_start(figure, waiting->count))) return;
  waiting->name = name_of(*waiting);
  index_.emplace(share.key(), entries_.size());
  if (!passed_) passed_ = entries_.size();
  entries_.push_back(*waiting);
  new_entries_.push_back(*waiting);
  last_times_.push_back(time_);
  waiting.reset();
}

void LimitMonitor::examine_passes(const State& state, const StepReport& report) {
  pass_finder_.find(state, report, passes_);
  for (const Pass& pass : passes_) add(LimitKind::passed_through, pass.body_a, pass.body_b, -1, pass.depth, 0.0);
}

void LimitMonitor::add(LimitKind what, int body_a, int body_b, int joint, double figure, double limit) {
  const std::size_t n_before = entries_.size();
  const std::size_t k = note({what, body_a, body_b, joint}, figure, limit);
  if (!passed_) passed_ = k;
  if (entries_.size() > n_before) new_entries_.push_back(entries_[k]);
}

/// The place of its entry.
std::size_t LimitMonitor::note(const Key& key, double figure, double limit) {
  auto found = index_.find(key);
  if (found == index_.end() && entries_.size() >= kMostEntries) {
    found = index_.try_emplace({std::get<0>(key), -1, -1, -1}, entries_.size()).first;
  }
  if (found == index_.end()) found = index_.try_emplace(key, entries_.size()).first;
  if (found->second == entries_.size()) {
    const auto [kind, a, b, j] = found->first;
    LimitEntry entry{kind, a, b, j, "", time_, 0, 0.0, limit, step_};
    entry.name = name_of(entry);
    entries_.push_back(std::move(entry));
    last_times_.push_back(-std::numeric_limits<double>::infinity());
  }
  LimitEntry& entry = entries_[found->second];
  if (last_times_[found->second] < time_) ++entry.count;
  last_times_[found->second] = time_;
  // What is not a number is worse than any number, and stays.
  if (!std::isnan(entry.worst) && !(figure <= entry.worst)) entry.worst = figure;
  entry.limit = std::min(entry.limit, limit);
  return found->second;
}

std::string LimitMonitor::name_of(const LimitEntry& entry) const {
  if (entry.joint >= 0) return system_.joints()[entry.joint].options.name;
  if (entry.body_a < 0 || entry.body_b < 0) return "";
  return system_.bodies()[entry.body_a].name + ", " + system_.bodies()[entry.body_b].name;
}

std::vector<LimitEntry> LimitMonitor::entries_of_ended() const {
  std::vector<LimitEntry> entries = entries_;
  for (const Share* share : {&energy_, &made_}) {
    if (!share->waiting) continue;
    entries.push_back(*share->waiting);
    entries.back().name = name_of(*share->waiting);
  }
  return entries;
}

/// The bodies of an entry of a share of the energy are those of its first step.
LimitMonitor::Key LimitMonitor::key_of(const LimitEntry& entry) {
  if (entry.what == LimitKind::contact_energy) return {entry.what, -1, -1, -1};
  return {entry.what, entry.body_a, entry.body_b, entry.joint};
}

std::vector<std::byte> LimitMonitor::to_bytes() const {
  const std::vector<LimitEntry> entries = entries_of_ended();
  ByteWriter out(8 * (19 + kEntryNumbers * entries.size()));
  out.put(kMagic);
  out.put(kVersion);
  for (const double x :
       {least_potential_, largest_potential_, largest_energy_, largest_work_, largest_load_, last_energy_,
        contact_work_, start_overlap_, start_projection_, contact_energy_, energy_.worst_error, made_.worst_error}) {
    out.put(x);
  }
  for (const std::int64_t x : {growing_steps_, quiet_steps_, std::int64_t{energy_.waiting.has_value()},
                               std::int64_t{made_.waiting.has_value()}}) {
    out.put(x);
  }
  out.put(static_cast<std::uint64_t>(entries.size()));
  for (const LimitEntry& entry : entries) {
    for (const int x : {static_cast<int>(entry.what), entry.body_a, entry.body_b, entry.joint}) {
      out.put(static_cast<std::int64_t>(x));
    }
    out.put(entry.count);
    out.put(entry.first_step);
    for (const double x : {entry.first_time, entry.worst, entry.limit}) out.put(x);
  }
  return out.take();
}

void LimitMonitor::restore(std::span<const std::byte> bytes, const State& state) {
  if (bytes.empty()) return;
  ByteReader in(bytes, "the memory of limits");
  if (in.get() != kMagic || in.get() != kVersion) in.fail();
  for (double* x : {&least_potential_, &largest_potential_, &largest_energy_, &largest_work_, &largest_load_,
                    &last_energy_, &contact_work_, &start_overlap_, &start_projection_, &contact_energy_,
                    &energy_.worst_error, &made_.worst_error}) {
    *x = in.get_real();
  }
  growing_steps_ = in.get_integer();
  quiet_steps_ = in.get_integer();
  const bool energy_waits = in.get_integer() != 0;
  const bool made_waits = in.get_integer() != 0;
  const auto get_index = [&in](std::int64_t least, std::size_t size) {
    const std::int64_t i = in.get_integer();
    if (i < least || i >= static_cast<std::int64_t>(size)) in.fail();
    return static_cast<int>(i);
  };
  const std::size_t n = in.get_length(8 * kEntryNumbers);
  entries_.clear();
  index_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    LimitEntry entry;
    entry.what = static_cast<LimitKind>(get_index(0, kLimitKinds));
    entry.body_a = get_index(-1, system_.bodies().size());
    entry.body_b = get_index(-1, system_.bodies().size());
    entry.joint = get_index(-1, system_.joints().size());
    entry.count = in.get_integer();
    entry.first_step = in.get_integer();
    for (double* x : {&entry.first_time, &entry.worst, &entry.limit}) *x = in.get_real();
    entry.name = name_of(entry);
    if (!index_.try_emplace(key_of(entry), i).second) in.fail();
    entries_.push_back(std::move(entry));
  }
  if (!in.at_end()) in.fail();
  const auto take_last = [&](bool waits, Share& share) {
    share.waiting.reset();
    if (!waits) return;
    const auto last = index_.find(share.key());
    if (last == index_.end() || last->second + 1 != entries_.size()) in.fail();
    share.waiting = std::move(entries_.back());
    entries_.pop_back();
    index_.erase(last);
  };
  take_last(made_waits, made_);
  take_last(energy_waits, energy_);
  last_times_.assign(entries_.size(), -std::numeric_limits<double>::infinity());
  new_entries_.clear();
  pass_finder_.begin(state);
}

}  // namespace stickslip
