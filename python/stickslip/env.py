# SPDX-License-Identifier: BSD-3-Clause
"""An environment in the style of Gymnasium, whose classes it uses where they are installed."""
import math

import numpy as np

from . import _stickslip
from ._scenes import Scene, load

try:
    import gymnasium
    from gymnasium.spaces import Box

    _Base = gymnasium.Env
except ImportError:
    _Base = object

    class Box:
        """The arrays of a shape between bounds, as gymnasium.spaces.Box."""

        def __init__(self, low, high, shape, dtype=np.float64):
            self.shape, self.dtype = tuple(shape), np.dtype(dtype)
            self.low = np.broadcast_to(np.asarray(low, dtype), self.shape).copy()
            self.high = np.broadcast_to(np.asarray(high, dtype), self.shape).copy()
            self._rng = np.random.default_rng()

        def seed(self, seed=None):
            """Starts its random numbers anew."""
            self._rng = np.random.default_rng(seed)

        def sample(self):
            """A random element; normally distributed without bounds."""
            bounded = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
            return np.where(bounded, self._rng.uniform(low, high), self._rng.normal(size=self.shape)).astype(self.dtype)

        def contains(self, x):
            """Whether x is one of them."""
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

        def __repr__(self):
            return f"Box({self.low.min(initial=math.inf)}, {self.high.max(initial=-math.inf)}, {self.shape}, {self.dtype})"


class Env(_Base):
    """Episodes of a scene: actions are efforts of joints, observations are expressions of the state.

    scene: a path, dictionary or Scene. actuators: names of m joints, whose efforts [N, N m] an action (m) sets, clipped to
    low and high (numbers or (m)). observations: k expressions, such as "x(cart)" or "rate(pole)" (docs/python.md).
    reward, terminated: an expression, or a function of the environment; default 0 and never. initial(rng): what to `set` in
    the scene at the start of an episode. A step makes n_substeps steps of the scene; an episode is truncated after
    max_steps of them. `sim` is the simulation.
    """

    metadata = {"render_modes": []}
    render_mode = None

    def __init__(self, scene, actuators, observations, *, low=-1, high=1, reward=None, terminated=None, initial=None,
                 n_substeps=1, max_steps=1000):
        self._scene = scene if isinstance(scene, Scene) else Scene(scene) if isinstance(scene, dict) else load(scene)
        self._actuators, self._observations = list(actuators), list(observations)
        self._reward, self._terminated, self._initial = reward, terminated, initial
        if n_substeps < 1 or max_steps < 1:
            raise ValueError("n_substeps, max_steps: at least 1")
        self._n_substeps, self._max_steps = n_substeps, max_steps
        self.action_space = Box(low, high, (len(self._actuators),), dtype=np.float64)
        self.observation_space = Box(-np.inf, np.inf, (len(self._observations),), dtype=np.float64)
        self._rng = np.random.default_rng()
        self._steps = None  # none: reset() first
        self._use(_stickslip.Simulation(self._scene, end=math.inf))

    def _use(self, sim):
        self.sim = sim
        self._joints = [sim.joints[name] for name in self._actuators]
        self._values = [_stickslip.StateExpression(sim, text) for text in self._observations]
        self._reward_of = self._function(self._reward, 0.0)
        self._ends = self._function(self._terminated, False)

    def _function(self, given, otherwise):
        if given is None:
            return lambda: otherwise
        if callable(given):
            return lambda: given(self)
        return _stickslip.StateExpression(self.sim, given).value

    def _observe(self):
        return np.array([value.value() for value in self._values])

    def reset(self, *, seed=None, options=None):
        """Begins an episode. Returns the observation (k) and {}."""
        if _Base is not object:
            super().reset(seed=seed)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        if self._initial is None:
            self.sim.reset()
        else:
            self._use(_stickslip.Simulation(self._scene, end=math.inf, set=self._initial(self._rng)))
        self._steps = 0
        return self._observe(), {}

    def step(self, action):
        """Sets efforts (m) and makes the steps. Returns observation (k), reward, terminated, truncated, info; a failed step
        terminates, and info["status"] is that of the last step.
        """
        if self._steps is None:
            raise RuntimeError("reset() the environment first")
        action = np.asarray(action, dtype=np.float64)
        if action.shape != self.action_space.shape:
            raise ValueError(f"action: an array of shape {self.action_space.shape}")
        for joint, effort in zip(self._joints, np.clip(action, self.action_space.low, self.action_space.high).tolist()):
            joint.effort = effort
        last = self.sim.step(self._n_substeps)
        self._steps += 1
        failed = last.status == 2
        terminated = failed or bool(self._ends())
        return self._observe(), float(self._reward_of()), terminated, self._steps >= self._max_steps, {"status": last.status}

    def render(self):
        """Draws nothing: results do, by stickslip.run() and stickslip.plot()."""

    def close(self):
        """Does nothing."""
