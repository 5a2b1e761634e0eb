// SPDX-License-Identifier: BSD-3-Clause
// What a solved step reports of its contacts and joints.
#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/constraint_set.h"

namespace stickslip {
namespace {

/// contact_status() of a contact that bears something where friction has a polygon: it sticks where p_T - u_T / w lies
/// in p_N D. The percussions of a corner are off by round-off; w [1/kg] as there.
ContactStatus polygon_status(const FrictionBlock& block, const double* p, const double* u, double w) {
  constexpr double kRoundOff = 1e-12;  // [-] as there
  double x[2];
  double y[2];
  for (int i = 0; i < 2; ++i) x[i] = p[1 + i] - u[1 + i] / w;
  project_on_friction_set(block, p[0], x, y);
  return std::hypot(x[0] - y[0], x[1] - y[1]) <= kRoundOff * block.mu * p[0] ? ContactStatus::stick
                                                                             : ContactStatus::slip;
}

}  // namespace

Vector3 calc_moment(const ContactRowLayout& rows, const double* p, const ContactReport& at) {
  Vector3 moment = Vector3::Zero();
  const double* roll = p + rows.roll_row();
  if (rows.n_drill > 0) moment += rows.drilling * p[rows.drill_row()] * at.normal;
  if (rows.n_roll == 1) moment(2) += rows.rolling * roll[0];
  if (rows.n_roll == 2) moment += rows.rolling * (roll[0] * at.tangent + roll[1] * at.normal.cross(at.tangent));
  return moment;
}

void ConstraintSet::report_worst(const Residual& residual, StepReport& report) const {
  report.missed = residual.missed;
  if (residual.worst < 0) return report_no_worst(report);
  const int worst = index(residual.worst);
  switch (kind(residual.worst)) {
    case Kind::contact:
      return report_worst_contact(system_, (*points_)[worst], worst, report);
    case Kind::joint:
      return report_worst_joint(system_, worst, report);
    case Kind::dry_friction:
      return report_worst_dry_friction(system_, worst, report);
    case Kind::servo:
      return report_worst_joint(system_, servos_->rows()[worst].joint, report);
  }
}

void ConstraintSet::report_contacts(const BodySnapshot& end, const ConeSolution& solution,
                                    std::span<const double> velocity, double h, double impulse,
                                    StepReport& report) const {
  report_percussions(solution, velocity, h, impulse, report);
  report_places(end, *points_, impulse, report);
}

void ConstraintSet::report_percussions(const ConeSolution& solution, std::span<const double> velocity, double h,
                                       double impulse, StepReport& report) const {
  begin_contacts(points_->size(), report);
  const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus);
  int i = 0;  // the next cone of a contact
  for (std::size_t k = 0; k < points_->size(); ++k) {
    prefetch_ahead(*at_, *points_, k);
    ContactReport& contact = report.contacts[k];
    const bool gathered = i < count() && kind(i) == Kind::contact && static_cast<std::size_t>(index(i)) == k;
    begin_contact(contact, gathered);
    if (!gathered) continue;
    if (packed != nullptr) packed->prefetch_ahead(i);
    report_percussion(i, solution, velocity, h, contact);
    contact.impulse.fill(impulse);
    if (contact.status != ContactStatus::open) ++report.closed_contacts;
    ++i;
  }
}

/// What the contact of a cone did, and where it was gathered.
void ConstraintSet::report_percussion(int i, const ConeSolution& solution, std::span<const double> velocity, double h,
                                      ContactReport& contact) const {
  const Cone& cone = problem_.cones[i];
  const auto* packed = std::get_if<PackedDelassus>(&problem_.delassus);
  if (packed != nullptr) {
    const PackedDelassus::Contact& at = packed->contact(i);
    contact.position = (*at_)[system_.body((*points_)[index(i)], Side::second)].p + at.arm_second;
  } else {
    contact.position = geometries_[i].position_second;
  }
  contact.normal = normal(i);
  contact.tangent = tangent(i);
  const double* p = solution.p.data() + cone.offset;
  const double* u = velocity.data() + cone.offset;
  const ContactPair& pair = system_.pair((*points_)[index(i)]);
  const int dim = problem_.of_positions ? cone.dim : 1 + pair.friction_dim;
  for (int j = 0; j < kMaxContactDim; ++j) {
    const bool is_row = j < dim;
    contact.percussion[j] = is_row ? p[j] : 0.0;
    contact.force[j] = is_row ? p[j] / h : 0.0;
    contact.velocity[j] = is_row ? u[j] : 0.0;
  }
  contact.moment = dim < cone.dim ? calc_moment(pair.rows, p, contact) : Vector3(Vector3::Zero());
  contact.status = ContactStatus::open;
  if (!(p[0] > 0.0)) return;
  const double mu = cone.n_blocks > 0 ? problem_.friction(cone).front().mu : 0.0;
  const double trace = packed != nullptr ? packed->calc_trace(i) : calc_trace(i, dim);
  if (cone.n_blocks > 0 && problem_.friction(cone).front().facets > 0) {
    contact.status = polygon_status(problem_.friction(cone).front(), p, solution.u.data() + cone.offset, trace / dim);
    return;
  }
  contact.status = contact_status(p, solution.u.data() + cone.offset, dim, mu, trace / dim);
}

/// Of the first dim rows of W_ii. [1/kg]
double ConstraintSet::calc_trace(int i, int dim) const {
  std::array<double, kMaxConeDim> diagonal;
  problem_.calc_diagonal(i, diagonal.data());
  double trace = 0.0;
  for (int j = 0; j < dim; ++j) trace += diagonal[j];
  return trace;
}

/// What lambda (dim) does to the second body of a joint.
JointReaction ConstraintSet::calc_reaction(int i, const JointVector& lambda) const {
  const int first = problem_.cones[i].offset - problem_.cones[n_contacts_].offset;
  JointReaction reaction = {Vector3::Zero(), Vector3::Zero()};
  for (int r = 0; r < problem_.cones[i].dim; ++r) {
    reaction.force += lambda(r) * units_[first + r].force;
    reaction.torque += lambda(r) * units_[first + r].torque;
  }
  return reaction;
}

void ConstraintSet::add_reactions(const ConeSolution& solution, double h, StepReport& report) const {
  JointVector lambda;
  for (int i = system_.joints().empty() ? n_contacts_ : 0; i < count(); ++i) {  // contacts are limits of joints, if any
    const Cone& cone = problem_.cones[i];
    lambda = ConstVectorView(solution.p.data() + cone.offset, std::min(cone.dim, kMaxJointDim)) / h;
    switch (kind(i)) {
      case Kind::contact:
        add_joint_limit(system_, (*points_)[index(i)], at_->t(), at_->q(), lambda(0), report);
        break;
      case Kind::joint:
        if (system_.joints()[index(i)].is_coupling()) {
          add_joint_reaction(system_, index(i), at_->t(), at_->q(), lambda, report);
        } else {
          add_reaction(calc_reaction(i, lambda), report.joints[index(i)]);
        }
        break;
      case Kind::dry_friction:
        add_dry_friction(system_, index(i), at_->t(), at_->q(), lambda, report);
        break;
      case Kind::servo: {
        const ServoRows::Row& row = servos_->rows()[index(i)];
        const double effort = row.calc_effort(solution.p[cone.offset], h);
        JointReport& joint = report.joints[row.joint];
        joint.drive += effort;
        joint.effort += effort - row.calc_passive(effort, h);
        add_reaction({effort * row.unit.force, effort * row.unit.torque}, joint);
        break;
      }
    }
  }
}

}  // namespace stickslip
