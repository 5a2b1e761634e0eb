// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/scheme_traits.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// How the equations of a step are solved.
enum class GeneralizedAlphaStrategy {
  newton,       // semismooth Newton on the condensed equations, nested cone problems where it fails
  fixed_point,  // the fixed-point iteration of the paper [Capobianco2021 eqs. 144-146], for comparison
};

/// What a percussion of friction opposes in sliding, see docs/generalized-alpha.md.
enum class GeneralizedAlphaFriction {
  published,     // the slip at the end of the step (138): order one where its direction turns
  second_order,  // that slip stretched along the slip at the start
};

/// The nonsmooth generalized-alpha scheme [Capobianco2021]: second order where the motion is smooth, impacts and
/// Coulomb friction as normal cone inclusions, and the constraints held on position, velocity and acceleration
/// level at the end of each step, so that nothing penetrates or drifts. With the unknowns of one step
///   a (accelerations), U, Q (velocity and position jumps), kappa, Lambda, lambda (multipliers on three levels)
/// and, for x in {a, lambda}, the auxiliary xbar' = (af x + (1 - af) x' - am xbar) / (1 - am)   (71), (96), (114):
///   u' = u + dt [(1 - gamma) abar + gamma abar'] + U                                              (73)
///   q' = q + dt q_dot + dt^2/2 q_ddot(q, u, (1 - 2 beta) abar + 2 beta abar') + B(q) Q            (125)
///   P  = Lambda + dt [(1 - gamma) lambdabar + gamma lambdabar']                                   (95), (113)
///   kappa_hat = kappa + dt^2/2 [(1 - 2 beta) lambdabar + 2 beta lambdabar']                       (102)
///   M a = h + W lambda,   M U = W Lambda,   M Q = W_N kappa_N + W_g kappa_g + dt/2 (W_F Lambda_F + ...)   (127)
/// and Signorini's and Coulomb's law between (g, kappa_hat), (xi, P), (gamma_dot, lambda)          (129)-(142).
///
/// Where we deviate, and why:
///   - Friction directions in sliding come from the argument of the prox function and not from xi / |xi|, which is
///     noise at the transition from stick to slip and makes Newton's method cycle.
///   - Each iterate starts with U = Q = kappa = Lambda = 0; only a and lambda are kept from the last step. Stale
///     impulses would be applied again in steps that are accepted at once.
///   - r is chosen per contact from the diagonal of the Delassus matrix, r = 0.6 / G.
///   - Residuals are measured as lengths: M^-1-scaled, times dt^2, dt, 1 by level, and compared with what their bodies
///     move in the step and what round-off leaves, so that the tolerance means the same everywhere. See Measure.
///   - In xi the velocity before the step is taken at (t, q), as the authors' package does.
///   - Where the laws leave a choice (a sliding contact whose normal force makes its own acceleration negative,
///     A = W_N^T M^-1 (W_N - mu W_F n) <= 0 with joints and other closed contacts holding, Painleve's paradox), for the
///     forces and for the percussions of a step: it opens; if that is no solution, it slides on; only if that is none
///     either, it stops by an impact. StepReport::choices counts such contacts.
///   - Friction that would stop a sliding contact within the first step is not in the forces that a run starts from.
///   - A step that does not resolve a spring or damper is backward Euler, for all forces: the first of a run, and later
///     ones that would make energy. See docs/generalized-alpha.md.
///   - Forces of joints in loops, and of contacts with them, that nothing determines are those of least norm at the end
///     of each step: UndeterminedForces.
///   - With many contacts the levels are solved one by one, as nested cone problems, and Newton's method comes second.
///   - Friction of second order, an option: P_F opposes S xi_F, S = I + tau n n^T with the slip direction n before the
///     step.
///   - Index sets can have no solution where friction percussions, by dt/2 W_F Lambda_F in (127), lift a contact off
///     that without them is closed. A step that is not solved is made in two halves, and these again, to a sixteenth,
///     among many contacts to a 256th: StepReport::parts. See docs/generalized-alpha.md.
struct GeneralizedAlphaOptions {
  static constexpr SchemeTraits kTraits = {.name = "generalized-alpha",
                                           .meaning =
                                               "nonsmooth generalized-alpha, second order, no penetration and no drift "
                                               "(else default with joints) [Capobianco2021]",
                                           .order = 2,
                                           .holds_positions = true,
                                           .automatic_steps = true};

  double rho_inf = 0.5;      // [-] in [0, 1]: spectral radius at infinite frequency, 1: no numerical damping
  double tolerance = 1e-10;  // [-] > 0: residual as a length, relative to the displacement in the step
  std::optional<double> r =
      std::nullopt;  // [kg] > 0: parameter of all prox functions; absent: from the Delassus diagonal
  GeneralizedAlphaStrategy strategy = GeneralizedAlphaStrategy::newton;
  GeneralizedAlphaFriction friction = GeneralizedAlphaFriction::published;
  /// Which forces and percussions contacts get where the laws leave them open. Those of joints, and of contacts in
  /// loops with joints, are of least norm in any case (UndeterminedForces).
  ForceChoice contact_forces = ForceChoice::any;
  bool operator==(const GeneralizedAlphaOptions&) const = default;
  void check() const;  // throws InputError
};

/// system and solver must outlive the stepper. Throws InputError when the options do not check.
std::unique_ptr<TimeStepper> make_generalized_alpha(const GeneralizedAlphaOptions& options, const System& system,
                                                    ConeSolver& solver, StopToken stop = {});

}  // namespace stickslip
