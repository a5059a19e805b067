"""The folder of a film that is being rendered: manifest, index, segments, and the code that workers run."""

import fcntl
import os
import shutil
import uuid
from pathlib import Path
from typing import IO

from .finished import SUFFIXES, unreported
from .manifest import Manifest
from .packets import DamagedFile, digest_of
from .refusal import Refusal

_PACKAGE = Path(__file__).parent
# File with the name of the run, in the folder of the segments.
RUN = "run"


class Workspace:
    """One program uses the folder at a time; the lock ends with the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.segments = folder / "segments"
        self.index = folder / "index"
        self.code = folder / "code"
        # Tells this run from others, and proves to other machines that they see this folder.
        self.run = uuid.uuid4().hex
        self._lock: IO[str] | None = None
        self.manifest: Manifest | None = None

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / "manifest").exists()

    def open(self, restart: bool) -> None:
        """Raises Refusal if another program uses the folder."""
        if self.folder.exists() and not self.exists(self.folder) and any(self.folder.iterdir()) and \
                not (self.folder / "lock").exists():
            raise Refusal(f"{self.folder} is needed for the segments, and contains something else.")
        self.segments.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.folder / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Refusal(f"Another pipelines/batch is writing this film: {self.folder} is locked.") from error
        self._check_lock()
        # Tasks that an earlier run has left on other machines end when they see another run.
        (self.segments / RUN).write_text(self.run, encoding="utf-8")
        if restart:
            (self.folder / "manifest").unlink(missing_ok=True)
            self.remove_unlisted(set())
        shutil.rmtree(self.code, ignore_errors=True)
        shutil.copytree(_PACKAGE, self.code / _PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        self.manifest = Manifest(self.folder / "manifest")

    def _check_lock(self) -> None:
        """Another program may have completed its film, and removed the file, between opening and locking it."""
        try:
            is_same = os.path.samestat(os.fstat(self._lock.fileno()), os.stat(self.folder / "lock"))
        except FileNotFoundError:
            is_same = False
        if not is_same:
            raise Refusal(f"Another pipelines/batch has just removed {self.folder}; run the command again.")

    def path(self, file: str) -> Path:
        return self.segments / file

    def remove_unlisted(self, files: set[str]) -> int:
        """Removes files of attempts that were not finished, or not used; returns the number of these attempts."""
        kept = {Path(file).stem for file in files}
        removed = set()
        for path in self.segments.iterdir():
            if path.suffix in SUFFIXES and path.stem not in kept:
                path.unlink(missing_ok=True)
                removed.add(path.stem)
        return len(removed)

    def adopt_unreported(self) -> int:
        """Adds finished segments that the manifest does not list, because nothing was left to report them to."""
        results = unreported(self.segments, self.manifest.job["id"], set(self.manifest.results))
        for result in results:
            self.manifest.add(result)
        return len(results)

    def check_segments(self) -> list[int]:
        """Forgets segments whose file is missing or damaged; returns their numbers."""
        bad = []
        for number, result in sorted(self.manifest.results.items()):
            try:
                is_good = digest_of(self.path(result.file)) == result.digest
            except (OSError, DamagedFile):
                is_good = False
            if not is_good:
                bad.append(number)
        for number in bad:
            self.manifest.forget(number)
        return bad

    def remove(self) -> None:
        """Removes the folder while it is locked; the lock is removed last."""
        for path in self.folder.iterdir():
            if path.name != "lock":
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.close()

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
