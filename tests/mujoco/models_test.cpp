// SPDX-License-Identifier: BSD-3-Clause
// Models of MJCF as Debian's MuJoCo compiles them: masses, centres, inertias, poses, axes of joints and the forces of
// actuators at a keyframe are those of the scenes that they become.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/model/joint_rows.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/robots/robot_model.h"
#include "tests/support/joint_effort.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kAgree = 1e-6;  // [-] of MuJoCo's own round-off: eigenvectors, meshes of single precision

struct PeerModel {
  std::unique_ptr<mjModel, void (*)(mjModel*)> model;
  std::unique_ptr<mjData, void (*)(mjData*)> data;
};

/// The model at its keyframe.
PeerModel load_peer(const std::string& file) {
  std::array<char, 1000> error = {};
  mjModel* model = mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  if (model == nullptr) throw std::runtime_error(error.data());
  PeerModel peer{{model, mj_deleteModel}, {mj_makeData(model), mj_deleteData}};
  mj_resetDataKeyframe(model, peer.data.get(), 0);
  mj_forward(model, peer.data.get());
  return peer;
}

Vector3 vector_at(const mjtNum* x) {
  return {x[0], x[1], x[2]};
}

Matrix3 matrix_at(const mjtNum* x) {
  return Eigen::Map<const Eigen::Matrix<mjtNum, 3, 3, Eigen::RowMajor>>(x);
}

/// The mass of a body with all that is welded to it, in the world's frame.
RobotMass mass_of(const PeerModel& peer, int body) {
  RobotMass sum;
  for (int i = 1; i < peer.model->nbody; ++i) {
    if (peer.model->body_weldid[i] != body) continue;
    const Matrix3 R = matrix_at(peer.data->ximat + 9 * i);
    const Matrix3 moments = vector_at(peer.model->body_inertia + 3 * i).asDiagonal();
    sum.add({peer.model->body_mass[i], vector_at(peer.data->xipos + 3 * i), R * moments * R.transpose()});
  }
  return sum;
}

class MuJoCoModels : public testing::TestWithParam<std::string> {};

TEST_P(MuJoCoModels, AreTheScenesThatTheyBecome) {
  const std::string file = std::string(STICKSLIP_TEST_DATA_DIR) + "/models/" + GetParam() + ".xml";
  const PeerModel peer = load_peer(file);
  RobotOptions options;
  options.key = "k";
  const ConvertedModel converted = convert_model(file, options);
  const test::SceneRun run{parse_scene(converted.scene, file)};
  const System& system = *run.built.system;
  const State& state = run.state;

  int n_bodies = 0;
  for (int i = 1; i < peer.model->nbody; ++i) {
    if (peer.model->body_weldid[i] != i) continue;
    const std::string name = mj_id2name(peer.model.get(), mjOBJ_BODY, i);
    const int body = system.find_body(name);
    ASSERT_GE(body, 0) << name;
    const RobotMass mass = mass_of(peer, i);
    const Pose pose = system.calc_pose(body, state.t, state.q);
    const Body& own = system.bodies()[static_cast<std::size_t>(body)];
    EXPECT_NEAR(own.mass, mass.mass, kAgree * mass.mass) << name;
    EXPECT_LT((pose.p_WB - mass.center).norm(), kAgree) << name;
    const Matrix3 inertia = pose.R_WB * own.inertia * pose.R_WB.transpose();
    EXPECT_LT((inertia - mass.inertia).norm(), kAgree * mass.inertia.norm()) << name;
    const Twist twist = system.calc_twist(body, state.t, state.q, state.u);
    std::array<mjtNum, 6> rate = {};
    mj_objectVelocity(peer.model.get(), peer.data.get(), mjOBJ_XBODY, i, rate.data(), 0);
    EXPECT_LT((twist.w_WB - vector_at(rate.data())).norm(), kAgree) << name;
    const Vector3 origin = pose.p_WB + pose.R_WB * own.drawing_origin;
    EXPECT_LT((origin - vector_at(peer.data->xpos + 3 * i)).norm(), kAgree) << name;
    const Vector3 velocity = twist.v_WB + twist.w_WB.cross(origin - pose.p_WB);
    EXPECT_LT((velocity - vector_at(rate.data() + 3)).norm(), kAgree) << name;
    ++n_bodies;
  }
  EXPECT_GT(n_bodies, 1);

  for (int j = 0; j < peer.model->njnt; ++j) {
    const int type = peer.model->jnt_type[j];
    if (type == mjJNT_FREE) continue;
    const std::string name = mj_id2name(peer.model.get(), mjOBJ_JOINT, j);
    const int index = system.find_joint(name);
    ASSERT_GE(index, 0) << name;
    const JointOptions& o = system.joints()[static_cast<std::size_t>(index)].options;
    const Pose at = system.calc_pose(o.second, state.t, state.q);
    if (type != mjJNT_SLIDE) {  // whose anchor may be anywhere along it
      const Vector3 anchor = at.p_WB + at.R_WB * o.on_second.at;
      EXPECT_LT((anchor - vector_at(peer.data->xanchor + 3 * j)).norm(), kAgree) << name;
    }
    if (type == mjJNT_BALL) continue;
    const Vector3 axis = at.R_WB * o.on_second.axes.col(2);
    EXPECT_LT((axis - vector_at(peer.data->xaxis + 3 * j)).norm(), kAgree) << name;
    const auto [coordinate, rate] = system.calc_joint_coordinate(index, state.t, state.q, state.u);
    EXPECT_NEAR(coordinate, peer.data->qpos[peer.model->jnt_qposadr[j]], kAgree) << name;
    EXPECT_NEAR(rate, peer.data->qvel[peer.model->jnt_dofadr[j]], kAgree) << name;
    const auto joint = std::ranges::find(run.scene.joints, name, &SceneJoint::name);
    EXPECT_NEAR(test::calc_effort(run.scene, *joint, coordinate, rate),
                peer.data->qfrc_actuator[peer.model->jnt_dofadr[j]], 1e-9)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MuJoCoModels,
                         testing::Values("pendulum", "arm", "gantry", "balls", "free", "inertials", "hulls", "four_bar",
                                         "fused", "hand"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace stickslip
