// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/robot_model.h"

#include <fmt/format.h>

#include <utility>

namespace stickslip {
namespace {

/// J of a point mass at `arm`. (3, 3) [kg m^2]
Matrix3 point_inertia(double mass, const Vector3& arm) {
  return mass * (arm.squaredNorm() * Matrix3::Identity() - arm * arm.transpose());
}

}  // namespace

void RobotMass::add(const RobotMass& other) {
  const double sum = mass + other.mass;
  if (!(sum > 0.0)) {
    inertia += other.inertia;
    return;
  }
  const Vector3 together = (mass * center + other.mass * other.center) / sum;
  inertia = inertia + point_inertia(mass, center - together) + other.inertia +
            point_inertia(other.mass, other.center - together);
  inertia = Matrix3(0.5 * (inertia + inertia.transpose()));
  mass = sum;
  center = together;
}

RobotMass RobotMass::moved(const Pose& pose) const {
  const Matrix3 turned = pose.R_WB * inertia * pose.R_WB.transpose();
  return {mass, pose.p_WB + pose.R_WB * center, 0.5 * (turned + turned.transpose())};
}

void RobotWarnings::add(const SourcePlace& place, const std::string& what, const std::string& text) {
  std::string line = fmt::format("{}:{}: {}: {}", place.file, place.line, what, text);
  if (told_.insert(std::move(line)).second) entries_.push_back({place, what, text});
}

void RobotWarnings::add(const XmlElement& element, const std::string& attribute, const std::string& text) {
  const XmlAttribute* found = element.find(attribute);
  add(found == nullptr ? element.place() : element.place(*found), element.name + "." + attribute, text);
}

void start_geared_joints(RobotModel& model) {
  std::map<std::string, RobotJoint*> joints;
  for (RobotBody& body : model.bodies) {
    for (RobotJoint& joint : body.joints) joints.emplace(joint.name, &joint);
  }
  std::map<std::string, std::vector<const RobotGear*>> behind;  // by the first of its joints
  std::map<std::string, int> n_ahead;
  for (const RobotGear& gear : model.gears) {
    behind[gear.joints[0]].push_back(&gear);
    ++n_ahead[gear.joints[1]];
  }
  std::vector<std::pair<std::string, double>> open;  // joints and where they are
  for (const auto& [name, gears] : behind) {
    const RobotJoint& joint = *joints.at(name);
    if (!n_ahead.contains(name)) open.emplace_back(name, joint.start.empty() ? joint.reference : joint.start[0]);
  }
  while (!open.empty()) {
    const auto [name, there] = open.back();
    open.pop_back();
    for (const RobotGear* gear : behind[name]) {
      RobotJoint& second = *joints.at(gear->joints[1]);
      if (n_ahead.at(second.name) > 1) continue;
      const double start = gear->ratio * there + gear->offset;
      if (start != second.reference) second.start = {start};
      open.emplace_back(second.name, start);
    }
  }
}

Pose compose_poses(const Pose& a, const Pose& b) {
  return {a.p_WB + a.R_WB * b.p_WB, a.R_WB * b.R_WB};
}

Pose invert_pose(const Pose& a) {
  return {-(a.R_WB.transpose() * a.p_WB), a.R_WB.transpose()};
}

}  // namespace stickslip
