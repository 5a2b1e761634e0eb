# SPDX-License-Identifier: BSD-3-Clause
"""Models in URDF and MJCF wherever a scene may stand."""
import pickle

import numpy as np
import pytest

import stickslip as ss

URDF = """<robot name="arm"><link name="base"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial></link>
<link name="arm"><visual><geometry><mesh filename="package://shapes/no.stl"/></geometry></visual>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="%s" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>
"""
MJCF = """<mujoco><asset><hfield name="hill" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 0 1"/></asset>
<worldbody><geom type="hfield" hfield="hill"/><body name="ball" pos="0 0 3"><freejoint/><geom size="0.1"/></body></worldbody>
<keyframe><key name="high" qpos="0 0 5 1 0 0 0"/></keyframe></mujoco>
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF % "1")
    return path


def test_a_model_is_a_scene_with_its_warnings(arm):
    scene = ss.load(arm, set={"time.end": 0.5})
    assert scene.name == "arm" and scene.time.end == 0.5 and scene.bodies.base.type == "fixed"
    assert len(scene.warnings) == 1 and f'{arm}:3: warning: mesh.filename: "package://shapes/no.stl"' in scene.warnings[0]
    for same in (scene.copy(), pickle.loads(pickle.dumps(scene))):
        assert same == scene and same.warnings == scene.warnings
    assert ss.parse(scene.to_toml()).warnings == []
    a, b = ss.Simulation(scene), ss.Simulation(arm, set={"time.end": 0.5})
    a.step(10)
    b.step(10)
    assert np.array_equal(a.q, b.q)


def test_options_of_urdf(arm, tmp_path):
    assert "type" not in ss.load(arm, base="free").bodies.base
    with pytest.raises(ss.InputError) as strict:
        ss.load(arm, strict=True)
    assert strict.value.file == str(arm) and strict.value.line == 3 and strict.value.key == "mesh.filename"
    (tmp_path / "packages" / "shapes").mkdir(parents=True)
    (tmp_path / "packages" / "shapes" / "no.stl").write_bytes(
        bytes(80) + (1).to_bytes(4, "little") + np.array([0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0], "<f4").tobytes() + bytes(2))
    assert ss.load(arm, strict=True, package=[tmp_path / "packages"]).warnings == []
    arm.write_text(URDF % "4")
    with pytest.raises(ss.InputError):
        ss.load(arm)
    assert ss.load(arm, balance_inertia=True).bodies.arm.inertia == [2, 2, 2]
    with pytest.raises(ss.InputError):
        ss.load(arm, key="high")
    with pytest.raises(ss.InputError):
        ss.load(arm, base="loose")


def test_options_of_mjcf_and_height_fields(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(MJCF)
    scene = ss.load(path, key="high")
    assert ss.Simulation(scene).q[2] == 5 and ss.Simulation(path).q[2] == 3
    (tmp_path / "elsewhere").mkdir()
    scene.save(tmp_path / "elsewhere" / "m.toml")
    saved = tmp_path / "elsewhere" / "m.toml"
    assert ss.Simulation(saved).q[2] == 5 and (saved.parent / "hill.csv").read_text() == "0,1\n0,1\n"
    with pytest.raises(ss.InputError):
        ss.load(path, base="free")


def test_options_are_those_of_models(ball, tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(ball)
    with pytest.raises(ss.InputError):
        ss.load(path, strict=True)
