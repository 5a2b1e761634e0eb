// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/redundant_joints.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

class Mechanism {
 public:
  Mechanism() : builder_(true, Vector3(0.0, -9.81, 0.0)) {
    Body ground;
    ground.name = "ground";
    ground.type = BodyType::fixed;
    builder_.add_body(ground);
    poses_.emplace_back();
  }

  int add_body(const Vector3& position, double angle) {
    Body body;
    body.name = "b" + std::to_string(poses_.size());
    body.type = BodyType::planar;
    body.mass = 0.5 + 0.1 * static_cast<double>(poses_.size() % 7);
    body.inertia(2, 2) = 0.3;
    poses_.push_back({position, axis_angle_matrix(Vector3::UnitZ(), angle)});
    angles_.push_back(angle);
    return builder_.add_body(body);
  }

  void add_joint(JointType type, int first, int second, const Vector3& at, const Vector3& at_second) {
    JointOptions o;
    o.name = "j" + std::to_string(n_joints_++);
    o.type = type;
    o.first = first;
    o.second = second;
    o.on_first = JointFrame::from_world(poses_[first], at, axis_angle_matrix(Vector3::UnitZ(), 0.3));
    o.on_second = JointFrame::from_world(poses_[second], at_second, axis_angle_matrix(Vector3::UnitZ(), 0.3));
    o.length = 1.0;
    builder_.add_joint(o);
  }
  void add_hinge(int first, int second, const Vector3& at) { add_joint(JointType::revolute, first, second, at, at); }

  std::vector<int> count() {
    system_.emplace(builder_.build());
    state_.q.resize(system_->n_q());
    state_.u.setZero(system_->n_u());
    for (std::size_t i = 1; i < poses_.size(); ++i) {
      state_.q.segment<3>(system_->bodies()[i].q_offset) << poses_[i].p_WB.head<2>(), angles_[i - 1];
    }
    return count_redundant_rows(*system_, state_);
  }

  /// The same by the rank of all rows, after count().
  std::vector<int> count_by_rank() const {
    const System& system = *system_;
    std::vector<int> counts;
    Matrix all(0, system.n_u());
    int rank = 0;
    for (int j = 0; j < static_cast<int>(system.joints().size()); ++j) {
      const Joint& joint = system.joints()[j];
      RowMatrix rows = RowMatrix::Zero(joint.dim, system.n_u());
      for (const Side side : {Side::first, Side::second}) {
        const Attachment& at = joint.side(side);
        if (at.n_u == 0) continue;
        RowMatrix part(joint.dim, at.n_u);
        system.calc_joint_jacobian(j, state_.t, state_.q, side, part);
        rows.middleCols(at.u_offset, at.n_u) = part;
      }
      all.conservativeResize(all.rows() + joint.dim, Eigen::NoChange);
      all.bottomRows(joint.dim) = rows;
      Eigen::FullPivLU<Matrix> lu(all);
      lu.setThreshold(1e-9);
      const int now = static_cast<int>(lu.rank());
      counts.push_back(joint.dim - (now - rank));
      rank = now;
    }
    return counts;
  }

 private:
  SystemBuilder builder_;
  std::optional<System> system_;
  State state_;
  std::vector<Pose> poses_;
  std::vector<double> angles_;
  int n_joints_ = 0;
};

TEST(RedundantJoints, AreSeenInAParallelogram) {
  Mechanism m;
  const int left = m.add_body({0.0, 0.5, 0.0}, 0.0);
  const int right = m.add_body({2.0, 0.5, 0.0}, 0.0);
  const int middle = m.add_body({1.0, 0.5, 0.0}, 0.0);
  const int top = m.add_body({1.0, 1.0, 0.0}, 0.0);
  for (const auto& [crank, x] : {std::pair(left, 0.0), std::pair(right, 2.0), std::pair(middle, 1.0)}) {
    m.add_hinge(0, crank, {x, 0.0, 0.0});
    m.add_hinge(crank, top, {x, 1.0, 0.0});
  }
  // 12 velocities and 12 rows, and yet it moves: the last crank's second hinge says one thing that the others say.
  EXPECT_EQ(m.count(), (std::vector{0, 0, 0, 0, 0, 1}));
}

TEST(RedundantJoints, AreSeenInTwoHingesOfOnePair) {
  Mechanism m;
  const int a = m.add_body({0.0, 0.0, 0.0}, 0.4);
  const int b = m.add_body({1.0, 0.0, 0.0}, -0.2);
  m.add_hinge(a, b, {0.5, 0.0, 0.0});
  m.add_hinge(a, b, {0.5, 0.7, 0.0});
  m.add_hinge(0, a, {0.0, 1.0, 0.0});
  m.add_joint(JointType::weld, a, b, {0.2, 0.0, 0.0}, {0.2, 0.0, 0.0});
  EXPECT_EQ(m.count(), (std::vector{0, 1, 0, 3}));
}

TEST(RedundantJoints, AreNoneInTreesHoweverLong) {
  Mechanism m;
  int last = 0;
  for (int i = 0; i < 300; ++i) {
    const int next = m.add_body({i + 0.5, 0.1 * (i % 3), 0.0}, 0.0);
    m.add_hinge(last, next, {1.0 * i, 0.0, 0.0});
    last = next;
  }
  const std::vector<int> counts = m.count();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 0);
}

// A frame of welded bars: each of its loops is over-determined, whatever goes through the loops before.
TEST(RedundantJoints, AreCountedInAFrameOfManyLoops) {
  constexpr int kBars = 40;
  Mechanism m;
  int last = m.add_body({0.0, 0.0, 0.0}, 0.0);
  const int first = last;
  for (int i = 1; i < kBars; ++i) {
    const int next = m.add_body({1.0 * i, 0.3 * (i % 2), 0.0}, 0.1 * i);
    m.add_joint(JointType::weld, last, next, {i - 0.5, 0.0, 0.0}, {i - 0.5, 0.0, 0.0});
    if (i % 4 == 0) m.add_hinge(next, first, {0.7 * i, 2.0, 0.0});
    last = next;
  }
  const std::vector<int> counts = m.count();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 2 * ((kBars - 1) / 4));
  EXPECT_EQ(counts, m.count_by_rank());
}

TEST(RedundantJoints, AgreeWithTheRankInRandomGraphs) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> real(-1.0, 1.0);
  int found = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Mechanism m;
    const int n_bodies = 2 + trial % 9;
    for (int i = 0; i < n_bodies; ++i) m.add_body({real(random), real(random), 0.0}, real(random));
    for (int j = 0; j < n_bodies + trial % 7; ++j) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(n_bodies + 1));
      const int b = static_cast<int>(random() % static_cast<unsigned>(n_bodies + 1));
      if (a == b) continue;
      constexpr std::array kTypes = {JointType::revolute, JointType::prismatic, JointType::weld, JointType::distance,
                                     JointType::knife_edge};
      const JointType type = kTypes[random() % kTypes.size()];
      const Vector3 at(real(random), real(random), 0.0);
      const Vector3 other = type == JointType::distance ? Vector3(real(random), real(random), 0.0) : at;
      m.add_joint(type, a, b, at, other);
    }
    const std::vector<int> counts = m.count();
    EXPECT_EQ(counts, m.count_by_rank()) << trial;
    found += std::accumulate(counts.begin(), counts.end(), 0);
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace stickslip
