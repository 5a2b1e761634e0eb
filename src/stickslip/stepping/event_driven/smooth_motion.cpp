// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/smooth_motion.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/round_off.h"
#include "stickslip/stepping/event_driven/directions.h"

namespace stickslip::event_driven {
namespace {

/// A direction of slip that is taken for the one of the velocity. [-] cosine
constexpr double kSame = 1.0 - 1e-9;
/// Newton steps for directions at most, and what these leave: round-off. [-]
constexpr int kMaxTurns = 20;
/// The least acceleration of slip that they start from, of what friction gives by itself: round-off. [-]
constexpr double kLeastSlip = 1e-14;
constexpr double kTurnedEnough = 16.0 * kEpsilon;
/// What directions and accelerations of slip may differ by where Newton's steps no longer get smaller: round-off of
/// what friction gives by itself. [-]
constexpr double kAgrees = 64.0 * kEpsilon;
constexpr double kCosine = 0.5;  // [-] of the angle by which a direction may turn from that at the start
/// Newton steps of a projection of positions at most, and its end: what is off is round-off of lengths by then. [-]
constexpr int kMaxProjections = 4;
constexpr double kRight = 4.0 * kEpsilon;
constexpr double kOverlap = 1e-6;  // [-] of the least body: far above what integration leaves

}  // namespace

SmoothMotion::SmoothMotion(const System& system, const FrictionPolygon& polygon, StopToken stop)
    : system_(system),
      polygon_(polygon),
      stop_(stop),
      at_(system),
      set_(system, stop, false),
      rows_(system),
      sizes_(system) {
  for (Vector* v : {&force_, &a_, &nonconservative_}) v->setZero(system.n_u());
}

bool SmoothMotion::has_friction(int point) const {
  return friction_dim(point) > 0 && system_.pair(system_.contact_points()[point]).law().has_friction();
}

double SmoothMotion::friction_of(int point) const {
  if (friction_dim(point) == 0) return 0.0;
  const ContactLaw& law = system_.pair(system_.contact_points()[point]).law();
  if (!law.is_of_speed() || modes_.contacts[point].sticks) return law.friction;
  const int cone = contact_cones_.empty() ? -1 : contact_cones_[point];
  return law.calc_sliding_friction(cone >= 0 ? set_.slip_speed(cone) : 0.0);
}

int SmoothMotion::friction_dim(int point) const {
  return system_.pair(system_.contact_points()[point]).friction_dim;
}

double SmoothMotion::friction_size(int point, const double* friction) const {
  return has_polygon(point) ? polygon_.calc_gauge(friction) : norm(friction, friction_dim(point));
}

/// [-] of a contact that slides, along what its friction opposes.
double SmoothMotion::slip_friction(int point) const {
  return friction_of(point) * (on_edge(point) ? polygon_.apothem() : 1.0);
}

double SmoothMotion::calc_yield(int point) const {
  return rows_.calc_yield(held_row_[point]);
}

void SmoothMotion::set_modes(const Modes& modes, double zero_speed) {
  modes_ = modes;
  zero_speed_ = zero_speed;
  constexpr double kAll = std::numeric_limits<double>::infinity();
  activation_.clear();
  for (const Mode& contact : modes.contacts) activation_.push_back(contact.closed ? kAll : -kAll);
  on_edge_.assign(modes.contacts.size(), 0);
  for (std::size_t k = 0; k < modes.contacts.size(); ++k) {
    const Mode& mode = modes.contacts[k];
    const int point = static_cast<int>(k);
    if (!mode.closed || mode.sticks || !has_polygon(point) || !has_friction(point)) continue;
    if (polygon_.take(mode.direction.data()).on_edge) on_edge_[k] = 1;
  }
}

Mode& SmoothMotion::mode(int cone) {
  const int k = set_.index(cone);
  return set_.kind(cone) == ConstraintSet::Kind::contact ? modes_.contacts[k] : modes_.dry_frictions[k];
}

void SmoothMotion::gather(double t, const Vector& q, const Vector& u) {
  at_.take(t, q, &u);
  constexpr double kForces = 1.0;  // [s] percussions of a second are forces
  set_.gather(at_, system_.contact_points(), activation_, kForces);
  contact_cones_.assign(system_.contact_points().size(), -1);
  dry_cones_.assign(system_.dry_frictions().size(), -1);
  for (int i = 0; i < set_.count(); ++i) {
    if (set_.kind(i) == ConstraintSet::Kind::contact) contact_cones_[set_.index(i)] = i;
    if (set_.kind(i) == ConstraintSet::Kind::dry_friction) dry_cones_[set_.index(i)] = i;
  }
}

/// n (n_F), what friction of a cone opposes.
void SmoothMotion::find_direction(int cone, std::array<double, kMaxFrictionDim>& n) {
  const bool is_contact = set_.kind(cone) == ConstraintSet::Kind::contact;
  const Cone& rows = set_.problem().cones[cone];
  const int first = rows.offset + (is_contact ? 1 : 0);
  const int dim = rows.dim - (is_contact ? 1 : 0);
  n = mode(cone).direction;
  if (dim < 2 || mode(cone).stopping || (is_contact && has_polygon(set_.index(cone)))) return;
  double along = 0.0;
  double squared = 0.0;
  for (int i = 0; i < dim; ++i) {
    along += n[i] * set_.gamma()[first + i];
    squared += set_.gamma()[first + i] * set_.gamma()[first + i];
  }
  const double speed = std::sqrt(squared);
  if (!(speed > zero_speed_) || along < kCosine * speed) return;
  for (int i = 0; i < dim; ++i) n[i] = set_.gamma()[first + i] / speed;
}

double SmoothMotion::calc_held_speed() const {
  double speed = 0.0;
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& rows = set_.problem().cones[i];
    int n = rows.dim;
    if (set_.kind(i) == ConstraintSet::Kind::contact && !modes_.contacts[set_.index(i)].sticks) n = 1;
    if (set_.kind(i) == ConstraintSet::Kind::dry_friction && !modes_.dry_frictions[set_.index(i)].sticks) n = 0;
    for (int r = 0; r < n; ++r) speed = std::max(speed, std::abs(set_.gamma()[rows.offset + r]));
  }
  return speed;
}

/// All rows of a cone are held.
void SmoothMotion::hold(int cone) {
  const Cone& rows = set_.problem().cones[cone];
  for (int row = rows.offset; row < rows.offset + rows.dim; ++row) rows_.add(row);
}

/// A contact is held along its normal, with the friction that slides; on an edge across that, too.
void SmoothMotion::slide(int cone) {
  const Cone& rows = set_.problem().cones[cone];
  const int point = set_.index(cone);
  std::array<double, kMaxFrictionDim> n;
  find_direction(cone, n);
  std::array<double, kMaxFrictionDim> friction = {};
  for (int r = 0; r < rows.dim - 1; ++r) friction[r] = -slip_friction(point) * n[r];
  rows_.add(rows.offset, rows.offset + 1, {friction.data(), static_cast<std::size_t>(rows.dim - 1)});
  if (on_edge(point)) rows_.add_along(rows.offset + 1, across({n[0], n[1]}));
}

/// rates_ = zeta: what gamma' is without accelerations.
void SmoothMotion::calc_bias() {
  rates_.assign(set_.size(), 0.0);
  JointVector of_joint;
  for (int i = 0; i < set_.count(); ++i) {
    stop_.check();
    const int k = set_.index(i);
    const Cone& cone = set_.problem().cones[i];
    VectorView rows(rates_.data() + cone.offset, cone.dim);
    switch (set_.kind(i)) {
      case ConstraintSet::Kind::contact:
        rows = system_.calc_contact_acceleration_bias(system_.contact_points()[k], at_.t(), at_.q(), at_.u())
                   .head(cone.dim);
        break;
      case ConstraintSet::Kind::joint:
        system_.calc_joint_acceleration_bias(k, at_.t(), at_.q(), at_.u(), of_joint);
        rows = of_joint;
        break;
      case ConstraintSet::Kind::servo:  // of schemes on velocities alone
      case ConstraintSet::Kind::dry_friction:
        system_.calc_dry_friction_acceleration_bias(k, at_.t(), at_.q(), at_.u(), of_joint);
        rows = of_joint;
        break;
    }
  }
}

/// u' and lambda of (24) [Trinkle2003]: what is held has (19), what slides has (17) or (18).
bool SmoothMotion::solve(double t, const Vector& q, const Vector& u, const Inputs& inputs) {
  if (!q.allFinite() || !u.allFinite()) return false;
  gather(t, q, u);
  system_.calc_applied_forces(t, q, u, force_);
  system_.add_input_forces(inputs, t, q, force_);
  system_.add_gyroscopic_forces(u, force_);
  adhesion_.add_forces(at_, system_.contact_points(), force_);
  if (!force_.allFinite()) return false;

  lambda_.assign(set_.size(), 0.0);
  rows_.clear(set_);
  held_row_.assign(system_.contact_points().size(), -1);
  std::array<double, kMaxFrictionDim> n;
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& cone = set_.problem().cones[i];
    const int k = set_.index(i);
    if (set_.kind(i) == ConstraintSet::Kind::contact) held_row_[k] = rows_.count();
    const bool is_contact = set_.kind(i) == ConstraintSet::Kind::contact;
    if (set_.kind(i) == ConstraintSet::Kind::joint || mode(i).sticks) {
      hold(i);
    } else if (is_contact) {
      slide(i);
    } else {
      find_direction(i, n);
      for (int r = 0; r < cone.dim; ++r) lambda_[cone.offset + r] = -system_.dry_frictions()[k].bound * n[r];
    }
  }
  rows_.factorise();
  Vector friction;
  set_.calc_generalized_percussions(lambda_, friction);
  force_ += friction;
  system_.solve_mass(force_, a_);
  if (!determined()) add_loads();
  calc_bias();
  set_.add_relative_velocities(a_, rates_);
  consistent_ = rows_.hold(rates_, lambda_, a_, least_);
  return a_.allFinite();
}

void SmoothMotion::begin_from(std::span<const double> lambda) {
  first_.assign(lambda.begin(), lambda.end());
  modes_of_first_ = modes_;
}

/// Begins forces that are not determined with known ones, or the loads of contacts and their friction, into lambda_ and
/// a_, and says by how much normal forces may be less: contacts push.
void SmoothMotion::add_loads() {
  work_.assign(set_.size(), 0.0);
  least_.assign(set_.size(), -std::numeric_limits<double>::infinity());
  const bool goes_on = first_.size() == work_.size() && modes_ == modes_of_first_;
  bool has_loads = goes_on;
  if (goes_on) work_ = first_;
  std::array<double, kMaxFrictionDim> n;
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& cone = set_.problem().cones[i];
    if (set_.kind(i) == ConstraintSet::Kind::dry_friction && !mode(i).sticks) {
      std::fill_n(work_.begin() + cone.offset, cone.dim, 0.0);  // is in lambda_ already
    }
    if (set_.kind(i) != ConstraintSet::Kind::contact) continue;
    const double load = goes_on ? std::max(first_[cone.offset], 0.0) : mode(i).load;
    least_[cone.offset] = -load;
    if (load == 0.0) continue;
    has_loads = true;
    work_[cone.offset] = load;
    if (mode(i).sticks) continue;
    find_direction(i, n);
    for (int r = 0; r < cone.dim - 1; ++r) work_[cone.offset + 1 + r] = -slip_friction(set_.index(i)) * load * n[r];
  }
  if (!has_loads) return;
  Vector push;
  set_.calc_generalized_percussions(work_, push);
  Vector change(system_.n_u());
  system_.solve_mass(push, change);
  a_ += change;
  for (std::size_t row = 0; row < work_.size(); ++row) lambda_[row] += work_[row];
}

void SmoothMotion::calc_accelerations(std::vector<double>& rates) {
  calc_bias();
  rates = rates_;
  set_.add_relative_velocities(a_, rates);
}

int SmoothMotion::first_friction_row(int cone) const {
  return set_.problem().cones[cone].offset + (set_.kind(cone) == ConstraintSet::Kind::contact ? 1 : 0);
}

/// Whether friction slides and may take any direction of two and more.
bool SmoothMotion::turns_freely(int cone) {
  if (set_.kind(cone) == ConstraintSet::Kind::joint || mode(cone).sticks || mode(cone).stopping) return false;
  const bool is_contact = set_.kind(cone) == ConstraintSet::Kind::contact;
  if (is_contact && (!has_friction(set_.index(cone)) || has_polygon(set_.index(cone)))) return false;
  const Cone& rows = set_.problem().cones[cone];
  return rows.offset + rows.dim - first_friction_row(cone) >= 2;
}

/// [N, N m] of friction that slides.
double SmoothMotion::calc_bound(int cone) const {
  const int k = set_.index(cone);
  if (set_.kind(cone) == ConstraintSet::Kind::dry_friction) return system_.dry_frictions()[k].bound;
  return friction_of(k) * lambda_[set_.problem().cones[cone].offset];
}

std::span<const SmoothMotion::Slip> SmoothMotion::find_slips() {
  slips_.clear();
  std::array<double, kMaxFrictionDim> n;
  std::array<double, kMaxConeDim> diagonal;
  for (int i = 0; i < set_.count(); ++i) {
    if (!turns_freely(i)) continue;
    if (slips_.empty()) calc_accelerations(work_);
    const Cone& cone = set_.problem().cones[i];
    const int first = first_friction_row(i);
    set_.problem().calc_diagonal(i, diagonal.data());
    find_direction(i, n);
    Slip slip;
    double response = 0.0;
    for (int row = first; row < cone.offset + cone.dim; ++row) {
      slip.speed += set_.gamma()[row] * set_.gamma()[row];
      slip.rate += work_[row] * n[row - first];
      response = std::max(response, diagonal[row - cone.offset]);
    }
    slip.speed = std::sqrt(slip.speed);
    slip.stiffness = std::max(calc_bound(i), 0.0) * response;
    slips_.push_back(slip);
  }
  return slips_;
}

bool SmoothMotion::mark_stopping(double speed) {
  bool changed = false;
  for (int i = 0; i < set_.count(); ++i) {
    if (set_.kind(i) == ConstraintSet::Kind::joint || !mode(i).stopping) continue;
    const int first = first_friction_row(i);
    const Cone& cone = set_.problem().cones[i];
    if (norm(set_.gamma().data() + first, cone.offset + cone.dim - first) <= 2.0 * speed) continue;
    mode(i).stopping = false;
    changed = true;
  }
  std::size_t next = 0;
  find_slips();
  for (int i = 0; i < set_.count(); ++i) {
    if (!turns_freely(i)) continue;
    if (next == slips_.size()) break;
    const Slip& slip = slips_[next++];
    if (slip.speed > speed || !(slip.speed > zero_speed_) || !(slip.rate < 0.0)) continue;
    find_direction(i, mode(i).direction);
    mode(i).stopping = true;
    changed = true;
  }
  return changed;
}

/// Of a unit of friction in a row (n_u): its generalized force, and what velocities it changes, all that is held
/// included.
void SmoothMotion::respond_to_friction(int row, Vector& jacobian, Vector& v) {
  work_.assign(set_.size(), 0.0);
  work_[row] = 1.0;
  set_.calc_generalized_percussions(work_, jacobian);
  v.resize(system_.n_u());
  system_.solve_mass(jacobian, v);
  rates_.assign(set_.size(), 0.0);
  set_.add_relative_velocities(v, rates_);
  (void)rows_.hold(rates_, work_, v);
}

void SmoothMotion::calc_slip_slopes(Matrix& slopes) {
  slopes.setZero(system_.n_u(), system_.n_u());
  std::array<double, kMaxFrictionDim> n;
  for (int i = 0; i < set_.count(); ++i) {
    if (!turns_freely(i)) continue;
    const Cone& cone = set_.problem().cones[i];
    const int first = first_friction_row(i);
    const int dim = cone.offset + cone.dim - first;
    const double speed = norm(set_.gamma().data() + first, dim);
    find_direction(i, n);
    double along = 0.0;
    for (int r = 0; r < dim; ++r) along += n[r] * set_.gamma()[first + r];
    if (!(speed > zero_speed_) || !(along > kSame * speed)) continue;  // of a direction that does not turn
    Matrix jacobian(dim, system_.n_u());
    Matrix response(system_.n_u(), dim);
    Vector row;
    Vector v;
    for (int r = 0; r < dim; ++r) {
      respond_to_friction(first + r, row, v);
      jacobian.row(r) = row.transpose();
      response.col(r) = v;
    }
    const ConstVectorView direction(n.data(), dim);
    const Matrix across = Matrix::Identity(dim, dim) - direction * direction.transpose();
    slopes -= (calc_bound(i) / speed) * response * across * jacobian;
  }
}

bool SmoothMotion::settle_directions(double t, const Vector& q, const Vector& u, const Inputs& inputs,
                                     const Vector& acceleration) {
  std::vector<int> rows;   // of friction that begins to slide
  std::vector<int> cones;  // and its cones
  for (int i = 0; i < set_.count(); ++i) {
    if (!turns_freely(i)) continue;
    const int first = first_friction_row(i);
    const Cone& cone = set_.problem().cones[i];
    if (norm(set_.gamma().data() + first, cone.offset + cone.dim - first) > zero_speed_) continue;
    cones.push_back(i);
    for (int row = first; row < cone.offset + cone.dim; ++row) rows.push_back(row);
  }
  if (cones.empty()) return true;
  const Modes before = modes_;
  const auto n = static_cast<Eigen::Index>(rows.size());
  Vector slip(n);  // [m/s^2, rad/s^2] accelerations of slip
  Vector off(n);
  Matrix slopes(n, n);
  Vector force;
  Vector v;
  std::vector<double> rates;
  const auto give_up = [&] {
    modes_ = before;
    (void)solve(t, q, u, inputs);
    return false;
  };
  calc_bias();
  set_.add_relative_velocities(acceleration, rates_);
  const std::vector<double> near = rates_;
  std::array<double, kMaxConeDim> diagonal;
  double turned_before = std::numeric_limits<double>::infinity();
  // Whether the accelerations at these directions are the ones from which they come, to round-off.
  const auto agrees = [&] {
    calc_accelerations(rates);
    double left = 0.0;
    double given = 0.0;
    for (Eigen::Index k = 0; k < n; ++k) left = std::max(left, std::abs(rates[rows[k]] - slip(k)));
    for (const int i : cones) {
      set_.problem().calc_diagonal(i, diagonal.data());
      const int first = first_friction_row(i) - set_.problem().cones[i].offset;
      given = std::max(given, calc_bound(i) * diagonal[first]);
    }
    return left <= kAgrees * given;
  };
  for (int iteration = 0; iteration < kMaxTurns; ++iteration) {
    calc_accelerations(rates);
    for (Eigen::Index k = 0; k < n; ++k) off(k) = rates[rows[k]];
    slopes.setIdentity();
    Eigen::Index own = 0;
    for (const int i : cones) {
      const int first = first_friction_row(i);
      const Cone& cone = set_.problem().cones[i];
      const int dim = cone.offset + cone.dim - first;
      const ConstVectorView direction(mode(i).direction.data(), dim);
      if (iteration == 0) {
        // Too small is safe: directions follow better then.
        set_.problem().calc_diagonal(i, diagonal.data());
        const double least = kLeastSlip * calc_bound(i) * diagonal[first - cone.offset];
        slip.segment(own, dim) = direction * std::max(norm(near.data() + first, dim), least);
      }
      const double size = slip.segment(own, dim).norm();
      if (!(size > 0.0)) return give_up();
      const Matrix across = Matrix::Identity(dim, dim) - direction * direction.transpose();
      Matrix response(n, dim);
      for (int r = 0; r < dim; ++r) {
        respond_to_friction(first + r, force, v);
        rates.assign(set_.size(), 0.0);
        set_.add_relative_velocities(v, rates);
        for (Eigen::Index k = 0; k < n; ++k) response(k, r) = rates[rows[k]];
      }
      slopes.middleCols(own, dim) += (calc_bound(i) / size) * response * across;
      own += dim;
    }
    const Vector change = Eigen::PartialPivLU<Matrix>(slopes).solve(Vector(off - slip));
    slip += change;
    own = 0;
    double turned = 0.0;
    for (const int i : cones) {
      const int dim = set_.problem().cones[i].offset + set_.problem().cones[i].dim - first_friction_row(i);
      const std::array<double, kMaxFrictionDim> next = direction_of(slip.data() + own, dim);
      for (int r = 0; r < dim; ++r) turned = std::max(turned, std::abs(next[r] - mode(i).direction[r]));
      mode(i).direction = next;
      own += dim;
    }
    if (!std::isfinite(turned) || !solve(t, q, u, inputs)) return give_up();
    if (turned <= kTurnedEnough || (turned >= turned_before && agrees())) return true;
    turned_before = turned;
  }
  return give_up();
}

double SmoothMotion::dissipated_power() const {
  double power = 0.0;
  for (int i = 0; i < set_.count(); ++i) {
    if (set_.kind(i) == ConstraintSet::Kind::joint) continue;
    const Cone& cone = set_.problem().cones[i];
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) power -= lambda_[row] * set_.gamma()[row];
  }
  return power;
}

double SmoothMotion::working_power(const Inputs& inputs) {
  system_.calc_nonconservative_forces(at_.t(), at_.q(), at_.u(), nonconservative_);
  system_.add_input_forces(inputs, at_.t(), at_.q(), nonconservative_);
  adhesion_.add_forces(at_, system_.contact_points(), nonconservative_);
  double power = nonconservative_.dot(at_.u()) + system_.calc_prescribed_power(at_.t(), at_.q(), at_.u());
  for (int row = 0; row < set_.size(); ++row) power -= lambda_[row] * set_.tau(row);
  return power;
}

std::array<double, 2> SmoothMotion::calc_certificate(int point) {
  const int own = contact_cones_[point];
  rows_.clear(set_);
  std::array<double, kMaxFrictionDim> n;
  for (int i = 0; i < set_.count(); ++i) {
    if (i == own) continue;
    if (set_.kind(i) == ConstraintSet::Kind::joint || mode(i).sticks) {
      hold(i);
    } else if (set_.kind(i) == ConstraintSet::Kind::contact) {
      slide(i);
    }
  }
  const int first = set_.problem().cones[own].offset;
  find_direction(own, n);
  if (on_edge(point)) rows_.add_along(first + 1, across({n[0], n[1]}));
  rows_.factorise();
  const Cone& cone = set_.problem().cones[own];
  std::vector<double> p(set_.size());
  const auto rate = [&](Vector& v) {
    std::ranges::fill(p, 0.0);
    std::vector<double> rates = rates_;
    set_.add_relative_velocities(v, rates);
    (void)rows_.hold(rates, p, v);
    rates = rates_;
    set_.add_relative_velocities(v, rates);
    return rates[cone.offset];
  };
  Vector v(system_.n_u());
  system_.solve_mass(force_, v);  // dry friction included
  calc_bias();
  const double without = rate(v);
  std::ranges::fill(p, 0.0);
  p[cone.offset] = 1.0;
  for (int r = 0; r < cone.dim - 1; ++r) p[cone.offset + 1 + r] = -slip_friction(point) * n[r];
  Vector w;
  set_.calc_generalized_percussions(p, w);
  system_.solve_mass(w, v);
  std::ranges::fill(rates_, 0.0);
  return {-without, rate(v)};
}

void SmoothMotion::project_velocities(double t, const Vector& q, Vector& u, EnergyLedger& energy) {
  gather(t, q, u);
  rows_.clear(set_);
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& cone = set_.problem().cones[i];
    const bool is_contact = set_.kind(i) == ConstraintSet::Kind::contact;
    const bool is_joint = set_.kind(i) == ConstraintSet::Kind::joint;
    const int dim = is_joint || mode(i).sticks ? cone.dim : is_contact ? 1 : 0;
    for (int row = cone.offset; row < cone.offset + dim; ++row) rows_.add(row);
    if (!is_contact || !on_edge(set_.index(i))) continue;
    const Mode& own = mode(i);
    rows_.add_along(cone.offset + 1, across({own.direction[0], own.direction[1]}));
  }
  percussions_.assign(set_.size(), 0.0);
  if (rows_.count() == 0) return;
  rows_.factorise();
  std::vector<double>& p = percussions_;
  Vector change = Vector::Zero(system_.n_u());
  (void)rows_.hold(set_.gamma(), p, change);
  if (!change.allFinite()) return;
  u += change;
  // As of any percussion: of joints, too, which take what they do not allow.
  rates_.assign(set_.gamma().begin(), set_.gamma().end());
  set_.add_relative_velocities(change, rates_);
  for (int row = 0; row < set_.size(); ++row) {
    energy.dissipated -= p[row] * 0.5 * (set_.gamma()[row] + rates_[row]);
    energy.work -= p[row] * set_.tau(row);
  }
}

void SmoothMotion::project_positions(double t, Vector& q) {
  const Vector rest = Vector::Zero(system_.n_u());
  std::vector<double> off;
  std::vector<double> p;
  Vector displacement(system_.n_u());
  JointVector g;
  for (int k = 0; k < kMaxProjections; ++k) {
    gather(t, q, rest);
    rows_.clear(set_);
    off.assign(set_.size(), 0.0);
    double most = 0.0;
    double far = 1.0;
    for (const Body& body : system_.bodies()) {
      if (body.n_u > 0) far = std::max(far, q.segment(body.q_offset, n_lengths(body)).lpNorm<Eigen::Infinity>());
    }
    for (int i = 0; i < set_.count(); ++i) {
      const Cone& cone = set_.problem().cones[i];
      const int index = set_.index(i);
      if (set_.kind(i) == ConstraintSet::Kind::contact) {
        // What began in an overlap, and no integration leaves such a one, keeps it: to take it away would lift bodies.
        const double gap = calc_gap(at_, system_.contact_points()[index]);
        off[cone.offset] = gap < -kOverlap * sizes_.least() ? 0.0 : gap;
        rows_.add(cone.offset);
      } else if (set_.kind(i) == ConstraintSet::Kind::joint && system_.joints()[index].n_position_rows > 0) {
        system_.calc_joint_position(index, t, q, g);
        for (int r = 0; r < system_.joints()[index].n_position_rows; ++r) {
          off[cone.offset + r] = g(r);
          rows_.add(cone.offset + r);
        }
      }
    }
    for (const double x : off) most = std::max(most, std::abs(x));
    if (!(most > kRight * far) || !std::isfinite(most)) return;
    rows_.factorise();
    displacement.setZero();
    p.assign(set_.size(), 0.0);
    (void)rows_.hold(off, p, displacement);
    if (!displacement.allFinite()) return;
    system_.advance(1.0, displacement, q);
    system_.normalize(t, q);
  }
}

}  // namespace stickslip::event_driven
