# SPDX-License-Identifier: BSD-3-Clause
import math

import numpy as np
import pytest

import stickslip as ss


def serially(scene, state, controls, n_steps):
    sim = ss.Simulation(scene, end=math.inf)
    if state is not None:
        sim.restore(state)
    q, u, time = [], [], []
    for k in range(n_steps):
        if controls is not None:
            sim.joints["elbow"].effort = controls[k, 0]
        sim.step()
        q.append(sim.q.copy())
        u.append(sim.u.copy())
        time.append(sim.time)
    return np.array(time), np.array(q), np.array(u)


@pytest.mark.parametrize("scheme", ss.schemes())
@pytest.mark.parametrize("n_threads", [1, 3])
def test_rollouts_are_serial_runs(arm, scheme, n_threads):
    scene = ss.parse(arm)
    scene.scheme.type = scheme
    controls = np.random.default_rng(0).normal(size=(5, 30, 1))
    made = ss.rollout(scene, controls=controls, joints=["elbow"], n_threads=n_threads)
    assert made.time.shape == made.status.shape == (5, 30) and made.q.shape == (5, 30, 3) and made.u.shape == (5, 30, 3)
    for i in range(5):
        time, q, u = serially(scene, None, controls[i], 30)
        assert np.array_equal(made.time[i], time) and np.array_equal(made.q[i], q) and np.array_equal(made.u[i], u)


def test_states_and_simulations(arm):
    scene = ss.parse(arm)
    sim = ss.Simulation(scene, end=math.inf)
    states = []
    for _ in range(4):
        sim.step(50)
        states.append(sim.state)
    made = ss.rollout(sim, 20, states=states, n_threads=2)
    for i, state in enumerate(states):
        assert np.array_equal(made.q[i], serially(scene, state, None, 20)[1])
    assert sim.state == states[-1]  # it is not moved
    assert np.array_equal(ss.rollout(sim, 20).q[0], made.q[3])  # from where it is
    both = ss.rollout([sim, scene], 10)
    assert np.array_equal(both.q[0], made.q[3, :10]) and np.array_equal(both.q[1], serially(scene, None, None, 10)[1])
    shared = ss.rollout(sim, states=states, controls=np.ones((1, 6, 1)), joints=["elbow"])
    assert shared.q.shape == (4, 6, 3) and np.array_equal(shared.q[2], serially(scene, states[2], np.ones((6, 1)), 6)[1])


def test_ends_and_failures(ball, arm):
    made = ss.rollout([ss.parse(ball), ss.parse(arm, set={"time.end": 0.01})])
    assert made.time.shape == (2, 1000) and isinstance(made.q, list) and made.q[0].shape == (1000, 7)
    assert (made.status[1, :10] == 0).all() and (made.status[1, 10:] == -1).all()
    assert np.isnan(made.time[1, 10:]).all() and np.isnan(made.q[1][10:]).all() and np.isfinite(made.q[1][:10]).all()
    controls = np.zeros((1, 20, 1))
    controls[0, 5] = math.nan
    failed = ss.rollout(ss.parse(arm), controls=controls, joints=["elbow"])
    assert failed.status[0].tolist() == [0] * 5 + [2] * 15 and np.isnan(failed.q[0, 5:]).all()


def test_bad_rollouts(ball, arm):
    scene = ss.parse(arm)
    with pytest.raises(KeyError, match="elbow"):
        ss.rollout(scene, controls=np.zeros((1, 2, 1)), joints=["elbo"])
    state = ss.Simulation(scene).state
    for wrong in (lambda: ss.rollout(scene, controls=np.zeros((1, 2)), joints=["elbow"]),
                  lambda: ss.rollout(scene, controls=np.zeros((1, 2, 2)), joints=["elbow"]),
                  lambda: ss.rollout([scene] * 3, 5, states=[state] * 2),
                  lambda: ss.rollout(scene, 5, joints=["elbow"]), lambda: ss.rollout(scene, -1),
                  lambda: ss.rollout([], 5), lambda: ss.rollout(scene, 5, n_threads=-1),
                  lambda: ss.rollout(ss.Simulation(scene, end=math.inf)),
                  lambda: ss.rollout(ss.parse(ball), 5, states=state)):
        with pytest.raises(ValueError):
            wrong()
    broken = ss.parse(arm)
    broken.bodies.arm.mass = -1
    with pytest.raises(ss.InputError):
        ss.rollout([scene, broken], 5)
