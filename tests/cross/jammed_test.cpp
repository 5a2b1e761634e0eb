// SPDX-License-Identifier: BSD-3-Clause
// A heap in which the friction of a rod's tip and of its hinge jams it: a step that no index sets solve, with
// percussions beyond all bounds that solve the velocity level. It ends inexact, and without energy from nowhere.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

/// Found among random heaps of balls, boxes and rods between slanted walls.
const char* const kJammedHeap = R"(stickslip = 1
time = {end = 0.8, step = 0.001}
scheme = {type = "generalized-alpha"}
gravity = [0, -9.81]
bodies.floor = {type = "fixed", group = "w", shapes.p = {type = "half-space", normal = [-0.026933418489757055, 1]}}
bodies.wl = {type = "fixed", group = "w", shapes.p = {type = "half-space", normal = [1, 0.1], offset = -1.5}}
bodies.wr = {type = "fixed", group = "w", shapes.p = {type = "half-space", normal = [-1, 0.1], offset = -1.5}}
bodies.b0 = {type = "planar", mass = 1.475579421311231, inertia = 0.004437590699710733, position = [-0.8857985116462004, 0.6805810763063382], angle = -2.757578535855899, velocity = [-1.2, 1.08], angular_velocity = -1.661830183425764, shapes.s = {type = "sphere", radius = 0.07755455749919134}}
bodies.b1 = {type = "planar", mass = 12.106041556922603, inertia = 0.13391524679344102, position = [-0.3086907867020914, 0.7089983017923394], angle = -1.8244933864450066, velocity = [0.04, -1.58], angular_velocity = -1.2538544947168462, shapes.s = {type = "sphere", radius = 0.14874039505431486}}
bodies.b2 = {type = "planar", mass = 9.497994620805914, inertia = 0.031568817468464724, position = [0.2598242114120143, 0.7430157491126749], angle = -0.10779597674337538, velocity = [-1.3, -3.26], angular_velocity = -5.187542647064011, shapes.s = {type = "sphere", radius = 0.08153201866047527}}
bodies.b3 = {type = "planar", mass = 3.0531702740854874, inertia = 0.027651458158542606, position = [0.9077547914940296, 0.6930306107668817], angle = 1.4147075824635325, velocity = [-0.0, -1.84], angular_velocity = 2.8479482122725424, shapes.s = {type = "sphere", radius = 0.1345855718609742}}
bodies.b4 = {type = "planar", mass = 1.8116413747628453, inertia = 0.012647118012511165, position = [-0.9143998363001339, 1.2284628587181194], angle = 2.6572379457546003, velocity = [-1.4, -1.64], angular_velocity = -1.7681075114360993, group = "box", shapes.s = {type = "box", size = [0.26822192655244714, 0.10876270727908324]}}
bodies.b5 = {type = "planar", mass = 0.22125202437496386, inertia = 0.0015933306748624916, position = [-0.3369963395622295, 1.2245942227496605], angle = -1.779974346503179, velocity = [1.7, -2.46], angular_velocity = 2.039327121467554, group = "box", shapes.s = {type = "box", size = [0.2471566728403288, 0.15915628572522983]}}
bodies.b6 = {type = "planar", mass = 0.04910416166528268, inertia = 0.0003114235020743149, position = [0.3208735534764488, 1.2133144447129987], angle = -1.332161064887898, velocity = [-1.48, -0.58], angular_velocity = -6.671441502837528, shapes.s = {type = "sphere", radius = 0.11262415342142464}}
bodies.b7 = {type = "planar", mass = 0.21544277694956598, inertia = 0.0036712303734982043, position = [0.8658740097023016, 1.2477746256941133], angle = -1.0113601245047121, velocity = [1.48, -1.2], angular_velocity = 7.59793495367861, group = "box", shapes.a = {type = "point", position = [0.22609995562733845, 0]}, shapes.b = {type = "point", position = [-0.22609995562733845, 0]}}
contact_default = {friction = 1.5, restitution = {normal = 0.3}, except = [["group:w", "group:w"], ["group:box", "group:box"], ["b0", "b4"], ["b0", "b5"], ["b1", "b4"], ["b1", "b5"], ["b2", "b4"], ["b2", "b5"], ["b3", "b4"], ["b3", "b5"], ["b6", "b4"], ["b6", "b5"]]}
joints.j0 = {type = "revolute", between = ["b7", "b3"], at = [-0.4335923346765249, 0.9], friction = 0.2}
forces.f1 = {type = "spring", between = ["b2", "b3"], stiffness = 14.092543302635391, damping = 1.0, rest = 0.3}
)";

void expect_no_energy_from_nowhere(const std::string& text) {
  SceneRun run = scene_from_text(text);
  double energy = run.report.kinetic_energy + run.report.potential_energy;
  int inexact = 0;
  for (int n = 1; n <= 800; ++n) {
    const Status status = run.step();
    ASSERT_NE(status, Status::failed) << n << ": " << run.report.message;
    inexact += status == Status::inexact ? 1 : 0;
    const double now = run.report.kinetic_energy + run.report.potential_energy;
    // Nothing drives the heap; the spring is a part of the potential energy.
    EXPECT_LE(now, energy + 1e-3) << n;
    energy = now;
  }
  EXPECT_LE(inexact, 8);
}

TEST(JammedHeap, TakesEnergyOnly) {
  expect_no_energy_from_nowhere(kJammedHeap);
}

/// What flies by far away excuses nothing.
TEST(JammedHeap, TakesEnergyOnlyBesideAFastHeavyBody) {
  expect_no_energy_from_nowhere(std::string(kJammedHeap) + R"(
[bodies.far]
type = "planar"
mass = 1e6
inertia = 1e6
position = [1000, 0]
velocity = [100, 0]
)");
}

}  // namespace
}  // namespace stickslip::test
