"""Safe access to files in the folder of a film. Other users may be able to write to this folder."""

import errno
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Open descriptors of the folders that `hold` has opened, by path.
_held: dict[Path, int] = {}


def open_file(path: Path, mode: str, **options: Any) -> IO:
    """Opens a file like `open`. Fails if the file or its folder is a symbolic link, or if the file is a pipe.

    Also fails to open a hard link for writing. The mode "w" would truncate the file before this check, so use
    `write_file` instead of it.
    """
    with _opened(path.parent) as folder:
        file = open(path, mode, opener=lambda _, flags: os.open(
            path.name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666, dir_fd=folder), **options)
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise OSError(errno.EINVAL, "It is no regular file", str(path))
    if file.writable() and status.st_nlink > 1:
        file.close()
        raise OSError(errno.EMLINK, "The file has another name, which no run has made", str(path))
    return file


def read_file(path: Path, most: int = 1 << 28) -> bytes:
    """The first `most` bytes of a file. The limit protects against a huge file of another user."""
    with open_file(path, "rb") as file:
        return file.read(most)


def write_file(path: Path, data: bytes) -> None:
    """Creates or replaces a file atomically. Replaces a link instead of its target. Returns after an fsync."""
    new = f"{path.name}-{uuid.uuid4().hex}"
    with _opened(path.parent) as folder:
        try:
            with open(new, "xb", opener=lambda _, flags: os.open(new, flags, 0o666, dir_fd=folder)) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            # Remove the incomplete file, because each retry on a full disk would leave another incomplete file.
            with suppress(OSError):
                os.unlink(new, dir_fd=folder)
            raise


def remove_file(path: Path) -> None:
    """Removes a file if it exists. Fails if its folder is a link."""
    with _opened(path.parent) as folder, suppress(FileNotFoundError):
        os.unlink(path.name, dir_fd=folder)


def rename_file(path: Path, name: str) -> None:
    """Renames a file within its folder. Fails if the folder is a link."""
    with _opened(path.parent) as folder:
        os.rename(path.name, name, src_dir_fd=folder, dst_dir_fd=folder)


def paths_in(folder: Path) -> list[Path]:
    """Paths of the entries of a folder; an empty list if the folder does not exist. Fails if the folder is a link."""
    try:
        with _opened(folder) as descriptor:
            return [folder / name for name in sorted(os.listdir(descriptor))]
    except FileNotFoundError:
        return []


def hold(folder: Path) -> int:
    """Opens a folder. Until `release`, this module uses that folder, even if another user replaces it by a link."""
    above = _held.get(folder.parent)
    descriptor = os.open(folder if above is None else folder.name, _FOLDER, dir_fd=above)
    _held.setdefault(folder, descriptor)
    return descriptor


def release(folder: Path, descriptor: int) -> None:
    if _held.get(folder) == descriptor:
        del _held[folder]
    os.close(descriptor)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Opens a folder without following a link. Opens it relative to the held folder or parent folder, if any."""
    held, above = _held.get(folder), _held.get(folder.parent)
    descriptor = os.open("." if held is not None else folder if above is None else folder.name, _FOLDER,
                         dir_fd=above if held is None else held)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
