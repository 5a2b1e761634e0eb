# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions, and how a step ended."""
import enum


class Status(enum.IntEnum):
    """How a step ended."""

    ok = 0
    inexact = 1
    failed = 2


class InputError(ValueError):
    """Bad input: a scene, a file, an option, a state of another scene. str() is what the program prints.

    file (str or None), line, column (int or None): where it stands, if in a file; key, value, allowed (str).
    """

    file = None
    line = None
    column = None
    key = ""
    value = ""
    allowed = ""


class MissingFile(InputError, FileNotFoundError):
    """A file that is not there."""


class WriteError(OSError):
    """A file that cannot be written."""


class StepError(RuntimeError):
    """A step that failed, or was inexact, where that was to be raised: `step`."""

    step = None


for _class in (Status, InputError, MissingFile, WriteError, StepError):
    _class.__module__ = "stickslip"
