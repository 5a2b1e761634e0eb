// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/scene/scene.h"

namespace stickslip {

/// Coordinates at the start that viewers give joints, all of each, by the joint's index in Scene::joints. [m, rad]
using JointStarts = std::map<int, std::vector<double>>;

/// A joint whose coordinates at the start viewers may choose.
struct PosableJoint {
  int index = 0;  // in Scene::joints
  std::string name;
  JointType type = JointType::revolute;
  std::vector<double> coordinates;    // [m, rad] at the start
  std::optional<JointLimits> limits;  // of the first one
  bool is_given = false;              // the scene or the viewer says them
};

/// Where bodies are at the start.
struct StartPose {
  std::vector<PosableJoint> joints;
  std::vector<double> poses;  // (7 bodies) [m] position, then w, x, y, z
  std::string toml;           // what viewers gave, as tables of a scene
};

/// Whether a scene has such a joint.
bool has_posable_joint(const Scene& scene);

/// Gives joints of a scene these starts. Throws InputError where a joint has none to be chosen, or where one is not
/// within the limits.
void set_starts(Scene& scene, const JointStarts& starts);

/// Poses at the start, by the program's own kinematics: what a run from there begins with. Throws InputError where it
/// cannot begin so.
StartPose calc_start_pose(const Scene& scene, const JointStarts& starts);

/// The same of a scene with parameters, which is read again where they change.
class StartPoser {
 public:
  using Parameters = std::map<std::string, double>;
  explicit StartPoser(std::function<Scene(const Parameters&)> load) : load_(std::move(load)) {}
  StartPose pose(const Parameters& parameters, const JointStarts& starts);

 private:
  std::function<Scene(const Parameters&)> load_;
  Parameters parameters_;
  std::optional<Scene> scene_;  // with them
};

}  // namespace stickslip
