# SPDX-License-Identifier: BSD-3-Clause
import math

import numpy as np
import pytest

import stickslip as ss
from stickslip.env import Env

SLIDER = """
stickslip = 1
gravity = [0, 0]
time = {end = 0.1, step = 1e-3}
parameters = {start = 0.25, k = 2}
[bodies.rail]
type = "fixed"
[bodies."left cart"]
type = "planar"
mass = 2
inertia = 0.1
position = ["=start", 0]
[joints.slide]
type = "prismatic"
between = ["rail", "left cart"]
at = [0, 0]
axis = [1, 0]
absolute = true
"""


def make(**options):
    return Env(ss.parse(SLIDER), ["slide"], ["x('left cart')", "vx('left cart')", "t"], low=-5, high=5, **options)


def test_episodes():
    env = make(reward="-k*x('left cart')^2", terminated="x('left cart') > 0.3", n_substeps=10, max_steps=15)
    assert env.action_space.shape == (1,) and env.observation_space.shape == (3,)
    with pytest.raises(RuntimeError):
        env.step([0])
    observation, info = env.reset(seed=1)
    assert observation == pytest.approx([0.25, 0, 0]) and info == {}
    observation, reward, terminated, truncated, info = env.step([100.0])  # clipped to 5 N
    # Constant acceleration of 2.5 m/s^2 for 10 steps, exact but for half a step.
    assert observation[1] == pytest.approx(0.025) and observation[2] == pytest.approx(0.01)
    assert reward == pytest.approx(-2 * observation[0] ** 2) and not terminated and not truncated
    assert info["status"] == ss.Status.ok and env.sim.joints["slide"].effort == 5
    results = [env.step([0.0]) for _ in range(14)]
    assert [r[3] for r in results] == [False] * 13 + [True]
    assert env.action_space.contains(env.action_space.sample())
    with pytest.raises(ValueError):
        env.step([1, 2])


def test_starts_and_functions():
    env = make(initial=lambda rng: {"parameters.start": rng.uniform(0.1, 0.4)}, reward=lambda e: e.sim.time,
               terminated=lambda e: e.sim.time > 0.0015)
    first = env.reset(seed=3)[0][0]
    second = env.reset()[0][0]
    assert first != second and env.reset(seed=3)[0][0] == first
    assert env.step([0])[1:4] == (pytest.approx(1e-3), False, False)
    assert env.step([0])[2]
    env.step([math.nan])
    assert env.step([math.nan])[2]  # a failed step terminates


@pytest.mark.parametrize("text, column", [("x(ball)", 3), ("1 + vx('left car')", 8), ("x(", 3), ("coordinate(slide, 2)", 19),
                                          ("z('left cart')", 1), ("omega_x(rail)", 1), ("foo(1)", 1), ("1 +", 4),
                                          ("vx('left cart') + yy", 19), ("x('left cart", 3)])
def test_errors_have_columns(text, column):
    with pytest.raises(ss.InputError) as raised:
        Env(ss.parse(SLIDER), ["slide"], [text])
    assert f"column {column}:" in str(raised.value)


def test_expressions():
    sim = ss.Simulation(ss.parse(SLIDER), end=math.inf)
    sim.joints["slide"].effort = 1.0
    sim.step(30)
    cart = sim.bodies["left cart"]
    position, velocity = cart.position, cart.velocity
    values = {"x('left cart') + k": position[0] + 2, "2*vx('left cart')": 2 * velocity[0], "coordinate(slide)": position[0],
              "rate(slide, 1) > 0 ? t : 0": sim.time, "kinetic_energy": velocity[0] ** 2, "phi('left cart')": 0,
              "y(rail) - vy(rail) + omega('left cart')": 0, "max(x('left cart'), 1e3)": 1000}
    for text, value in values.items():
        assert sim.evaluate(text) == pytest.approx(value, abs=1e-12), text
    with pytest.raises(KeyError):
        Env(ss.parse(SLIDER), ["slid"], [])


def test_expressions_read_sensors():
    text = SLIDER + '[[sensors]]\nname = "drive"\ntype = "joint"\njoint = "slide"\n'
    sim = ss.Simulation(ss.parse(text), end=math.inf)
    sim.joints["slide"].effort = 1.5
    sim.step(30)
    read = sim.sensors["drive"].value
    assert [sim.evaluate(f"sensor('drive', {i})") for i in (1, 2, 3)] == list(read) and read[2] == 1.5
    assert sim.evaluate("sensor(drive)") == read[0] > 0
    env = Env(ss.parse(text), ["slide"], ["sensor(drive, 3)"], low=-5, high=5, reward="sensor(drive, 2)")
    env.reset(seed=1)
    observation, reward, *_ = env.step([2])
    assert observation[0] == 2 and reward == env.sim.sensors["drive"].value[1] > 0
    for wrong, column in (("1 + sensor(drives)", 12), ("sensor(drive, 4)", 15)):
        with pytest.raises(ss.InputError) as raised:
            sim.evaluate(wrong)
        assert f"column {column}:" in str(raised.value)


def test_expressions_in_space(ball):
    sim = ss.Simulation(ss.parse(ball), set={"bodies.ball.angular_velocity": [1, 2, 3]})
    assert [sim.evaluate(f"omega_{c}(ball)") for c in "xyz"] == pytest.approx([1, 2, 3])
    assert sim.evaluate("z(ball) + mu") == pytest.approx(0.8)
    with pytest.raises(ss.InputError):
        sim.evaluate("omega(ball)")
