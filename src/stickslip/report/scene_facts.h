// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/math/types.h"
#include "stickslip/model/beam.h"

namespace stickslip {

/// A spring or a distance joint: a line between a point of one body and a point of another, both in drawing frames.
struct Link {
  std::array<std::string, 2> between;
  std::array<Vector3, 2> at;  // (3) [m]
  bool spring = false;
};

/// Facts of the scene that the datasets lack: the direction of gravity, degrees of beams, parents and links of bodies.
/// Empty if the scene can no longer be read (a file that it names is missing).
struct SceneFacts {
  Vector3 gravity = Vector3(0.0, 0.0, -9.81);  // (3) [m/s^2]
  bool planar = false;
  std::map<std::string, BeamOptions> beams;
  std::map<std::string, std::string> parents;  // of bodies that hang on another, by their names
  std::vector<Link> links;
};

SceneFacts find_facts(const Trajectory& result);

}  // namespace stickslip
