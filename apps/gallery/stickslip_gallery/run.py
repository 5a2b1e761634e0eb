# SPDX-License-Identifier: BSD-3-Clause
"""Runs a gallery, and writes its tables, figures and pages into a folder."""
import json
import math
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stickslip_gallery.errors import InputError
from stickslip_gallery.evaluate import Data, StudyPage, evaluate_study
from stickslip_gallery.files import is_page, is_result, make_folder, refuse
from stickslip_gallery.program import BAD_INPUT, INEXACT, Program
from stickslip_gallery.series import Array
from stickslip_gallery.sources import AnalysisData, RunData
from stickslip_gallery.study import Analysis, Gallery, Run, Source, Study

TABLE, TABLE_CSV, RUNS = "table.md", "table.csv", "runs.csv"
INEXACT_STEP = 1  # /steps/status


@dataclass
class Options:
    program: Program
    scenes: Path  # the folder of the scenes that ship
    output: Path  # a folder, made where there is none
    times_steps: bool = True  # in a second run of each, without output
    progress: Callable[[str], None] = lambda run: None  # called before each run with its name


@dataclass
class RunRecord:
    """How a run went."""

    run: Run
    scheme: str
    step: float  # [s]; NaN where it is automatic
    status: int  # exit status
    outcome: str  # "done", "inexact", "failed", "stopped"
    trouble: str  # what it said on stderr: which steps were inexact, why one failed
    steps: int
    inexact: int
    fallbacks: int  # steps that needed a slower method
    iterations: float  # mean; NaN without a step
    most_iterations: int
    residual: float  # [m/s] the worst of all steps, as the others below
    penetration: float  # [m]
    drift_position: float  # [m]
    drift_angle: float  # [rad]
    microseconds: float = math.nan  # [us] processor time of a step in the mean, without output; NaN: not taken


@dataclass
class AnalysisRecord:
    name: str
    level: str
    states: int


@dataclass
class StudyRecord:
    study: Study
    runs: list[RunRecord] = field(default_factory=list)
    analyses: list[AnalysisRecord] = field(default_factory=list)
    page: StudyPage = field(default_factory=StudyPage)


@dataclass
class GalleryRecord:
    name: str
    source: str
    studies: list[StudyRecord] = field(default_factory=list)

    def count_unexplained(self) -> int:
        """Numbers that neither agree nor differ by what their reason accounts for."""
        comparisons = [c for study in self.studies for c in study.page.comparisons]
        return sum(not c.agrees and not c.is_explained for c in comparisons)


def settings_of(source: Source) -> list[str]:
    return [f"--set={setting}" for setting in source.settings]


def result_path(output: Path, run: Run) -> Path:
    return output / "results" / f"{run.name}.h5"


def every_step(run: Run, scene: Path) -> list[str]:
    """The setting with which a scene's result has every step, where it would have fewer and the study does not say."""
    if any(setting.startswith("output.") for setting in run.settings):
        return []
    with scene.open("rb") as file:
        text = tomllib.load(file)
    if "every" not in text.get("output", {}):
        return []
    steps = [setting.partition("=")[2] for setting in run.settings if setting.startswith("time.step=")]
    return [f"--set=output.every={steps[-1] if steps else text['time']['step']}"]


def check_scenes(gallery: Gallery, options: Options) -> None:
    """Reads the scenes of all runs and analyses with what is set in them. Raises InputError at the run."""
    for study in gallery.studies:
        for source in study.sources():
            ended = options.program.call("check", str(source.path(options.scenes)), *settings_of(source))
            if ended.status == BAD_INPUT:
                raise InputError(source.place, f"scene of {source.name}", source.scene, ended.err.strip())


def check_folder(gallery: Gallery, output: Path) -> None:
    """Refuses a folder where run_gallery() would write over tables, figures or what is no result of this program."""
    for path in sorted(output.glob("*")):
        is_figure = path.name.startswith(("figure_", "curve_")) and path.suffix == ".csv"
        if is_figure or path.name in (TABLE, TABLE_CSV, RUNS):
            refuse(path, "")
    for study in gallery.studies:
        for run in study.runs:
            path = result_path(output, run)
            if not is_result(path):
                refuse(path, "result")
        page = output / f"{study.name}.html"
        if not is_page(page):
            refuse(page, "")


def worst(column: Array) -> float:
    """The largest absolute value; NaN is worse than any number."""
    return float(np.max(np.abs(column))) if len(column) > 0 else 0.0


def outcome_of(status: int, trouble: str) -> str:
    """ "failed" and "stopped" have the same status: a step failed, or a limit was passed that ends the run."""
    return {0: "done", INEXACT: "inexact"}.get(status, "stopped" if "stopped by a limit" in trouble else "failed")


def run_one(run: Run, result: Path, options: Options) -> tuple[RunRecord, RunData]:
    """Raises InputError where the scene cannot be run."""
    scene = run.path(options.scenes)
    settings = settings_of(run) + every_step(run, scene)
    keeps = ["--problems-every=1"] if run.keeps_problems else []
    ended = options.program.call("run", str(scene), *settings, *keeps, "-o", str(result), "--quiet", "--force")
    if ended.status == BAD_INPUT:
        raise InputError(run.place, f"scene of {run.name}", run.scene, ended.err.strip())
    data = RunData(result)
    trouble = "".join(line for line in ended.err.splitlines(keepends=True) if not line.startswith("contact problems"))
    made = {name: data.step_column(name)[1:] for name in ("status", "iterations", "fallbacks", "residual",
                                                         "penetration", "drift_position", "drift_angle")}
    n = len(made["status"])
    step = tomllib.loads(data.text("scene"))["time"]["step"]
    record = RunRecord(
        run, data.text("scheme"), step if isinstance(step, float) else math.nan, ended.status,
        outcome_of(ended.status, trouble), trouble, n, int(np.sum(made["status"] == INEXACT_STEP)),
        int(np.sum(made["fallbacks"] > 0)), float(np.mean(made["iterations"])) if n > 0 else math.nan,
        int(np.max(data.step_column("iterations"))), worst(made["residual"]), worst(made["penetration"]),
        worst(made["drift_position"]), worst(made["drift_angle"]))
    if options.times_steps:
        record.microseconds = time_steps(scene, settings, options.program)
    return record, data


def time_steps(scene: Path, settings: list[str], program: Program) -> float:
    """Processor time of a step in the mean [us], in a run of its own without output; NaN where there is none."""
    table = json.loads(program.call_well("compare", str(scene), *settings, "--json=/dev/stdout", "--quiet"))
    row = table["rows"][0]
    if row["cost_seconds"] is None or row["steps"] == 0:
        return math.nan
    return 1e6 * float(row["cost_seconds"]) / int(row["steps"])


def analyze_one(analysis: Analysis, options: Options) -> AnalysisData:
    """Raises InputError where the scene cannot be analysed."""
    sweeps = [f"--sweep={sweep}" for sweep in analysis.sweeps]
    with tempfile.TemporaryDirectory(prefix="stickslip-gallery-") as folder:
        path = Path(folder) / "states.json"
        ended = options.program.call("analyze", str(analysis.path(options.scenes)), *settings_of(analysis), *sweeps,
                                     f"--level={analysis.level}", *analysis.options, f"--json={path}")
        if ended.status == BAD_INPUT:
            raise InputError(analysis.place, f"analysis {analysis.name}", analysis.scene, ended.err.strip())
        return AnalysisData(json.loads(path.read_text(encoding="utf-8")))


def run_study(study: Study, options: Options) -> StudyRecord:
    record = StudyRecord(study)
    sources: list[Data] = []
    for run in study.runs:
        options.progress(run.name)
        made, data = run_one(run, result_path(options.output, run), options)
        record.runs.append(made)
        sources.append(Data(run.name, run.given, data, made.status in (0, INEXACT)))
    for analysis in study.analyses:
        options.progress(analysis.name)
        states = analyze_one(analysis, options)
        record.analyses.append(AnalysisRecord(analysis.name, analysis.level, len(states.states)))
        sources.append(Data(analysis.name, analysis.given, states))
    record.page = evaluate_study(study, sources)
    return record


def run_gallery(gallery: Gallery, options: Options, write: Callable[[StudyRecord], None]) -> GalleryRecord:
    """Runs all studies; `write` is handed each as soon as it ended.

    A run that failed or has inexact steps does not stop the others. Raises GalleryError and Interrupted.
    """
    make_folder(options.output / "results")
    record = GalleryRecord(gallery.name, gallery.source)
    for study in gallery.studies:
        record.studies.append(run_study(study, options))
        write(record.studies[-1])
    return record
