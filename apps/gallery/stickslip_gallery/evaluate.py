# SPDX-License-Identifier: BSD-3-Clause
"""Evaluates the formulas of a study: its figures, and its numbers beside what is published.

A name is, in this order: a number that the `each` of the run gives that is read from, pi, a constant, a series, which
is evaluated for that run. A text that begins with '/' is a column of the result (RunData, AnalysisData), any other a
file of numbers beside the study, with the name of a column in brackets. over('name_*', formula) is a column: the number
that the formula is for each run of such a name, in order.
"""
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from stickslip_gallery.errors import FormulaError, InputError, SeriesError
from stickslip_gallery.formula import Node
from stickslip_gallery.series import FUNCTIONS, Array, Series, column, number, number_text, operate
from stickslip_gallery.sources import ColumnSource, NumberTable
from stickslip_gallery.study import IN_REASON, Curve, Formula, Study, Value

# The last bit of a number that is printed with few digits decides nothing.
ROUND_OFF = 1e-12  # [-]


@dataclass
class Data:
    """A run or an analysis of a study, with what came of it."""

    name: str
    given: dict[str, float]  # its own names in formulas
    columns: ColumnSource
    is_whole: bool = True  # false: it ended early, and what it did not reach is NaN


@dataclass
class Comparison:
    """A number beside ours."""

    quantity: str
    unit: str  # empty where there is none
    origin: str
    expected: str  # as printed
    value: float  # [unit] the same
    tolerance: float  # [unit] >= 0; published: half a unit of the last digit that is printed
    ours: float  # [unit] NaN where the run did not get there
    reason: str  # why ours differs, where it is known to
    explained: tuple[float, float]  # [unit] the least and the largest difference that the reason accounts for

    @property
    def difference(self) -> float:
        return self.ours - self.value

    @property
    def agrees(self) -> bool:
        return abs(self.difference) <= self.tolerance + ROUND_OFF * abs(self.value)

    @property
    def is_explained(self) -> bool:
        """Whether the reason accounts for what ours differs by."""
        return bool(self.reason) and self.explained[0] <= self.difference <= self.explained[1]

    @property
    def is_answer(self) -> bool:
        """Whether it is no figure that was measured: nothing at all (0), or a yes (1, exactly and without a unit)."""
        return self.value == 0 or (self.value == 1 and not self.unit and self.tolerance == 0)


@dataclass
class FigureColumn:
    name: str
    unit: str
    values: Array


@dataclass
class FigureMark:
    """A number where it stands in a figure; NaN: a line at the other's place."""

    comparison: int  # its place in the study
    x: float
    y: float


@dataclass
class FigureData:
    """The data of a figure. Columns of the same length."""

    name: str
    caption: str
    run: str  # that it is of; empty: the study's first
    columns: list[FigureColumn]
    curves: list[Curve]
    marks: list[FigureMark] = field(default_factory=list)


@dataclass
class StudyPage:
    """What a study shows."""

    figures: list[FigureData] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)


def matches_pattern(name: str, pattern: str) -> bool:
    """Whether a name is as the pattern says, in which the first * stands for anything."""
    start, star, end = pattern.partition("*")
    is_long_enough = len(name) >= len(start) + len(end)
    return is_long_enough and name.startswith(start) and name.endswith(end) if star else name == pattern


class Evaluator:
    """Evaluates what check_study() has looked at."""

    def __init__(self, study: Study, sources: Sequence[Data]):
        """Sources in the order of the study, runs before analyses."""
        self.study = study
        self.sources = sources
        self.expected: float | None = None
        self.columns: dict[tuple[str, str, str], Series] = {}  # that were read, by source, path and part
        self.series: dict[tuple[str, str], Series] = {}  # that were evaluated, by source and name
        self.tables: dict[str, NumberTable] = {}

    @property
    def all_whole(self) -> bool:
        return all(source.is_whole for source in self.sources)

    def find(self, name: str) -> Data | None:
        """The source of a name, the first where none is given; none where there are none."""
        return next((source for source in self.sources if name in ("", source.name)), None)

    def evaluate(self, formula: Formula, run: str = "") -> Series:
        """run: what formulas read from, empty: the first. Raises InputError at the formula's place."""
        try:
            return self.eval(formula.node, self.find(run))
        except FormulaError as error:
            raise formula.error(str(error)) from None

    def number(self, formula: Formula, run: str = "") -> float:
        """A column in the place of a number is an error. NaN where a run that ended early cannot tell."""
        try:
            value = self.evaluate(formula, run)
            if not value.is_number:
                raise formula.error("a number is needed here, not a column")
            return float(value.values[0])
        except InputError:
            if self.all_whole:
                raise
            return math.nan

    def place(self, formula: Formula | None, expected: float, run: str) -> float:
        """A number of the place of a mark, where `expected` has this value."""
        if formula is None:
            return math.nan
        self.expected = expected
        at = self.number(formula, run)
        self.expected = None
        return at

    def explained(self, value: Value) -> tuple[float, float]:
        """The differences that the reason of a value accounts for, from and to; 0 without one.

        Raises InputError where they are not finite, though all runs are whole, or none: a bound below zero, or the
        larger first. What a run that ended early leaves open explains nothing.
        """
        bounds = [self.number(formula, value.run) for formula in value.explains]
        if not bounds:
            return 0.0, 0.0
        low, high = (bounds[0], bounds[1]) if len(bounds) > 1 else (-bounds[0], bounds[0])
        wrong, allowed = None, "a finite number"
        for formula, bound in zip(value.explains, bounds):
            if not math.isfinite(bound) and wrong is None:
                wrong = (formula, bound)
        if wrong is None and not low <= high:
            wrong = (value.explains[-1], high)
            allowed = ("at least the first of the two" if len(bounds) > 1 else
                       "a number >= 0; differences of one sign: [least, largest]")
        if wrong is None:
            return low, high
        if self.all_whole:
            raise wrong[0].error(allowed, f", which is {wrong[1]:.9g}")
        return math.nan, math.nan

    def eval(self, node: Node, source: Data | None) -> Series:
        try:
            match node.kind:
                case "number":
                    return number(node.number)
                case "name":
                    return self.eval_name(node.text, source)
                case "source":
                    return self.eval_source(node, source)
                case "of_run":
                    return self.eval(node.args[0], self.find(node.text))
                case "choice":
                    return self.eval_choice(node, source)
                case "call" if node.text == "over":
                    return self.eval_over(node)
                case "call":
                    return FUNCTIONS[node.text].apply(*(self.eval(arg, source) for arg in node.args))
            args = [self.eval(arg, source) for arg in node.args]
            return operate("-", number(0), args[0]) if node.text == "neg" else operate(node.text, *args)
        except SeriesError as error:
            raise FormulaError(node.column, str(error)) from None

    def eval_choice(self, node: Node, source: Data | None) -> Series:
        condition = self.eval(node.args[0], source)
        if not condition.is_number:
            raise SeriesError("the condition of ? is a number, not a column")
        return self.eval(node.args[1 if condition.values[0] != 0 else 2], source)

    def eval_name(self, name: str, source: Data | None) -> Series:
        if source is not None and name in source.given:
            return number(source.given[name])
        if name == "pi":
            return number(math.pi)
        if self.expected is not None and name == "expected":
            return number(self.expected)
        if name in self.study.constants:
            return number(self.study.constants[name])
        if name not in self.study.series:
            raise SeriesError(f"'{name}' is not given by this run")
        key = (source.name if source is not None else "", name)
        if key not in self.series:
            try:
                self.series[key] = self.eval(self.study.series[name].node, source)
            except FormulaError as error:
                raise SeriesError(f"in {name}, {error}") from None
        return self.series[key]

    def eval_source(self, node: Node, source: Data | None) -> Series:
        if not node.text.startswith("/"):
            if node.text not in self.tables:
                self.tables[node.text] = NumberTable(self.study.folder / node.text)
            return column(self.tables[node.text].column(node.part))
        assert source is not None  # check_study() has looked
        key = (source.name, node.text, node.part)
        if key not in self.columns:
            self.columns[key] = source.columns.read(node.text, node.part)
        return self.columns[key]

    def eval_over(self, node: Node) -> Series:
        values = [self.eval(node.args[1], source) for source in self.sources
                  if matches_pattern(source.name, node.args[0].text)]
        if not all(value.is_number for value in values):
            raise SeriesError("over() takes a formula that is a number for each run")
        return column([value.values[0] for value in values])


def half_last_digit(printed: str) -> float:
    """Half a unit of the last digit of a number in decimal notation without an exponent."""
    decimals = len(printed) - printed.index(".") - 1 if "." in printed else 0
    return 0.5 * math.pow(10.0, -decimals)


def compare(value: Value, evaluator: Evaluator) -> Comparison:
    expected = evaluator.number(value.expected, value.run)
    # A number as it reads, a formula's value with nine digits.
    printed = number_text(expected) if value.expected.node.kind == "number" else f"{expected:.9g}"
    tolerance = evaluator.number(value.tolerance, value.run) if value.tolerance else half_last_digit(value.printed)
    ours = evaluator.number(value.ours, value.run)
    numbers = iter([evaluator.number(formula, value.run) for formula in value.in_reason])
    reason = IN_REASON.sub(lambda _: f"{next(numbers):.4g}", value.reason)
    return Comparison(value.quantity, value.unit, value.origin, value.printed or printed, expected, tolerance, ours,
                      reason, evaluator.explained(value))


def evaluate_study(study: Study, sources: Sequence[Data]) -> StudyPage:
    """Figures and comparisons of a study from its results. Raises InputError at what cannot be evaluated."""
    evaluator = Evaluator(study, sources)
    page = StudyPage()
    with np.errstate(all="ignore"):
        for figure in study.figures:
            data = FigureData(figure.name, figure.caption, figure.run, [], figure.curves)
            for one in figure.columns:
                values = evaluator.evaluate(one.values, figure.run).values
                data.columns.append(FigureColumn(one.name, one.unit, values))
                n = len(data.columns[0].values)
                if len(values) != n:
                    raise InputError(one.values.place, one.values.key, one.name,
                                     f"a column of {n} rows, as the first, not of {len(values)}")
            page.figures.append(data)
        for value in study.values:
            comparison = compare(value, evaluator)
            for mark in value.marks:
                x, y = (evaluator.place(at, comparison.value, value.run) for at in (mark.x, mark.y))
                figure_data = next(figure for figure in page.figures if figure.name == mark.figure)
                figure_data.marks.append(FigureMark(len(page.comparisons), x, y))
            page.comparisons.append(comparison)
    return page
