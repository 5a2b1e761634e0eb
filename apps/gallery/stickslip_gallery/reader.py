# SPDX-License-Identifier: BSD-3-Clause
"""Reads galleries and studies. What is wrong in a file is an InputError with its place."""
import copy
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stickslip_gallery.check import check_study, evaluate_alone
from stickslip_gallery.errors import FormulaError, InputError, Place, hint
from stickslip_gallery.formula import parse_formula
from stickslip_gallery.study import (IN_REASON, Analysis, Column, Curve, Figure, Formula, Gallery, Mark, Run, Study,
                                     Value)
from stickslip_gallery.toml_file import Table, TomlFile, describe, is_number

ABOUT = "gallery.toml"
LEVELS = ("step", "acceleration", "relaxation")  # of `stickslip analyze`
STYLES = ("line", "points", "both")


def to_number(text: str) -> float | None:
    """The finite number that a text is, if it is one."""
    try:
        value = float(text) if re.fullmatch(r"-?[0-9.]+([eE][+-]?[0-9]+)?", text) else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def numbers_of(given: Mapping[str, str]) -> dict[str, float]:
    return {key: number for key, text in given.items() if (number := to_number(text)) is not None}


def fill_in(value: Any, given: Mapping[str, str]) -> Any:
    """The value with "{key}" in its texts replaced."""
    if isinstance(value, str):
        for key, text in given.items():
            value = value.replace("{" + key + "}", text)
        return value
    if isinstance(value, list):
        return [fill_in(element, given) for element in value]
    if isinstance(value, dict):
        return {key: fill_in(element, given) for key, element in value.items()}
    return value


def expand_each(entry: Table) -> Iterator[tuple[Table, dict[str, str]]]:
    """The entries that a table stands for: one with `each = {key = [..], ..}` is as many as the arrays are long."""
    if not entry.has("each"):
        yield entry, {}
        return
    allowed = "a table of arrays of numbers or texts, all of the same length"
    each = entry.values["each"]
    if not isinstance(each, dict) or not each:
        entry.fail("each", allowed)
    n = 0
    for key, elements in each.items():
        if not isinstance(elements, list) or not elements or n not in (0, len(elements)):
            entry.fail_at(elements, ("each", key), allowed)
        n = len(elements)
        for index, element in enumerate(elements):
            if isinstance(element, (list, dict)):
                entry.fail_at(element, ("each", key, index), "a number or a text")
    rest = {key: value for key, value in entry.values.items() if key != "each"}
    for i in range(n):
        given = {key: element_text(elements[i]) for key, elements in each.items()}
        yield Table(entry.file, fill_in(copy.deepcopy(rest), given), entry.path), given


def element_text(element: Any) -> str:
    return element if isinstance(element, str) else describe(element)


class StudyReader:
    """Reads what a study's file holds; what its formulas mean, check_study() looks at."""

    def __init__(self, file: TomlFile, path: Path):
        self.file = file
        top = file.top()
        require_version(top, "stickslip_study")
        top.allow("stickslip_study", "title", "source", "constants", "series", "runs", "analyses", "figures", "values")
        title = top.string("title", "what is studied")
        source = top.string("source", 'a source: "[Key], section 4, figure 9"')
        self.study = Study(path.stem, title, source, path.parent)
        self.names: set[str] = set()
        self.read_constants(top.table("constants"))
        series = top.table("series")
        self.study.series = {key: self.formula(series, key) for key in series.values}
        for table, given in self.entries(top, "runs"):
            self.study.runs.append(self.read_run(table, given))
        for table, given in self.entries(top, "analyses"):
            self.study.analyses.append(self.read_analysis(table, given))
        for table, _ in self.entries(top, "figures"):
            self.study.figures.append(self.read_figure(table))
        for table, _ in self.entries(top, "values"):
            self.study.values.append(self.read_value(table))

    def entries(self, top: Table, key: str) -> Iterator[tuple[Table, dict[str, str]]]:
        for index, entry in enumerate(top.array(key, f"an array of tables, [[{key}]]")):
            yield from expand_each(Table(self.file, entry, (key, index)))

    def read_constants(self, table: Table) -> None:
        for key, value in table.values.items():
            number: Any = value
            if isinstance(value, str) and value.startswith("="):
                number = evaluate_alone(parse(value[1:], table.place_of(key), table.name_of((key,))))
            if not is_number(number) or not math.isfinite(number):
                table.fail(key, 'a number, or "=expression"')
            self.study.constants[key] = float(number)

    def formula_of(self, table: Table, value: Any, below: tuple[str | int, ...]) -> Formula:
        key = table.name_of(below[:1])
        if not isinstance(value, str) and not is_number(value):
            table.fail_at(value, below, "a number or a formula")
        return parse(str(value), self.file.place(table.path + below), key)

    def formula(self, table: Table, key: str) -> Formula:
        return self.formula_of(table, table.require(key, "a number or a formula"), (key,))

    def claim_name(self, table: Table, name: str) -> str:
        # A result's file has it.
        if not name or re.search(r"[/'*{}]", name):
            table.fail("name", "a name without / ' * { }")
        if name in self.names:
            table.fail("name", "a name that no other run or analysis of the study has")
        self.names.add(name)
        return name

    def read_run(self, table: Table, given: dict[str, str]) -> Run:
        table.allow("name", "scene", "set", "elsewhere", "problems", "each")
        scene = table.string("scene", "a scene that ships, without .toml")
        name = self.claim_name(table, table.string_or("name", Path(scene).name))
        run = Run(name, scene, table.strings("set"), numbers_of(given), self.study.folder, table.place_of("scene"))
        run.elsewhere = table.string_or("elsewhere", "")
        run.keeps_problems = table.boolean_or("problems", False)
        return run

    def read_analysis(self, table: Table, given: dict[str, str]) -> Analysis:
        table.allow("name", "scene", "set", "sweep", "level", "delta", "zeta", "time", "each")
        name = self.claim_name(table, table.string("name", "a text"))
        scene = table.string("scene", "a scene that ships, without .toml")
        place = table.place_of("scene")
        analysis = Analysis(name, scene, table.strings("set"), numbers_of(given), self.study.folder, place)
        analysis.sweeps = table.strings("sweep")
        for sweep in analysis.sweeps:
            check_sweep(sweep, table)
        analysis.level = table.choice_or("level", LEVELS, "step")
        for key, least, allowed in (("delta", 1e-300, "a number > 0"), ("zeta", 0.0, "a number >= 0"),
                                    ("time", -math.inf, "a number")):
            if table.has(key):
                number = to_number(element_text(table.values[key]))  # also a text, which `each` may have filled in
                if number is None or number < least:
                    table.fail(key, allowed)
                analysis.options += [f"--{key}={number!r}"]
        return analysis

    def read_figure(self, table: Table) -> Figure:
        table.allow("name", "caption", "run", "columns", "curves", "each")
        allowed = "a name that begins with figure_ or curve_, without /"
        name = table.string("name", allowed)
        if not name.startswith(("figure_", "curve_")) or "/" in name:
            table.fail("name", allowed)
        if any(figure.name == name for figure in self.study.figures):
            table.fail("name", "a name that no other figure has")
        figure = Figure(name, table.string("caption", "what it shows"), table.string_or("run", ""))
        figure.columns = self.read_columns(table)
        for index, entry in enumerate(table.array("curves", "an array of tables {name, x, y}")):
            curve = Table(self.file, entry, table.path + ("curves", index))
            curve.allow("name", "of", "x", "y", "by", "style")
            figure.curves.append(Curve(
                curve.string("name", "what it shows"), curve.string_or("of", ""), curve.string("x", "a column"),
                curve.string("y", "a column"), curve.string_or("by", ""), curve.choice_or("style", STYLES, "line")))
        return figure

    def read_columns(self, table: Table) -> list[Column]:
        allowed = "an array of columns, each [name, unit, formula]"
        columns = table.array("columns", allowed)
        if not columns:
            table.fail("columns", allowed)
        read = []
        for index, entry in enumerate(columns):
            is_column = isinstance(entry, list) and len(entry) == 3
            if not is_column or not isinstance(entry[0], str) or not isinstance(entry[1], str):
                raise InputError(self.file.place(table.path + ("columns", index)), table.name_of(("columns",)),
                                 describe(entry), allowed)
            read.append(Column(entry[0], entry[1], self.formula_of(table, entry[2], ("columns", index, 2))))
        return read

    def read_value(self, table: Table) -> Value:
        table.allow("quantity", "unit", "run", "ours", "published", "stated", "analytic", "reference", "tolerance",
                    "reason", "explains", "marks", "each")
        quantity = table.string("quantity", "what is compared")
        ours = self.formula(table, "ours")
        origin, expected, printed = self.read_expected(table)
        tolerance = None
        if table.has("tolerance"):
            tolerance = self.formula(table, "tolerance")
        elif not printed or re.search("[eE]", printed):
            table.fail("tolerance",
                       "a number >= 0, or a formula: published numbers alone, in decimals, have digits to go by")
        value = Value(quantity, table.string_or("unit", ""), table.string_or("run", ""), ours, origin, expected,
                      printed, tolerance)
        if table.has("reason"):
            value.reason = table.string("reason", "a text")
            value.in_reason = self.find_formulas(table, value.reason)
            value.explains = self.read_explains(table)
        elif table.has("explains"):
            table.fail("explains", "beside a reason")
        value.marks = self.read_marks(table)
        return value

    def read_expected(self, table: Table) -> tuple[str, Formula, str]:
        """Origin, formula, and the text where it is printed."""
        allowed = "exactly one of published, stated, analytic, reference"
        origins = {"published": "published", "stated": "published", "analytic": "analytic", "reference": "reference"}
        keys = [key for key in origins if table.has(key)]
        if not keys:
            table.fail("published", allowed)
        if len(keys) > 1:
            table.fail(keys[1], allowed)
        formula = self.formula(table, keys[0])
        printed = ""
        if keys[0] == "published":
            in_quotes = "a number as it is printed, in quotation marks"
            printed = table.string("published", in_quotes)
            node = formula.node.args[0] if formula.node.text == "neg" else formula.node
            if node.kind != "number":
                table.fail("published", in_quotes)
        return origins[keys[0]], formula, printed

    def read_explains(self, table: Table) -> list[Formula]:
        allowed = ("a number, or a formula: the largest difference that the reason accounts for, in the unit of the "
                   "quantity; or [least, largest] of ours less what is expected")
        bounds = table.require("explains", allowed)
        if not isinstance(bounds, list):
            return [self.formula(table, "explains")]
        if len(bounds) != 2:
            table.fail("explains", allowed)
        return [self.formula_of(table, bound, ("explains", i)) for i, bound in enumerate(bounds)]

    def find_formulas(self, table: Table, reason: str) -> list[Formula]:
        if any("}" not in part for part in reason.split("${")[1:]):
            table.fail("reason", "a text in which each ${ has its }")
        return [parse(text, table.place_of("reason"), table.name_of(("reason",))) for text in IN_REASON.findall(reason)]

    def read_marks(self, table: Table) -> list[Mark]:
        allowed = 'an array of [figure, x, y], x and y formulas, or "" for one of them'
        marks = []
        for index, mark in enumerate(table.array("marks", allowed)):
            is_mark = isinstance(mark, list) and len(mark) == 3 and isinstance(mark[0], str) and mark[1:] != ["", ""]
            if not is_mark:
                raise InputError(self.file.place(table.path + ("marks", index)), table.name_of(("marks",)),
                                 describe(mark), allowed)
            x, y = (None if mark[k] == "" else self.formula_of(table, mark[k], ("marks", index, k)) for k in (1, 2))
            marks.append(Mark(mark[0], x, y))
        return marks


def parse(text: str, place: Place, key: str) -> Formula:
    try:
        return Formula(text, parse_formula(text), place, key)
    except FormulaError as error:
        raise InputError(place, key, f'"{text}"', str(error)) from None


def check_sweep(text: str, table: Table) -> None:
    """ "key=a:b:n", as `stickslip analyze --sweep` takes it: n values from a to b, which are expressions."""
    place, name = table.place_of("sweep"), table.name_of(("sweep",))
    key, _, values = text.partition("=")
    parts = values.split(":")
    if not key or len(parts) != 3 or not parts[2].isdigit() or int(parts[2]) < 1:
        raise InputError(place, name, f'"{text}"', "key=a:b:n, n values from a to b")
    for part in parts[:2]:
        if not math.isfinite(evaluate_alone(parse(part, place, name))):
            raise InputError(place, name, f'"{text}"', "values from one finite number to another")


def require_version(top: Table, key: str) -> None:
    allowed = "1, the version of the format"
    version = top.require(key, "the version of the format, 1")
    if version != 1 or isinstance(version, (bool, float)):
        top.fail(key, allowed)


def parse_study(text: str, path: Path) -> Study:
    """Raises InputError with file, line, column, key, value and what is allowed."""
    return read_study(TomlFile(text, str(path)), path)


def read_study(file: TomlFile, path: Path) -> Study:
    study = StudyReader(file, path).study
    check_study(study)
    return study


def gallery_names(folder: Path) -> list[str]:
    return sorted(about.parent.name for about in folder.glob(f"*/{ABOUT}"))


def load_gallery(folder: Path, name: str) -> Gallery:
    """Raises InputError."""
    names = gallery_names(folder)
    if name not in names:
        raise InputError(None, "gallery", name, f"one of {', '.join(names)}{hint(name, names)}")
    own = folder / name
    about = TomlFile.load(own / ABOUT).top()
    require_version(about, "stickslip_gallery")
    about.allow("stickslip_gallery", "source")
    gallery = Gallery(name, about.string("source", 'what the gallery shows: "[Key], section 4: ..."'), [])
    for path in sorted(own.glob("*.toml")):
        if path.name != ABOUT:
            gallery.studies.append(read_study(TomlFile.load(path), path))
    check_unique(gallery, own)
    return gallery


def check_unique(gallery: Gallery, folder: Path) -> None:
    """Results and figures of a gallery lie in one folder."""
    known: dict[tuple[str, str], str] = {}
    for study in gallery.studies:
        names = [("run", run.name) for run in study.runs] + [("figure", figure.name) for figure in study.figures]
        for what, name in names:
            if (what, name) in known:
                raise InputError(Place(str(folder / f"{study.name}.toml")), what, name,
                                 f"a name that no other {what} has: {known[what, name]} has it already")
            known[what, name] = study.name
