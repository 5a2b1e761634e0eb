// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/implicit_forces.h"
#include "stickslip/constraints/servo_rows.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/math/friction_polygon.h"
#include "stickslip/model/inputs.h"
#include "stickslip/model/values_by_id.h"

namespace stickslip {

/// All that constrains a system at one instant, in the rows of one cone problem: contacts, joints and dry friction
/// alike, each a cone with rows gamma = J u + tau. What a scheme needs of them is gathered once; how it discretises
/// them, what b is and what becomes of the percussions, is its own affair.
///
/// Cones stand in the order contacts, joints, dry friction elements, which is that of their ids.
class ConstraintSet {
 public:
  enum class Kind { contact, joint, dry_friction, servo };

  /// The system must outlive this. Asks `stop` for each constraint, and throws Interrupted where it is raised. `packs`:
  /// whether the Delassus operator may be the packed one, else it is the factored one always.
  explicit ConstraintSet(const System& system, StopToken stop = {}, bool packs = true);

  /// From now on surfaces that turn have, in gather(), the velocity of their finite motion over its step h in the place
  /// of that at its instant: of a contact with another body, the one with which that body, held by the surface, comes
  /// to where the surface takes its origin. Else what sticks would leave its circle by the tangent, and by a factor of
  /// sqrt(1 + (omega h)^2) a step. gamma at the instant is then relative to a surface that moves as much slower as this
  /// moves faster than the instant's: to its velocity over the step before, but for terms of second order. Of two
  /// bodies whose motion is not prescribed one is the surface if they move as one; tau has the difference.
  void use_finite_motions() { finite_motions_ = true; }

  /// Whether a contact is between two bodies whose motion is not prescribed and that may move as one.
  bool may_carry(const BodySnapshot& at, const std::vector<ContactPoint>& points, double h) const;

  /// The bodies where gather() is, with the velocities that lead them to where their joints are at the end of the step,
  /// to second order; null: those of the instant. Must outlive the next gather().
  void set_ahead(const BodySnapshot* ahead) { ahead_ = ahead; }

  /// Friction sets of two directions are this polygon from the next gather() on [Trinkle2003 eq. 35]; none: discs.
  void set_polygon(const FrictionPolygon& polygon) { polygon_ = polygon; }
  bool has_polygon() const { return polygon_.exists(); }

  /// M of the problems that gather() makes is the M_hat of these, as linearised then, or that of the system: null.
  void set_implicit(const ImplicitForces* forces) { implicit_ = forces; }

  /// gather() appends the rows of these servos and sets their scales; null: none.
  void set_servos(ServoRows* servos) { servos_ = servos; }

  /// Joint loads of the last step, for friction that depends on load; empty: zero. (joints) [N]
  void set_joint_loads(const Vector& loads) { joint_loads_ = loads; }

  /// Gathers at an instant: of `points` those whose gap is at most `activation` [m]; all joints; all dry friction
  /// elements, with percussions up to h [s] times their bounds. Fills cones and Delassus operator of problem(); b is
  /// left at zero. Both must outlive the use; points may be added behind those that there are.
  void gather(const BodySnapshot& at, const std::vector<ContactPoint>& points, double activation, double h);
  /// The same with the activation of each point by itself. activation (points) [m]
  void gather(const BodySnapshot& at, const std::vector<ContactPoint>& points, std::span<const double> activation,
              double h);
  /// Calls activation_of(i) in order; starts again at 0 if there are too few contacts to pack.
  using ActivationOf = std::function<double(std::size_t point)>;
  void gather(const BodySnapshot& at, const std::vector<ContactPoint>& points, const ActivationOf& activation_of,
              double h);

  /// Gathers what positions must obey: normal rows of contacts, rows of joints that hold them, no dry friction
  /// elements. The problem is then one of displacements d = M^-1 J^T p; its b are the positions, gaps and what joints
  /// are off by [m, rad], and nothing else is known by row.
  void gather_positions(const BodySnapshot& at, const std::vector<ContactPoint>& points, double activation);

  ConeProblem& problem() { return problem_; }
  const ConeProblem& problem() const { return problem_; }
  int size() const { return problem_.size(); }  // n, the rows
  int count() const { return problem_.n_cones(); }
  Kind kind(int cone) const {
    if (cone < n_contacts_) return Kind::contact;
    if (cone < n_contacts_ + n_joints_) return Kind::joint;
    return cone < n_contacts_ + n_joints_ + n_dry_frictions_ ? Kind::dry_friction : Kind::servo;
  }
  /// Into the points, System::joints(), System::dry_frictions() or the rows of servos.
  int index(int cone) const { return indices_[cone]; }
  /// Of the rows of a cone: of a contact the normal one's and the others', 0 for all else. [-]
  struct Restitution {
    double normal = 0.0, tangential = 0.0;
  };
  Restitution restitution(int cone) const;
  ImpactLaw impact_law(int cone) const;
  /// Whether impacts of a contact that closes have two phases (stepping/phased_impact.h).
  bool has_phases(int cone) const { return kind(cone) == Kind::contact && impact_law(cone) != ImpactLaw::newton; }
  /// Rows of sliding of a contact, which follow the normal one. [-]
  int friction_dim(int cone) const;
  /// Of a contact at the instant. [m, rad]
  double gap(int cone) const { return gaps_[cone]; }
  /// How fast a contact slides at the instant. [m/s]
  double slip_speed(int cone) const;
  /// Of a contact at the instant. [-]
  const Vector3& normal(int cone) const;
  const Vector3& tangent(int cone) const;
  /// Contacts whose slip began with kinetic friction, and is reversed by the velocities of a solution (n) [m/s] less
  /// `added` (empty: zero), get static friction. True: there are some, and the problem is to be solved again.
  bool restore_static_friction(std::span<const double> velocity, std::span<const double> added);
  /// Whether a gathered contact has restitution.
  bool has_restitution() const;
  /// added (n) += e gamma, of those under Newton's law, of the rows at the instant gathered: what Newton's law of
  /// impacts adds to the velocities after them.
  void add_restitution(std::span<double> added) const;

  /// |natural map| of p (n) under Coulomb's law with discs, whichever law and friction sets the problem has. [m/s]
  double calc_exact_residual(std::span<const double> p);

  // --- by row, at the instant
  std::span<const double> gamma() const { return gamma_; }  // (n) [m/s] of its velocities u
  /// Velocity of prescribed motions along a row, and that at the instant, which differs with use_finite_motions().
  /// [m/s]
  double tau(int row) const { return tau_.empty() ? 0.0 : tau_[row]; }
  void get_tau(std::vector<double>& gamma) const;
  double tau_at_instant(int row) const { return tau_.empty() ? 0.0 : tau_at_instant_[row]; }
  /// gamma (n): what prescribed motions give at the start of the step, 2 tau_at_instant - tau, plus what joints move
  /// surfaces by. [m/s]
  void get_tau_at_start(std::vector<double>& gamma) const;
  /// The row of a joint that its motion leads: lengths are first, angles last.
  static int motion_row(const Joint& joint) { return joint.turns() ? joint.dim - 1 : 0; }
  /// Adds `more` to the rate of the joint's prescribed motion. [m/s, rad/s]
  void add_motion_rate(int cone, double more);

  /// gamma (n) += J v. v (n_u) [m/s, rad/s].
  void add_relative_velocities(const Vector& v, std::span<double> gamma);
  /// speed (n) += sum_j |J_ij v_j|, which bounds the round-off of J v.
  void add_speeds(const Vector& v, std::span<double> speed);
  /// Both, in one pass.
  void add_relative_velocities(const Vector& v, std::span<double> gamma, std::span<double> speed);
  /// force = W p, W = J^T. p (n) [N s], force (n_u) [N s, N m s].
  void calc_generalized_percussions(std::span<const double> p, Vector& force);

  /// Percussions to start the solve from, those of the last step; and those to keep for the next.
  void load_warm(const ValuesById& warm, ConeSolution& solution) const;
  void save_warm(const ConeSolution& solution, ValuesById& warm) const;

  /// Reports the constraint that set the residual of a solution.
  void report_worst(const Residual& residual, StepReport& report) const;
  /// Fills report.contacts, of those gathered, with what they did in a step of length h, and where; report_places()
  /// does the rest. velocity (n) [m/s]: gamma at the end of the step. impulse [N s]: what is said of them.
  void report_percussions(const ConeSolution& solution, std::span<const double> velocity, double h, double impulse,
                          StepReport& report) const;
  /// Both, at the end of the step.
  void report_contacts(const BodySnapshot& end, const ConeSolution& solution, std::span<const double> velocity,
                       double h, double impulse, StepReport& report) const;
  /// Adds to the reactions of report.joints what constraints do, forces being percussions over h.
  void add_reactions(const ConeSolution& solution, double h, StepReport& report) const;

 private:
  template <class Activations>
  void gather_closed(const BodySnapshot& at, const std::vector<ContactPoint>& points, const Activations& activation_of,
                     double h);
  void clear();
  template <class Activations>
  void gather_contacts(const Activations& activation_of, double h);
  void pack_bodies(int dim);
  void gather_joints();
  void gather_dry_frictions(double h);
  void gather_servos(double h);
  void add_member(int index, const double* gamma);
  void set_last_tau(const double* tau, const double* tau_at_instant);
  void find_finite_motions(double h);
  BodyMotion carry(const ContactPoint& point, Side side, double h) const;
  std::optional<Side> find_carrier(const BodySnapshot& at, const ContactPoint& point, double h) const;
  void add_carried(const ContactPoint& point, const ContactGeometry& geometry, Side carrier, double h,
                   ContactVector& tau, ContactVector& by_joints) const;
  FactoredDelassus& begin_rows();
  template <class FillJacobian>
  void add_side(FactoredDelassus& factored, const Attachment& at, FillJacobian&& fill_jacobian) const;
  void add_pair(const Attachment& first, const Attachment& second);
  void add_bodies(FactoredDelassus& factored) const;
  const Vector& ordered(const Vector& v);
  void report_percussion(int cone, const ConeSolution& solution, std::span<const double> velocity, double h,
                         ContactReport& contact) const;
  double calc_trace(int i, int dim) const;
  JointReaction calc_reaction(int cone, const JointVector& lambda) const;
  ElementId id(int cone) const;
  template <class W>
  W& hold();
  template <class Turn>
  void turn_packed(Turn&& turn);
  template <class F>
  void for_packed(F&& f) const;

  const System& system_;
  StopToken stop_;
  const BodySnapshot* at_ = nullptr;
  const std::vector<ContactPoint>* points_ = nullptr;
  std::vector<int> delassus_body_;  // per body of the system: index in the Delassus operator, -1 without velocities
  /// A point at the instant.
  struct PointAt {
    double activation = 0.0;  // [m]
    bool is_closed = false;   // its gap is at most that, and the rest is known
    ContactGeometry geometry;
    ContactVector gamma;
  };
  void look_at(std::size_t point, PointAt& at) const;
  /// What the packed operator needs of a body that moves, out of what the system knows of it, in one place.
  struct PackedMass {
    int body;
    double inverse_mass;      // [1/kg]
    Matrix3 inverse_inertia;  // (3, 3) [1/(kg m^2)] body frame
  };
  std::vector<PackedMass> packed_masses_;  // none where it is never packed
  bool can_pack_ = true;      // whether contacts of rigid bodies, with friction in space, are all there can be
  bool has_motions_ = false;  // whether a body or a surface moves as prescribed
  ConeProblem problem_;
  Delassus other_;                                           // of the kind that the problem has not, for its memory
  std::vector<int> indices_;                                 // (cones) see index()
  int n_contacts_ = 0, n_joints_ = 0, n_dry_frictions_ = 0;  // of the cones
  std::vector<ContactGeometry> geometries_;                  // (contacts) where they are not packed
  std::vector<PointAt> looked_at_;                           // of points in a row that threads share
  PairGeometry pair_;                                        // of the joint or dry friction that is gathered
  std::vector<JointReaction> units_;                         // (rows of joints) what a unit of their multiplier does
  std::vector<int> kinetic_;                                 // contacts that began to slide with kinetic friction
  std::vector<double> gaps_;                                 // (contacts) [m]
  std::vector<double> gamma_;
  std::vector<double> tau_, tau_at_instant_;  // none where all are zero
  std::vector<double> tau_by_joints_;         // the part of tau_ that joints give surfaces; none where it is zero
  /// How a body that turns as prescribed moves in the step.
  struct FiniteMotion {
    int body;
    Matrix3 turn;   // (3, 3) [-] from the instant on
    Vector3 end;    // (3) [m] its origin then
    Vector3 omega;  // (3) [rad/s] world frame
  };
  FrictionPolygon polygon_;
  std::vector<double> residual_work_;
  bool finite_motions_ = false;
  const BodySnapshot* ahead_ = nullptr;
  std::vector<FiniteMotion> turning_;
  Vector rest_;  // (n_u) zero
  Vector joint_loads_;
  const ImplicitForces* implicit_ = nullptr;
  ServoRows* servos_ = nullptr;
  int n_servos_ = 0;         // of the bodies of the factored operator those that are compliances of servos, the last
  bool has_groups_ = false;  // whether the bodies of the factored operator are groups of implicit forces
  Vector ordered_;           // velocities as the factored operator has them
  Vector world_;             // (n_u) velocities or momenta of packed bodies, turns in the world frame
};

/// What percussions p of the rows of turning of a contact do to the second body, with normal and tangent of `at`.
/// [N m s]
Vector3 calc_moment(const ContactRowLayout& rows, const double* p, const ContactReport& at);

}  // namespace stickslip
