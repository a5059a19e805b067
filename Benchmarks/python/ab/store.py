"""Keeps results in a folder, so that a benchmark that was killed continues. Files are written whole or not at all."""
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from output import write_text


class StoreError(Exception):
    """The folder belongs to another command, plan, plugin or machine."""


class Lock:
    """A lock on a folder, which this process holds while `file` is open."""

    def __init__(self, folder: Path, file: IO[str]) -> None:
        self.folder, self.file = folder, file

    def check(self) -> None:
        """Ends the command if the folder was removed: another command may lock a new folder of the same name."""
        try:
            if os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.folder / "lock")):
                return
        except FileNotFoundError:
            pass
        raise StoreError(f"{self.folder} was removed while this command measured, so that its results are lost. "
                         "Start it again; --fresh discards results without removing the folder.")


class Store:
    """A folder with a JSON file for each block of runs; `lock` is the lock of the folder or of its parent."""

    def __init__(self, folder: Path, identity: dict, lock: Lock | None = None) -> None:
        self.folder, self.lock = folder, lock
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.rglob(".new-*"):
            left.unlink()
        known = self.read("identity")
        if known is None:
            self.write("identity", identity)
        elif known != identity:
            changed = ", ".join(f"{name} (then {known.get(name)}, now {identity.get(name)})"
                                for name in sorted({*known, *identity}) if known.get(name) != identity.get(name))
            raise StoreError(f"{folder} has results of another {changed}. Give --fresh to measure anew, or --folder.")

    def read(self, name: str) -> dict | list | None:
        """The content of a file, or None if it does not exist. A file that is no JSON is removed and measured anew."""
        path = self.folder / f"{name}.json"
        try:
            return json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            print(f"{path} is damaged; its runs are repeated.", flush=True)
            path.unlink()
            return None

    def write(self, name: str, content: object) -> None:
        """Writes a file whole or not at all, also if the machine fails."""
        if self.lock:
            self.lock.check()
        write_text(self.folder / f"{name}.json", json.dumps(content))

    def blocks(self, row: str) -> list[dict]:
        """The blocks of a row, up to the first missing one."""
        found: list[dict] = []
        while (block := self.read(f"{row_name('blocks', row)}/{len(found):03}")) is not None:
            found.append(block)
        return found


def row_name(kind: str, row: str) -> str:
    return f"{kind}/{row.replace(':', '-')}"


@contextmanager
def locked(folder: Path) -> Iterator[Lock]:
    """Refuses a second command in the same folder. The kernel removes the lock when the process ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"Another command measures in {folder}. Wait for its end, or give --folder.") from None
        lock = Lock(folder, file)
        # The folder may have been removed between the two calls.
        lock.check()
        yield lock
