// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "stickslip/base/bytes.h"
#include "stickslip/base/input_error.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/sim/make_sensors.h"

namespace stickslip {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kSavedMagic = 0x53535353;  // "SSSS"
constexpr std::uint64_t kSavedVersion = 1;

/// A number of names, different for different names (FNV-1a, 64 bits).
class NameSum {
 public:
  void add(std::string_view name) {
    for (const char c : name) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t calc_origin(const Scene& scene, const System& system) {
  NameSum sum;
  sum.add(scheme_traits(scene.scheme).name);
  for (const Body& body : system.bodies()) {
    sum.add(body.name);
    sum.add(body_type_name(body.type));
  }
  sum.add("joints");
  for (const Joint& joint : system.joints()) {
    sum.add(joint.options.name);
    sum.add(joint_type_name(joint.options.type));
  }
  sum.add("contacts");
  for (const ContactPair& pair : system.contacts()) sum.add(pair.options.name);
  return sum.value();
}

/// An end that no run reaches, with fewer steps and rows than can be counted.
Scene without_end(Scene scene) {
  constexpr double kManySteps = 5e11;  // [-] half of what StepGrid and StepSequence take
  const double length = scene.time.automatic ? scene.output.every.value_or(1.0) : scene.time.step;
  scene.time.end = scene.time.start + kManySteps * length;
  return scene;
}

/// Forces, percussions and what follows from them are those of a step that was not made here.
void forget_forces(StepReport& report) {
  for (ContactReport& contact : report.contacts) {
    contact.force.fill(kUnknown);
    contact.impulse.fill(kUnknown);
    contact.percussion.fill(kUnknown);
  }
  for (JointReport& joint : report.joints) {
    joint.drive = joint.effort = joint.friction = kUnknown;
    joint.reaction_force.setConstant(kUnknown);
    joint.reaction_torque.setConstant(kUnknown);
  }
}

}  // namespace

std::vector<std::byte> SavedState::to_bytes() const {
  const std::vector<std::byte> bytes = stickslip::to_bytes(state);
  ByteWriter out(bytes.size() + 8 * (static_cast<std::size_t>(a.size()) + 6));
  out.put(kSavedMagic);
  out.put(kSavedVersion);
  out.put(origin);
  out.put(static_cast<std::uint64_t>(is_start));
  out.put(static_cast<std::uint64_t>(n_body_q));
  out.put(static_cast<std::uint64_t>(a.size()));
  out.put(std::span(a.data(), static_cast<std::size_t>(a.size())));
  std::vector<std::byte> all = out.take();
  all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

SavedState SavedState::from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "a saved state");
  if (in.get() != kSavedMagic || in.get() != kSavedVersion) in.fail();
  SavedState saved;
  saved.origin = in.get();
  const std::uint64_t is_start = in.get();
  const std::uint64_t n_body_q = in.get();
  saved.a.resize(static_cast<Eigen::Index>(in.get_length(8)));
  for (double& x : saved.a) x = in.get_real();
  saved.state = state_from_bytes(bytes.last(in.bytes_left()));
  const bool fits = saved.a.size() == saved.state.u.size() && is_start <= 1 &&
                    n_body_q <= static_cast<std::uint64_t>(saved.state.q.size());
  if (!fits) in.fail();
  saved.is_start = is_start == 1;
  saved.n_body_q = static_cast<int>(n_body_q);
  return saved;
}

Simulation::Simulation(Scene scene, bool endless, const std::atomic<bool>* stop)
    : scene_(std::move(scene)), is_endless_(endless) {
  built_.emplace(build(scene_, {}, stop != nullptr ? stop : &interrupt_));
  system_ = built_->system.get();
  steps_.emplace(endless ? without_end(scene_) : scene_, *built_->stepper);
  origin_ = calc_origin(scene_, *system_);
  state_ = built_->initial;
  begin();
  memory_size_ = state_.memory.size();
}

Simulation::Simulation(Scene scene, const System& system) : scene_(std::move(scene)), system_(&system) {
  origin_ = calc_origin(scene_, system);
}

/// Completes the state of the start, and its inputs where there are any.
void Simulation::begin() {
  built_->stepper->initialize(state_, report_);
  steps_->begin(state_);
  has_report_ = true;
  has_before_ = false;
  is_start_ = true;
  shown_a_ = report_.a;
  row_ = make_step_row(report_);
  message_ = report_.message;
  follow();
}

/// Shows the state.
void Simulation::follow() {
  shown_q_ = state_.q.head(system_->n_body_q());
  shown_u_ = state_.u;
  for (std::size_t i = 0; i < state_.presence.size(); ++i) {
    if (!is_absent(state_.presence[i])) continue;
    const Body& body = system_->bodies()[i];
    shown_q_.segment(body.q_offset, body.n_q).setConstant(kUnknown);
    shown_u_.segment(body.u_offset, body.n_u).setConstant(kUnknown);
    if (shown_a_.size() == state_.u.size()) shown_a_.segment(body.u_offset, body.n_u).setConstant(kUnknown);
  }
  ++generation_;
}

const StepReport& Simulation::report() {
  if (!has_report_) make_report();
  return report_;
}

void Simulation::make_report() {
  if (built_) {
    State there = state_;
    built_->stepper->initialize(there, report_);
  } else {
    BodySnapshot at(*system_);
    at.take(state_.t, state_.q, &state_.u);
    ContactFinder contacts(*system_);
    contacts.find_touching(at);
    report_geometry(at, contacts.points(), report_);
    begin_joints(*system_, report_);
    report_joints(*system_, state_.t, state_.q, state_.u, report_);
  }
  forget_forces(report_);
  has_report_ = true;
}

Status Simulation::step() {
  STICKSLIP_ASSERT(!done());
  has_report_ = false;
  if (is_start_ && !state_.inputs.empty()) {
    // As `run` does, whose controller speaks before row 0: the accelerations of the start are those under its inputs.
    State start;
    start.t = state_.t;
    start.q = state_.q;
    start.u = state_.u;
    start.inputs = state_.inputs;
    built_->stepper->initialize(start, report_);
    steps_->begin(start);
    state_ = std::move(start);
  }
  t_before_ = state_.t;
  q_before_ = state_.q;
  u_before_ = state_.u;
  const Status status = steps_->step(state_, report_);
  ++generation_;
  message_ = report_.message;
  if (status == Status::failed) {
    row_ = make_failed_step_row(report_, steps_->tried_time(), steps_->tried_length());
    return status;
  }
  row_ = make_step_row(report_);
  has_report_ = true;
  has_before_ = true;
  is_start_ = false;
  shown_a_ = report_.a;
  follow();
  return status;
}

void Simulation::reset(const Vector* q, const Vector* u) {
  constexpr double kMostMisfit = 1e-6;  // [m, rad] as of poses that a scene states beside joints
  State start = built_->initial;
  const auto check = [](const Vector& given, int size, const char* name) {
    if (given.size() != size)
      throw InputError({}, name, fmt::format("{} numbers", given.size()), fmt::format("{}", size));
    if (!given.allFinite()) throw InputError({}, name, "", "finite numbers");
  };
  if (q != nullptr) {
    check(*q, system_->n_body_q(), "q");
    start.q.head(q->size()) = *q;
    for (const Body& body : system_->bodies()) {
      const bool is_zero = has_quaternion(body.type) && start.q.segment<4>(body.q_offset + body.n_q - 4).isZero(0.0);
      if (is_zero) throw InputError({}, "q", "0", fmt::format("a quaternion of body '{}' that is not 0", body.name));
    }
    system_->normalize(start.t, start.q);
    JointVector g;
    for (std::size_t j = 0; j < system_->joints().size(); ++j) {
      const Joint& joint = system_->joints()[j];
      if (joint.n_position_rows == 0) continue;
      system_->calc_joint_position(static_cast<int>(j), start.t, start.q, g);
      const double misfit = g.head(joint.n_position_rows).lpNorm<Eigen::Infinity>();
      if (misfit <= kMostMisfit) continue;
      throw InputError(
          {}, "q", "",
          fmt::format("joint '{}' is off by {:.3g}: at most {:g} [m, rad]", joint.options.name, misfit, kMostMisfit));
    }
  }
  if (u != nullptr) {
    check(*u, system_->n_u(), "u");
    start.u = *u;
    system_->spin_rotors(start.t, start.q, start.u);
  }
  state_ = std::move(start);
  begin();
}

SavedState Simulation::save() const {
  return {state_, shown_a_, is_start_, origin_, system_->n_body_q()};
}

void Simulation::restore(const SavedState& saved) {
  const State& state = saved.state;
  if (saved.origin != origin_ || state.q.size() != state_.q.size() || state.u.size() != state_.u.size() ||
      state.memory.size() != memory_size_ || state.presence.size() != state_.presence.size() ||
      state.draws.size() != state_.draws.size() || state.told.size() != state_.told.size()) {
    throw InputError("a state of other bodies, joints or contacts, or of another scheme");
  }
  if (!steps_->is_at_instant(state)) {
    throw InputError(fmt::format("a state at t = {:.17g}, after {} steps, which is not on the grid of these steps",
                                 state.t, state.step));
  }
  for (const Inputs* inputs : {&state.inputs, &state.remembered_inputs}) inputs->check(*system_);
  state_ = state;
  built_->stepper->tell_system(state_);
  shown_a_ = saved.a;
  is_start_ = saved.is_start;
  has_report_ = has_before_ = false;
  follow();
}

void Simulation::show(const StepReport& report, std::int64_t step) {
  report_ = report;
  reported_ = step;
  shown_a_ = report.a;
  row_ = make_step_row(report);
}

void Simulation::show(const State& state) {
  has_before_ = state.step == state_.step + 1;
  if (has_before_) {
    t_before_ = state_.t;
    q_before_ = state_.q;
    u_before_ = state_.u;
  }
  state_ = state;
  has_report_ = reported_ == state.step;
  if (shown_a_.size() == 0) shown_a_ = Vector::Constant(state.u.size(), kUnknown);
  follow();
}

void Simulation::end() {
  system_ = nullptr;
  ++generation_;
}

Matrix Simulation::calc_mass_matrix() const {
  Matrix M = Matrix::Zero(system_->n_u(), system_->n_u());
  for (std::size_t i = 0; i < system_->bodies().size(); ++i) {
    const Body& body = system_->bodies()[i];
    if (body.n_u > 0 && system_->is_present(body)) {
      M.block(body.u_offset, body.u_offset, body.n_u, body.n_u) = system_->mass(static_cast<int>(i));
    }
  }
  return M;
}

Vector3 Simulation::calc_point_velocity(int body, const Vector3& at, double t, const Vector& q, const Vector& u) const {
  const Twist twist = system_->calc_twist(body, t, q, u);
  return twist.v_WB + twist.w_WB.cross(system_->calc_pose(body, t, q).R_WB * at);
}

Matrix Simulation::calc_jacobian(int body, const Vector3& at) const {
  Matrix J = Matrix::Zero(6, system_->n_u());
  const Body& described = system_->bodies()[body];
  if (!system_->is_present(body)) return J;
  const Vector3 arm = system_->calc_pose(body, state_.t, state_.q).R_WB * at;
  Vector unit = Vector::Zero(system_->n_u());
  for (int k = described.u_offset; k < described.u_offset + described.n_u; ++k) {
    unit(k) = 1.0;
    const Twist twist = system_->calc_twist(body, state_.t, state_.q, unit);
    unit(k) = 0.0;
    J.col(k).head<3>() = twist.v_WB + twist.w_WB.cross(arm);
    J.col(k).tail<3>() = twist.w_WB;
  }
  return J;
}

Vector Simulation::calc_inverse_dynamics(const Vector& a) const {
  Vector h = Vector::Zero(system_->n_u());
  system_->calc_applied_forces(state_.t, state_.q, state_.u, h);
  system_->add_gyroscopic_forces(state_.u, h);
  Vector result(system_->n_u());
  system_->multiply_mass(a, result);
  return result - h;
}

Matrix Simulation::calc_contact_delassus() {
  const StepReport& last = report();
  BodySnapshot here(*system_);
  here.take(state_.t, state_.q, &state_.u);
  ContactFinder contacts(*system_);
  contacts.find_touching(here);
  std::vector<Matrix> blocks;
  Eigen::Index rows = 0;
  for (const ContactReport& contact : last.contacts) {
    if (contact.status == ContactStatus::open) continue;
    const auto point =
        std::ranges::find_if(contacts.points(), [&](const ContactPoint& p) { return p.id == contact.id; });
    if (point == contacts.points().end()) continue;
    Matrix J;
    if (point->joint >= 0) {  // its limit: an angle or a length alone
      J = Matrix::Zero(1, system_->n_u());
      ContactGeometry geometry;
      system_->calc_contact(*point, state_.t, state_.q, geometry);
      for (const Side side : {Side::first, Side::second}) {
        const Body& body = system_->bodies()[system_->body(*point, side)];
        RowMatrix part = RowMatrix::Zero(1, body.n_u);
        system_->calc_contact_jacobian(*point, geometry, state_.q, side, part);
        J.middleCols(body.u_offset, body.n_u) += part;
      }
    } else {
      ContactGeometry geometry;
      calc_contact(here, *point, geometry);
      const auto jacobian_of = [&](int body, const Vector3& position) {
        const Pose pose = system_->calc_pose(body, state_.t, state_.q);
        return Matrix(calc_jacobian(body, pose.R_WB.transpose() * (position - pose.p_WB)).topRows<3>());
      };
      const Matrix relative =
          jacobian_of(contact.body_b, geometry.position_second) - jacobian_of(contact.body_a, geometry.position_first);
      Matrix3 directions;
      directions << geometry.normal, geometry.tangent1, geometry.normal.cross(geometry.tangent1);
      J = directions.leftCols(system_->dimension()).transpose() * relative;
    }
    rows += J.rows();
    blocks.push_back(std::move(J));
  }
  Matrix J(rows, system_->n_u()), solved(system_->n_u(), rows);
  rows = 0;
  for (const Matrix& block : blocks) {
    J.middleRows(rows, block.rows()) = block;
    rows += block.rows();
  }
  Vector column(system_->n_u());
  for (Eigen::Index k = 0; k < rows; ++k) {
    system_->solve_mass(J.row(k).transpose(), column);
    solved.col(k) = column;
  }
  return J * solved;
}

Simulation::Imu Simulation::calc_imu(int body, const Vector3& at) const {
  const Body& described = system_->bodies()[body];
  const Pose pose = system_->calc_pose(body, state_.t, state_.q);
  const Twist twist = system_->calc_twist(body, state_.t, state_.q, state_.u);
  Imu imu;
  imu.angular_velocity = pose.R_WB.transpose() * twist.w_WB;
  const bool has_accelerations = described.n_u > 0 && shown_a_.size() == system_->n_u() &&
                                 described.type != BodyType::beam &&
                                 shown_a_.segment(described.u_offset, described.n_u).allFinite();
  Vector3 acceleration = Vector3::Constant(kUnknown);  // world frame
  if (has_accelerations) {
    // u' is an acceleration in the world frame and an angular one in the body frame, as u says; the twist is linear in
    // it.
    const Twist rates = system_->calc_twist(body, state_.t, state_.q, shown_a_);
    const Vector3 arm = pose.R_WB * at;
    acceleration = rates.v_WB + rates.w_WB.cross(arm) + twist.w_WB.cross(twist.w_WB.cross(arm));
  } else if (described.type == BodyType::fixed) {
    acceleration.setZero();
  } else if (has_before_) {
    acceleration = (calc_point_velocity(body, at, state_.t, state_.q, state_.u) -
                    calc_point_velocity(body, at, t_before_, q_before_, u_before_)) /
                   (state_.t - t_before_);
  }
  imu.acceleration = pose.R_WB.transpose() * (acceleration - system_->gravity());
  return imu;
}

const Sensors& Simulation::sensors() {
  if (!sensors_) sensors_.emplace(*system_, make_sensors(scene_, *system_));
  return *sensors_;
}

const Vector& Simulation::calc_sensors() {
  readings_.resize(sensors().offsets().back());
  if (has_before_) {
    State before;
    before.t = t_before_;
    before.q = q_before_;
    before.u = u_before_;
    sensors_->begin_step(before);
  }
  sensors_->read(state_, report(), !has_before_,
                 std::span(readings_.data(), static_cast<std::size_t>(readings_.size())));
  return readings_;
}

Vector Simulation::calc_sensor(int i) {
  const Vector& all = calc_sensors();
  const std::int64_t first = sensors_->offsets()[static_cast<std::size_t>(i)];
  return all.segment(first, sensors_->offsets()[static_cast<std::size_t>(i) + 1] - first);
}

Vector3 Simulation::calc_contact_force(int body) {
  Vector3 sum = Vector3::Zero();
  for (const ContactReport& contact : report().contacts) {
    const bool is_second = contact.body_b == body;
    if (!is_second && contact.body_a != body) continue;
    const Vector3 force = world_force(contact, contact.force);
    sum += is_second ? force : Vector3(-force);
  }
  return sum;
}

}  // namespace stickslip
