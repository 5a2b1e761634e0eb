# SPDX-License-Identifier: BSD-3-Clause
import math
import textwrap

import numpy as np
import pytest

import stickslip as ss

# A ball on a table that moves up and down, Gamma = A w^2 / g, with one bounce in each period. Beside the start of that
# motion, which lives for |pi (1 - e) / (1 + e)| < Gamma, it starts with 1 mm/s more.
TABLE = textwrap.dedent("""
    stickslip = 1
    gravity = [0, -10]
    time = {end = 60.0, step = 0.1}
    scheme = {type = "event-driven"}
    [parameters]
    Gamma = 1
    e = 0.8
    w = "=4*pi"
    A = "=Gamma*10/w^2"
    phase = "=acos(pi*(1 - e)/(1 + e)/Gamma)"
    flight = "=0.5 - phase/w"
    [bodies.ball]
    type = "point"
    mass = 1.0
    position = [0, "=A*sin(phase) + 2.5*flight - 5*flight^2"]
    velocity = [0, "=2.501 - 10*flight"]
    shapes.p = {type = "point"}
    [bodies.table]
    type = "moving"
    position = [0, "A*sin(w*t)"]
    shapes.top = {type = "half-space", normal = [0, 1]}
    [[contacts]]
    between = ["table", "ball"]
    restitution = {normal = "=e"}
""")


def period(points, tolerance):
    """After how many points they repeat."""
    return next(k for k in range(1, len(points)) if np.allclose(points[k:], points[:-k], rtol=0, atol=tolerance))


@pytest.mark.parametrize("follow", [False, True])
def test_period_doubles_where_the_return_map_says(follow):
    # The multipliers of the exact map have the product e^2 and the sum 1 + e^2 - (1 + e)^2 Gamma sin(phase): one is -1 at
    e = 0.8
    double = math.hypot(math.pi * (1 - e) / (1 + e), 2 * (1 + e**2) / (1 + e) ** 2)
    values = [0.98 * double, 0.99 * double, 1.01 * double, 1.02 * double]
    found = ss.bifurcation(ss.parse(TABLE), "parameters.Gamma", values, "sin(w*t - 0.3)", "vy(ball)", after=50, count=6,
                           follow=follow)
    assert found.points.shape == found.times.shape == (4, 6) and found.status.tolist() == [0] * 4
    assert [period(points, 1e-6) for points in found.points] == [1, 1, 2, 2]
    assert np.diff(found.times) == pytest.approx(0.5, rel=1e-2)  # linear in a step, and so not exact
    assert (found.times[0] >= 50).all() and (found.times[3] >= 50 + 3 * (50 if follow else 0)).all()


def test_runs_that_follow_and_runs_with_a_controller(arm):
    # A damped spring comes to rest where the parameter says, and a torque of 0.5 N m shifts that by 0.5 rad.
    scene = ss.parse(arm, set={"gravity": [0, 0], "time.end": 8.0, "time.step": 1e-2, "parameters.rest": 0})
    scene.joints.elbow.spring = {"stiffness": 1.0, "damping": 1.0, "rest": "=rest"}
    section = {"section": "sin(2*pi*(t - 0.25))", "quantity": "coordinate(elbow)", "after": 6.5, "count": 1}
    values = [0.1, 0.3, 0.2]
    found = ss.bifurcation(scene, "parameters.rest", values, follow=True, **section)
    assert found.points[:, 0] == pytest.approx(values, abs=2e-3)
    assert found.times[:, 0] == pytest.approx([7.25, 14.25, 21.25], abs=0.1)  # each begins where one crossed
    starts = []

    def push(sim):
        if sim.steps == 0:
            starts.append(sim.time)
        sim.joints["elbow"].effort = 0.5

    pushed = ss.bifurcation(scene, "parameters.rest", values, control=push, **section)
    assert pushed.points[:, 0] == pytest.approx(np.add(values, 0.5), abs=2e-3) and starts == [0, 0, 0]
    assert pushed.times[:, 0] == pytest.approx([7.25] * 3, abs=1e-2)


def test_few_crossings_failures_and_bad_arguments(arm):
    scene = ss.parse(arm)
    few = ss.bifurcation(scene, "bodies.arm.mass", [1.0, 2.0], "t - 0.5", "x(arm)", count=3)
    assert np.isfinite(few.points[:, 0]).all() and np.isnan(few.points[:, 1:]).all()
    assert few.times[:, 0] == pytest.approx([0.5, 0.5])
    scene.joints.elbow.force = "t < 0.3 ? 0 : log(-m)"
    scene.parameters.m = 1
    failed = ss.bifurcation(scene, "parameters.m", [1, -1], "t - 0.5", "t")
    assert failed.status.tolist() == [2, 0] and np.isnan(failed.points[0]).all() and failed.points[1, 0] == pytest.approx(0.5)
    for wrong in ({"values": [math.nan]}, {"values": 1.0}, {"after": -1}, {"count": 0}, {"section": "x(amr)"}, {"key": "a.b"}):
        arguments = {"key": "parameters.m", "values": [1], "section": "t - 0.5", "quantity": "t", **wrong}
        with pytest.raises(ValueError):
            ss.bifurcation(scene, **arguments)


def test_diagrams_are_drawn(arm):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = ss.bifurcation(ss.parse(arm), "bodies.arm.mass", [1, 2], "t - 0.5", "x(arm)", count=1)
    axes = found.plot(color="red")
    assert axes.get_xlabel() == "bodies.arm.mass" and axes.lines[0].get_xydata().shape == (2, 2)
    assert found.plot(axes) is axes and len(axes.lines) == 2
    matplotlib.pyplot.close("all")
