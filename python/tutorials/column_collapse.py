# SPDX-License-Identifier: BSD-3-Clause
"""The collapse of a column of grains against a wall, in the plane.

Discs settle between two walls; then the right wall is taken away. Known: how far the heap runs out depends on the aspect
ratio a = height / width alone. Experiments with grains between plates have (r - r0) / r0 = 1.2 a for a < 1.8 [Lube2005];
with 150 grains a few of them make a tenth of that.
"""
import sys

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

RADIUS = 0.01                                            # [m] of the largest disc, the smallest is 60 % of it


def make_scene(columns, rows, has_gate):
    """The discs on a grid, somewhat shaken, and the width of the column [m]."""
    width = (2.2 * columns + 0.4) * RADIUS
    scene = ss.Scene(time={"end": 1.5, "step": 2e-3}, gravity=[0, -9.81], contact_default={"friction": 0.5},
                     scheme={"type": "moreau"}, solver={"type": "ags", "tolerance": 1e-4})
    grit = {f"grit{k}": ss.Sphere(RADIUS, position=[(2 * k + 1) * RADIUS, -RADIUS]) for k in range(60)}
    scene.bodies["floor"] = ss.Fixed(shapes=grit)        # on a smooth one discs roll on for ever
    scene.bodies["wall"] = ss.Fixed(shapes={"s": ss.HalfSpace([1, 0])})
    if has_gate:
        scene.bodies["gate"] = ss.Fixed(shapes={"s": ss.HalfSpace([-1, 0], offset=-width)})
    disc = ss.Planar(density=1000, shapes={"s": ss.Sphere({"uniform": [0.6 * RADIUS, RADIUS]})})
    scene.fill.append({"prefix": "disc", "body": disc, "jitter": 0.2 * RADIUS, "seed": 3,
                       "grid": {"counts": [columns, rows], "spacing": 2.2 * RADIUS, "origin": [1.3 * RADIUS] * 2}})
    return scene, width


figure, axes = plt.subplots(3, 1, figsize=(7, 6), sharex=True, constrained_layout=True)
print("grains   height/width   run-out/width   run-out/height")
for axis, (columns, rows) in zip(axes, [(12, 13), (10, 16), (8, 20)]):
    scene, width = make_scene(columns, rows, has_gate=True)
    settled = ss.Simulation(scene)
    settled.advance(0.8)
    sim = ss.Simulation(make_scene(columns, rows, has_gate=False)[0])
    sim.reset(q=settled.q)                               # at rest; fixed bodies have no coordinates
    x, y = sim.q[0::3], sim.q[1::3]                      # views, which follow the simulation
    axis.scatter(x, y, s=6, color="lightgrey")
    aspect = y.max() / width
    last = sim.advance(1.5)
    axis.scatter(x, y, s=6)
    axis.set(ylabel="y [m]", aspect="equal")
    reach = np.percentile(x, 98) / width - 1             # a grain or three may have jumped away
    print(f"{len(x):6d} {aspect:14.2f} {reach:15.2f} {reach / aspect:16.2f}")
    assert last.kinetic_energy < 1e-3 * last.dissipated  # it has come to rest
    assert 0.9 < reach / aspect < 1.4
axes[-1].set_xlabel("x [m]")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "column_collapse.png")
