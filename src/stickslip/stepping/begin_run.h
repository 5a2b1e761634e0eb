// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/constraints/step_report.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Common start of every scheme's initialize(): normalises quaternions, clears memory of earlier steps, sets the
/// initial energy and clears the report.
inline void begin_run(const System& system, State& state, StepReport& report) {
  system.normalize(state.t, state.q);
  state.memory.resize(0);
  state.warm.clear();
  state.contacts.clear();
  state.remembered_inputs.clear();
  state.energy = {};
  state.energy.initial = system.calc_kinetic_energy(state.u) + system.calc_potential_energy(state.t, state.q);
  report = {};
  report.t = state.t;
}

}  // namespace stickslip
