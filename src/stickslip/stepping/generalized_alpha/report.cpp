// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/report.h"

#include <array>

#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/contact_work.h"

namespace stickslip::generalized_alpha {

void report_contacts(const Step& step, StepReport& report) {
  for (const StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact) continue;
    ContactReport& contact = report.contacts[e.index];
    const bool closed = e.level >= Level::velocity && step.P(e.offset) > 0.0;
    contact.status = !closed ? ContactStatus::open : (e.sticks() ? ContactStatus::stick : ContactStatus::slip);
    if (closed) ++report.closed_contacts;
    for (int i = 0; i < e.dim - e.n_turning(); ++i) {
      contact.force[i] = step.x.lambda(e.offset + i);
      contact.impulse[i] = step.x.Lambda(e.offset + i);
      contact.percussion[i] = step.P(e.offset + i);
      if (e.evaluated) contact.velocity[i] = e.gamma[i];
    }
    if (closed && e.n_turning() > 0) {
      contact.moment = calc_moment(step.system.pair(step.rows.point(e)).rows, step.P.data() + e.offset, contact);
    }
  }
}

void report_start_contacts(const Step& step, StepReport& report) {
  for (const StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact || e.level < Level::velocity) continue;
    ContactReport& contact = report.contacts[e.index];
    for (int i = 0; i < e.dim - e.n_turning(); ++i) {
      contact.force[i] = step.x.lambda(e.offset + i);
      contact.velocity[i] = e.xi[i];
    }
    contact.status =
        contact.force[0] > 0.0 ? (e.sticks() ? ContactStatus::stick : ContactStatus::slip) : ContactStatus::open;
  }
}

void report_reactions(const Step& step, StepReport& report) {
  const System& system = step.system;
  add_joint_drives(system, step.inputs, step.t_end, step.q, step.u, report);
  for (const StepElement& e : step.elements) {
    const auto lambda = [&] { return JointVector(step.x.lambda.segment(e.offset, e.dim)); };
    switch (e.kind) {
      case ConstraintElement::Kind::joint:
        add_joint_reaction(system, e.index, step.t_end, step.q, lambda(), report);
        break;
      case ConstraintElement::Kind::dry_friction:
        add_dry_friction(system, e.index, step.t_end, step.q, lambda(), report);
        break;
      case ConstraintElement::Kind::contact:
        add_joint_limit(system, step.rows.point(e), step.t_end, step.q, step.x.lambda(e.offset), report);
        break;
    }
  }
}

void calc_smooth_impulse(const Step& step, Vector& change, Vector& impulse) {
  change = step.u_known - step.u_start + step.gamma_step() * step.x.a;  // u' - u - U, (73)
  step.system.multiply_mass(change, impulse);
  std::array<double, kMaxElementDim> p;
  for (const StepElement& e : step.elements) {
    if (!e.evaluated) continue;
    // M U = W' Lambda, of which P - Lambda is no part.
    for (int i = 0; i < e.dim; ++i) {
      p[i] = -step.known_P(e.offset + i) - step.gamma_step() * step.x.lambda(e.offset + i);
    }
    step.rows.add_force(e, p.data(), impulse);
  }
}

void report_smooth_impulse(const Step& step, Vector& impulse, StepReport& report) {
  for (const StepElement& e : step.elements) {
    const bool is_contact = e.kind == ConstraintElement::Kind::contact && step.rows.point(e).joint < 0;
    if (e.evaluated && !is_contact) step.rows.add_force(e, step.P.data() + e.offset, impulse);
  }
  report_applied_impulse(step.system, impulse, step.h, report);
}

void account_energy(const Step& step, const State& before, Vector& nonconservative, EnergyLedger& ledger,
                    ContactWork& work) {
  std::array<double, kMaxElementDim> start;
  std::array<double, kMaxElementDim> end;
  std::array<double, kMaxElementDim> tau_start;
  std::array<double, kMaxElementDim> first;  // [m/s] relative velocities whose mean with those at the end is the middle
  std::array<double, kMaxElementDim> law;    // [m/s] what the law of impacts adds to these
  ContactWorkSum sum;
  for (const StepElement& e : step.elements) {
    if (!e.evaluated) continue;
    const double size = step.P.segment(e.offset, e.dim).norm();
    if (size == 0.0) continue;
    // Joints are held before and after an impact, but for what a run starts from.
    const bool is_joint = e.kind == ConstraintElement::Kind::joint;
    const bool starts = is_joint && before.step == 0;
    const bool smooth = is_joint || (e.level == Level::acceleration &&
                                     step.x.Lambda.segment(e.offset, e.dim).norm() <= kImpulsive * size);
    const bool driven = step.rows.calc_prescribed_velocity(e, before.t, before.q, tau_start.data());
    if (driven) step.rows.multiply_transposed(e, step.u, end.data());
    if (!smooth || starts) step.rows.multiply_transposed(e, before.u, start.data());
    for (int i = 0; i < e.dim; ++i) {
      const double p = step.P(e.offset + i);
      const double tau = driven ? e.gamma[i] - end[i] : 0.0;
      const double middle = smooth ? e.gamma[i] - 0.5 * step.h * e.gamma_dot[i] : 0.5 * (start[i] + tau + e.gamma[i]);
      if (!is_joint) ledger.dissipated -= p * middle;
      first[i] = 2.0 * middle - e.gamma[i];
      law[i] = smooth ? 0.0 : e.restitution(i) * first[i];
      if (starts) ledger.dissipated -= 0.5 * p * (start[i] + (driven ? tau_start[i] : 0.0));
      if (driven) ledger.work -= p * 0.5 * (tau_start[i] + tau);
    }
    if (e.kind != ConstraintElement::Kind::contact) continue;
    sum.add(e.sides()[0].body, e.sides()[1].body, e.dim, e.mu, e.e_normal, e.e_tangent, step.P.data() + e.offset,
            first.data(), e.gamma.data(), law.data());
  }
  work = sum.result();
  const System& system = step.system;
  const bool adheres = step.adhesion.exists();
  if (system.forces().empty() && system.joints().empty() && step.inputs.empty() && !adheres) return;
  const auto calc_power = [&](double t, const Vector& q, const Vector& u, const Vector& adhesive) {
    system.calc_nonconservative_forces(t, q, u, nonconservative);
    system.add_input_forces(step.inputs, t, q, nonconservative);
    if (adheres) nonconservative += adhesive;
    return nonconservative.dot(u) + system.calc_prescribed_power(t, q, u);
  };
  if (step.weights.forgets) {  // the force at the end acts all along the way
    const double moved = calc_power(step.t_end, step.q, step.u, step.adhesive) + nonconservative.dot(before.u);
    ledger.work += 0.5 * step.h * (moved + system.calc_prescribed_power(step.t_end, step.q, step.u));
    return;
  }
  ledger.work += 0.5 * step.h *
                 (calc_power(before.t, before.q, before.u, step.adhesive_start) +
                  calc_power(step.t_end, step.q, step.u, step.adhesive));
}

}  // namespace stickslip::generalized_alpha
