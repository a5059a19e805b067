"""Checks that the source has not changed since it was examined. Runs on the machine of the program only."""

import os
import time
from pathlib import Path

from .refusal import Refusal
from .task import fingerprint
from .times import SECOND


def stamp_of(path: str | Path) -> int:
    """Time of modification of a file in nanoseconds. It shows changes between the ends, which the fingerprint covers.

    The inode would not show changes, because FAT, CIFS and some FUSE file systems change that of an unchanged file.
    """
    return os.stat(path).st_mtime_ns


def check_source(path: str | Path, mark: str, stamp: int | None) -> None:
    """Raises Refusal if the fingerprint or the stamp of a file differs. Does not compare a stamp of None."""
    text = f"{path} was changed since it was examined, so its segments may not belong together"
    found = fingerprint(str(path))
    if found != mark:
        size, expected = (value.partition("-")[0] for value in (found, mark))
        change = f"it has {size} bytes instead of {expected}" if size != expected else \
            "its first or its last megabyte has another content"
        raise Refusal(f"{text}: {change}. --restart discards them.")
    now = stamp_of(path)
    if stamp is not None and now != stamp:
        raise Refusal(f"{text}: it was modified at {_clock(now)}, before at {_clock(stamp)}; its size and its ends are "
                      "the same. --restart discards them. If its content is the same, --resume --ignore-time uses "
                      "them.")


def _clock(stamp: int) -> str:
    seconds, rest = divmod(stamp, SECOND)
    return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(seconds))}.{rest:09}"
