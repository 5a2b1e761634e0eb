// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_key.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "stickslip/math/rotation.h"
#include "stickslip/robots/robot_attributes.h"

namespace stickslip {
namespace {

void check_limits(const RobotJoint& joint, const XmlElement& key) {
  if (!joint.limits || joint.start.size() != 1) return;
  const auto [low, high] = *joint.limits;
  if (joint.start[0] >= low && joint.start[0] <= high) return;
  key.fail("qpos",
           fmt::format("{:.9g} for \"{}\": within its range, {:.9g} to {:.9g}", joint.start[0], joint.name, low, high));
}

void set_free(const std::vector<double>& q, const std::vector<double>& v, std::size_t& i, std::size_t& k,
              const XmlElement& key, RobotBody& body) {
  if (!q.empty()) {
    const Vector4 e(q[i + 3], q[i + 4], q[i + 5], q[i + 6]);
    if (e.isZero(0.0)) expect(key, "qpos", "quaternions of any length but zero");
    body.pose = {Vector3(q[i], q[i + 1], q[i + 2]), rotation_matrix<double>(unit(e))};
  }
  if (!v.empty()) {
    body.velocity = Vector3(v[k], v[k + 1], v[k + 2]);
    body.angular_velocity = Vector3(v[k + 3], v[k + 4], v[k + 5]);
  }
  i += 7;
  k += 6;
}

}  // namespace

void read_mjcf_key(const XmlElement& root, const std::string& name, const std::vector<int>& inputs, RobotModel& model) {
  const XmlElement* key = nullptr;
  for (const XmlElement& section : root.children) {
    if (section.name != "keyframe") continue;
    for (const XmlElement& each : section.children) {
      if (each.name == "key" && each.has("name") && each.find("name")->value == name) key = &each;
    }
  }
  if (key == nullptr) root.fail(fmt::format("no keyframe has the name \"{}\" that --key asks for", name));
  std::size_t n_q = 0;
  std::size_t n_v = 0;
  for (const RobotBody& body : model.bodies) {
    n_q += body.is_free ? 7 : 0;
    n_v += body.is_free ? 6 : 0;
    for (const RobotJoint& joint : body.joints) {
      n_q += joint.type == RobotJointType::ball ? 4 : 1;
      n_v += joint.type == RobotJointType::ball ? 3 : 1;
    }
  }
  const auto values = [&](const char* attribute, std::size_t n) {
    const XmlAttribute* a = key->find(attribute);
    return a == nullptr ? std::vector<double>() : parse_numbers(*key, *a, n, n);
  };
  const std::vector<double> q = values("qpos", n_q);
  const std::vector<double> v = values("qvel", n_v);
  const std::vector<double> controls = values("ctrl", inputs.size());
  for (std::size_t a = 0; a < controls.size(); ++a) {
    if (inputs[a] >= 0) model.inputs[static_cast<std::size_t>(inputs[a])].value = controls[a];
  }
  std::size_t i = 0;
  std::size_t k = 0;
  for (RobotBody& body : model.bodies) {
    if (body.is_free) set_free(q, v, i, k, *key, body);
    for (RobotJoint& joint : body.joints) {
      const std::size_t nq = joint.type == RobotJointType::ball ? 4 : 1;
      const std::size_t nv = joint.type == RobotJointType::ball ? 3 : 1;
      const auto part = [](const std::vector<double>& from, std::size_t first, std::size_t n) {
        if (from.empty()) return std::vector<double>();
        return std::vector<double>(from.begin() + static_cast<std::ptrdiff_t>(first),
                                   from.begin() + static_cast<std::ptrdiff_t>(first + n));
      };
      if (!q.empty() && !joint.motion) joint.start = part(q, i, nq);
      if (!v.empty() && !joint.motion) joint.start_rate = part(v, k, nv);
      if (nq == 4 && !q.empty()) {
        Eigen::Map<Vector4> turn(joint.start.data());
        if (turn.isZero(0.0)) expect(*key, "qpos", "quaternions of any length but zero");
        turn = unit(Vector4(turn));
      }
      check_limits(joint, *key);
      i += nq;
      k += nv;
    }
  }
}

}  // namespace stickslip
