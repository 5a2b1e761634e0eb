// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/io/sensors.h"
#include "stickslip/io/step_row.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sim/step_sequence.h"

namespace stickslip {

/// A simulation at an instant: its state, and what else it shows there. It can be kept, compared and sent elsewhere.
struct SavedState {
  State state;
  Vector a;                  // (n_u) [m/s^2, rad/s^2] NaN where unknown
  bool is_start = false;     // no step was made since the start
  std::uint64_t origin = 0;  // a hash of scheme, bodies, joints and contacts: Simulation::origin()
  int n_body_q = 0;          // coordinates of bodies, the first of state.q

  std::vector<std::byte> to_bytes() const;
  /// Throws InputError where the bytes are not a SavedState.
  static SavedState from_bytes(std::span<const std::byte> bytes);
};

/// A scene that a program moves step by step, on the grid of steps that `run` has, and to the same bits. It serves one
/// thread at a time. Also a view of a run that somebody else moves, for as long as that goes: show() and end().
class Simulation {
 public:
  /// Throws InputError where the scene cannot be built. endless: without the scene's end. stop must outlive this and
  /// replaces interrupt().
  explicit Simulation(Scene scene, bool endless = false, const std::atomic<bool>* stop = nullptr);
  /// A view of a run of this scene, which shows nothing until show().
  Simulation(Scene scene, const System& system);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const Scene& scene() const { return scene_; }
  /// Must exist: a view has none once its run is over.
  const System& system() const { return *system_; }
  bool has_system() const { return system_ != nullptr; }
  bool is_view() const { return !built_.has_value(); }
  bool is_endless() const { return is_endless_; }

  const State& state() const { return state_; }
  /// Of the last step, or of the start; after restore() without forces, reactions and percussions (NaN). Not const: it
  /// may have to be made.
  const StepReport& report();
  /// q (n_body_q), u, a (n_u) as rows of a result: copies whose memory never moves.
  const Vector& shown_q() const { return shown_q_; }
  const Vector& shown_u() const { return shown_u_; }
  const Vector& shown_a() const { return shown_a_; }
  /// Counts whatever moves the simulation.
  std::uint64_t generation() const { return generation_; }

  // --- moving
  bool done() const { return is_view() || steps_->at_end(state_); }
  /// One step; none is made at the end. Throws Interrupted where interrupt() was raised: nothing has changed then.
  Status step();
  /// A row of /steps of the step made last.
  const StepRow& last_row() const { return row_; }
  const std::string& last_message() const { return message_; }
  /// Back to the start, or to other coordinates (n_body_q) and velocities (n_u) at its time. No inputs. Throws
  /// InputError where shapes differ, numbers are not finite, or joints do not hold.
  void reset(const Vector* q = nullptr, const Vector* u = nullptr);
  SavedState save() const;
  /// Throws InputError where the state is one of other bodies, joints, contacts or of another scheme, or of a time that
  /// is not on the grid of steps.
  void restore(const SavedState& saved);
  std::uint64_t origin() const { return origin_; }
  std::atomic<bool>& interrupt() { return interrupt_; }

  /// What acts from the next step on, until it is changed.
  Inputs& inputs() { return state_.inputs; }

  // --- a view of a run
  /// The report of the step that ended at state number `step`, then that state; without a report its forces are NaN.
  void show(const StepReport& report, std::int64_t step);
  void show(const State& state);
  /// The run is over, and its system gone.
  void end();

  // --- mechanics at the present instant
  Matrix calc_mass_matrix() const;  // (n_u, n_u) [kg, kg m^2]
  /// Velocity [m/s] of the point `at` [m] (body frame), and angular velocity [rad/s], world: J u. (6, n_u)
  Matrix calc_jacobian(int body, const Vector3& at) const;
  /// M a - h(t, q, u), h with gyroscopic terms, without inputs. (n_u) [N, N m]
  Vector calc_inverse_dynamics(const Vector& a) const;
  /// J M^-1 J^T of the contacts that are closed, normal, t1 and in space t2 each. (m, m) [1/kg]
  Matrix calc_contact_delassus();
  /// Acceleration less gravity of a point of a body [m/s^2], and its angular velocity [rad/s], body frame. The mean of
  /// the last step where the scheme has no accelerations; NaN without such a step.
  struct Imu {
    Vector3 acceleration;      // (3) [m/s^2]
    Vector3 angular_velocity;  // (3) [rad/s]
  };
  Imu calc_imu(int body, const Vector3& at) const;
  /// The sum of the forces of contacts on a body, world frame. (3) [N]
  Vector3 calc_contact_force(int body);
  /// What sensor i of the scene reads, as a result has it. NaN where that needs a step and none was made here.
  Vector calc_sensor(int i);
  /// What all of them read, one after another.
  const Vector& calc_sensors();
  /// The sensors of the scene.
  const Sensors& sensors();

 private:
  void begin();
  void follow();
  void make_report();
  Vector3 calc_point_velocity(int body, const Vector3& at, double t, const Vector& q, const Vector& u) const;

  Scene scene_;
  bool is_endless_ = false;
  std::atomic<bool> interrupt_ = false;
  std::optional<BuiltScene> built_;
  std::optional<StepSequence> steps_;
  const System* system_ = nullptr;
  State state_;
  StepReport report_;
  bool has_report_ = false;       // report_ is of state_
  bool is_start_ = false;         // no step since begin()
  std::int64_t reported_ = -1;    // of a view: the step that report_ is of
  Eigen::Index memory_size_ = 0;  // of State::memory
  StepRow row_;
  std::string message_;
  std::uint64_t generation_ = 0;
  std::uint64_t origin_ = 0;
  Vector shown_q_, shown_u_, shown_a_;
  double t_before_ = 0.0;       // [s] before the last step
  Vector q_before_, u_before_;  // (n_q), (n_u)
  bool has_before_ = false;
  std::optional<Sensors> sensors_;  // made at the first reading
  Vector readings_;                 // of them
};

}  // namespace stickslip
