// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "stickslip/constraints/certificate.h"
#include "stickslip/stepping/event_driven/transition.h"

namespace stickslip::event_driven {

bool Transition::cross(Moment& now, const Inputs& inputs, double h, std::vector<ContactComponents>& percussions,
                       StepRecord& record) {
  system_.calc_applied_forces(now.t, now.q, now.u, force_);
  system_.add_gyroscopic_forces(now.u, force_);
  system_.add_input_forces(inputs, now.t, now.q, force_);
  at_.take(now.t, now.q, &now.u);
  if (velocity_.has_adhesion()) {
    velocity_.find_adhesion(at_);
    force_ += velocity_.adhesion();
  }
  system_.solve_mass(force_, change_);
  activation_.assign(system_.contact_points().size(), std::numeric_limits<double>::infinity());
  ConstraintSet& constraints = velocity_.constraints();
  gather(h);
  std::vector<double>& added = velocity_.added();
  added.assign(constraints.size(), 0.0);
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const double gap = calc_gap(at_, system_.contact_points()[constraints.index(i)]);
    added[constraints.problem().cones[i].offset] = std::max(gap, 0.0) / h;
  }
  velocity_.added_sizes() = added;
  StepReport report;
  if (velocity_.solve(now.u + h * change_, no_state_, report) == Status::failed) {
    record.message = report.message;
    return false;
  }
  add(report.solve, record);
  if (report.solve.residual.absolute >= record.residual.absolute) record.residual = report.solve.residual;
  record.missed = std::max(record.missed, report.solve.residual.missed);
  add_percussions(percussions);
  velocity_.account_energy(inputs, now.t, now.q, now.u, now.u, h, now.energy);
  record.contact_work.add(velocity_.contact_work());
  now.u = velocity_.u_end();
  Vector q_dot = Vector::Zero(system_.n_q());
  system_.calc_coordinate_rates(now.q, now.u, q_dot);
  now.q += h * q_dot;
  now.t += h;
  if (!now.q.allFinite() || !now.u.allFinite()) {
    record.message = describe_non_finite(system_, now.q, now.u);
    return false;
  }
  system_.normalize(now.t, now.q);
  return true;
}

void Transition::report_crossing(const BodySnapshot& end, double h, const Inputs& inputs, StepReport& report) {
  velocity_.report_forces(h, inputs, end.t(), end.q(), end.u(), nullptr, report);
  velocity_.report_places(end, report);
}

}  // namespace stickslip::event_driven
