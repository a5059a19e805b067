"""The folder of a film that is being rendered: manifest, index, segments, and the code that workers run."""

import fcntl
import shutil
import uuid
from pathlib import Path
from typing import IO

from .manifest import Manifest
from .packets import DamagedFile, digest_of
from .refusal import Refusal

_PACKAGE = Path(__file__).parent


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
        if self.folder.exists() and not self.exists(self.folder) and any(self.folder.iterdir()) and \
                not (self.folder / "lock").exists():
            raise Refusal(f"{self.folder} is needed for the segments, and contains something else.")
        self.segments.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.folder / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Refusal(f"Another pipelines/batch is writing this film: {self.folder} is locked.") from error
        if restart:
            (self.folder / "manifest").unlink(missing_ok=True)
            self.remove_unlisted(set())
        shutil.rmtree(self.code, ignore_errors=True)
        shutil.copytree(_PACKAGE, self.code / _PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        (self.segments / "run").write_text(self.run, encoding="utf-8")
        self.manifest = Manifest(self.folder / "manifest")

    def path(self, file: str) -> Path:
        return self.segments / file

    def remove_unlisted(self, files: set[str]) -> int:
        """Removes files of attempts that were not finished, or not used; returns their number."""
        removed = 0
        for path in self.segments.iterdir():
            if path.suffix in (".part", ".seg") and path.name not in files:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

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
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
