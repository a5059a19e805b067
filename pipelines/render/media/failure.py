"""Failures of a task, as the process that started it receives them."""

import errno


class Failure(Exception):
    """A task failed; `kind` decides what is done about it.

    `inexact`: the source could not be sought exactly; reading it from its beginning helps. `space`: the disk is full.
    `unfit`: this machine lacks an element or has another version. `media`: GStreamer failed. `refused`: the user must
    change the command.
    """

    def __init__(self, kind: str, text: str, is_of_stream: bool = False) -> None:
        """`is_of_stream`: an element cannot read the content of a file."""
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.is_of_stream = is_of_stream


def failure_of_file(error: OSError, path: str) -> Failure:
    """A file cannot be read or written, `path` if the error does not name it."""
    kind = "space" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "media"
    return Failure(kind, f"{error.filename or path}: {error.strerror or error}")
