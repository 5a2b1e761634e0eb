// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/instant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/constraints/sliding_newton.h"

namespace stickslip {
namespace {

/// Round-off in a sum over the accelerations of two bodies, as a multiple of the spacing of numbers and of the terms.
constexpr double kRoundOff = 4.0 * std::numeric_limits<double>::epsilon();  // [-]
/// Of what constraints would have without forces: far above any solver's tolerance, far below what an instant without a
/// solution leaves.
constexpr double kHolds = 1e-4;  // [-]

}  // namespace

Instant::Instant(const System& system, ConeSolver& solver, StopToken stop)
    : system_(system), solver_(solver), stop_(stop), set_(system, stop, false), adhesion_(system) {
  auto& delassus = problem_.delassus.emplace<FactoredDelassus>();
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    if (system.bodies()[i].n_u > 0) delassus.add_body(system.inverse_mass(static_cast<int>(i)));
  }
  for (Vector* y : {&force_, &free_, &a_}) y->setZero(system.n_u());
}

std::span<const double> Instant::rows_of(int cone, const std::vector<double>& values) const {
  const Cone& rows = set_.problem().cones[cone];
  return {values.data() + rows.offset, static_cast<std::size_t>(rows.dim)};
}

double* Instant::rows_of(int cone, std::vector<double>& values) {
  return values.data() + set_.problem().cones[cone].offset;
}

const Attachment& Instant::side(int cone, Side side) const {
  const int k = set_.index(cone);
  switch (set_.kind(cone)) {
    case ConstraintSet::Kind::contact:
      return system_.side((*points_)[k], side);
    case ConstraintSet::Kind::joint:
      return system_.joints()[k].side(side);
    case ConstraintSet::Kind::servo:  // of schemes on velocities alone
    case ConstraintSet::Kind::dry_friction:
      break;
  }
  return system_.dry_frictions()[k].side(side);
}

bool Instant::is_angle_row(int cone, int row) const {
  const int k = set_.index(cone);
  switch (set_.kind(cone)) {
    case ConstraintSet::Kind::contact:
      return system_.turns((*points_)[k]);
    case ConstraintSet::Kind::joint:
      return system_.joints()[k].is_angle_row(row);
    case ConstraintSet::Kind::servo:  // of schemes on velocities alone
    case ConstraintSet::Kind::dry_friction:
      break;
  }
  return system_.dry_frictions()[k].turns;
}

void Instant::take(const BodySnapshot& at, const std::vector<ContactPoint>& points, const Inputs& inputs,
                   const InstantTolerances& tolerances) {
  tolerances_ = tolerances;
  calc_forces(at, points, inputs);
  activation_.clear();
  for (const ContactPoint& point : points) {
    const double length = calc_length(system_.side(point, Side::first).body, system_.side(point, Side::second).body);
    activation_.push_back(tolerances.gap * length);
  }
  take_gathered(at, points);
}

void Instant::take(const BodySnapshot& at, const std::vector<ContactPoint>& points, std::span<const double> activation,
                   const Inputs& inputs) {
  tolerances_ = {};
  calc_forces(at, points, inputs);
  activation_.assign(activation.begin(), activation.end());
  take_gathered(at, points);
}

void Instant::calc_forces(const BodySnapshot& at, const std::vector<ContactPoint>& points, const Inputs& inputs) {
  system_.calc_applied_forces(at.t(), at.q(), at.u(), force_);
  system_.add_input_forces(inputs, at.t(), at.q(), force_);
  system_.add_gyroscopic_forces(at.u(), force_);
  adhesion_.add_forces(at, points, force_);
  system_.solve_mass(force_, free_);
  calc_sizes(at);
}

/// The rows of those that activation_ lets take part.
void Instant::take_gathered(const BodySnapshot& at, const std::vector<ContactPoint>& points) {
  points_ = &points;
  constexpr double kForces = 1.0;  // [s] percussions of a second are forces
  set_.gather(at, points, activation_, kForces);

  const ConeProblem& all = set_.problem();
  const auto& delassus = std::get<FactoredDelassus>(all.delassus);
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  memory_.rows.clear();
  memory_.v.assign(system_.n_u(), 0.0);
  for (int i = 0; i < set_.count(); ++i) delassus.prepare_row(all.cones, i, memory_, block.data());
  calc_bias(at, points);
  given_ = zeta_;
  set_.add_relative_velocities(free_, given_);
  speeds_.resize(zeta_.size());
  std::ranges::transform(zeta_, speeds_.begin(), [](double z) { return std::abs(z); });
  set_.add_speeds(free_, speeds_);

  members_.resize(set_.count());
  for (int i = 0; i < set_.count(); ++i) classify(i);
  lambda_.assign(set_.size(), 0.0);
  a_ = free_;
  gamma_dot_ = given_;
}

void Instant::calc_sizes(const BodySnapshot& at) {
  sizes_.clear();
  for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
    const int b = static_cast<int>(i);
    const Body& body = system_.bodies()[i];
    if (body.n_u == 0) {
      sizes_.push_back({at[b].p.cwiseAbs().maxCoeff(), 0.0, 0.0});
      continue;
    }
    const auto u = at.u().segment(body.u_offset, body.n_u);
    const auto h = force_.segment(body.u_offset, body.n_u);
    sizes_.push_back({std::max(at.q().segment(body.q_offset, n_lengths(body)).cwiseAbs().maxCoeff(),
                               std::sqrt(body.inertia.cwiseAbs().maxCoeff() / body.mass)),
                      std::sqrt(u.dot(system_.mass(b) * u) / body.mass),
                      std::sqrt(h.dot(system_.inverse_mass(b) * h) / body.mass)});
  }
}

double Instant::calc_length(int first, int second) const {
  return std::max(sizes_[first].length, sizes_[second].length);
}

double Instant::zero_gap(int cone, int row) const {
  const double length = calc_length(side(cone, Side::first).body, side(cone, Side::second).body);
  return tolerances_.gap * (is_angle_row(cone, row) ? 1.0 : length);
}

/// [m/s] up to which the velocities of a constraint are zero.
double Instant::calc_zero_speed(int cone) const {
  const int first = side(cone, Side::first).body;
  const int second = side(cone, Side::second).body;
  const double speed = std::max(sizes_[first].speed, sizes_[second].speed);
  const double acceleration = std::max(sizes_[first].acceleration, sizes_[second].acceleration);
  return tolerances_.speed * std::max(speed, std::sqrt(acceleration * calc_length(first, second)));
}

void Instant::classify(int cone) {
  const Cone& rows = set_.problem().cones[cone];
  Member& member = members_[cone];
  member = {.mode = InstantMode::bilateral,
            .jumps = false,
            .first_friction = 0,
            .n_friction = 0,
            .mu = 0.0,
            .bound = 0.0,
            .direction = {},
            .turning = {}};
  // Angular rates count by the lever at which they move the lighter body.
  double mass = std::numeric_limits<double>::infinity();
  for (const Side s : {Side::first, Side::second}) {
    if (side(cone, s).n_u > 0) mass = std::min(mass, system_.bodies()[side(cone, s).body].mass);
  }
  std::array<double, kMaxConeDim> diagonal;
  set_.problem().calc_diagonal(cone, diagonal.data());
  std::array<double, kMaxConeDim> speed;
  for (int r = 0; r < rows.dim; ++r) {
    const double lever = is_angle_row(cone, r) && diagonal[r] > 0.0 ? 1.0 / std::sqrt(diagonal[r] * mass) : 1.0;
    speed[r] = lever * set_.gamma()[rows.offset + r];
  }
  const double zero = calc_zero_speed(cone);
  switch (set_.kind(cone)) {
    case ConstraintSet::Kind::joint:
      member.jumps = std::any_of(speed.begin(), speed.begin() + rows.dim, [&](double x) { return std::abs(x) > zero; });
      return;
    case ConstraintSet::Kind::contact:
      member.first_friction = 1;
      member.n_friction = set_.friction_dim(cone);
      member.mu = member.n_friction > 0 ? set_.problem().friction(rows).front().mu : 0.0;
      if (speed[0] > zero) {
        member.mode = InstantMode::separating;
        return;
      }
      member.jumps = speed[0] < -zero;
      break;
    case ConstraintSet::Kind::servo:  // of schemes on velocities alone
    case ConstraintSet::Kind::dry_friction:
      member.n_friction = rows.dim;
      member.bound = rows.radius;
      break;
  }
  const ConstVectorView sliding(speed.data() + member.first_friction, member.n_friction);
  const double size = sliding.norm();
  member.mode = size > zero ? InstantMode::sliding : InstantMode::sticking;
  for (int i = 0; i < member.n_friction && slides(cone); ++i) member.direction[i] = sliding(i) / size;
  set_friction(cone);
  if (slides(cone) && has_polygon(cone)) slide_on_polygon(member, zero / size);
  if (set_.kind(cone) != ConstraintSet::Kind::contact) return;
  int next = member.first_friction + member.n_friction;
  for (const FrictionBlock& block : set_.problem().friction(rows).subspan(member.n_friction > 0 ? 1 : 0)) {
    Turning& turning = member.turning[member.n_turning++];
    turning.first = next;
    turning.n = block.dim;
    next += block.dim;
    // With the lever of a motion along the normal, as that of the friction may be short.
    const double lever = diagonal[turning.first] > 0.0 ? std::sqrt(diagonal[0] / diagonal[turning.first]) : 1.0;
    const ConstVectorView rate(speed.data() + turning.first, turning.n);
    turning.slides = std::max(lever, 1.0) * rate.norm() > zero;
    for (int i = 0; i < turning.n && turning.slides; ++i) turning.direction[i] = rate(i) / rate.norm();
  }
}

bool Instant::sticks(int cone, int set) const {
  return set == 0 ? members_[cone].mode == InstantMode::sticking : !members_[cone].turning[set - 1].slides;
}

bool Instant::has_sliding_friction(int cone) const {
  const auto slides_so = [](const Turning& turning) { return turning.slides; };
  return (slides(cone) && members_[cone].mu > 0.0) || std::ranges::any_of(turning(cone), slides_so);
}

/// zeta, from the System's kinematics.
void Instant::calc_bias(const BodySnapshot& at, const std::vector<ContactPoint>& points) {
  zeta_.assign(set_.size(), 0.0);
  JointVector of_joint;
  for (int i = 0; i < set_.count(); ++i) {
    stop_.check();
    const int k = set_.index(i);
    VectorView rows(rows_of(i, zeta_), set_.problem().cones[i].dim);
    switch (set_.kind(i)) {
      case ConstraintSet::Kind::contact:
        rows = system_.calc_contact_acceleration_bias(points[k], at.t(), at.q(), at.u()).head(rows.size());
        break;
      case ConstraintSet::Kind::joint:
        system_.calc_joint_acceleration_bias(k, at.t(), at.q(), at.u(), of_joint);
        rows = of_joint;
        break;
      case ConstraintSet::Kind::servo:  // of schemes on velocities alone
      case ConstraintSet::Kind::dry_friction:
        system_.calc_dry_friction_acceleration_bias(k, at.t(), at.q(), at.u(), of_joint);
        rows = of_joint;
        break;
    }
  }
}

void Instant::set_mode(int cone, InstantMode mode) {
  STICKSLIP_ASSERT((set_.kind(cone) == ConstraintSet::Kind::joint) == (mode == InstantMode::bilateral));
  STICKSLIP_ASSERT(mode != InstantMode::sliding || slides(cone));
  members_[cone].mode = mode;
  set_friction(cone);
}

void Instant::slide(int cone, std::span<const double> direction) {
  Member& member = members_[cone];
  STICKSLIP_ASSERT(static_cast<int>(direction.size()) == member.n_friction);
  member.mode = InstantMode::sliding;
  member.direction.fill(0.0);
  std::ranges::copy(direction, member.direction.begin());
  set_friction(cone);
  if (has_polygon(cone)) slide_on_polygon(member, FrictionPolygon::kRoundOff);
}

/// mu of a contact whose friction depends on whether and how fast it slides.
void Instant::set_friction(int cone) {
  if (set_.kind(cone) != ConstraintSet::Kind::contact) return;
  const ContactLaw& law = system_.pair((*points_)[set_.index(cone)]).law();
  Member& member = members_[cone];
  if (!law.is_of_speed() || member.n_friction == 0) return;
  const double speed = slides(cone) ? set_.slip_speed(cone) : 0.0;
  member.mu = slides(cone) && !tolerances_.has_stick_speed ? law.calc_sliding_friction(speed)
              : slides(cone)                               ? law.calc_friction(speed)
                                                           : law.friction;
}

void Instant::open_contacts() {
  for (int i = 0; i < set_.count(); ++i) {
    if (set_.kind(i) == ConstraintSet::Kind::contact) set_mode(i, InstantMode::open);
  }
}

bool Instant::hold_what_stops(const Vector& acceleration, double h) {
  gamma_dot_ = zeta_;
  set_.add_relative_velocities(acceleration, gamma_dot_);
  bool any = false;
  for (int i = 0; i < set_.count(); ++i) {
    const InstantMode mode = members_[i].mode;
    if (set_.kind(i) != ConstraintSet::Kind::contact || mode == InstantMode::open) continue;
    if (mode == InstantMode::separating) continue;
    const auto stops = [&](int row, int n, const double* direction) {
      const int first = set_.problem().cones[i].offset + row;
      double speed = 0.0;
      double slowed = 0.0;
      for (int r = 0; r < n; ++r) {
        speed += direction[r] * set_.gamma()[first + r];
        slowed -= direction[r] * gamma_dot_[first + r] * h;
      }
      return slowed > speed;
    };
    Member& member = members_[i];
    if (slides(i) && stops(member.first_friction, member.n_friction, member.direction.data())) {
      set_mode(i, InstantMode::sticking);
      any = true;
    }
    for (Turning& turning : std::span(member.turning).first(member.n_turning)) {
      if (!turning.slides || !stops(turning.first, turning.n, turning.direction.data())) continue;
      turning.slides = false;
      any = true;
    }
  }
  return any;
}

bool Instant::takes(FrictionLaw law) {
  problem_.law = law;
  return !solver_.refuses(problem_);
}

bool Instant::joints_jump() const {
  for (int i = 0; i < set_.count(); ++i) {
    if (set_.kind(i) == ConstraintSet::Kind::joint && jumps(i)) return true;
  }
  return false;
}

bool Instant::is_in_problem(int cone) const {
  return members_[cone].mode != InstantMode::open && members_[cone].mode != InstantMode::separating;
}

/// Whether spinning or rolling of a contact is held.
bool Instant::turns_held(int cone) const {
  return std::ranges::any_of(turning(cone), [](const Turning& turning) { return !turning.slides; });
}

/// What of a closed cone is in the problem: all but what slides.
Instant::Rows Instant::select_rows(int cone) const {
  const Member& member = members_[cone];
  Rows rows{cone, 0, problem_.size(), {}};
  const auto take = [&](int first, int n) {
    for (int r = 0; r < n; ++r) rows.row[rows.n++] = first + r;
  };
  if (set_.kind(cone) != ConstraintSet::Kind::contact) {
    take(0, set_.problem().cones[cone].dim);
    return rows;
  }
  take(0, 1);
  if (!slides(cone)) take(1, member.n_friction);
  if (on_edge(cone)) take(1, 1);
  for (const Turning& turning : turning(cone)) {
    if (!turning.slides) take(turning.first, turning.n);
  }
  return rows;
}

/// The cone problem but for its b.
void Instant::make_problem() {
  problem_.clear_cones();
  problem_.law = law_;
  auto& delassus = std::get<FactoredDelassus>(problem_.delassus);
  const auto& all = std::get<FactoredDelassus>(set_.problem().delassus);
  delassus.clear_rows();
  rows_.clear();
  sliding_.clear();
  for (int i = 0; i < set_.count(); ++i) {
    stop_.check();
    const Member& member = members_[i];
    const int dim = set_.problem().cones[i].dim;
    const bool is_contact = set_.kind(i) == ConstraintSet::Kind::contact;
    if (!is_in_problem(i)) continue;
    if (slides(i) && !is_contact) continue;
    if (is_contact && has_sliding_friction(i)) sliding_.push_back(i);
    rows_.push_back(select_rows(i));
    const Rows& rows = rows_.back();
    if (is_contact) {
      std::array<FrictionBlock, kMaxFrictionSets> blocks;
      std::size_t n = 0;
      if (member.n_friction > 0 && (!slides(i) || on_edge(i))) blocks[n++] = friction_block(i);
      for (const Turning& turning : turning(i)) {
        if (!turning.slides) blocks[n++] = {turning.n, 1.0, 0, 0.0};
      }
      problem_.add_contact({blocks.data(), n});
    } else if (member.mode == InstantMode::bilateral) {
      problem_.add_free(dim);
    } else {
      problem_.add_ball(dim, member.bound);
    }
    delassus.begin_row(rows.n);
    for (const FactoredDelassus::Block& block : all.row(i)) {
      RowMatrixView J = delassus.add_block(block.body, block.column, block.n);
      const double* of_cone = all.values(block);
      for (int k = 0; k < rows.n; ++k) std::copy_n(of_cone + rows.row[k] * J.cols(), J.cols(), J.row(k).data());
      if (!on_edge(i)) continue;
      const double* second = of_cone + 2 * J.cols();
      J.row(1) = -member.direction[1] * J.row(1) + member.direction[0] * ConstVectorView(second, J.cols()).transpose();
    }
  }
  solution_.p.assign(problem_.size(), 0.0);
}

/// memory_.v += M^-1 W p over the rows of a cone.
void Instant::add_response(int cone, const double* p) {
  std::get<FactoredDelassus>(set_.problem().delassus).add_velocity(set_.problem().cones, cone, p, memory_);
}

/// The friction of all that slides with normal forces y, into lambda_, and what accelerations it gives, into memory_.v.
void Instant::set_friction(const std::vector<double>& y) {
  std::ranges::fill(memory_.v, 0.0);
  std::array<double, kMaxConeDim> p;
  std::size_t next = 0;
  for (int i = 0; i < set_.count(); ++i) {
    const Member& member = members_[i];
    const bool is_contact = set_.kind(i) == ConstraintSet::Kind::contact;
    if (is_contact ? !has_sliding_friction(i) || !is_in_problem(i) : !slides(i)) continue;
    const double normal = is_contact ? y[next++] : 0.0;
    p.fill(0.0);
    const auto rub = [&](int first, int n, const double* direction, double radius) {
      for (int r = 0; r < n; ++r) p[first + r] = rows_of(i, lambda_)[first + r] = -radius * direction[r];
    };
    if (slides(i)) {
      const double radius = is_contact ? slip_friction(i) * normal : member.bound;
      rub(member.first_friction, member.n_friction, member.direction.data(), radius);
    }
    for (const Turning& turning : turning(i)) {
      if (turning.slides) rub(turning.first, turning.n, turning.direction.data(), normal);
    }
    add_response(i, p.data());
    if (!on_edge(i)) continue;
    rows_of(i, lambda_)[1] -= member.across * member.direction[1];  // which the problem has itself
    rows_of(i, lambda_)[2] += member.across * member.direction[0];
  }
}

/// Solves with the friction in memory_.v held; the forces of the problem's rows go into lambda_.
bool Instant::solve_rows(InstantReport& report) {
  stop_.check();
  std::array<double, kMaxConeDim> rates;
  double sum = 0.0;
  for (const Rows& rows : rows_) {
    const Cone& cone = set_.problem().cones[rows.cone];
    rates.fill(0.0);
    std::get<FactoredDelassus>(set_.problem().delassus)
        .add_relative_velocity(set_.problem().cones, rows.cone, nullptr, memory_, rates.data());
    for (int r = 0; r < cone.dim; ++r) rates[r] += given_[cone.offset + r];
    reduce(rows, rates.data(), problem_.b.data() + rows.offset);
    for (int r = 0; r < rows.n; ++r) sum += speeds_[cone.offset + rows.row[r]] * speeds_[cone.offset + rows.row[r]];
  }
  problem_.floor = kRoundOff * std::sqrt(sum);
  if (rows_.empty()) return true;
  ++report.problems;
  report.solve = solver_.solve(problem_, {.relative = std::min(solver_.tolerance(), tolerances_.solve)}, solution_);
  for (const Rows& rows : rows_) {
    const double* p = solution_.p.data() + rows.offset;
    for (int r = 0; r < rows.n; ++r) {
      if (r == 1 && on_edge(rows.cone)) {
        members_[rows.cone].across = p[1];
      } else {
        rows_of(rows.cone, lambda_)[rows.row[r]] = p[r];
      }
    }
  }
  return report.solve.status != Status::failed;
}

/// y = lambda_N of the sliding contacts.
void Instant::get_normals(std::vector<double>& y) const {
  y.clear();
  for (const int i : sliding_) y.push_back(lambda(i)[0]);
}

/// y = Phi(y), from held_, until u' changes by no more than `change` of the accelerations that make it up: repeated
/// once, which is enough where friction does not couple to normal forces, then by Newton's method.
void Instant::settle(int max_repetitions, double change, InstantReport& report) {
  set_friction(held_);
  for (int i = 0; i < max_repetitions; ++i) {
    friction_ = ConstVectorView(memory_.v.data(), free_.size());
    if (!solve_rows(report)) return;
    get_normals(found_);
    set_friction(found_);
    const ConstVectorView friction(memory_.v.data(), free_.size());
    const double changed = (friction - friction_).norm();
    const double size = free_.norm() + friction.norm();
    calc_accelerations();
    report.settled = changed <= change * (size + a_.norm());
    if (report.settled) return;
    if (i > 0 && sliding_.size() <= kMaxNewtonRows) {
      step_sliding_newton(held_, found_, moved_, [&](std::vector<double>& y) {
        set_friction(y);
        solve_rows(report);
        get_normals(y);
      });
    } else {
      held_ = found_;
    }
    set_friction(held_);
  }
}

/// u' = M^-1 (h + W lambda), gamma'.
void Instant::calc_accelerations() {
  std::ranges::fill(memory_.v, 0.0);
  for (int i = 0; i < set_.count(); ++i) add_response(i, lambda(i).data());
  a_ = free_ + ConstVectorView(memory_.v.data(), free_.size());
  gamma_dot_ = zeta_;
  set_.add_relative_velocities(a_, gamma_dot_);
}

void Instant::put(std::span<const double> lambda) {
  STICKSLIP_ASSERT(lambda.size() == lambda_.size());
  std::ranges::copy(lambda, lambda_.begin());
  calc_accelerations();
}

/// The residual of u' and lambda, in relation to what the constraints would have without any forces.
void Instant::judge(InstantReport& report) {
  solution_.u.resize(solution_.p.size());
  for (const Rows& rows : rows_) {
    const int offset = set_.problem().cones[rows.cone].offset;
    reduce(rows, given_.data() + offset, problem_.b.data() + rows.offset);
    reduce(rows, gamma_dot_.data() + offset, solution_.u.data() + rows.offset);
  }
  report.residual = calc_residual(problem_, law_, solution_.p, solution_.u, problem_.calc_residual_scale());
}

/// u' and lambda of (24) [Trinkle2003], under the laws of instant.h.
InstantReport Instant::solve() {
  InstantReport report;
  a_ = free_;
  gamma_dot_ = given_;
  std::ranges::fill(lambda_, 0.0);
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!free_.allFinite() || !std::ranges::all_of(given_, is_finite)) {
    report.status = Status::failed;
    return report;
  }
  make_problem();
  report.solutions = count_solutions();
  constexpr int kMaxRepetitions = 60;  // [-]
  constexpr int kFew = 12;             // [-] where they can be given up for a solution that is known
  constexpr double kRepeats = 1e-13;   // [-] what repetition leaves in the end, whatever the solver's tolerance
  held_.assign(sliding_.size(), 0.0);
  int repetitions = kFew;
  if (report.solutions == InstantReport::kUnknown) repetitions = kMaxRepetitions;
  if (report.solutions == 0) repetitions = 1;
  settle(repetitions, kRepeats, report);
  if (!report.settled && report.solutions > 0) {
    held_ = counted_;
    settle(kFew, std::max(kRepeats, solver_.tolerance()), report);  // Phi is known to that
  }
  calc_accelerations();
  judge(report);
  const bool holds = report.solve.status == Status::ok && report.settled && a_.allFinite();
  report.status = holds && report.residual.is_within({.relative = kHolds}) ? Status::ok : Status::inexact;
  return report;
}

}  // namespace stickslip
