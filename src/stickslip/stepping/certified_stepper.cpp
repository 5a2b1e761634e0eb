// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/certified_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "stickslip/base/phase_clock.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/stiffness.h"

namespace stickslip {
namespace {

/// Tries in which loads of joints agree with the friction that follows from them. [-]
constexpr int kMaxLoads = 50;

/// Of the kinetic energy that contacts may make against their law. Solvers leave 1e-12 and less. [-]
constexpr double kMostMade = 1e-9;

/// A percussion P that is off by the residual r of the natural map, in velocities, does the work |P| r, and as much
/// again by the change of P. [-]
constexpr double kOfResidual = 2.0;

std::string describe_bodies(const System& system, int body_a, int body_b) {
  return fmt::format("'{}' and '{}'", system.bodies()[body_a].name, system.bodies()[body_b].name);
}

void tell(const std::string& message, StepReport& report) {
  if (!report.message.empty()) report.message += "; ";
  report.message += message;
}

/// A rolling disc that lies flat at the end of a step, where its lowest point is not defined. -1: none. Of steps that
/// follow the motion a disc that goes over to its other side lay flat within the step.
int find_flat_disc(const System& system, const State& before, const State& after, bool follows) {
  constexpr double kFlat = 1e-6;  // [rad] between the axle and the normal
  constexpr double kNear = 0.9;   // [-] cosine between the axles of one motion
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const JointOptions& o = system.joints()[j].options;
    if (o.type != JointType::rolling) continue;
    const auto axis_of = [&](int body, const State& at, const JointFrame& frame) {
      return Vector3(system.calc_pose(body, at.t, at.q).R_WB * frame.axes.col(2));
    };
    const Vector3 start = axis_of(o.second, before, o.on_second);
    const Vector3 end = axis_of(o.second, after, o.on_second);
    const Vector3 across = axis_of(o.first, after, o.on_first).cross(end);
    const bool goes_over =
        follows && start.dot(end) > kNear && across.dot(axis_of(o.first, before, o.on_first).cross(start)) < 0.0;
    if (goes_over || !std::isgreater(across.norm(), kFlat)) return static_cast<int>(j);
  }
  return -1;
}

}  // namespace

CertifiedStepper::CertifiedStepper(std::unique_ptr<TimeStepper> scheme, const System& system, double tolerance,
                                   ContactReach reach)
    : scheme_(std::move(scheme)), system_(system), tolerance_(tolerance), contacts_(system, reach) {
  double mass = 0.0;  // [kg]
  for (const Body& body : system.bodies()) {
    if (body.n_u > 0) mass += body.beam ? body.beam->mass() : body.mass;
  }
  has_discs_ =
      std::ranges::any_of(system.joints(), [](const Joint& joint) { return joint.options.type == JointType::rolling; });
  follows_loads_ =
      std::ranges::any_of(system.joints(), [](const Joint& joint) { return joint.options.friction_of_load > 0.0; });
  const auto has_ellipse = [](const ContactPair& pair) { return pair.law().ellipse.has_value(); };
  has_ellipses_ =
      std::ranges::any_of(system.contacts(), has_ellipse) || std::ranges::any_of(system.detected_pairs(), has_ellipse);
  fall_energy_ = 0.5 * mass * system.gravity().squaredNorm();
}

void CertifiedStepper::initialize(State& state, StepReport& report) {
  report.tolerance = tolerance_;
  scheme_->initialize(state, report);
  Vector loads;
  for (int i = 0; follows_loads_ && i < kMaxLoads; ++i) {
    if (settle_joint_loads(calc_joint_loads(state, report), loads)) break;
    state.joint_loads = loads;
    report.tolerance = tolerance_;
    scheme_->initialize(state, report);
  }
  if (has_ellipses_) restore_second_tangents(system_, report);
  (void)contacts_.measure(nullptr, state, report);
}

/// What joints bear whose friction follows it: a hinge the force, a slider its part across the axis; empty where the
/// report does not know. (joints) [N]
Vector CertifiedStepper::calc_joint_loads(const State& state, const StepReport& report) const {
  Vector loads = Vector::Zero(static_cast<Eigen::Index>(report.joints.size()));
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    if (joint.options.friction_of_load == 0.0) continue;
    Vector3 force = report.joints[j].reaction_force;
    if (!force.allFinite()) return {};
    if (joint.options.type == JointType::prismatic) {
      const Matrix3 axes = system_.calc_pose(joint.first, state.t, state.q).R_WB * joint.options.on_first.axes;
      const Vector3 axis = axes.col(joint.spatial ? 2 : 0);
      force -= axis * axis.dot(force);
    }
    loads(static_cast<Eigen::Index>(j)) = force.norm();
  }
  return loads;
}

/// Takes loads that were found; whether that changes nothing, or none were.
bool CertifiedStepper::settle_joint_loads(const Vector& found, Vector& loads) const {
  constexpr double kSettled = 1e-12;  // [-] of the largest load
  if (found.size() == 0) return true;
  const bool same = loads.size() > 0 && (found - loads).lpNorm<Eigen::Infinity>() <=
                                            kSettled * std::max(found.maxCoeff(), loads.maxCoeff());
  loads = found;
  return same;
}

Status CertifiedStepper::step(State& state, double h, double t_end, StepReport& report) {
  if (!follows_loads_) return make_step(state, h, t_end, report);
  if (state.step > 0 && state.joint_loads.size() > 0) {
    const Status status = make_step(state, h, t_end, report);
    if (status != Status::failed) state.joint_loads = calc_joint_loads(state, report);
    return status;
  }
  Vector loads = state.joint_loads;  // of the start, where they are known
  if (loads.size() == 0) loads.setZero(static_cast<Eigen::Index>(system_.joints().size()));
  State end;
  Status status = Status::ok;
  bool is_settled = false;
  for (int i = 0; i < kMaxLoads; ++i) {
    end = state;
    end.joint_loads = loads;
    status = make_step(end, h, t_end, report);
    if (status == Status::failed) return status;
    is_settled = settle_joint_loads(calc_joint_loads(end, report), loads);
    if (is_settled) break;
  }
  if (!is_settled) {
    report.status = status = Status::inexact;
    tell("friction of joints and their load in the first step do not agree", report);
  }
  state = std::move(end);
  state.joint_loads = std::move(loads);
  return status;
}

Status CertifiedStepper::make_step(State& state, double h, double t_end, StepReport& report) {
  start_.t = state.t;
  start_.q = state.q;
  start_.u = state.u;
  report.tolerance = tolerance_;
  const double energy_before = system_.calc_kinetic_energy(state.u);
  if (has_discs_) before_ = state;
  if (scheme_->step(state, h, t_end, report) == Status::failed) {
    // Schemes on velocities.
    const auto force =
        scheme_->knows_accelerations() ? std::nullopt : find_unstable_tension(system_, start_.t, start_.q, h);
    if (force) tell(fmt::format("{}: {}", force->path, force->text), report);
    return Status::failed;
  }
  const PhaseScope phase(Phase::report);
  if (const int disc = has_discs_ ? find_flat_disc(system_, before_, state, !finds_events()) : -1; disc >= 0) {
    state = before_;
    tell(fmt::format("joints.{}: its axle gets along the normal of the plane on which it rolls",
                     system_.joints()[disc].options.name),
         report);
    return report.status = Status::failed;
  }
  if (has_ellipses_) restore_second_tangents(system_, report);
  judge_contacts(state, report);
  judge_contact_work(energy_before, report);
  return report.status;
}

void CertifiedStepper::judge_contacts(const State& state, StepReport& report) {
  const auto missed = contacts_.measure(finds_events() ? nullptr : &start_, state, report);
  if (missed) {
    report.status = Status::inexact;
    const std::string claimed = std::isfinite(missed->claimed)
                                    ? fmt::format("the gap is {:.3g} m by their contacts", missed->claimed)
                                    : "no contact of the step is between them";
    tell(fmt::format("{} overlap by {:.3g} m, but {}", describe_bodies(system_, missed->body_a, missed->body_b),
                     -missed->gap, claimed),
         report);
  }
  // What acts between events may have parted again.
  if (finds_events()) return;
  const auto apart = contacts_.find_apart(start_, state, report);
  if (!apart) return;
  report.status = Status::inexact;
  tell(fmt::format("{} push each other apart, but stay {:.3g} m apart in the step",
                   describe_bodies(system_, apart->body_a, apart->body_b), apart->gap),
       report);
}

void CertifiedStepper::judge_contact_work(double energy_before, StepReport& report) const {
  ContactWork& work = report.contact_work;
  if (work.made <= 0.0) return;
  // Where forces change within a step, their work is not that of the percussion at the mean velocity: a step of such a
  // scheme says what contacts made, and limits judge the sum.
  if (scheme_->knows_accelerations()) return;
  const Residual& residual = report.solve.residual;
  const double admitted = kOfResidual * work.percussion * std::max(residual.absolute, residual.floor);
  work.made = std::max(work.made - admitted, 0.0);
  work.excess = std::max(work.excess - admitted, 0.0);
  const double fall = fall_energy_ * report.step * report.step;
  const double most = kMostMade * std::max({energy_before, report.kinetic_energy, fall});
  if (!(work.made > most && work.excess > most)) return;
  report.status = Status::inexact;
  tell(fmt::format("contacts make energy that their law forbids, most between {}",
                   describe_bodies(system_, work.body_a, work.body_b)),
       report);
}

}  // namespace stickslip
