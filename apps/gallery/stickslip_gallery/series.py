# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and columns of numbers, and what formulas do with them."""
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip_gallery.errors import SeriesError

Array = NDArray[Any]
MANY = 1000  # [-] arguments
NEAR = 1e-3  # [-] of the step: instants are products of it, and those in formulas are typed in


@dataclass(frozen=True)
class Series:
    """A column of numbers, or a single number."""

    values: Array  # (n); one where it is a number
    is_number: bool = False
    times: Array | None = None  # (n) [s] the instants of the rows; none where rows are no instants of a run
    step: float = 0.0  # [s] of the run


def number(value: float) -> Series:
    return Series(np.array([value], dtype=float), True)


def column(values: Sequence[float] | Array) -> Series:
    return Series(np.asarray(values, dtype=float))


def number_text(x: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(x)).removesuffix(".0")


def check_same_size(a: Series, b: Series) -> None:
    if len(a.values) != len(b.values):
        raise SeriesError(f"columns of {len(a.values)} and {len(b.values)} rows do not go together")


def number_of(a: Series) -> float:
    if not a.is_number:
        raise SeriesError("this takes a number, not a column")
    return float(a.values[0])


def row_by_row(operation: Callable[[Array, Array], Array], a: Series, b: Series) -> Series:
    """A number goes with every row."""
    if not a.is_number and not b.is_number:
        check_same_size(a, b)
    shape = b if a.is_number else a
    if not shape.is_number and shape.times is None:
        shape = replace(shape, times=b.times, step=b.step)
    return replace(shape, values=np.asarray(operation(a.values, b.values), dtype=float))


# Where a row is NaN, min and max are what std::min and std::max of C++ are.
OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "min": lambda a, b: np.where(b < a, b, a),
    "max": lambda a, b: np.where(a < b, b, a),
    "atan2": np.arctan2,
    "hypot": np.hypot,
}


def operate(symbol: str, a: Series, b: Series) -> Series:
    return row_by_row(OPERATIONS[symbol], a, b)


# --- a number of a column; NaN of none


def reduce(function: Callable[[Array], float], a: Series) -> Series:
    return number(function(a.values) if len(a.values) > 0 else np.nan)


def find_nth(a: Series, condition: Series, k: Series) -> Series:
    """The value in the k-th row, from 1, in which the condition holds."""
    check_same_size(a, condition)
    rows = np.flatnonzero(condition.values)
    index = number_of(k) - 1
    is_there = 0 <= index < len(rows) and index == int(index)
    return number(a.values[rows[int(index)]] if is_there else np.nan)


def find_first(a: Series, condition: Series | None = None) -> Series:
    return find_nth(a, condition or column(np.ones(len(a.values))), number(1))


def find_last(a: Series, condition: Series | None = None) -> Series:
    if condition is not None:
        check_same_size(a, condition)
    rows = a.values if condition is None else a.values[condition.values != 0]
    return number(rows[-1] if len(rows) > 0 else np.nan)


def find_at(a: Series, instant: Series) -> Series:
    """The value in the row of an instant; NaN where there is none within a thousandth of a step."""
    if a.times is None:
        raise SeriesError("at() needs a column whose rows are instants of a run")
    t = number_of(instant)
    slack = NEAR * a.step
    row = int(np.searchsorted(a.times, t - slack))
    is_there = row < len(a.times) and abs(a.times[row] - t) <= slack
    return number(a.values[row] if is_there else np.nan)


# --- a column of a column


def previous(a: Series) -> Series:
    return replace(a, values=np.append(np.nan, a.values)[: len(a.values)])


def following(a: Series) -> Series:
    return replace(a, values=np.append(a.values[1:], np.nan)[: len(a.values)])


def difference(a: Series) -> Series:
    """What each row adds to the one before; 0 in the first."""
    return replace(a, values=np.diff(a.values, prepend=a.values[:1]))


def rises(a: Series) -> Series:
    on = a.values != 0
    return replace(a, values=np.append(0.0, ~on[:-1] & on[1:])[: len(on)])


def falls(a: Series) -> Series:
    on = a.values != 0
    return replace(a, values=np.append(0.0, on[:-1] & ~on[1:])[: len(on)])


def turns(a: Series) -> Series:
    """1 in rows in which what went up or down turns or stays."""
    marks = np.zeros(len(a.values))
    change = np.diff(a.values)
    marks[1:-1] = (change[:-1] != 0) & (change[:-1] * change[1:] <= 0)
    return replace(a, values=marks)


def since(a: Series) -> Series:
    """1 from the first row on that is not 0."""
    return replace(a, values=np.logical_or.accumulate(a.values != 0).astype(float))


def keep_rows(a: Series, rows: Array | slice) -> Series:
    return Series(a.values[rows], False, None if a.times is None else a.times[rows], a.step)


def every(a: Series, k: Series) -> Series:
    n = number_of(k)
    if not n >= 1:
        raise SeriesError("every() takes a number of rows from 1 on")
    return keep_rows(a, slice(None, None, int(n)))


def select(a: Series, condition: Series) -> Series:
    check_same_size(a, condition)
    return keep_rows(a, condition.values != 0)


def interpolate(x: Series, y: Series, at: Series) -> Series:
    """Between the rows of (x, y) on straight lines, at every row of the third; NaN beyond the ends."""
    check_same_size(x, y)
    if len(x.values) == 0:
        return replace(at, values=np.full(len(at.values), np.nan))
    right = np.searchsorted(x.values, at.values)
    inside = np.minimum(right, len(x.values) - 1)
    left = np.maximum(inside - 1, 0)
    x0, x1, y0, y1 = x.values[left], x.values[inside], y.values[left], y.values[inside]
    between = np.where(x1 == at.values, y1, y0 + (y1 - y0) * (at.values - x0) / (x1 - x0))
    is_beyond = (right == len(x.values)) | ((right == 0) & (x1 != at.values))
    return replace(at, values=np.where(is_beyond, np.nan, between))


def make_list(*parts: Series) -> Series:
    return column(np.concatenate([part.values for part in parts]))


def order(h: Series, e: Series) -> Series:
    """The order at which errors fall from step to step: from the second row on."""
    check_same_size(h, e)
    return column(np.log(np.abs(e.values[:-1] / e.values[1:])) / np.log(np.abs(h.values[:-1] / h.values[1:])))


@dataclass(frozen=True)
class Function:
    """A function of formulas."""

    least: int  # [-] arguments
    most: int
    apply: Callable[..., Series]


def of_each(function: Callable[[Array], Array]) -> Function:
    return Function(1, 1, lambda a: replace(a, values=function(a.values)))


def of_two(symbol: str, most: int = 2) -> Function:
    def join(*parts: Series) -> Series:
        joined: Series = functools.reduce(functools.partial(operate, symbol), parts)
        return joined

    return Function(2, most, join)


# All that there are but `over`, which evaluates its argument itself.
FUNCTIONS: dict[str, Function] = {
    "sin": of_each(np.sin),
    "cos": of_each(np.cos),
    "tan": of_each(np.tan),
    "sinh": of_each(np.sinh),
    "cosh": of_each(np.cosh),
    "tanh": of_each(np.tanh),
    "asin": of_each(np.arcsin),
    "acos": of_each(np.arccos),
    "atan": of_each(np.arctan),
    "acosh": of_each(np.arccosh),
    "exp": of_each(np.exp),
    "log": of_each(np.log),
    "log2": of_each(np.log2),
    "sqrt": of_each(np.sqrt),
    "abs": of_each(np.abs),
    "sign": of_each(np.sign),
    "min": of_two("min", MANY),
    "max": of_two("max", MANY),
    "atan2": of_two("atan2"),
    "hypot": of_two("hypot"),
    "largest": Function(1, 1, lambda a: reduce(np.max, a)),
    "smallest": Function(1, 1, lambda a: reduce(np.min, a)),
    "sum": Function(1, 1, lambda a: reduce(np.sum, a)),
    "mean": Function(1, 1, lambda a: reduce(np.mean, a)),
    "rows": Function(1, 1, lambda a: number(len(a.values))),
    "count": Function(1, 1, lambda a: number(np.count_nonzero(a.values))),
    "first": Function(1, 2, find_first),
    "last": Function(1, 2, find_last),
    "nth": Function(3, 3, find_nth),
    "at": Function(2, 2, find_at),
    "previous": Function(1, 1, previous),
    "next": Function(1, 1, following),
    "difference": Function(1, 1, difference),
    "rises": Function(1, 1, rises),
    "falls": Function(1, 1, falls),
    "turns": Function(1, 1, turns),
    "since": Function(1, 1, since),
    "every": Function(2, 2, every),
    "select": Function(2, 2, select),
    "interpolate": Function(3, 3, interpolate),
    "list": Function(1, MANY, make_list),
    "order": Function(2, 2, order),
}
