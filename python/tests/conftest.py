# SPDX-License-Identifier: BSD-3-Clause
"""Scenes of the tests; the program is $STICKSLIP_PROGRAM."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

BALL = """
stickslip = 1
time = {end = 1.0, step = 1e-3}
scheme = {type = "moreau"}
parameters = {mu = 0.3, height = 0.5}
[bodies.ball]
mass = 2.0
inertia = [0.02, 0.02, 0.02]
position = [0, 0, "=height"]
velocity = [1, 0, 0]
shapes.s = {type = "sphere", radius = 0.1}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[[contacts]]
name = "c"
between = ["ground", "ball"]
friction = "=mu"
restitution = {normal = 0.5}
"""

ARM = """
stickslip = 1
time = {end = 1.0, step = 1e-3}
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


@pytest.fixture
def ball():
    return BALL


@pytest.fixture
def arm():
    return ARM


@pytest.fixture
def program():
    path = os.environ.get("STICKSLIP_PROGRAM", str(ROOT / "build/release/stickslip"))
    if not os.path.exists(path):
        pytest.skip("no program")
    return path


def shipped_scenes():
    return sorted(str(path) for path in (ROOT / "scenes").rglob("*.toml") if "stickslip = 1" in path.read_text())
