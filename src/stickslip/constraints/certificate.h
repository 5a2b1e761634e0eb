// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/model/system.h"

namespace stickslip {

// What every scheme reports in the same way: gaps, penetration, energies, contact status.

/// Starts report.contacts, n entries, each to be filled in.
void begin_contacts(std::size_t n, StepReport& report);
/// Starts an entry. has_place: all but its gap is filled in by other hands, else report_places() fills in all.
void begin_contact(ContactReport& contact, bool has_place);
/// Where the bodies are at the end of a step: the gap of each point that was begun; the rest, where it has no place
/// yet, as report_geometry() does.
void report_places(const BodySnapshot& at, std::span<const ContactPoint> points, double impulse, StepReport& report);
/// Fills report.contacts, one entry per contact point of `points`, where the bodies are: gap, position, normal,
/// tangent; status open, all forces zero, impulses as given: NaN where the scheme does not know them. Sets
/// report.penetration.
void report_geometry(const BodySnapshot& at, std::span<const ContactPoint> points, StepReport& report,
                     double impulse = 0.0);

/// Starts report.joints, one entry per joint of the system, and report.dry_frictions: all forces NaN.
void begin_joints(const System& system, StepReport& report);
/// Fills in coordinate, rate, drift (also beyond limits that are angles). Sets report.drift_position and drift_angle.
void report_joint_places(const System& system, double t, const Vector& q, const Vector& u, StepReport& report);
/// Both.
void report_joints(const System& system, double t, const Vector& q, const Vector& u, StepReport& report);

/// Starts the reactions of report.joints with what springs, forces and inputs of joints do at (t, q, u), and
/// report.dry_frictions with zero.
void add_joint_drives(const System& system, const Inputs& inputs, double t, const Vector& q, const Vector& u,
                      StepReport& report, JointSprings springs = JointSprings::included);
/// Adds an effort in a joint to those that add_joint_drives() has reported.
void add_joint_effort(const System& system, const JointInput& input, double t, const Vector& q, StepReport& report);
/// Fills report.applied_impulse from `impulse` (n_u) [N s, N m s], what applied forces, drives of joints included, add
/// to M u in a step of length h. To be called after add_joint_drives(), whose forces it takes out again, and before
/// anything else is added to the reactions.
void report_applied_impulse(const System& system, const Vector& impulse, double h, StepReport& report);

/// Adds what a constraint does, `lambda` [N, N m] of dry friction element k, or of the limit that a contact point is;
/// nothing to joints where the element or the point is not a joint's; such an element's to report.applied_impulse.
void add_reaction(const JointReaction& reaction, JointReport& joint);
/// The law of a contact of a report.
const ContactLaw& law_of(const System& system, const ContactReport& contact);
/// Components of contacts whose friction has an ellipse, of rows (FrictionEllipse) as schemes report them, become those
/// along unit vectors.
void restore_second_tangents(const System& system, StepReport& report);

/// Adds lambda (dim) of a joint's rows to its reaction; of gears and couplings also to the joints that they couple.
void add_joint_reaction(const System& system, int j, double t, const Vector& q, const JointVector& lambda,
                        StepReport& report);
void add_dry_friction(const System& system, int k, double t, const Vector& q, const JointVector& lambda,
                      StepReport& report);
void add_joint_limit(const System& system, const ContactPoint& point, double t, const Vector& q, double lambda,
                     StepReport& report);

/// Names what set the residual: a contact point, of the points that a ContactFinder lists, a joint, or a dry friction
/// element, which counts as its force or its joint.
void report_worst_contact(const System& system, const ContactPoint& point, int index, StepReport& report);
void report_worst_joint(const System& system, int joint, StepReport& report);
void report_worst_dry_friction(const System& system, int k, StepReport& report);
/// Reports that no constraint set the residual, which is zero.
void report_no_worst(StepReport& report);

/// Fills the energies of report from the state and its ledger.
void report_energy(const System& system, const State& state, StepReport& report);

/// Whether a contact is open, sticks or slips, from its percussions p and velocities u (dim) under
/// the law: open where p_N = 0; stick where u_F / w - p_F lies in the ball of radius mu p_N
/// [Capobianco2021 eq. 139], w [1/kg] the mean diagonal of its Delassus block.
ContactStatus contact_status(const double* p, const double* u, int dim, double mu, double w);

/// "body 'x': velocity is not finite", or empty when all of q and u are finite.
std::string describe_non_finite(const System& system, const Vector& q, const Vector& u);

/// The same for inputs.
std::string describe_non_finite_input(const System& system, const Inputs& inputs);

/// The same for bodies that move as prescribed, at time t: an expression may leave its domain.
std::string describe_non_finite_motion(const System& system, double t);

}  // namespace stickslip
