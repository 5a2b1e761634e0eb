// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace stickslip {

/// What a run may do and still count as done: [limits] of a scene. Infinity switches one off, but for figures that are
/// not finite. Lengths are shares of the smaller size of the two bodies (BodySizes).
struct LimitOptions {
  double penetration = 5e-2;     // [-] >= 0 of a contact; [rad] of a joint's stop that is an angle
  double drift = 1e-3;           // [-] >= 0 of a joint; [rad] of its angle rows
  double energy = 5e-2;          // [-] >= 0 energy error over the energy of the run, see LimitMonitor
  double contact_energy = 5e-2;  // [-] >= 0 energy that percussions of contacts made and that putting
                                 // positions right put in, over the same
  bool stop = false;             // the run ends where one is passed
  bool operator==(const LimitOptions&) const = default;
};

/// What passed a limit: a contact, an angular stop, a joint's length or angle rows, the energy balance, a body that
/// went through another within a step, or the energy that contacts made.
enum class LimitKind : int {
  penetration,
  penetration_angle,
  drift,
  drift_angle,
  energy,
  passed_through,
  contact_energy
};
inline constexpr int kLimitKinds = 7;

/// "penetration", "drift-angle", ...: the name in results.
std::string_view limit_name(LimitKind what);
/// "m", "rad", "-": of LimitEntry::worst and limit.
std::string_view limit_unit(LimitKind what);

/// All that passed one limit in a run, of one pair of bodies or one joint. Indices are -1 where they mean nothing.
struct LimitEntry {
  LimitKind what = LimitKind::penetration;
  int body_a = -1, body_b = -1;  // into System::bodies(): the contact's or the joint's first and second; of contact
                                 // energy those between which the first step that passed it made the most
  int joint = -1;                // into System::joints()
  std::string name;              // of the joint, of the bodies "a, b"; empty: energy, and kinds with too many pairs
  double first_time = 0.0;       // [s] the end of the first step that passed it
  std::int64_t count = 0;        // [-] steps
  double worst = 0.0;            // in limit_unit(): the largest; what is not finite stays
  double limit = 0.0;            // in limit_unit(): the least that was passed
  std::int64_t first_step = 0;   // [-] the number of that first step, from 1; 0: not known
  bool operator==(const LimitEntry&) const = default;
};

/// "drift of elbow: 0.045 m at most, the limit is ...": one line without its end.
std::string describe(const LimitEntry& entry);
/// The same of an entry that is new: "t = 0.3 s: drift of elbow: 0.0006 m, above the limit of ...".
std::string describe_first(const LimitEntry& entry);

}  // namespace stickslip
