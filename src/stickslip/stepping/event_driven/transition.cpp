// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/transition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/constraints/certificate.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/event_driven/directions.h"

namespace stickslip::event_driven {
namespace {

/// Velocities below this part of the speeds of bodies are none: what projections and the location of events leave is
/// round-off of some operations. [-]
constexpr double kZeroSpeed = 1e-11;
/// To which contact problems are solved, so that what is left of the speeds they take away is none. [-]
constexpr double kSolve = 0.1 * kZeroSpeed;
/// Bodies with less than this part of the speeds that forces would give them rest: velocities are round-off. [-]
constexpr double kRests = 1e-10;
/// The same of what turns sharply there: in two directions it may pass zero that far off, again and again. In units of
/// that. [-]
constexpr double kStopped = 10.0;
/// A gap of this part of the bodies is where an event was located, beside the round-off of positions. [-]
constexpr double kTinyGap = 1e-12;
/// Rounds of impacts and accumulations at one instant at most; what goes on longer is crossed.
constexpr int kMaxRounds = 200;
/// An impact that is solved once more from its own answer, and still misses as much of what it missed, has no solution.
/// [-]
constexpr double kProgress = 0.5;
/// The length of the step in which an instant without accelerations is passed, relative to the time in which forces
/// change speeds: far above what tolerances of solvers hide, far below what changes the answer's kind. [-]
constexpr double kJamStep = 1e-4;
/// By how much of the speeds the limit of that answer may differ from it. [-]
constexpr double kJamLimit = 1e-2;
constexpr double kAll = std::numeric_limits<double>::infinity();

}  // namespace

void StepRecord::fill(StepReport& report) const {
  report.solve = worst;
  report.solve.residual = residual;
  report.solve.iterations = iterations;
  report.coulomb_residual = residual.absolute;
  report.missed = missed;
  report.choices = choices;
  report.fallbacks = 0;
  report_no_worst(report);
  report.message = message;
  report.events = events;
  report.contact_work = contact_work;
  report.status = inexact ? Status::inexact : Status::ok;
  report.solve.status = report.status;
}

Transition::Transition(const EventDrivenOptions& options, const System& system, ConeSolver& solver, StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      polygon_(options.facets, options.orientation),
      velocity_(system, solver, stop),
      instant_(system, solver, stop),
      sizes_(system),
      at_(system) {
  for (const ContactPoint& point : system.contact_points()) {
    const double size = sizes_.of_pair(system.body(point, Side::first), system.body(point, Side::second));
    lengths_.push_back(system.turns(point) ? 1.0 : size);
  }
  velocity_.solve_to(kSolve);
  force_.resize(system.n_u());
  change_.resize(system.n_u());
  velocity_.constraints().set_polygon(polygon_);
  instant_.set_polygon(polygon_);
}

double Transition::tiny_gap(int point) const {
  double far = 0.0;
  const ContactPoint& k = system_.contact_points()[point];
  for (const Side side : {Side::first, Side::second}) {
    const Body& body = system_.bodies()[system_.body(k, side)];
    if (body.n_u > 0) far = std::max(far, at_[system_.body(k, side)].p.lpNorm<Eigen::Infinity>());
  }
  return kTinyGap * lengths_[point] + kSumRoundOff * far;
}

double Transition::stopping_speed() const {
  return kStopped * scales_.zero_speed;
}

void Transition::calc_scales(const Moment& now, const Inputs& inputs) {
  system_.calc_applied_forces(now.t, now.q, now.u, force_);
  system_.add_input_forces(inputs, now.t, now.q, force_);
  at_.take(now.t, now.q, &now.u);
  if (velocity_.has_adhesion()) {
    velocity_.find_adhesion(at_);
    force_ += velocity_.adhesion();
  }
  scales_ = {calc_motion_scales(system_, sizes_, at_, force_)};
  scales_.zero_speed = kZeroSpeed * scales_.speed;
  const double moves = now.u.size() > 0 ? now.u.lpNorm<Eigen::Infinity>() : 0.0;
  scales_.zero_slip = std::min(scales_.zero_speed, kZeroSpeed * std::max(moves, kRests * scales_.speed));
}

/// What touches and what closes at an instant; whether something closes.
bool Transition::classify(const Moment& now) {
  at_.take(now.t, now.q, &now.u);
  const std::vector<ContactPoint>& points = system_.contact_points();
  touches_.assign(points.size(), Touch::open);
  activation_.assign(points.size(), -kAll);
  bool closes = false;
  ContactGeometry geometry;
  ContactVector gamma;
  for (std::size_t i = 0; i < points.size(); ++i) {
    stop_.check();
    const int k = static_cast<int>(i);
    if (!calc_contact_within(at_, points[i], near_gap(k), geometry, gamma)) continue;
    if (gamma(0) < -scales_.zero_speed && geometry.gap <= tiny_gap(k)) {
      touches_[i] = Touch::closing;
      closes = true;
    } else if (std::abs(gamma(0)) <= scales_.zero_speed) {
      touches_[i] = Touch::touching;
    }
    if (touches_[i] != Touch::open || met_[i] != 0) activation_[i] = kAll;
  }
  return closes;
}

void Transition::add(const SolveReport& report, StepRecord& record) const {
  record.iterations += report.iterations;
  record.choices += report.choices;
  if (report.status != Status::ok) record.inexact = true;
  if (report.status == record.worst.status && report.residual.relative <= record.worst.residual.relative) return;
  if (report.status < record.worst.status) return;
  record.worst = report;
}

/// The rows of percussions of all that takes part, over a step of length h [s]; of an impact: 0.
void Transition::gather(double h) {
  velocity_.constraints().gather(at_, system_.contact_points(), activation_, h);
}

/// The impact of what closes: J u+ + e J u- of contacts and percussions obey the laws [Trinkle2003 section 2, with
/// Newton's law in the place of a plastic impact].
bool Transition::strike(Moment& now, StepRecord& record) {
  const std::size_t n_events = record.events.size();
  ConstraintSet& constraints = velocity_.constraints();
  gather(0.0);
  std::vector<double>& added = velocity_.added();
  added.assign(constraints.size(), 0.0);
  velocity_.added_sizes().assign(constraints.size(), 0.0);
  expanding_.assign(constraints.count(), -1.0);
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int k = constraints.index(i);
    met_[k] = 1;
    const ConstraintSet::Restitution e = constraints.restitution(i);
    const bool rebounds = passed_[k] == 0;
    if (rebounds && constraints.has_phases(i)) expanding_[i] = e.normal;  // also of what the others press
    if (touches_[k] != Touch::closing) continue;
    const Cone& cone = constraints.problem().cones[i];
    if (rebounds && !constraints.has_phases(i)) added[cone.offset] = e.normal * constraints.gamma()[cone.offset];
    for (int row = cone.offset + 1; row < cone.offset + cone.dim && rebounds; ++row) {
      added[row] = e.tangential * constraints.gamma()[row];
    }
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      velocity_.added_sizes()[row] = std::abs(added[row]);
    }
    hit_[k] = 1;
    record.events.push_back({now.t, EventKind::impact, k, -1});
  }
  StepReport report;
  if (velocity_.solve_impact(now.u, expanding_, no_state_, report) == Status::failed) {
    record.message = report.message;
    return false;
  }
  add(report.solve, record);
  if (report.solve.residual.absolute >= record.residual.absolute) record.residual = report.solve.residual;
  record.missed = std::max(record.missed, report.solve.residual.missed);
  const double missed = report.solve.status == Status::ok ? 0.0 : report.solve.residual.missed;
  const bool is_stuck = report.solve.violation > scales_.zero_speed || missed > kProgress * missed_before_;
  missed_before_ = missed;
  if (missed > scales_.zero_speed && is_stuck) {
    record.message = fmt::format("no percussions keep contacts from closing at t = {:.9g}", now.t);
    record.squeezed = true;
    record.events.resize(n_events);
  }
  add_percussions(record.impulses);
  velocity_.account_energy({}, now.t, now.q, now.u, now.u, 0.0, now.energy);
  record.contact_work.add(velocity_.contact_work());
  now.u = velocity_.u_end();
  return true;
}

/// Adds the percussions of contacts that were found last.
void Transition::add_percussions(std::vector<ContactComponents>& sums) {
  const ConstraintSet& constraints = velocity_.constraints();
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const Cone& cone = constraints.problem().cones[i];
    for (int r = 0; r < cone.dim; ++r) sums[constraints.index(i)][r] += velocity_.solution().p[cone.offset + r];
  }
}

/// Modes by velocities alone: what touches is closed, and sticks where it does not slide.
void Transition::choose_tentative(const Moment& now, const std::vector<Trigger>& triggers) {
  at_.take(now.t, now.q, &now.u);
  tentative_.contacts.assign(system_.contact_points().size(), {});
  tentative_.dry_frictions.assign(system_.dry_frictions().size(), {});
  held_.assign(system_.contact_points().size(), 0);
  ContactGeometry geometry;
  ContactVector gamma;
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    if (touches_[i] == Touch::open) continue;
    Mode& mode = tentative_.contacts[i];
    mode.closed = true;
    mode.load = loads_[i];
    const ContactPoint& point = system_.contact_points()[i];
    const int dim = system_.pair(point).friction_dim;
    calc_contact_within(at_, point, kAll, geometry, gamma);
    const bool has_friction = dim > 0 && system_.pair(point).law().has_friction();
    const bool stops = std::ranges::any_of(triggers, [i](const Trigger& trigger) {
      const bool ends = trigger.kind == Trigger::Kind::stops || trigger.kind == Trigger::Kind::turns;
      return ends && trigger.is_contact && trigger.index == static_cast<int>(i);
    });
    const double zero = stops ? kStopped * scales_.zero_speed : scales_.zero_speed;
    mode.sticks = has_friction && norm(gamma.data() + 1, dim) <= zero;
    if (mode.sticks) continue;
    mode.direction = direction_of(gamma.data() + 1, dim);
    if (!has_friction || dim != 2 || !polygon_.exists()) continue;
    const FrictionPolygon::Slip slip = polygon_.find_slip(gamma.data() + 1, zero);
    std::ranges::copy(slip.direction, mode.direction.begin());
  }
  JointVector rate;
  for (std::size_t k = 0; k < tentative_.dry_frictions.size(); ++k) {
    Mode& mode = tentative_.dry_frictions[k];
    mode.closed = true;
    system_.calc_dry_friction_velocity(static_cast<int>(k), now.t, now.q, now.u, rate);
    mode.sticks = rate.norm() <= scales_.zero_speed;
    if (!mode.sticks) mode.direction = direction_of(rate.data(), static_cast<int>(rate.size()));
  }
  for (const Trigger& trigger : triggers) {
    Mode& mode = (trigger.is_contact ? tentative_.contacts : tentative_.dry_frictions)[trigger.index];
    if (trigger.kind == Trigger::Kind::lifts) held_[trigger.index] = 1;
    if (trigger.kind != Trigger::Kind::slips || !mode.closed) continue;
    // What slides is one that left the edge of a polygon, if it is on that edge still.
    const double along = mode.sticks ? 1.0 : dot(mode.direction, trigger.direction);
    if (along < polygon_.apothem() - FrictionPolygon::kRoundOff) continue;
    mode.sticks = false;
    mode.direction = trigger.direction;
  }
  const auto slides = [](const Mode& mode) { return mode.closed && !mode.sticks; };
  if (std::ranges::any_of(tentative_.contacts, slides)) return;
  for (Mode& mode : tentative_.contacts) mode.load = 0.0;  // what rests begins anew
}

/// Modes by velocities, and velocities at which what is held has none: where that stops more, it sticks, too.
void Transition::settle_velocities(Moment& now, const std::vector<Trigger>& triggers, SmoothMotion& motion) {
  const auto count_sticking = [this] {
    std::ptrdiff_t count = 0;
    for (const std::vector<Mode>* modes : {&tentative_.contacts, &tentative_.dry_frictions}) {
      count += std::ranges::count_if(*modes, [](const Mode& mode) { return mode.sticks; });
    }
    return count;
  };
  choose_tentative(now, triggers);
  for (std::ptrdiff_t stuck = -1; count_sticking() > stuck;) {
    stuck = count_sticking();
    motion.set_modes(tentative_, scales_.zero_slip);
    motion.project_velocities(now.t, now.q, now.u, now.energy);
    choose_tentative(now, triggers);
  }
  at_.take(now.t, now.q, &now.u);
}

/// CP1 with the tentative modes.
InstantReport Transition::solve_instant(const BodySnapshot& at, const Inputs& inputs) {
  instant_.take(at, system_.contact_points(), activation_, inputs);
  const ConstraintSet& set = instant_.constraints();
  for (int i = 0; i < set.count(); ++i) {
    if (set.kind(i) == ConstraintSet::Kind::joint) continue;
    const bool is_contact = set.kind(i) == ConstraintSet::Kind::contact;
    const int k = set.index(i);
    const Mode& mode = is_contact ? tentative_.contacts[k] : tentative_.dry_frictions[k];
    if (is_contact && (!mode.closed || held_[k] != 0)) {
      instant_.set_mode(i, InstantMode::open);
    } else if (mode.sticks) {
      instant_.set_mode(i, InstantMode::sticking);
    } else {
      const int dim = set.problem().cones[i].dim - (is_contact ? 1 : 0);
      instant_.slide(i, {mode.direction.data(), static_cast<std::size_t>(dim)});
    }
  }
  return instant_.solve();
}

bool Transition::agrees(SmoothMotion& motion, const Inputs& inputs) {
  const ConstraintSet& set = motion.constraints();
  tentative_ = motion.modes();
  held_.assign(tentative_.contacts.size(), 0);
  activation_.assign(tentative_.contacts.size(), -kAll);
  for (std::size_t k = 0; k < tentative_.contacts.size(); ++k) {
    if (tentative_.contacts[k].closed) activation_[k] = kAll;
  }
  for (int i = 0; i < set.count(); ++i) {
    if (set.kind(i) == ConstraintSet::Kind::joint) continue;
    auto& modes = set.kind(i) == ConstraintSet::Kind::contact ? tentative_.contacts : tentative_.dry_frictions;
    motion.find_direction(i, modes[set.index(i)].direction);
  }
  // Where it is not settled it says nothing.
  if (solve_instant(motion.at(), inputs).status == Status::ok && holds_all()) return true;
  return any_forces_hold(motion.at(), inputs);
}

/// [-] Of a contact: what friction does to its slip, by what a normal force of the same size does to its gap; along the
/// tangent where it does least.
double Transition::calc_slip_share(int cone) const {
  std::array<double, kMaxConeDim> diagonal;
  const ConeProblem& problem = instant_.constraints().problem();
  problem.calc_diagonal(cone, diagonal.data());
  const int dim = problem.cones[cone].dim;
  return dim > 1 ? *std::min_element(diagonal.begin() + 1, diagonal.begin() + dim) / diagonal[0] : 0.0;
}

/// Contacts that just bounced and would do so again within zeno_time stay closed; false: the step is to fail.
bool Transition::cross_accumulations(Moment& now, SmoothMotion& motion, StepRecord& record, bool& crossed) {
  crossed = false;
  const ConstraintSet& set = instant_.constraints();
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int k = set.index(i);
    const double leaves = set.gamma()[set.problem().cones[i].offset];
    const double slows = -instant_.gamma_dot()[set.problem().cones[i].offset];
    if (met_[k] == 0 || tentative_.contacts[k].closed || !(leaves > 0.0) || !(slows > 0.0)) continue;
    if (2.0 * leaves >= options_.zeno_time * slows) continue;
    if (options_.zeno == ZenoRule::stop) {
      const ContactPair& pair = system_.pair(system_.contact_points()[k]);
      record.message = fmt::format("impacts of contact '{}' accumulate at t = {:.9g}: the next one is {:.3g} s away",
                                   pair.options.name, now.t, 2.0 * leaves / slows);
      return false;
    }
    crossed = true;
    passed_[k] = 1;
    // What friction stops within that time, stops as well: a slip that is left tips what rocks again, and so on.
    const int offset = set.problem().cones[i].offset;
    const double stopped = motion.friction_of(k) * calc_slip_share(i) * slows * options_.zeno_time;
    tentative_.contacts[k].closed = true;
    tentative_.contacts[k].sticks =
        stopped > 0.0 && norm(set.gamma().data() + offset + 1, motion.friction_dim(k)) <= stopped;
    record.events.push_back({now.t, EventKind::accumulation, k, -1});
  }
  if (!crossed) return true;
  motion.set_modes(tentative_, scales_.zero_slip);
  motion.project_velocities(now.t, now.q, now.u, now.energy);
  const ConstraintSet& held = motion.constraints();
  for (int i = 0; i < held.count() && held.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const Cone& cone = held.problem().cones[i];
    for (int r = 0; r < cone.dim; ++r) record.impulses[held.index(i)][r] += motion.percussions()[cone.offset + r];
  }
  return true;
}

/// Passes an instant at which no accelerations obey the laws, by the one-step problem with its forces as the step falls
/// to zero: M (u+ - u) = h f + J^T p, of which the forces vanish and the percussions do not.
bool Transition::jam(Moment& now, const Inputs& inputs, SmoothMotion& motion, StepRecord& record) {
  motion.set_modes(tentative_, scales_.zero_slip);
  if (!motion.solve(now.t, now.q, now.u, inputs)) return false;
  std::string what;
  int stopped = -1;
  for (std::size_t k = 0; k < tentative_.contacts.size(); ++k) {
    if (!tentative_.contacts[k].closed || tentative_.contacts[k].sticks || !motion.has_friction(static_cast<int>(k))) {
      continue;
    }
    const std::array<double, 2> certificate = motion.calc_certificate(static_cast<int>(k));
    if (stopped >= 0 && !(certificate[0] > 0.0 && certificate[1] <= 0.0)) continue;
    stopped = static_cast<int>(k);
    what = fmt::format(
        "no accelerations obey the laws at t = {:.9g}: contact '{}' has G_A = {:.6g} m/s^2, G_B = {:.6g} "
        "/kg, and stops by a tangential impact",
        now.t, system_.pair(system_.contact_points()[k]).options.name, certificate[0], certificate[1]);
  }
  const double h = kJamStep * scales_.speed / scales_.acceleration;
  ConstraintSet& constraints = velocity_.constraints();
  gather(0.0);
  velocity_.added().assign(constraints.size(), 0.0);
  velocity_.added_sizes().assign(constraints.size(), 0.0);
  const std::span<const double> zeta = instant_.zeta();
  for (std::size_t row = 0; row < velocity_.added().size(); ++row) velocity_.added()[row] = h * zeta[row];
  system_.solve_mass(instant_.force(), change_);
  const Vector free = now.u + h * change_;
  StepReport report;
  if (velocity_.solve(free, no_state_, report) == Status::failed) return false;
  Modes bearing = tentative_;
  bool bears = false;
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const bool has_percussion = velocity_.solution().p[constraints.problem().cones[i].offset] > 0.0;
    bears |= has_percussion;
    Mode& mode = bearing.contacts[constraints.index(i)];
    mode.closed = has_percussion;
    mode.sticks = has_percussion && motion.has_friction(constraints.index(i));
  }
  if (!bears || stopped < 0) {
    record.message = what.empty() ? fmt::format("no accelerations obey the laws at t = {:.9g}", now.t) : what;
    record.squeezed = true;
    return true;
  }
  // The limit, where all that bears stops in it.
  Moment limit = now;
  motion.set_modes(bearing, scales_.zero_slip);
  motion.project_velocities(limit.t, limit.q, limit.u, limit.energy);
  if ((limit.u - velocity_.u_end()).lpNorm<Eigen::Infinity>() <=
      kJamLimit * std::max(scales_.speed, now.u.lpNorm<Eigen::Infinity>())) {
    const ConstraintSet& held = motion.constraints();
    for (int i = 0; i < held.count() && held.kind(i) == ConstraintSet::Kind::contact; ++i) {
      const Cone& cone = held.problem().cones[i];
      for (int r = 0; r < cone.dim; ++r) {
        record.impulses[held.index(i)][r] += motion.percussions()[cone.offset + r];
      }
    }
    now = limit;
  } else {
    velocity_.account_energy({}, now.t, now.q, now.u, now.u, 0.0, now.energy);
    record.contact_work.add(velocity_.contact_work());
    add_percussions(record.impulses);
    now.u = velocity_.u_end();
  }
  ++record.choices;
  record.message = what;
  record.events.push_back({now.t, EventKind::no_solution, stopped, -1});
  hit_[stopped] = 1;
  met_[stopped] = 1;
  return true;
}

/// The modes that CP1 leaves, into modes_.
void Transition::choose_modes() {
  modes_ = tentative_;
  const ConstraintSet& set = instant_.constraints();
  const double zero = kZeroAcceleration * std::max(scales_.acceleration, instant_.a().lpNorm<Eigen::Infinity>());
  for (int i = 0; i < set.count(); ++i) {
    if (set.kind(i) == ConstraintSet::Kind::joint) continue;
    const Cone& cone = set.problem().cones[i];
    const bool is_contact = set.kind(i) == ConstraintSet::Kind::contact;
    const int k = set.index(i);
    Mode& mode = (is_contact ? modes_.contacts : modes_.dry_frictions)[k];
    const double* rates = instant_.gamma_dot().data() + cone.offset;
    if (is_contact) {
      mode.closed = mode.closed && held_[k] == 0 && rates[0] <= zero;
      if (!mode.closed) mode = {};
    }
    if (!mode.closed) continue;
    if (is_contact && polygon_.exists() && cone.dim == 3) {
      turn_on_polygon(i, rates + 1, zero, mode);
      continue;
    }
    const int first = is_contact ? 1 : 0;
    if (!mode.sticks || norm(rates + first, cone.dim - first) <= zero) continue;
    mode.sticks = false;
    mode.direction = direction_of(rates + first, cone.dim - first);
  }
}

/// What of a polygon begins to slide by accelerations (2), or leaves the edge on which it slides.
void Transition::turn_on_polygon(int cone, const double* rates, double zero, Mode& mode) const {
  FrictionPolygon::Pair next = {mode.direction[0], mode.direction[1]};
  if (mode.sticks) {
    if (norm(rates, 2) <= zero) return;
    next = polygon_.find_slip(rates, zero).direction;
  } else {
    if (!instant_.on_edge(cone)) return;
    const double turns = next[0] * rates[1] - next[1] * rates[0];
    if (std::abs(turns) <= zero) return;
    next = polygon_.turn(next, turns > 0.0 ? 1.0 : -1.0);
  }
  mode.sticks = false;
  std::ranges::copy(next, mode.direction.begin());
}

std::string Transition::describe_last(const StepRecord& record) const {
  if (record.events.empty()) return "";
  const StepEvent& last = record.events.back();
  std::string name;
  if (last.contact >= 0) {
    name = system_.pair(system_.contact_points()[last.contact]).options.name;
  } else {
    const DryFrictionElement& element = system_.dry_frictions()[last.dry_friction];
    name = element.joint >= 0 ? system_.joints()[element.joint].options.name : system_.forces()[element.force].name;
  }
  return fmt::format(", the last one of '{}' at t = {:.9g}", name, last.t);
}

void Transition::list_changes(const Moment& now, const std::vector<Trigger>& triggers, const Modes& before,
                              StepRecord& record) {
  const auto list = [&](const std::vector<Mode>& was, const std::vector<Mode>& is, bool is_contact) {
    for (std::size_t i = 0; i < is.size(); ++i) {
      const int k = static_cast<int>(i);
      const auto tell = [&](EventKind what) {
        record.events.push_back({now.t, what, is_contact ? k : -1, is_contact ? -1 : k});
      };
      const bool slides = is[i].closed && !is[i].sticks;
      const bool slid = was[i].closed && !was[i].sticks;
      if (is_contact && hit_[i] != 0) continue;  // its impact says more
      if (was[i].closed && !is[i].closed) tell(EventKind::lift_off);
      if (!was[i].closed && is[i].closed) tell(EventKind::touch);
      if (slid && is[i].closed && is[i].sticks) tell(EventKind::stick);
      if (was[i].closed && was[i].sticks && slides) {
        if (!is_contact || system_.pair(system_.contact_points()[i]).law().has_friction()) tell(EventKind::slip);
      }
      const bool stopped = std::ranges::any_of(triggers, [&](const Trigger& trigger) {
        return trigger.kind == Trigger::Kind::stops && trigger.is_contact == is_contact && trigger.index == k;
      });
      if (slid && slides && stopped && dot(was[i].direction, is[i].direction) < 0.0) tell(EventKind::reversal);
    }
  };
  list(before.contacts, modes_.contacts, true);
  list(before.dry_frictions, modes_.dry_frictions, false);
}

bool Transition::begin(Moment& now, const Inputs& inputs, const std::vector<Trigger>& triggers, const Modes* before,
                       SmoothMotion& motion, StepRecord& record) {
  hit_.assign(system_.contact_points().size(), 0);
  met_ = hit_;
  passed_ = hit_;
  missed_before_ = kAll;
  record.squeezed = false;
  loads_.assign(met_.size(), 0.0);
  for (std::size_t k = 0; before != nullptr && k < loads_.size(); ++k) loads_[k] = before->contacts[k].load;
  const bool is_by_laws =
      std::ranges::any_of(triggers, [](const Trigger& trigger) { return trigger.kind == Trigger::Kind::laws; });
  calc_scales(now, inputs);
  for (int round = 0; round < kMaxRounds; ++round) {
    stop_.check();
    if (classify(now)) {
      if (!strike(now, record)) return false;
      if (record.squeezed) return true;
      continue;
    }
    settle_velocities(now, triggers, motion);
    const auto is_closed = [](const Mode& mode) { return mode.closed; };
    if (tentative_.dry_frictions.empty() && std::ranges::none_of(met_, [](char met) { return met != 0; }) &&
        std::ranges::none_of(tentative_.contacts, is_closed)) {
      modes_ = tentative_;
      if (before != nullptr) list_changes(now, triggers, *before, record);
      return true;
    }
    if (keep_all(now, inputs, motion) || (is_by_laws && !motion.determined() && let_slip(now, inputs, motion))) {
      if (before != nullptr) list_changes(now, triggers, *before, record);
      return true;
    }
    const InstantReport report = solve_instant(at_, inputs);
    if (report.status == Status::failed) {
      record.message = "forces are not finite";
      return false;
    }
    if (report.has_none()) {
      if (!jam(now, inputs, motion, record)) return false;
      if (record.squeezed) return true;
      continue;
    }
    bool crossed = false;
    if (!cross_accumulations(now, motion, record, crossed)) return false;
    if (crossed) continue;
    if (report.status == Status::ok) {
      add(report.solve, record);
      choose_modes();
      // What any forces hold is held, though CP1 has found others that do not.
      if (!is_by_laws && !motion.determined() && lets_go() && any_forces_hold(at_, inputs)) choose_modes();
      allow_creep(now, inputs, motion);
    } else if (!try_sets(now, inputs, motion)) {
      // Modes that nobody vouches for: those of velocities.
      add(report.solve, record);
      record.inexact = true;
      if (record.message.empty()) {
        record.message = fmt::format(
            "accelerations at t = {:.9g} obey the laws up to {:.3g} m/s^2 alone, {:.3g} of those without contact",
            now.t, report.residual.absolute, report.residual.relative);
      }
      modes_ = tentative_;
    }
    if (before != nullptr) list_changes(now, triggers, *before, record);
    motion.set_modes(modes_, scales_.zero_slip);
    if (motion.solve(now.t, now.q, now.u, inputs)) {
      const Vector& near = report.status == Status::ok ? instant_.a() : motion.a();
      (void)motion.settle_directions(now.t, now.q, now.u, inputs, near);
      if (report.status == Status::ok && !motion.determined() && !obeys(motion)) take_loads(now, inputs, motion);
    }
    return true;
  }
  record.message =
      fmt::format("more than {} rounds of impacts at t = {:.9g}{}", kMaxRounds, now.t, describe_last(record));
  record.squeezed = true;
  return true;
}

}  // namespace stickslip::event_driven
