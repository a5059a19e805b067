"""Stores results in a folder, so that a killed benchmark can continue. A file is written completely or not at all."""
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from output import write_text


class StoreError(Exception):
    """The folder has results of another command, plan, plugin or machine, or cannot be used."""


class Lock:
    """A lock on a folder. This process has the lock while `file` is open."""

    def __init__(self, folder: Path, file: IO[str]) -> None:
        self.folder, self.file = folder, file

    def check(self) -> None:
        """Raises StoreError if the folder was removed. Another command may lock a new folder of the same name."""
        try:
            if os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.folder / "lock")):
                return
        except FileNotFoundError:
            pass
        raise StoreError(f"{self.folder} was removed while this command measured, so that its results are lost. "
                         "Start it again; --fresh discards results without removing the folder.")


class Store:
    """A folder with one JSON file for each block of runs. `lock` is the lock on the folder or on its parent."""

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
        """The content of a file; None if it does not exist. Removes an invalid file, so that it is measured again."""
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
        """Writes a file completely or not at all, even if the machine loses power."""
        if self.lock:
            self.lock.check()
        write_text(self.folder / f"{name}.json", json.dumps(content))

    def blocks(self, row: str) -> list[dict]:
        """The blocks of a row, up to the first missing block."""
        found: list[dict] = []
        while (block := self.read(f"{row_name('blocks', row)}/{len(found):03}")) is not None:
            found.append(block)
        return found


def row_name(kind: str, row: str) -> str:
    return f"{kind}/{row.replace(':', '-')}"


@contextmanager
def locked(folder: Path) -> Iterator[Lock]:
    """Locks a folder. Refuses a second command in it. The kernel removes the lock when the process ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"Another command measures in {folder}. Wait for its end, or give --folder.") from None
        lock = Lock(folder, file)
        # Another command may have removed the folder between open() and flock().
        lock.check()
        yield lock
