# SPDX-License-Identifier: BSD-3-Clause
"""Whole runs, rollouts, analyses and contact problems."""
import dataclasses
import json

import numpy

from . import _stickslip


def state_from_bytes(data):
    """The State that bytes(state) was made of: for pickle, which knows functions of modules by name."""
    return _stickslip.State.from_bytes(data)


@dataclasses.dataclass
class RunResult:
    """How a run ended: outcome "done", "inexact", "failed", "stopped"; status: the command's exit status; time [s];
    message: why a step failed or what ended it; limits that were passed; files of contact problems that were not solved.
    """

    outcome: str
    status: int
    time: float
    message: str
    limits: list
    problems: list


def run(scene, output, control=None, resume=None, force=False, *, scheme=None, solver=None, step=None, end=None, set=None,
        csv=None, vtk=None, checkpoint_every=None, problems_every=None, problems_failed=0):
    """Simulates a scene and writes its result, as the command `stickslip run` does and to the same bits.

    control(simulation) is called before each step, and before row 0: it may read the simulation and set its inputs, which
    act in that step alone unless they are set again or left. What it raises comes through; the rows before it stay, and
    so they do on Ctrl-C. resume: a result to go on from. Raises InputError and WriteError.
    """
    return RunResult(**_stickslip.run(scene, output, control, resume, force, scheme, solver, step, end, set, csv, vtk,
                                      checkpoint_every, problems_every, problems_failed))


@dataclasses.dataclass
class Rollout:
    """time (N, T) [s], status (N, T), q (N, T, n_q), u (N, T, n_u) after each step of N runs; q and u are lists of arrays
    where runs differ in size. After a failed step NaN and status 2, after the end NaN and -1.
    """

    time: numpy.ndarray
    status: numpy.ndarray
    q: object
    u: object


def rollout(sims, n_steps=None, *, controls=None, joints=(), states=None, n_threads=0):
    """Makes N runs on threads (0: one for each processor), each to the bits that it has alone.

    sims: N scenes or Simulations, or one for all; none is moved. states: N States or one, where they start (default: where
    the simulations are). controls (N, T, m) or (1, T, m): efforts [N, N m] of the m `joints` before each step. n_steps:
    default T, or to the end.
    """
    return Rollout(**_stickslip.rollout(sims, n_steps, controls, list(joints), states, n_threads))


def analyze(scene, level="step", *, time=None, result=None, delta=1e-3, zeta=0.5, set=None):
    """Every solution of the contact problem of a scene or Simulation at an instant, as `stickslip analyze --json` has it.

    level: "step", "acceleration" or "relaxation". Of a scene: time [s] to run to first, or result, the state of its row.
    """
    return json.loads(_stickslip.analyze(scene, level, time, result, delta, zeta, set))


@dataclasses.dataclass
class Solution:
    """p (n) [N s], u (n) [m/s] = W p + b; status "ok", "inexact", "failed" or "refused"; residual [m/s],
    relative_residual [-], missed [m/s]; the method that found it; message: why, where it is not ok.
    """

    p: numpy.ndarray
    u: numpy.ndarray
    status: str
    iterations: int
    residual: float
    relative_residual: float
    missed: float
    method: str
    message: str


class ConeProblem:
    """A one-step contact problem u = W p + b with Coulomb friction: the normal of each contact first, then one (dim 2) or
    two (dim 3) directions of friction. W (n, n) [1/kg]: an array or a matrix of scipy.sparse; b (n) [m/s]; mu (n / dim) or
    a number.
    """

    def __init__(self, W, b, mu, dim=None):
        self._problem = _stickslip.make_problem(W, b, mu, dim)

    @classmethod
    def load(cls, file):
        """A problem of a file: FCLIB's, or the text of an LCP. Raises InputError."""
        problem = cls.__new__(cls)
        problem._problem = _stickslip.load_problem(file)
        return problem

    @property
    def size(self):
        """n, the number of rows."""
        return self._problem.size

    @property
    def contacts(self):
        """The number of contacts."""
        return self._problem.contacts

    def solve(self, *, solver="auto", law=None, tolerance=1e-10, max_iterations=None, forces="any", p0=None):
        """Solves it from p0 (n) [N s] (default 0). law: "coulomb" or "associated" (default: the file's, else coulomb);
        forces: "any" or "least-norm".
        """
        return Solution(**self._problem.solve(solver, law, tolerance, max_iterations, forces, p0))

    def __repr__(self):
        return f"<stickslip.ConeProblem: {self.contacts} contacts, {self.size} rows>"


def solve(W, b, mu, *, dim=None, solver="auto", law="coulomb", tolerance=1e-10, max_iterations=None, forces="any", p0=None):
    """Solves u = W p + b under the laws of contact: ConeProblem(W, b, mu, dim).solve(...)."""
    return ConeProblem(W, b, mu, dim).solve(solver=solver, law=law, tolerance=tolerance, max_iterations=max_iterations,
                                            forces=forces, p0=p0)
