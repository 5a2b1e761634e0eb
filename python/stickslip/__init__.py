# SPDX-License-Identifier: BSD-3-Clause
"""stickslip simulates mechanical systems whose parts touch, stick, slip and collide.

    import stickslip as ss
    sim = ss.Simulation("scene.toml")
    for step in sim.run(until=2.0):
        sim.joints["elbow"].effort = -kp * sim.joints["elbow"].coordinate

Arrays are float64, SI units, radians; vectors are always (3), z = 0 in the plane.
"""
from ._bifurcation import Bifurcation, bifurcation
from ._errors import InputError, Status, StepError, WriteError
from ._periodic import PeriodicMotion, find_periodic
from ._results import Result, open, plot
from ._runs import ConeProblem, Rollout, RunResult, Solution, analyze, rollout, run, solve
from ._scenes import MAKERS as _MAKERS
from ._scenes import Scene, Table, load, parse
from ._sweep import SweepTable, sweep
from ._stickslip import (Bodies, Body, ContactPoint, Contacts, Inputs, Joint, Joints, Sensor, Sensors, Simulation, Site, Sites,
                         State, Step, __commit__, __version__, schemes, solvers)

globals().update(_MAKERS)

__all__ = ["Bifurcation", "Bodies", "Body", "ConeProblem", "ContactPoint", "Contacts", "InputError", "Inputs", "Joint", "Joints",
           "PeriodicMotion", "Result", "Rollout", "RunResult", "Scene", "Sensor", "Sensors", "Simulation", "Site", "Sites",
           "Solution", "State", "Status", "Step",
           "StepError", "SweepTable", "Table", "WriteError", "analyze", "bifurcation", "find_periodic", "load", "open", "parse",
           "plot", "rollout", "run", "schemes", "solve", "solvers", "sweep", *_MAKERS]
