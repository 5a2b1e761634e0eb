# SPDX-License-Identifier: BSD-3-Clause
"""Looks at all that a study's formulas name, before anything runs."""
from pathlib import Path
from typing import NoReturn

import numpy as np

from stickslip_gallery.errors import InputError, hint
from stickslip_gallery.evaluate import Evaluator, matches_pattern
from stickslip_gallery.formula import Node
from stickslip_gallery.series import FUNCTIONS
from stickslip_gallery.sources import NumberTable
from stickslip_gallery.study import Curve, Figure, Formula, Mark, Study, Value


def check_study(study: Study) -> None:
    """Raises InputError at the first formula, name or file that means nothing."""
    StudyChecker(study).check()


def evaluate_alone(formula: Formula) -> float:
    """The number that a formula is which reads nothing and knows no names. Raises InputError."""
    nothing = Study("", "", "", Path())
    StudyChecker(nothing).check_formula(formula)
    with np.errstate(all="ignore"):
        return Evaluator(nothing, []).number(formula)


class StudyChecker:
    def __init__(self, study: Study):
        self.study = study
        self.sources = [source.name for source in study.sources()]
        self.given = {name for source in study.sources() for name in source.given}
        self.in_mark = False  # where `expected` is a number
        self.under_way: list[str] = []  # series that are being looked at

    def check(self) -> None:
        self.check_given()
        for name, series in self.study.series.items():
            if name in self.study.constants or name == "pi":
                raise InputError(series.place, series.key, name, "a name that no constant has")
            self.check_own(name, series)
        for figure in self.study.figures:
            for column in figure.columns:
                self.check_with_run(column.values, figure.run)
            for curve in figure.curves:
                self.check_curve(curve, figure)
        for value in self.study.values:
            self.check_value(value)

    def check_given(self) -> None:
        """What a run gives would hide a constant or a series."""
        for source in self.study.sources():
            for name in source.given:
                if name in self.study.constants or name in self.study.series or name == "pi":
                    raise InputError(source.place, f"each of {source.name}", name,
                                     "a name that no constant or series has")

    def check_value(self, value: Value) -> None:
        self.check_with_run(value.ours, value.run)
        others = [value.expected, *value.in_reason, *value.explains]
        for formula in others if value.tolerance is None else [value.tolerance, *others]:
            self.check_formula(formula)
        if not any(self.needs_run(formula.node) for formula in value.explains):
            with np.errstate(all="ignore"):
                Evaluator(self.study, []).explained(value)
        for mark in value.marks:
            self.check_mark(mark, value)

    def check_curve(self, curve: Curve, figure: Figure) -> None:
        def refuse(value: str, allowed: str) -> NoReturn:
            place = figure.columns[0].values.place
            raise InputError(place, f"{figure.name}: curves: {curve.name}", value, allowed)

        names = [other.name for other in self.study.figures]
        if curve.of and curve.of not in names:
            refuse(curve.of, f"a figure of the study{hint(curve.of, names)}")
        source = self.study.figures[names.index(curve.of or figure.name)]
        columns = [column.name for column in source.columns]
        for name in (curve.x, curve.y, curve.by):
            if name and name not in columns:
                refuse(name, f"a column of the figure{hint(name, columns)}")

    def check_mark(self, mark: Mark, value: Value) -> None:
        places = [formula for formula in (mark.x, mark.y) if formula is not None]
        names = [figure.name for figure in self.study.figures]
        if mark.figure not in names:
            raise InputError(places[0].place, places[0].key, mark.figure,
                             f"a figure of the study{hint(mark.figure, names)}")
        self.in_mark = True
        for formula in places:
            self.check_with_run(formula, value.run)
        self.in_mark = False

    def check_with_run(self, formula: Formula, run: str) -> None:
        if run and run not in self.sources:
            raise InputError(formula.place, f"{formula.key}: run", run,
                             f"a run or an analysis of the study{hint(run, self.sources)}")
        self.check_formula(formula)

    def check_own(self, name: str, series: Formula) -> None:
        if name in self.under_way:
            raise series.error("a series that does not need itself")
        self.under_way.append(name)
        self.check_formula(series)
        self.under_way.pop()

    def check_formula(self, formula: Formula) -> None:
        self.visit(formula.node, formula)

    @staticmethod
    def fail(formula: Formula, node: Node, what: str) -> NoReturn:
        raise formula.error(f"column {node.column}: {what}")

    def visit(self, node: Node, formula: Formula) -> None:
        match node.kind:
            case "name":
                self.check_name(node, formula)
            case "source":
                self.check_source(node, formula)
            case "of_run" if node.text not in self.sources:
                self.fail(formula, node, f"no run or analysis has this name{hint(node.text, self.sources)}")
            case "call" if node.text == "over":
                self.check_over(node, formula)
                return
            case "call":
                self.check_call(node, formula)
        for arg in node.args:
            self.visit(arg, formula)

    def check_name(self, node: Node, formula: Formula) -> None:
        name = node.text
        if name == "pi" or name in self.study.constants or (self.in_mark and name == "expected"):
            return
        if name in self.study.series:
            self.check_own(name, self.study.series[name])
        elif name not in self.given:
            known = ["pi", *self.study.constants, *self.study.series]
            self.fail(formula, node, f"unknown name{hint(name, known)}")

    def check_source(self, node: Node, formula: Formula) -> None:
        if node.text.startswith("/"):
            if not self.sources:
                self.fail(formula, node, "the study has no runs to read from")
            return
        table = NumberTable(self.study.folder / node.text)
        if node.part not in table.names:
            self.fail(formula, node, f"{node.text} has no column '{node.part}'{hint(node.part, table.names)}")

    def check_call(self, node: Node, formula: Formula) -> None:
        function = FUNCTIONS.get(node.text)
        if function is None:
            self.fail(formula, node, f"unknown function{hint(node.text, ['over', *FUNCTIONS])}")
        if not function.least <= len(node.args) <= function.most:
            at_least = "" if function.least == function.most else "at least "
            self.fail(formula, node, f"{node.text} takes {at_least}{function.least} arguments")

    def check_over(self, node: Node, formula: Formula) -> None:
        if len(node.args) != 2 or node.args[0].kind != "source":
            self.fail(formula, node, "over takes a pattern of run names, 'name_*', and a formula")
        if not any(matches_pattern(name, node.args[0].text) for name in self.sources):
            self.fail(formula, node.args[0], "no run or analysis has such a name")
        self.visit(node.args[1], formula)

    def needs_run(self, node: Node) -> bool:
        """Whether a formula has a value only after the runs."""
        match node.kind:
            case "name":
                return node.text != "pi" and node.text not in self.study.constants
            case "source":
                return node.text.startswith("/")
            case "of_run":
                return True
            case "call" if node.text == "over":
                return True
        return any(self.needs_run(arg) for arg in node.args)
