// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"

namespace stickslip {

/// A figure of a result that is worse than the result claims.
struct FalseClaim {
  std::string what;  // "penetration", "momentum", ...
  std::string who;   // of which bodies, contact or dataset
  std::string unit;
  double time = 0.0;     // [s] of the row or the step
  double claimed = 0.0;  // in the unit
  double found = 0.0;    // in the unit
  double excess = 0.0;   // [-] how many times what round-off explains
};

/// What a result's own numbers say of it. docs/verify.md
struct Verification {
  struct Penetration {
    double claimed = 0.0;  // [m] at the time of the deepest found
    double found = 0.0;    // [m] the deepest
    double time = 0.0;     // [s]
    std::string bodies;    // "a, b"
  };
  struct Energy {
    double claimed = 0.0;  // [J] kinetic and potential energy where they differ most
    double found = 0.0;    // [J]
  };

  std::string file;
  std::int64_t rows = 0;  // [-] read
  Penetration penetration;
  double cone = 0.0;  // [-] by how much a percussion leaves its cone, of the largest percussion of the row
  double momentum =
      0.0;  // [-] what the balance of a body misses beyond its bound, of the largest percussion of the row
  Energy energy;
  std::int64_t n_false = 0;              // [-] claims
  FalseClaim first, worst;               // where there are some
  std::vector<std::string> limits;       // that the run passed, described
  std::vector<std::string> not_checked;  // what the file lacks

  bool ok() const { return n_false == 0 && limits.empty(); }
};

/// Recomputes what can be recomputed from the contents of a result file alone. Throws InputError where it is none, or
/// is damaged.
Verification verify_result(const std::filesystem::path& path, const StopToken& stop = {});

/// Lines for people, without the last line's end.
std::string describe(const Verification& verification);
/// One object.
std::string to_json(const Verification& verification);

}  // namespace stickslip
