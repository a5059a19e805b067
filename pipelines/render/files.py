"""Files in the folder of a film, which other users may be able to write."""

import os
from pathlib import Path
from typing import IO, Any


def open_file(path: Path, mode: str, **options: Any) -> IO:
    """As `open`, but fails if the path is a link, which may lead out of the folder."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o666), **options)


def write_file(path: Path, text: str) -> None:
    with open_file(path, "w", encoding="utf-8") as file:
        file.write(text)
