# SPDX-License-Identifier: BSD-3-Clause
"""Galleries as pages that any browser opens from a folder, without a server: one a study, and an index."""
import base64
import json
import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stickslip_gallery.evaluate import FigureData
from stickslip_gallery.program import Program
from stickslip_gallery.run import GalleryRecord, StudyRecord, result_path
from stickslip_gallery.series import Array
from stickslip_gallery.study import ORIGINS, Curve
from stickslip_gallery.tables import describe_reason

DATA_PLACE = "<!-- stickslip data -->"
# With the program of the replay, 0.73 MB, a page takes 1.2 MB at most beside its figures, so that the twenty studies
# that ship stay below 30 MB (measured: 18 MB).
MOTION_BYTES = 450_000
MOST_SHOWN = 4  # [-] runs that move on a page
MOST_ROWS = 4000  # [-] of a figure: four a pixel
PICTURE_ROWS = 120  # [-] of the picture in the index, 280 pixels wide
ALIGNMENT = 8  # [bytes] of the widest number, which a typed array of a browser wants


@dataclass
class Site:
    """What pages are made with."""

    program: Program
    made: str  # which program made them
    pages: Path  # the folder of the pages without data

    def template(self, name: str) -> str:
        return (self.pages / name).read_text(encoding="utf-8")


def to_json(value: Any) -> str:
    """JSON that may stand inside an HTML element: no '<', '>' or '&'; null for what is not finite."""
    text = json.dumps(finite(value), ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"[<>&\x7f]", lambda found: f"\\u{ord(found.group()):04x}", text)


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def element(kind: str, css_class: str, content: str) -> str:
    """An element that the program of a page finds by its class."""
    return f'<script type="{kind}" class="{css_class}">{content}</script>\n'


def fill_page(page: str, elements: str) -> str:
    return page.replace(DATA_PLACE, elements, 1)


class Numbers:
    """Named arrays of numbers, one behind the other in little-endian bytes."""

    def __init__(self) -> None:
        self.places: dict[str, tuple[str, int, int]] = {}  # type, offset, count
        self.bytes = b""

    def add(self, name: str, values: Array) -> None:
        self.bytes += bytes(-len(self.bytes) % ALIGNMENT)
        self.places[name] = ("f32", len(self.bytes), len(values))
        with np.errstate(over="ignore"):
            self.bytes += values.astype("<f4").tobytes()


def pick_rows(figure: FigureData, most: int) -> Array:
    """Rows of a figure that are kept: all, or of each stretch those where some column is lowest and highest."""
    first = figure.columns[0].values
    n = len(first)
    is_course = n > 0 and not np.any(first[:-1] >= first[1:])
    if n <= most or not is_course:
        # What is no course of time, but the states of a grid, is thinned only where nobody could tell them apart.
        return np.arange(0, n, 1 if is_course else n // (5 * most) + 1)
    stretches = max(1, most // (2 * len(figure.columns)))
    kept = set()
    for stretch in range(stretches):
        begin, end = stretch * n // stretches, (stretch + 1) * n // stretches
        kept |= {begin, end - 1}
        for column in figure.columns[1:]:
            values = np.nan_to_num(column.values[begin:end], nan=-np.inf, posinf=np.inf, neginf=-np.inf)
            kept |= {begin + int(np.argmin(values)), end - 1 - int(np.argmax(values[::-1]))}
    return np.array(sorted(kept))


def run_of(figure: FigureData, study: StudyRecord) -> str:
    """The run that a figure is of, the study's first where it does not say; empty where that is no run."""
    names = [r.run.name for r in study.runs]
    name = figure.run or (names[0] if names else "")
    return name if name in names else ""


def curve_to_json(curve: Curve) -> dict[str, str]:
    return {"name": curve.name, "of": curve.of, "x": curve.x, "y": curve.y, "by": curve.by, "style": curve.style}


def figure_to_json(figure: FigureData, study: StudyRecord, numbers: Numbers) -> dict[str, Any]:
    rows = pick_rows(figure, MOST_ROWS)
    for k, column in enumerate(figure.columns):
        numbers.add(f"{figure.name}/{k}", column.values[rows])
    return {
        "name": figure.name, "caption": figure.caption, "run": run_of(figure, study),
        "columns": [[column.name, column.unit] for column in figure.columns],
        "curves": [curve_to_json(curve) for curve in figure.curves],
        "marks": [{"number": mark.comparison, "x": mark.x, "y": mark.y} for mark in figure.marks]}


def numbers_to_json(study: StudyRecord) -> list[dict[str, Any]]:
    return [{"quantity": c.quantity, "unit": c.unit, "origin": c.origin, "expected": c.expected, "ours": c.ours,
             "difference": c.difference, "tolerance": c.tolerance, "agrees": c.agrees, "reason": describe_reason(c)}
            for c in study.page.comparisons]


def runs_to_json(study: StudyRecord) -> list[dict[str, Any]]:
    return [{"name": r.run.name, "scheme": r.scheme, "step": r.step, "steps": r.steps, "outcome": r.outcome,
             "iterations": r.iterations, "most_iterations": r.most_iterations, "inexact": r.inexact,
             "residual": r.residual, "penetration": r.penetration, "microseconds": r.microseconds,
             "elsewhere": r.run.elsewhere} for r in study.runs]


def shown_runs(study: StudyRecord) -> list[str]:
    """Runs that a figure is of, in order; the first run where none is."""
    names = list(dict.fromkeys(filter(None, (run_of(figure, study) for figure in study.page.figures))))
    return (names or [r.run.name for r in study.runs[:1]])[:MOST_SHOWN]


def study_page_name(study: StudyRecord) -> str:
    return f"{study.study.name}.html"


def moving_page(elements: str, results: list[Path], site: Site) -> str:
    """The page of `stickslip report` of these results, with further elements before theirs. Raises GalleryError."""
    template = site.template("stickslip.html")
    size = len(template.encode()) + MOTION_BYTES
    with tempfile.TemporaryDirectory(prefix="stickslip-gallery-") as folder:
        path = Path(folder) / "page.html"
        site.program.call_well("report", *map(str, results), "-o", str(path), f"--max-size={size / 1e6!r}", "--quiet")
        page = path.read_text(encoding="utf-8")
    place = template.index(DATA_PLACE)
    return page[:place] + elements + page[place:]


def make_study_page(gallery: GalleryRecord, study: StudyRecord, output: Path, site: Site) -> str:
    """Figures with the published values as marks, numbers with agreement or reason, runs.

    The runs that figures are of move in a replay. Raises GalleryError.
    """
    at = gallery.studies.index(study)
    neighbours = [study_page_name(other) for other in gallery.studies]
    numbers = Numbers()
    figures = [figure_to_json(figure, study, numbers) for figure in study.page.figures]
    times = ("Times are processor time of a step in the mean on the machine that made this; those from elsewhere are "
             "CPU times on another.")
    header = {
        "arrays": numbers.places, "gallery": gallery.name, "title": study.study.title, "source": study.study.source,
        "made": f"{site.made} {times}", "back": neighbours[at - 1] if at > 0 else "",
        "next": neighbours[at + 1] if at + 1 < len(neighbours) else "", "figures": figures,
        "numbers": numbers_to_json(study), "runs": runs_to_json(study),
        "analyses": [{"name": a.name, "level": a.level, "states": a.states} for a in study.analyses]}
    elements = element("application/json", "study", to_json(header))
    elements += element("text/plain", "study-numbers", base64.b64encode(numbers.bytes).decode())
    shown = shown_runs(study)
    if not shown:
        return fill_page(site.template("tables.html"), elements)
    return moving_page(elements, [result_path(output, r.run) for name in shown for r in study.runs
                                  if r.run.name == name], site)


def counts_to_json(study: StudyRecord) -> dict[str, tuple[int, int]]:
    """How many numbers of each origin agree, of how many."""
    counts = {}
    for origin in ORIGINS:
        comparisons = [c for c in study.page.comparisons if c.origin == origin]
        if comparisons:
            counts[origin] = (sum(c.agrees for c in comparisons), len(comparisons))
    return counts


def picture_to_json(study: StudyRecord) -> dict[str, Any] | None:
    """The first chart of the first figure, for the index."""
    if not study.page.figures:
        return None
    figure = study.page.figures[0]
    x = figure.columns[0]
    wanted = figure.curves or [Curve(column.name, "", x.name, column.name) for column in figure.columns[1:]
                               if column.unit == figure.columns[1].unit]
    curves = []
    axes = None
    for curve in wanted:
        source = next(other for other in study.page.figures if other.name == (curve.of or figure.name))
        columns = {column.name: column for column in reversed(source.columns)}
        own_axes = (curve.x == source.columns[0].name, columns[curve.x].unit, columns[curve.y].unit)
        if own_axes != (axes or own_axes):
            continue
        axes = own_axes
        rows = pick_rows(source, PICTURE_ROWS)
        x_values, y_values = ([float(f"{value:.4g}") for value in columns[name].values[rows]]
                              for name in (curve.x, curve.y))
        curves.append({"x": x_values, "y": y_values, "style": "points" if curve.by else curve.style})
    return {"x_label": wanted[0].x if wanted else "", "curves": curves}


def make_index_page(galleries: list[GalleryRecord], site: Site) -> str:
    """All studies with a picture of a figure and how many numbers agree; pages are at GALLERY/STUDY.html."""
    entries = [{
        "name": gallery.name, "source": gallery.source, "table": f"{gallery.name}/table.csv",
        "studies": [{"page": f"{gallery.name}/{study_page_name(study)}", "title": study.study.title,
                     "source": study.study.source, "counts": counts_to_json(study),
                     "picture": picture_to_json(study)} for study in gallery.studies],
    } for gallery in galleries]
    index = to_json({"made": site.made, "galleries": entries})
    return fill_page(site.template("tables.html"), element("application/json", "index", index))
