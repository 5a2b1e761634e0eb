# SPDX-License-Identifier: BSD-3-Clause
"""Grasp and lift: two fingers press a box between them, and the hand moves up with constant acceleration.

Known: friction at both fingers carries the box as long as 2 mu F >= m (g + a). With less it slides down in the hand with
the acceleration (g + a) - 2 mu F / m.
"""
import sys

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

MASS, FRICTION, ACCELERATION, GRAVITY = 0.5, 0.4, 2.0, 9.81      # [kg], [-], [m/s^2]
LEAST = MASS * (GRAVITY + ACCELERATION) / (2 * FRICTION)         # [N] the least force that holds the box

scene = ss.Scene(time={"end": 0.2, "step": 1e-3}, gravity=[0, -GRAVITY])
scene.bodies["hand"] = ss.Moving(position=[0, f"{ACCELERATION / 2}*t^2"])
scene.bodies["box"] = ss.Planar(mass=MASS, inertia=1e-3, shapes={"box": ss.Box([0.1, 0.1])})
for name, side in [("left", -1), ("right", 1)]:
    # A tip of two balls a finger: two points of contact, so that the box cannot turn.
    tip = {end: ss.Sphere(0.005, position=[0, y]) for end, y in [("low", -0.02), ("high", 0.02)]}
    scene.bodies[name] = ss.Planar(mass=0.05, inertia=1e-5, position=[0.055 * side, 0], shapes=tip)
    scene.joints[name] = ss.Prismatic(between=["hand", name], at=[0, 0], axis=[-side, 0])
    for end in tip:
        scene.contacts.append(ss.Contact(["box/box", f"{name}/{end}"], name=f"{name}-{end}", friction=FRICTION))


def lift(force):
    """t [s] and by how much the box has slid down in the hand [m], after each step."""
    sim = ss.Simulation(scene)
    for name in ["left", "right"]:
        sim.joints[name].effort = force
    box, left = sim.bodies["box"], sim.bodies["left"]
    rows = np.array([[step.time, left.position[1] - box.position[1]] for step in sim.run(raise_on="inexact")])
    return rows, sim


figure, axes = plt.subplots(figsize=(6, 3.5), constrained_layout=True)
print("force / least   slid down [mm]   expected")
for share in [0.9, 0.95, 0.99, 1.01, 1.5]:
    rows, sim = lift(share * LEAST)
    expected = max(0.0, (GRAVITY + ACCELERATION) * (1 - share)) / 2 * rows[:, 0] ** 2
    print(f"{share:13.2f} {1e3 * rows[-1, 1]:16.3f} {1e3 * expected[-1]:10.3f}")
    assert np.allclose(rows[:, 1], expected, rtol=0.02, atol=1e-5), share
    assert np.isclose(sim.bodies["left"].contact_force[0], -share * LEAST, rtol=1e-6)
    axes.plot(rows[:, 0], 1e3 * rows[:, 1], label=f"{share} of the least force")
axes.set(xlabel="t [s]", ylabel="slid down in the hand [mm]", title=f"The least force is {LEAST:.3f} N")
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "grasp_and_lift.png")
