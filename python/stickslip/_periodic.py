# SPDX-License-Identifier: BSD-3-Clause
"""Periodic motions by Newton's method on the return map."""
import dataclasses
import math

import numpy as np

from . import _scenes, _stickslip
from ._errors import InputError, StepError

# Of central differences, relative to each unknown: the cube root of round-off, at which truncation and it are alike.
_DIFFERENCE = 6e-6
# Steps that a Newton step is halved in at most, where the residual would grow.
_HALVINGS = 8
# Tries of the instant at which a section is crossed; the secant method with bisection needs about ten.
_CUTS = 60


@dataclasses.dataclass
class PeriodicMotion:
    """A motion that returns: period [s]; values, a dictionary of the unknowns; multipliers, the complex eigenvalues of the
    derivative of the return map, the largest first; residual, by how much the return misses the start, relative;
    converged; iterations; state, the State at its start.
    """

    period: float
    values: dict
    multipliers: np.ndarray
    residual: float
    converged: bool
    iterations: int
    state: object


def _raise_failed(step):
    if step.status == 2:
        error = StepError(f"the step to t = {step.time:.9g} s failed: {step.message}")
        error.step = step
        raise error


def _moved(sim):
    """Moves to the end; StepError where a step fails."""
    _raise_failed(sim.advance(math.inf))
    return sim


class _ReturnMap:
    def __init__(self, scene, unknowns, period, section, fixed):
        self._scene, self._keys, self._expressions = scene, list(unknowns), list(unknowns.values())
        self._period, self._section, self._fixed = period, section, fixed

    def _make(self, x, end=None):
        return _stickslip.Simulation(self._scene, end=end, set={**self._fixed, **dict(zip(self._keys, x.tolist()))})

    def start(self, x):
        return self._make(x).state

    def _values(self, sim):
        return np.array([sim.evaluate(text) for text in self._expressions])

    def __call__(self, x):
        """What the unknowns are on return, and the period."""
        if self._section is not None:
            return self._cross(x)
        begin = self._make(x).time
        sim = _moved(self._make(x, end=begin + self._period))
        return self._values(sim), sim.time - begin

    def _cross(self, x):
        """The same at the first upward zero of the section."""
        sim = self._make(x)
        begin, section = sim.time, _stickslip.StateExpression(sim, self._section)
        now = section.value()
        while not sim.done:
            before, state = now, sim.state
            _raise_failed(sim.step())
            now = section.value()
            if before < 0 <= now:
                values, time = self._cut(x, state, before, sim, now)
                return values, time - begin
        raise ValueError(f"section: '{self._section}' has no upward zero until t = {sim.time:g} s")

    def _cut(self, x, state, before, sim, after):
        """Values and time at the zero of the section within a step: from `state`, where it is below 0, to where `sim` is."""
        there = self._make(x)
        there.restore(state)
        low, high = (before, state.time, self._values(there)), (after, sim.time, self._values(sim))
        # The grid of steps takes an end that is nearer to an instant for that: the rest is linear.
        shortest = 2e-6 * (high[1] - low[1])
        weight_low = weight_high = 1.0  # of the secant method: an end that stays counts half (Illinois)
        for _ in range(_CUTS):
            a, b = low[1], high[1]
            if high[0] == 0 or b - a <= 2 * shortest:
                break
            f, g = weight_low * low[0], weight_high * high[0]
            t = b - g * (b - a) / (g - f)
            cut = self._make(x, end=min(max(t, a + shortest), b - shortest))
            cut.restore(state)
            _moved(cut)
            value = cut.evaluate(self._section)
            end = (value, cut.time, self._values(cut))
            if value < 0:
                low, weight_low, weight_high = end, 1.0, 0.5 * weight_high
            else:
                high, weight_high, weight_low = end, 1.0, 0.5 * weight_low
        share = high[0] / (high[0] - low[0])  # from the later end
        return high[2] + share * (low[2] - high[2]), high[1] - share * (high[1] - low[1])


def _start_values(scene, unknowns, fixed):
    values = []
    for key in unknowns:
        value = fixed.get(key, scene)
        if value is scene:
            for name in key.split("."):
                value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            error = InputError(f"unknowns: {key}: a number of the scene, from which to start")
            error.key, error.allowed = key, "a number of the scene, from which to start"
            raise error
        values.append(float(value))
    return np.array(values)


def find_periodic(scene, unknowns, *, period=None, section=None, set=None, tolerance=1e-8, max_iterations=20):
    """Finds a periodic motion: values of keys of the scene that the motion returns to.

    unknowns: {"parameters.v0": "vx(b)"}, keys that fix the start, from whose values it sets out, and the expression that
    each must equal on return: after `period` [s], or at the first upward zero of the expression `section`, the step cut
    there. set: keys that stay. Newton's method with central differences relative to each unknown. Steps of fixed length
    make the map rough; under the scheme event-driven it is smooth. Returns a PeriodicMotion.
    """
    if (period is None) == (section is None):
        raise ValueError("period or section: one of them")
    if period is not None and not (period > 0 and math.isfinite(period)):
        raise ValueError("period: above 0 s")
    if not unknowns:
        raise ValueError("unknowns: at least one")
    fixed = dict(set or {})
    if not isinstance(scene, _scenes.Scene):
        scene = _scenes.Scene(scene) if isinstance(scene, dict) else _scenes.load(scene)
    x = _start_values(scene, unknowns, fixed)
    map_ = _ReturnMap(scene, unknowns, period, section, fixed)
    scale = np.abs(x)

    def miss(values, returned):
        np.maximum(scale, np.maximum(np.abs(values), np.abs(returned)), out=scale)
        return float(np.max(np.abs(returned - values) / np.where(scale > 0, scale, 1.0)))

    def derivative(values):
        columns = []
        for k in range(len(values)):
            d = np.zeros_like(values)
            d[k] = _DIFFERENCE * (scale[k] if scale[k] > 0 else 1.0)
            columns.append((map_(values + d)[0] - map_(values - d)[0]) / (2 * d[k]))
        return np.array(columns).T

    returned, found = map_(x)
    residual = miss(x, returned)
    iterations = 0
    while residual > tolerance and iterations < max_iterations:
        iterations += 1
        step = np.linalg.lstsq(derivative(x) - np.eye(len(x)), x - returned, rcond=None)[0]
        for _ in range(_HALVINGS):
            try:
                there, time = map_(x + step)
                better = miss(x + step, there)
            except (ValueError, StepError):
                better = math.inf
            if better < residual:
                break
            step = 0.5 * step
        else:
            break
        x, returned, found, residual = x + step, there, time, better
    multipliers = np.linalg.eigvals(derivative(x)).astype(complex)
    return PeriodicMotion(found, dict(zip(unknowns, x.tolist())), multipliers[np.argsort(-np.abs(multipliers))], residual,
                          residual <= tolerance, iterations, map_.start(x))
