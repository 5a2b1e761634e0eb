// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
/// An instant counts as reached this part of a step before it: instants are rounded. [-]
constexpr double kSameInstant = 1e-6;

/// The radius where all of a body is one sphere about its centre; else 0. [m]
double calc_ball(const Body& body) {
  double radius = 0.0;
  for (const Shape& shape : body.shapes) {
    const auto* sphere = std::get_if<Sphere>(&shape.geometry);
    const bool is_ball = sphere != nullptr && !sphere->inside && !shape.contact.visual && shape.position.isZero(0.0);
    if (!is_ball) return 0.0;
    radius = std::max(radius, sphere->radius);
  }
  return radius;
}

/// Number `k` of a source, in [0, 1): the upper 53 bits of splitmix64's output for a state that is a function of the
/// seed and k alone, so that a state need only know how many were drawn.
double draw_unit(std::uint64_t seed, std::uint64_t k) {
  constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15;
  constexpr std::uint64_t kOfSeed = 0xd1342543de82ef95;
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  std::uint64_t x = seed * kOfSeed + (k + 1) * kIncrement;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * kUnit;
}

bool is_within(const std::array<Vector3, 2>& box, const Vector3& x, int dim) {
  return (x - box[0]).head(dim).minCoeff() >= 0.0 && (box[1] - x).head(dim).minCoeff() >= 0.0;
}

}  // namespace

bool PopulationOptions::empty() const {
  const bool has_from = std::ranges::any_of(from, [](double t) { return !std::isnan(t); });
  return !has_from && sources.empty() && !domain;
}

PopulationStepper::PopulationStepper(std::unique_ptr<TimeStepper> scheme, System& system, PopulationOptions options,
                                     const State& start)
    : scheme_(std::move(scheme)), system_(system), options_(std::move(options)), start_q_(start.q), start_u_(start.u) {
  STICKSLIP_ASSERT(options_.from.size() == system.bodies().size());
  for (const Body& body : system.bodies()) balls_.push_back(calc_ball(body));
  State first = start;  // what asks about the start before a run sees who is there
  begin(first);
}

/// Which bodies take part is what the state says.
void PopulationStepper::tell_system(const State& state) {
  std::vector<char> absent;
  absent.reserve(state.presence.size());
  for (const Presence presence : state.presence) absent.push_back(is_absent(presence) ? 1 : 0);
  system_.set_absent(std::move(absent));
}

/// All that come wait, and those whose time it is at the start have come.
void PopulationStepper::begin(State& state) {
  const std::size_t n = system_.bodies().size();
  state.presence.assign(n, Presence::present);
  state.draws.assign(options_.sources.size(), 0);
  state.told.assign(1, 0);
  const auto wait = [&](int body) {
    state.presence[static_cast<std::size_t>(body)] = Presence::waiting;
    stop(body, state);
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isnan(options_.from[i])) wait(static_cast<int>(i));
  }
  for (const BodySource& source : options_.sources) std::ranges::for_each(source.bodies, wait);
  entered_.clear();
  let_enter(state, options_.step, entered_);
  for (const int body : entered_) state.presence[static_cast<std::size_t>(body)] = Presence::present;
  tell_system(state);
}

void PopulationStepper::initialize(State& state, StepReport& report) {
  const bool is_new = state.presence.empty();
  if (is_new) begin(state);
  tell_system(state);
  scheme_->initialize(state, report);
  std::erase_if(report.events, [](const StepEvent& event) { return event.body >= 0; });
  report.notices.clear();
  for (std::size_t i = 0; is_new && i < entered_.size(); ++i) {
    report.events.push_back({.t = state.t, .what = EventKind::enter, .body = entered_[i]});
  }
  blank_contacts(report);
}

Status PopulationStepper::step(State& state, double h, double t_end, StepReport& report) {
  STICKSLIP_ASSERT(state.presence.size() == system_.bodies().size());
  tell_system(state);
  const auto changes = [](Presence p) { return p == Presence::entering || p == Presence::leaving; };
  const bool settles = std::ranges::any_of(state.presence, changes);
  const bool may_fail = options_.domain && options_.outside == Outside::error;
  if (settles || may_fail) kept_ = state;
  const auto bring_back = [&] {
    state = kept_;
    tell_system(state);
  };
  Status status = Status::ok;
  try {
    if (settles) settle(state);
    status = scheme_->step(state, h, t_end, report);
  } catch (...) {
    if (settles) bring_back();
    throw;
  }
  std::erase_if(report.events, [](const StepEvent& event) { return event.body >= 0; });
  report.notices.clear();
  if (status == Status::failed) {
    if (settles) bring_back();
    return status;
  }
  if (!examine_domain(state, report)) {
    bring_back();
    return report.status = Status::failed;
  }
  entered_.clear();
  let_enter(state, options_.step > 0.0 ? options_.step : h, entered_);
  if (!entered_.empty()) add_entered(state, report);
  blank_contacts(report);
  return status;
}

/// Those that came are there, and those that went are not: the scheme begins anew with them.
void PopulationStepper::settle(State& state) {
  const double before = calc_energy(state);
  for (std::size_t i = 0; i < state.presence.size(); ++i) {
    Presence& presence = state.presence[i];
    if (presence == Presence::entering) presence = Presence::present;
    if (presence != Presence::leaving) continue;
    presence = Presence::gone;
    stop(static_cast<int>(i), state);
  }
  tell_system(state);
  state.energy.work += calc_energy(state) - before;
  forget_absent(state.warm);
  forget_absent(state.contacts);
  if (state.memory.size() == 0) return;
  State fresh;
  fresh.t = state.t;
  fresh.step = state.step;
  fresh.q = state.q;
  fresh.u = state.u;
  fresh.inputs = state.inputs;
  fresh.joint_loads = state.joint_loads;
  fresh.presence = state.presence;
  StepReport scratch;
  scheme_->initialize(fresh, scratch);
  state.memory = std::move(fresh.memory);
  state.contacts = std::move(fresh.contacts);
  state.remembered_inputs = std::move(fresh.remembered_inputs);
}

/// Leaves out contacts of bodies that take no part.
void PopulationStepper::forget_absent(ValuesById& values) const {
  ValuesById left;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ElementId id = values.ids()[k];
    if (const auto manifold = system_.find_manifold(id)) {
      const auto is_there = [&](int shape) { return system_.is_present(system_.shapes()[shape].body); };
      if (!is_there(manifold->first_shape) || !is_there(manifold->second_shape)) continue;
    } else if ((id.pair & kDetectedBit) != 0 && !system_.is_present(system_.make_contact_point(id))) {
      continue;
    }
    std::ranges::copy(std::as_const(values)[k], left.add(id, values[k].size()).begin());
  }
  values = std::move(left);
}

void PopulationStepper::let_enter(State& state, double h, std::vector<int>& entered) {
  const double now = state.t + kSameInstant * h;
  for (std::size_t i = 0; i < options_.from.size(); ++i) {
    if (state.presence[i] != Presence::waiting || !(now >= options_.from[i])) continue;
    put_in(static_cast<int>(i), state);
    entered.push_back(static_cast<int>(i));
  }
  if (!entered.empty()) tell_system(state);
  for (std::size_t source = 0; source < options_.sources.size(); ++source) let_next_enter(source, state, h, entered);
}

void PopulationStepper::let_next_enter(std::size_t index, State& state, double h, std::vector<int>& entered) {
  const BodySource& source = options_.sources[index];
  const auto waits = [&](int body) { return state.presence[static_cast<std::size_t>(body)] == Presence::waiting; };
  auto next = std::ranges::find_if(source.bodies, waits);
  for (; next != source.bodies.end(); ++next) {
    const auto k = static_cast<std::size_t>(next - source.bodies.begin());
    if (!(state.t + kSameInstant * h >= source.from + static_cast<double>(k) * source.interval)) return;
    if (!place(index, k, state)) return;
    entered.push_back(*next);
  }
}

/// Puts the k-th body of a source where it is free; false where no place was found.
bool PopulationStepper::place(std::size_t index, std::size_t k, State& state) {
  const BodySource& source = options_.sources[index];
  const int body = source.bodies[k];
  const double reach = source.reaches[k];
  const int dim = system_.dimension();
  const int q_offset = system_.bodies()[body].q_offset;
  put_in(body, state);
  for (int draw = 0; draw < kMostDraws; ++draw) {
    const std::uint64_t first = 3 * state.draws[index]++;  // a place takes three numbers, in a plane two of them
    for (int i = 0; i < dim; ++i) {
      const double least = source.box[0](i) + reach;
      const double most = source.box[1](i) - reach;
      const double from_middle = -0.5 * (source.box[0](i) + source.box[1](i)) + least +
                                 (most - least) * draw_unit(source.seed, first + static_cast<std::uint64_t>(i));
      state.q(q_offset + i) = start_q_(q_offset + i) + from_middle;
    }
    if (is_free(body, reach, state)) return true;
  }
  state.presence[static_cast<std::size_t>(body)] = Presence::waiting;
  state.q.segment(q_offset, dim) = start_q_.segment(q_offset, dim);
  stop(body, state);
  tell_system(state);
  return false;
}

/// Whether nothing that is present overlaps the body.
bool PopulationStepper::is_free(int body, double reach, const State& state) {
  const auto index = static_cast<std::size_t>(body);
  const int dim = system_.dimension();
  const auto centre = [&](int of) { return state.q.segment(system_.bodies()[of].q_offset, dim); };
  for (std::size_t i = 0; balls_[index] > 0.0 && i < balls_.size(); ++i) {  // most are refused here, at less cost
    const int other = static_cast<int>(i);
    if (other == body || !(balls_[i] > 0.0) || is_absent(state.presence[i])) continue;
    if (system_.bodies()[i].n_u == 0) continue;
    const double both = reach + balls_[i];
    if ((centre(other) - centre(body)).squaredNorm() < both * both) return false;
  }
  tell_system(state);
  find_touching(state);
  return std::ranges::none_of(finder_->points(), [&](const ContactPoint& point) {
    if (point.joint >= 0) return false;
    const bool is_meant = system_.body(point, Side::first) == body || system_.body(point, Side::second) == body;
    return is_meant && calc_gap(*at_, point) < 0.0;
  });
}

/// As the start has it.
void PopulationStepper::put_in(int index, State& state) const {
  const Body& body = system_.bodies()[index];
  state.presence[static_cast<std::size_t>(index)] = Presence::entering;
  state.q.segment(body.q_offset, body.n_q) = start_q_.segment(body.q_offset, body.n_q);
  state.u.segment(body.u_offset, body.n_u) = start_u_.segment(body.u_offset, body.n_u);
}

void PopulationStepper::stop(int index, State& state) const {
  const Body& body = system_.bodies()[index];
  state.u.segment(body.u_offset, body.n_u).setZero();
}

/// Of mass; of a beam the mean of its control points.
Vector3 PopulationStepper::calc_centre(int index, const State& state) const {
  const Body& body = system_.bodies()[index];
  Vector3 centre = Vector3::Zero();
  if (!body.beam) {
    centre.head(system_.dimension()) = state.q.segment(body.q_offset, system_.dimension());
    return centre;
  }
  for (int i = 0; i < body.n_q; ++i) centre(i % 2) += 2.0 / body.n_q * state.q(body.q_offset + i);
  return centre;
}

/// Of a step. False where it is an error that a body is outside.
bool PopulationStepper::examine_domain(State& state, StepReport& report) {
  if (!options_.domain) return true;
  for (std::size_t i = 0; i < state.presence.size(); ++i) {
    const int body = static_cast<int>(i);
    if (options_.can_leave[i] == 0 || is_absent(state.presence[i])) continue;
    if (is_within(*options_.domain, calc_centre(body, state), system_.dimension())) continue;
    const std::string what =
        fmt::format("body '{}' is outside the domain at t = {:.9g} s", system_.bodies()[i].name, state.t);
    switch (options_.outside) {
      case Outside::error:
        report.message = "domain: " + what;
        return false;
      case Outside::keep:
        if (state.told[0] == 0) report.notices.push_back("domain: " + what + ", and stays");
        state.told[0] = 1;
        return true;
      case Outside::remove:
        state.presence[i] = Presence::leaving;
        report.events.push_back({.t = state.t, .what = EventKind::leave, .body = body});
    }
  }
  return true;
}

/// Those that came at the end of a step. Its report is of all others.
void PopulationStepper::add_entered(State& state, StepReport& report) {
  const double before = report.kinetic_energy + report.potential_energy;
  report.kinetic_energy = system_.calc_kinetic_energy(state.u);
  report.potential_energy = system_.calc_potential_energy(state.t, state.q);
  const double change = report.kinetic_energy + report.potential_energy - before;
  state.energy.work += change;
  report.work += change;
  for (const int body : entered_) report.events.push_back({.t = state.t, .what = EventKind::enter, .body = body});
  report_entered(state, report);
}

/// Where named contacts of those that came are; nothing has acted in them.
void PopulationStepper::report_entered(const State& state, StepReport& report) {
  const auto is_new = [&](int body) { return state.presence[static_cast<std::size_t>(body)] == Presence::entering; };
  bool is_found = false;
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    ContactReport& contact = report.contacts[k];
    if (system_.contact_points()[k].joint >= 0 || (!is_new(contact.body_a) && !is_new(contact.body_b))) continue;
    if (!is_found) find_touching(state);
    is_found = true;
    const ContactPoint& point = finder_->points()[k];
    if (!system_.is_present(point)) continue;
    ContactGeometry geometry;
    calc_contact(*at_, point, geometry);
    contact.gap = geometry.gap;
    contact.position = geometry.position_second;
    contact.normal = geometry.normal;
    contact.tangent = geometry.tangent1;
  }
}

void PopulationStepper::find_touching(const State& state) {
  if (!finder_) finder_.emplace(system_);
  if (!at_) at_.emplace(system_);
  at_->take(state.t, state.q, &state.u);
  finder_->find_touching(*at_);
}

double PopulationStepper::calc_energy(const State& state) const {
  return system_.calc_kinetic_energy(state.u) + system_.calc_potential_energy(state.t, state.q);
}

/// Named contacts of bodies that take no part have no figures.
void PopulationStepper::blank_contacts(StepReport& report) const {
  if (system_.all_are_present()) return;
  const Vector3 unknown = Vector3::Constant(kNoFigure);
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    ContactReport& contact = report.contacts[k];
    if (system_.contact_points()[k].joint >= 0) continue;
    if (system_.is_present(contact.body_a) && system_.is_present(contact.body_b)) continue;
    contact.status = ContactStatus::open;
    contact.gap = kNoFigure;
    contact.position = contact.normal = contact.tangent = contact.moment = unknown;
    for (ContactComponents* components : {&contact.force, &contact.impulse, &contact.percussion, &contact.velocity}) {
      components->fill(kNoFigure);
    }
  }
}

}  // namespace stickslip
