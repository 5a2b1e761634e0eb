// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "stickslip/cone/stretch.h"
#include "stickslip/constraints/adhesion.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/element_rows.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/generalized_alpha/generalized_alpha.h"
#include "stickslip/stepping/generalized_alpha/measure.h"
#include "stickslip/stepping/generalized_alpha/weights.h"

namespace stickslip::generalized_alpha {

/// In smooth motion the velocity jump U of a step, over h |a|, and impulses, over percussions, are O(h^2); in an impact
/// they are of the size of one or more. With zero smooth motion takes more than one Newton step; with 1e30 the ledger
/// misses impacts.
inline constexpr double kImpulsive = 0.1;  // [-]

/// A hash of words, one after the other: steps of FNV-1a with words for bytes, from a start of its own. It is in what
/// states remember.
class SetHash {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 1099511628211u; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 1469598103934665603u;
};

/// On which of its levels a contact is closed, the nested sets of [Capobianco2021 eqs. 130-141].
enum class Level : std::uint8_t {
  open = 0,          // not in A (130): kappa_hat = 0, P = 0 (131, 137), lambda = 0 (134)
  position = 1,      // in A, not in B (133): g = 0 (129), P = 0 (132), lambda = 0 (134)
  velocity = 2,      // in B, not in C (136): xi_N = 0 (132), lambda = 0 (135)
  acceleration = 3,  // in C: g_ddot = 0 (135)
};

/// Which of several solutions of a step a contact is asked for, see Painleve.
enum class Branch : std::uint8_t { any, open, sliding, stopped };

/// A friction set at the iterate: its index sets and how far the arguments of its prox functions reach.
struct FrictionState {
  bool stick = false;               // xi_F = 0: in D_st (139)
  bool stick_acceleration = false;  // gamma_dot_F = 0: in E_st (141)
  Stretch stretch;                  // S; none: tau = 0
  double size = 0.0;                // [N s] |y|, y = r S xi_F - P_F
  double slip_size = 0.0;           // [N s] |S^-1 y|
  double size_acceleration = 0.0;   // [N] |r gamma_dot_F - lambda_F|, or |gamma_F| / r in sliding
};

/// A contact, joint or dry friction with its index sets and the arguments of its prox functions at the iterate.
struct StepElement : ConstraintElement {
  StepElement() = default;
  explicit StepElement(const ConstraintElement& e)
      : ConstraintElement(e), level(e.kind == Kind::contact ? Level::open : Level::acceleration) {}

  Level level = Level::open;
  std::array<FrictionState, kMaxFrictionSets> states;  // (n_sets) of friction
  bool opened_by_choice = false;                       // on acceleration level, where a force could have held it
  bool has_choice = false;                             // another solution of the step was set aside
  Branch branch = Branch::any;
  RoundOff round_off;                                   // of g, xi and gamma_dot
  std::array<double, kMaxElementDim> xi = {};           // (dim) [m/s] gamma + gamma_start
  std::array<double, kMaxElementDim> gamma_start = {};  // (dim) [m/s] e gamma(t', q', u)
  // Of the friction rows, by row: in each set
  std::array<double, kMaxElementDim> direction = {};  // (dim) [-] y / |y|: minus that of P_F in sliding
  std::array<double, kMaxElementDim> slip = {};       // (dim) [-] S^-1 y / |S^-1 y|: minus that of lambda_F
  std::array<double, kMaxElementDim> direction_acceleration = {};  // (dim) [-] on acceleration level

  bool sticks(int set = 0) const { return states[set].stick; }
  /// Whether a set slides that has friction.
  bool has_sliding_friction(int set) const { return !states[set].stick && friction_of(set) > 0.0; }
  bool has_sliding_friction() const {
    for (int s = 0; s < n_sets; ++s) {
      if (has_sliding_friction(s)) return true;
    }
    return false;
  }
  bool sticks_wholly() const {
    for (int s = 0; s < n_sets; ++s) {
      if (!states[s].stick) return false;
    }
    return true;
  }
  /// Identifies the index sets of this element.
  std::uint32_t signature() const {
    auto word = static_cast<std::uint32_t>(level);
    for (int s = 0; s < std::max(n_sets, 1); ++s) {
      word = word * 4 + (states[s].stick ? 2u : 0u) + (states[s].stick_acceleration ? 1u : 0u);
    }
    return word;
  }
};

/// The unknowns x of a step [Capobianco2021 eq. 126].
struct Unknowns {
  Vector a, U, Q;                // (n_u) [m/s^2], [m/s], [m] and angles
  Vector kappa, Lambda, lambda;  // (n_pos) [kg m], (n_rows) [N s], (n_rows) [N]
};

/// A step at an iterate: plain data. equations.h fills in what follows from x, index_sets.h the sets, Measure says how
/// near to a solution it is; methods move x. Vectors over rows may be longer than there are rows, so that they seldom
/// grow.
struct Step {
  Step(const GeneralizedAlphaOptions& options, const System& system, StopToken stop);
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  const System& system;
  const GeneralizedAlphaOptions options;
  Weights weights;  // of this step
  /// Asked by whatever visits all elements, which throws Interrupted where it is raised, and by the methods that solve.
  const StopToken stop;
  ContactFinder contacts;
  ElementRows rows;
  Adhesion adhesion;
  std::vector<StepElement> elements;  // named contacts, dry friction, joints, and last the detected contacts
  std::size_t n_fixed = 0;            // elements but for detected contacts

  // --- known before the step
  BodySnapshot snapshot;                              // where contacts were looked for last
  std::vector<ElementId> kept_contacts;               // that the step has in any case
  std::vector<ElementId> turned;                      // contacts with kinetic friction that have the other one instead
  Inputs inputs;                                      // constant in the step
  double h = 0.0, t_start = 0.0, t_end = 0.0;         // [s]
  Vector start_lambda, start_lambda_bar, start_last;  // (n_rows) [N] lambda, lambdabar and the lambda before that
  Vector q_start, u_start;                            // (n_q), (n_u) of the state before the step
  Vector adhesive_start, adhesive;                    // (n_u) [N, N m] of adhesion at the start and, foreseen, the end
  Vector q_known, u_known;                            // (125) and (73) without a', U, Q
  Vector known_P, known_kappa;                        // (95), (113) and (102) without lambda', Lambda, kappa
  double gamma_step() const { return h * weights.gamma_prime; }    // [s] dt gamma': d u' / d a', d P / d lambda'
  double beta_step() const { return h * h * weights.beta_prime; }  // [s^2] dt^2 beta'

  // --- at the iterate
  Unknowns x;
  Vector u, v, q;     // (n_u), (n_u), (n_q) u', q' = q_known + B v
  Vector force;       // (n_u) [N, N m] h(t', q', u')
  Vector P;           // (n_rows) [N s]
  Vector kappa_hat;   // (n_pos) [kg m]
  Vector r1, r2, r3;  // (n_u) residuals of (127), in N, N s, kg m
  Measure measure;

  // --- what it may cost
  /// [-] Spent on the step, with all its parts and tries: n^2 for a linear system of Newton's method on n rows, and
  /// Nested::kWorkOfRow n for an iteration of the cone solver. Counted, not measured: the same on every machine.
  double work = 0.0;
  double most_work = std::numeric_limits<double>::infinity();  // [-] after which it is settled
  bool is_spent() const { return work > most_work; }
  /// For one call of Newton's method or of the cone solver, so that none takes all: Newton's method cycles on redundant
  /// contacts, and problems without a solution take the cone solver thousands of iterations. With a larger share the
  /// slowest steps take longer; without, the methods that come next have nothing left.
  double most_work_of_a_call() const {
    constexpr double kShareOfWork = 0.35;  // [-]
    return kShareOfWork * most_work;
  }

  bool follows_branches = true;  // whether contacts take the branches that they are asked for
};

/// Brings the elements of a step back as they were, whatever happens.
class KeptElements {
 public:
  explicit KeptElements(Step& step) : step_(step), n_fixed_(step.n_fixed), elements_(step.elements) {}
  KeptElements(const KeptElements&) = delete;
  KeptElements& operator=(const KeptElements&) = delete;
  ~KeptElements() {
    step_.n_fixed = n_fixed_;
    step_.elements.swap(elements_);
  }

 private:
  Step& step_;
  const std::size_t n_fixed_;
  std::vector<StepElement> elements_;
};

/// Sets out from a state: the contacts of the step, what is known before it, and the start values of x. `again`: with
/// the contacts that `contacts` has been extended by.
void begin(Step& step, const State& state, double h, double t_end, bool again = false);
/// Adds contacts to `contacts` that overlap at the end of the step and that were not foreseen. Whether there are some.
bool meets_others(Step& step);
/// Contacts that began the step with kinetic friction and that have stopped or turned back at the iterate get the
/// friction of what sticks from now on, in `turned`. Whether there are any: then the step is to be made again.
bool restore_static_friction(Step& step);
/// The instant of a state instead of the end of a step, with the contacts that touch there.
const BodySnapshot& set_to_instant(Step& step, const State& state);

}  // namespace stickslip::generalized_alpha
