// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/smooth_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/round_off.h"
#include "stickslip/stepping/event_driven/directions.h"

namespace stickslip::event_driven {
namespace {

constexpr double kCosine = 0.5;  // [-] of the angle by which a direction may turn from that at the start
/// Newton steps of a projection of positions at most, and its end: what is off is round-off of lengths by then. [-]
constexpr int kMaxProjections = 4;
constexpr double kRight = 4.0 * kEpsilon;
constexpr double kOverlap = 1e-6;  // [-] of the least body: far above what integration leaves

}  // namespace

Modes make_open_modes(const System& system) {
  Modes modes;
  modes.contacts.resize(system.contact_points().size());
  modes.dry_frictions.resize(system.dry_frictions().size());
  for (Mode& mode : modes.dry_frictions) mode.closed = true;
  return modes;
}

bool is_driven(const System& system) {
  return std::ranges::any_of(system.bodies(), [](const Body& body) { return body.type == BodyType::moving; }) ||
         std::ranges::any_of(system.joints(), [](const Joint& joint) { return joint.options.motion.has_value(); });
}

void write_modes(const Modes& modes, Vector& memory) {
  constexpr std::size_t kNumbers = 2 + kMaxFrictionDim;  // of a mode
  memory.resize(static_cast<Eigen::Index>(1 + kNumbers * (modes.contacts.size() + modes.dry_frictions.size())));
  memory(0) = 1.0;
  Eigen::Index next = 1;
  for (const std::vector<Mode>* each : {&modes.contacts, &modes.dry_frictions}) {
    for (const Mode& mode : *each) {
      memory(next++) = mode.closed ? 1.0 : 0.0;
      memory(next++) = mode.sticks ? 1.0 : 0.0;
      for (const double x : mode.direction) memory(next++) = x;
    }
  }
}

bool read_modes(const Vector& memory, Modes& modes) {
  if (memory(0) == 0.0) return false;
  Eigen::Index next = 1;
  for (std::vector<Mode>* each : {&modes.contacts, &modes.dry_frictions}) {
    for (Mode& mode : *each) {
      mode.closed = memory(next++) != 0.0;
      mode.sticks = memory(next++) != 0.0;
      for (double& x : mode.direction) x = memory(next++);
    }
  }
  return true;
}

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

double SmoothMotion::friction_of(int point) const {
  return friction_dim(point) > 0 ? system_.pair(system_.contact_points()[point]).law().friction : 0.0;
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
    if (!mode.closed || mode.sticks || !has_polygon(point) || friction_of(point) == 0.0) continue;
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
  if (dim < 2 || (is_contact && has_polygon(set_.index(cone)))) return;
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
      case ConstraintSet::Kind::dry_friction:
        system_.calc_dry_friction_acceleration_bias(k, at_.t(), at_.q(), at_.u(), of_joint);
        rows = of_joint;
        break;
    }
  }
}

bool SmoothMotion::solve(double t, const Vector& q, const Vector& u, const Inputs& inputs) {
  if (!q.allFinite() || !u.allFinite()) return false;
  gather(t, q, u);
  system_.calc_applied_forces(t, q, u, force_);
  system_.add_input_forces(inputs, t, q, force_);
  system_.add_gyroscopic_forces(u, force_);
  if (!force_.allFinite()) return false;

  lambda_.assign(set_.size(), 0.0);
  rows_.clear(set_);
  held_row_.assign(system_.contact_points().size(), -1);
  std::array<double, kMaxFrictionDim> n;
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& cone = set_.problem().cones[i];
    const int k = set_.index(i);
    if (set_.kind(i) == ConstraintSet::Kind::contact) held_row_[k] = rows_.count();
    const bool is_joint = set_.kind(i) == ConstraintSet::Kind::joint;
    const bool is_contact = set_.kind(i) == ConstraintSet::Kind::contact;
    if (is_joint || mode(i).sticks) {
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
  calc_bias();
  set_.add_relative_velocities(a_, rates_);
  consistent_ = rows_.hold(rates_, lambda_, a_);
  return a_.allFinite();
}

void SmoothMotion::calc_accelerations(std::vector<double>& rates) {
  calc_bias();
  rates = rates_;
  set_.add_relative_velocities(a_, rates);
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
      } else if (set_.kind(i) == ConstraintSet::Kind::joint && system_.joints()[index].holonomic) {
        system_.calc_joint_position(index, t, q, g);
        for (int r = 0; r < cone.dim; ++r) {
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
