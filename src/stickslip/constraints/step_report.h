// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stickslip/cone/cone_solver.h"
#include "stickslip/math/types.h"
#include "stickslip/model/element_id.h"
#include "stickslip/model/joint.h"

namespace stickslip {

enum class ContactStatus : int { open = 0, stick = 1, slip = 2 };

/// Normal, then friction components of a contact (n_F); the rest is zero.
using ContactComponents = std::array<double, kMaxContactDim>;

/// What happened at an instant within a step, where a scheme finds such instants.
enum class EventKind : int {
  impact = 0,        // a contact closed with an impact
  touch = 1,         // a contact closed without one
  lift_off = 2,      // a contact opened
  stick = 3,         // what slid sticks
  slip = 4,          // what stuck slides
  reversal = 5,      // what slid slides the other way
  accumulation = 6,  // a contact's impacts accumulated and were passed over: it stays closed
  no_solution = 7,   // no accelerations obeyed the laws, and a contact stopped by a tangential impact
  enter = 8,         // a body came
  leave = 9,         // a body takes part for the last time
};

struct StepEvent {
  double t = 0.0;  // [s]
  EventKind what = EventKind::impact;
  int contact = -1;       // index of the contact point, -1: of a dry friction element
  int dry_friction = -1;  // index into System::dry_frictions(), -1: of a contact
  int body = -1;          // index into System::bodies(), -1: of one of the above
  bool operator==(const StepEvent&) const = default;
};

/// One contact point in one step. Forces act on the second body of the pair; components are along
/// the normal (first to second body, so >= 0) and the friction directions (Contensou's third one is
/// moment / (3 pi R / 16)).
struct ContactReport {
  int contact = 0;             // index into System::contacts(), or kDetected
  int point = 0;               // which of the pair's points
  ElementId id;                // the same from step to step
  int body_a = 0, body_b = 0;  // the first and the second body
  int friction_dim = 0;        // n_F
  ContactStatus status = ContactStatus::open;
  double gap = 0.0;                    // [m] at the end of the step
  Vector3 position = Vector3::Zero();  // [m] world: the contact point on the second body
  Vector3 normal = Vector3::Zero();    // [-] world
  Vector3 tangent = Vector3::Zero();   // [-] world, first friction direction
  // NaN where the scheme does not know them.
  ContactComponents force = {};       // lambda [N]
  ContactComponents impulse = {};     // Lambda [N s], the impulsive part
  ContactComponents percussion = {};  // P [N s], the sum over the step
  ContactComponents velocity = {};    // gamma [m/s] at the end of the step
  Vector3 moment = Vector3::Zero();  // [N m s] world: the sum over the step of rolling and spinning, on the second body
};

/// One joint in one step.
struct JointReport {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double coordinate = 0.0;  // [rad, m] the first one at the end of the step; NaN where the joint has none
  double rate = 0.0;        // [rad/s, m/s]
  std::array<double, kMaxJointCoordinates - 1> more_coordinates = {kNone, kNone};  // [rad, m] likewise
  std::array<double, kMaxJointCoordinates - 1> more_rates = {kNone, kNone};        // [rad/s, m/s]
  double drift_position = 0.0;  // [m] by how much its length rows are violated at the end of the step
  double drift_angle = 0.0;     // [rad] the same of angle rows
  double drive = 0.0;           // [N, N m] of its spring, damper and force in the free direction
  double effort = 0.0;          // [N, N m] of its servos, inputs and force: its part of the drive
  double friction = 0.0;        // [N, N m] of its dry friction, of several the first; of a ball the size; both on the
                                // second body
  double coupling = 0.0;        // [N, N m] of gears and couplings along its coordinate; of one of these its multiplier
  // All that the joint does to the second body: drive, friction, limits, gears and couplings included; NaN where the
  // scheme does not know it, as Moreau's at the start. Of a gear its part of this to the second of its joints; none of
  // a coupling.
  Vector3 reaction_force = Vector3::Zero();   // [N] world frame
  Vector3 reaction_torque = Vector3::Zero();  // [N m] on the second body about the joint's point on it, world frame
};

/// What the percussions of contacts do in a step, by the velocities before and after them. (constraints/contact_work.h)
struct ContactWork {
  double made = 0.0;        // [J] energy that they make, summed over the impacts of a step; below 0: that they take,
                            // of a scheme whose contacts store energy and return it
  double excess = 0.0;      // [J] the part that their law of impacts forbids, where they share one restitution
  double percussion = 0.0;  // [N s] the sum of the sizes of the percussions, friction by its bound
  double most = 0.0;        // [J] that one contact makes
  int body_a = -1, body_b = -1;  // the bodies of that contact; -1: none makes energy

  /// Adds that of another impact or part of the step.
  void add(const ContactWork& other) {
    made += other.made;
    excess += other.excess;
    percussion += other.percussion;
    if (!(other.most > most)) return;
    most = other.most;
    body_a = other.body_a;
    body_b = other.body_b;
  }
};

/// The numbers that a step reports, one value each.
struct StepFigures {
  double t = 0.0;                  // [s] the end of the step
  double step = 0.0;               // [s] its length
  double tolerance = 0.0;          // [-] of the solver in this step
  double coulomb_residual = 0.0;   // [m/s] of the exact Coulomb law, whichever was solved
  double missed = 0.0;             // [m/s] |(max(0, -u_N) of contacts, u of joints)|_2, u what the law is imposed on
  int worst_kind = 0;              // what set the residual: 0 nothing, 1 named contact, 2 detected, 3 joint, 4 force
  int worst = -1;                  // its index: of the named contact point, joint or force; -1 for detected contacts
  int worst_a = -1;                // the first of its bodies
  int worst_b = -1;                // the second
  double penetration = 0.0;        // [m] >= 0, the deepest at the end of the step
  double drift_position = 0.0;     // [m] joints, at the end of the step
  double drift_angle = 0.0;        // [rad] joints, at the end of the step
  double kinetic_energy = 0.0;     // [J]
  double potential_energy = 0.0;   // [J] gravity (zero at the origin) and springs
  double work = 0.0;               // [J] cumulative, see EnergyLedger
  double dissipated = 0.0;         // [J] cumulative
  double projection_energy = 0.0;  // [J] cumulative: potential energy that corrections of positions put in
  double energy_error = 0.0;       // [J] kinetic + potential - initial - work + dissipated - projection_energy
  int closed_contacts = 0;         // [-] contact points that are not open
  int choices = 0;                 // [-] where the laws left a choice and a rule made it
  int fallbacks = 0;               // [-] where the scheme's own method did not converge: iterations of a slower one
  int parts = 1;                   // [-] the step was made in, one after the other: see docs/generalized-alpha.md
  int rejected = 0;                // [-] automatic steps: tries before the one that was accepted
  double local_error = std::numeric_limits<double>::quiet_NaN();  // [-] automatic steps: estimate, per length and over
                                                                  // the largest speed; NaN in a step with an event
};

/// Everything about a step that one would plot or assert: its certificate.
struct StepReport : StepFigures {
  Status status = Status::ok;
  std::string message;                  // what went wrong, where something did
  SolveReport solve;                    // the contact problem, under the law that was solved
  ContactWork contact_work;             // of this step
  std::vector<ContactReport> contacts;  // every named contact point, in the system's order; then detected ones by id
  std::vector<JointReport> joints;      // every joint, in the system's order
  std::vector<double> dry_frictions;  // (n dry friction elements) [N, N m] norm of the force of each, joints' too; NaN
                                      // where the scheme does not know it, as Moreau's at the start
  // (n bodies) (3) [N s] what acted on each in the step beside contacts and what its joints do, drives included:
  // gravity, loads, springs, inputs, dry friction between points; on a beam all in all. Empty where the scheme does not
  // know it.
  std::vector<Vector3> applied_impulse;
  std::vector<StepEvent>
      events;  // in order of time; under schemes that do not find them only of bodies that come and go
  std::vector<std::string> notices;  // "path: text" each: what a user is to be told once, although the step is good
  Vector a;                          // (n_u) accelerations; NaN where the scheme has none
};

}  // namespace stickslip
