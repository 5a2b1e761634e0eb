# SPDX-License-Identifier: BSD-3-Clause
"""Plots of a result: `stickslip report --svg` runs this file, scripts/plot_result draws one page with it.

python3 plots.py FOLDER RESULT.h5 FORCE QUIET FORMAT SIGNALS
    writes each plot that the result has data for as FOLDER/NAME.FORMAT (svg or pdf), or with SIGNALS (names of plots and
    paths of datasets, with commas between) these alone; FORCE, QUIET: anything for yes, '' for no
"""
import sys

if __name__ == "__main__":
    sys.path[:] = [folder for folder in sys.path if folder not in ("", ".")]  # a file of the current folder is no module

import importlib.util
import io
import os
import re

if __name__ == "__main__":
    lacking = [module for module in ("h5py", "matplotlib") if importlib.util.find_spec(module) is None]
    if lacking:  # what calls this says what to install
        sys.exit(69 if len(lacking) > 1 else {"h5py": 70, "matplotlib": 71}[lacking[0]])

import h5py
import matplotlib

if __name__ == "__main__":
    matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch

# Those of the pages (web/src/tables.css, light): 3 : 1 off white, and apart for whoever does not see red, green or blue.
COLOURS = ["#028FFC", "#702D06", "#778D74", "#622981", "#A88C05", "#1B1F24"]
STATUS_COLOURS = {0: "#7D8590", 1: "#0072B2", 2: "#D55E00"}
STATUS_HEIGHTS = {0: 0.12, 1: 0.4, 2: 0.72}  # the taller, the more it moves
STATUS_NAMES = {0: "open", 1: "stick", 2: "slip"}
MAX_LINES = 6  # as many as there are colours
MAX_RIBBONS = 12  # more would be too thin to read
MAX_POINTS = 4000  # a line; more than the picture has pixels
ROUND_OFF = 1e-12  # [rad/s] what a body that does not turn may show
FLOOR = 1e-18  # stands for zero on a logarithmic axis
INK, PALE = "#1B1F24", "#C9CED6"
QUIET = "#57606A"  # text of less weight
STYLE = {"font.family": "DejaVu Sans", "font.size": 9, "axes.edgecolor": PALE, "legend.facecolor": "white",
         "legend.edgecolor": "white", "legend.framealpha": 0.8, "axes.labelcolor": INK, "xtick.color": INK,
         "ytick.color": INK}
# Lines are told apart without colours, too.
DASHES = ["-", (0, (6, 2.5)), (0, (1.5, 2)), (0, (8, 2.5, 1.5, 2.5)), (0, (3.5, 1.5)), (0, (1, 3))]


def text_attribute(node, name, default=""):
    value = node.attrs.get(name, default)
    return value.decode() if isinstance(value, bytes) else str(value)


def scene_name(result):
    """The scene's own name, or the file's."""
    match = re.search(r'^\s*name\s*=\s*"([^"]*)"', text_attribute(result, "scene"), re.MULTILINE)
    return match.group(1) if match else result.filename.rsplit("/", 1)[-1].removesuffix(".h5")


def texts(dataset):
    return list(dataset.asstr()[:])


def plain(name):
    """A name as a label: nothing in it is a formula, and a leading underscore does not hide it."""
    return ("\u200b" if name.startswith("_") else "") + name.replace("$", r"\$")


class Item:
    """One body, contact point or joint of a result: item["position"] has its rows."""

    def __init__(self, result, group, name):
        self.group = result[group]
        self.index = texts(self.group["name"]).index(name)

    def __getitem__(self, quantity):
        return self.group[quantity][:, self.index]


def find_contacts(result):
    """(name, contact) of the named contact points that a picture has room for."""
    if "contacts" not in result:
        return []
    return [(name, Item(result, "contacts", name)) for name in texts(result["contacts/name"])[:MAX_RIBBONS]]


def thinned(*columns):
    stride = max(1, len(columns[0]) // MAX_POINTS)
    return [column[::stride] for column in columns]


def thinned_worst(time, values):
    """As thinned(), but with the largest value of each stretch: no worst moment is lost."""
    stride = max(1, len(time) // MAX_POINTS)
    rows = len(time) // stride * stride
    worst = np.max(np.nan_to_num(values[:rows]).reshape(-1, stride), axis=1, initial=FLOOR)
    return time[:rows:stride], worst


def inclination(quaternion):
    """theta(t) [rad], the angle between the body's z axis and the vertical. quaternion (n, 4): w, x, y, z."""
    _, x, y, _ = quaternion.T
    return np.arccos(np.clip(1 - 2 * (x**2 + y**2), -1, 1))


def start(axes, title, label):
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK)
    axes.set_ylabel(label)
    axes.grid(color="#CFD8DC", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_inclination(axes, result, body):
    time, theta = thinned(result["time"][:], inclination(Item(result, "bodies", body)["orientation"]))
    start(axes, "Inclination", r"$\theta$ [rad]")
    axes.plot(time, theta, color=COLOURS[0], linewidth=1.6)
    axes.axhline(np.pi, color=QUIET, linewidth=1, linestyle="--")
    axes.annotate("upside down", (time[-1], np.pi), xytext=(0, 3), textcoords="offset points", fontsize=8, color=QUIET,
                  horizontalalignment="right")
    axes.set_ylim(-0.1, 3.5)


def turns(result, name):
    """Whether a contact is a limit of a joint that turns: its gaps are angles."""
    if "joints" not in result or "-limits/" not in name:
        return False
    joint = name.rsplit("-limits/", 1)[0]
    types = dict(zip(texts(result["joints/name"]), texts(result["joints/type"])))
    return types.get(joint) == "revolute"


def angles_of(quaternion, planar):
    """(label, values [rad]) of the attitude: the angle in the plane, or roll, pitch and yaw about x, y and z."""
    w, x, y, z = quaternion.T
    if planar:
        return [(r"$\varphi$", np.unwrap(2 * np.arctan2(z, w)))]
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x**2 + y**2))
    pitch = np.arcsin(np.clip(2 * (w * y - x * z), -1, 1))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y**2 + z**2))
    return [("roll", np.unwrap(roll)), ("pitch", pitch), ("yaw", np.unwrap(yaw))]


def draw_angles(axes, result, bodies, planar):
    """The angle of each body of a plane; roll, pitch and yaw of the first one in space."""
    time = result["time"][:]
    start(axes, "Angles" if planar else "Angles: roll, pitch, yaw", "[rad]")
    shown = bodies[:MAX_LINES] if planar else bodies[:1]
    lines = [(body, label, values) for body in shown
             for label, values in angles_of(Item(result, "bodies", body)["orientation"], planar)]
    for k, (body, label, values) in enumerate(lines):
        axes.plot(*thinned(time, values), color=COLOURS[k], linestyle=DASHES[k], linewidth=1.3,
                  label=plain(body) if planar else label)
    axes.legend(fontsize=8, ncol=3, title=None if planar or len(bodies) == 1 else plain(bodies[0]))


def draw_motion(axes, result, bodies, planar):
    """Heights, which is what touches and falls; a single body's whole position where it moves sideways."""
    time = result["time"][:]
    names = "xy" if planar else "xyz"
    positions = {body: Item(result, "bodies", body)["position"] for body in bodies[:MAX_LINES]}
    start(axes, "Positions" if len(bodies) == 1 else "Heights", "[m]")
    if len(bodies) == 1:
        body = bodies[0]
        for k, name in enumerate(names):
            axes.plot(*thinned(time, positions[body][:, k]), color=COLOURS[k], linestyle=DASHES[k], label=name, linewidth=1.4)
    else:
        for k, body in enumerate(bodies[:MAX_LINES]):
            axes.plot(*thinned(time, positions[body][:, len(names) - 1]), color=COLOURS[k], linestyle=DASHES[k],
                      label=plain(body), linewidth=1.2)
    axes.legend(fontsize=8, ncol=3)


def draw_speeds(axes, result, bodies, planar):
    time = result["time"][:]
    start(axes, "Velocities", "[m/s]")
    body = bodies[0]
    velocity = Item(result, "bodies", body)["velocity"]
    rotation = Item(result, "bodies", body)["angular_velocity"]
    lines = []
    for k, name in enumerate("xy" if planar else "xyz"):
        lines += axes.plot(*thinned(time, velocity[:, k]), color=COLOURS[k], linestyle=DASHES[k], label=f"$v_{name}$",
                           linewidth=1.3)
    if np.max(np.abs(rotation), initial=0) > ROUND_OFF:
        turning = axes.twinx()
        turning.set_ylabel("[rad/s]")
        turning.spines["top"].set_visible(False)
        label, values = (r"$\omega$", rotation[:, 2]) if planar else (r"$|\omega|$", np.linalg.norm(rotation, axis=1))
        lines += turning.plot(*thinned(time, values), color=COLOURS[3], label=label, linewidth=1.3, linestyle=DASHES[3])
    axes.legend(handles=lines, fontsize=8, ncol=4, title=plain(body) if len(bodies) > 1 else None)


def draw_gaps(axes, result, contacts, unit="m"):
    time = result["time"][:]
    start(axes, "Gaps" if unit == "m" else "Angles to the limits of joints", rf"$g_N$ [{unit}]")
    for k, (name, contact) in enumerate(contacts[:MAX_LINES]):
        axes.plot(*thinned(time, contact["gap"]), color=COLOURS[k], linestyle=DASHES[k], label=plain(name), linewidth=1.2)
    axes.axhline(0, color=INK, linewidth=0.8)
    if contacts:
        axes.legend(fontsize=8, ncol=2)


def draw_status(axes, result, contacts):
    """One ribbon a contact: open, stick, slip."""
    time = result["time"][:]
    start(axes, "Contact", "")
    shown = contacts[:MAX_RIBBONS]
    for row, (_, contact) in enumerate(shown):
        status = contact["status"]
        changes = np.flatnonzero(np.diff(status)) + 1
        edges = np.concatenate(([0], changes, [len(status) - 1]))
        for first, last in zip(edges[:-1], edges[1:]):
            # A row tells of the step that ends there: the state of row `first` began one row earlier.
            left = time[max(first - 1, 0)]
            right = time[last - 1] if last < len(status) - 1 else time[-1]
            kind = int(status[first])
            height = STATUS_HEIGHTS[kind]
            axes.broken_barh([(left, right - left)], (row + 0.36 - height, height), color=STATUS_COLOURS[kind])
    axes.set_yticks(range(len(shown)), [plain(name) for name, _ in shown], fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(False)
    axes.legend(handles=[Patch(color=STATUS_COLOURS[s], label=STATUS_NAMES[s]) for s in (0, 1, 2)],
                fontsize=8, ncol=3, loc="lower right", bbox_to_anchor=(1, 1))


def draw_energies(axes, result):
    steps = result["steps"]
    time = steps["time"][:]
    kinetic, potential, dissipated = (steps[name][:] for name in ("kinetic_energy", "potential_energy", "dissipated"))
    potential = potential - potential[0]
    start(axes, "Energies", "[J]")
    for k, (label, values) in enumerate([("kinetic", kinetic), ("potential, from its start", potential),
                                         ("their sum", kinetic + potential), ("dissipated", dissipated)]):
        axes.plot(*thinned(time, values), color=COLOURS[k], linestyle=DASHES[k], label=label, linewidth=1.4)
    axes.legend(fontsize=8, ncol=2)


def draw_certificate(axes, result):
    """How well the laws of contact hold: each step's residual and penetration."""
    steps = result["steps"]
    time = steps["time"][:]
    start(axes, "Certificate", "m/s, m")
    for k, (name, label) in enumerate([("coulomb_residual", "residual of Signorini and Coulomb [m/s]"),
                                       ("penetration", "worst penetration [m]")]):
        values = steps[name][:]
        axes.semilogy(*thinned_worst(time, values), color=COLOURS[k], linestyle=DASHES[k], linewidth=1,
                      label=f"{label}: at most {np.nanmax(values, initial=0):.1e}")
    axes.set_ylim(FLOOR / 3, max(axes.get_ylim()[1], 1e-9))
    axes.legend(fontsize=8)


def describe(result):
    """What the pages say of a result's bodies: the moving ones, and whether they stay in a plane."""
    types = dict(zip(texts(result["bodies/name"]), texts(result["bodies/type"])))
    bodies = [body for body, kind in types.items() if kind not in ("fixed", "moving")]
    planar = "rigid" not in types.values() and not np.any(result["bodies/position"][:, :, 2])
    return types, bodies, planar


def has(result, group, *quantities):
    return group in result and all(quantity in result[group] for quantity in quantities)


def plot_motion(result):
    if not has(result, "bodies", "position"):
        return None
    _, bodies, planar = describe(result)
    return (lambda axes: draw_motion(axes, result, bodies, planar)) if bodies else None


def plot_velocities(result):
    if not has(result, "bodies", "position", "velocity", "angular_velocity"):
        return None
    _, bodies, planar = describe(result)
    return (lambda axes: draw_speeds(axes, result, bodies, planar)) if bodies else None


def plot_angles(result):
    if not has(result, "bodies", "position", "orientation"):
        return None
    types, bodies, planar = describe(result)
    turning = [body for body in bodies if types[body] in ("planar", "rigid")]
    return (lambda axes: draw_angles(axes, result, turning, planar)) if turning else None


def plot_gaps(result):
    if not has(result, "contacts", "gap"):
        return None
    contacts = [(name, contact) for name, contact in find_contacts(result) if not turns(result, name)]
    return (lambda axes: draw_gaps(axes, result, contacts)) if contacts else None


def plot_limits(result):
    if not has(result, "contacts", "gap"):
        return None
    contacts = [(name, contact) for name, contact in find_contacts(result) if turns(result, name)]
    return (lambda axes: draw_gaps(axes, result, contacts, "rad")) if contacts else None


def plot_status(result):
    if not has(result, "contacts", "status"):
        return None
    return lambda axes: draw_status(axes, result, find_contacts(result))


def draw_contact_forces(axes, result, kind, unit):
    """Normal forces or percussions, and those of friction between the bounds of the cone: in the plane with their sign,
    along t1; in space their size."""
    time = result["time"][:]
    friction = result["contacts/friction_coefficient"][:]
    planar = "rigid" not in texts(result["bodies/type"])
    what = "along t" if planar else "its size"
    start(axes, f"{kind.capitalize()}s: normal, friction (thin, {what}) within its bound (shaded)", f"[{unit}]")
    shown_contacts = [(name, contact) for name, contact in find_contacts(result) if not turns(result, name)]
    for k, (name, contact) in enumerate(shown_contacts[:MAX_LINES]):
        normal, both = contact[f"normal_{kind}"], contact[f"friction_{kind}"]
        tangential = both[:, 0] if planar else np.linalg.norm(both[:, :2], axis=1)
        axes.plot(*thinned(time, normal), color=COLOURS[k], linestyle=DASHES[k], label=plain(name), linewidth=1.8)
        axes.plot(*thinned(time, tangential), color=COLOURS[k], linestyle=DASHES[k], linewidth=0.8)
        shown, bound = thinned(time, friction[contact.index] * normal)
        axes.fill_between(shown, -bound if planar else 0, bound, color=COLOURS[k], alpha=0.12, linewidth=0)
    if shown_contacts:
        axes.legend(fontsize=8, ncol=2)


def plot_contact_forces(result, kind, unit):
    if not has(result, "contacts", f"normal_{kind}", f"friction_{kind}"):
        return None
    return lambda axes: draw_contact_forces(axes, result, kind, unit)


def draw_joints(axes, result):
    time, names = result["time"][:], texts(result["joints/name"])
    start(axes, "Joint coordinates", "[rad, m]")
    for k, name in enumerate(names[:MAX_LINES]):
        first = result["joints/coordinate"][:, k, 0]
        if np.any(np.isfinite(first)):
            axes.plot(*thinned(time, first), color=COLOURS[k], label=plain(name), linestyle=DASHES[k], linewidth=1.2)
    if axes.lines:
        axes.legend(fontsize=8, ncol=2)


def plot_joints(result):
    return (lambda axes: draw_joints(axes, result)) if has(result, "joints", "coordinate") else None


def draw_steps(axes, result, name, title, label):
    steps = result["steps"]
    start(axes, title, label)
    axes.plot(*thinned_worst(steps["time"][:], steps[name][:]), color=COLOURS[0], linewidth=1)


def draw_energy_error(axes, result):
    steps = result["steps"]
    start(axes, "Energy balance: kinetic + potential - initial - work + dissipated", "[J]")
    axes.plot(*thinned(steps["time"][:], steps["energy_error"][:]), color=COLOURS[0], linewidth=1)


def plots_of(result):
    """NAME: what draws it on axes, or None where the result lacks the data."""
    return {
        "motion": plot_motion(result),
        "angles": plot_angles(result),
        "velocities": plot_velocities(result),
        "gaps": plot_gaps(result),
        "limits": plot_limits(result),
        "status": plot_status(result),
        "forces": plot_contact_forces(result, "force", "N"),
        "percussions": plot_contact_forces(result, "percussion", "N s"),
        "joints": plot_joints(result),
        "energies": lambda axes: draw_energies(axes, result),
        "energy_balance": lambda axes: draw_energy_error(axes, result),
        "certificate": lambda axes: draw_certificate(axes, result),
        "iterations": lambda axes: draw_steps(axes, result, "iterations", "Iterations of the solver", "[1]"),
        "steps": lambda axes: draw_steps(axes, result, "step", "Length of steps", "[s]"),
    }


def draw_dataset(axes, result, path, columns):
    """The columns of a dataset over its rows' time."""
    dataset = result[path]
    time = result["steps/time" if path.startswith("steps/") else "time"][:]
    start(axes, "/" + path, f"[{text_attribute(dataset, 'unit', '1')}]")
    values = dataset[:].reshape(len(dataset), -1)
    rows = min(len(time), len(values))
    for k, column in enumerate(columns):
        label = plain("/".join([path, *column_name(result, path, column)]))
        axes.plot(*thinned(time[:rows], values[:rows, column]), color=COLOURS[k], linestyle=DASHES[k], linewidth=1.3, label=label)
    axes.legend(fontsize=8, ncol=2)


def column_name(result, path, column):
    """The item's name and the component's number, as far as there are any: /contacts/force/ball-ground/2."""
    shape, group = result[path].shape[1:], path.split("/")[0]
    if not shape:
        return []
    components = int(np.prod(shape[1:]))
    named = f"{group}/name" in result and len(result[f"{group}/name"]) == shape[0]
    item = texts(result[f"{group}/name"])[column // components] if named else str(column // components)
    return [item] if len(shape) == 1 else [item, str(column % components)]


def find_dataset(result, signal):
    """(path, columns) of "/steps/iterations", "/q/2", "/contacts/gap/ball-ground" or "/bodies/position/ball/2"."""
    path = signal.strip("/")
    parts = path.split("/")
    depth = next((n for n in range(len(parts), 0, -1) if "/".join(parts[:n]) in result), 0)
    name, rest = "/".join(parts[:depth]), "/".join(parts[depth:])
    dataset = result[name] if depth else None
    rows = (len(result["time"]), len(result["steps/time"]))
    numbers = isinstance(dataset, h5py.Dataset) and dataset.dtype.kind in "fiu" and dataset.ndim <= 3
    if not numbers or len(dataset) not in rows or name.split("/")[0] in ("checkpoint", "limits"):
        sys.exit(f"--signals: {signal}: no plot and no dataset with a row for each instant; plots: "
                 + ", ".join(plots_of(result)))
    columns = [k for k in range(int(np.prod(dataset.shape[1:])))
               if ("/".join(column_name(result, name, k)) + "/").startswith(rest + "/" if rest else "")]
    if not columns:
        sys.exit(f"--signals: {signal}: /{name} has no such column")
    return name, columns[:MAX_LINES]


def chosen_plots(result, signals):
    """NAME: what draws it, of the signals that were asked for; of all plots where none was."""
    plots = {name: draw for name, draw in plots_of(result).items() if draw}
    if not signals:
        return plots
    chosen = {}
    for signal in signals.split(","):
        if signal in plots:
            chosen[signal] = plots[signal]
            continue
        path, columns = find_dataset(result, signal)
        chosen[re.sub(r"[^\w.-]+", "_", signal.strip("/"))] = (
            lambda axes, path=path, columns=columns: draw_dataset(axes, result, path, columns))
    return chosen


MARK = "stickslip, by Matplotlib"


def is_ours(path):
    with open(path, "rb") as file:
        return MARK.encode() in file.read()


def check_own(result):
    """Refuses what leads out of the file: links, and numbers that lie in other files."""
    def visit(group):
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                sys.exit(f"{result.filename}: {group.name}/{name}: a link; only what lies in the file itself is read")
            node = group[name]
            if isinstance(node, h5py.Dataset) and (node.external or node.is_virtual):
                sys.exit(f"{result.filename}: {node.name}: lies in other files; only what lies in the file itself is read")
            if isinstance(node, h5py.Group) and group.name == "/":  # results have groups at the root alone
                visit(node)
    visit(result)


def write_picture(figure, file, kind, name):
    """Under a name that is new, so that no link is followed; then under its own."""
    picture = io.BytesIO()
    date = {"Date": None} if kind == "svg" else {"CreationDate": None}
    figure.savefig(picture, format=kind, metadata=date | {"Creator": MARK, "Title": name})
    temporary = f"{file}.{os.getpid()}.tmp"
    with open(temporary, "xb") as out:
        try:
            out.write(picture.getbuffer())
        except OSError:
            os.unlink(temporary)
            raise
    os.replace(temporary, file)


def write_plots(folder, path, force, quiet, kind, signals):
    # Text stays text, and the same result gives the same bytes.
    plt.rcParams.update(STYLE | {"svg.fonttype": "none", "svg.hashsalt": "stickslip", "pdf.fonttype": 42})
    with h5py.File(path, "r", swmr=True) as result:
        check_own(result)
        plots = {os.path.join(folder, f"{name}.{kind}"): draw for name, draw in chosen_plots(result, signals).items()}
        for file in plots:
            if os.path.exists(file) and not force and not is_ours(file):
                sys.exit(f"{file}: exists and is no plot of this program: --force writes over it")
        for file, draw in plots.items():
            figure, axes = plt.subplots(figsize=(7.5, 4), gridspec_kw={"left": 0.11, "right": 0.9, "bottom": 0.12, "top": 0.91})
            draw(axes)
            axes.set_xlabel("t [s]")
            if len(result["time"]) > 1:
                axes.set_xlim(result["time"][0], result["time"][-1])
            write_picture(figure, file, kind, scene_name(result))
            plt.close(figure)
            if not quiet:
                print(file)


if __name__ == "__main__":
    try:
        write_plots(sys.argv[1], sys.argv[2], bool(sys.argv[3]), bool(sys.argv[4]), sys.argv[5], sys.argv[6])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
