"""Failures that a task reports to its parent process."""

import errno


class Failure(Exception):
    """A task failed. `kind` selects the reaction of the parent process.

    "inexact": a seek in the source is not exact, so the source must be read without a seek. "space": the disk is full.
    "unfit": this machine lacks an element or has another version of it. "media": GStreamer failed. "refused": the user
    must change the command.
    """

    def __init__(self, kind: str, text: str, is_of_stream: bool = False) -> None:
        """`is_of_stream` is True if an element cannot read the content of a file, or if the cause is unknown."""
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.is_of_stream = is_of_stream


def failure_of_file(error: OSError, path: str) -> Failure:
    """Converts an OSError to a failure. The text names the file of the error, or `path` if the error has no file."""
    kind = "space" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "media"
    return Failure(kind, f"{error.filename or path}: {error.strerror or error}")
