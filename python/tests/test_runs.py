# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import zipfile

import conftest
import numpy as np
import pytest

import stickslip as ss

h5py = pytest.importorskip("h5py")


def rows(path):
    with h5py.File(path, "r", swmr=True) as file:
        return {name: file[name][()] for name in ("time", "q", "u")}


def short(scene):
    """An end with which a scene takes a few steps: a fiftieth of its time, at most 20 of its steps. Where slow tests are
    wanted, all of its time, at most 2000 of its steps.
    """
    time = ss.load(scene).time
    start, end, step = time.get("start", 0.0), time["end"], time.get("step", "auto")
    share, n_steps = (1, 2000) if "STICKSLIP_SLOW" in os.environ else (50, 20)
    length = (end - start) / share
    if isinstance(step, (int, float)):
        length = min(length, n_steps * step)
    return start + length


@pytest.mark.parametrize("scene", conftest.shipped_scenes(), ids=lambda path: pathlib.Path(path).stem)
def test_same_bits_as_the_command(scene, program, tmp_path):
    end = short(scene)
    sim = ss.Simulation(scene, end=end, set={"output.fields": ["q", "u"]})
    command = [program, "run", scene, "--end", repr(end), "--set", 'output.fields=["q", "u"]', "--quiet", "-o", "a.h5"]
    status = subprocess.run(command, cwd=tmp_path, stderr=subprocess.DEVNULL, check=False).returncode
    result = ss.run(scene, tmp_path / "b.h5", end=end, set={"output.fields": ["q", "u"]})
    assert result.status == status
    a, b = rows(tmp_path / "a.h5"), rows(tmp_path / "b.h5")
    for name, values in a.items():
        assert np.array_equal(values, b[name], equal_nan=True)
    if sim.scene["time"].get("step") == "auto":
        list(sim.run())  # not all of its steps are rows
    else:
        index = {round(t / 1e-12): k for k, t in enumerate(a["time"])}
        for _ in sim.run():
            k = index.get(round(sim.time / 1e-12))
            assert k is None or np.array_equal(sim.q, a["q"][k]) and np.array_equal(sim.u, a["u"][k])
    if result.outcome in ("done", "inexact"):
        assert sim.time == a["time"][-1] and np.array_equal(sim.q, a["q"][-1]) and np.array_equal(sim.u, a["u"][-1])


def pd(sim):
    joint = sim.joints["elbow"]
    joint.effort = 30 * (0.5 - joint.coordinate) - 3 * joint.rate


def test_control_is_that_of_a_loop(arm, tmp_path):
    scene = ss.parse(arm)
    seen = []

    def control(sim):
        seen.append((sim.time, float(sim.joints["elbow"].reaction_force[1]), len(sim.contacts)))
        pd(sim)

    result = ss.run(scene, tmp_path / "r.h5", control)
    assert (result.outcome, result.status, result.time, result.limits) == ("done", 0, 1.0, [])
    sim = ss.Simulation(scene)
    pd(sim)
    for _ in sim.run():
        pd(sim)
    assert np.array_equal(rows(tmp_path / "r.h5")["q"][-1], sim.q)
    assert len(seen) == 1001 and seen[500][1] != 0  # before row 0, and before each step
    # It is resumed with the same controller.
    ss.run(scene, tmp_path / "half.h5", pd, end=0.5)
    with pytest.raises(ss.InputError):
        ss.run(scene, tmp_path / "half.h5", resume=tmp_path / "half.h5")
    ss.run(scene, tmp_path / "half.h5", pd, resume=tmp_path / "half.h5")
    assert np.array_equal(rows(tmp_path / "r.h5")["q"], rows(tmp_path / "half.h5")["q"])


@pytest.mark.parametrize("scheme", ["moreau", "event-driven"])
def test_inputs_are_written_and_verified(arm, program, tmp_path, scheme):
    seen = []

    def control(sim):
        pd(sim)
        seen.append(sim.joints["elbow"].effort)

    ss.run(ss.parse(arm), tmp_path / "r.h5", control, scheme=scheme, end=0.2)
    with ss.open(tmp_path / "r.h5") as result:
        effort = result.inputs["elbow"].value
        assert effort[0] == 0 and np.array_equal(effort[1:], seen[1:])
        assert result.bodies.input_impulse.shape == (result.rows, len(result.bodies), 3)
    done = subprocess.run([program, "verify", tmp_path / "r.h5"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ss.run(ss.parse(arm), tmp_path / "free.h5", scheme=scheme, end=0.01)
    with ss.open(tmp_path / "free.h5") as result:
        assert "inputs" not in result.file


def test_what_a_controller_raises_comes_through(arm, tmp_path):
    kept = []

    def control(sim):
        kept[:] = [sim, sim.q, sim.joints["elbow"]]
        for forbidden in (sim.step, sim.reset, lambda: sim.restore(sim.state)):
            with pytest.raises(RuntimeError):
                forbidden()
        if sim.time > 0.1:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ss.run(ss.parse(arm), tmp_path / "r.h5", control)
    with ss.open(tmp_path / "r.h5") as result:
        assert result.attributes["outcome"] == "interrupted" and 100 <= result.rows <= 102
    sim, q, joint = kept
    assert np.isfinite(q).all()
    for look in (lambda: sim.time, lambda: joint.coordinate, lambda: sim.state, sim.step):
        with pytest.raises(RuntimeError, match="over"):
            look()


def test_bad_runs(ball, tmp_path):
    scene = ss.parse(ball)
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(ss.InputError):
        ss.run(scene, tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "mine"
    with pytest.raises(ss.WriteError) as raised:
        ss.run(scene, tmp_path / "none" / "r.h5")
    assert isinstance(raised.value, OSError)
    with pytest.raises(ss.InputError):
        ss.run(scene, tmp_path / "r.h5", end=float("inf"))
    with pytest.raises(ss.InputError):
        ss.run(scene, tmp_path / "r.h5", resume=tmp_path / "none.h5")
    assert ss.run(scene, tmp_path / "notes", force=True, end=0.01).outcome == "done"


def test_limits_of_a_run(ball, tmp_path):
    result = ss.run(ss.parse(ball), tmp_path / "r.h5", set={"limits.energy": 1e-30, "limits.penetration": 1e-30})
    assert result.status == 4 and result.outcome == "inexact" and result.limits
    assert {"what", "name", "first_time", "first_step", "count", "worst", "limit"} == set(result.limits[0])


def test_results(ball, tmp_path):
    path = tmp_path / "r.h5"
    ss.run(ss.parse(ball), path)
    with ss.open(path) as result:
        n = result.rows
        assert result.time.shape == (n,) and result.q.shape == (n, 7) and result.u.shape == (n, 6)
        ball_ = result.bodies["ball"]
        assert np.array_equal(ball_.position, result.q[:, :3]) and ball_.orientation.shape == (n, 4) and ball_.mass == 2
        assert result.bodies.names == ["ball", "ground"] and result.bodies.position.shape == (n, 2, 3)
        contact = result.contacts["c"]
        assert contact.gap.shape == (n,) and contact.force.shape == (n, 3) and contact.friction_coefficient == 0.3
        assert result.steps["residual"].shape == (n,) and np.array_equal(result.steps["time"], result.time)
        assert result.scene == ss.parse(ball) and result.attributes["scheme"] == "moreau"
        for wrong in (lambda: result.bodies["bal"], lambda: result["q2"], lambda: result.contacts["d"]):
            with pytest.raises(KeyError):
                wrong()
        with pytest.raises(AttributeError):
            result.bodies["ball"].colour
        page = result._repr_html_()
        assert page.startswith("<iframe srcdoc=") and "&lt;html" in page
    with pytest.raises(ss.InputError) as raised:
        ss.open(tmp_path / "none.h5")
    assert isinstance(raised.value, FileNotFoundError)
    (tmp_path / "text.h5").write_text("no result")
    with pytest.raises(ss.InputError):
        ss.open(tmp_path / "text.h5")
    h5py.File(tmp_path / "other.h5", "w").close()
    with pytest.raises(ss.InputError):
        ss.open(tmp_path / "other.h5")


def test_plots(ball, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ss.run(ss.parse(ball), tmp_path / "r.h5", end=0.4)
    figure = ss.plot(ss.open(tmp_path / "r.h5"), ["energy", "gap", "/steps/iterations"])
    assert len(figure.axes) == 3 and [len(axes.lines) for axes in figure.axes] == [4, 2, 1]
    gap = figure.axes[1].lines[0].get_xydata()
    assert gap[0] == pytest.approx([0, 0.4])
    assert len(ss.plot(tmp_path / "r.h5").axes) > 5
    with pytest.raises(KeyError):
        ss.plot(tmp_path / "r.h5", "nonsense")
    matplotlib.pyplot.close("all")


def test_analyses(tmp_path, program):
    rod = str(conftest.ROOT / "scenes/papers/painleve/rod.toml")
    if not os.path.exists(rod):
        candidates = [path for path in conftest.shipped_scenes() if "ainleve" in path]
        if not candidates:
            pytest.skip("no such scene")
        rod = candidates[0]
    subprocess.run([program, "analyze", rod, "--level", "acceleration", "--json", "a.json"], cwd=tmp_path, check=True,
                   stdout=subprocess.DEVNULL)
    expected = json.loads((tmp_path / "a.json").read_text())[0]
    assert ss.analyze(rod, "acceleration") == expected
    assert ss.analyze(ss.Simulation(rod), "acceleration") == expected
    with pytest.raises(ss.InputError):
        ss.analyze(rod, "moon")


def test_importing_is_light_and_works_anywhere(tmp_path):
    code = """
        import sys
        import stickslip as ss
        heavy = {"matplotlib", "h5py", "scipy", "dask", "gymnasium"} & set(sys.modules)
        assert not heavy, heavy
        assert ss.__version__ and "moreau" in ss.schemes() and ss.solvers()[0] == "auto"
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=tmp_path, check=True)
    for name in ss.__all__:
        assert getattr(ss, name).__doc__, name


def test_the_package_names_no_folder_of_its_making():
    folders = [str(conftest.ROOT).encode(), str(pathlib.Path.home()).encode() + b"/", b"/build/release"]
    files = {path.name: path.read_bytes() for path in pathlib.Path(ss.__file__).parent.glob("*") if path.is_file()}
    for wheel in (conftest.ROOT / "build/python").glob("stickslip-*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            files |= {f"{wheel.name}: {name}": archive.read(name) for name in archive.namelist()}
    for name, data in files.items():
        assert not [folder for folder in folders if folder in data], name


def test_ctrl_c_closes_the_result(arm, tmp_path):
    (tmp_path / "arm.toml").write_text(arm)
    code = """
        import signal, sys, threading
        import stickslip as ss
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def interrupt(sim):
            if sim.steps == 50:
                signal.raise_signal(signal.SIGINT)
        try:
            ss.run("arm.toml", "c.h5", interrupt)
        except KeyboardInterrupt:
            print("interrupted")
        threading.Timer(0.3, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        try:
            ss.run("arm.toml", "r.h5", end=1e5, set={"output.every": 1e3})
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "interrupted\n" * 2
    with ss.open(tmp_path / "c.h5") as result:
        assert result.attributes["outcome"] == "interrupted" and result.time[-1] == pytest.approx(0.05)
    if (tmp_path / "r.h5").exists():
        with ss.open(tmp_path / "r.h5") as result:
            assert result.attributes["outcome"] == "interrupted"
