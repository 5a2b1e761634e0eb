# SPDX-License-Identifier: BSD-3-Clause
"""A PD-controlled arm: two links in the vertical plane, a motor in each joint.

Known: a PD law alone, tau = kp (target - q) - kd q', stops below its target, where its spring carries the weight:
kp (target - q) = G(q). With the weight G(q) added to tau the arm comes to rest at the target itself.
"""
import sys

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

LENGTH, MASS = 0.5, 2.0                                  # [m], [kg] of each link
TARGET, KP, KD = np.array([0.6, 0.8]), 120.0, 16.0       # [rad], [N m/rad], [N m s/rad]

scene = ss.Scene(time={"end": 4.0, "step": 1e-3}, gravity=[0, -9.81])
scene.bodies["base"] = ss.Fixed()
for k, name in enumerate(["upper", "lower"]):
    scene.bodies[name] = ss.Planar(mass=MASS, inertia=MASS * LENGTH**2 / 12, position=[(k + 0.5) * LENGTH, 0],
                                   shapes={"rod": ss.Box([LENGTH, 0.04], visual=True)})
scene.joints["shoulder"] = ss.Revolute(between=["base", "upper"], at=[0, 0])
scene.joints["elbow"] = ss.Revolute(between=["upper", "lower"], at=[LENGTH, 0])


def weight(sim):
    """G(q) (2) [N m]: the moments of the weights beyond each joint about it."""
    upper, lower = sim.bodies["upper"].position[0], sim.bodies["lower"].position[0]
    elbow = 2 * upper
    return MASS * 9.81 * np.array([upper + lower, lower - elbow])


def simulate(carries_weight):
    sim = ss.Simulation(scene)
    joints = [sim.joints["shoulder"], sim.joints["elbow"]]
    rows = []
    for step in sim.run(raise_on="inexact"):
        q = np.array([joint.coordinate for joint in joints])
        efforts = KP * (TARGET - q) - KD * np.array([joint.rate for joint in joints])
        efforts += weight(sim) if carries_weight else 0.0
        for joint, effort in zip(joints, efforts):
            joint.effort = effort
        rows.append([step.time, *q])
    return sim, np.array(rows)


figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, constrained_layout=True)
print("law                 shoulder  elbow [rad]")
for axis, (name, carries) in zip(axes, [("PD", False), ("PD and weight", True)]):
    sim, rows = simulate(carries)
    print(f"{name:<18} {rows[-1, 1]:9.5f} {rows[-1, 2]:7.5f}")
    axis.plot(rows[:, 0], rows[:, 1:])
    axis.hlines(TARGET, 0, 4, color="grey", linestyle=":")
    axis.set(title=name, xlabel="t [s]", ylabel="joint angles [rad]")
    carried = 0 if carries else weight(sim) / KP
    assert np.allclose(TARGET - rows[-1, 1:], carried, atol=1e-5), name
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "pd_arm.png")
