# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, and how it is said."""
import difflib
import re
from collections.abc import Iterable
from typing import NamedTuple


class Place(NamedTuple):
    """Where something stands in a file; line 0: the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line > 0 else self.file


class GalleryError(Exception):
    """A mistake of the user or of a file, or a file that cannot be written: exit status 2."""


class InputError(GalleryError):
    """A wrong value in a file: "file:line:column: key: value: what is allowed"."""

    def __init__(self, place: Place | None, key: str, value: str, allowed: str):
        parts = ["" if place is None else str(place), key, value, allowed]
        super().__init__(": ".join(part for part in parts if part))


class FormulaError(Exception):
    """A text that is no formula, or a formula that cannot be evaluated."""

    def __init__(self, column: int, message: str):
        super().__init__(message)
        self.column = column  # [characters] into the text, from 1; 0: the formula as a whole

    def __str__(self) -> str:
        return f"column {self.column}: {self.args[0]}" if self.column > 0 else str(self.args[0])


class SeriesError(Exception):
    """Operands that do not go together: the message says why."""


class Interrupted(Exception):
    """The user asked to stop."""


def hint(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'values'?" where some known word is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def visible(text: str) -> str:
    """The text with its control characters, but for line feeds and tabs, as \\x1b: a terminal obeys none of them."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found.group()):02x}", text)
