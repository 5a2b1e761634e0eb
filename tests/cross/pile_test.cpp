// SPDX-License-Identifier: BSD-3-Clause
// Whole steps on the packed Delassus operator, judged from states and percussions alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/pile_scene.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

/// Angular velocities of all bodies in the world frame. (3) [rad/s] each
std::vector<Vector3> spins_of(const SceneRun& run) {
  const System& system = *run.built.system;
  std::vector<Vector3> spins;
  for (int i = 0; i < static_cast<int>(system.bodies().size()); ++i) {
    spins.push_back(system.calc_motion(system.attach(i), run.state.t, run.state.q, &run.state.u).w);
  }
  return spins;
}

/// Contacts that the step was solved with: their gap was at most the activation distance, up to what they moved.
long count_near(const StepReport& report) {
  return std::ranges::count_if(report.contacts, [](const ContactReport& c) { return c.gap < 0.5e-3; });
}

TEST(Pile, EveryBodyIsInBalance) {
  SceneRun run = scene_from_text(pile_scene("auto"));
  const double h = run.scene.time.step;
  const std::vector<Body>& bodies = run.built.system->bodies();
  int slipping = 0;
  for (int n = 1; n <= 100; ++n) {
    const Vector before = run.state.u;
    const std::vector<Vector3> spins_before = spins_of(run);
    ASSERT_EQ(run.step(), Status::ok) << n << ": " << run.report.message;
    ASSERT_GE(count_near(run.report), 64) << "fewer take another operator";
    std::vector<Vector3> force(bodies.size(), Vector3::Zero());   // [N s]
    std::vector<Vector3> torque(bodies.size(), Vector3::Zero());  // [N m s] about the centres
    for (const ContactReport& contact : run.report.contacts) {
      const Vector3 P = contact.percussion[0] * contact.normal + contact.percussion[1] * contact.tangent +
                        contact.percussion[2] * contact.normal.cross(contact.tangent);
      slipping += contact.status == ContactStatus::slip ? 1 : 0;
      force[contact.body_a] -= P;
      force[contact.body_b] += P;
      constexpr double kRadius = 0.01;  // [m] from a ball's centre to its contacts, along the normal
      torque[contact.body_a] -= kRadius * contact.normal.cross(P);
      torque[contact.body_b] -= kRadius * contact.normal.cross(P);
    }
    const std::vector<Vector3> spins = spins_of(run);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].n_u == 0) continue;
      const Vector3 jump = run.state.u.segment<3>(bodies[i].u_offset) - before.segment<3>(bodies[i].u_offset);
      const Vector3 pushed = force[i] / bodies[i].mass - Vector3(0.0, 0.0, 9.81 * h);
      EXPECT_LE((jump - pushed).norm(), 1e-13) << bodies[i].name << " in step " << n;  // [m/s] round-off
      // The inertia of a ball is the same about all axes, and its rotation in a step is about its angular velocity.
      const Vector3 turned = torque[i] / bodies[i].inertia(0, 0);
      EXPECT_LE((spins[i] - spins_before[i] - turned).norm(), 1e-11) << bodies[i].name << " in step " << n;  // [rad/s]
    }
  }
  EXPECT_GT(slipping, 100) << "the block must slide";
}

TEST(Pile, ARunGoesOnToTheSameBits) {
  SceneRun whole = scene_from_text(pile_scene("auto"));
  SceneRun part = scene_from_text(pile_scene("auto"));
  while (whole.state.step < 20) ASSERT_EQ(whole.step(), Status::ok);
  part.state = state_from_bytes(to_bytes(whole.state));
  while (whole.state.step < 40) {
    ASSERT_EQ(whole.step(), Status::ok);
    ASSERT_EQ(part.step(), Status::ok);
  }
  EXPECT_EQ(to_bytes(whole.state), to_bytes(part.state));
}

}  // namespace
}  // namespace stickslip::test
