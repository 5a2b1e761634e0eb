# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written, and files that may be written over."""
import os
import tempfile
from pathlib import Path

import h5py

from stickslip_gallery.errors import GalleryError, InputError, Place

PAGE_MARK = b"<!doctype html><!-- stickslip page -->"


def write_text(path: Path, text: str) -> None:
    """Whoever reads the file sees the old one or the whole new one. Raises GalleryError."""
    part = None
    try:
        # A new file of a name that nobody can foresee: a link of this name would lead elsewhere.
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix=".stickslip-", suffix=".tmp", dir=path.parent,
                                         delete=False) as file:
            part = Path(file.name)
            file.write(text)
        part.chmod(0o666 & ~current_umask())
        part.replace(path)
    except OSError as error:
        raise GalleryError(f"{path}: {error.strerror}") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def current_umask() -> int:
    """The permissions that new files lack. There is no call that only reads them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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
