# SPDX-License-Identifier: BSD-3-Clause
"""Files of studies: what they become, and what is said of those that are wrong, with the place."""
import unittest
from pathlib import Path

from support import GALLERIES, HEAD, FolderCase, study

from stickslip_gallery.errors import InputError
from stickslip_gallery.evaluate import evaluate_study
from stickslip_gallery.reader import gallery_names, load_gallery, parse_study
from stickslip_gallery.toml_file import TomlFile

RUN = '[[runs]]\nscene = "papers/s"\n'
FIGURE = '[[figures]]\nname = "figure_1"\ncaption = ""\ncolumns = [["t", "s", "1"]]\n'
VALUE = HEAD + RUN + '[[values]]\nquantity = "x"\n'
STATED = "\nstated = 0\ntolerance = 0\n"
EXPLAINED = VALUE + 'ours = 1\nstated = 0\ntolerance = 0\nreason = "a"\nexplains = '

WRONG = {
    'title = "a"\n': "study.toml:1:1: stickslip_study: missing: the version of the format, 1",
    "stickslip_study = 2\n": "study.toml:1:19: stickslip_study: 2: 1, the version",
    'stickslip_study = 1\ntitle = "a"\n': "source: missing",
    'title = "a\n': "study.toml:1:11: ",
    HEAD + "valuse = 1\n": "study.toml:4:1: valuse: unknown key; did you mean 'values'?",
    HEAD + "runs = 1\n": "study.toml:4:8: runs: 1: an array of tables, [[runs]]",
    HEAD + "runs = [1]\n": "study.toml:4:9: runs[0]: 1: a table",
    HEAD + '[[runs]]\nname = "a"\n': "study.toml:4:1: runs[0].scene: missing",
    HEAD + '[[runs]]\nscene = "s"\nsteps = 3\n': "study.toml:6:1: runs[0].steps: unknown key",
    HEAD + RUN + RUN: "runs[1].name",
    HEAD + '[[runs]]\nscene = "s"\nname = "a/b"\n': "study.toml:6:8: runs[0].name: \"a/b\": a name without / '",
    HEAD + '[[runs]]\nscene = "s"\nset = "a=1"\n': 'runs[0].set: "a=1": an array of texts',
    HEAD + '[[runs]]\nscene = "s"\nset = ["a=1", 2]\n': "study.toml:6:15: runs[0].set[1]: 2: a text",
    HEAD + '[[runs]]\nscene = "s"\neach = {a = [1, 2], b = [1]}\n': "runs[0].each.b: [1]: a table of arrays",
    HEAD + '[[runs]]\nscene = "s"\neach = {a = [[1]]}\n': "each.a[0]: [1]: a number or a text",
    HEAD + "[series]\nx = \"'/q'\"\n": "the study has no runs to read from",
    HEAD + RUN + '[series]\nx = "y + 1"\ny = "2*x"\n': "a series that does not need itself",
    HEAD + "constants = {x = 1.0}\n" + RUN + '[series]\nx = "1"\n': "a name that no constant has",
    HEAD + 'constants = {x = "=1/0"}\n': 'study.toml:4:18: constants.x: "=1/0": a number, or "=expression"',
    HEAD + 'constants = {x = "=y"}\n': 'constants.x: "y": column 1: unknown name',
    HEAD + 'constants = {x = 1.0}\n[[runs]]\nscene = "s"\neach = {x = [1]}\n':
        "study.toml:6:9: each of s: x: a name that no constant or series has",
    VALUE + 'ours = "1 +"' + STATED: 'study.toml:8:8: values[0].ours: "1 +": column 4: expected',
    VALUE + "ours = \"lagrest('/q')\"" + STATED: "unknown function; did you mean 'largest'?",
    VALUE + "ours = \"largest('/q', 2)\"" + STATED: "largest takes 1 arguments",
    VALUE + "ours = \"nth('/q')\"" + STATED: "nth takes 3 arguments",
    VALUE + 'ours = "pie"' + STATED: "unknown name; did you mean 'pi'?",
    VALUE + 'ours = "1@t"' + STATED: "no run or analysis has this name",
    VALUE + "ours = \"over('t_*', 1)\"" + STATED: "no run or analysis has such a name",
    VALUE + 'ours = "over(1, 1)"' + STATED: "over takes a pattern of run names",
    VALUE + 'ours = 1\nrun = "t"' + STATED: "values[0].ours: run: t: a run or an analysis",
    VALUE + "ours = 1\n": "values[0].published: missing: exactly one of",
    VALUE + "ours = 1\nstated = 0\nanalytic = 0\n": "exactly one of published, stated, analytic, reference",
    VALUE + "ours = 1\nstated = 0\n": "values[0].tolerance: missing",
    VALUE + 'ours = 1\npublished = "1e-3"\n': "values[0].tolerance: missing",
    VALUE + "ours = 1\npublished = 4.2\n": "a number as it is printed, in quotation marks",
    VALUE + 'ours = 1\npublished = "2*3"\n': "a number as it is printed, in quotation marks",
    VALUE + "ours = true\nstated = 0\n": "values[0].ours: true: a number or a formula",
    VALUE + 'ours = 1\nstated = 0\ntolerance = 0\nreason = "as ${1"\n': "each ${ has its }",
    VALUE + 'ours = 1\nstated = 0\ntolerance = 0\nreason = "a"\n':
        "values[0].explains: missing: a number, or a formula: the largest difference that the reason accounts for",
    VALUE + "ours = 1\nstated = 0\ntolerance = 0\nexplains = 1\n": "values[0].explains: 1: beside a reason",
    EXPLAINED + "-1\n": 'study.toml:12:12: values[0].explains: "-1", which is -1: a number >= 0; differences of',
    EXPLAINED + '"1/0"\n': 'values[0].explains: "1/0", which is inf: a finite number',
    EXPLAINED + '[0, "log(-1)"]\n': 'study.toml:12:16: values[0].explains: "log(-1)", which is nan: a finite number',
    EXPLAINED + "[1, -1]\n": 'values[0].explains: "-1", which is -1: at least the first of the two',
    EXPLAINED + "[1]\n": "values[0].explains: [1]: a number, or a formula",
    EXPLAINED + "[1, true]\n": "values[0].explains[1]: true: a number or a formula",
    VALUE + "ours = \"'no.csv'[x]\"" + STATED: "no.csv: a file of numbers that cannot be read",
    HEAD + RUN + '[[figures]]\nname = "a"\ncaption = ""\ncolumns = []\n': "a name that begins with figure_ or curve_",
    HEAD + RUN + '[[figures]]\nname = "figure_1"\ncaption = ""\ncolumns = [["a", "s"]]\n':
        'study.toml:9:12: figures[0].columns: ["a", "s"]: an array of columns, each [name, unit, formula]',
    HEAD + RUN + FIGURE + FIGURE: "figures[1].name",
    HEAD + RUN + FIGURE + 'curves = [{name = "a", x = "t", y = "z"}]\n':
        "figure_1: curves: a: z: a column of the figure",
    HEAD + RUN + FIGURE + 'curves = [{name = "a", of = "figure_2", x = "t", y = "t"}]\n':
        "figure_2: a figure of the study; did you mean 'figure_1'?",
    HEAD + RUN + FIGURE + 'curves = [{name = "a", x = "t", y = "t", style = "dots"}]\n':
        'study.toml:10:50: figures[0].curves[0].style: "dots": one of',
    VALUE + 'ours = 1\nstated = 0\ntolerance = 0\nmarks = [["figure_1", "1", "2"]]\n':
        "values[0].marks: figure_1: a figure of the study",
    VALUE + 'ours = 1\nstated = 0\ntolerance = 0\nmarks = [["figure_1", "", ""]]\n': "an array of [figure, x, y]",
    VALUE + 'ours = "expected"' + STATED: "unknown name",
    HEAD + '[[analyses]]\nname = "a"\nscene = "s"\nlevel = "steps"\n': "did you mean 'step'?",
    HEAD + '[[analyses]]\nname = "a"\nscene = "s"\ndelta = "-1"\n': 'analyses[0].delta: "-1": a number > 0',
    HEAD + '[[analyses]]\nname = "a"\nscene = "s"\nsweep = ["a.b=1:2"]\n': 'analyses[0].sweep: "a.b=1:2": key=a:b:n',
}


class TestStudy(FolderCase):
    def test_each_stands_for_several_entries(self) -> None:
        read = study('''
[[runs]]
each = {h = ["1e-2", "5e-3"], on = [true, false]}
name = "run_{h}"
scene = "s"
set = ["time.step={h}", "scheme.projection={on}"]
[[values]]
each = {h = ["1e-2", "5e-3"], x = ["0.50", "0.7"]}
quantity = "x at {h}"
run = "run_{h}"
ours = "last('/q')"
published = "{x}"
reason = "so far ${rows('/time')}, then ${2*h}"
explains = "2*h"
''')
        self.assertEqual([run.name for run in read.runs], ["run_1e-2", "run_5e-3"])
        self.assertEqual(read.runs[1].settings, ["time.step=5e-3", "scheme.projection=false"])
        self.assertEqual(read.runs[1].given, {"h": 5e-3})
        first, second = read.values
        self.assertEqual(first.printed, "0.50")
        self.assertIsNone(first.tolerance)
        self.assertEqual((second.quantity, second.run), ("x at 5e-3", "run_5e-3"))
        self.assertEqual([formula.text for formula in second.in_reason], ["rows('/time')", "2*h"])
        self.assertEqual([formula.text for formula in second.explains], ["2*h"])

    def test_wrong_ones_are_said_with_their_place(self) -> None:
        for text, message in WRONG.items():
            with self.subTest(text):
                with self.assertRaises(InputError) as raised:
                    parse_study(text, Path("study.toml"))
                self.assertIn(message, str(raised.exception))

    def test_values_know_where_they_stand(self) -> None:
        file = TomlFile("""# a comment [with] "signs"
a.b = 1 # behind
"c d" = '''
[no table]'''
[[t]]
x = [1, # one
  {y = "it\\"}", z = 2024-01-01 10:00:00}]
[t.deep]
e = "]"
[[t]]
f = [[], [[3]]]
""", "f.toml")
        places = {("a", "b"): (2, 7), ("c d",): (3, 9), ("t", 0, "x", 0): (6, 6), ("t", 0, "x", 1, "y"): (7, 8),
                  ("t", 0, "x", 1, "z"): (7, 21), ("t", 0, "deep", "e"): (9, 5), ("t", 1): (10, 1),
                  ("t", 1, "f", 1, 0, 0): (11, 12)}
        for path, expected in places.items():
            with self.subTest(path):
                self.assertIn(path, file.finder.values)
                self.assertEqual(file.place(path)[1:], expected)

    def test_agrees_to_the_digits_that_are_printed(self) -> None:
        page = evaluate_study(study('''
[[values]]
each.printed = ["4.2", "4.2", "-0.29", "74", "74", "9.81"]
each.ours = ["4.249", "4.251", "-0.285714", "74", "75", "0/0"]
quantity = "a"
published = "{printed}"
ours = "{ours}"
'''), [])
        self.assertEqual([c.agrees for c in page.comparisons], [True, False, True, True, False, False])

    def test_files_of_numbers_have_named_columns(self) -> None:
        path = self.folder / "study.toml"
        text = HEAD + '[[values]]\nquantity = "x"\nstated = 1\ntolerance = 0\nours = '
        (self.folder / "data.csv").write_text("# origin\nt,x\n0,1\n1,\n")
        self.assertEqual(len(parse_study(text + "\"first('data.csv'[x])\"\n", path).values), 1)
        with self.assertRaisesRegex(InputError, "column 7: data.csv has no column 'xx'"):
            parse_study(text + "\"first('data.csv'[xx])\"\n", path)
        for wrong in ("t,x\n0,1,2\n", "t,x\n0,a\n", ""):
            (self.folder / "data.csv").write_text(wrong)
            with self.assertRaisesRegex(InputError, "data.csv"):
                parse_study(text + "\"first('data.csv'[x])\"\n", path)


class TestGalleries(FolderCase):
    def test_unknown_names_are_answered_with_the_nearest(self) -> None:
        with self.assertRaisesRegex(InputError, "did you mean 'capobianco'"):
            load_gallery(GALLERIES, "capobianko")

    def test_run_and_figure_names_are_unique(self) -> None:
        own = self.folder / "own"
        own.mkdir()
        (own / "gallery.toml").write_text('stickslip_gallery = 1\nsource = "nothing"\n')
        (own / "1.toml").write_text(HEAD + '[[runs]]\nscene = "s"\n')
        self.assertEqual(gallery_names(self.folder), ["own"])
        self.assertEqual(len(load_gallery(self.folder, "own").studies), 1)
        (own / "2.toml").write_text(HEAD + '[[runs]]\nscene = "s"\n')
        with self.assertRaisesRegex(InputError, "2.toml: run: s: a name that no other run has: 1 has it already"):
            load_gallery(self.folder, "own")


if __name__ == "__main__":
    unittest.main()
