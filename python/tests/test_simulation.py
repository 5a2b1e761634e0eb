# SPDX-License-Identifier: BSD-3-Clause
import copy
import gc
import math
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import stickslip as ss


def simulation(text, **options):
    return ss.Simulation(ss.parse(text), **options)


def test_free_fall_is_exact(ball):
    # Moreau's midpoint rule has no error in a parabola.
    sim = simulation(ball, end=0.2)
    assert sim.steps == 0 and sim.time == 0.0 and sim.end == 0.2 and not sim.done
    last = sim.step(1000)
    assert sim.done and sim.steps == 200 and last.time == sim.time == 0.2
    assert sim.bodies["ball"].position == pytest.approx([0.2, 0, 0.5 - 9.81 * 0.02], abs=1e-14)
    assert sim.bodies["ball"].velocity == pytest.approx([1, 0, -1.962], abs=1e-13)
    assert last.kinetic_energy == pytest.approx(1 + 1.962**2, abs=1e-12)
    with pytest.raises(RuntimeError):
        sim.step()


def test_views_follow_stay_and_are_read_only(ball):
    sim = simulation(ball)
    q, u, a = sim.q, sim.u, sim.a
    assert q.shape == (7,) and u.shape == (6,) and a.shape == (6,) and q.dtype == np.float64
    assert sim.q is q
    address, before = q.ctypes.data, q.copy()
    sim.step(10)
    assert q.ctypes.data == address and np.array_equal(q, sim.state.q) and not np.array_equal(q, before)
    assert np.isnan(a).all()  # of a scheme on velocities
    for view in (q, u, a):
        with pytest.raises(ValueError):
            view[0] = 1
        with pytest.raises(ValueError):
            view.flags.writeable = True
    body = sim.bodies["ball"]
    now = q.copy()
    del sim
    gc.collect()
    assert np.array_equal(q, now) and np.array_equal(body.position, now[:3])


def test_run_steps_to_a_time(ball):
    sim = simulation(ball)
    steps = list(sim.run(until=0.01))
    assert [s.status for s in steps] == [ss.Status.ok] * 10 and sim.steps == 10
    assert steps[4].time == pytest.approx(0.005)
    assert list(sim.run(until=0.01)) == []
    assert sim.advance(0.02).time == sim.time == pytest.approx(0.02)
    assert sim.advance(0.02).time == sim.time  # there already
    iterator = sim.run()
    next(iterator)
    assert sim.steps == 21  # lazy
    sim.advance(math.inf)
    assert sim.done and list(sim.run()) == [] and sim.time == 1.0
    with pytest.raises(ValueError):
        sim.run(raise_on="never")
    with pytest.raises(RuntimeError):
        sim.advance(2.0)


def test_without_an_end(ball):
    sim = simulation(ball, end=math.inf)
    assert sim.end == math.inf
    sim.step(1500)
    assert not sim.done and sim.time == 1500 * 1e-3
    other = simulation(ball, end=2.0)
    other.step(1500)
    assert np.array_equal(sim.q, other.q)


def test_steps_say_what_they_did(ball):
    sim = simulation(ball)
    step = sim.step()
    assert step.step == pytest.approx(1e-3) and step.closed_contacts == 0 and step.message == "" and step.status == 0
    first = step.contacts
    assert first is step.contacts and first.names == ["c"] and first.gap[0] == pytest.approx(sim.q[2] - 0.1)
    sim.step()
    assert step.contacts is first  # once given they stay
    late = sim.step()
    sim.step()
    with pytest.raises(RuntimeError):
        late.contacts


@pytest.mark.parametrize("scheme", ss.schemes())
def test_restore_goes_on_with_the_same_bits(ball, scheme):
    if scheme == "relaxation":  # which has its own bounces
        ball = ball.replace("restitution = {normal = 0.5}", "")
    sim = simulation(ball, scheme=scheme, step=1e-3)
    sim.step(100)
    sim.bodies["ball"].apply_force([0.5, 0, 0])
    sim.step(50)
    state = sim.state
    kept = state.copy()
    sim.step(100)
    end = sim.state
    assert end != state and state == kept
    sim.restore(state)
    assert sim.state == state and sim.time == state.time
    assert np.isnan(sim.contacts.normal_force).all()
    sim.step(100)
    assert sim.state == end
    # In another simulation, from bytes, with another end.
    other = simulation(ball, scheme=scheme, step=1e-3, end=7.0)
    other.restore(ss.State.from_bytes(bytes(state)))
    other.step(100)
    assert np.array_equal(other.q, end.q) and np.array_equal(other.u, end.u)
    assert pickle.loads(pickle.dumps(end)) == end and copy.deepcopy(end) == end


def test_restore_in_another_process(ball, tmp_path):
    sim = simulation(ball)
    sim.step(300)
    (tmp_path / "state").write_bytes(bytes(sim.state))
    (tmp_path / "scene.toml").write_text(ball)
    sim.step(200)
    code = """
        import stickslip as ss
        sim = ss.Simulation("scene.toml")
        sim.restore(ss.State.from_bytes(open("state", "rb").read()))
        sim.step(200)
        open("end", "wb").write(bytes(sim.state))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=tmp_path, check=True)
    assert (tmp_path / "end").read_bytes() == bytes(sim.state)


def test_foreign_states_are_refused(ball, arm):
    state = simulation(ball).state
    for other in (simulation(arm), simulation(ball, scheme="ccp"), simulation(ball.replace("bodies.ball", "bodies.b")
                                                                             .replace('"ball"', '"b"'))):
        before = other.state
        with pytest.raises(ss.InputError):
            other.restore(state)
        assert other.state == before
    later = simulation(ball)
    later.step(3)
    with pytest.raises(ss.InputError):  # of other steps
        simulation(ball, step=3.3e-3).restore(later.state)
    simulation(ball, set={"parameters.mu": 0.7}).restore(later.state)  # parameters may differ
    for bad in (b"", b"abc", bytes(state)[:-8], bytes(state)[:-8] + b"\xff" * 8, bytes(state) + b"\0" * 8):
        with pytest.raises(ss.InputError):
            ss.State.from_bytes(bad)
    with pytest.raises(TypeError):
        later.restore(b"x")


def test_reset(ball, arm):
    sim = simulation(ball)
    start = sim.state
    sim.bodies["ball"].apply_force([1, 0, 0])
    sim.step(20)
    sim.reset()
    assert sim.state == start and sim.steps == 0
    q = start.q.copy()
    q[2] = 3
    sim.reset(q=q, u=[0, 0, 1, 0, 0, 0])
    assert sim.bodies["ball"].position[2] == 3 and sim.u[2] == 1
    for bad in ([1, 2], np.zeros((7, 1))):
        with pytest.raises(ValueError):
            sim.reset(q=bad)
    with pytest.raises(ss.InputError):
        sim.reset(u=[math.nan] * 6)
    with pytest.raises(ss.InputError):
        sim.reset(q=np.zeros(7))  # a quaternion that is 0
    hinged = simulation(arm)
    with pytest.raises(ss.InputError, match="elbow"):
        hinged.reset(q=[0.5, 0, 0])
    hinged.reset(q=[0, 0.4, math.pi / 2])
    assert hinged.joints["elbow"].coordinate == pytest.approx(math.pi / 2)


def test_inputs(ball, arm):
    sim = simulation(ball, set={"gravity": [0, 0, 0]})
    body = sim.bodies["ball"]
    body.apply_force([2, 0, 0])
    sim.step(100)
    assert body.velocity == pytest.approx([1.1, 0, 0], abs=1e-12)
    body.apply_force([4, 0, 0])  # the same point: replaced
    sim.step(100)
    assert body.velocity == pytest.approx([1.3, 0, 0], abs=1e-12)
    body.apply_force([0, 0, 2], at=[0, 0, 0.05])  # another point: they add
    sim.step(100)
    assert body.velocity == pytest.approx([1.5, 0, 0.1], abs=1e-12)
    body.clear_inputs()
    sim.step(100)
    assert body.velocity == pytest.approx([1.5, 0, 0.1], abs=1e-12)
    body.apply_force([0, 0, 0], torque=[0, 0, 0.1])
    sim.step(10)
    assert body.angular_velocity == pytest.approx([0, 0, 0.05], abs=1e-12)
    sim.clear_inputs()
    for wrong in ({"force": [1, 2]}, {"force": [1, 2, 3], "torque": [1, 2]}, {"force": [[1, 2, 3]]},
                  {"force": [1, 2, 3], "frame": "moon"}, {"force": [1, 2, 3], "at": 1}, {"force": "abc"}, {"force": None},
                  {"force": [1j, 0, 0]}):
        with pytest.raises(ValueError):
            body.apply_force(**wrong)
    with pytest.raises(ss.InputError):
        sim.bodies["ground"].apply_force([1, 0, 0])

    flat = simulation(arm, set={"gravity": [0, 0]})
    elbow = flat.joints["elbow"]
    elbow.effort = 0.7
    assert elbow.effort == 0.7
    flat.step()
    # theta'' = effort / (J + m l^2)
    assert elbow.rate == pytest.approx(0.7 / (0.05 + 1.5 * 0.16) * 1e-3, rel=1e-6)
    flat.bodies["arm"].apply_force([0, 1], torque=0.2)
    with pytest.raises(ss.InputError):
        flat.bodies["arm"].apply_force([0, 1, 1])


def test_planar_pendulum(arm):
    sim = simulation(arm)
    arm_body, elbow = sim.bodies["arm"], sim.joints["elbow"]
    sim.step(200)
    angle, rate = elbow.coordinate, elbow.rate
    assert angle < 0 and elbow.coordinates == pytest.approx([angle]) and elbow.rates == pytest.approx([rate])
    assert arm_body.position == pytest.approx([0.4 * math.cos(angle), 0.4 * math.sin(angle), 0], abs=1e-9)
    # The hinge carries what gravity does not: m (a - g).
    moment = 0.05 + 1.5 * 0.16
    alpha = -1.5 * 9.81 * 0.4 * math.cos(angle) / moment
    tangential = 0.4 * alpha * np.array([-math.sin(angle), math.cos(angle)])
    radial = -0.4 * rate**2 * np.array([math.cos(angle), math.sin(angle)])
    expected = 1.5 * (tangential + radial + [0, 9.81])
    assert elbow.reaction_force[:2] == pytest.approx(expected, rel=2e-3)
    assert elbow.drift.shape == (2,) and np.all(np.abs(elbow.drift) < 1e-9)
    assert sim.a[2] == pytest.approx(alpha, rel=1e-3)
    # The point of the hinge is at rest.
    J = sim.jacobian("arm", at=[-0.4, 0])
    assert J.shape == (6, 3) and (J @ sim.u)[:3] == pytest.approx([0, 0, 0], abs=1e-9)
    assert (J @ sim.u)[3:] == pytest.approx([0, 0, sim.u[2]])
    assert sim.mass_matrix() == pytest.approx(np.diag([1.5, 1.5, 0.05]))
    assert sim.inverse_dynamics(np.zeros(3)) == pytest.approx([0, 1.5 * 9.81, 0])
    assert sim.inverse_dynamics([1, 2, 3]) == pytest.approx([1.5, 3 + 1.5 * 9.81, 0.15])
    for bad in ([1, 2], [[1, 2, 3]]):
        with pytest.raises(ValueError):
            sim.inverse_dynamics(bad)


def test_gyroscopic_torque_in_inverse_dynamics(ball):
    sim = simulation(ball, set={"bodies.ball.inertia": [0.02, 0.03, 0.05], "bodies.ball.angular_velocity": [1, 2, 3]})
    inertia, omega = np.array([0.02, 0.03, 0.05]), np.array([1, 2, 3])
    f = sim.inverse_dynamics(np.zeros(6))
    assert f[:3] == pytest.approx([0, 0, 2 * 9.81]) and f[3:] == pytest.approx(np.cross(omega, inertia * omega))


def test_resting_ball(ball):
    text = ball.replace("velocity = [1, 0, 0]", "").replace("height = 0.5", "height = 0.1")
    sim = simulation(text)
    sim.step(10)
    contact = sim.contacts["c"]
    weight = 2 * 9.81
    assert contact.normal_force == pytest.approx(weight) and contact.normal_percussion == pytest.approx(weight * 1e-3)
    assert contact.force == pytest.approx([0, 0, weight]) and contact.normal == pytest.approx([0, 0, 1])
    assert contact.point == pytest.approx([0, 0, 0], abs=1e-9) and contact.status == 1
    body = sim.bodies["ball"]
    assert body.contact_force == pytest.approx([0, 0, weight])
    assert sim.bodies["ground"].contact_force == pytest.approx([0, 0, -weight])
    assert len(body.contacts) == 1 and body.contacts[0].name == "c"
    acceleration, rate = body.imu(at=[0, 0, 0.05])
    assert acceleration == pytest.approx([0, 0, 9.81]) and rate == pytest.approx([0, 0, 0])
    # A sphere: 1/m along the normal, 1/m + r^2/J along tangents.
    tangential = 1 / 2 + 0.01 / 0.02
    assert sim.contacts.W == pytest.approx(np.diag([0.5, tangential, tangential]))


def test_imu_in_free_flight_and_in_rotation(ball):
    sim = simulation(ball, set={"bodies.ball.angular_velocity": [0, 0, 2]}, scheme="generalized-alpha")
    sim.step(5)
    acceleration, rate = sim.bodies["ball"].imu(at=[0.1, 0, 0])
    assert rate == pytest.approx([0, 0, 2]) and acceleration == pytest.approx([-0.4, 0, 0], abs=1e-9)
    sim = simulation(ball, set={"bodies.ball.angular_velocity": [0, 0, 2]})
    assert np.isnan(sim.bodies["ball"].imu()[0]).all()  # before the first step
    sim.step(5)
    acceleration, _ = sim.bodies["ball"].imu(at=[0.1, 0, 0])
    assert acceleration == pytest.approx([-0.4, 0, 0], abs=1e-3)  # a mean over the step


def test_names(ball):
    sim = simulation(ball)
    assert sim.bodies.names == ["ball", "ground"] == list(sim.bodies) and len(sim.bodies) == 2 and "ball" in sim.bodies
    assert sim.bodies[1].name == "ground" and sim.bodies["ground"].index == 1 and sim.bodies["ball"].mass == 2
    assert math.isnan(sim.bodies["ground"].mass) and sim.bodies["ball"] is sim.bodies["ball"]
    for look_up in (lambda: sim.bodies["bal"], lambda: sim.contacts["d"], lambda: sim.jacobian("bal")):
        with pytest.raises(KeyError):
            look_up()
    with pytest.raises(KeyError, match="did you mean 'ball'"):
        sim.bodies["bal"]
    with pytest.raises(KeyError):
        sim.joints["elbow"]
    with pytest.raises(IndexError):
        sim.bodies[2]
    assert sim.scheme == "moreau" and sim.solver == "auto" and sim.scene.bodies["ball"]["position"] == [0, 0, 0.5]


def test_pairs_of_several_points():
    text = """
        stickslip = 1
        gravity = [0, -9.81]
        time = {end = 1, step = 1e-3}
        [bodies.floor]
        type = "fixed"
        shapes.top = {type = "half-space", normal = [0, 1]}
        [bodies.box]
        type = "planar"
        mass = 1
        inertia = 0.1
        position = [0, 0.5]
        shapes.b = {type = "box", size = [1, 1]}
        [[contacts]]
        name = "c"
        between = ["floor", "box"]
        friction = 0.5
    """
    sim = simulation(textwrap.dedent(text))
    sim.step(3)
    pair = sim.contacts["c"]
    assert len(pair) == 4 and pair.names == [f"c/{k}" for k in range(4)]
    assert pair.normal_force.sum() == pytest.approx(9.81) and sim.contacts["c/1"].gap == pair.gap[1]
    assert sim.contacts.W.shape == (4, 4)


def test_failed_steps_leave_the_state():
    text = """
        stickslip = 1
        time = {end = 1, step = 1e-3}
        scheme = {type = "moreau"}
        [bodies.b]
        mass = 1
        inertia = [1, 1, 1]
        [forces.f]
        type = "load"
        body = "b"
        force = ["(t < 0.0101) ? 1 : log(-1)", 0, 0]
    """
    sim = simulation(textwrap.dedent(text))
    steps = list(sim.run())
    assert steps[-1].status == ss.Status.failed and steps[-1].message and len(steps) == sim.steps + 1
    assert math.isnan(steps[-1].residual)
    before = sim.state
    again = sim.step(5)
    assert again.status == ss.Status.failed and sim.state == before
    with pytest.raises(ss.StepError) as raised:
        for _ in sim.run(raise_on="failed"):
            pass
    assert raised.value.step.status == ss.Status.failed and isinstance(raised.value, RuntimeError)
    with pytest.raises(ss.StepError):
        list(sim.run(raise_on="inexact"))


def test_one_thread_at_a_time(ball):
    sim = simulation(ball, end=math.inf)
    seen, free = [], []

    def move():
        try:
            sim.step(10**5)
        except KeyboardInterrupt:
            pass

    thread = threading.Thread(target=move)
    thread.start()
    while not seen and thread.is_alive():
        free.append(float(sim.q[2]))  # views can be read, and the interpreter runs
        for touch in (sim.step, lambda: sim.state, lambda: sim.bodies["ball"].position, sim.reset):
            try:
                touch()
            except RuntimeError as error:
                seen.append(error)
    thread.join()
    assert seen and free
    sim.reset()
    sim.step()


def test_ctrl_c_ends_after_a_whole_step(ball):
    # The signal comes from a timer; whatever comes first, the state is that of a whole step.
    sim = simulation(ball, end=math.inf)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            while True:
                sim.step(1)
        threading.Timer(0.05, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            sim.step(10**9)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, handler)
    steps, q = sim.steps, sim.state.q
    other = simulation(ball, end=math.inf)
    if steps > 0:
        other.step(steps)
    assert np.array_equal(other.q, q)


def test_dropped_simulations_leave_no_memory(ball):
    def size():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])

    scene = ss.parse(ball)

    def work(n):
        for _ in range(n):
            sim = ss.Simulation(scene)
            sim.q, sim.bodies["ball"], sim.step().contacts, sim.contacts.W, sim.state
        gc.collect()

    work(100)
    before = size()
    work(300)
    assert size() - before < 256  # [pages] of 4 kB: 300 simulations take 10 MB and more
    sim = ss.Simulation(scene, end=math.inf)
    sim.step(1000)
    before = size()
    for _ in range(20000):
        sim.step()
    assert size() - before < 64


@pytest.mark.skipif("STICKSLIP_SLOW" not in os.environ, reason="takes 20 s")
def test_slow_memory_of_many_steps_and_many_simulations(ball):
    def size():
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])  # [pages] of 4 kB

    scene = ss.parse(ball)
    sim = ss.Simulation(scene, end=math.inf)
    sizes = []
    for _ in range(11):
        sizes.append(size())
        for _ in range(10**5):
            step = sim.step()
            step.residual, step.contacts, sim.q[2], sim.bodies["ball"].velocity
    assert sizes[-1] - sizes[1] < 64
    assert sim.steps == 1_100_000
    sizes = []
    for _ in range(11):
        sizes.append(size())
        for _ in range(1000):
            one = ss.Simulation(scene)
            views = one.q, one.u, one.a, one.bodies["ball"], one.contacts, one.state, one.run()
            one.step().contacts, one.contacts.W
            views[-1].__next__()
    assert sizes[-1] - sizes[1] < 64  # a byte each would be 2 pages, the least object 100


def test_objects_that_python_cannot_make(ball):
    sim = simulation(ball)
    for made in (sim.step(), sim.state, sim.contacts, sim.contacts["c"], sim.bodies, sim.joints, sim.bodies["ball"], sim.run()):
        cls = type(made)
        for make in (cls, lambda: cls.__new__(cls), lambda: type("Mine", (cls,), {})):
            with pytest.raises(TypeError):
                make()
    raw = ss.Simulation.__new__(ss.Simulation)
    for use in (lambda: raw.q, lambda: raw.time, lambda: raw.step(), lambda: raw.run(), lambda: raw.bodies, lambda: raw.state,
                lambda: raw.contacts, lambda: raw.restore(sim.state), lambda: raw.evaluate("t"), lambda: ss.rollout(raw, 1),
                lambda: repr(raw), lambda: raw.scheme, lambda: raw.clear_inputs()):
        with pytest.raises(TypeError):
            use()

    class Mine(ss.Simulation):
        pass

    assert Mine(ss.parse(ball)).step(3).time == pytest.approx(3e-3)


def test_arguments_of_steps(ball):
    sim = simulation(ball)
    for call in (lambda: sim.step(1, 2), lambda: sim.step(m=2), lambda: sim.step("a"), lambda: sim.step(2.5),
                 lambda: sim.advance(), lambda: sim.advance(None), lambda: ss.Simulation.step(3)):
        with pytest.raises(TypeError):
            call()
    for call in (lambda: sim.step(0), lambda: sim.step(-1), lambda: sim.advance(math.nan)):
        with pytest.raises(ValueError):
            call()
    assert sim.step(n=2).time == pytest.approx(2e-3) and sim.advance(until=0.01).time == pytest.approx(0.01)
    with pytest.raises(AttributeError):
        sim.step().time = 3


SERVO = """
stickslip = 1
gravity = [0, 0]
time = {end = 1, step = 0.01}
scheme = {type = "moreau"}
[inputs.height]
value = 0.25
range = [0, 1]
[bodies.ground]
type = "fixed"
[bodies.cart]
type = "planar"
mass = 1
inertia = 0.1
[joints.slide]
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0]
axis = [1, 0]
servo = {type = "position", stiffness = 1e10, target = {input = "height"}}
[[sensors]]
name = "motor"
type = "joint"
joint = "slide"
"""


def test_inputs_by_name():
    sim = simulation(SERVO)
    assert list(sim.inputs) == ["height"] and len(sim.inputs) == 1 and "height" in sim.inputs
    assert sim.inputs["height"] == 0.25
    sim.step(2)
    assert sim.joints["slide"].coordinate == pytest.approx(0.25, abs=1e-6)  # m / (h^2 k) of the way
    sim.inputs["height"] = 5
    assert sim.inputs["height"] == 1.0
    state = sim.state
    sim.step()
    assert sim.joints["slide"].coordinate == pytest.approx(1.0, abs=1e-6)
    assert sim.sensors["motor"].value[2] > 0
    after = sim.state
    sim.restore(state)
    assert sim.inputs["height"] == 1.0
    sim.step()
    assert sim.state == after
    sim.clear_inputs()
    assert sim.inputs["height"] == 0.25
    sim.inputs["height"] = 0.5
    sim.reset()
    assert sim.inputs["height"] == 0.25
    with pytest.raises(KeyError, match="height"):
        sim.inputs["heigth"] = 1
    with pytest.raises(ValueError):
        sim.inputs["height"] = math.nan
