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

/// What is done where impacts accumulate: their number in a finite time has no bound.
enum class ZenoRule : int {
  cross = 0,  // what would bounce on within zeno_time stays in contact
  stop = 1,   // the step fails and says so
};

/// What integrates smooth motion.
enum class EventIntegrator : int {
  dormand_prince,   // RungeKutta
  arkode_explicit,  // the same pair by SUNDIALS
  cvode,            // for stiff motion
};
/// Their names in scene files, in order.
inline constexpr std::array<std::string_view, 3> kEventIntegratorNames = {"dormand-prince", "arkode-explicit", "cvode"};

/// Integration from event to event: between them the motion is smooth, and is found to tolerances, whatever the length
/// of a step, which is the distance of outputs alone.
///
/// In a smooth phase it is known which contacts are closed, and which of these and of the dry frictions slide. With W_A
/// the directions that are held (joints, closed contacts along their normals, what sticks in all its directions) and
/// lambda_A what holds them,
///
///   M u' = h(t, q, u) + W lambda,   W_A^T u' + zeta_A = 0,   q' = B(q) u         (24), (19) [Trinkle2003]
///   lambda_F = -mu lambda_N n,  n = gamma_F / |gamma_F|   of contacts that slide         (17)
///   lambda = -bound n                                     of dry frictions that slide    (18)
///
/// an ordinary differential equation in (q, u), integrated by a Runge-Kutta method with an error estimate
/// (RungeKutta), or by one of SUNDIALS (SundialsIntegrator). A phase ends at the first zero of one of
///
///   gap                  of an open contact: it closes
///   lambda_N             of a closed one: it lifts off                                         (20), (21)
///   mu lambda_N - |lambda_F|, bound - |lambda|   of what sticks: it begins to slide            (22), (23)
///   gamma_F . n          of what slides: it stops
///   (d_k - d_j) . gamma_F   of a polygon's corner d_j: the velocity is normal to the edge towards d_k
///   mu lambda_N sin(pi / facets) - |lambda along the edge|   of an edge: it leaves it
///
/// and the next one begins with an impact where a contact closes, by Newton's law with the coefficients of restitution,
/// and with the acceleration-level problem CP1 (Instant), which says what is closed, slides and sticks from there on.
///
/// All of that begins anew at each step, so that a State is (t, q, u) and what was summed up. At the end of each phase
/// the positions of joints and closed contacts, and the velocities of all that is held, are projected on what they
/// must be. docs/event-driven.md says more: tolerances, accumulations, instants without solution, what is not taken.
struct EventDrivenOptions {
  static constexpr SchemeTraits kTraits = {
      .name = "event-driven",
      .meaning = "smooth motion to tolerances from event to event, impacts between them [Trinkle2003]",
      .order = 5,
      .holds_positions = true,
      .automatic_steps = false,
      .controls_errors = true};

  // Friction in two directions has the round cone, or polygons (FrictionPolygon), of what sticks and of what slides.
  // With these lambda_F of what slides is at a corner, or, where gamma_F is normal to an edge, somewhere on that.
  int facets = 0;            // [-] >= 3, or 0: the round cone
  double orientation = 0.0;  // [rad] of the first facet
  EventIntegrator integrator = EventIntegrator::dormand_prince;
  double relative_tolerance = 1e-10;  // [-] in (0, 1e-3]: of the local errors of smooth motion
  double absolute_tolerance = 1e-12;  // [m, m/s, rad, rad/s] > 0: added to it
  double max_step = 0.0;              // [s] > 0: of smooth motion; 0: none but what docs/event-driven.md says
  ZenoRule zeno = ZenoRule::cross;
  double zeno_time = 1e-6;  // [s] > 0: the interval between impacts below which a sequence counts as accumulating
  bool operator==(const EventDrivenOptions&) const = default;
  void check() const;  // throws InputError
};

/// system and solver must outlive the stepper. Throws InputError when the options do not check, or where contacts come
/// and go.
std::unique_ptr<TimeStepper> make_event_driven(const EventDrivenOptions& options, const System& system,
                                               ConeSolver& solver, StopToken stop = {});

}  // namespace stickslip
