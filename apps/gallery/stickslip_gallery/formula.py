# SPDX-License-Identifier: BSD-3-Clause
"""How a study reads numbers out of results: operations on numbers and on columns of numbers.

    formula    = comparison [ "?" formula ":" formula ]                     the condition is a number
    comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]      1 where it holds, else 0
    sum        = product { ( "+" | "-" ) product }
    product    = unary { ( "*" | "/" ) unary }
    unary      = { "+" | "-" } power
    power      = of_run [ "^" unary ]
    of_run     = primary { "@" name | "@" text }                            read from that run
    primary    = number | "pi" | name | function "(" [ formula { "," formula } ] ")" | "(" formula ")"
               | text [ "[" ( name | whole number ) "]" ]                   a column of a result or a file
    text       = "'" any characters but "'" "'"

Names, functions and texts mean what evaluate.py says.
"""
import math
import re
from dataclasses import dataclass, field
from typing import NoReturn

from stickslip_gallery.errors import FormulaError

MOST_NESTED = 100  # [levels] of unary operators, and twice those of brackets: the parser calls itself
MOST_CHARACTERS = 4096

NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
PART = re.compile(r"[A-Za-z_0-9]+")
COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")
OPERATIONS = (("+", "-"), ("*", "/"))  # the weakest first


@dataclass
class Node:
    """A formula: kind is number, name, source, call, operation, choice or of_run."""

    kind: str
    column: int  # where it begins, from 1
    text: str = ""  # name, function, symbol of an operation ("neg": minus), path of a source, run
    number: float = 0.0
    part: str = ""  # of a source: what stands in brackets
    args: list["Node"] = field(default_factory=list)


def parse_formula(text: str) -> Node:
    """Raises FormulaError."""
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(0, f"a formula has at most {MOST_CHARACTERS} characters")
    return Parser(text).whole()


class Parser:
    """Recursive descent over the grammar above."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.depth = 0

    def whole(self) -> Node:
        root = self.choice()
        self.skip_blanks()
        if self.at < len(self.text):
            self.fail("expected an operator or the end")
        return root

    def fail(self, expected: str) -> NoReturn:
        raise FormulaError(self.at + 1, expected)

    def skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \n":
            self.at += 1

    def accept(self, *symbols: str) -> str:
        """The first of the symbols that comes next, which is taken; empty where none does."""
        self.skip_blanks()
        for symbol in symbols:
            if self.text.startswith(symbol, self.at):
                self.at += len(symbol)
                return symbol
        return ""

    def take(self, pattern: re.Pattern[str], expected: str) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            self.fail(expected)
        self.at = found.end()
        return found.group()

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MOST_NESTED:
            self.fail("nested too deeply")

    def choice(self) -> Node:
        self.enter()
        node = self.comparison()
        if self.accept("?"):
            node = Node("choice", node.column, "?", args=[node, self.choice()])
            if not self.accept(":"):
                self.fail("expected ':' and what holds otherwise")
            node.args.append(self.choice())
        self.depth -= 1
        return node

    def comparison(self) -> Node:
        left = self.binary(0)
        symbol = self.accept(*COMPARISONS)
        return Node("operation", left.column, symbol, args=[left, self.binary(0)]) if symbol else left

    def binary(self, level: int) -> Node:
        if level == len(OPERATIONS):
            return self.unary()
        left = self.binary(level + 1)
        while symbol := self.accept(*OPERATIONS[level]):
            left = Node("operation", left.column, symbol, args=[left, self.binary(level + 1)])
        return left

    def unary(self) -> Node:
        self.enter()
        if self.accept("+"):
            node = self.unary()
        elif self.accept("-"):
            node = Node("operation", self.at + 1, "neg", args=[self.unary()])
        else:
            node = self.of_run()
            if self.accept("^"):
                node = Node("operation", node.column, "^", args=[node, self.unary()])
        self.depth -= 1
        return node

    def of_run(self) -> Node:
        node = self.primary()
        while self.accept("@"):
            self.skip_blanks()
            column = self.at + 1
            run = self.quoted() if self.text.startswith("'", self.at) else self.take(PART, "expected the name of a run")
            node = Node("of_run", column, run, args=[node])
        return node

    def quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            self.fail("expected a text that ends with '")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def primary(self) -> Node:
        self.skip_blanks()
        column = self.at + 1
        if found := NUMBER.match(self.text, self.at):
            number = float(found.group())
            if math.isinf(number):
                self.fail("expected a number that a double can hold")
            self.at = found.end()
            return Node("number", column, number=number)
        if self.text.startswith("'", self.at):
            return self.source(column)
        if self.accept("("):
            inside = self.choice()
            if not self.accept(")"):
                self.fail("expected ')' or an operator")
            return inside
        word = self.take(WORD, "expected a number, a name, a text or '('")
        return self.call(word, column) if self.accept("(") else Node("name", column, word)

    def source(self, column: int) -> Node:
        node = Node("source", column, self.quoted())
        if self.accept("["):
            self.skip_blanks()
            node.part = self.take(PART, "expected the number or the name of a column")
            if not self.accept("]"):
                self.fail("expected ']'")
        return node

    def call(self, name: str, column: int) -> Node:
        node = Node("call", column, name)
        if self.accept(")"):
            return node
        node.args.append(self.choice())
        while self.accept(","):
            node.args.append(self.choice())
        if not self.accept(")"):
            self.fail(f"expected ',' or ')' after an argument of {name}")
        return node
