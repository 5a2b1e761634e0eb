# SPDX-License-Identifier: BSD-3-Clause
"""The command as users meet it: what it writes, what it says, and how it ends."""
import csv
import math
import unittest
import unittest.mock
from pathlib import Path

import support
from support import HEAD, FolderCase, call, run_one

from stickslip_gallery import tables
from stickslip_gallery.errors import InputError
from stickslip_gallery.files import current_umask, write_text
from stickslip_gallery.pages import picture_to_json
from stickslip_gallery.run import GalleryRecord

# Two runs of a ball on a lane, of 60 steps each: one as it is, one whose solver is not given the time it takes.
BALLS = '''[[runs]]
name = "exact"
scene = "papers/negrut/bowling_ball"
[[runs]]
name = "inexact"
scene = "papers/negrut/bowling_ball"
set = ["solver.type=pgs", "solver.max_iterations=1"]
[[figures]]
name = "figure_1"
caption = "speed < 8 & more"
columns = [["t", "s", "'/time'"], ["v", "m/s", "'/u'[0]"], ["x", "m", "'/q'[0]"]]
[[values]]
quantity = "steps"
published = "60"
ours = "rows('/steps/time') - 1"
marks = [["figure_1", "last('/time')", ""]]
[[values]]
quantity = "steps, wrongly"
run = "inexact"
reference = 61
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "a mistake: there are ${rows('/time')} rows"
explains = "rows('/time') - 60"
[[values]]
quantity = "steps, more wrongly"
run = "inexact"
reference = 62
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "a mistake of one"
explains = 1
[[values]]
quantity = "steps, fewer"
run = "inexact"
reference = 61
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "one is left out"
explains = ["60 - rows('/time')", 0]
[[values]]
quantity = "steps, more"
run = "inexact"
reference = 59
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "some are left out"
explains = [-2, 0]
[[values]]
quantity = "never"
unit = "s"
run = "inexact"
analytic = 0
tolerance = 1
ours = "first('/time', '/time' > 100)"
'''


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class TestFiles(FolderCase):
    def test_longest_name_and_permissions_of_a_new_file(self) -> None:
        path = self.folder / f"{'n' * 251}.csv"
        write_text(path, "text")
        self.assertEqual(path.read_text(), "text")
        self.assertEqual(path.stat().st_mode & 0o777, 0o666 & ~current_umask())
        self.assertEqual(list(self.folder.glob(".*")), [])


class TestCommand(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        self.own = self.folder / "galleries" / "own"
        self.own.mkdir(parents=True)
        (self.own / "gallery.toml").write_text('stickslip_gallery = 1\nsource = "a test"\n')
        self.out = self.folder / "out"

    def call(self, *arguments: str) -> tuple[int, str, str]:
        return call(self.own.parent, self.out, *arguments)

    def test_says_what_agrees_and_what_differs_without_a_reason(self) -> None:
        (self.own / "study.toml").write_text(HEAD + BALLS)
        status, out, err = self.call()
        self.assertEqual(status, 4, err)
        for text in ("a mistake: there are 61 rows", "of 60 steps stayed above the tolerance",
                     "published: 1 numbers, 1 agree, 0 differ",
                     "reference: 4 numbers, 0 agree, 4 differ (2 of them without a known reason)",
                     "not explained: more than the 1 that this explains: a mistake of one",
                     "not explained: not the -2 to 0 that this explains: some are left out",
                     "; 1 zeros and yes-or-no answers, 0 agree, 1 differ (1 of them without a known reason)"):
            self.assertIn(text, out)
        self.assertIn("own: 3 numbers differ more than by what is explained: see", err)
        self.check_files(self.out / "own")
        # Nothing that is there is written over unless it is asked for.
        status, _, err = self.call()
        self.assertEqual(status, 2)
        self.assertIn("--force writes over it", err)

    def check_files(self, own: Path) -> None:
        figure = read_table(own / "figure_1.csv")
        self.assertEqual(list(figure[0]), ["t [s]", "v [m/s]", "x [m]"])
        self.assertEqual(len(figure), 61)
        self.assertEqual(float(figure[60]["t [s]"]), 0.6)
        numbers = {row["quantity"]: row for row in read_table(own / "table.csv")}
        self.assertEqual((numbers["steps"]["expected"], numbers["steps"]["ours"], numbers["steps"]["agrees"]),
                         ("60", "60", "1"))
        self.assertEqual(numbers["steps, wrongly"]["difference"], "-1")
        self.assertEqual(numbers["never"]["ours"], "nan")
        exact, inexact = read_table(own / "runs.csv")
        self.assertEqual((exact["steps"], exact["outcome"], exact["inexact steps"]), ("60", "done", "0"))
        self.assertEqual(inexact["outcome"], "inexact")
        self.assertGreater(float(exact["mean step [us]"]), 0)
        page = (own / "study.html").read_text()
        self.assertEqual(page.count('class="result"'), 1)
        self.assertIn('"caption":"speed \\u003c 8 \\u0026 more","run":"exact"', page)
        self.assertIn('"marks":[{"number":0,"x":0.6,"y":null}]', page)
        self.assertLess(len(page), 1.3e6)
        index = (self.out / "index.html").read_text()
        self.assertIn('"page":"own/study.html"', index)
        self.assertIn('"counts":{"published":[1,1],"analytic":[0,1],"reference":[0,4]}', index)

    def test_a_failed_run_does_not_stop_the_others(self) -> None:
        # Pushed until its speed is no double any more, before it touches the ground.
        record = run_one('''[[runs]]
name = "fails"
scene = "papers/capobianco/bouncing_ball_slip"
set = ["bodies.ball.velocity=[1.7e308, 0]", "gravity=[1e308, -9.81]"]
[[runs]]
scene = "papers/negrut/bowling_ball"
[[values]]
quantity = "end"
published = "2.0"
ours = "at('/time', 2)"
''', self.folder)
        self.assertEqual([r.outcome for r in record.runs], ["failed", "done"])
        gallery = GalleryRecord("own", "a test", [record])
        for text in (tables.to_text(gallery), tables.to_markdown(gallery, "")):
            self.assertIn("fails: the step from t = ", text)
            self.assertIn("not reached", text)

    def test_a_limit_that_ends_a_run_is_said(self) -> None:
        record = run_one('''[[runs]]
scene = "papers/kikuuwe/drop"
set = ["limits.penetration=1e-9", "limits.on_passing=\\"stop\\""]
''', self.folder)
        self.assertEqual(record.runs[0].outcome, "stopped")
        self.assertEqual(record.runs[0].status, 3)
        self.assertIn("stopped by a limit of the scene: ", record.runs[0].trouble)

    def test_a_bound_of_a_reason_is_a_finite_number(self) -> None:
        cases = {'"first(\'/time\')/0"': "study.toml:14:12: values[0].explains: \"first('/time')/0\", which is nan",
                 '"0 - last(\'/time\')"': "a number >= 0; differences of one sign: [least, largest]",
                 '["last(\'/time\')", 0]': 'values[0].explains: "0", which is 0: at least the first of the two'}
        for bound, message in cases.items():
            with self.subTest(bound), self.assertRaises(InputError) as raised:
                run_one(f'''[[runs]]
name = "run"
scene = "papers/negrut/bowling_ball"
set = ["time.end=0.1"]
[[values]]
quantity = "none"
stated = 0
tolerance = 0
ours = 1
reason = "a"
explains = {bound}
''', self.folder)
            self.assertIn(message, str(raised.exception))

    def test_scenes_are_read_before_anything_runs(self) -> None:
        for scene, set_, message in (("papers/none", "", "study.toml:7:9: scene of late: papers/none: "),
                                     ("papers/trinkle/sphere", "time.stop=1", "time.stop: unknown key"),
                                     ("papers/trinkle/sphere", "time.step=-1", "time.step")):
            with self.subTest(set_):
                (self.own / "study.toml").write_text(
                    HEAD + '[[runs]]\nscene = "papers/negrut/bowling_ball"\n[[runs]]\n'
                    f'scene = "{scene}"\nname = "late"\nset = [{repr(set_) if set_ else ""}]\n')
                status, _, err = self.call()
                self.assertEqual(status, 2)
                self.assertIn(message, err)
                self.assertFalse(self.out.exists())

    def test_what_is_in_the_way_is_said(self) -> None:
        (self.own / "study.toml").write_text(HEAD + BALLS)
        (self.out / "own" / "results").mkdir(parents=True)
        for name in ("own/curve_old.csv", "own/runs.csv", "own/results/exact.h5", "own/study.html", "index.html"):
            with self.subTest(name):
                path = self.out / name
                path.write_text("my notes")
                status, _, err = self.call()
                self.assertEqual(status, 2)
                self.assertIn(f"{path}: exists", err)
                self.assertIn("--force", err)
                self.assertEqual(path.read_text(), "my notes")
                path.unlink()
        (self.folder / "file").write_text("a file")
        status, _, err = call(self.own.parent, self.folder / "file")
        self.assertEqual(status, 2, err)

    def test_ends_where_it_is_interrupted(self) -> None:
        (self.own / "study.toml").write_text(HEAD + '[[runs]]\nscene = "papers/negrut/bowling_ball"\n')
        stopping = self.folder / "stopping"  # a program of the same kind that is stopped in its first run
        stopping.write_text(f'#!/bin/sh\n[ "$1" = run ] && exit 130\nexec {support.program().path} "$@"\n')
        stopping.chmod(0o755)
        with unittest.mock.patch.dict("os.environ", STICKSLIP_PROGRAM=str(stopping)):
            status, _, err = self.call()
        self.assertEqual(status, 130)
        self.assertIn("to run it again: --force", err)
        self.assertFalse((self.out / "own" / "table.md").exists())

    def test_a_gallery_without_studies_is_refused(self) -> None:
        status, _, err = call(self.own, self.out)
        self.assertEqual(status, 2)
        self.assertIn("a folder of folders with a gallery.toml", err)

    def test_pictures_have_one_chart(self) -> None:
        record = run_one(BALLS, self.folder)
        picture = picture_to_json(record)
        assert picture is not None
        self.assertEqual((picture["x_label"], len(picture["curves"])), ("t", 1))
        self.assertEqual(picture["curves"][0]["x"][:3], [0, 0.01, 0.02])
        self.assertFalse(any(math.isnan(y) for y in picture["curves"][0]["y"]))


if __name__ == "__main__":
    unittest.main()
