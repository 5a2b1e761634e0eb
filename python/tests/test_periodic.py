# SPDX-License-Identifier: BSD-3-Clause
import cmath
import math
import os
import textwrap

import conftest
import numpy as np
import pytest

import stickslip as ss

# x'' + 2 z w0 x' + w0^2 x = F cos(w t): one periodic motion, whose multipliers are those of the free oscillation.
OSCILLATOR = """
stickslip = 1
gravity = [0, 0]
time = {end = 5.0, step = 1e-2}
scheme = {type = "event-driven"}
parameters = {x0 = 0.1, v0 = 0.0, w = 2.5, F = 1.5}
[bodies.wall]
type = "fixed"
[bodies.mass]
type = "planar"
mass = 2.0
inertia = 0.1
position = ["=x0", 0]
velocity = ["=v0", 0]
[joints.slide]
type = "prismatic"
between = ["wall", "mass"]
at = [0, 0]
axis = [1, 0]
absolute = true
spring = {stiffness = 8.0, damping = 0.8, rest = 0.0}
[forces.drive]
type = "load"
body = "mass"
force = ["F*cos(w*t)", 0]
"""
UNKNOWNS = {"parameters.x0": "x(mass)", "parameters.v0": "vx(mass)"}


def exact():
    m, c, k, w, force = 2.0, 0.8, 8.0, 2.5, 1.5
    amplitude = force / (k - m * w**2 + 1j * c * w)
    period = 2 * math.pi / w
    root = (-c + cmath.sqrt(c * c - 4 * m * k)) / (2 * m)
    return amplitude.real, (1j * w * amplitude).real, period, cmath.exp(root * period)


@pytest.mark.parametrize("how", [{"period": exact()[2]}, {"section": "sin(w*t)"}])
def test_forced_oscillator(how):
    x0, v0, period, multiplier = exact()
    found = ss.find_periodic(ss.parse(OSCILLATOR), UNKNOWNS, **how)
    assert found.converged and found.residual <= 1e-8 and found.iterations <= 3
    assert found.period == pytest.approx(period, rel=1e-8)
    assert found.values["parameters.x0"] == pytest.approx(x0, rel=1e-6)
    assert found.values["parameters.v0"] == pytest.approx(v0, rel=1e-6)
    assert abs(found.multipliers) == pytest.approx([abs(multiplier)] * 2, rel=1e-5)
    assert sorted(found.multipliers.imag) == pytest.approx(sorted([multiplier.imag, -multiplier.imag]), abs=1e-5)
    assert found.state.time == 0 and found.state.q[0] == found.values["parameters.x0"]


def test_bounces_on_a_table():
    # One bounce in each period T of the table A sin(w t), at t_i: it leaves with g T / 2, which takes a table that moves up
    # with g T / 2 (1 - e) / (1 + e). The area of states shrinks by e^2 in each bounce.
    g, e, A, w = 10.0, 0.8, 0.05, 4 * math.pi
    T = 2 * math.pi / w
    v = g * T / 2
    impact = math.acos(v * (1 - e) / (1 + e) / (A * w)) / w
    flight = T - impact
    y0, v0 = A * math.sin(w * impact) + v * flight - g * flight**2 / 2, v - g * flight
    text = """
        stickslip = 1
        gravity = [0, -10]
        time = {end = 3.0, step = 1e-2}
        scheme = {type = "event-driven"}
        parameters = {y = 0.5, v = -2}
        [bodies.ball]
        type = "point"
        mass = 1.0
        position = [0, "=y"]
        velocity = [0, "=v"]
        shapes.p = {type = "point"}
        [bodies.table]
        type = "moving"
        position = [0, "0.05*sin(4*pi*t)"]
        shapes.top = {type = "half-space", normal = [0, 1]}
        [[contacts]]
        between = ["table", "ball"]
        restitution = {normal = 0.8}
    """
    scene = ss.parse(textwrap.dedent(text), set={"parameters.y": 1.002 * y0, "parameters.v": 0.998 * v0})
    unknowns = {"parameters.y": "y(ball)", "parameters.v": "vy(ball)"}
    for how in ({"period": T}, {"section": "(t > 0.3) ? sin(4*pi*t) : -1"}):
        found = ss.find_periodic(scene, unknowns, **how)
        assert found.converged and found.period == pytest.approx(T, rel=1e-9)
        assert list(found.values.values()) == pytest.approx([y0, v0], rel=1e-7)
        assert np.prod(found.multipliers) == pytest.approx(e**2, rel=1e-4)
    with pytest.raises(ValueError, match="no upward zero"):
        ss.find_periodic(scene, unknowns, section="t - 100")


@pytest.mark.skipif("STICKSLIP_SLOW" not in os.environ, reason="takes 7 s")
def test_slow_woodpecker():
    # The scene differs from the published model by a term in 1 / stretch.
    periods = []
    for stretch in (1e3, 1e4):
        start = {"scheme.type": "event-driven", "parameters.stretch": stretch, "parameters.vy": -0.3411,
                 "parameters.wS": -7.4583 / stretch}
        unknowns = {"parameters.vy": "vy(carriage)", "parameters.wS": "omega(bird)"}
        found = ss.find_periodic(conftest.ROOT / "scenes/woodpecker.toml", unknowns, section="phiS - phi(bird)", set=start)
        assert found.converged and found.iterations <= 3
        periods.append(found.period)
    assert (10 * periods[1] - periods[0]) / 9 == pytest.approx(0.145976064, rel=1e-7)


def test_what_is_refused():
    scene = ss.parse(OSCILLATOR)
    for wrong in ({}, {"period": 1, "section": "t"}, {"period": -1.0}, {"period": 1.0, "unknowns": {}},
                  {"period": 1.0, "unknowns": {"parameters.a": "x(mass)"}}, {"period": 1.0, "unknowns": {"bodies.mass.position": "t"}},
                  {"section": "x(moss)"}):
        with pytest.raises(ValueError):
            ss.find_periodic(scene, wrong.pop("unknowns", UNKNOWNS), **wrong)
    assert not ss.find_periodic(scene, UNKNOWNS, period=1.0, max_iterations=0).converged
    assert np.isfinite(ss.find_periodic(scene, UNKNOWNS, period=1.0).multipliers).all()
