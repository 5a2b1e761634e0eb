// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/model/state.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/event_driven/event_driven.h"
#include "stickslip/stepping/event_driven/smooth_motion.h"
#include "stickslip/stepping/motion_scales.h"
#include "stickslip/stepping/velocity_step.h"

namespace stickslip::event_driven {

/// Where a step has come to.
struct Moment {
  double t = 0.0;  // [s]
  Vector q, u;     // (n_q), (n_u)
  EnergyLedger energy;
};

/// Scales of a motion at an instant, and the speeds below which it counts as rest.
struct Scales : MotionScales {
  double zero_speed = 0.0;  // [m/s]
  double zero_slip = 0.0;   // [m/s] that has no direction: the same of the speeds that bodies have, which is less where
                            // they have just begun to move
};

/// What ended a phase, of one contact point or dry friction element.
struct Trigger {
  enum class Kind { closes, lifts, slips, stops, turns, laws };  // turns: to an edge of a polygon
  Kind kind;
  bool is_contact = true;
  int index = 0;
  std::array<double, kMaxFrictionDim> direction = {};  // (n_F) [-] in which it begins to slide, of `slips`; along which
                                                       // it does so from then on, of what left an edge of a polygon
};

/// What a step adds up from transition to transition.
struct StepRecord {
  std::vector<StepEvent> events;
  std::vector<ContactComponents> impulses;  // (contact points) [N s]
  SolveReport worst;                        // of the problems solved: the one with the largest residual
  Residual residual;                        // of impacts [m/s], the largest
  double missed = 0.0;                      // [m/s]
  int iterations = 0, choices = 0;
  bool inexact = false;
  bool squeezed = false;  // nothing keeps contacts from closing
  std::string message;
  ContactWork contact_work;

  /// Copies the record into a report.
  void fill(StepReport& report) const;
};

/// Throws InputError where the scheme does not take the contacts of a system.
void refuse_contacts(const System& system);

/// The beginning of a phase: impacts of what closes, projection of velocities, and the acceleration-level problem CP1,
/// which says what is closed, sticks and slides from there on.
class Transition {
 public:
  Transition(const EventDrivenOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  /// Begins a phase at `now`, whose velocities change, and sets the modes of `motion`. `before`: the modes until then,
  /// whose changes are listed as events; null: unknown. False: the step fails, record.message says why.
  bool begin(Moment& now, const Inputs& inputs, const std::vector<Trigger>& triggers, const Modes* before,
             SmoothMotion& motion, StepRecord& record);
  /// Where nothing keeps contacts from closing, begin() returns with `record.squeezed` set and no modes; the motion
  /// then goes on for h [s] by one step on velocities:
  ///
  ///   M (u' - u) = h f + J^T p,   q' = q + h B u',   the laws between J u' + tau + max(gap, 0) / h and p,
  ///
  /// with the least violation that percussions reach, which are added to `percussions`. False: the step fails.
  bool cross(Moment& now, const Inputs& inputs, double h, std::vector<ContactComponents>& percussions,
             StepRecord& record);
  /// Forces, and what follows from them, of a step that ended so: percussions over h.
  void report_crossing(const BodySnapshot& end, double h, const Inputs& inputs, StepReport& report);
  /// The same at the start of a step that goes on with the modes of `motion`: scales alone.
  void go_on(const Moment& now, const Inputs& inputs) { calc_scales(now, inputs); }
  const Scales& scales() const { return scales_; }
  /// [m/s] up to which what slows down is about to stop: it then sticks unless forces drive it on.
  double stopping_speed() const;
  /// [m] up to which a gap is none, where the contact does not close; and where it does.
  double near_gap(int point) const { return 1e-9 * lengths_[point]; }
  double tiny_gap(int point) const;
  double length(int point) const { return lengths_[point]; }  // [m] of its bodies

  /// Which event was the last one, for messages; nothing where there was none.
  std::string describe_last(const StepRecord& record) const;
  /// Whether the forces that `motion` solved last obey the laws, where there are others as well: contacts press, and
  /// what sticks needs no more than its friction.
  bool obeys(const SmoothMotion& motion) const;
  /// Whether accelerations by CP1, with all that slides as it is, are those of `motion` at the instant it solved last,
  /// or any forces that obey the laws hold what it holds.
  bool agrees(SmoothMotion& motion, const Inputs& inputs);
  /// Where the forces that `motion` solved last at an instant do not obey the laws, but others do that make the same
  /// accelerations, its forces go on from those.
  void make_lawful(const Moment& now, const Inputs& inputs, SmoothMotion& motion);

 private:
  enum class Touch { open, touching, closing };

  void calc_scales(const Moment& now, const Inputs& inputs);
  bool classify(const Moment& now);
  void gather(double h);
  bool strike(Moment& now, StepRecord& record);
  void add_percussions(std::vector<ContactComponents>& sums);
  void choose_tentative(const Moment& now, const std::vector<Trigger>& triggers);
  void settle_velocities(Moment& now, const std::vector<Trigger>& triggers, SmoothMotion& motion);
  InstantReport solve_instant(const BodySnapshot& at, const Inputs& inputs);
  bool holds_all() const;
  bool any_forces_hold(const BodySnapshot& at, const Inputs& inputs);
  bool lets_go() const;
  double calc_slip_share(int cone) const;
  bool cross_accumulations(Moment& now, SmoothMotion& motion, StepRecord& record, bool& crossed);
  bool jam(Moment& now, const Inputs& inputs, SmoothMotion& motion, StepRecord& record);
  bool keep_all(const Moment& now, const Inputs& inputs, SmoothMotion& motion);
  bool try_sets(const Moment& now, const Inputs& inputs, SmoothMotion& motion);
  bool try_set(unsigned opened, std::span<const int> closed, const Moment& now, const Inputs& inputs,
               SmoothMotion& motion);
  void choose_modes();
  void allow_creep(const Moment& now, const Inputs& inputs, SmoothMotion& motion);
  void take_loads(const Moment& now, const Inputs& inputs, SmoothMotion& motion);
  bool let_slip(const Moment& now, const Inputs& inputs, SmoothMotion& motion);
  bool settles(const Moment& now, const Inputs& inputs, const std::vector<int>& slips, SmoothMotion& motion);
  void turn_on_polygon(int cone, const double* rates, double zero, Mode& mode) const;
  bool turn_on_polygon(const SmoothMotion& motion, int point, double bound, const double* friction, const double* slips,
                       double zero, Mode& mode) const;
  void list_changes(const Moment& now, const std::vector<Trigger>& triggers, const Modes& before, StepRecord& record);
  void add(const SolveReport& report, StepRecord& record) const;

  const EventDrivenOptions options_;
  const System& system_;
  StopToken stop_;
  FrictionPolygon polygon_;
  VelocityStep velocity_;
  Instant instant_;
  BodySizes sizes_;
  BodySnapshot at_;
  Scales scales_;
  std::vector<double> lengths_;                  // (contact points) [m]
  std::vector<Touch> touches_;                   // (contact points)
  std::vector<char> hit_, met_, held_, passed_;  // (contact points) closed with an impact here; took part in
                                                 // one; is released; its impacts accumulated
  std::vector<double> activation_;               // (contact points) [m]
  std::vector<double> expanding_;                // (cones) [-] e of contacts whose impact has two phases, else -1
  std::vector<double> loads_;                    // (contact points) [N] of the phase before
  double missed_before_ = 0.0;                   // [m/s] by the impact solved before at this instant
  Modes tentative_, modes_;
  State no_state_;
  Vector force_, change_;      // (n_u)
  std::vector<double> rates_;  // (n) [m/s^2]
};

}  // namespace stickslip::event_driven
