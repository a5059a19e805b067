"""Files in the folder of a film, which other users may be able to write."""

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def open_file(path: Path, mode: str, **options: Any) -> IO:
    """As `open`, but fails if the path or its folder is a link, which may lead elsewhere.

    Nor does it open a hard link for writing. The mode "w" would empty it before; `write_file` is for new content.
    """
    with _folder_of(path) as folder:
        file = open(path, mode, opener=lambda _, flags: os.open(
            path.name, flags | os.O_NOFOLLOW, 0o666, dir_fd=folder), **options)
    if file.writable() and os.fstat(file.fileno()).st_nlink > 1:
        file.close()
        raise OSError(errno.EMLINK, "The file has another name, which no run has made", str(path))
    return file


def write_file(path: Path, data: bytes) -> None:
    """Makes a file, or replaces it by another one; a link of that name is replaced too. Readers never see a part.

    Returns when the data are on the disk.
    """
    new = f"{path.name}-{uuid.uuid4().hex}"
    with _folder_of(path) as folder:
        try:
            with open(new, "xb", opener=lambda _, flags: os.open(new, flags, 0o666, dir_fd=folder)) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            # The index of a long film would fill a full disk further with each attempt.
            with suppress(OSError):
                os.unlink(new, dir_fd=folder)
            raise


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
