# SPDX-License-Identifier: BSD-3-Clause
import os
import signal
import subprocess
import sys
import textwrap
import time

import h5py
import numpy as np
import pytest

import conftest
import stickslip as ss

PLAN = {
    "set": {"time.end": 0.3},
    "samples": 3,
    "parameters": {"mu": {"grid": [0.1, 0.5, 5]}, "height": {"uniform": [0.2, 0.6]}},
    "quantities": {"z": "z(ball)", "peak": {"value": "vz(ball)", "take": "max"}, "x": {"value": "x(ball)", "at": [0.1, 0.2, 9]}},
}


@pytest.fixture
def plan(ball):
    return {"scene": ss.parse(ball), **PLAN}


def same(a, b):
    for columns in ("parameters", "quantities"):
        a_, b_ = getattr(a, columns), getattr(b, columns)
        assert list(a_) == list(b_)
        for name in a_:
            assert np.array_equal(a_[name], b_[name], equal_nan=True), name
    assert np.array_equal(a.status, b.status) and a.message == b.message and np.array_equal(a.steps, b.steps)


def test_rows_are_runs(plan, ball):
    table = ss.sweep(plan)
    mu = np.linspace(0.1, 0.5, 5)
    assert np.array_equal(table.parameters["mu"], np.repeat(mu, 3))
    height = table.parameters["height"].reshape(5, 3)
    assert (height == height[0]).all() and len(set(height[0])) == 3 and (0.2 < height).all() and (height < 0.6).all()
    assert table.quantities["z"].shape == (15,) and table.quantities["x"].shape == (15, 3)
    for row in range(15):
        sim = ss.Simulation(ss.parse(ball), end=0.3,
                            set={"parameters.mu": table.parameters["mu"][row], "parameters.height": table.parameters["height"][row]})
        vz, x = [sim.bodies["ball"].velocity[2]], []
        for step in sim.run():
            vz.append(sim.bodies["ball"].velocity[2])
            x.append(sim.bodies["ball"].position[0])
        assert table.quantities["z"][row] == sim.bodies["ball"].position[2] and table.quantities["peak"][row] == max(vz)
        assert np.array_equal(table.quantities["x"][row], [x[99], x[199], np.nan], equal_nan=True)
        assert table.status[row] == 0 and table.message[row] == "" and table.steps[row] == 300
    with pytest.raises(KeyError, match="did you mean 'peak'"):
        table.quantities["peaks"]


def test_files_jobs_and_the_command_agree(plan, ball, tmp_path, program):
    (tmp_path / "scene.toml").write_text(ball)
    (tmp_path / "plan.toml").write_text("""
        sweep = 1
        scene = "scene.toml"
        set = {"time.end" = 0.3}
        samples = 3
        parameters = {mu = {grid = [0.1, 0.5, 5]}, height = {uniform = [0.2, 0.6]}}
        quantities = {z = "z(ball)", peak = {value = "vz(ball)", take = "max"}, x = {value = "x(ball)", at = [0.1, 0.2, 9]}}
        """)
    in_memory = ss.sweep(plan, jobs=1)
    same(in_memory, ss.sweep(tmp_path / "plan.toml", tmp_path / "a.h5", jobs=3))
    same(in_memory, ss.sweep(tmp_path / "plan.toml", tmp_path / "a.h5"))  # all is there
    subprocess.run([program, "sweep", "plan.toml", "--quiet"], cwd=tmp_path, check=True)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "plan.h5").read_bytes()
    with h5py.File(tmp_path / "plan.h5") as file:
        assert file.attrs["sweep"] == 1 and np.array_equal(file["quantities/x"], in_memory.quantities["x"], equal_nan=True)
        assert ss.parse(file.attrs["scene"]) == ss.parse(ball)
        assert list(file) == ["message", "parameters", "quantities", "status", "steps"]


def test_failed_rows_and_pandas(plan):
    pandas = pytest.importorskip("pandas")
    plan["samples"] = 1
    plan["parameters"] = {"mass": {"key": "bodies.ball.mass", "list": [1, -1]}}
    table = ss.sweep(plan)
    assert list(table.status) == [0, 2] and "bodies.ball.mass: -1" in table.message[1]
    assert np.isnan(table.quantities["x"][1]).all() and table.steps[1] == 0
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["mass", "z", "peak", "x.1", "x.2", "x.3", "status", "message"] and frame.index.name == "row"


def test_bad_plans(plan, tmp_path):
    def refused(match, key, **changes):
        with pytest.raises(ss.InputError, match=match) as raised:
            ss.sweep({**plan, **changes}, tmp_path / "t.h5")
        assert (raised.value.key, raised.value.file, raised.value.line) == (key, None, None)

    refused("did you mean 'samples'", "smaples", smaples=3)
    refused("no parameter 'nu'", "parameters.nu", parameters={"nu": {"list": [1]}})
    refused("no body 'bal'", "quantities.z", quantities={"z": "z(bal)"})
    refused("first, last", "parameters.mu.grid", parameters={"mu": {"grid": [1, 2]}})
    assert not (tmp_path / "t.h5").exists()
    with pytest.raises(FileNotFoundError):
        ss.sweep({**plan, "scene": str(tmp_path / "none.toml")})
    with pytest.raises(FileNotFoundError):
        ss.sweep(tmp_path / "none.toml")
    with pytest.raises(ValueError):
        ss.sweep(plan, jobs=0)
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(ss.InputError, match="--force|force"):
        ss.sweep(plan, tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "mine"
    assert len(ss.sweep(plan, tmp_path / "notes", force=True).status) == 15
    with pytest.raises(ss.InputError, match="another plan"):
        ss.sweep({**plan, "seed": 2}, tmp_path / "notes")


def test_ctrl_c_keeps_rows(ball, tmp_path):
    code = """
        import signal, threading, time
        import stickslip as ss
        signal.signal(signal.SIGINT, signal.default_int_handler)
        plan = {"scene": "ball.toml", "set": {"time.end": 2.0}, "samples": 100000, "parameters": {"mu": {"uniform": [0, 1]}}}
        threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        begin = time.time()
        try:
            ss.sweep(plan, "t.h5")
        except KeyboardInterrupt:
            print("interrupted", time.time() - begin < 3)
        table = ss._stickslip.open_sweep_table(ss._stickslip.make_sweep({"sweep": 1, **plan}, None, ""), "t.h5", False)
        print(0 < len(table.pending()) < 100000)
    """
    (tmp_path / "ball.toml").write_text(ball)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "interrupted True\nTrue\n"


# --- Dask

TOPS = """
sweep = 1
scene = "{scene}"
set = {{"time.end" = 0.2}}
samples = 24
parameters = {{mu = {{key = "contacts.main.friction", list = [0.1, 0.3]}}, tilt = {{uniform = [0.01, 0.3]}}}}
quantities = {{height = "z(top)", spin = {{value = "omega_z(top)", at = [0.1, 0.2]}}}}
"""


def start_worker(address, folder, code=""):
    """A worker in a folder without our files; `code` runs in it first."""
    main = (f"{code}\nimport sys\nfrom distributed.cli.dask_worker import main\n"
            f"sys.argv = ['dask-worker', '{address}', '--nthreads', '1', '--no-nanny', '--no-dashboard']\nmain()\n")
    folder.mkdir()
    return subprocess.Popen([sys.executable, "-c", main], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "10s"}):
        with distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as made, \
                distributed.Client(made) as client:
            workers = []
            try:
                yield client, lambda name, code="": workers.append(start_worker(made.scheduler_address, tmp_path / name, code)) or workers[-1]
            finally:
                for worker in workers:
                    worker.kill()
                    worker.wait()


def test_dask_with_a_worker_that_is_killed(cluster, tmp_path):
    client, start = cluster
    (tmp_path / "p").mkdir()
    plan = tmp_path / "p/plan.toml"
    plan.write_text(TOPS.format(scene=conftest.ROOT / "scenes/papers/capobianco/tippe_top.toml"))
    whole = ss.sweep(plan, tmp_path / "whole.h5", jobs=1)
    first = start("w1")
    start("w2")
    client.wait_for_workers(2, timeout=60)
    pid = os.fork()
    if pid == 0:  # kills a worker once rows come in
        table = tmp_path / "dask.h5"
        before = None
        for _ in range(2000):
            time.sleep(0.005)
            if table.exists():
                data = table.read_bytes()
                if before is not None and data != before:
                    os.kill(first.pid, signal.SIGKILL)
                    os._exit(0)
                before = data
        os._exit(1)
    try:
        table = ss.sweep(plan, tmp_path / "dask.h5", client=client)
    finally:
        _, status = os.waitpid(pid, 0)
    assert status == 0 and first.wait(10) == -signal.SIGKILL
    same(whole, table)
    assert (tmp_path / "dask.h5").read_bytes() == (tmp_path / "whole.h5").read_bytes()


def test_dask_carries_the_files_of_the_scene(cluster, ball, tmp_path):
    client, start = cluster
    start("w1")
    client.wait_for_workers(1, timeout=60)
    folder = tmp_path / "p"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts/cube.txt").write_text("\n".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)))
    (folder / "parts/cube.toml").write_text(
        'stickslip = 1\n[bodies.cube]\ndensity = 1\nposition = [9, 0, 0]\nshapes.h = {type = "convex", file = "cube.txt", scale = "=size"}\n')
    (folder / "scene.toml").write_text('include = ["parts/cube.toml"]\n' + ball.replace("parameters = {", "parameters = {size = 0.1, "))
    plan = {"scene": str(folder / "scene.toml"), "parameters": {"size": {"list": [0.1, 0.2, 0.3]}}, "set": {"time.end": 0.05},
            "quantities": {"e": "kinetic_energy", "z": "z(cube)"}}
    here = ss.sweep(plan, jobs=1)
    assert len(set(here.quantities["e"])) == 3
    same(here, ss.sweep(plan, client=client))


def test_dask_refuses_workers_of_another_version(cluster, plan, tmp_path):
    client, start = cluster
    start("w1", "import stickslip\nstickslip.__version__ = '0.0.1'")
    client.wait_for_workers(1, timeout=60)
    with pytest.raises(RuntimeError, match="this worker has stickslip 0.0.1"):
        ss.sweep(plan, tmp_path / "t.h5", client=client)
    assert len(ss.sweep(plan, tmp_path / "t.h5").status) == 15
