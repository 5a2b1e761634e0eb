# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

import stickslip as ss

CUBE = """
stickslip = 1
time = {end = 0.05, step = 1e-3}
output.every = 1e-3
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.cube]
density = 1000
position = [0, 0, 0.06]
velocity = [1, 0, 0]
angular_velocity = [0.1, 0.2, 0.3]
shapes.hull = {type = "box", size = [0.1, 0.1, 0.1]}
[contact_default]
friction = 0.5
[sites.tip]
body = "cube"
position = [0.05, 0, 0]
rotation = {axis = [1, 0, 0], angle = 3.141592653589793}
"""
for kind, keys in (("pose", "site = 'tip'"), ("imu", "site = 'tip'"), ("velocity", "site = 'tip'"),
                   ("contact", "body = 'cube'"), ("range", "site = 'tip'")):
    CUBE += f"[[sensors]]\nname = '{kind}'\ntype = '{kind}'\n{keys}\n"


@pytest.mark.parametrize("scheme", ["moreau", "ccp", "generalized-alpha"])
def test_sensors_read_what_the_result_has(tmp_path, scheme):
    scene = ss.parse(CUBE)
    ss.run(scene, tmp_path / "r.h5", scheme=scheme)
    import h5py
    with h5py.File(tmp_path / "r.h5") as f:
        expected, offset, names = f["sensors/value"][:], f["sensors/offset"][:], list(f["sensors/name"].asstr())
    sim = ss.Simulation(scene, scheme=scheme)
    assert sim.sensors.names == names == ["pose", "imu", "velocity", "contact", "range"]
    for row in expected:
        for i, sensor in enumerate(sim.sensors.values()):
            np.testing.assert_array_equal(sensor.value, row[offset[i]:offset[i + 1]])
        if not sim.done:
            sim.step()


def test_sites_move_with_their_bodies():
    sim = ss.Simulation(ss.parse(CUBE))
    sim.step(7)
    site, body = sim.sites["tip"], sim.bodies["cube"]
    assert site.name == "tip" and site.body == "cube"
    w, x, y, z = body.orientation
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    arm = turn @ [0.05, 0, 0]
    np.testing.assert_allclose(site.position, body.position + arm, atol=1e-15)
    omega = turn @ body.angular_velocity
    np.testing.assert_allclose(site.angular_velocity, omega, atol=1e-14)
    np.testing.assert_allclose(site.velocity, body.velocity + np.cross(omega, arm), atol=1e-14)
    np.testing.assert_allclose(site.jacobian @ sim.u, np.r_[site.velocity, site.angular_velocity], atol=1e-14)
    pose = sim.sensors["pose"].value
    np.testing.assert_array_equal(pose, np.r_[site.position, site.orientation])


def test_what_needs_a_step_is_nan_without_one():
    sim = ss.Simulation(ss.parse(CUBE))
    assert np.isnan(sim.sensors["contact"].value).all() and np.isnan(sim.sensors["imu"].value[:3]).all()
    sim.step(20)
    state = sim.state
    value = sim.sensors["pose"].value
    sim.restore(state)
    np.testing.assert_array_equal(sim.sensors["pose"].value, value)
    assert np.isnan(sim.sensors["contact"].value).all()
    with pytest.raises(KeyError):
        sim.sensors["nobody"]
    with pytest.raises(KeyError):
        sim.sites["nowhere"]
