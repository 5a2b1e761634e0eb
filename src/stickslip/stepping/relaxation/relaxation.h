// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/scheme_traits.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// How the inclusion (65) is solved in each evaluation [Kikuuwe2017, section 4.5].
enum class RelaxationInclusion : int {
  exact,       // (73): exact Coulomb friction, by the solver
  facets,      // polygons in the place of discs, by the solver
  associated,  // (78), (79): without De Saxce's term, by the solver
  clip,        // (80): bilateral forces, each contact's clipped by itself
  clip_axis,   // the same with each friction direction by itself
};
/// Their names in scene files, in order.
inline constexpr std::array<std::string_view, 5> kInclusionNames = {"exact", "facets", "associated", "clip",
                                                                    "clip-axis"};
enum class RelaxationIntegrator : int { rk4, symplectic_euler, arkode_explicit, arkode_implicit, cvode };
/// Likewise.
inline constexpr std::array<std::string_view, 5> kRelaxationIntegratorNames = {
    "rk4", "symplectic-euler", "arkode-explicit", "arkode-implicit", "cvode"};
enum class RelaxationModel : int {
  baumgarte,  // (64)
  penalty,    // (83), (84), (92), (93)
};
enum class RelaxationForm : int {
  ode,       // (39), (64), integrated
  implicit,  // (70): delta is the step, zeta 1/2
};

/// Baumgarte-like relaxation of contacts, joints and friction [Kikuuwe2017]: with Psi_p the gaps of contacts and what
/// joints are off by, J the directions of all rows, and forces lambda,
///
///   M u' = h(t, q, u) + J^T lambda,   q' = B(q) u                                      (39)
///   eta = J u' + J' u + (2 zeta/delta) J u + [0; Psi_p]/delta^2,   eta in -N_C(lambda)     (64)
///
/// where Psi_p stands in the rows of gaps and of joints that positions obey, and C is the product of friction cones,
/// of balls of dry friction and of all of R for joints. With u' eliminated that is the inclusion (65), the cone problem
///   eta = A lambda - b,   K* contains eta + s(eta) perpendicular to lambda in K,   A = J M^-1 J^T,
/// on accelerations [m/s^2] and forces [N], at each evaluation of an ordinary differential equation in (q, u).
/// Prescribed motions enter J u, J' u and Psi_p with their rates.
///
/// What it does to the laws: contacts give way by up to about delta times the speed of an impact, and bounce with
/// e(zeta), (104), whatever restitution is wanted, which is refused; what slides comes to rest with a time constant
/// delta / (2 zeta). What rests holds exactly.
///
/// When a contact begins. As printed (gate = false) lambda_N > 0 where the left-hand side is negative without it, at
/// gaps up to 2 zeta delta times the speed of approach: then what comes from free flight bounces by less than (104).
/// Gated, a contact takes part from the instant at which its gap reaches zero, to which steps are divided, until
/// lambda_N is zero with an open gap; State::warm has an entry for each contact that takes part.
///
/// form = implicit: one step u' = u + h M^-1 (h + J^T lambda), q' = q + h B u' with lambda of (70), which is (65) with
/// delta = h and zeta = 1/2, never gated. J' u is part of it.
///
/// model = penalty, what the paper compares with: springs and dampers K, D = K beta in the place of the rows of
/// contacts and dry friction, with a deflection e of each row of friction as a state:
///
///   lambda_F = P(K e - D gamma_F),  e' = (lambda_F - K e) / D,   P on the friction set    (83), (84); (92), (93)
///   lambda_N = max(0, -K g_N - D gamma_N)
///
/// which does not depend on M and needs no inclusion. (84) as printed is no differential equation in its unilateral
/// row; the second line is e_N = -g_N while something is borne, and nothing left of it when that ends. Joints are as
/// above. In State::warm friction has e [m] in the place of its forces.
///
/// rk4 and symplectic-euler are bound to steps of the order of delta, see longest_step(). Under the integrators of
/// SUNDIALS (SundialsIntegrator) a step is the distance of outputs: they choose steps of their own, to tolerances,
/// locate the instants at which gates switch, on and off, and begin anew there and at each step.
struct RelaxationOptions {
  static constexpr SchemeTraits kTraits = {
      .name = "relaxation",
      .meaning = "Baumgarte-like relaxation of contacts and joints, an ordinary differential equation [Kikuuwe2017]",
      .order = 4,
      .holds_positions = false,
      .automatic_steps = false,
      .relaxed = true};

  double delta = 1e-3;  // [s] > 0
  double zeta = 1.0;    // [-] >= 0
  RelaxationInclusion inclusion = RelaxationInclusion::exact;
  int facets = 8;            // [-] >= 3, of RelaxationInclusion::facets
  double orientation = 0.0;  // [rad] finite: angle of the first facet from the first tangent
  RelaxationIntegrator integrator = RelaxationIntegrator::rk4;
  double relative_tolerance = 1e-9;   // [-] in [1e-14, 1e-3]: of local errors, of the integrators of SUNDIALS
  double absolute_tolerance = 1e-12;  // [m, m/s, rad, rad/s] in (0, 1e-3]: added to it
  bool gate = true;                   // of RelaxationForm::ode
  RelaxationForm form = RelaxationForm::ode;
  RelaxationModel model = RelaxationModel::baumgarte;
  double stiffness = 0.0;                 // [N/m] > 0: K of RelaxationModel::penalty
  double damping = 0.0;                   // [N s/m] > 0: D likewise
  ForceChoice forces = ForceChoice::any;  // for whoever makes the solver
  bool operator==(const RelaxationOptions&) const = default;
  void check() const;  // throws InputError
  /// Whether the integrator is one of SUNDIALS.
  bool controls_errors() const {
    return form == RelaxationForm::ode && integrator >= RelaxationIntegrator::arkode_explicit;
  }
  /// Whether that solves for the end of a step.
  bool is_implicit() const { return controls_errors() && integrator != RelaxationIntegrator::arkode_explicit; }

  /// Beyond it the integrator makes the relaxed rows grow, whatever they constrain. The largest rate of these is 2
  /// zeta/delta of velocities, or of size 1/delta where zeta < 1/2. rk4: 2.6 over it, as half a disc of that radius is
  /// within its region of stability. symplectic-euler: 1/zeta, and 2 (sqrt(zeta^2 + 1) - zeta) deltas from the
  /// characteristic polynomial of its step on (96). Infinite for the implicit form, for the integrators of SUNDIALS,
  /// and for the penalty model, which bounds joints alone so: what springs allow depends on masses. [s]
  double longest_step() const;
  /// The same of joints.
  double longest_step_of_joints() const;
};

/// system and solver must outlive the stepper. Throws InputError when the options do not check, when a contact has
/// restitution, or friction that no polygon can stand for where facets are asked for.
std::unique_ptr<TimeStepper> make_relaxation(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                                             StopToken stop = {});

}  // namespace stickslip
