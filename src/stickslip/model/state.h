// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/model/inputs.h"

namespace stickslip {

/// The percussion a contact carried in the last step, to start the next solve from.
struct WarmPercussion {
  std::uint64_t id = 0;                       // contact id
  std::array<double, kMaxContactDim> p = {};  // [N s] normal, then friction directions
  bool operator==(const WarmPercussion&) const = default;
};

/// What a scheme with memory carries of a detected contact: the forces of named ones stand in State::memory.
struct ContactMemory {
  std::uint64_t id = 0;  // contact id
  // [N] normal, then friction directions: lambda, lambdabar and the lambda from which the next is extrapolated
  std::array<double, kMaxContactDim> force = {}, average = {}, last = {};
  bool operator==(const ContactMemory&) const = default;
};

/// What the energy balance has summed up since the start.
struct EnergyLedger {
  double initial = 0.0;     // [J] kinetic and potential energy at the start
  double work = 0.0;        // [J] done by loads, dampers, motors, inputs and prescribed motions
  double dissipated = 0.0;  // [J] taken by contacts and dry friction
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

/// All that the next step reads. A copy is a checkpoint: saved, loaded and continued, a run is
/// bit-identical to one that was never interrupted.
struct State {
  double t = 0.0;                       // [s]
  std::int64_t step = 0;                // [-] steps done since the start
  Vector q;                             // (n_q) coordinates: body by body, see System
  Vector u;                             // (n_u) velocities
  Vector memory;                        // (as the scheme needs) what a scheme carries beside q and u
  std::vector<WarmPercussion> warm;     // sorted by id
  std::vector<ContactMemory> contacts;  // sorted by id
  EnergyLedger energy;
  StepSize step_size;
  Inputs inputs;             // what a caller puts on bodies and in joints, in the steps to come until it is changed
  Inputs remembered_inputs;  // those that `memory` stands for: of the last step, where a scheme asks
};

/// The state as bytes (little-endian, no padding) and back. Throws InputError if the bytes are not a State.
std::vector<std::byte> to_bytes(const State& state);
State state_from_bytes(std::span<const std::byte> bytes);

}  // namespace stickslip
