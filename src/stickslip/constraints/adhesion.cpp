// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/adhesion.h"

#include <algorithm>
#include <utility>

#include "stickslip/base/make_room.h"

namespace stickslip {

Adhesion::Adhesion(const System& system) : system_(system) {
  for (const std::vector<ContactPair>* pairs : {&system.contacts(), &system.detected_pairs()}) {
    for (const ContactPair& pair : *pairs) {
      if (pair.law().adhesion > 0.0) reach_ = std::max(reach_, pair.law().adhesion_range);
    }
  }
}

void Adhesion::add_forces(const BodySnapshot& at, const std::vector<ContactPoint>& points, Vector& force) {
  if (!exists()) return;
  const auto shapes_of = [&](const ContactPoint& point) {  // of the first and the second side
    const std::pair shapes(system_.surface(point).shape, system_.ball(point).shape);
    return point.flipped ? std::pair(shapes.second, shapes.first) : shapes;
  };
  within_.clear();
  std::pair<int, int> shapes(-1, -1);
  double adhesion = 0.0;
  ContactVector gamma;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& point = points[i];
    const ContactLaw& law = system_.pair(point).law();
    if (!(law.adhesion > 0.0) || point.joint >= 0 || point.apart) continue;
    if (shapes_of(point) != shapes) {
      pull_together(at, points, adhesion, force);
      shapes = shapes_of(point);
      adhesion = law.adhesion;
    }
    Within within{i, {}};
    if (calc_contact_within(at, point, law.adhesion_range, within.geometry, gamma)) append(within_, within);
  }
  pull_together(at, points, adhesion, force);
}

/// The two shapes of the points that are within the range.
void Adhesion::pull_together(const BodySnapshot& at, const std::vector<ContactPoint>& points, double adhesion,
                             Vector& force) {
  const double share = adhesion / static_cast<double>(std::max<std::size_t>(within_.size(), 1));
  BodyMotion scratch;
  for (const Within& within : within_) {
    const ContactPoint& point = points[within.point];
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& to = system_.side(point, side);
      if (to.n_u == 0) continue;
      Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMaxSideDofs> normal(1, to.n_u);
      normal.setZero();
      RowMatrixView row(normal.data(), 1, to.n_u);
      system_.calc_contact_jacobian(point, within.geometry, at.q(), at.at(to, scratch), side, row);
      force.segment(to.u_offset, to.n_u) -= share * normal.transpose();
    }
  }
  within_.clear();
}

}  // namespace stickslip
