// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/start_pose.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/build_start.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

/// Whether the scene's key `start` gives the joint's coordinates, and they are not those of a motion or a gear.
bool is_posable(const SceneJoint& joint) {
  const JointTraits& traits = joint_traits(joint.type);
  return !joint.gear && !joint.motion && traits.places_bodies && traits.n_coordinates > 0;
}

/// Takes away what touches, where it says nothing of poses: what is made of meshes takes half a second.
void strip_contacts(Scene& scene) {
  scene.contacts.clear();
  scene.contact_default.reset();
  scene.laws.clear();
  for (SceneBody& body : scene.bodies) {
    const bool stays = body.type == BodyType::fixed || body.type == BodyType::moving;
    if (!body.density && (body.mass || stays)) body.shapes.clear();
  }
}

std::string write_start(const SceneJoint& joint) {
  std::string numbers;
  for (const double x : joint.start) numbers += (numbers.empty() ? "" : ", ") + write_toml_number(x);
  return fmt::format("[joints.{}]\nstart = {}\n", quote_toml_key(joint.name),
                     joint.start.size() == 1 ? numbers : "[" + numbers + "]");
}

}  // namespace

bool has_posable_joint(const Scene& scene) {
  return std::ranges::any_of(scene.joints, is_posable);
}

void set_starts(Scene& scene, const JointStarts& starts) {
  for (const auto& [index, start] : starts) {
    if (index < 0 || index >= static_cast<int>(scene.joints.size())) {
      throw InputError(fmt::format("joint {}: the scene has {} joints, counted from 0", index, scene.joints.size()));
    }
    SceneJoint& joint = scene.joints[static_cast<std::size_t>(index)];
    const std::string key = fmt::format("joints.{}.start", joint.name);
    if (!is_posable(joint)) throw InputError(SourcePlace{}, key, "", "none of this joint");
    const int n = joint_traits(joint.type).n_coordinates;
    if (static_cast<int>(start.size()) != n) throw InputError(SourcePlace{}, key, "", fmt::format("{} numbers", n));
    const bool is_finite = std::ranges::all_of(start, [](double x) { return std::isfinite(x); });
    const auto& limits = joint.limits;
    if (!is_finite || (limits && !(start[0] >= limits->low && start[0] <= limits->high))) {
      throw InputError(
          SourcePlace{}, key, fmt::format("{}", start[0]),
          limits ? fmt::format("within the limits, {:.9g} to {:.9g}", limits->low, limits->high) : "finite numbers");
    }
    joint.start = start;
  }
}

StartPose calc_start_pose(const Scene& scene, const JointStarts& starts) {
  Scene posed = scene;
  set_starts(posed, starts);
  strip_contacts(posed);
  const BuiltScene built = build_start(posed);
  const State& state = built.initial;
  StartPose pose;
  for (std::size_t b = 0; b < built.system->shown_bodies().size(); ++b) {
    const Pose at = built.system->calc_pose(static_cast<int>(b), state.t, state.q);
    const Eigen::Quaterniond e(at.R_WB);
    pose.poses.insert(pose.poses.end(), at.p_WB.begin(), at.p_WB.end());
    pose.poses.insert(pose.poses.end(), {e.w(), e.x(), e.y(), e.z()});
  }
  for (std::size_t k = 0; k < posed.joints.size(); ++k) {
    const SceneJoint& source = posed.joints[k];
    if (!is_posable(source)) continue;
    PosableJoint joint{static_cast<int>(k), source.name, source.type, {}, source.limits, !source.start.empty()};
    joint.coordinates = source.start;
    for (auto c = static_cast<int>(source.start.size()); c < joint_traits(source.type).n_coordinates; ++c) {
      joint.coordinates.push_back(built.system->calc_joint_coordinate(joint.index, c, state.t, state.q));
    }
    pose.joints.push_back(std::move(joint));
    if (starts.contains(static_cast<int>(k))) pose.toml += (pose.toml.empty() ? "" : "\n") + write_start(source);
  }
  return pose;
}

StartPose StartPoser::pose(const Parameters& parameters, const JointStarts& starts) {
  if (!scene_ || parameters_ != parameters) {
    scene_.reset();
    scene_ = load_(parameters);
    parameters_ = parameters;
  }
  return calc_start_pose(*scene_, starts);
}

}  // namespace stickslip
