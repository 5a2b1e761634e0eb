// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/model/state.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/scene.h"
#include "stickslip/solvers/enumeration.h"

namespace stickslip {

/// The problem of a scene that is analysed.
enum class AnalysisLevel : std::uint8_t {
  step,          // the contact problem of one step of the scene's scheme: percussions and velocities
  acceleration,  // CP1 at the instant (make_acceleration_problem): forces and accelerations
  relaxation,    // the relaxed laws at the instant (make_relaxed_problem): forces and accelerations
};

struct AnalysisOptions {
  AnalysisLevel level = AnalysisLevel::step;
  double delta = 1e-3;         // [s] > 0, of the relaxation; with damping 1/2 the step of its implicit form
  double damping = 0.5;        // [-] >= 0, zeta of the relaxation
  std::optional<double> time;  // [s] the scheme runs to there first; none: the start
  /// The state is that of a row of this result, the one at `time`, or its last one.
  std::optional<std::filesystem::path> result;
  std::optional<State> state;  // instead of these: the one of a run under the scene's scheme
  StopToken stop;
};

/// One solution. Of contacts in the order of Analysis::contacts.
struct AnalyzedSolution {
  std::vector<ContactState> kinds;
  std::vector<Vector> forces;  // each (1 + n_F): normal, friction [N] or [N s]; of dry friction its rows
  std::vector<Vector> rates;   // the same of what the laws are imposed on, [m/s^2] or [m/s]; none where open beforehand
  Vector motion;               // (n_u) [m/s^2, rad/s^2] u', or [m/s, rad/s] u at the end of the step
  double residual = 0.0;       // [m/s^2] or [m/s]
  bool unique_forces = true;   // whether no other forces give this motion
};

/// All solutions of the problem of a state.
struct Analysis {
  AnalysisLevel level = AnalysisLevel::step;
  double time = 0.0;  // [s]
  Vector q, u;        // (n_q), (n_u)
  Expression::Parameters parameters;
  /// Named contact points, then detected ones in the problem as "body-body", then dry friction elements by the name of
  /// their force or joint.
  std::vector<std::string> contacts;
  /// One contact that slides, and nothing else that has a choice: minus its free normal acceleration [m/s^2], and what
  /// a newton of normal force with its friction adds to it [1/kg].
  std::optional<double> G_A, G_B;
  bool complete = true;              // whether these are all for certain
  std::vector<std::string> remarks;  // further information
  std::vector<AnalyzedSolution> solutions;

  bool exists() const { return !solutions.empty(); }
  /// Whether the motion is unique, by proof.
  bool is_unique() const { return complete && solutions.size() == 1; }
};

/// Finds every solution of the contact problem of a scene at a state. Throws InputError where it cannot be done: too
/// many contacts, laws or schemes that have no such problem, no state at that time; Interrupted where `stop` is raised.
Analysis analyze(const Scene& scene, const AnalysisOptions& options);

/// A key of a scene and the values that it takes in turn.
struct Sweep {
  std::string key;
  double first = 0.0, last = 0.0;
  int count = 1;  // [-] >= 1; of one alone `first`

  double value(int k) const {
    return k == 0 ? first : k == count - 1 ? last : first + (last - first) * (static_cast<double>(k) / (count - 1));
  }
};
/// Reads "key=a:b:n". Throws InputError.
Sweep parse_sweep(const std::string& text);

/// Analyses a scene file for all values of the sweeps, the last fastest; `take` is handed each as it comes. Overrides
/// of `load_options` are applied before. Throws as analyze() does.
void analyze_sweep(const std::filesystem::path& scene, const LoadOptions& load_options,
                   const std::vector<Sweep>& sweeps, const AnalysisOptions& options,
                   const std::function<void(const Analysis&, const std::vector<double>&)>& take);

std::string_view level_name(AnalysisLevel level);
/// One of a JSON list: {"state": {"time", "q", "u", "parameters"}, "G_A", "G_B", "exists", "solutions": [...]}.
std::string to_json(const Analysis& analysis);
/// The same for people, some lines.
std::string to_text(const Analysis& analysis);
/// "stick" and the like, of all contacts: "slip, open".
std::string describe_kinds(const AnalyzedSolution& solution);

}  // namespace stickslip
