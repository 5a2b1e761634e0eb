# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written, and files that may be written over."""
import os
from pathlib import Path

import h5py

from stickslip_gallery.errors import GalleryError, InputError, Place

PAGE_MARK = b"<!doctype html><!-- stickslip page -->"


def write_text(path: Path, text: str) -> None:
    """Whoever reads the file sees the old one or the whole new one. Raises GalleryError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise GalleryError(f"{path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GalleryError(f"{folder}: {error.strerror}") from None


def refuse(path: Path, what: str) -> None:
    """Refuses to write over a file that is there. Raises InputError, which names --force."""
    if path.is_file():
        is_what = f" and is no {what} of this program" if what else ""
        raise InputError(Place(str(path)), "", "", f"exists{is_what}: --force writes over it")


def is_page(path: Path) -> bool:
    """Whether a file is a page of this program."""
    if not path.is_file():  # reading from a pipe may wait for ever
        return False
    with path.open("rb") as file:
        return file.read(len(PAGE_MARK)) == PAGE_MARK


def is_result(path: Path) -> bool:
    """Whether a file is a result of this program, in whatever state."""
    for live in (False, True):
        try:
            with h5py.File(path, "r", swmr=live) as file:
                return "stickslip" in file.attrs and "format" in file.attrs
        except OSError:
            continue
    return False
