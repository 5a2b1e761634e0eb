# SPDX-License-Identifier: BSD-3-Clause
"""Bifurcation diagrams by points of Poincaré sections."""
import dataclasses
import math

import numpy as np

from . import _scenes, _stickslip


@dataclasses.dataclass
class Bifurcation:
    """A bifurcation diagram: values (n) of the key; points (n, count) of the quantity and times (n, count) [s] at the upward
    zeros of the section, NaN where there were fewer; status (n): the worst of the steps, 0 ok, 1 inexact, 2 failed.
    """

    key: str
    quantity: str
    values: np.ndarray
    points: np.ndarray
    times: np.ndarray
    status: np.ndarray

    def plot(self, axes=None, **style):
        """Draws the points over the values into axes of matplotlib, new ones unless given, and returns them."""
        if axes is None:
            import matplotlib.pyplot as pyplot

            axes = pyplot.figure(constrained_layout=True).add_subplot()
        x = np.broadcast_to(self.values[:, None], self.points.shape)
        axes.plot(x.ravel(), self.points.ravel(), **{"linestyle": "", "marker": ".", "markersize": 3, **style})
        axes.set_xlabel(self.key)
        axes.set_ylabel(self.quantity)
        return axes


def bifurcation(scene, key, values, section, quantity, *, after=0.0, count=32, follow=False, control=None, set=None):
    """Draws samples for a bifurcation diagram: runs a scene for each value of a key, and notes a quantity wherever a section
    is crossed.

    key: the key path that varies, such as "parameters.v"; values (n). section, quantity: expressions of the state, as in
    Simulation.evaluate(). A crossing is an upward zero of the section, from below 0 to 0 or above within a step; time and
    quantity are linear between the ends of the step. The first `count` crossings after `after` [s] are noted, for as long
    as the scene lasts. follow: each run begins where the one before ended, which follows one motion over the values: the
    way up and the way down differ where there are several. control(simulation) is called before each step. set: keys that
    stay. A failed step ends its run. Returns a Bifurcation.

    Only motions that attract are seen; find_periodic() finds others, too.
    """
    values = np.array(values, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("values: an array of finite numbers, of shape (n)")
    if not after >= 0.0:
        raise ValueError("after: at least 0 s")
    if count < 1:
        raise ValueError("count: at least 1")
    if not isinstance(scene, _scenes.Scene):
        scene = _scenes.Scene(scene) if isinstance(scene, dict) else _scenes.load(scene)
    points, times = np.full((len(values), count), math.nan), np.full((len(values), count), math.nan)
    status = np.zeros(len(values), dtype=np.int64)
    state = None
    for i, value in enumerate(values.tolist()):
        changed = {**(set or {}), key: value}
        sim = _stickslip.Simulation(scene, set=changed)
        length = sim.end - sim.time
        if state is not None:
            sim = _stickslip.Simulation(scene, end=math.inf, set=changed)
            sim.restore(state)
        begin = sim.time
        crossed, noted = _stickslip.StateExpression(sim, section), _stickslip.StateExpression(sim, quantity)
        before = begin, crossed.value(), noted.value()
        k = 0
        while k < count and not sim.done and sim.time < begin + length:
            if control is not None:
                control(sim)
            step = sim.step()
            status[i] = max(status[i], step.status)
            if step.status == 2:
                break
            now = step.time, crossed.value(), noted.value()
            if before[1] < 0 <= now[1]:
                share = before[1] / (before[1] - now[1])
                time = before[0] + share * (now[0] - before[0])
                if time >= begin + after:
                    times[i, k], points[i, k] = time, before[2] + share * (now[2] - before[2])
                    k += 1
            before = now
        if follow:
            state = sim.state
    return Bifurcation(key, quantity, values, points, times, status)
