# SPDX-License-Identifier: BSD-3-Clause
"""The contact solvers by themselves: one time step of a table on four feet, on a slope.

The step's unknowns are the percussions p of the feet, u = W p + b their velocities after it: W = J M^-1 J^T, and b what
the velocities were without contact. Four feet are one too many, so p is not unique; what it does to the table is.
Known: below the angle of friction the table rests, u = 0, and p balances its weight. Beyond, it slides along the slope
with g (sin a - mu cos a) h after a step of length h.
"""
import sys

import matplotlib.pyplot as plt
import numpy as np

import stickslip as ss

MASS, FRICTION, GRAVITY, STEP = 10.0, 0.5, 9.81, 1e-2            # [kg], [-], [m/s^2], [s]
INERTIA = np.array([0.4, 0.7, 0.9])                              # [kg m^2] about x (along the slope), y, z (its normal)
FEET = np.array([[x, y, -0.1] for x in (-0.4, 0.4) for y in (-0.3, 0.3)])        # [m] from the centre of mass


def rows_of(foot):
    """Velocities of a foot along normal, x, y for velocity (3) and angular velocity (3) of the table."""
    x, y, z = foot
    return np.array([[0, 0, 1, y, -x, 0], [1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x]])


J = np.vstack([rows_of(foot) for foot in FEET])                  # (12, 6)
M = np.diag([MASS] * 3 + list(INERTIA))                          # (6, 6)
W = J @ np.linalg.solve(M, J.T)                                  # (12, 12) [1/kg], of rank 6


def pull(angle):
    """Momentum (6) that gravity gives the table in the step."""
    return MASS * GRAVITY * STEP * np.array([np.sin(angle), 0, -np.cos(angle), 0, 0, 0])


print("solver          angle      status  iterations  residual [m/s]   slides with [mm/s]")
for angle in np.radians([20, 35]):
    slides = max(0.0, GRAVITY * STEP * (np.sin(angle) - FRICTION * np.cos(angle)))
    for solver in ss.solvers():
        answer = ss.solve(W, J @ np.linalg.solve(M, pull(angle)), FRICTION, solver=solver)
        momentum = pull(angle) + J.T @ answer.p                  # of the table after the step
        print(f"{solver:<14} {np.degrees(angle):4.0f} deg {answer.status:>9} {answer.iterations:9d} {answer.residual:14.1e}"
              f" {1e3 * momentum[0] / MASS:16.4f}")
        if answer.status == "ok":
            assert np.allclose(momentum, [MASS * slides, 0, 0, 0, 0, 0], atol=1e-8), solver

# Of all p that solve the problem, `forces="least-norm"` gives the smallest, which shares as the table is built.
angles = np.radians(np.linspace(0, 45, 46))
forces = []
for angle in angles:
    answer = ss.solve(W, J @ np.linalg.solve(M, pull(angle)), FRICTION, forces="least-norm")
    forces.append(answer.p[::3] / STEP)
figure, axes = plt.subplots(figsize=(6, 3.5), constrained_layout=True)
axes.plot(np.degrees(angles), forces, label=["upper feet", None, "lower feet", None])
axes.axvline(np.degrees(np.arctan(FRICTION)), color="grey", linestyle=":", label="angle of friction")
axes.set(xlabel="slope [deg]", ylabel="normal force of a foot [N]")
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "contact_solvers.png")
