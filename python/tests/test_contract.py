# SPDX-License-Identifier: BSD-3-Clause
"""What the page of the package promises and no other test holds it to."""
import ast
import inspect
import math
import pathlib
import re
import subprocess
import textwrap

import conftest
import numpy as np
import pytest

import stickslip as ss

JOINTS = textwrap.dedent("""
    stickslip = 1
    gravity = [0, 0, 0]
    time = {end = 1.0, step = 1e-3}
    [bodies.base]
    type = "fixed"
    [bodies.piston]
    mass = 1.0
    inertia = [0.1, 0.1, 0.1]
    velocity = [0, 0, 0.3]
    angular_velocity = [0, 0, 2.0]
    [bodies.cross]
    mass = 1.0
    inertia = [0.1, 0.1, 0.1]
    position = [1, 0, 0]
    angular_velocity = [0.5, 0, 0]
    [joints.cylinder]
    type = "cylindrical"
    between = ["base", "piston"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    [joints.cardan]
    type = "universal"
    between = ["base", "cross"]
    at = [1, 0, 0]
    axis = [1, 0, 0]
    axis2 = [0, 1, 0]
""")


def test_joints_with_several_coordinates():
    sim = ss.Simulation(ss.parse(JOINTS))
    cylinder, cardan = sim.joints["cylinder"], sim.joints["cardan"]
    sim.advance(0.5)
    assert cylinder.coordinates == pytest.approx([0.15, 1.0], abs=1e-6) and cylinder.rates == pytest.approx([0.3, 2.0])
    assert cylinder.coordinate == cylinder.coordinates[0] and cylinder.rate == cylinder.rates[0]
    assert cardan.coordinates == pytest.approx([0.25, 0], abs=1e-6) and cardan.rates == pytest.approx([0.5, 0], abs=1e-9)
    assert sim.evaluate("coordinate(cylinder, 2) + rate(cardan)") == pytest.approx(1.5)
    for joint in (cylinder, cardan):
        assert joint.reaction_force.shape == joint.reaction_torque.shape == (3,) and joint.drift.shape == (2,)


def test_shapes_that_do_not_fit(ball, arm):
    space, plane = ss.Simulation(ss.parse(ball)), ss.Simulation(ss.parse(arm))
    for call in (lambda: space.jacobian("ball", at=[1, 2]), lambda: space.jacobian("ball", at=1.0),
                 lambda: space.bodies["ball"].imu(at=[0, 0]), lambda: plane.bodies["arm"].apply_force([1, 2, 3, 4]),
                 lambda: plane.reset(u=[1.0]), lambda: ss.rollout(plane, controls=[1.0], joints=["elbow"]),
                 lambda: plane.bodies["arm"].apply_force([1, 2], torque=[1, 2])):
        with pytest.raises(ValueError):
            call()
    assert plane.jacobian("arm", at=[0.1, 0]).shape == (6, 3) and plane.bodies["arm"].position[2] == 0


def test_nearest_names(arm, ball, tmp_path):
    pytest.importorskip("h5py")
    sim = ss.Simulation(ss.parse(arm))
    ss.run(ss.parse(ball), tmp_path / "r.h5", end=0.01)
    with ss.open(tmp_path / "r.h5") as result:
        looks = {"'elbow'": lambda: sim.joints["elbo"], "'arm'": lambda: sim.jacobian("amr"), "'ball'": lambda: result.bodies["bal"],
                 "'residual'": lambda: result.steps["residuum"], "'steps'": lambda: result["step"]}
        for near, look in looks.items():
            with pytest.raises(KeyError, match=near):
                look()


def test_runs_with_inputs_are_verified(arm, program, tmp_path):
    pytest.importorskip("h5py")

    def control(sim):
        sim.joints["elbow"].effort = 2 * math.sin(20 * sim.time)
        if sim.time >= 0.1:
            sim.bodies["arm"].apply_force([0, 3], at=[0.1, 0])

    ss.run(ss.parse(arm), tmp_path / "r.h5", control, end=0.3)
    subprocess.run([program, "verify", "r.h5"], cwd=tmp_path, check=True, capture_output=True)


def test_reset_goes_to_the_start_time_without_inputs(arm):
    sim = ss.Simulation(ss.parse(arm, set={"time.start": 0.5, "time.end": 1.5}))
    start = sim.state
    sim.joints["elbow"].effort = 1.0
    sim.advance(0.7)
    sim.reset()
    assert sim.time == 0.5 and sim.steps == 0 and sim.joints["elbow"].effort == 0 and sim.state == start
    with pytest.raises(ss.InputError):
        sim.reset(q=[9.0, 9.0, 0.0])  # off the joint
    assert sim.state == start


def test_states_are_copies(ball):
    sim = ss.Simulation(ss.parse(ball))
    state = sim.state
    state.q[:] = 7  # of a copy
    with pytest.raises(AttributeError):
        state.time = 3
    assert state == sim.state and state != 3 and bytes(state) == bytes(ss.State.from_bytes(bytes(state)))


def test_signatures():
    expected = {
        ss.load: "path set strict package base key balance_inertia", ss.parse: "text file set",
        ss.rollout: "sims n_steps controls joints states n_threads",
        ss.solve: "W b mu dim solver law tolerance max_iterations forces p0",
        ss.find_periodic: "scene unknowns period section set tolerance max_iterations",
    }
    for function, names in expected.items():
        assert list(inspect.signature(function).parameters) == names.split()
    assert list(inspect.signature(ss.run).parameters)[:5] == ["scene", "output", "control", "resume", "force"]
    assert list(inspect.signature(ss.analyze).parameters)[:2] == ["scene", "level"]
    makers = "Rigid Planar PointMass Beam Fixed Moving Sphere Point HalfSpace Box Capsule Cylinder Convex Revolute Prismatic " \
        "Spherical Cylindrical Universal PlanarJoint Weld Distance KnifeEdge Screw Rolling Gear Spring DryFriction Load Contact"
    for name in makers.split():
        assert getattr(ss, name).__doc__ and name in ss.__all__


def stub_names(name):
    """Names of a stub, and of each class in it its members."""
    tree = ast.parse((pathlib.Path(ss.__file__).parent / name).read_text())
    names, members = set(), {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            members[node.name] = {part.target.id if isinstance(part, ast.AnnAssign) else part.name for part in node.body
                                  if isinstance(part, (ast.AnnAssign, ast.FunctionDef))}
    return names, members


def test_stubs_name_what_there_is():
    names, _ = stub_names("__init__.pyi")
    assert set(ss.__all__) - names == set()
    _, members = stub_names("_stickslip.pyi")
    for name, listed in members.items():
        public = {member for member in dir(getattr(ss, name)) if not member.startswith("_")}
        assert public == {member for member in listed if not member.startswith("_")}, name


def test_public_names_are_on_the_page():
    words = set(re.findall(r"\w+", (conftest.ROOT / "docs/python.md").read_text()))
    assert set(ss.__all__) - words == set()
