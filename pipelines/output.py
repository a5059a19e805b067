"""What programs write: files, of which an existing one stays until the new one is complete, and lines."""

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
    """Prints a line. If the terminal or the pipe is closed, this line and all later ones are lost."""
    stream = stream or sys.stdout
    try:
        print(line, file=stream, end=end, flush=True)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Mistake(Exception):
    """The text says what was wrong, and what to do."""


def check(path: str | Path, inputs: Iterable[str | Path] = (), force: bool = False) -> Path:
    """Returns the file behind `path`, a link perhaps; raises Mistake unless it may be written.

    Before an existing file is replaced, a user at a terminal is asked; elsewhere only `force` permits it.
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
    """Writes a text file whole or not at all, unless it is no file, such as a pipe, or an open one as /dev/stdout.

    Ends the program if it cannot be written.
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
    """Gives a complete file its name; raises OSError if it is not on the disk.

    Only with `replaces`, an existing target is replaced, by a file with the same mode, owner and group as far as
    permitted. Otherwise FileExistsError is raised. `made` is the descriptor of the file that must have the name.
    """
    # Another user who can write to the folder may have replaced the file by a link.
    file = os.open(new, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if made is not None and not os.path.samestat(os.fstat(file), os.fstat(made)):
            raise OSError(errno.ESTALE, "Another program has replaced the new file", str(new))
        if os.fstat(file).st_nlink > 1:
            raise OSError(errno.EMLINK, "The file has another name, which this program has not made", str(new))
        # Some file systems report a full disk only here.
        os.fsync(file)
        if replaces:
            _take_permissions(file, target)
    finally:
        os.close(file)
    if replaces:
        os.replace(new, target)
        return
    try:
        # Unlike a rename, a link does not replace a file that was made meanwhile.
        os.link(new, target)
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError(f"{target} was made by another program meanwhile") from None
        # Such as FAT, which has no links.
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
            # Another group must not get the permissions of this one.
            mode &= ~(stat.S_IRWXG | stat.S_ISGID)
        with suppress(OSError):
            os.chown(file, before.st_uid, -1)
        os.chmod(file, mode)


class NewFile:
    """A file beside `target` that `finish` renames to it; at the end of `with`, an unfinished one is removed.

    Only with `replaces`, an existing target is replaced. Another user who can write to the folder may replace the file
    by a link, so programs write to `opened`.
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
        """A path of the file itself, also for other programs of this user, until the end of `with`."""
        return f"/proc/{os.getpid()}/fd/{self._file}"

    def write(self, text: str) -> None:
        with self._writing():
            Path(self.opened).write_text(text, encoding="utf-8")

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
        """Keeps an unfinished file, and returns its name."""
        kept = self.target.with_name(f"{self.target.stem}-unfinished{self.path.name.removeprefix('.new')}")
        self._is_kept = True
        with suppress(OSError):
            os.rename(self.path, kept)
            self.path = kept
        return self.path

    def finish(self) -> None:
        """Gives the complete file its name; raises Mistake if it is not on the disk, or another file has the name."""
        try:
            publish(self.path, self.target, self._replaces, self._file)
        except FileExistsError as error:
            raise Mistake(f"{error}; the new file is {self.keep()}.") from None
        except OSError as error:
            raise Mistake(
                f"{self.target} cannot be written: {error.strerror}. The new file is {self.keep()}.") from error
