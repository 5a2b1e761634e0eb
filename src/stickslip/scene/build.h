// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/scene.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// By how much the poses that a scene states violate a joint, which the start then holds: round-off of typed numbers.
struct StartMisfit {
  int joint = 0;        // into System::joints()
  double length = 0.0;  // [m]
  double angle = 0.0;   // [rad]
};

/// All that a run needs. The stepper refers to the system and the solver: keep them together.
struct BuiltScene {
  std::unique_ptr<const System> system;
  State initial;                     // t, q, u of the start; TimeStepper::initialize() completes it
  std::vector<StartMisfit> misfits;  // of joints by frames or length: why bodies are not quite as the scene says
  std::unique_ptr<ConeSolver> solver;
  std::unique_ptr<TimeStepper> stepper;
};

/// Makes the mechanics, the initial state, the solver and the scheme that a scene describes. Throws
/// InputError, with the place in the scene's file, on what cannot be: masses and inertias that no body
/// has, names that do not exist, pairs of shapes without a gap function.
BuiltScene build(const Scene& scene);

/// The same with a wrapper around the stepper's solver. Solver, stepper and building check `stop` and throw
/// Interrupted.
using SolverDecorator = std::function<std::unique_ptr<ConeSolver>(std::unique_ptr<ConeSolver>)>;
BuiltScene build(const Scene& scene, const SolverDecorator& decorate, StopToken stop = {});

/// Facts of a scene that are known without running it.
struct SceneCheck {
  std::vector<std::string> warnings;  // "file:line:column: key: ..." each: likely mistakes, none of which stops a run
  std::string summary;                // a few lines of text: bodies, contacts, steps, scheme, solver
};

/// Builds the scene (throws InputError) and looks for likely mistakes: contacts that overlap at the start,
/// bodies that nothing holds or that no contact names, nothing that moves.
SceneCheck check_scene(Scene scene);
/// The same for a scene that is built already. Takes both over: with many bodies their parts go as soon as may be.
SceneCheck check_scene(Scene scene, BuiltScene built);
/// Its warnings only. The time is proportional to the size of the scene; checks `stop` and throws Interrupted.
std::vector<std::string> find_warnings(const Scene& scene, const BuiltScene& built, const StopToken& stop = {});

}  // namespace stickslip
