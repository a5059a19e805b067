"""The folder of a film in progress. It contains the manifest, the index and the segments."""

import fcntl
import json
import os
import re
import stat
import uuid
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from .checks import Result
from .files import hold, open_file, paths_in, read_file, release, remove_file, write_file
from .finished import ATTEMPT, NOTE, PART, SEGMENT, noted, unreported
from .manifest import Manifest, is_foreign
from .packets import DamagedFile, digest_of
from .refusal import Refusal

# Names of two files in the folder of the segments. They contain the identifiers of the run and of the job.
RUN, JOB = "run", "job"
# Name of a file in the folder of the film. It has the spec without the code. A later run reads `was_remote` from it.
SPEC = "spec"
# Names of all files that the program creates in the two folders, including temporary files of `write_file`.
FILM = re.compile(r"film-[0-9a-f]{32}\.\w+")
_NAMES = re.compile(rf"(manifest|index|sample|spec)(-[0-9a-f]{{32}})?|run-[0-9a-f]{{32}}|{FILM.pattern}")
_SEGMENT_NAMES = re.compile(rf"(run|job)(-[0-9a-f]{{32}})?|probe-.+-[0-9a-f]{{8}}|{ATTEMPT.pattern}")


def earlier_run(folder: Path) -> str:
    """Error text for a new film in a folder that has segments of an earlier run."""
    if is_foreign(folder / "manifest"):
        return (f"{folder} has segments of another version of pipelines/batch, which this one cannot use: --restart "
                "discards them and begins again.")
    return f"{folder} has segments of an earlier run: --resume continues it, --restart discards them."


class Workspace:
    """The folder OUT.batch. A lock permits one program at a time. The lock ends with the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.segments = folder / "segments"
        self.index = folder / "index"
        # Identifier of this run, also written to a file in `segments`. A worker compares both, to check that it sees
        # the same folder as the program.
        self.run = uuid.uuid4().hex
        self._lock: IO[str] | None = None
        self._held: int | None = None
        self._held_segments: int | None = None
        self.manifest: Manifest | None = None
        # Numbers of the segments whose attempts of an earlier run may still be in progress on other machines, by the
        # names of the files without suffix.
        self.late: dict[str, int] = {}
        self._is_new = False
        # Whether an earlier run of this job has used other machines.
        self.was_remote = False

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / "manifest").exists()

    @staticmethod
    def has_segments(folder: Path) -> bool:
        """Whether the folder has finished segments that --resume can use."""
        try:
            return Workspace.exists(folder) and any(_attempts(folder / "segments", SEGMENT))
        except OSError:
            return False

    def open(self, restart: bool) -> None:
        """Locks the folder and reads its manifest. With `restart`, discards the manifest and the segments.

        Raises Refusal if another program uses the folder, or if it has files of unknown origin.
        """
        self.close()
        try:
            self.folder.mkdir(parents=True)
            is_made = True
        except FileExistsError:
            is_made = False
        _check_kind(self.folder, self.folder.lstat())
        self._held = hold(self.folder)
        if os.fstat(self._held).st_uid != self._owner_of_files():
            if is_made:
                with suppress(OSError):
                    self.folder.rmdir()
            raise Refusal(f"{self.folder} belongs to another user, who could replace the segments; remove it, or write "
                          "the film into another folder.")
        self._check_files()
        names = set(os.listdir(self._held))
        if not names & {"manifest", "lock"} and names & {"index", "sample", SPEC}:
            raise Refusal(f"{self.folder} has files that a run would replace, and that none has made; remove it, or "
                          "write the film into another folder.")
        with suppress(FileExistsError):
            os.mkdir(self.segments.name, dir_fd=self._held)
        self._held_segments = hold(self.segments)
        self._take_lock()
        if restart:
            self.discard()
        else:
            self.manifest = Manifest(self.folder / "manifest")

    def _owner_of_files(self) -> int | None:
        """The owner of new files in the folder, or None if this process has no permission to create a file.

        The server or the mount options of a shared folder may set an owner other than this user.
        """
        name = f"{RUN}-{self.run}"
        try:
            file = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=self._held)
        except PermissionError:
            return None
        try:
            return os.fstat(file).st_uid
        finally:
            os.close(file)
            os.unlink(name, dir_fd=self._held)

    def _check_files(self) -> None:
        """Raises Refusal for links, pipes and devices. A link may lead to another folder. Opening a pipe may block."""
        for folder, folders, files, descriptor in os.fwalk(dir_fd=self._held):
            for name in (*folders, *files):
                with suppress(FileNotFoundError):
                    _check_kind(self.folder / folder / name, os.lstat(name, dir_fd=descriptor))

    def discard(self) -> None:
        """Removes the files of an earlier run."""
        # The tasks of the earlier run on other machines end when the file JOB is removed.
        remove_file(self.segments / JOB)
        remove_file(self.folder / "manifest")
        self.remove_unlisted(set())
        self.manifest = Manifest(self.folder / "manifest")

    def check_new(self) -> None:
        """Raises Refusal if `discard` would remove segments of an earlier run."""
        if self.manifest.job is not None:
            raise Refusal(earlier_run(self.folder))
        if self._in_segments(SEGMENT):
            raise Refusal(f"{self.folder} has finished segments of an earlier run, but its manifest is missing or "
                          "damaged in its first line, so that they cannot be used; --restart discards them.")

    def begin(self, job: dict[str, Any]) -> None:
        """Begins the manifest of a new film."""
        self._is_new = True
        self.manifest.begin(job)
        self.accept()

    def accept(self) -> None:
        """Writes the identifiers of job and run. Tasks of an earlier run continue if the job is the same."""
        path, job = self.segments / JOB, self.manifest.job["id"].encode()
        try:
            is_same = read_file(path, len(job) + 1) == job
        except OSError:
            is_same = False
        if not is_same:
            write_file(path, job)
        write_file(self.segments / RUN, self.run.encode())

    def _take_lock(self) -> None:
        lock = open_file(self.folder / "lock", "a", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            # CIFS returns EACCES if another program has the lock.
            if isinstance(error, (BlockingIOError, PermissionError)):
                raise Refusal(f"Another pipelines/batch is writing this film: {self.folder} is locked.") from error
            # The lock fails, for example, if the shared folder has no lock service.
            raise OSError(error.errno, error.strerror, lock.name) from error
        self._lock = lock
        self._check_lock()

    def _check_lock(self) -> None:
        """Raises Refusal if another program has removed the lock file after this program opened it."""
        try:
            is_same = os.path.samestat(os.fstat(self._lock.fileno()), os.lstat("lock", dir_fd=self._held))
        except FileNotFoundError:
            is_same = False
        if not is_same:
            self.close()
            raise Refusal(f"Another pipelines/batch has just removed {self.folder}; run the command again.")

    def write_spec(self, spec: dict[str, Any]) -> str:
        """Writes the spec without the code to the file SPEC. Returns the spec with the code as text."""
        kept = {name: value for name, value in spec.items() if name != "code"}
        write_file(self.folder / SPEC, json.dumps(kept).encode())
        return json.dumps(spec)

    def path(self, file: str) -> Path:
        return self.segments / file

    def find_late(self) -> None:
        """Fills `late` if an earlier run has used other machines, whose tasks may outlive several local runs."""
        try:
            self.was_remote = json.loads(read_file(self.folder / SPEC))["was_remote"]
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError, RecursionError):
            # The spec is damaged, for example by a power failure. The earlier run may have used other machines.
            self.was_remote = True
        if self.was_remote:
            numbers = {path.stem: path.stem.partition("-")[0] for path in self._in_segments(PART)}
            self.late = {stem: int(number) for stem, number in numbers.items()}

    def late_result(self, stem: str) -> Result | None:
        """The result of an attempt in `late`; None if it is unfinished, or the manifest already lists its segment."""
        return noted(self.segments / (stem + NOTE), self.manifest.job["id"], set(self.manifest.results))

    def noted_results(self, number: int) -> list[Result]:
        """Results of all finished attempts at a segment. The list is empty if the manifest lists the segment."""
        results = [noted(note, self.manifest.job["id"], set(self.manifest.results))
                   for note in self._in_segments(NOTE) if note.name.startswith(f"{number:06}-")]
        return [result for result in results if result is not None]

    def remove_unlisted(self, files: set[str]) -> int:
        """Removes files of unfinished and unused attempts. Returns the number of these attempts."""
        kept = {Path(file).stem for file in files} | set(self.late)
        removed = set()
        for path in self._in_segments(PART, SEGMENT, NOTE):
            if path.stem not in kept:
                remove_file(path)
                removed.add(path.stem)
        return len(removed)

    def adopt_unreported(self, is_verified: bool) -> int:
        """Adds finished segments that the manifest does not list, because their workers could not report them.

        With `is_verified`, adds only segments with a checksum of their decoded pictures.
        """
        found = unreported(self.segments, self.manifest.job["id"], set(self.manifest.results))
        results = [result for result in found if result.decoded or not is_verified]
        for result in results:
            self.manifest.add(result)
        return len(results)

    def check_segments(self) -> list[int]:
        """Removes segments with a missing or damaged file from the manifest. Returns their numbers."""
        bad = []
        for number, result in sorted(self.manifest.results.items()):
            try:
                is_good = digest_of(self.path(result.file)) == result.digest
            except (OSError, DamagedFile):
                is_good = False
            if not is_good:
                bad.append(number)
        for number in bad:
            path = self.path(self.manifest.results[number].file)
            self.forget(number)
            remove_file(path)
        return bad

    def forget(self, number: int) -> None:
        """Removes a segment from the manifest, and removes its note, so that no later run adopts the segment."""
        note = self.path(self.manifest.results[number].file).with_suffix(NOTE)
        self.manifest.forget(number)
        remove_file(note)

    def remove_unused(self) -> None:
        """Removes the folder of a new film that has no finished segment."""
        if self._is_new and not self.manifest.results and not self._in_segments(SEGMENT):
            self.remove()

    def remove(self) -> list[str]:
        """Removes the files, the lock file last, and the folder. Without the lock, only removes an empty folder.

        Keeps files that no run has created, and the folder if it has such files. Returns the names of these files.
        """
        kept = self._remove_files() if self._lock is not None else []
        with suppress(OSError):
            # NFS renames a removed file that is still open, so the folder can be removed only after `close`. `rmdir`
            # fails if another program has created files in the folder.
            self.folder.rmdir()
        return kept

    def _remove_files(self) -> list[str]:
        kept = []
        with suppress(OSError):
            for path in (*paths_in(self.segments), *paths_in(self.folder)):
                if (_SEGMENT_NAMES if path.parent == self.segments else _NAMES).fullmatch(path.name):
                    with suppress(OSError):
                        remove_file(path)
                elif path not in (self.segments, self.folder / "lock"):
                    kept.append(str(path.relative_to(self.folder)))
            os.rmdir(self.segments.name, dir_fd=self._held)
        with suppress(OSError):
            remove_file(self.folder / "lock")
        self.close()
        return kept

    def _in_segments(self, *suffixes: str) -> list[Path]:
        return _attempts(self.segments, *suffixes)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        if self._held_segments is not None:
            release(self.segments, self._held_segments)
            self._held_segments = None
        if self._held is not None:
            release(self.folder, self._held)
            self._held = None


def _attempts(folder: Path, *suffixes: str) -> list[Path]:
    return [path for path in paths_in(folder) if ATTEMPT.fullmatch(path.name) and path.suffix in suffixes]


def _check_kind(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        raise Refusal(f"{path} is neither a file nor a folder, but a link, a pipe or a device. No run has made it; "
                      "remove it, or write the film into another folder.")
