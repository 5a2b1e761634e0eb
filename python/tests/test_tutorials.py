# SPDX-License-Identifier: BSD-3-Clause
"""The tutorials, whose assertions hold their numbers against known ones."""
import os
import subprocess
import sys

import conftest
import pytest

TUTORIALS = sorted((conftest.ROOT / "python/tutorials").glob("*.py"))
LONG = ("column_collapse", "stick_slip")  # more than ten seconds


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(tutorial, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    if tutorial.stem in LONG and "STICKSLIP_SLOW" not in os.environ:
        pytest.skip("by scripts/sweep")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning:__main__", tutorial], cwd=tmp_path, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) > 2 and (tmp_path / f"{tutorial.stem}.png").stat().st_size > 5000
    assert len(tutorial.read_text().splitlines()) <= 60
