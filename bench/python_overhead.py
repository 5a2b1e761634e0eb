# SPDX-License-Identifier: BSD-3-Clause
"""What Python adds to a step, in microseconds: the time of loops beside that of the same steps within one call. The
smallest of several rounds each, taken in turn, in processor time.
"""
import math
import sys
import time

import stickslip as ss

ARM = """
stickslip = 1
time = {end = 1.0, step = 1e-4}
scheme = {type = "moreau"}
gravity = [0, -9.81]
[bodies.base]
type = "fixed"
[bodies.arm]
type = "planar"
mass = 1.5
inertia = 0.05
position = [0.4, 0]
[joints.elbow]
type = "revolute"
between = ["base", "arm"]
at = [0, 0]
"""


def steps(sim, n):
    sim.step(n)


def calls(sim, n):
    for _ in range(n):
        sim.step()


def loop(sim, n):
    until = sim.time + (n - 0.5) * 1e-4
    for step in sim.run(until=until):
        step.residual, step.energy_error


def controlled(sim, n):
    until = sim.time + (n - 0.5) * 1e-4
    for _ in sim.run(until=until):
        sim.joints["elbow"].effort = 3.0 * (0.1 - sim.joints["elbow"].coordinate)


def one_call_controlled(sim, n):
    sim.joints["elbow"].effort = 1.0
    sim.step(n)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    cases = {"step(n)": steps, "step() n times": calls, "run() and two numbers": loop, "step(n) with an effort": one_call_controlled,
             "run() and a law for an effort": controlled}
    best = dict.fromkeys(cases, math.inf)
    for _ in range(7):
        for name, case in cases.items():
            sim = ss.Simulation(ss.parse(ARM), end=math.inf)
            begin = time.process_time()
            case(sim, n)
            best[name] = min(best[name], (time.process_time() - begin) / n * 1e6)
    for name, value in best.items():
        base = best["step(n) with an effort" if "effort" in name else "step(n)"]
        print(f"{name:<32} {value:7.3f} us a step, {value - base:6.3f} us beyond the step")


main()
