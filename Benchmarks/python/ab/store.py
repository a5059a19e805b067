"""Stores results in a folder, so that a killed benchmark can continue later."""
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from output import write_text


class StoreError(Exception):
    """The folder has results of another command, plan, plugin or machine, or cannot be used."""


class Store:
    """A folder with one JSON file for each block of runs. `check` raises StoreError if the folder's lock is lost."""

    def __init__(self, folder: Path, identity: dict, check: Callable[[], None] = lambda: None) -> None:
        self.folder, self.check = folder, check
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
        path = self._path(name)
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
        self.check()
        write_text(self._path(name), json.dumps(content))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name.replace(':', '-')}.json"

    def blocks(self, row: str) -> list[dict]:
        """The blocks of a row, up to the first missing block."""
        found: list[dict] = []
        while (block := self.read(f"blocks/{row}/{len(found):03}")) is not None:
            found.append(block)
        return found


@contextmanager
def locked(folder: Path) -> Iterator[Callable[[], None]]:
    """Locks a folder. Raises StoreError if another command has locked it. The lock ends with the process.

    Yields a function that raises StoreError if the folder was removed, because another command may then lock a new
    folder of the same name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as file:
        def check() -> None:
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(folder / "lock")):
                    return
            raise StoreError(f"{folder} was removed while this command measured, so that its results are lost. Start "
                             "it again; --fresh discards results without removing the folder.")

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"Another command measures in {folder}. Wait for its end, or give --folder.") from None
        # Another command may have removed the folder between open() and flock().
        check()
        yield check
