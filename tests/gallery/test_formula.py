# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of studies: what they mean, and what is said of those that are none."""
import math
import unittest

import numpy as np
from support import study

from stickslip_gallery.errors import FormulaError, InputError, Place, SeriesError
from stickslip_gallery.evaluate import Data, Evaluator
from stickslip_gallery.formula import parse_formula
from stickslip_gallery.series import Series
from stickslip_gallery.study import Formula


class FiveRows:
    """Rows 0 to 4, at instants 0, 0.5, ... 2 s."""

    def read(self, path: str, part: str) -> Series:
        columns = {"/time": [0.0, 0.5, 1.0, 1.5, 2.0], "/x": [3.0, 1.0, 7.0 if part == "1" else 2.0, 2.0, 5.0],
                   "/on": [0.0, 1.0, 1.0, 0.0, 1.0]}
        if path not in columns:
            raise SeriesError(f"there is no {path}")
        return Series(np.array(columns[path]), False, np.array(columns["/time"]), 0.5)


class TestFormula(unittest.TestCase):
    def setUp(self) -> None:
        self.study = study('''
constants = {g = 10.0}
series = {doubled = "2*'/x'", level = "k > 1 ? 100 : 10"}
[[runs]]
each = {k = [1, 2, 3]}
name = "run_{k}"
scene = "s"
''')
        self.sources = [Data(run.name, run.given, FiveRows()) for run in self.study.runs]

    def evaluate(self, text: str) -> list[float]:
        formula = Formula(text, parse_formula(text), Place("study.toml", 7, 3), "ours")
        with np.errstate(all="ignore"):
            return Evaluator(self.study, self.sources).evaluate(formula).values.tolist()

    def test_goes_by_the_usual_rules(self) -> None:
        cases = {"1 + 2*3": 7, "-2^2": -4, "2^3^2": 512, "(1 + 2)*3 - 4/2": 7, "1.5e-1": 0.15, "1 < 2": 1,
                 "2 <= 1": 0, "3 >= 3": 1, "3 != 3": 0, "0 ? 1 : 1 ? 2 : 3": 2, "sin(pi/6)": 0.5,
                 "max(min(3, 2), hypot(3, 4))": 5, "min(3, 1, 2)": 1, "log2(8) + sign(-3)": 2, "g/4": 2.5, "2^-1": 0.5,
                 "cosh(0)": 1}
        for text, expected in cases.items():
            with self.subTest(text):
                value, = self.evaluate(text)
                self.assertAlmostEqual(value, expected, delta=1e-15)

    def test_reads_columns(self) -> None:
        cases = {
            "'/x'": [3, 1, 2, 2, 5], "'/x'[1]": [3, 1, 7, 2, 5], "'/x' + 1": [4, 2, 3, 3, 6],
            "'/x'*'/on'": [0, 1, 2, 0, 5], "'/x' == 2": [0, 0, 1, 1, 0], "doubled": [6, 2, 4, 4, 10],
            "largest('/x')": [5], "smallest('/x')": [1], "sum('/x')": [13], "mean('/x')": [2.6], "rows('/x')": [5],
            "count('/on')": [3], "first('/x')": [3], "first('/x', '/on')": [1], "last('/x')": [5],
            "last('/x', '/on' == 0)": [2], "nth('/x', '/on', 2)": [2], "at('/x', 0.5)": [1],
            "at('/x', 1.0000001)": [2], "difference('/x')": [0, -2, 1, 0, 3], "rises('/on')": [0, 1, 0, 0, 1],
            "falls('/on')": [0, 0, 0, 1, 0], "turns('/x')": [0, 1, 1, 0, 0], "since('/x' == 2)": [0, 0, 1, 1, 1],
            "every('/x', 2)": [3, 2, 5], "at(every('/x', 2), 1)": [2], "select('/x', '/on')": [1, 2, 5],
            "first(next('/x'))": [1], "last(previous('/x'))": [2],
            "interpolate('/time', '/x', list(0.25, 2))": [2, 5],
            "interpolate('/time', '/x', list(0, 1.75))": [3, 3.5],
            "order(list(0.1, 0.05, 0.025), list(4, 1, 0.5))": [2, 1], "k@run_2": [2], "level@'run_3'": [100],
            "level": [10], "over('run_*', k*sum('/x'))": [13, 26, 39]}
        for text, expected in cases.items():
            with self.subTest(text):
                np.testing.assert_allclose(self.evaluate(text), expected, rtol=0, atol=1e-15)

    def test_what_is_not_there_is_nan(self) -> None:
        for text in ("nth('/x', '/on', 4)", "first('/x', '/x' > 9)", "at('/x', 0.7)", "at('/x', 3)",
                     "largest(previous('/x'))", "last(next('/x'))", "sum(select('/x', '/x' > 9))",
                     "interpolate('/time', '/x', 2.1)", "interpolate('/time', '/x', -0.1)", "last('/x', '/x' > 9)"):
            with self.subTest(text):
                value, = self.evaluate(text)
                self.assertTrue(math.isnan(value), value)

    def test_says_what_cannot_be_evaluated(self) -> None:
        cases = {
            "'/x' + every('/x', 2)": "study.toml:7:3: ours: \"'/x' + every('/x', 2)\": column 1: columns of 5 and 3",
            "1 + '/y'": "column 5: there is no /y",
            "nth('/x', '/on', '/x')": "column 1: this takes a number, not a column",
            "'/x' > 1 ? 1 : 2": "the condition of ? is a number",
            "at(list(1, 2), 1)": "rows are instants of a run",
            "every('/x', 0)": "a number of rows from 1 on",
            "over('run_*', '/x')": "a number for each run"}
        for text, message in cases.items():
            with self.subTest(text):
                with self.assertRaises(InputError) as raised:
                    self.evaluate(text)
                self.assertIn(message, str(raised.exception))

    def test_says_where_a_text_is_none(self) -> None:
        cases = {"": 1, "1 +": 4, "1 2": 3, "(1": 3, "max(1, 2": 9, "'/x": 1, "'/x'[]": 6, "'/x'[1": 7, "a@": 3,
                 "1 ? 2": 6, "1e999": 1, "$": 1, "x y": 3, "'/x'[-1]": 6, "1 <": 4, "1 < 2 < 3": 7,
                 "(" * 500: 51, "-" * 4000: 100, "-" * 5000: 0}
        for text, at in cases.items():
            with self.subTest(text[:20]):
                with self.assertRaises(FormulaError) as raised:
                    parse_formula(text)
                self.assertEqual(raised.exception.column, at, raised.exception)

    def test_calls_nothing_but_the_functions_of_formulas(self) -> None:
        for text in ("__import__('os')", "exit(0)", "eval('1')"):
            with self.subTest(text), self.assertRaisesRegex(InputError, "unknown function"):
                study(f'[[values]]\nquantity = "a"\nstated = 0\ntolerance = 0\nours = "{text}"\n')


if __name__ == "__main__":
    unittest.main()
