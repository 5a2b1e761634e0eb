# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

import stickslip as ss

W = np.diag([0.5, 1.0, 1.0])


@pytest.mark.parametrize("solver", ss.solvers())
def test_one_contact(solver):
    # It closes with 1 m/s and slides with 0.2: the friction that stops it is within the cone.
    stick = ss.solve(W, [-1.0, 0.2, 0.0], 0.5, solver=solver, tolerance=1e-8)
    assert stick.status == "ok" and stick.p == pytest.approx([2, -0.2, 0], abs=1e-6)
    assert stick.u == pytest.approx([0, 0, 0], abs=1e-6)
    opens = ss.solve(W, [1.0, 0.2, 0.0], 0.5, solver=solver, tolerance=1e-8)
    assert opens.status == "ok" and opens.p == pytest.approx([0, 0, 0], abs=1e-9) and opens.u == pytest.approx([1, 0.2, 0])


def test_forms_of_the_same_problem(tmp_path):
    b, mu = [-1.0, 3.0, 0.0, -2.0, 0.0, 1.0], [0.5, 0.2]
    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 6))
    matrix = A @ A.T + np.eye(6)
    dense = ss.solve(matrix, b, mu)
    assert dense.status == "ok" and dense.u == pytest.approx(matrix @ dense.p + b, abs=1e-12)
    # Signorini and Coulomb, contact by contact.
    for k in (0, 3):
        n, t = dense.p[k], dense.p[k + 1 : k + 3]
        assert n >= 0 and np.linalg.norm(t) <= mu[k // 3] * n + 1e-9 and abs(n * dense.u[k]) < 1e-9
        slip = dense.u[k + 1 : k + 3]
        assert slip @ t == pytest.approx(-mu[k // 3] * n * np.linalg.norm(slip), abs=1e-8)
    sparse = pytest.importorskip("scipy.sparse")
    for form in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        assert np.array_equal(ss.solve(form(matrix), b, mu).p, dense.p)
    problem = ss.ConeProblem(matrix, b, mu, 3)
    assert problem.size == 6 and problem.contacts == 2
    assert np.array_equal(problem.solve().p, dense.p)
    warm = problem.solve(p0=dense.p)
    assert warm.status == "ok" and warm.iterations <= dense.iterations and warm.p == pytest.approx(dense.p, abs=1e-8)
    relaxed = problem.solve(law="associated")
    assert relaxed.status == "ok" and not np.allclose(relaxed.p, dense.p)
    planar = ss.solve(matrix, b, 0.3, dim=2)
    assert planar.status == "ok" and planar.p[1] <= 0.3 * planar.p[0] + 1e-9


def test_problems_of_files(tmp_path):
    path = tmp_path / "lcp.txt"
    path.write_text("2\n2 0\n0 1\n-4 3\n")
    solved = ss.ConeProblem.load(path).solve()
    assert solved.status == "ok" and solved.p == pytest.approx([2, 0]) and solved.u == pytest.approx([0, 3])
    with pytest.raises(ss.InputError):
        ss.ConeProblem.load(tmp_path / "none")


def test_bad_problems():
    b = [-1.0, 0.2, 0.0]
    bad = [lambda: ss.solve(np.eye(2), b, 0.5), lambda: ss.solve(W, b, -0.1), lambda: ss.solve(W, b, np.nan),
           lambda: ss.solve(W * np.nan, b, 0.5), lambda: ss.solve(W, [np.inf, 0, 0], 0.5), lambda: ss.solve(W, b, [0.1, 0.2]),
           lambda: ss.solve(W, b, 0.5, dim=4), lambda: ss.solve(W, b, 0.5, p0=[1]), lambda: ss.solve(W, b[:2], 0.5),
           lambda: ss.solve(W, b, 0.5, solver="nsg"), lambda: ss.solve(W, b, 0.5, tolerance=0),
           lambda: ss.solve(W, b, 0.5, law="newton"), lambda: ss.solve(W, b, 0.5, forces="all")]
    for action in bad:
        with pytest.raises(ValueError):
            action()
    assert ss.solve(np.zeros((0, 0)), [], 0.5).p.shape == (0,)
