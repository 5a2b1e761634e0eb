# SPDX-License-Identifier: BSD-3-Clause
"""What came of a gallery as text: for a terminal, as Markdown, as CSV."""
import math
from collections.abc import Iterable

from stickslip_gallery.evaluate import Comparison, FigureData
from stickslip_gallery.run import GalleryRecord, RunRecord, StudyRecord
from stickslip_gallery.series import number_text
from stickslip_gallery.study import ORIGINS


def quoted(text: str) -> str:
    """A cell of a CSV file: in quotation marks, doubled where they are part of the text."""
    return '"' + text.replace('"', '""') + '"'


def escaped(text: str) -> str:
    """A cell of a Markdown table."""
    return text.replace("|", r"\|")


def describe_number(x: float) -> str:
    return "not reached" if math.isnan(x) else f"{x:.9g}"


def describe_difference(c: Comparison) -> str:
    return "-" if math.isnan(c.difference) else "0" if c.difference == 0 else f"{c.difference:.1e}"


def describe_reason(c: Comparison) -> str:
    """Why a number differs, as far as it is known; empty where it agrees."""
    if c.agrees:
        return ""
    if math.isnan(c.ours):
        return "the run ended before, or it did not happen"
    if not c.reason:
        return "not explained"
    if c.is_explained:
        return c.reason
    low, high = c.explained
    bounds = f"more than the {high:.3g}" if -low == high else f"not the {low:.3g} to {high:.3g}"
    return f"not explained: {bounds} that this explains: {c.reason}"


def count(comparisons: Iterable[Comparison], what: str) -> str:
    """ "30 numbers, 20 agree, 10 differ (0 of them without a known reason)" """
    numbers = list(comparisons)
    agree = sum(c.agrees for c in numbers)
    explained = sum(not c.agrees and c.is_explained for c in numbers)
    differ = len(numbers) - agree
    return (f"{len(numbers)} {what}, {agree} agree, {differ} differ "
            f"({differ - explained} of them without a known reason)")


def describe_count(gallery: GalleryRecord, origin: str) -> str:
    """Numbers apart from zeros and from answers to yes-or-no questions."""
    all_of_it = [c for study in gallery.studies for c in study.page.comparisons if c.origin == origin]
    answers = [c for c in all_of_it if c.is_answer]
    text = f"{origin}: {count((c for c in all_of_it if not c.is_answer), 'numbers')}"
    return f"{text}; {count(answers, 'zeros and yes-or-no answers')}" if answers else text


def describe_troubles(gallery: GalleryRecord) -> str:
    """Runs that did not go as they should."""
    return "".join(f"{r.run.name}: {r.trouble}" for study in gallery.studies for r in study.runs if r.status != 0)


def in_order(study: StudyRecord) -> list[Comparison]:
    """Comparisons by origin, then as the study has them."""
    return sorted(study.page.comparisons, key=lambda c: ORIGINS.index(c.origin))


def describe_analyses(study: StudyRecord, start: str) -> str:
    return "".join(f"{start}{a.name}: every solution of {a.states} states, {a.level} problem\n" for a in study.analyses)


def figure_to_csv(figure: FigureData) -> str:
    """A header "name [unit],..." and a line a row; numbers that read back as the same doubles."""
    lines = [",".join(f"{column.name} [{column.unit}]" for column in figure.columns)]
    for row in zip(*(column.values.tolist() for column in figure.columns)):
        lines.append(",".join(number_text(x) for x in row))
    return "\n".join(lines) + "\n"


def comparisons_to_csv(gallery: GalleryRecord) -> str:
    lines = ["benchmark,quantity,unit,origin,expected,value,tolerance,ours,difference,agrees,explained_from,"
             "explained_to,reason"]
    for study in gallery.studies:
        for c in in_order(study):
            numbers = (c.value, c.tolerance, c.ours, c.difference, float(c.agrees), *c.explained)
            lines.append(",".join([quoted(study.study.title), quoted(c.quantity), quoted(c.unit), c.origin, c.expected,
                                   *map(number_text, numbers), quoted(describe_reason(c))]))
    return "\n".join(lines) + "\n"


def runs_to_csv(gallery: GalleryRecord) -> str:
    """A line a run."""
    lines = ["run,scheme,step [s],steps,outcome,mean iterations,most iterations,fallback steps,inexact steps,worst "
             "residual [m/s],deepest penetration [m],joint drift [m],joint drift [rad],mean step [us],elsewhere [us]"]
    for study in gallery.studies:
        for r in study.runs:
            lines.append(",".join([
                quoted(r.run.name), r.scheme, number_text(r.step), str(r.steps), r.outcome, number_text(r.iterations),
                str(r.most_iterations), str(r.fallbacks), str(r.inexact), number_text(r.residual),
                number_text(r.penetration), number_text(r.drift_position), number_text(r.drift_angle),
                f"{r.microseconds:.3f}", quoted(r.run.elsewhere)]))
    return "\n".join(lines) + "\n"


def run_to_markdown(r: RunRecord) -> str:
    return (f"| {r.run.name} | {r.scheme} | {number_text(r.step)} | {r.steps} | {r.outcome} | {r.iterations:.3f} "
            f"({r.most_iterations}) | {r.fallbacks} | {r.inexact} | {r.residual:.1e} | {r.penetration:.1e} | "
            f"{r.drift_position:.1e}, {r.drift_angle:.1e} | {r.microseconds:.2f} | {r.run.elsewhere} |\n")


def study_to_markdown(study: StudyRecord) -> str:
    text = f"\n## {study.study.title}\n\n{study.study.source}\n\n"
    text += "".join(f"- {figure.name}.csv: {figure.caption}\n" for figure in study.page.figures)
    text += describe_analyses(study, "- ") + "\n"
    if study.runs:
        text += ("| run | scheme | step [s] | steps | ended | iterations, mean (most) | fallback steps | "
                 "inexact steps | worst residual [m/s] | deepest penetration [m] | joint drift [m], [rad] | "
                 "us a step | elsewhere, us a step |\n" + "|---" * 13 + "|\n")
        text += "".join(run_to_markdown(r) for r in study.runs)
    text += "\n| quantity | unit | origin | expected | ours | difference | | reason |\n" + "|---" * 8 + "|\n"
    for c in in_order(study):
        cells = (escaped(c.quantity), c.unit, c.origin, c.expected, describe_number(c.ours), describe_difference(c),
                 "agrees" if c.agrees else "differs", escaped(describe_reason(c)))
        text += f"| {' | '.join(cells)} |\n"
    return text


def to_markdown(gallery: GalleryRecord, made: str) -> str:
    """All of it for reading. made: which program made it."""
    text = f"# Gallery: {gallery.name}\n\n{gallery.source}\n\n{made}\n\n"
    text += "".join(f"- {describe_count(gallery, origin)}\n" for origin in ORIGINS)
    text += ("\nA published number agrees where ours rounds to the digits that are printed; the tolerance of the "
             "others is in table.csv. Times are processor time of a step in the mean, without output, on the machine "
             "that made this; those from elsewhere are CPU times on another.\n")
    if troubles := describe_troubles(gallery):
        text += f"\nNot all runs went well:\n\n{troubles}"
    return text + "".join(study_to_markdown(study) for study in gallery.studies)


def study_to_text(study: StudyRecord) -> str:
    text = f"\n{study.study.title} ({study.study.name})\n"
    for r in study.runs:
        text += (f"  {r.run.name}: {r.outcome}, {r.steps} steps, {r.iterations:.3g} iterations a step, "
                 f"{r.microseconds:.3g} us a step\n")
    text += describe_analyses(study, "  ")
    width = 3 + max((len(c.quantity) + len(c.unit) for c in study.page.comparisons), default=0)
    for c in in_order(study):
        quantity = f"{c.quantity} [{c.unit}]" if c.unit else c.quantity
        text += (f"  {quantity:<{width}}  {c.origin:<9} {c.expected:>15} {describe_number(c.ours):>15} "
                 f"{describe_difference(c):>9}  {'agrees' if c.agrees else 'differs'}\n")
        if not c.agrees:
            text += f"      {describe_reason(c)}\n"
    return text


def to_text(gallery: GalleryRecord) -> str:
    """The comparisons for a terminal, and how many agree."""
    text = f"{gallery.name}: {gallery.source}\n" + "".join(study_to_text(study) for study in gallery.studies) + "\n"
    text += "".join(f"{describe_count(gallery, origin)}\n" for origin in ORIGINS)
    return text + describe_troubles(gallery)
