// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/stepping/generalized_alpha/equations.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
namespace {

void resize_rows(Step& step) {
  const int n_rows = step.rows.n_rows();
  const int n_pos = step.rows.n_pos();
  Unknowns& x = step.x;
  if (x.lambda.size() >= n_rows && x.kappa.size() >= n_pos && x.lambda.size() > 0) return;
  // Contacts come and go: half as many again as there are now spare growing with each.
  const int spare = step.contacts.detects() ? 2 : 0;
  for (Vector* y :
       {&x.Lambda, &x.lambda, &step.P, &step.known_P, &step.start_lambda, &step.start_lambda_bar, &step.start_last}) {
    y->setZero(n_rows + n_rows * spare / 4);
  }
  for (Vector* y : {&x.kappa, &step.kappa_hat, &step.known_kappa}) y->setZero(n_pos + n_pos * spare / 4);
}

/// The elements of the detected contacts, anew.
void make_detected_elements(Step& step) {
  if (!step.contacts.detects()) return;
  step.elements.resize(step.n_fixed);
  step.rows.drop_others();
  for (int k = step.contacts.n_named(); k < static_cast<int>(step.contacts.points().size()); ++k) {
    step.elements.emplace_back(step.rows.add_contact(k));
  }
  resize_rows(step);
}

/// mu of contacts whose friction depends on how fast they slide: by the slip at (t, q, u).
void set_friction(Step& step, double t, const Vector& q, const Vector& u) {
  std::array<double, kMaxElementDim> gamma;
  for (StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact) continue;
    const ContactPoint& point = step.rows.point(e);
    const ContactPair& pair = step.system.pair(point);
    if (!pair.law().is_of_speed() || pair.friction_dim == 0) continue;
    step.rows.calc_velocity(e, t, q, u, gamma.data());
    double squared = 0.0;
    for (int i = 1; i <= std::min(pair.friction_dim, 2); ++i) squared += gamma[i] * gamma[i];
    const bool has_turned = std::ranges::find(step.turned, point.id) != step.turned.end();
    e.mu = has_turned ? pair.law().friction : pair.law().calc_friction(std::sqrt(squared));
  }
}

/// Of a contact whose restitution is a function of the speed with which it closes: of that at the start of the step.
void set_restitution(Step& step, StepElement& e, const State& state) {
  if (e.kind != ConstraintElement::Kind::contact) return;
  const ContactLaw& law = step.system.pair(step.rows.point(e)).law();
  if (!law.restitution_of_speed) return;
  std::array<double, kMaxElementDim> gamma;
  step.rows.calc_velocity(e, state.t, state.q, state.u, gamma.data());
  e.e_normal = law.calc_restitution(gamma[0]);
  e.gamma_start.fill(0.0);  // which follows where there is restitution
}

/// Adhesion is held in a step: at the end it is that of where the velocities lead, so that what attracts does not
/// depend on the iterate, and its directions are those of the end but for terms of second order.
void find_adhesion(Step& step, const State& state) {
  if (!step.adhesion.exists()) return;
  step.adhesive_start.setZero();
  step.adhesion.add_forces(step.snapshot.take(state.t, state.q, &state.u), step.contacts.points(), step.adhesive_start);
  step.q = state.q;
  step.system.advance(step.h, state.u, step.q);
  step.adhesive.setZero();
  step.adhesion.add_forces(step.snapshot.take(step.t_end, step.q, &state.u), step.contacts.points(), step.adhesive);
}

}  // namespace

bool restore_static_friction(Step& step) {
  const std::size_t n_before = step.turned.size();
  std::array<double, kMaxElementDim> start;
  for (const StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact || e.level < Level::velocity || !e.evaluated) continue;
    const ContactPoint& point = step.rows.point(e);
    const ContactLaw& law = step.system.pair(point).law();
    if (!law.kinetic || !(e.mu < law.friction)) continue;
    step.rows.calc_velocity(e, step.t_start, step.q_start, step.u_start, start.data());
    double along = 0.0;
    for (int i = 1; i < std::min(e.dim, 3); ++i) along += start[i] * e.gamma[i];
    if (e.sticks() || along <= 0.0) step.turned.push_back(point.id);
  }
  return step.turned.size() > n_before;
}

Step::Step(const GeneralizedAlphaOptions& o, const System& s, StopToken token)
    : system(s),
      options(o),
      weights(o.rho_inf),
      stop(token),
      contacts(s, token),
      rows(s, contacts, token),
      adhesion(s),
      snapshot(s),
      measure(s) {
  for (int k = 0; k < contacts.n_named(); ++k) elements.emplace_back(rows.add_contact(k));
  for (int k = 0; k < static_cast<int>(system.dry_frictions().size()); ++k) {
    elements.emplace_back(rows.add_dry_friction(k));
  }
  for (int k = 0; k < static_cast<int>(system.joints().size()); ++k) elements.emplace_back(rows.add_joint(k));
  rows.keep_added();
  n_fixed = elements.size();
  for (Vector* y : {&x.a, &x.U, &x.Q, &u, &v, &force, &r1, &r2, &r3, &u_start, &u_known, &adhesive_start, &adhesive}) {
    y->setZero(system.n_u());
  }
  for (Vector* y : {&q, &q_start, &q_known}) y->setZero(system.n_q());
  resize_rows(*this);
  contacts.set_envelope(adhesion.reach());
}

void begin(Step& step, const State& state, double h, double t_end, bool again) {
  STICKSLIP_ASSERT(state.memory.size() == MemoryView<Vector>::size(step.system, step.rows.n_kept_rows()));
  step.inputs = state.inputs;
  step.h = h;
  step.t_end = t_end;
  step.follows_branches = true;  // an interrupted step may have left it
  for (StepElement& e : step.elements) {
    if (e.kind == ConstraintElement::Kind::dry_friction) {
      e.bound = step.system.calc_friction_bound(e.index, state.joint_loads);
    }
  }
  if (step.contacts.detects()) {
    const auto kept = again ? step.contacts.ids() : state.contacts.ids();
    step.kept_contacts.assign(kept.begin(), kept.end());
    step.snapshot.take(state.t, state.q, &state.u);
    step.contacts.find(step.snapshot, t_end, step.kept_contacts, again);
    if (!again) {  // gaps are those at the end of the step: of what is nearest where the velocities lead
      step.q = state.q;
      step.system.advance(h, state.u, step.q);
      step.contacts.follow(step.snapshot.take(t_end, step.q, &state.u), h);
    }
    make_detected_elements(step);
  }
  find_adhesion(step, state);
  step.t_start = state.t;
  set_friction(step, state.t, state.q, state.u);
  load_memory(step, state);
  set_known(step, state);
  for (StepElement& e : step.elements) {
    e.branch = Branch::any;
    e.has_choice = false;
    set_restitution(step, e, state);
    set_stretch(step, e, state);
  }
  step.measure.start(step, state, MemoryView(step.system, state.memory).a().data());
  set_start_values(step, state, true);
}

bool meets_others(Step& step) {
  if (!step.contacts.detects()) return false;
  step.snapshot.take(step.t_end, step.q, nullptr);
  return step.contacts.extend(step.snapshot);
}

const BodySnapshot& set_to_instant(Step& step, const State& state) {
  step.snapshot.take(state.t, state.q, &state.u);
  step.contacts.find_touching(step.snapshot, step.adhesion.reach());
  make_detected_elements(step);
  step.inputs = state.inputs;
  step.t_end = state.t;
  step.q = state.q;
  step.u = state.u;
  set_friction(step, state.t, state.q, state.u);
  return step.snapshot;
}

}  // namespace stickslip::generalized_alpha
