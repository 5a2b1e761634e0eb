# SPDX-License-Identifier: BSD-3-Clause
"""What formulas read columns from: results of runs, analyses, files of numbers."""
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import h5py
import numpy as np

from stickslip_gallery.errors import InputError, Place, SeriesError
from stickslip_gallery.series import Array, Series, column

FAILED = 2  # /steps/status


class ColumnSource(Protocol):
    """A result or an analysis."""

    def read(self, path: str, part: str) -> Series:
        """part: what stands in brackets behind the path, or nothing. Raises SeriesError where there is no such."""


def component_of(part: str, n: int) -> int:
    """Which component: a whole number, 0 where nothing is said."""
    if not re.fullmatch(r"\d*", part) or int(part or 0) >= n:
        raise SeriesError(f"[{part}]: a component from 0 to {n - 1}")
    return int(part or 0)


class RunData:
    """The result of a run. A row is an output instant; row 0 is the initial state.

    /time, /q, /u, /bodies/ball/position, ...     a dataset, or one item of it; part: which component, from 0
    /steps/iterations, ...                        rows are steps, row 0 the initial state; a failed step has none
    /events/impact, /events/impact/NAME           times at which it happened
    /lcp/3/F, /lcp/3/f                            of the linear complementarity problem of step 3, F row by row
    """

    def __init__(self, path: Path):
        self.path = path
        self.file = h5py.File(path, "r")
        self.time: Array = self.file["time"][:]
        status = self.file["steps/status"][:]
        self.steps = len(status) - 1 if status[-1] == FAILED else len(status)  # [-] with the initial state
        self.step_time: Array = self.file["steps/time"][: self.steps]
        self.step = float(self.file["steps/step"][1]) if self.steps > 1 else 0.0  # [s]

    def text(self, attribute: str) -> str:
        return str(self.file.attrs[attribute].decode())

    def step_column(self, name: str) -> Array:
        """One column of /steps, the initial state first."""
        return np.asarray(self.file[f"steps/{name}"][: self.steps])

    def read(self, path: str, part: str) -> Series:
        if path.startswith("/steps/"):
            if path not in self.file:
                raise SeriesError(f"the result has no {path}")
            values = self.step_column(path.removeprefix("/steps/"))
            return Series(values.astype(float), False, self.step_time, self.step)
        if path.startswith("/events/"):
            return self.read_events(path.removeprefix("/events/"))
        if path.startswith("/lcp/"):
            return self.read_problem(path.removeprefix("/lcp/"))
        values = self.read_dataset(path)
        rows = values[:, component_of(part, values.shape[1])].astype(float)
        return Series(rows, False, self.time if len(rows) == len(self.time) else None, self.step)

    def read_dataset(self, path: str) -> Array:
        """(rows, components) of a dataset, or of one item of it."""
        if isinstance(self.file.get(path), h5py.Dataset):
            values: Array = self.file[path][:]
            return values.reshape(len(values), -1)
        # Of "/contacts/main/gap" the quantity is behind the last '/': names of contact points may have one, too.
        found = re.fullmatch(r"/([^/]+)/(.+)/([^/]+)", path)
        if found is None or f"{found[1]}/name" not in self.file:
            raise SeriesError(f"the result has no {path}")
        group, name, quantity = found.groups()
        names = list(self.file[f"{group}/name"].asstr()[:])
        if name not in names:
            raise SeriesError(f"{self.path}: /{group}: {name}: not in /{group}/name")
        if f"{group}/{quantity}" not in self.file:
            raise SeriesError(f"the result has no /{group}/{quantity}")
        values = self.file[f"{group}/{quantity}"][:, names.index(name)]
        return values.reshape(len(values), -1)

    def read_events(self, what: str) -> Series:
        kind, _, name = what.partition("/")
        if "events" not in self.file:
            return column([])
        kinds, names = self.file["events/what"].asstr()[:], self.file["events/name"].asstr()[:]
        return column(self.file["events/time"][:][(kinds == kind) & ((names == name) | (not name))])

    def read_problem(self, which: str) -> Series:
        found = re.fullmatch(r"(\d+)/([Ff])", which)
        if found is None:
            raise SeriesError("the problem of a step is /lcp/STEP/F or /lcp/STEP/f")
        path = self.path.with_name(f"{self.path.stem}-step-{int(found[1]):06}.txt")
        try:
            numbers = [float(word) for word in path.read_text(encoding="utf-8").replace(",", " ").split()]
            n = int(numbers[0])
            if len(numbers) != 1 + n * n + n:
                raise ValueError
        except OSError as error:
            raise SeriesError(f"{path}: {error.strerror}") from None
        except (ValueError, IndexError):
            raise SeriesError(f"{path}: not n, then n x n and n numbers") from None
        return column(numbers[1 : 1 + n * n] if found[2] == "F" else numbers[1 + n * n :])


class AnalysisData:
    """All solutions of the contact problem of several states, as `stickslip analyze --json` has them; a row is a state.

    /solutions, /open, /stick, /slip   how many there are, and how many with the first contact in that state
    /exists, /unique, /complete        0 or 1
    /G_A, /G_B, /residual              NaN where there is none; the worst residual of the solutions
    /parameters/NAME                   a parameter of the scene
    /forces/slip                       of the first contact in the first solution with it in that state, else NaN; part
                                       0: normal, 1, 2: friction
    """

    def __init__(self, states: Sequence[dict[str, Any]]):
        self.states = states

    def read(self, path: str, part: str) -> Series:
        return column([self.number(state, path.removeprefix("/"), part) for state in self.states])

    @staticmethod
    def number(state: dict[str, Any], name: str, part: str) -> float:
        solutions = state["solutions"]
        group, _, member = name.partition("/")
        if name == "solutions":
            return len(solutions)
        if name in ("exists", "unique", "complete"):
            return float(state[name])
        if name in ("G_A", "G_B"):
            return number_or_nan(state[name])
        if name == "residual":
            return max((number_or_nan(solution["residual"]) for solution in solutions), default=math.nan)
        if name in ("open", "stick", "slip"):
            return len([solution for solution in solutions if solution["kinds"][:1] == [name]])
        if group == "parameters" and member in state["state"]["parameters"]:
            return number_or_nan(state["state"]["parameters"][member])
        if group == "forces":
            for solution in solutions:
                if solution["kinds"][:1] == [member]:
                    force = solution.get("force", solution.get("percussion"))[0]
                    return number_or_nan(force[component_of(part, len(force))])
            return math.nan
        raise SeriesError(f"an analysis has no /{name}")


def number_or_nan(value: float | None) -> float:
    """JSON has null for what is not finite."""
    return math.nan if value is None else float(value)


class NumberTable:
    """A file of numbers with a line of names above: cells between commas, lines with # skipped, empty cells NaN."""

    def __init__(self, path: Path):
        """Raises InputError with file and line."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise InputError(Place(str(path)), "", "", "a file of numbers that cannot be read") from None
        rows = [(at, [cell.strip() for cell in line.split(",")]) for at, line in enumerate(lines, 1)
                if line.strip() and not line.lstrip().startswith("#")]
        if not rows:
            raise InputError(Place(str(path)), "", "", "a line of names, then lines of numbers")
        self.names = rows[0][1]
        numbers = []
        for at, cells in rows[1:]:
            if len(cells) != len(self.names):
                raise InputError(Place(str(path), at, 1), "", "", f"{len(self.names)} numbers, as there are names")
            try:
                numbers.append([float(cell) if cell else math.nan for cell in cells])
            except ValueError:
                raise InputError(Place(str(path), at, 1), "", "", "numbers between commas") from None
        self.columns = np.array(numbers, dtype=float).reshape(-1, len(self.names)).T

    def column(self, name: str) -> Array:
        """Of a name that is there."""
        return np.asarray(self.columns[self.names.index(name)])
