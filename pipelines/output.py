"""Writes files and prints lines. An existing file stays until the new file is complete."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO


def say(line: str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Prints a line. If the terminal or the pipe is closed, discards this line and all later lines."""
    stream = stream or sys.stdout
    try:
        print(line, file=stream, end=end, flush=True)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Mistake(Exception):
    """An error of the user. The text names the fault and what to do."""


def check(path: str | Path, inputs: Iterable[str | Path] = (), force: bool = False) -> Path:
    """Follows the symbolic links of `path` and returns their target. Raises Mistake if the file must not be written.

    An existing file requires `force`, or the consent of the user at a terminal.
    """
    file = Path(os.path.realpath(path))
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return file
    except OSError as error:
        raise Mistake(f"{path} cannot be written: {error.strerror}.") from error
    if stat.S_ISDIR(mode):
        raise Mistake(f"{path} is a folder; name a file in it.")
    if not stat.S_ISREG(mode):
        raise Mistake(f"{path} is no regular file; name a file that can be replaced.")
    for source in inputs:
        if os.path.exists(source) and os.path.samefile(source, file):
            raise Mistake(f"{path} is the same file as the input {source}; name another file.")
    if not force and not _is_confirmed(path):
        raise Mistake(f"{path} exists; --force replaces it.")
    return file


def _is_confirmed(path: str | Path) -> bool:
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    say(f"{path} exists. Replace it? [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def write_text(path: str | Path, text: str) -> None:
    """Writes a text file atomically. Appends to a pipe, a device, or an open file such as /dev/stdout.

    Ends the program if the file cannot be written.
    """
    if os.path.isdir(path):
        sys.exit(f"{path} is a folder; name a file in it.")
    is_open = os.path.abspath(path).startswith(("/dev/fd/", "/dev/std", "/proc/"))
    if is_open or os.path.exists(path) and not os.path.isfile(path):
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
        return
    try:
        with NewFile(Path(os.path.realpath(path)), replaces=True) as new:
            new.write(text)
            new.finish()
    except Mistake as mistake:
        sys.exit(str(mistake))


def publish(new: Path, target: Path, replaces: bool, made: int | None = None) -> None:
    """Renames a complete file to `target`. Raises OSError if the data cannot be flushed to the disk.

    With `replaces`, replaces an existing target and keeps its mode, owner and group if permitted. Without `replaces`,
    raises FileExistsError if the target exists. `made` is a descriptor of `new`. With another file, raises OSError.
    """
    # Another user who can write to the folder may have replaced the file by a link.
    file = os.open(new, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if made is not None and not os.path.samestat(os.fstat(file), os.fstat(made)):
            raise OSError(errno.ESTALE, "Another program has replaced the new file", str(new))
        if os.fstat(file).st_nlink > 1:
            raise OSError(errno.EMLINK, "The file has another name, which this program has not made", str(new))
        # Some file systems report a full disk only in fsync.
        os.fsync(file)
        if replaces:
            _take_permissions(file, target)
    finally:
        os.close(file)
    if replaces:
        os.replace(new, target)
        return
    try:
        # Unlike a rename, a link never replaces an existing file.
        os.link(new, target)
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError(f"{target} was made by another program meanwhile") from None
        # Some file systems, such as FAT, have no links.
        os.rename(new, target)
    else:
        with suppress(OSError):
            os.unlink(new)


def _take_permissions(file: int, target: Path) -> None:
    with suppress(OSError):
        before = target.stat()
        mode = stat.S_IMODE(before.st_mode)
        try:
            os.chown(file, -1, before.st_gid)
        except OSError:
            # The new file keeps its own group, which must not get the permissions of the old file's group.
            mode &= ~(stat.S_IRWXG | stat.S_ISGID)
        with suppress(OSError):
            os.chown(file, before.st_uid, -1)
        os.chmod(file, mode)


class NewFile:
    """A new file in the folder of `target`. `finish` renames it. The end of `with` removes an unfinished file.

    `finish` replaces an existing target only if `replaces` is True. Programs must write to `opened` instead of `path`,
    because another user who can write to the folder may replace the file at `path` by a link.
    """

    def __init__(self, target: Path, replaces: bool) -> None:
        self.target, self._replaces, self._is_kept = target, replaces, False
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self.path = target.with_name(f".new-{secrets.token_hex(8)}{target.suffix}")
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError as error:
            raise Mistake(f"{target} cannot be written: {error.strerror}.") from error

    def __enter__(self) -> NewFile:
        return self

    @property
    def opened(self) -> str:
        """Path of the open file in /proc, valid until the end of `with`. Other programs of this user can open it."""
        return f"/proc/{os.getpid()}/fd/{self._file}"

    def write(self, content: str | bytes) -> None:
        with self._writing():
            Path(self.opened).write_bytes(content.encode() if isinstance(content, str) else content)

    def copy(self, source: str) -> None:
        with self._writing():
            shutil.copyfile(source, self.opened)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Mistake(f"{self.target} cannot be written: {error.strerror}.") from error

    @property
    def is_empty(self) -> bool:
        return not os.fstat(self._file).st_size

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        if not self._is_kept:
            self.path.unlink(missing_ok=True)

    def keep(self) -> Path:
        """Keeps the file under another name. Returns its path."""
        kept = self.target.with_name(f"{self.target.stem}-unfinished{self.path.name.removeprefix('.new')}")
        self._is_kept = True
        with suppress(OSError):
            os.rename(self.path, kept)
            self.path = kept
        return self.path

    def finish(self) -> None:
        """Renames the complete file to `target`. Raises Mistake if the flush to the disk fails, or `target` exists."""
        try:
            publish(self.path, self.target, self._replaces, self._file)
        except FileExistsError as error:
            raise Mistake(f"{error}; the new file is {self.keep()}.") from None
        except OSError as error:
            raise Mistake(
                f"{self.target} cannot be written: {error.strerror}. The new file is {self.keep()}.") from error
