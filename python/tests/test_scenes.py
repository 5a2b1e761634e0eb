# SPDX-License-Identifier: BSD-3-Clause
import copy
import pickle

import numpy as np
import pytest

import stickslip as ss


def built_by_hand():
    scene = ss.Scene()
    scene.time = {"end": 1.0, "step": 1e-3}
    scene.scheme.type = "moreau"
    scene.parameters.mu = 0.3
    scene.parameters.height = np.float32(0.5)
    scene.bodies["ball"] = ss.Rigid(mass=np.int64(2), inertia=np.full(3, 0.02), position=[0, 0, "=height"], velocity=(1, 0, 0),
                                    shapes={"s": ss.Sphere(0.1)})
    scene.bodies["ground"] = ss.Fixed(shapes={"top": ss.HalfSpace([0, 0, 1])})
    scene.contacts.append(ss.Contact(between=["ground", "ball"], name="c", friction="=mu", restitution={"normal": 0.5}))
    scene.name = "scene"
    return scene


def test_a_scene_of_makers_is_that_of_the_text(ball, tmp_path):
    scene, text = built_by_hand(), ss.parse(ball)
    assert scene == text and scene.to_toml() == text.to_toml()
    assert scene["time"]["step"] == scene.time.step == 1e-3 and text.bodies.ball.shapes.s.radius == 0.1
    assert text["parameters"] == {"mu": 0.3, "height": 0.5}
    scene.save(tmp_path / "scene.toml")
    saved = ss.load(tmp_path / "scene.toml")
    assert saved == scene and saved.parameters == scene.parameters  # they stay
    higher = ss.load(tmp_path / "scene.toml", set={"parameters.height": 0.7})
    assert higher != scene and ss.Simulation(higher).q[2] == 0.7
    assert ss.Simulation(scene, set={"parameters.height": 0.9}).q[2] == 0.9
    a, b = ss.Simulation(scene), ss.Simulation(tmp_path / "scene.toml")
    a.step(500)
    b.step(500)
    assert np.array_equal(a.q, b.q)
    for same in (scene.copy(), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert same == scene and same.bodies is not scene.bodies
    assert ss.Simulation(dict(scene)).bodies.names == ["ball", "ground"]
    assert scene.check() == []


def test_reading_an_attribute_changes_no_scene(ball):
    scene = ss.parse(ball)
    scene.joints, scene.forces, scene.fill, scene.limits
    assert scene == ss.parse(ball)
    with pytest.raises(AttributeError):
        scene.nonsense


def test_every_maker_makes_its_type():
    assert ss.Rigid()["type"] == "rigid" and ss.PointMass(mass=1) == {"type": "point", "mass": 1}
    assert ss.Capsule(1, length=2) == {"type": "capsule", "radius": 1, "length": 2}
    assert ss.Ellipsoid([1, 2, 3]) == {"type": "ellipsoid", "radii": [1, 2, 3]}
    assert ss.Cylinder(1, inside=True) == {"type": "cylinder", "radius": 1, "inside": True}
    assert ss.Convex(file="a.csv") == {"type": "convex", "file": "a.csv"}
    assert ss.Mesh("a.stl", scale=2) == {"type": "mesh", "file": "a.stl", "scale": 2}
    field = {"type": "height-field", "size": [1, 2], "file": "a.npy"}
    assert ss.HeightField([1, 2], file="a.npy") == field
    assert ss.Polyline([[0, 0], [1, 0]])["points"] == [[0, 0], [1, 0]]
    assert ss.HalfSpace([0, 1]) == {"type": "half-space", "normal": [0, 1], "offset": 0}
    assert ss.DryFriction(bound=1)["type"] == "dry-friction" and ss.KnifeEdge()["type"] == "knife-edge"
    assert ss.PlanarJoint()["type"] == "planar" and "type" not in ss.Contact(["a", "b"])
    for wrong in (lambda: ss.Sphere(), lambda: ss.Sphere(1, 2), lambda: ss.Sphere(1, radius=2)):
        with pytest.raises(TypeError):
            wrong()


def refused(action):
    with pytest.raises(ss.InputError) as raised:
        action()
    assert isinstance(raised.value, ValueError)
    return raised.value


def test_errors_of_files_have_places(ball, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(ball.replace("mass = 2.0", "mass = -2.0"))
    error = refused(lambda: ss.load(path))
    assert error.file == str(path) and error.line == 7 and error.column == 8
    assert error.key == "bodies.ball.mass" and error.value == "-2" and error.allowed
    assert str(error).startswith(f"{path}:7:8: bodies.ball.mass: -2")
    assert refused(lambda: ss.Simulation(path)).line == 7
    assert refused(lambda: ss.parse("stickslip = [", file="t.toml")).file == "t.toml"
    missing = refused(lambda: ss.load(tmp_path / "none.toml"))
    assert isinstance(missing, FileNotFoundError)
    assert isinstance(refused(lambda: ss.Simulation(str(tmp_path / "none.toml"))), FileNotFoundError)


def test_errors_of_dictionaries_have_the_path():
    scene = built_by_hand()
    scene.bodies.ball.mass = -1
    error = refused(lambda: ss.Simulation(scene))
    assert (error.file, error.line, error.column, error.key) == (None, None, None, "bodies.ball.mass")
    scene.bodies.ball.mass = object()
    assert refused(scene.to_toml).key == "bodies.ball.mass"
    scene.bodies.ball.mass = 2**70
    assert refused(scene.to_toml).key == "bodies.ball.mass"
    scene.bodies.ball.mass = 1
    scene.bodies.ball.colour = "red"
    assert refused(scene.check).key == "bodies.ball.colour"
    del scene.bodies.ball.colour
    scene.contacts[0].between = ["ground", "bal"]
    assert "ball" in str(refused(lambda: ss.Simulation(scene)))
    scene.contacts[0].between = ["ground", "ball"]
    endless = {}
    endless["x"] = endless
    refused(lambda: ss.Simulation({"time": endless}))
    for value in ({"bodies.bal.mass": 1}, {"nonsense": 1}, {"time.step": "long"}):
        refused(lambda: ss.Simulation(scene, set=value))
    for options in ({"scheme": "moro"}, {"solver": "nsg"}, {"step": -1.0}, {"end": float("nan")}):
        refused(lambda: ss.Simulation(scene, **options))
    with pytest.raises(TypeError):
        ss.Simulation(3)
    with pytest.raises(TypeError):
        ss.Simulation(scene, set=[1])


def test_includes_and_data_files(ball, tmp_path):
    (tmp_path / "base.toml").write_text(ball)
    (tmp_path / "top.toml").write_text('stickslip = 1\ninclude = ["base.toml"]\nparameters = {height = 1.5}\n')
    assert ss.Simulation(ss.load(tmp_path / "top.toml")).q[2] == 1.5
    (tmp_path / "hull.csv").write_text("\n".join(f"{x},{y},{z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)))
    scene = ss.Scene({"time": {"end": 1, "step": 1e-3}}, file=tmp_path / "any.toml")
    scene.bodies["b"] = ss.Rigid(density=1000, shapes={"h": ss.Convex(file="hull.csv")})
    assert ss.Simulation(scene).bodies["b"].mass == pytest.approx(1000)
