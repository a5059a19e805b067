"""Files in the folder of a film, which other users may be able to write."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def open_file(path: Path, mode: str, **options: Any) -> IO:
    """As `open`, but fails if the path or its folder is a link, which may lead elsewhere."""
    with _folder_of(path) as folder:
        return open(path, mode, opener=lambda _, flags: os.open(
            path.name, flags | os.O_NOFOLLOW, 0o666, dir_fd=folder), **options)


def write_file(path: Path, text: str) -> None:
    with open_file(path, "w", encoding="utf-8") as file:
        file.write(text)


def remove_file(path: Path) -> None:
    """Removes a file if it exists, but fails if its folder is a link."""
    with _folder_of(path) as folder, suppress(FileNotFoundError):
        os.unlink(path.name, dir_fd=folder)


@contextmanager
def _folder_of(path: Path) -> Iterator[int]:
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)
