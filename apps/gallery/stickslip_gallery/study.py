# SPDX-License-Identifier: BSD-3-Clause
"""A study as its file says it: what is run, and what is read out of the results beside what is published.

docs/gallery.md describes the file.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

from stickslip_gallery.errors import InputError, Place
from stickslip_gallery.formula import Node

# Where a number comes from that ours is held against: the paper prints it as a result or says it in words; it follows
# in closed form from what the paper states; an independent dense implementation of the paper's scheme has it.
ORIGINS = ("published", "analytic", "reference")


@dataclass(frozen=True)
class Formula:
    """A formula of a file and where it stands there."""

    text: str
    node: Node
    place: Place
    key: str  # dotted way in the file

    def error(self, allowed: str, value: str = "") -> InputError:
        return InputError(self.place, self.key, f'"{self.text}"{value}', allowed)


@dataclass
class Source:
    """A run of a scene, or all solutions of the contact problem of a scene's states."""

    name: str  # unique in its study; of a run's result, unique in its gallery
    scene: str  # without .toml, below the folder of shipped scenes, or "./" beside the study
    settings: list[str]  # "key.path=value"
    given: dict[str, float]  # numbers of its `each`, names in formulas that read from it
    folder: Path  # of the study
    place: Place  # in it

    def path(self, scenes: Path) -> Path:
        return (self.folder if self.scene.startswith("./") else scenes) / f"{self.scene}.toml"


@dataclass
class Run(Source):
    elsewhere: str = ""  # CPU time of a step in other programs, as far as it is known
    keeps_problems: bool = False  # the contact problem of every step is left beside the result


@dataclass
class Analysis(Source):
    level: str = "step"
    sweeps: list[str] = field(default_factory=list)  # "key=a:b:n"
    options: list[str] = field(default_factory=list)  # of `stickslip analyze`


@dataclass
class Mark:
    """Where a number stands in a figure: formulas in which `expected` is the number. None: a line at the other's."""

    figure: str
    x: Formula | None
    y: Formula | None


@dataclass
class Value:
    """A number beside ours."""

    quantity: str
    unit: str  # empty where there is none
    run: str  # that formulas read from; empty: the first
    ours: Formula
    origin: str
    expected: Formula
    printed: str  # as the paper prints it; empty: `expected` is to be evaluated
    tolerance: Formula | None  # none: half a unit of the last digit that is printed
    reason: str = ""  # why ours differs where it does; "${formula}" is replaced by its value
    in_reason: list[Formula] = field(default_factory=list)
    # With each reason, the differences, ours less `expected`, that it accounts for: from the first to the last of two;
    # of one: up to it, of either sign.
    explains: list[Formula] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


@dataclass
class Column:
    name: str
    unit: str
    values: Formula


@dataclass
class Curve:
    """What a figure draws over what."""

    name: str
    of: str  # the figure that has the columns; empty: the curve's own
    x: str  # names of columns
    y: str
    by: str = ""  # a column: a curve for each of its values; empty: one
    style: str = "line"


@dataclass
class Figure:
    """The data of a figure, or of one of its parts."""

    name: str  # of the file: "figure_1"
    caption: str
    run: str  # that formulas read from; empty: the first
    columns: list[Column] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)  # none: each column over the first


@dataclass
class Study:
    name: str  # of the file, without .toml
    title: str
    source: str  # "[Key], section 4, figure 9"
    folder: Path  # where its files of numbers are looked up
    constants: dict[str, float] = field(default_factory=dict)
    series: dict[str, Formula] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    analyses: list[Analysis] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

    def sources(self) -> list[Source]:
        """In the order in which formulas know them: the first is what they read from where they do not say."""
        return [*self.runs, *self.analyses]


@dataclass
class Gallery:
    """A folder of studies."""

    name: str  # of the folder
    source: str  # "[Key], ..."
    studies: list[Study]


IN_REASON = re.compile(r"\$\{([^}]*)\}")  # a formula of a reason
