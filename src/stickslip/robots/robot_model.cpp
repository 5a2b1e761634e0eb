// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/robot_model.h"

#include <fmt/format.h>

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

Pose compose_poses(const Pose& a, const Pose& b) {
  return {a.p_WB + a.R_WB * b.p_WB, a.R_WB * b.R_WB};
}

Pose invert_pose(const Pose& a) {
  return {-(a.R_WB.transpose() * a.p_WB), a.R_WB.transpose()};
}

}  // namespace stickslip
