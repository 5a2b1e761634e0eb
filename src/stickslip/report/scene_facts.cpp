// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/scene_facts.h"

#include <variant>

#include "stickslip/base/input_error.h"
#include "stickslip/sim/resume.h"

namespace stickslip {

SceneFacts find_facts(const Trajectory& result) {
  SceneFacts facts;
  try {
    const Scene scene = scene_of(result);
    facts.gravity = scene.gravity;
    for (const SceneBody& body : scene.bodies) {
      if (body.beam) facts.beams[body.name] = body.beam->options;
      if (!body.parent.empty()) facts.parents[body.name] = body.parent;
    }
    for (const SceneJoint& joint : scene.joints) {
      if (joint.type == JointType::distance) facts.links.push_back({joint.between, {joint.at_a, joint.at_b}, false});
    }
    for (const SceneForce& force : scene.forces) {
      const auto* spring = std::get_if<SceneSpring>(&force.law);
      if (spring != nullptr) facts.links.push_back({spring->between, {spring->at_a, spring->at_b}, true});
    }
  } catch (const InputError&) {
    facts.beams.clear();
    facts.parents.clear();
    facts.links.clear();
  }
  for (const LayoutRow& row : result.layout()) {
    facts.planar |= row.type == "planar" || row.type == "beam" || (row.type == "point" && row.n_q == 2);
  }
  return facts;
}

}  // namespace stickslip
