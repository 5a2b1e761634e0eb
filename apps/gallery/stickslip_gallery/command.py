# SPDX-License-Identifier: BSD-3-Clause
"""What `stickslip gallery` does."""
import argparse
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import TextIO

from stickslip_gallery.errors import GalleryError, InputError, Interrupted, visible
from stickslip_gallery.files import is_page, refuse, write_text
from stickslip_gallery.pages import Site, make_index_page, make_study_page, study_page_name
from stickslip_gallery.program import BAD_INPUT, DONE, INEXACT, INTERNAL_ERROR, INTERRUPTED, STEP_FAILED, Program
from stickslip_gallery.reader import gallery_names, load_gallery
from stickslip_gallery.run import (RUNS, TABLE, TABLE_CSV, GalleryRecord, Options, StudyRecord, check_folder,
                                   check_scenes, run_gallery)
from stickslip_gallery.study import Gallery
from stickslip_gallery.tables import comparisons_to_csv, figure_to_csv, runs_to_csv, to_markdown, to_text

ERASE_REST = "\x1b[K"  # tells a terminal to erase from where it stands to the end of the line
SIGNALS = (signal.SIGINT, signal.SIGTERM)
LINE_EVERY = 10.0  # [s] where nobody watches


class Streams:
    """Standard output and error. One that takes nothing (a full disk, a reader that is gone) ends no work."""

    def __init__(self) -> None:
        self.is_output_lost = False

    def say(self, text: str) -> None:
        self.is_output_lost = not write(sys.stdout, visible(text)) or self.is_output_lost

    def complain(self, text: str) -> None:
        write(sys.stderr, visible(text))

    def end(self, status: int) -> int:
        """The exit status, given that of the work."""
        if not self.is_output_lost:
            return status
        self.complain("standard output: cannot be written\n")
        return status or BAD_INPUT


def write(stream: TextIO, text: str) -> bool:
    """Whether the stream took it."""
    try:
        print(text, end="", file=stream, flush=True)
        return True
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # Python writes the rest at its end
        return False


class Progress:
    """Which run is under way, of how many: a line that changes on a terminal, one now and then elsewhere."""

    def __init__(self, count: int, quiet: bool):
        self.count = count  # [-] runs and analyses in all
        self.begun = 0
        self.quiet = quiet
        self.last = time.monotonic()

    def show(self, name: str) -> None:
        self.begun += 1
        line = f"{100 * (self.begun - 1) // self.count:3} %  {self.begun} of {self.count} runs  {name}"
        if self.quiet:
            return
        if sys.stderr.isatty():
            width = (os.get_terminal_size(sys.stderr.fileno()).columns or 80) - 1
            write(sys.stderr, f"\r{visible(line)[:width]}{ERASE_REST}")
        elif time.monotonic() - self.last > LINE_EVERY:
            self.last = time.monotonic()
            write(sys.stderr, f"{visible(line)}\n")

    def clear(self) -> None:
        if not self.quiet and sys.stderr.isatty():
            write(sys.stderr, f"\r{ERASE_REST}")


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """What `stickslip gallery` hands over: its own options, and where things are."""
    parser = argparse.ArgumentParser(prog="stickslip gallery", allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    for folder in ("--program", "--scenes", "--pages", "--galleries", "--output"):
        parser.add_argument(folder, type=Path, required=True)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--force", action="store_true")
    return parser.parse_args(arguments)


def load(options: argparse.Namespace) -> list[Gallery]:
    names = options.names or gallery_names(options.galleries)
    if not names:
        raise InputError(None, "--galleries", str(options.galleries), "a folder of folders with a gallery.toml")
    return [load_gallery(options.galleries, name) for name in names]


def write_gallery(record: GalleryRecord, output: Path, site: Site) -> None:
    for study in record.studies:
        write_text(output / study_page_name(study), make_study_page(record, study, output, site))
    write_text(output / TABLE, to_markdown(record, site.made))
    write_text(output / TABLE_CSV, comparisons_to_csv(record))
    write_text(output / RUNS, runs_to_csv(record))


def status_of(record: GalleryRecord) -> int:
    """That of the worst run: a failed step weighs more than inexact ones."""
    statuses = {r.status for study in record.studies for r in study.runs}
    worst = next((status for status in (STEP_FAILED, INEXACT) if status in statuses), DONE)
    return worst or (INEXACT if record.count_unexplained() > 0 else DONE)


def run(options: argparse.Namespace, streams: Streams) -> int:
    program = Program(options.program)
    galleries = load(options)  # all are known before the first one runs
    settings = [Options(program, options.scenes, options.output / gallery.name) for gallery in galleries]
    for gallery, own in zip(galleries, settings):
        if not options.force:
            check_folder(gallery, own.output)
    index = options.output / "index.html"
    if not options.force and not is_page(index):
        refuse(index, "")
    for gallery, own in zip(galleries, settings):
        check_scenes(gallery, own)
    site = Site(program, program.describe(), options.pages)
    count = sum(len(study.sources()) for gallery in galleries for study in gallery.studies)
    progress = Progress(count, options.quiet)
    records = []
    for gallery, own in zip(galleries, settings):
        own.progress = progress.show

        def write_figures(study: StudyRecord, output: Path = own.output) -> None:
            for figure in study.page.figures:
                write_text(output / f"{figure.name}.csv", figure_to_csv(figure))

        try:
            record = run_gallery(gallery, own, write_figures)
            write_gallery(record, own.output, site)
        except Interrupted:
            progress.clear()
            streams.complain(f"interrupted; results of the runs so far: {own.output / 'results'}; to run it again: "
                             "--force\n")
            return INTERRUPTED
        progress.clear()
        records.append(record)
        if not options.quiet:
            streams.say(f"{to_text(record)}tables and figures: {own.output}\n")
        if unexplained := record.count_unexplained():
            differ = "number differs" if unexplained == 1 else "numbers differ"
            streams.complain(f"{record.name}: {unexplained} {differ} more than by what is explained: see "
                             f"{own.output / TABLE_CSV}\n")
    write_text(index, make_index_page(records, site))
    if not options.quiet:
        streams.say(f"open in a browser: {index.absolute()}\n")
    statuses = {status_of(record) for record in records}
    status = next((status for status in (STEP_FAILED, INEXACT) if status in statuses), DONE)
    if options.quiet and status != DONE:
        streams.complain(f"not all runs went well: see {options.output}\n")
    return status


def interrupt(number: int, frame: FrameType | None) -> None:
    """A further signal means no more than the first: a run that does not end is killed soon."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted


def main(arguments: list[str]) -> int:
    for number in SIGNALS:
        signal.signal(number, interrupt)
    streams = Streams()
    try:
        return streams.end(run(parse_arguments(arguments), streams))
    except GalleryError as error:
        streams.complain(f"{error}\n")
        return BAD_INPUT
    except Interrupted:
        streams.complain("interrupted\n")
        return INTERRUPTED
    except Exception as error:
        streams.complain(f"internal error: {error}\n{traceback.format_exc()}")
        return INTERNAL_ERROR
