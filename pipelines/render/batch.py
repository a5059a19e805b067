"""The steps of a run: examine, divide, render, join, verify."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

from .cluster import Connection, connect, default_workers
from .film import write_film
from .frames import FrameIndex
from .options import Options
from .preflight import examine_workers
from .refusal import Refusal
from .rendering import Rendering
from .screen import Screen
from .study import Study, ask, study
from .task import fingerprint
from .times import rough_time, timestamp
from .workspace import Workspace

_CODE = Path(__file__).parent.parent


class Batch:
    """One run of the program."""

    def __init__(self, options: Options, screen: Screen) -> None:
        self._options, self._screen = options, screen
        self._workspace = Workspace(options.folder)
        self._connection: Connection | None = None
        self._began = time.monotonic()

    def run(self) -> None:
        """Raises Refusal with a sentence for the user."""
        is_finished = False
        try:
            self._check_paths()
            if self._options.scheduler or self._options.ssh_hosts:
                self._connection = connect(self._options.scheduler, self._options.ssh_hosts, 0)
            self._render()
            is_finished = True
        finally:
            # Local workers would finish their segments first; they end with the program.
            if self._connection is not None and (is_finished or not self._connection.is_local):
                self._connection.close()
            self._workspace.close()

    def _check_paths(self) -> None:
        options = self._options
        if options.output.exists() and not options.overwrite and not options.dry_run:
            raise Refusal(f"{options.output} exists; --overwrite replaces it.")
        if Workspace.exists(options.folder) and not (options.resume or options.restart or options.dry_run):
            raise Refusal(f"{options.folder} has segments of an earlier run: --resume continues it, --restart discards "
                          "them.")
        if not os.access(options.output.parent, os.W_OK):
            raise Refusal(f"The folder {options.output.parent} cannot be written.")

    def _render(self) -> None:
        options, workspace = self._options, self._workspace
        if options.resume and not options.dry_run and Workspace.exists(options.folder):
            workspace.open(restart=False)
        if workspace.manifest is not None and workspace.manifest.job is not None:
            film = self._resumed()
        else:
            film = study(options, _CODE, self._slots)
            self._show_plan(film)
            self._check_disk(film.size)
            if options.dry_run:
                return
            workspace.open(restart=True)
            film.frames.write(workspace.index)
            workspace.manifest.begin({**film.job, "fingerprint": film.fingerprint, "caps": film.caps,
                                      "pictures": film.pictures, "size": film.size})
        if self._connection is None:
            self._connection = connect(None, [], self._slots(film.frame_bytes))
        if not self._connection.is_local:
            examine_workers(self._connection, film, workspace)
        Rendering(self._connection, film, workspace, self._screen).run()
        write_film(workspace, film.job, film.frames, film.cuts, options.output)
        self._screen.say(f"Wrote {options.output}: {len(film.frames)} frames in {len(film.cuts)} segments, verified, "
                         f"{rough_time(time.monotonic() - self._began)}.")
        if not options.keep:
            workspace.remove()

    def _slots(self, frame_bytes: int) -> int:
        """How many segments are rendered at a time."""
        if self._connection is not None:
            return max(1, len(self._connection.workers()))
        return self._options.workers or default_workers(frame_bytes)

    def _show_plan(self, film: Study) -> None:
        frames, cuts, say = film.frames, film.cuts, self._screen.say
        for note in film.notes:
            say(f"Note: {note}")
        say(f"{self._options.source.name}: {timestamp(frames.duration)}, {len(frames)} frames; {len(cuts)} segments of "
            f"{cuts.step} frames on {self._slots(film.frame_bytes)} workers")
        say(f"{film.job['filter']} ! {film.job['encoder']} ! {film.job['muxer']}, about {film.size / 1e6:.0f} MB")

    def _check_disk(self, size: int) -> None:
        """The segments and the film are on the disk at the same time."""
        free = shutil.disk_usage(self._options.output.parent).free
        if free < 2 * size and not self._options.ignore_disk:
            raise Refusal(f"The film needs about {2 * size / 1e6:.0f} MB until it is complete, and {free / 1e6:.0f} MB "
                          f"are free in {self._options.output.parent}; --ignore-disk starts anyway.")

    def _resumed(self) -> Study:
        """The film of an earlier run; raises Refusal if the command is another one."""
        options, workspace = self._options, self._workspace
        job: dict[str, Any] = dict(workspace.manifest.job)
        mark, caps, pictures, size = (job.pop(key) for key in ("fingerprint", "caps", "pictures", "size"))
        wanted = {"source": str(options.source), "filter": options.filter, "encoder": options.encoder,
                  "lead_in": options.lead_in, "muxer": options.muxer, "verify": options.verify == "decode"}
        for name, value in wanted.items():
            if job[name] != value:
                raise Refusal(f"The earlier run had another {name}, {job[name]}; --restart discards its segments.")
        film = Study(job, FrameIndex.read(workspace.index), mark, caps, pictures, size, [])
        if film.fingerprint != fingerprint(str(options.source)):
            raise Refusal(f"{options.source} was changed since the earlier run; --restart discards its segments.")
        ask(str(workspace.code), "prove", filter=job["filter"], encoder=job["encoder"], caps=caps,
            lead_in=job["lead_in"], expected=job["versions"])
        bad = workspace.check_segments()
        files = {result.file for result in workspace.manifest.results.values()}
        unfinished = workspace.remove_unlisted(files)
        self._screen.say(f"Resuming: {len(workspace.manifest.results)} of {len(film.cuts)} segments are finished, "
                         f"{unfinished} unfinished, {len(bad)} damaged.")
        return film
