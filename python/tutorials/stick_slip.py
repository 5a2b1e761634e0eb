# SPDX-License-Identifier: BSD-3-Clause
"""A stick-slip oscillator: a mass on a belt, held by a spring and a damper, under friction that falls with the speed of slip.

    F(v) = sign(v) (F_d + (F_s - F_d) exp(-|v| / v_s)), v the speed of the belt against the mass

Known: the mass can rest while the belt slides under it. That loses its stability where friction falls as steeply as the
damper's force rises, (F_s - F_d) / v_s exp(-v / v_s) = c. Below, it sticks and slips; on the way up stick-slip goes on
beyond that speed, so that both motions exist in between.
"""
import math
import sys

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

MASS, STIFFNESS, DAMPER = 1.0, 2500.0, 5.0               # [kg], [N/m], [N s/m]
STATIC, DYNAMIC, FALL = 10.0, 5.0, 0.1                   # [N] F_s, F_d; [m/s] v_s
CRITICAL = FALL * math.log((STATIC - DYNAMIC) / (FALL * DAMPER))           # [m/s]

scene = ss.Scene(time={"end": 20.0, "step": 2e-3}, gravity=[0, 0], scheme={"type": "moreau"},
                 parameters={"v": 0.1, "dF": STATIC - DYNAMIC, "vs": FALL})
scene.bodies["wall"] = ss.Fixed()
scene.bodies["belt"] = ss.Moving(position=["v*t", 0])
scene.bodies["mass"] = ss.Planar(mass=MASS, inertia=1.0)
scene.joints["guide"] = ss.Prismatic(between=["wall", "mass"], at=[0, 0], axis=[1, 0],
                                     spring={"stiffness": STIFFNESS, "damping": DAMPER})
scene.forces["friction"] = ss.DryFriction(between=["belt", "mass"], bound=STATIC, axis=[1, 0])

# What friction is less than F_s: the state-dependent part of it.
scene.forces["fall"] = ss.Load(body="mass", force=["-dF*sign(v - vx(mass))*(1 - exp(-abs(v - vx(mass))/vs))", 0])

# Where the mass turns on its way back, after 19 s, at rising and at falling speeds of the belt.
speeds = np.arange(0.14, 0.39, 0.02)                     # [m/s]
turning = {"section": "vx(mass)", "quantity": "x(mass)", "after": 19.0, "count": 5, "follow": True}
up = ss.bifurcation(scene, "parameters.v", speeds, **turning)
down = ss.bifurcation(scene, "parameters.v", speeds[::-1], **turning)

rest = (DYNAMIC + (STATIC - DYNAMIC) * np.exp(-speeds / FALL)) / STIFFNESS                  # [m]
rising, falling = (rest[:, None] - points for points in [up.points, down.points[::-1]])     # (n, 5) [m]
rising, falling = (np.nan_to_num(swing).max(axis=1) for swing in [rising, falling])         # NaN: it does not turn at all
print(f"belt [m/s]   swing [mm], speed rising   falling   (rest is unstable below {CRITICAL:.4f} m/s)")
for row in zip(speeds, 1e3 * rising, 1e3 * falling):
    print("{:10.2f} {:26.4f} {:9.4f}".format(*row))
assert (falling[speeds > CRITICAL] < 1e-6).all() and (falling[speeds < CRITICAL - 0.01] > 3e-3).all()
assert (rising[speeds < CRITICAL + 0.05] > 3e-3).all()  # both motions exist

figure, axes = plt.subplots(figsize=(6, 3.5), constrained_layout=True)
up.plot(axes, color="C3", marker="^", markersize=5, label="speed rising")
down.plot(axes, color="C0", marker="v", markersize=5, label="speed falling")
axes.axvline(CRITICAL, color="grey", linestyle=":")
axes.set(xlabel="speed of the belt [m/s]", ylabel="where the mass turns [m]")
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "stick_slip.png")
