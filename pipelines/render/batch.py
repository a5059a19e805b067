"""The steps of a run: examine, divide, render, join, verify."""

import os
import shutil
import time
from typing import Any

from .cluster import Connection, connect_locally, default_workers
from .film import write_film
from .fragments import sound_line
from .frames import DamagedIndex, FrameIndex
from .options import Options
from .preflight import examine_workers
from .refusal import Refusal
from .rendering import Rendering
from .screen import Screen
from .stamp import check_source
from .study import Study, ask, study
from .task import picture_fault
from .times import counted, rough_time, timestamp
from .workspace import Workspace, earlier_run


class Batch:
    """One run of the program."""

    def __init__(self, options: Options, screen: Screen) -> None:
        self._options, self._screen = options, screen
        self._workspace = Workspace(options.folder)
        self._connection: Connection | None = None
        self._began = time.monotonic()

    def run(self) -> None:
        """Renders the film. Raises Refusal with a message for the user."""
        is_finished = False
        try:
            self._check_paths()
            if not self._options.is_local:
                self._connection = _connect(self._options)
            self._render()
            is_finished = True
        except KeyboardInterrupt:
            if self._options.is_local:
                self._workspace.remove_unused()
            raise
        finally:
            # After an error, `close` would wait for the segments of local workers. These end with the program instead.
            if self._connection is not None and (is_finished or not self._connection.is_local):
                self._connection.close()
            self._workspace.close()

    def _check_paths(self) -> None:
        options = self._options
        if Workspace.exists(options.folder) and not (options.resume or options.restart or options.dry_run):
            raise Refusal(earlier_run(options.folder))
        if not os.access(options.output.parent, os.W_OK):
            raise Refusal(f"The folder {options.output.parent} cannot be written.")

    def _render(self) -> None:
        options, workspace = self._options, self._workspace
        if options.resume and not options.dry_run and Workspace.exists(options.folder):
            workspace.open(restart=False)
            if workspace.manifest.job is None:
                workspace.check_new()
        if workspace.manifest is not None and workspace.manifest.job is not None:
            film = self._resumed()
        else:
            film = study(options, self._slots)
            self._show_plan(film)
            self._check_disk(film.size)
            if options.dry_run:
                self._try_workers(film)
                return
            self._begin(workspace, film, options.restart)
            if options.resume:
                self._screen.say(f"Note: {options.folder} has no segments of an earlier run; this one begins anew.")
        if self._connection is None:
            # If there are fewer segments than slots, one worker per segment is enough, and gets more processors.
            self._connection = connect_locally(min(self._slots(film.frame_bytes), len(film.cuts)))
        if not self._connection.is_local:
            examine_workers(self._connection, film, workspace)
        Rendering(self._connection, film, workspace, self._screen).run()
        lost = write_film(self._connection, workspace, film, options.output, options, self._screen)
        count = counted(len(film.frames), "frame")
        if lost:
            count = f"{len(film.frames) - lost} of {count}, because {lost} could not be decoded,"
        how = "one pass" if self._is_one_pass(film) else counted(len(film.cuts), "segment")
        seconds = time.monotonic() - self._began
        self._screen.say(f"Wrote {options.output}: {count} in {how}, verified, {rough_time(seconds)}.")
        kept = [] if options.keep else workspace.remove()
        if kept:
            self._screen.say(f"Note: {workspace.folder} is kept, with files that no run has made: {', '.join(kept)}.")

    @staticmethod
    def _begin(workspace: Workspace, film: Study, restart: bool) -> None:
        """Creates the folder of a new film. Without `restart`, raises Refusal if the folder has earlier segments."""
        workspace.open(restart)
        if not restart:
            # Another run of the same command may have rendered segments while this run examined the film.
            workspace.check_new()
            workspace.discard()
        film.frames.write(workspace.index)
        film.write_sample(workspace.folder)
        workspace.begin({**film.job, "fingerprint": film.fingerprint, "stamp": film.stamp, "caps": film.caps,
                         "pictures": film.pictures, "size": film.size})

    def _try_workers(self, film: Study) -> None:
        """Examines other machines with a temporary folder, because OUT.batch may have segments of an earlier run."""
        if self._connection is None:
            return
        workspace = Workspace(self._options.folder.with_suffix(".dry-run"))
        try:
            self._begin(workspace, film, restart=True)
            examine_workers(self._connection, film, workspace)
        finally:
            workspace.remove()
        count = len(self._connection.workers())
        self._screen.say(f"{counted(count, 'worker')} can render the film.")

    def _slots(self, frame_bytes: int) -> int:
        """Number of segments rendered at the same time."""
        if self._connection is not None:
            return max(1, self._connection.slots())
        return self._options.workers or default_workers(frame_bytes)

    def _show_plan(self, film: Study) -> None:
        frames, cuts, say = film.frames, film.cuts, self._screen.say
        for note in film.notes:
            say(f"Note: {note}")
        slots = self._slots(film.frame_bytes)
        workers = min(slots, len(cuts)) if self._connection is None else len(self._connection.workers())
        at_a_time = f", {slots} at a time" if self._connection is not None and slots != workers else ""
        how = f"{counted(len(cuts), 'segment')} of {cuts.step} frames on {counted(workers, 'worker')}{at_a_time}"
        say(f"{self._options.source.name}: {timestamp(frames.duration)}, {counted(len(frames), 'frame')}; "
            + ("one pass" if self._is_one_pass(film) else how))
        say(f"{film.job['filter']} ! {film.job['encoder']} ! {film.job['muxer']}, about {film.size / 1e6:.0f} MB")
        if film.job.get("sound") is not None and film.job["audio"]:
            say(f"Sound: {sound_line(film.job['sound'], film.job, film.job['audio'][0])}")
        if film.speed is not None:
            self._show_speed(film, slots)

    def _is_one_pass(self, film: Study) -> bool:
        return self._options.is_local and len(film.cuts) == 1

    def _show_speed(self, film: Study, slots: int) -> None:
        speed = film.speed
        text = f"One pass takes about {rough_time(len(film.frames) * speed.frame)} ({1 / speed.frame:.0f} frames/s)"
        if film.job["verify"]:
            text += f"; verification is {100 * speed.verification:.0f} % of the work, and --verify packets omits it"
        self._screen.say(text + ".")
        if film.pays_from is not None and slots > 1:
            length = timestamp(film.pays_from * film.frames.frame_duration).partition(".")[0]
            self._screen.say(f"Segments on {slots} workers pay from {length} of such a film on.")

    def _check_disk(self, size: int) -> None:
        """Raises Refusal if the disk cannot hold the segments and the film at the same time."""
        needed, free = 2 * size, shutil.disk_usage(self._options.output.parent).free
        if free < needed and not self._options.ignore_disk:
            # Round the needed size up and the free size down, so that the message never shows two equal numbers.
            unit, name = (10**6, "MB") if needed >= 10**7 else (1000, "kB")
            raise Refusal(f"The film needs about {-(-needed // unit)} {name} until it is complete, and {free // unit} "
                          f"{name} are free in {self._options.output.parent}; --ignore-disk starts anyway.")

    def _resumed(self) -> Study:
        """Loads the film of an earlier run. Raises Refusal if the command or the source has changed."""
        options, workspace = self._options, self._workspace
        if workspace.manifest.is_foreign:
            raise Refusal(earlier_run(options.folder))
        job: dict[str, Any] = dict(workspace.manifest.job)
        mark, stamp, caps, pictures, size = (
            job.pop(key) for key in ("fingerprint", "stamp", "caps", "pictures", "size"))
        wanted = {"source": str(options.source), "filter": options.filter, "encoder": options.encoder,
                  "lead_in": options.lead_in, "muxer": options.muxer}
        for name, value in wanted.items():
            if job[name] != value:
                raise Refusal(f"The earlier run had another {name}, {job[name]}; --restart discards its segments.")
        check_source(options.source, mark, None if options.ignore_time else stamp)
        self._select_audio(job)
        film = Study(job, self._index(job), mark, stamp, caps, pictures, size, [])
        fault = picture_fault(job, pictures, ask("prove", job=job, caps=caps))
        if fault is not None:
            raise Refusal(f"{fault.removesuffix(' there')} than in the earlier run, because a preset or an element was "
                          "changed; --restart discards its segments.")
        bad = workspace.check_segments()
        self._select_check(job)
        workspace.accept()
        self._take_segments(film, len(bad))
        return film

    def _take_segments(self, film: Study, damaged: int) -> None:
        """Adds finished segments. Removes files of unfinished segments that no task may still be writing."""
        workspace = self._workspace
        workspace.find_late()
        adopted = workspace.adopt_unreported(film.job["verify"])
        results = workspace.manifest.results
        workspace.late = {stem: number for stem, number in workspace.late.items() if number not in results}
        unfinished = workspace.remove_unlisted({result.file for result in results.values()})
        text = (f"Resuming: {len(results)} of {len(film.cuts)} segments are finished, "
                f"{unfinished + len(workspace.late)} unfinished, {damaged} damaged")
        if adopted:
            text += f"; {adopted} were finished after the earlier run ended"
        if workspace.late:
            text += f"; {len(workspace.late)} may still be in progress on other machines, and are used when complete"
        self._screen.say(text + ".")

    def _select_audio(self, job: dict[str, Any]) -> None:
        """Selects the audio of this run. Segments contain no audio, so the earlier run may have used other audio."""
        audio = job["all_audio"] if self._options.has_audio else []
        job["sound"], job["audio"] = self._options.sound, audio
        if job["sound"] is not None:
            ask("sound", job=job)
        elif audio:
            ask("audio", streams=audio, muxer=job["muxer"])

    def _select_check(self, job: dict[str, Any]) -> None:
        """Sets whether pictures are compared. Raises Refusal if a finished segment has no checksum of its pictures."""
        job["verify"] = self._options.verify != "packets"
        if job["verify"] and not all(result.decoded for result in self._workspace.manifest.results.values()):
            raise Refusal("Segments of the earlier run were not decoded after they were encoded: --verify packets "
                          "continues it, --restart discards them.")

    def _index(self, job: dict[str, Any]) -> FrameIndex:
        """The index of the earlier run. Scans the source again if the index is damaged or missing."""
        path = self._workspace.index
        try:
            return FrameIndex.read(path, job["index"])
        except (DamagedIndex, FileNotFoundError):
            ask("scan", source=job["source"], index_path=str(path), by_decoding=job["by_decoding"])
        try:
            return FrameIndex.read(path, job["index"])
        except DamagedIndex as error:
            raise Refusal(f"{error} --restart begins again.") from error


def _connect(options: Options) -> Connection:
    """Connects to Dask workers. Imports `remote` only here, because rendering on one machine does not require Dask."""
    try:
        from .remote import connect
    except ImportError as error:
        raise Refusal(f"{error}: install python3-distributed, or run with BATCH_PYTHON=VENV/bin/python, the Python "
                      "of a virtual environment with the package distributed.") from error
    return connect(options.scheduler, options.ssh_hosts)
