# SPDX-License-Identifier: BSD-3-Clause
"""Results: the datasets of a file by name, plots and pages."""
import difflib
import html
import os

from . import _scenes, _stickslip
from ._errors import InputError, MissingFile


def _unknown(what, name, known):
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return KeyError(f"no {what} '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))


class Item:
    """One body, contact point, joint or the like of a result: its datasets are attributes, (n, ...) over the rows."""

    def __init__(self, group, name, index):
        self._group, self.name, self.index = group, name, index

    def __dir__(self):
        return [*super().__dir__(), *self._group.datasets()]

    def __getitem__(self, name):
        dataset = self._group.dataset(name)
        # With a row for each instant the names are the second axis, else the first.
        return dataset[:, self.index] if self._group.has_rows(dataset) else dataset[self.index]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(*error.args) from None

    def __repr__(self):
        return f"<{self._group.path} '{self.name}'>"


class Group:
    """A group of a result, such as /bodies: result.bodies["name"] is one of them, result.bodies.position all."""

    def __init__(self, result, path):
        self._result, self.path = result, path
        self._names = None

    @property
    def _node(self):
        return self._result.file[self.path]

    def datasets(self):
        """Names of the datasets."""
        return [name for name in self._node]

    def dataset(self, name):
        """A dataset (of h5py)."""
        if name not in self._node:
            raise _unknown(f"dataset in {self.path}", name, self._node)
        return self._node[name]

    def has_rows(self, dataset):
        """Whether it has a row for each instant."""
        return dataset.ndim >= 2 and dataset.shape[0] == self._result.rows and dataset.shape[1] == len(self.names)

    @property
    def names(self):
        """Names of the items, in the order of the axis."""
        if self._names is None:
            self._names = list(self._node["name"].asstr()[:]) if "name" in self._node else []
        return self._names

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter(self.names or self.datasets())

    def __contains__(self, name):
        return name in self.names or name in self._node

    def keys(self):
        """Names of the items, or of the datasets where there are none."""
        return list(self)

    def __getitem__(self, name):
        if name in self.names:
            return Item(self, name, self.names.index(name))
        if name in self._node:
            return self._read(name)
        raise _unknown(self.path.strip("/").rstrip("s") or "item", name, [*self.names, *self._node])

    def _read(self, name):
        dataset = self.dataset(name)
        return dataset.asstr()[:] if dataset.dtype.kind in "OS" else dataset[()]

    def __dir__(self):
        return [*super().__dir__(), *self.datasets()]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._read(name)
        except KeyError as error:
            raise AttributeError(*error.args) from None

    def __repr__(self):
        return f"<{self.path} of {os.path.basename(self._result.path)}>"


class Result:
    """A result file, read when it is asked for. Units and shapes: docs/results.md. A context manager.

    time (n), q, u (n, n_q), (n, n_u); steps["residual"]; bodies["b"].position (n, 3); contacts["c"].gap (n);
    joints["j"].coordinate (n, 3); attributes: a dictionary; scene: a stickslip.Scene; file: h5py's.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            error = MissingFile(f"{self.path}: cannot be opened: No such file or directory")
            error.file = self.path
            error.allowed = "cannot be opened: No such file or directory"
            raise error
        try:
            import h5py
        except ImportError:
            raise ImportError("stickslip.open() needs h5py (Debian: python3-h5py)") from None
        self._open = lambda: h5py.File(self.path, "r", swmr=True)
        try:
            self.file = self._open()
        except OSError as error:
            raise self._refuse(f"no result, or not to be read: {error}") from None
        if "format" not in self.file.attrs or "time" not in self.file:
            self.file.close()
            raise self._refuse("no result of stickslip")
        self._groups = {}

    def _refuse(self, why):
        error = InputError(f"{self.path}: {why}")
        error.file, error.allowed = self.path, why
        return error

    def close(self):
        """Closes the file."""
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def rows(self):
        """Number of output instants, row 0 included."""
        return len(self.file["time"])

    @property
    def attributes(self):
        """Attributes of the file: outcome, scheme, version, ..."""
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in self.file.attrs.items()}

    @property
    def scene(self):
        """The scene as run."""
        return _scenes.parse(self.attributes["scene"], file=self.path)

    def __dir__(self):
        return [*super().__dir__(), *self.file]

    def __contains__(self, name):
        return name in self.file

    def __iter__(self):
        return iter(self.file)

    def keys(self):
        """Names of the groups and datasets."""
        return list(self.file)

    def __getitem__(self, name):
        if name not in self.file:
            raise _unknown("dataset", name, self.file)
        node = self.file[name]
        if hasattr(node, "dtype"):
            return node.asstr()[:] if node.dtype.kind in "OS" else node[()]
        if name not in self._groups:
            self._groups[name] = Group(self, "/" + name.strip("/"))
        return self._groups[name]

    def __getattr__(self, name):
        if name.startswith("_") or name == "file":
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(*error.args) from None

    def _repr_html_(self):
        # The library opens a file once, in one way: ours is another.
        was_open = bool(self.file)
        self.file.close()
        try:
            page = html.escape(_stickslip.make_page(self.path), quote=True)
        finally:
            if was_open:
                self.file = self._open()
        return f'<iframe srcdoc="{page}" width="100%" height="720" style="border:0"></iframe>'

    def __repr__(self):
        return f"<stickslip.Result '{self.path}': {f'{self.rows} rows' if self.file else 'closed'}>"


def open(path):
    """Opens a result. Raises InputError where it is none."""
    return Result(path)


_OTHER_NAMES = {"energy": "energies", "gap": "gaps", "force": "forces", "percussion": "percussions", "velocity": "velocities",
                "angle": "angles", "joint": "joints", "contact": "status", "contacts": "status"}


def plot(result, signals=None):
    """Draws plots of a result, one below the other: names ("energies", "gaps", "motion", ...) and paths of datasets
    ("/steps/iterations", "/contacts/gap/NAME"); all that there are unless told. Returns a matplotlib Figure.
    """
    import matplotlib.pyplot as pyplot

    from . import _plots

    if not isinstance(result, Result):
        result = open(result)
    wanted = [signals] if isinstance(signals, str) else signals
    chosen = {}
    available = {name: draw for name, draw in _plots.plots_of(result.file).items() if draw}
    for signal in available if wanted is None else wanted:
        name = _OTHER_NAMES.get(signal, signal)
        if name in available:
            chosen[signal] = available[name]
            continue
        try:
            chosen.update(_plots.chosen_plots(result.file, name))
        except SystemExit:
            raise _unknown("plot or dataset", signal, available) from None
    if not chosen:
        raise ValueError("signals: at least one")
    with pyplot.rc_context(_plots.STYLE):
        figure, axes = pyplot.subplots(len(chosen), 1, figsize=(7.5, 3 * len(chosen)), squeeze=False, sharex=True,
                                       constrained_layout=True)
        for one, draw in zip(axes[:, 0], chosen.values()):
            draw(one)
        axes[-1, 0].set_xlabel("t [s]")
    return figure
