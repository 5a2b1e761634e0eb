# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the gallery have in common. They are started by scripts/check_python."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "apps" / "gallery"))

from stickslip_gallery import command  # noqa: E402
from stickslip_gallery.program import Program  # noqa: E402
from stickslip_gallery.reader import load_gallery, parse_study  # noqa: E402
from stickslip_gallery.run import GalleryRecord, Options, StudyRecord, run_gallery  # noqa: E402
from stickslip_gallery.study import Gallery, Study  # noqa: E402

GALLERIES = ROOT / "galleries"
HEAD = 'stickslip_study = 1\ntitle = "a"\nsource = "b"\n'


def program() -> Program:
    return Program(Path(os.environ["STICKSLIP_PROGRAM"]))


def study(text: str) -> Study:
    return parse_study(HEAD + text, Path("study.toml"))


def shipped(gallery: str, name: str) -> Gallery:
    """A gallery with one of its studies."""
    loaded = load_gallery(GALLERIES, gallery)
    loaded.studies = [one for one in loaded.studies if one.name == name]
    return loaded


def run(gallery: Gallery, output: Path) -> GalleryRecord:
    """Without taking times, and without files but the results."""
    options = Options(program(), ROOT / "scenes", output, times_steps=False)
    return run_gallery(gallery, options, lambda record: None)


def run_one(text: str, output: Path) -> StudyRecord:
    return run(Gallery("own", "a test", [study(text)]), output).studies[0]


def call(galleries: Path, output: Path, *arguments: str) -> tuple[int, str, str]:
    """The whole command: exit status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    places = {"--program": program().path, "--scenes": ROOT / "scenes", "--pages": ROOT / "web" / "page",
              "--galleries": galleries, "--output": output}
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = command.main([*(f"{key}={path}" for key, path in places.items()), *arguments])
    return status, out.getvalue(), err.getvalue()


class FolderCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="stickslip-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
