// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/constraints/adhesion.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/math/friction_polygon.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/event_driven/held_rows.h"

namespace stickslip::event_driven {

/// What a contact point or a dry friction does throughout a smooth phase.
struct Mode {
  bool closed = false;                                 // dry friction always is
  bool sticks = false;                                 // else it slides
  std::array<double, kMaxFrictionDim> direction = {};  // (n_F) [-] of gamma_F where the phase began to slide; with
                                                       // polygons what their corner or edge opposes, throughout it
  bool stopping = false;                               // slides, and is about to stop along `direction`
  double load = 0.0;  // [N] of a contact: its normal force is that nearest to this, where others would do as well
  bool operator==(const Mode&) const = default;
};

struct Modes {
  std::vector<Mode> contacts;       // (contact points)
  std::vector<Mode> dry_frictions;  // (dry friction elements)
  bool operator==(const Modes&) const = default;
};

/// All contacts open, and dry friction that slides.
Modes make_open_modes(const System& system);

/// Whether a body or a joint moves as prescribed.
bool is_driven(const System& system);

/// Modes as numbers of State::memory, the first of which is 1, or 0 where there are none: then read_modes() is false.
void write_modes(const Modes& modes, Vector& memory);
bool read_modes(const Vector& memory, Modes& modes);

/// The smooth motion of a phase: accelerations and forces at (t, q, u) while all keep their modes, whatever sign these
/// forces get; see EventDrivenOptions. Friction that slides opposes the velocity that it has, and where that has turned
/// from the direction in which the phase began by 60 degrees or more, or is nothing, it opposes that direction: so
/// forces go on smoothly beyond the instant at which something stops. Where it is about to stop it opposes the
/// direction that it has then. With polygons it opposes one direction throughout; on an edge velocities are held across
/// that.
class SmoothMotion {
 public:
  /// The system must outlive this. polygon: of contacts with friction in two directions; none: discs.
  SmoothMotion(const System& system, const FrictionPolygon& polygon, StopToken stop);

  /// The modes of the instants to come. zero_speed [m/s]: of friction, up to which its velocity has no direction.
  void set_modes(const Modes& modes, double zero_speed);
  const Modes& modes() const { return modes_; }

  /// Accelerations and forces at an instant; whether they are finite.
  bool solve(double t, const Vector& q, const Vector& u, const Inputs& inputs);
  /// The rows there, without accelerations and forces: all of joints, closed contacts and dry friction.
  void gather(double t, const Vector& q, const Vector& u);

  const Vector& a() const { return a_; }                      // (n_u) [m/s^2, rad/s^2]
  std::span<const double> lambda() const { return lambda_; }  // (n) [N, N m] of the rows gathered
  /// As long as the modes are the present ones forces that are not determined are those nearest to these (n), which
  /// make the accelerations found last.
  void begin_from(std::span<const double> lambda);
  /// Friction in two and more directions that slides and is not about to stop, at the instant solved last: of a round
  /// cone, which opposes whatever direction that takes.
  struct Slip {
    double speed = 0.0;      // [m/s, rad/s]
    double rate = 0.0;       // [m/s^2, rad/s^2] of the speed
    double stiffness = 0.0;  // [m/s^2, rad/s^2] what friction would give by itself, at most: its direction follows that
                             // of slip by stiffness / speed
  };
  std::span<const Slip> find_slips();
  /// Marks what is about to stop: what has at most `speed` [m/s] and slows down. Whether any was marked, or is none any
  /// more; then the instant is to be solved again.
  bool mark_stopping(double speed);
  /// The part of du'/du (n_u, n_u) [1/s] by which the directions of slip turn friction, at the instant solved last.
  void calc_slip_slopes(Matrix& slopes);
  /// Where friction begins to slide at rest: directions in which the accelerations point that they lead to, by Newton's
  /// method from those of an `acceleration` (n_u) that is near; solved at that instant before and after. False: they
  /// were not found, modes are as before.
  bool settle_directions(double t, const Vector& q, const Vector& u, const Inputs& inputs, const Vector& acceleration);
  /// gamma' (n) [m/s^2, rad/s^2] of the rows gathered last, at the accelerations found last.
  void calc_accelerations(std::vector<double>& rates);
  const BodySnapshot& at() const { return at_; }
  const ConstraintSet& constraints() const { return set_; }
  ConstraintSet& constraints() { return set_; }
  /// [m/s, rad/s] The largest velocity along what is held, of the rows gathered last: joints, closed contacts, friction
  /// that sticks.
  double calc_held_speed() const;
  /// The cone of a contact point or a dry friction, -1 where it has none.
  int contact_cone(int point) const { return contact_cones_[point]; }
  int dry_friction_cone(int k) const { return dry_cones_[k]; }
  /// n (n_F) [-] that the friction of a cone opposes, at the instant gathered.
  void find_direction(int cone, std::array<double, kMaxFrictionDim>& n);
  /// Of a row gathered: what a unit of its force does to its own acceleration [1/kg, 1/(kg m^2)]; 0: it is not held.
  double calc_response(int row) const { return rows_.calc_response(row); }
  /// Whether the forces are the only ones that hold what is held.
  bool determined() const { return rows_.determined(); }
  /// Whether all that is held could be, at the instant solved last: two feet on edges of polygons may contradict each
  /// other.
  bool consistent() const { return consistent_; }
  bool has_friction(int point) const;   // at any speed
  double friction_of(int point) const;  // [-] mu, as it sticks or slides at the instant gathered
  int friction_dim(int point) const;    // [-] n_F
  bool has_polygon(int point) const { return polygon_.exists() && friction_dim(point) == 2; }
  const FrictionPolygon& polygon() const { return polygon_; }
  /// Whether a contact slides on an edge of its polygon.
  bool on_edge(int point) const { return on_edge_[point] != 0; }
  /// The size of friction (n_F) of a contact that counts against mu lambda_N.
  double friction_size(int point, const double* friction) const;

  /// Of a contact that slides, where forces are determined: [-] the acceleration gamma_N' that a unit of its normal
  /// force with its friction adds, all else held, in units of that without friction. Where it falls to zero forces have
  /// no bound.
  double calc_yield(int point) const;
  /// [W] what contacts and dry friction take, and what forces without a potential and prescribed motions put in.
  double dissipated_power() const;
  double working_power(const Inputs& inputs);
  /// Of a contact that slides, at the instant solved last: G_A, the acceleration -gamma_N' at which it would close
  /// without its force, and G_B, the gamma_N' that a unit of its normal force with the friction that belongs to it
  /// adds, all else held. No force obeys the laws where G_A > 0 and G_B <= 0. {[m/s^2], [1/kg]}
  std::array<double, 2> calc_certificate(int point);

  /// Projects velocities u on those at which all that is held, and what of contacts and dry friction sticks, has
  /// none, and books the energy that this takes.
  void project_velocities(double t, const Vector& q, Vector& u, EnergyLedger& energy);
  /// (n) [N s, N m s] what the last projection of velocities took, of the rows gathered.
  std::span<const double> percussions() const { return percussions_; }
  /// Projects positions on those at which joints fit and closed contacts touch, but for those that began in an overlap.
  void project_positions(double t, Vector& q);

 private:
  void calc_bias();
  Mode& mode(int cone);
  bool turns_freely(int cone);
  int first_friction_row(int cone) const;
  double calc_bound(int cone) const;
  void respond_to_friction(int row, Vector& jacobian, Vector& v);
  double slip_friction(int point) const;
  void hold(int cone);
  void slide(int cone);
  void add_loads();

  const System& system_;
  const FrictionPolygon polygon_;
  StopToken stop_;
  Modes modes_;
  std::vector<char> on_edge_;  // (contact points)
  double zero_speed_ = 0.0;
  bool consistent_ = true;
  std::vector<double> activation_;              // (contact points) [m] infinite or minus that
  std::vector<int> held_row_;                   // (contact points) its normal row in rows_
  std::vector<int> contact_cones_, dry_cones_;  // (contact points), (dry friction elements)
  BodySnapshot at_;
  ConstraintSet set_;
  Adhesion adhesion_{system_};
  HeldRows rows_;
  BodySizes sizes_;
  Vector force_, a_, nonconservative_;                // (n_u)
  std::vector<double> lambda_, rates_, percussions_;  // (n)
  std::vector<double> first_;                         // (n) see begin_from(); none: the loads of the modes
  Modes modes_of_first_;
  std::vector<Slip> slips_;
  std::vector<double> work_, least_;  // (n)
};

}  // namespace stickslip::event_driven
