// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stickslip/cone/stretch.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/model/contact_rows.h"
#include "stickslip/model/joint_rows.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/generalized_alpha.h"
#include "stickslip/stepping/generalized_alpha_weights.h"

namespace stickslip {

/// Rows of one element at most: those of a contact or of a joint.
inline constexpr int kMaxElementDim = std::max(kMaxContactDim, kMaxJointDim);
static_assert(kMaxElementDim <= kMaxConeDim);

/// The bodies whose velocities are eliminated together: a contiguous range of bodies with a dense iteration matrix.
/// One body in general; bodies that springs couple, and small mechanisms, share a block.
struct VelocityBlock {
  int first_body = 0, n_bodies = 0;
  int u_offset = 0, n_u = 0;
  int q_offset = 0, n_q = 0;
  bool has_force_derivatives = false;  // whether h depends on q or u here
  std::size_t matrix = 0;              // first value of its (n_u, n_u) matrices
};

/// On which of its levels a contact is closed, the nested sets of [Capobianco2021 eqs. 130-141].
enum class ContactLevel : std::uint8_t {
  open = 0,          // not in A: kappa_hat = P = lambda = 0
  position = 1,      // in A, not in B: g = 0, P = lambda = 0
  velocity = 2,      // in B, not in C: xi_N = 0, lambda = 0
  acceleration = 3,  // in C: g_ddot = 0
};

/// What rounding of coordinates, velocities, accelerations and multipliers leaves in a residual, at least.
struct RoundOff {
  double position = 0.0;      // [m]
  double velocity = 0.0;      // [m/s]
  double acceleration = 0.0;  // [m/s^2]
};

/// How far a body moves in the step, the measure of its residuals.
struct BodyScale {
  double start_speed = 0.0, start_acceleration = 0.0;  // [m/s], [m/s^2] sqrt(u^T M u / m) at the start of the step
  double way = 0.0, fall = 0.0;                        // [m]
  double beam_round_off = 0.0;                         // [m/s^2] of its internal forces, in any case
  RoundOff round_off;                                  // of its balances R3, R2, R1
};

/// One of several solutions that a contact is held to, see GeneralizedAlphaStep::could_choose.
enum class Held : std::uint8_t { no, open, sliding, stopped };

/// One contact, joint or dry friction element: `dim` rows of W^T on velocity and acceleration level, the first
/// n_pos of them also on position level (the normal; all rows of a holonomic joint; none of a dry friction).
struct StepElement {
  enum class Kind : std::uint8_t { contact, dry_friction, joint };
  Kind kind = Kind::contact;
  int index = 0;                           // point of the ContactFinder, dry friction or joint of the System
  int dim = 0;                             // rows
  int n_pos = 0;                           // rows on position level
  int offset = 0;                          // first row in lambda, Lambda
  int pos_offset = 0;                      // first row in kappa
  int n_angle_rows = 0;                    // the last rows: of joints, their limits and friction
  double mass = 0.0;                       // [kg] of the lighter body
  double mu = 0.0;                         // [-] contact
  double bound = 0.0;                      // [N] dry friction
  double e_normal = 0.0, e_tangent = 0.0;  // [-] restitution

  /// The one or two velocity blocks it acts on, and the sides (first, second) in them.
  struct Touch {
    int block = 0;
    std::size_t values = 0;  // first value of the (dim, n_u of the block) arrays: W^T and M^-1 W
  };
  std::array<Touch, 2> touches;
  int n_touches = 0;
  struct SideRange {
    int touch = -1;             // index into touches; -1: does not move
    int u_offset = 0, n_u = 0;  // columns, in the block
    int n_q = 0;
    int body = 0;
  };
  std::array<SideRange, 2> sides;

  // At the iterate.
  ContactLevel level = ContactLevel::open;
  bool evaluated = false;           // W and what follows are up to date
  bool stick = false;               // xi_F = 0: in D_st
  bool stick_acceleration = false;  // gamma_dot_F = 0: in E_st
  bool choice = false;              // Painleve: the rule opened it on acceleration level
  bool chosen = false;              // Painleve: another solution of the step was set aside
  Held held = Held::no;
  RoundOff round_off;                                 // of g, xi and gamma_dot
  double mean_normal = 0.0;                           // [1/kg] G_NN
  double norm_friction = 0.0;                         // [1/kg] bound of the largest eigenvalue of G_FF
  double friction_size = 0.0;                         // [N s] |y|
  double friction_size_acceleration = 0.0;            // [N] |r gamma_dot_F - lambda_F|, or |gamma_F| / r while sliding
  std::array<double, kMaxElementDim> gap = {};        // (n_pos) [m]
  std::array<double, kMaxElementDim> xi = {};         // (dim) [m/s] gamma + e gamma_start
  std::array<double, kMaxElementDim> gamma_dot = {};  // (dim) [m/s^2]
  std::array<double, kMaxElementDim> zeta = {};       // (dim) [m/s^2] gamma_dot = W^T a + zeta
  std::array<double, kMaxElementDim> gamma_start = {};  // (dim) [m/s] where e > 0, else zero
  std::array<double, kMaxElementDim> diagonal = {};     // (dim) [1/kg] of W^T M^-1 W
  std::array<double, kMaxFrictionDim> coupling = {};    // (n_F) [1/kg] G_NF
  Stretch stretch;                                      // S, of the friction rows; none: tau = 0
  double slip_size = 0.0;                               // [N s] |S^-1 y|, y = r S xi_F - P_F
  std::array<double, kMaxFrictionDim> direction = {};   // (n_F) [-] y / |y|: minus that of P_F in sliding
  std::array<double, kMaxFrictionDim> slip = {};        // (n_F) [-] S^-1 y / |S^-1 y|: minus that of lambda_F
  std::array<double, kMaxFrictionDim> direction_acceleration = {};  // (n_F) [-] on acceleration level
  bool has_rows = false;     // contacts: whether ContactRows serve, and not geometry
  ContactGeometry geometry;  // contacts

  /// Angle rows become lengths by the lever 1 / sqrt(G m). [m, 1]
  double lever(int row) const {
    const bool known = diagonal[row] > 0.0;  // not yet where it is open
    return row < dim - n_angle_rows || !known ? 1.0 : 1.0 / std::sqrt(diagonal[row] * mass);
  }
  int n_friction() const { return kind == Kind::contact ? dim - 1 : dim; }
  int first_friction() const { return kind == Kind::contact ? 1 : 0; }
  /// Identifies the index sets of this element.
  std::uint32_t signature() const {
    return static_cast<std::uint32_t>(level) * 4 + (stick ? 2u : 0u) + (stick_acceleration ? 1u : 0u);
  }
};

/// The unknowns x of a step [Capobianco2021 eq. 126].
struct StepUnknowns {
  Vector a, U, Q;                // (n_u) [m/s^2], [m/s], [m] and angles
  Vector kappa, Lambda, lambda;  // (n_pos) [kg m], (n_rows) [N s], (n_rows) [N]
};

/// The equations of one step: what follows from the unknowns, the index sets, the residual.
///
/// Residuals are lengths: each block of R1, R2, R3 by body as sqrt(R^T M^-1 R / m) times dt^2, dt, 1; g, dt xi,
/// dt^2 gamma_dot; multipliers that should vanish times G, dt G, dt^2 G. They are divided by
///   tolerance * way,  way = dt |u| + fall    on position and velocity level,
///   tolerance * fall, fall = dt^2 max(|a|, |M^-1 h|)         on acceleration level,
/// of the body, or of that of a contact's or joint's two bodies which moves more, plus what round-off makes of the
/// residual (RoundOff), so that error() <= 1 means solved. What one body does says nothing about another's tolerance,
/// and units play no part.
class GeneralizedAlphaStep {
 public:
  GeneralizedAlphaStep(const GeneralizedAlphaOptions& options, const System& system, StopToken stop = {});

  // --- the layout: fixed but for the elements of detected contacts, which stand last and are those of the step.
  // Vectors of n_rows and n_pos may be longer, so that they seldom grow.
  const System& system;
  /// Asked by whatever visits all elements, which throws Interrupted where it is raised, and by the methods that solve.
  const StopToken stop;
  const GeneralizedAlphaWeights weights;
  std::vector<VelocityBlock> blocks;
  ContactFinder contacts;
  std::vector<StepElement> elements;
  std::vector<ForceBlock> force_blocks;
  int n_rows = 0, n_pos = 0;

  const ContactPoint& point(const StepElement& contact) const { return contacts.points()[contact.index]; }

  // --- the step
  StepUnknowns x;
  double tie = 0.0;               // [-] velocity level: answers off by so many tolerances are kept as they were last
  double r_scale = 1.0;           // [-] of the prox parameters
  bool holds = true;              // whether elements are what they are held to be
  Inputs inputs;                  // constant in the step
  double h = 0.0;                 // [s]
  double t_end = 0.0;             // [s]
  Vector u, v, q;                 // (n_u), (n_u), (n_q) at the iterate: u', q' = q_known + B v
  Vector force;                   // (n_u) [N, N m] h(t', q', u')
  Vector r1, r2, r3;              // (n_u) residuals of (127), in N, N s, kg m
  Vector P;                       // (n_rows) [N s]
  Vector kappa_hat;               // (n_pos) [kg m]
  std::vector<double> W;          // W^T, rows (dim, n_u of the block) of each touch
  std::vector<double> MinvW;      // M^-1 W, likewise
  std::vector<BodyScale> scales;  // by body
  Vector coordinate_round_off;    // (n_u) [m, rad] of the coordinates, in terms of velocities
  double way = 0.0, fall = 0.0;   // [m] the largest of all bodies
  /// [m/s] Iterates that move bodies faster than the speeds at the start values explain are no answers of a step that
  /// is not solved; see is_explained().
  double fastest = std::numeric_limits<double>::infinity();

  /// Friction in an impact opposes the slip at its end, as published: drops the stretches of contacts whose impulse
  /// Lambda_N is above what the normal force of the start of the step gives in it. Whether there were some.
  bool drop_stretches();
  /// The size of State::memory: a, abar (n_u), lambda, lambdabar (fixed rows), and twice the a (n_u) and lambda from
  /// which the next start values are extrapolated, of the step before and of the one before that; how many of these two
  /// lie on one smooth motion; a hash of what is closed, sticks and slides (53 bits, a whole number), and the length of
  /// the last step, 0: nothing from before this instant is remembered. Of detected contacts State::contacts has the
  /// same but for the last pair.
  int memory_size() const { return 4 * system.n_u() + 4 * n_fixed_rows_ + 3; }
  /// Writes all of it, at the start of a run: a and lambda, with no history.
  void start_memory(State& state) const;
  /// After a step; `smooth`: a and lambda go on smoothly from the last two steps.
  void save_memory(State& state, bool smooth) const;
  /// Makes the memory that of steps `ratio` times as long, see GeneralizedAlphaEstimate.
  void rescale_memory(State& state, double ratio) const;
  /// Adds x.a and x.lambda to all accelerations and forces in it: a jump at the instant of the state, as inputs make.
  void move_memory(State& state) const;
  /// abar = a, lambdabar = lambda, as at the start of a run: what they remember is of another motion.
  void forget_past(State& state) const;
  double remembered_step(const State& state) const { return state.memory(memory_size() - 1); }  // [s]
  double remembered_sets(const State& state) const { return state.memory(memory_size() - 2); }  // [-]
  /// Values before the last that continue smoothly in it: 2 at most. [-]
  double remembered_history(const State& state) const { return state.memory(memory_size() - 3); }
  /// The accelerations of the step before the last. (n_u) [m/s^2]
  auto remembered_accelerations(const State& state) const {
    return state.memory.segment(2 * (system.n_u() + n_fixed_rows_), system.n_u());
  }
  /// A hash of the contacts that are closed and of what sticks, as remembered. [-]
  double closed_sets() const;

  /// Sets out from a state: the contacts of the step, predictors, velocities before the step, and the starting values
  /// of x. `again`: with the contacts that `contacts` has been extended by.
  void begin(const State& state, double h, double t_end, bool again = false);
  /// Adds contacts to `contacts` that overlap at the end of the step and that were not foreseen. Whether there are
  /// some.
  bool meets_others();
  /// x = (a, 0, 0, 0, 0, lambda) with a and lambda of the state, or continued from the last steps: by a parabola where
  /// the last three lie on one smooth motion, else by a line.
  void set_start_values(const State& state, bool extrapolate);
  /// a and lambda at the instant of a state, in x, and which contacts are closed and stick or slide there: what a run
  /// starts from. False where none were found: Painleve's paradox can leave an instant without accelerations; the
  /// contacts then act from the first step on, by percussions, and the start says nothing of their forces.
  bool solve_start(const State& state, Instant& instant);
  /// The same, but contacts that slide stick if their friction as remembered stops them within a step; false where
  /// there are none, or no solution.
  bool settle_start(const State& state, double step, Instant& instant);
  /// The rows of joints alone at the instant of a state.
  void set_joints(const State& state);
  /// Whether a contact of A is in B and whether it sticks, by the outcome (xi, P) (dim) of a velocity level.
  void classify_percussion(StepElement& e, const double* xi, const double* percussion);
  /// Everything at x. Multipliers that the index sets exclude are set to zero in x. Returns error().
  double evaluate();
  /// error() and merit() again, with other round-off.
  void measure();
  /// What error() divides the residuals of an element by. [m]
  double tolerance_position(const StepElement& e) const;
  double tolerance_velocity(const StepElement& e) const;
  double tolerance_acceleration(const StepElement& e) const;
  /// The way of that of its two bodies that goes farther. [m]
  double element_way(const StepElement& e) const;
  /// Round-off as it is before derivatives are known, for an iterate that does not come from the last.
  void forget_round_off();
  /// The most that round-off may add to them, of a body. [m]
  double largest_round_off(int body) const;
  /// The smooth equations alone, at x with the contacts' multipliers held as they are: kinematics, R1 to R3, joints.
  /// Contacts are marked open, so that no method moves their multipliers. Returns error() of these equations.
  double evaluate_held();
  /// The largest residual over its tolerance, <= 1: solved.
  double error() const { return error_; }
  /// The root of the sum of squares of the elements' residuals over their tolerances: what a line search lowers.
  double merit() const { return merit_; }

  /// Lambda from P, kappa from kappa_hat, where lambda changes as well.
  double known_P(int row) const { return known_P_(row); }
  double known_kappa(int row) const { return known_kappa_(row); }
  double gamma_step() const { return h * weights.gamma_prime; }    // [s] dt gamma'
  double beta_step() const { return h * h * weights.beta_prime; }  // [s^2] dt^2 beta'
  /// B(q) of the start of the step times x, for the block's rows of v: q += B x.
  void add_coordinate_map(const Vector& x, Vector& q) const;
  const Vector& q_start() const { return q_start_; }
  /// Index of the velocity block of a body, -1 where it does not move.
  int block_of(int body) const { return block_of_body_[body]; }

  double r_normal(const StepElement& e) const;    // [kg]
  double r_friction(const StepElement& e) const;  // [kg]
  /// Radius of the friction ball on velocity level [N s] and on acceleration level [N].
  double friction_radius(const StepElement& e, double normal_percussion) const;
  double friction_radius_acceleration(const StepElement& e, double normal_force) const;
  /// sqrt(y^T M y / m) of a body, and the largest over the bodies: of velocities y, those of the bodies' points.
  double measure_motion(int body, const Eigen::Ref<const Vector>& y) const;
  double measure_motion(const Eigen::Ref<const Vector>& y) const;
  /// Gives bodies the motion that belongs to the multipliers. Index sets exclude multipliers once bodies have moved by
  /// them, and where none fit, as in a step without a solution, what they have moved stays: a jump of velocities that
  /// nothing made.
  void balance();
  /// Sets `fastest` by the iterate, which must be evaluated: that of the start values.
  void set_fastest();
  bool is_finite() const;
  bool is_explained() const { return measure_motion(u) <= fastest; }
  /// A hash of all index sets.
  std::uint64_t signature() const;
  /// Contacts for which the laws left a choice.
  int count_choices() const;
  /// Whether the step may have several solutions because of a contact that slid before it: its normal force or
  /// percussion hardly pushes it apart, or even pulls, by way of the friction that comes with it: A <= near G_NN.
  bool could_choose(const StepElement& e, const State& state, double near);
  /// Marks contacts that have opened where a force or percussion could as well have held them.
  void mark_opened(const State& state);
  /// Makes W, M^-1 W and the diagonal of an element at (t', q'); its geometry must be set.
  void calc_directions(StepElement& e, double t, const Vector& coordinates);
  /// gamma (dim) of an element at its geometry.
  void calc_velocity(const StepElement& e, double t, const Vector& q, const Vector& u, double* gamma) const;
  /// Makes zeta, at the directions and the velocities that calc_rates found.
  void calc_acceleration_bias(StepElement& e);
  /// tau (dim) in gamma = W^T u + tau at any (t, q); false, and zero, where no prescribed motion is on either side.
  bool calc_prescribed_velocity(const StepElement& e, double t, const Vector& q, double* tau) const;
  /// W^T y of an element, y a vector of the system. (dim)
  void multiply_transposed(const StepElement& e, const Vector& y, double* result) const;
  /// y += W p. p (dim)
  void add_force(const StepElement& e, const double* p, Vector& y) const;
  /// y += M^-1 W p.
  void add_response(const StepElement& e, const double* p, Vector& y) const;
  const GeneralizedAlphaOptions& options() const { return options_; }

 private:
  void make_blocks();
  void make_elements();
  void make_detected_elements();
  void resize_rows();
  void add_contact(int index);
  void load_memory(const State& state);
  void add_element(StepElement element, const DofRange& first, const DofRange& second);
  void close_until(StepElement& e, ContactLevel level);
  void classify_contact(StepElement& e);
  double calc_tie(const StepElement& e, bool was) const;
  void set_stretch(StepElement& e, const State& state);
  void classify_friction(StepElement& e);
  void classify_friction_acceleration(StepElement& e);
  void open_by_choice(StepElement& e);
  void calc_start_velocity(StepElement& e, const State& state, double* gamma);
  double calc_normal_response(const StepElement& e) const;
  double calc_coupling(const StepElement& e, int row_e, const StepElement& f, int row_f) const;
  void calc_gap(StepElement& e);
  void calc_rates(StepElement& e);
  void calc_contact_rates(StepElement& e);
  void calc_joint_rates(StepElement& e);
  void calc_responses(StepElement& e);
  void calc_accelerations(StepElement& e);
  void calc_coordinates();
  void calc_multipliers(const StepElement& e);
  void calc_residuals();
  void evaluate_constraint(StepElement& e);
  double calc_balance(std::size_t body, const Vector& residual);
  void measure_balances();
  void take_instant(const State& state, Instant& instant);
  void set_instant(const Instant& instant);
  std::size_t find_element(ConstraintSet::Kind kind, int index) const;
  void calc_start_scales(const State& state, const Eigen::Ref<const Vector>& a);
  void calc_scales();
  void limit_scales();
  double element_fall(const StepElement& e) const;
  double row_round_off(const StepElement& e, int row) const;
  double measure_element(const StepElement& e) const;
  double measure_joint(const StepElement& e) const;

  const GeneralizedAlphaOptions options_;
  std::vector<int> block_of_body_;  // (n bodies) -1: does not move
  std::size_t n_fixed_elements_ = 0;
  int n_fixed_rows_ = 0, n_fixed_pos_ = 0;
  std::size_t n_fixed_values_ = 0;                // of W
  std::vector<ElementId> keep_;                   // contacts that the step has in any case
  Vector start_lambda_, start_bar_, start_last_;  // (n_rows) [N] of the state
  Vector q_start_, q_known_, u_known_;            // predictors without a', U, Q
  Vector known_P_, known_kappa_;                  // predictors of P and kappa_hat without Lambda, kappa, lambda'
  Vector work_, start_a_;                         // (n_u)
  JointRows joint_rows_;
  ContactRows contact_rows_;  // of the contact that calc_gap was last asked for
  Vector solved_force_;       // (n_u) M^-1 h
  Vector no_velocity_;        // (n_u) zero
  BodySnapshot snapshot_;     // where contacts are looked for
  double longest_way_ = 0.0;  // [m] limit of the scales
  double error_ = 0.0;
  double merit_ = 0.0;
};

}  // namespace stickslip
