# SPDX-License-Identifier: BSD-3-Clause
"""Starts stickslip, and waits for it."""
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

from stickslip_gallery.errors import GalleryError, Interrupted

DONE, INTERNAL_ERROR, BAD_INPUT, STEP_FAILED, INEXACT, INTERRUPTED = 0, 1, 2, 3, 4, 130  # exit status
PATIENCE = 5.0  # [s] for a run to close its result once it was asked to stop


class Ended(NamedTuple):
    status: int
    out: str
    err: str


class Program:
    def __init__(self, path: Path):
        self.path = path

    def call(self, *arguments: str) -> Ended:
        """Raises Interrupted where it was, and RuntimeError where it ended with an error that is not the user's."""
        process = subprocess.Popen([str(self.path), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate()
        except BaseException:
            stop(process)
            raise
        if process.returncode == INTERRUPTED:
            raise Interrupted
        if process.returncode == INTERNAL_ERROR or process.returncode < 0:
            raise RuntimeError(f"stickslip {arguments[0]} ended with status {process.returncode}: {err.strip()}")
        return Ended(process.returncode, out, err)

    def call_well(self, *arguments: str) -> str:
        """What it prints. Raises GalleryError where its input was bad, too."""
        ended = self.call(*arguments)
        if ended.status == BAD_INPUT:
            raise GalleryError(ended.err.strip())
        return ended.out

    def describe(self) -> str:
        """ "Made by stickslip 0.1.0, commit 1a2b3c4d5e6f, GNU 12.2.0." """
        found = re.search(r"stickslip (\S+) \(commit (.*?), (.*)\)", self.call_well("--version"))
        assert found is not None
        return f"Made by stickslip {found[1]}, commit {found[2]}, {found[3]}."


def stop(process: "subprocess.Popen[str]") -> None:
    """Asks a run to close its result. A terminal's Ctrl-C has asked already, which it takes as the same."""
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
