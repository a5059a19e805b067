"""Whether the source is still the file that was examined, as the machine of the program sees it."""

import os
from pathlib import Path

from .refusal import Refusal


def stamp_of(path: str | Path) -> list[int]:
    """Time of modification in nanoseconds, and inode; the checksum of the ends does not change with the middle."""
    status = os.stat(path)
    return [status.st_mtime_ns, status.st_ino]


def check_stamp(path: str, stamp: list[int]) -> None:
    """Raises Refusal if the file was written to, or replaced, since it had the stamp."""
    if stamp_of(path) != stamp:
        raise Refusal(f"{path} was changed since it was examined, so its segments may not belong together; --restart "
                      "discards them.")
