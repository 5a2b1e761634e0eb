# SPDX-License-Identifier: BSD-3-Clause
"""Random calls in random order, some of two threads at once: exceptions may come, crashes not. Most of use under the
sanitizers (scripts/check_python_asan).
"""
import copy
import gc
import math
import os
import pickle
import random
import threading

import numpy as np
import pytest

import stickslip as ss

REFUSALS = (ValueError, RuntimeError, KeyError, IndexError, TypeError, AttributeError, StopIteration)


class Calls:
    """Objects that a few simulations gave, kept or dropped at random, and calls of them."""

    def __init__(self, scenes, seed):
        self.random = random.Random(seed)
        self.scenes = scenes
        self.kept = {kind: [] for kind in ("sim", "view", "step", "state", "contacts", "body", "joint", "run", "expression")}

    def any(self, kind):
        if not self.kept[kind]:
            raise IndexError(kind)
        return self.random.choice(self.kept[kind])

    def keep(self, kind, thing):
        kept = self.kept[kind]
        kept.append(thing)
        if len(kept) > 6:
            del kept[self.random.randrange(len(kept))]

    def call(self):
        sim, r = (lambda: self.any("sim")), self.random
        numbers = r.choice([[0, 0, 1], [1, 2], [math.nan] * 3, [], "abc", None, np.zeros((2, 2)), 1e308, [1e300] * 3])
        choices = [
            lambda: self.keep("sim", ss.Simulation(r.choice(self.scenes), end=r.choice([None, math.inf, 0.01]))),
            lambda: self.keep("view", getattr(sim(), r.choice("qua"))),
            lambda: self.keep("step", sim().step(r.choice([1, 1, 1, 3, 0, -1]))),
            lambda: self.keep("step", sim().advance(sim().time + r.choice([0.0, 0.002, -1.0]))),
            lambda: self.keep("state", sim().state),
            lambda: self.keep("contacts", sim().contacts),
            lambda: self.keep("contacts", self.any("step").contacts),
            lambda: self.keep("contacts", self.any("body").contacts),
            lambda: self.keep("body", sim().bodies[r.choice(["ball", "arm", "ground", 0, -1, 7])]),
            lambda: self.keep("joint", sim().joints[r.choice(["elbow", 0, 3])]),
            lambda: self.keep("run", sim().run(until=r.choice([None, 0.01, math.nan]), raise_on=r.choice([None, "failed"]))),
            lambda: self.keep("step", next(self.any("run"))),
            lambda: sim().restore(self.any("state")),
            lambda: sim().restore(ss.State.from_bytes(bytes(self.any("state"))[: r.choice([None, 0, 40, -3])])),
            lambda: pickle.loads(pickle.dumps(copy.deepcopy(self.any("state")))) == self.any("state"),
            lambda: pickle.dumps(sim()),
            lambda: copy.copy(r.choice([sim(), self.any("step"), self.any("contacts"), self.any("body")])),
            lambda: sim().reset(*r.choice([(), (numbers,), (None, numbers)])),
            lambda: self.any("view").__setitem__(0, 1.0),
            lambda: self.any("view").resize(100),
            lambda: self.any("view").sum(),
            lambda: setattr(self.any("joint"), "effort", r.choice([0.5, math.nan, None, "a"])),
            lambda: self.any("body").apply_force(numbers, **r.choice([{}, {"at": numbers}, {"torque": numbers}, {"frame": "body"}])),
            lambda: self.any("body").clear_inputs(),
            lambda: sim().clear_inputs(),
            lambda: [getattr(self.any("contacts"), name) for name in ("gap", "force", "names", "W", "point")],
            lambda: self.any("contacts")[r.choice([0, -1, 9, "c", "d"])].force,
            lambda: [getattr(self.any("body"), name) for name in ("position", "orientation", "contact_force", "mass")],
            lambda: self.any("body").imu(numbers),
            lambda: [getattr(self.any("joint"), name) for name in ("coordinates", "rates", "reaction_force", "drift")],
            lambda: sim().jacobian("ball", at=numbers), lambda: sim().inverse_dynamics(numbers), lambda: sim().mass_matrix(),
            lambda: sim().evaluate(r.choice(["z(ball)", "x(arm) + t", "coordinate(elbow)", "vx(", "1/0"])),
            lambda: self.kept[r.choice(list(self.kept))].clear(),
            lambda: ss.rollout(r.choice([sim(), self.scenes]), 3, n_threads=2),
            gc.collect,
        ]
        try:
            r.choice(choices)()
        except REFUSALS:
            return False
        return True


@pytest.mark.parametrize("seed", range(20 if "STICKSLIP_SLOW" in os.environ else 2))
def test_random_calls(ball, arm, seed):
    calls = Calls([ss.parse(ball), ss.parse(arm), ss.parse(ball, set={"scheme.type": "generalized-alpha"})], seed)
    went = sum(calls.call() for _ in range(1000))
    assert 200 < went < 1000  # most kinds were called with something to call


def test_random_calls_of_two_threads(ball, arm):
    calls = Calls([ss.parse(ball), ss.parse(arm)], 7)
    faults = []

    def work():
        try:
            for _ in range(400):
                calls.call()
        except BaseException as error:  # what a refusal is not
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and all(sim.q.size > 0 for sim in calls.kept["sim"])
