// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/adhesion.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/constraints/contact_blocks.h"
#include "stickslip/math/friction_polygon.h"
#include "stickslip/model/inputs.h"

namespace stickslip {

/// The velocities and gaps that count as zero at an instant.
struct InstantTolerances {
  /// [-] A contact is closed where its gap is at most this part of the lengths that it is the difference of: the larger
  /// of the coordinates and radii of gyration of its two bodies.
  double gap = 1e-9;
  /// [-] A relative velocity is zero where it is at most this part of the larger speed of the two bodies, or of
  /// sqrt(their acceleration by forces alone times that length), for bodies that are about to move.
  double speed = 1e-9;
  /// [-] Relative, of the cone problems; that of the solver where this is less strict.
  double solve = std::numeric_limits<double>::infinity();
  /// Whether kinetic friction begins beyond its stick_speed, as in the steps of schemes; else with any slip.
  bool has_stick_speed = false;
};

/// What a constraint does at an instant, by its velocity. Contacts whose gap is open are not there at all.
enum class InstantMode : std::uint8_t {
  open,        // has no force: a contact that set_mode() opened
  separating,  // the same: a closed contact with gamma_N > 0
  sliding,     // contact, gamma_N = 0, or dry friction: gamma_F is not zero and gives friction its direction
  sticking,    // the same with gamma_F = 0: it may go on sticking or start to slide
  bilateral,   // joint
};

/// The outcome of an instant.
struct InstantReport {
  /// ok: the laws hold. inexact: accelerations and forces were found that do not obey them all. failed: forces or
  /// velocities are not finite; u' and lambda are zero.
  Status status = Status::ok;
  SolveReport solve;  // of the last cone problem, of accelerations [m/s^2] and forces [N]
  /// [m/s^2] of u' and lambda, recomputed; relative to the accelerations that the constraints would have without
  /// forces.
  Residual residual;
  bool settled = true;  // whether the friction of sliding contacts belongs to their normal forces
  int problems = 0;     // [-] cone problems that were solved
  /// [-] How many accelerations the laws allow, where contacts slide with friction and that could be counted: up to 8
  /// closed contacts, none of which sticks with friction, no dry friction that sticks. At least so many, where some
  /// contacts that would bear forces together determine none. Else kUnknown.
  int solutions = kUnknown;
  static constexpr int kUnknown = -1;

  /// Whether there are no accelerations by a proof. It takes an impact then, though nothing collides [Trinkle2003,
  /// Capobianco2021 section 10.4].
  bool has_none() const { return solutions == 0 || solve.violation > 0.0; }
};

/// The acceleration-level problem at one instant (t, q, u): the accelerations and forces with which the motion goes on.
/// With W, h, zeta at (t, q, u),
///
///   M u' = h + W lambda,   gamma' = W^T u' + zeta                                   (24) [Trinkle2003]
///   joints, driven ones too      gamma' = 0                                                       (19)
///   contacts, gap and gamma_N 0  0 <= gamma_N' perpendicular to lambda_N >= 0                     (20), (21)
///     where they slide           lambda_F = -mu lambda_N n,  n = gamma_F / |gamma_F|              (17)
///     where they stick           |lambda_F| <= mu lambda_N, and = -mu lambda_N gamma_F' / |gamma_F'| where gamma_F' is
///                                not zero                                                         (22)
///   dry friction                 the same with its bound in the place of mu lambda_N              (18), (23)
///   all other contacts           lambda = 0                                                       (6)
///
/// With polygons of friction in space (set_polygon) what sticks has the polygon in (22), and what slides has what
/// maximal dissipation over the same polygon makes of its velocity (FrictionPolygon): a corner; or, where gamma_F is
/// normal to an edge, mu lambda_N cos(pi / facets) against it and along the edge what keeps it so, up to mu lambda_N
/// sin(pi / facets), as what sticks in one direction: (35)-(37) carried over to accelerations.
///
/// zeta holds what is centripetal and what prescribed motions and drives add. Contacts that stick are cones, joints
/// free rows and dry friction balls of one cone problem on (gamma', lambda), with the Delassus operator W^T M^-1 W. A
/// contact that slides has its normal row alone in it: what its friction adds to all rows, which would make the
/// operator asymmetric, is known once its normal force is. So with y these normal forces, and Phi(y) those of the
/// problem with friction -mu y n held, y = Phi(y) is solved by repetition, which contracts at mu |G_NF| / G_NN, and by
/// Newton's method on Phi where that is slow. Every problem is symmetric, for any solver.
///
/// Where mu |G_NF| >= G_NN there may be no solution, or several, of which contacts open in one and are pressed on in
/// another (Painleve's paradox). Where nothing sticks and few contacts are closed, solutions are counted,
/// see count_solutions(). solve() returns the fixed point reached from zero friction, in which a single contact lets go
/// where it can; if none is reached, the counted solution with the fewest loaded contacts.
///
/// For the start of schemes on accelerations, for integration from event to event, and for looking at an instant.
class Instant {
 public:
  /// Spinning or rolling of a contact, with a friction set of their own: rows whose bound is the normal force.
  struct Turning {
    int first = 0, n = 0;
    bool slides = false;
    std::array<double, kMaxFrictionDim> direction = {};  // (n) [-] of sliding
  };

  /// Both must outlive this. Asks `stop` for each constraint, and throws Interrupted where it is raised.
  Instant(const System& system, ConeSolver& solver, StopToken stop = {});

  /// Takes an instant: all rows that are closed, and their modes. u' and lambda become zero. `at` must have been taken
  /// with velocities; it and `points`, where contacts may be, must outlive the use of constraints().
  void take(const BodySnapshot& at, const std::vector<ContactPoint>& points, const Inputs& inputs = {},
            const InstantTolerances& tolerances = {});
  /// The same of the points that a caller knows to be closed: those whose gap is at most `activation` (points) [m].
  void take(const BodySnapshot& at, const std::vector<ContactPoint>& points, std::span<const double> activation,
            const Inputs& inputs);
  /// Friction sets of two directions are this polygon from the next take() on [Trinkle2003 eq. 35]; none: discs.
  void set_polygon(const FrictionPolygon& polygon) { polygon_ = polygon; }
  /// The law of what sticks in all that is solved from here on. Under the associated one accelerations along what
  /// sticks are zero wherever any forces within the cones hold it, and only there: the problem is convex.
  void set_law(FrictionLaw law) { law_ = law; }
  /// As ConstraintSet::set_joint_loads().
  void set_joint_loads(const Vector& loads) { set_.set_joint_loads(loads); }
  /// Whether the solver takes the problem that was solved last under a law.
  bool takes(FrictionLaw law);

  /// The rows, in cones: contacts, joints, dry friction; gamma() by row.
  const ConstraintSet& constraints() const { return set_; }
  InstantMode mode(int cone) const { return members_[cone].mode; }
  /// Overrides the mode that the velocity gives. Sliding needs a slip velocity.
  void set_mode(int cone, InstantMode mode);
  /// Makes it slide, or begin to, along a unit direction (n_F). With polygons friction opposes that direction by a
  /// corner, or by an edge whose normal it is.
  void slide(int cone, std::span<const double> direction);
  /// Whether a friction set sticks. Set 0 is sliding friction or dry friction and follows mode(); then come spinning
  /// and rolling.
  bool sticks(int cone, int set) const;
  /// Whether a contact slides, spins or rolls with friction in proportion to its normal force.
  bool has_sliding_friction(int cone) const;
  std::span<const Turning> turning(int cone) const {
    return std::span(members_[cone].turning).first(static_cast<std::size_t>(members_[cone].n_turning));
  }
  void open_contacts();
  /// Makes contacts stick that slide now, but that accelerations u' (n_u) would stop within a time h [s]; whether there
  /// are any.
  bool hold_what_stops(const Vector& acceleration, double h);
  /// Whether the velocity of a joint's rows is not zero, or a contact closes: an impact has to come first, and
  /// accelerations before it mean little.
  bool jumps(int cone) const { return members_[cone].jumps; }
  bool joints_jump() const;
  /// Tolerance below which the gap of a contact, or the violation of a joint's row, counts as zero. [m, rad]
  double zero_gap(int cone, int row = 0) const;

  /// Finds u' and lambda, by the modes as they are.
  [[nodiscard]] InstantReport solve();
  /// Takes forces lambda (n) [N, N m] from somewhere else, and the u' that they make.
  void put(std::span<const double> lambda);

  const Vector& a() const { return a_; }                            // (n_u) u' [m/s^2, rad/s^2]
  const Vector& force() const { return force_; }                    // (n_u) h [N, N m]
  std::span<const double> lambda() const { return lambda_; }        // (n) [N, N m]
  std::span<const double> zeta() const { return zeta_; }            // (n) [m/s^2, rad/s^2]
  std::span<const double> given() const { return given_; }          // (n) [m/s^2, rad/s^2] gamma' without lambda
  std::span<const double> gamma_dot() const { return gamma_dot_; }  // (n) [m/s^2, rad/s^2] W^T u' + zeta
  /// n = gamma_F / |gamma_F| of what slides, or what a polygon's corner or edge opposes. (n_F) [-]
  std::span<const double> slip_direction(int cone) const {
    return {members_[cone].direction.data(), static_cast<std::size_t>(members_[cone].n_friction)};
  }
  /// Of what slides: friction along slip_direction() by normal force [-], and whether it is held across, on an edge.
  double slip_friction(int cone) const { return members_[cone].mu * (on_edge(cone) ? polygon_.apothem() : 1.0); }
  bool on_edge(int cone) const { return members_[cone].on_edge && slides(cone); }
  /// The friction set of a contact that sticks; of one on an edge: across it.
  FrictionBlock friction_block(int cone) const;
  /// lambda of one cone. (dim)
  std::span<const double> lambda(int cone) const { return rows_of(cone, lambda_); }

 private:
  struct Size {
    double length, speed, acceleration;  // [m], [m/s], [m/s^2] of a body
  };
  struct Member {
    InstantMode mode;
    bool jumps;
    int first_friction;                             // row
    int n_friction;                                 // of sliding, or of a dry friction
    double mu;                                      // [-] contact
    double bound;                                   // [N, N m] dry friction
    std::array<double, kMaxFrictionDim> direction;  // (n_friction) [-] of sliding; zero where it does not
    bool on_edge = false;                           // of a polygon, while it slides
    double across = 0.0;                            // [N] friction along that edge
    int n_turning = 0;
    std::array<Turning, kMaxFrictionSets - 1> turning;
  };
  /// A cone of the set in the problem that is solved: which of its rows; on an edge the second is the one across.
  struct Rows {
    int cone, n, offset;
    std::array<int, kMaxConeDim> row;
  };

  const Attachment& side(int cone, Side side) const;
  bool is_angle_row(int cone, int row) const;
  void calc_sizes(const BodySnapshot& at);
  double calc_length(int first, int second) const;
  double calc_zero_speed(int cone) const;
  void classify(int cone);
  bool turns_held(int cone) const;
  bool is_in_problem(int cone) const;
  Rows select_rows(int cone) const;
  void set_friction(int cone);
  void take_gathered(const BodySnapshot& at, const std::vector<ContactPoint>& points);
  void calc_forces(const BodySnapshot& at, const std::vector<ContactPoint>& points, const Inputs& inputs);
  void calc_bias(const BodySnapshot& at, const std::vector<ContactPoint>& points);
  std::span<const double> rows_of(int cone, const std::vector<double>& values) const;
  double* rows_of(int cone, std::vector<double>& values);
  bool slides(int cone) const { return members_[cone].mode == InstantMode::sliding; }
  bool has_polygon(int cone) const;
  void slide_on_polygon(Member& member, double zero) const;
  void reduce(const Rows& rows, const double* of_cone, double* reduced) const;
  void make_problem();
  void add_response(int cone, const double* p);
  void set_friction(const std::vector<double>& y);
  bool solve_rows(InstantReport& report);
  void get_normals(std::vector<double>& y) const;
  void settle(int max_repetitions, double change, InstantReport& report);
  void calc_accelerations();
  void judge(InstantReport& report);
  int count_solutions();

  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  ConstraintSet set_;
  Adhesion adhesion_;
  InstantTolerances tolerances_;
  FrictionLaw law_ = FrictionLaw::coulomb;
  FrictionPolygon polygon_;
  std::vector<Size> sizes_;         // (bodies)
  std::vector<double> activation_;  // (points) [m]
  std::vector<Member> members_;     // (cones)
  const std::vector<ContactPoint>* points_ = nullptr;

  Vector force_, free_, a_, friction_;         // (n_u) h, M^-1 h, u', what friction gave last of it
  std::vector<double> zeta_, given_, speeds_;  // (n) zeta; W^T M^-1 h + zeta; what that is a sum of, at most
  std::vector<double> lambda_, gamma_dot_;     // (n)
  SweepMemory memory_;                         // W^T M^-1, and v = M^-1 W p of what was added last
  ConeProblem problem_;                        // of what is solved for
  ConeSolution solution_;
  std::vector<Rows> rows_;
  std::vector<int> sliding_;                  // cones: contacts that slide with friction
  std::vector<double> counted_;               // (sliding_) [N] normal forces of a solution that was counted
  std::vector<double> held_, found_, moved_;  // (sliding_) [N] normal forces
};

}  // namespace stickslip
