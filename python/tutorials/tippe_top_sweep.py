# SPDX-License-Identifier: BSD-3-Clause
"""How fast must a tippe top spin to turn over? A parameter study over spin and friction, as one sweep.

Friction acts at the contact point and takes energy, but leaves Jellett's integral J = L . r as it is, L the angular
momentum and r (R n - a e) from the contact to the centre of mass, n the vertical and e the axis. Known: with this J, at an
inclination theta, the top has at least the energy

    E(theta) = J^2 / (2 (A R^2 sin^2 theta + C (R cos theta - a)^2)) + m g (R - a cos theta)

So it rises until E is least. With a slow spin that is before the stick touches the ground: it does not turn over.
"""
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

SCENE = pathlib.Path(__file__).parents[2] / "scenes/papers/capobianco/tippe_top.toml"
SPINS = [40.0, 240.0, 21]                                # [rad/s] first, last, number

plan = {
    "sweep": 1,
    "scene": str(SCENE),
    "set": {"time.end": 3.0, "parameters.spin": 0, "bodies.top.angular_velocity": [0, 0, "=spin"], "parameters.mu": 0,
            "contacts.main.friction": "=mu", "contacts.stick.friction": "=mu"},
    "parameters": {"spin": {"grid": SPINS}, "mu": {"list": [0.1, 0.3, 0.6]}},
    "quantities": {"height": {"value": "z(top)", "take": "max"}},
}
table = ss.sweep(plan)
spins = np.linspace(*SPINS)
heights = table.quantities["height"].reshape(-1, 3).T    # [m] (3, n): lists run faster than grids

A, C, R, a, weight = 8e-7, 7e-7, 15e-3, 3e-3, 6e-3 * 9.81
theta = np.linspace(0, np.arccos(-10 / 13), 10001)       # until the stick touches the ground
J = C * spins[:, None] * (R * np.cos(0.1) - a)           # at the start it spins about its axis, inclined by 0.1 rad
energy = J**2 / (2 * (A * R**2 * np.sin(theta) ** 2 + C * (R * np.cos(theta) - a) ** 2)) + weight * (R - a * np.cos(theta))
bound = R - a * np.cos(theta[energy.argmin(axis=1)])     # (n) [m]
may_turn = energy.argmin(axis=1) == len(theta) - 1

print("spin [rad/s]  highest centre [mm]  mu =  0.1    0.3    0.6   at most")
for k in range(0, len(spins), 2):
    most = "turns over" if may_turn[k] else f"{1e3 * bound[k]:.2f}"
    print(f"{spins[k]:12.0f}", " " * 21, *(f"{1e3 * height:6.2f}" for height in heights[:, k]), most)
assert (heights[:, ~may_turn] < bound[~may_turn]).all() and (table.status == 0).all()
assert (heights[1, spins > 170] > 20.9e-3).all()         # it stands on its stick, 21 mm
assert np.allclose(heights[0, 2:6], bound[2:6], rtol=0.03)

figure, axes = plt.subplots(figsize=(6, 3.5), constrained_layout=True)
axes.plot(spins, 1e3 * heights.T, marker=".", label=["mu = 0.1", "mu = 0.3", "mu = 0.6"])
axes.plot(spins[~may_turn], 1e3 * bound[~may_turn], "k:", label="at most, by J")
axes.set(xlabel="spin [rad/s]", ylabel="highest centre of mass in 3 s [mm]")
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "tippe_top_sweep.png")
