# SPDX-License-Identifier: BSD-3-Clause
"""TOML files whose values know where they stand, and tables that refuse what they do not expect."""
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from stickslip_gallery.errors import InputError, Place, hint

Keys = tuple[str | int, ...]  # the way to a value: keys of tables, indices of arrays

BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
TEXT = re.compile(r'''"""(?:[^\\]|\\[\s\S])*?"{3,5}|\'\'\'[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'''')
BARE = re.compile(r"[^,\]}#\n]+")  # numbers, dates, true and false


class PlaceFinder:
    """Finds where keys and values of a text stand that tomllib has read: of nothing else does it make sense."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.keys: dict[Keys, int] = {}  # position of the key
        self.values: dict[Keys, int] = {}  # position of the value
        self.elements: dict[Keys, int] = {}  # of each array of tables, how many there are
        table: Keys = ()
        while self.skip_blanks() < len(text):
            table = self.header() if text[self.at] == "[" else self.entry(table)

    def skip_blanks(self) -> int:
        found = BLANK.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.at

    def accept(self, symbol: str) -> bool:
        self.skip_blanks()
        found = self.text.startswith(symbol, self.at)
        self.at += len(symbol) if found else 0
        return found

    def key(self) -> list[str]:
        """The parts of a dotted key."""
        parts: list[str] = []
        while not parts or self.accept("."):
            self.skip_blanks()
            found = KEY.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            part = found.group()
            parts.append(tomllib.loads(f"x = {part}")["x"] if part[0] in "\"'" else part)
        return parts

    def header(self) -> Keys:
        """[table] or [[array of tables]]: the way to the table."""
        start = self.at
        is_array = self.accept("[[")
        if not is_array:
            self.accept("[")
        path: Keys = ()
        parts = self.key()
        for part in parts:
            path += (part,)
            if path in self.elements and not (is_array and len(path) >= len(parts) and part is parts[-1]):
                path += (self.elements[path] - 1,)
        if is_array:
            self.values.setdefault(path, start)
            self.elements[path] = self.elements.get(path, 0) + 1
            path += (self.elements[path] - 1,)
        self.accept("]]" if is_array else "]")
        self.keys[path] = self.values[path] = start
        return path

    def entry(self, table: Keys) -> Keys:
        """key = value: the way to the table, as it was."""
        self.skip_blanks()
        start = self.at
        path = table + tuple(self.key())
        self.accept("=")
        self.keys[path] = start
        self.value(path)
        return table

    def value(self, path: Keys) -> None:
        self.skip_blanks()
        self.values[path] = self.at
        if self.accept("["):
            index = 0
            while not self.accept("]"):
                self.value(path + (index,))
                self.accept(",")
                index += 1
        elif self.accept("{"):
            while not self.accept("}"):
                self.entry(path)
                self.accept(",")
        else:
            found = TEXT.match(self.text, self.at) or BARE.match(self.text, self.at)
            assert found is not None
            self.at = found.end()


def describe(value: Any) -> str:
    """A value as it may stand in a message."""
    if isinstance(value, dict):
        return f"a table of {len(value)} keys"
    if isinstance(value, list):
        text = "[" + ", ".join(describe(element) for element in value) + "]"
        return text if len(text) <= 40 else f"an array of {len(value)} values"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class TomlFile:
    """The text of a file. Raises InputError where it is not TOML."""

    def __init__(self, text: str, name: str):
        self.name = name
        self.text = text
        try:
            self.root = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error))
            line, column = (int(found[2]), int(found[3])) if found and found[2] else (text.count("\n") + 1, 1)
            raise InputError(Place(name, line, column), "", "", found[1] if found else str(error)) from None
        self.finder = PlaceFinder(text)

    @classmethod
    def load(cls, path: Path) -> "TomlFile":
        try:
            return cls(path.read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "is not UTF-8"
            raise InputError(Place(str(path)), "", "", f"cannot be read: {why}") from None

    def place(self, path: Keys, of_key: bool = False) -> Place:
        """Of a value, or of what it stands in where it has no place of its own."""
        places = self.finder.keys if of_key else self.finder.values
        while path and path not in places:
            path = path[:-1]
        at = places[path] if path else 0
        return Place(self.name, self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at))

    def top(self) -> "Table":
        return Table(self, self.root, ())


class Table:
    """A table of a file. What it does not hold as it should is an InputError with the place."""

    def __init__(self, file: TomlFile, value: Any, path: Keys):
        self.file = file
        self.path = path
        if not isinstance(value, dict):
            self.fail_at(value, (), "a table")
        self.values: dict[str, Any] = value

    def name_of(self, below: Keys = ()) -> str:
        """The dotted way to a value, as in "runs[0].scene"."""
        text = ""
        for part in self.path + below:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
        return text

    def place_of(self, key: str) -> Place:
        return self.file.place(self.path + (key,))

    def fail_at(self, value: Any, below: Keys, allowed: str) -> NoReturn:
        raise InputError(self.file.place(self.path + below), self.name_of(below), describe(value), allowed)

    def fail(self, key: str, allowed: str) -> NoReturn:
        if key in self.values:
            self.fail_at(self.values[key], (key,), allowed)
        raise InputError(self.file.place(self.path), self.name_of((key,)), "missing", allowed)

    def allow(self, *keys: str) -> None:
        """Refuses all other keys."""
        for key in self.values:
            if key not in keys:
                place = self.file.place(self.path + (key,), of_key=True)
                raise InputError(place, self.name_of((key,)), "", f"unknown key{hint(key, keys)}")

    def has(self, key: str) -> bool:
        return key in self.values

    def require(self, key: str, allowed: str) -> Any:
        if key not in self.values:
            self.fail(key, allowed)
        return self.values[key]

    def string(self, key: str, allowed: str) -> str:
        value = self.require(key, allowed)
        if not isinstance(value, str):
            self.fail(key, allowed)
        return value

    def string_or(self, key: str, otherwise: str) -> str:
        return self.string(key, "a text") if self.has(key) else otherwise

    def boolean_or(self, key: str, otherwise: bool) -> bool:
        value = self.values.get(key, otherwise)
        if not isinstance(value, bool):
            self.fail(key, "true or false")
        return value

    def choice_or(self, key: str, choices: Sequence[str], otherwise: str) -> str:
        value = self.string(key, f"one of {', '.join(choices)}") if self.has(key) else otherwise
        if value not in choices:
            self.fail(key, f"one of {', '.join(choices)}{hint(value, choices)}")
        return value

    def array(self, key: str, allowed: str) -> list[Any]:
        """The array of a key, none where there is no such key."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            self.fail(key, allowed)
        return value

    def strings(self, key: str) -> list[str]:
        for index, element in enumerate(self.array(key, "an array of texts")):
            if not isinstance(element, str):
                self.fail_at(element, (key, index), "a text")
        return self.values.get(key, [])

    def table(self, key: str) -> "Table":
        return Table(self.file, self.values.get(key, {}), self.path + (key,))
