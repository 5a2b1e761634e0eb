// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/model/inputs.h"
#include "stickslip/model/values_by_id.h"

namespace stickslip {

/// What the energy balance has summed up since the start.
struct EnergyLedger {
  double initial = 0.0;     // [J] kinetic and potential energy at the start
  double work = 0.0;        // [J] done by loads, dampers, motors, inputs and prescribed motions
  double dissipated = 0.0;  // [J] taken by contacts and dry friction
  double projection = 0.0;  // [J] put in where positions were put right
  bool operator==(const EnergyLedger&) const = default;
};

/// What automatic step control knows from step to step, see StepControl.
struct StepSize {
  double next = 0.0;          // [s] the length planned for the next step; 0: none yet
  double speed = 0.0;         // [m/s] the largest so far, the scale of errors
  double acceleration = 0.0;  // [m/s^2] at the start, for the first length
  double event_by = 0.0;      // [s] an instant before which a try found an event, while event_step > 0
  double event_step = 0.0;    // [s] the length at which a step may contain it; 0: none is sought
  bool operator==(const StepSize&) const = default;
};

/// How a body that comes and goes takes part. One that waits or has gone is absent.
enum class Presence : std::uint8_t {
  waiting,   // has not come yet
  entering,  // came at this instant
  present,
  leaving,  // is here for the last time
  gone,
};
inline bool is_absent(Presence presence) {
  return presence == Presence::waiting || presence == Presence::gone;
}

/// All that the next step reads. A copy is a checkpoint: saved, loaded and continued, a run is
/// bit-identical to one that was never interrupted.
struct State {
  double t = 0.0;         // [s]
  std::int64_t step = 0;  // [-] steps done since the start
  Vector q;               // (n_q) coordinates: body by body, see System
  Vector u;               // (n_u) velocities
  Vector memory;          // (as the scheme needs) what a scheme carries beside q and u
  ValuesById warm;  // by contact or constraint (dim) [N s]: what it carried in the last step, to start the next from
  ValuesById contacts;  // by detected contact (3 dim) [N]: what a scheme with memory carries of it, as the scheme says
  EnergyLedger energy;
  StepSize step_size;
  Inputs inputs;             // what a caller puts on bodies and in joints, in the steps to come until it is changed
  Vector joint_loads;        // (joints, or none) [N] in the step before, of joints whose friction follows them
  Inputs remembered_inputs;  // those that `memory` stands for: of the last step, where a scheme asks
  std::vector<Presence> presence;    // (n bodies) or empty: all are present, always
  std::vector<std::uint64_t> draws;  // (sources of bodies) [-] places that each has drawn
  std::vector<std::uint8_t> told;    // what was said once and is not said again
};

/// The state as bytes (little-endian, no padding) and back. Throws InputError if the bytes are not a State.
std::vector<std::byte> to_bytes(const State& state);
State state_from_bytes(std::span<const std::byte> bytes);

}  // namespace stickslip
