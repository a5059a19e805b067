"""Measures the speed of pipelines/batch relative to one gst-launch-1.0 on one processor."""

import hashlib
import inspect
import os
import resource
import shutil
import subprocess
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from row import Row
from store import FOLDER, TOP, Store

from render.frames import FrameIndex
from render.manifest import Manifest
from render.plan import START, cut_evenly
from render.study import LONGEST_SEGMENT
from render.times import SECOND

_CLIP = TOP / "pipelines" / "media" / "bigbuckbunny.webm"
FILM_SIZE = "width=960,height=540"
_FILTER = "ntscfilter scale-with-video-size=true vhs-tape-speed=lp"
_KEY_INTERVAL = 60
_ENCODER = f"x264enc pass=qual quantizer=20 speed-preset=medium key-int-max={_KEY_INTERVAL}"
_RATE = 25
# Minimum speed for each number of workers, relative to one worker.
_GOALS = {2: 1.85, 4: 3.5}
# Seconds of film that gst-launch-1.0 renders for the time estimate, and estimated time of each measurement relative to
# that of gst-launch-1.0.
_SAMPLE_SECONDS = 8
_ESTIMATES = {"gst-launch-1.0": 1.0, "halves": 0.55, "1": 1.15, "2": 0.6, "4": 0.32}


class Speed:
    """Measures each number of workers once."""

    def __init__(self, minutes: float, store: Store) -> None:
        self._minutes, self._store = minutes, store
        self._processors = sorted(os.sched_getaffinity(0))
        self._film_key = _film_key()
        self._film = FOLDER / f"film-{minutes:g}-{self._film_key}.mkv"
        self._result = FOLDER / "result.mkv"
        # In "halves", two pipelines run at the same time. Each of them renders half of the frames.
        self._names = ["gst-launch-1.0"] + ["halves"] * (len(self._processors) > 1) + [
            str(n) for n in (1, 2, 4) if n <= len(self._processors)]

    def estimate(self) -> float:
        """Makes the film. Returns the estimated duration of the missing measurements, in seconds."""
        if not self._film.exists():
            print(f"Making a film of {self._minutes:g} minutes", flush=True)
            for earlier in FOLDER.glob(f"film-{self._minutes:g}-*.mkv"):
                earlier.unlink()
            part = self._film.with_suffix(".part.mkv")
            make_film(part, self._minutes * 60)
            part.replace(self._film)
        missing = [name for name in self._names if self._key(name) not in self._store]
        if not missing:
            return 0.0
        sample = FOLDER / "sample.mkv"
        make_film(sample, _SAMPLE_SECONDS)
        seconds = self._launch(sample)["wall"] / _SAMPLE_SECONDS * self._minutes * 60
        return sum(_ESTIMATES[name] for name in missing) * seconds

    def _key(self, name: str) -> str:
        return f"speed {self._minutes:g} {self._film_key} {name}"

    @property
    def segment_seconds(self) -> float | None:
        """Time that one worker takes per segment, in seconds; None if it was not measured."""
        if self._key("1") not in self._store:
            return None
        one = self._store[self._key("1")]
        return one["seconds"] / one["segments"]

    def measure(self) -> list[str]:
        """Prints the table. Returns a sentence for each missed goal."""
        print(f"{self._minutes:g} minutes of {FILM_SIZE}, {_FILTER} ! {_ENCODER}")
        print(Row.header(), flush=True)
        for name in self._names:
            if self._key(name) not in self._store:
                self._store[self._key(name)] = self._measure(name)
            print(self._row(name).line(), flush=True)
        self._result.unlink(missing_ok=True)
        missed = []
        for workers, goal in _GOALS.items():
            is_measured = str(workers) in self._names
            row = self._row(str(workers)) if is_measured else self._bound_row(workers)
            if not is_measured:
                print(row.line())
            if row.speed < goal:
                missed.append(f"{row.label}: {row.speed:.2f} instead of {goal}")
        print("speed: relative to one worker. once: seconds in which no worker renders a segment. bound: computed\n"
              "from the run of one worker: its frames are divided among the workers, and the time `once` is added.\n"
              f"The start of a segment costs as much as {START / SECOND:g} s of the film.\n"
              "gst-launch-1.0 does not decode its result, as a worker does. Two of them that render half of the\n"
              "frames each show what two cores can reach.")
        return missed

    def markdown(self) -> list[str]:
        """The table for docs/batch.md. Call `measure` before."""
        rows = [self._row(name) for name in self._names]
        rows += [self._bound_row(workers) for workers in _GOALS if str(workers) not in self._names]
        return [f"{self._minutes:g} minutes of video ({FILM_SIZE}), `{_FILTER} ! {_ENCODER}`.",
                "The column `once` has the seconds in which no segment is rendered; the speed is relative to one",
                "worker. A bound is not measured: the frames of one worker are divided among more, and each segment",
                f"starts in the time of {START / SECOND:g} s of the film. `gst-launch-1.0` does not decode its result,",
                "as a worker does. Two of them that render half of the frames each have nothing in common but the",
                "machine: the row shows what two cores can reach.", "",
                *Row.markdown_header(), *(row.markdown() for row in rows)]

    def _row(self, name: str) -> Row:
        run, launch = self._store[self._key(name)], self._store[self._key("gst-launch-1.0")]
        if name == "gst-launch-1.0":
            return Row("gst-launch-1.0, 1 core", run["wall"], processor=run["processor"])
        if name == "halves":
            return Row("2 x gst-launch-1.0, 2 cores", run["wall"], processor=run["processor"],
                       of_launch=launch["wall"] / run["wall"])
        plural = "" if name == "1" else "s"
        return Row(f"{name} worker{plural}, {name} core{plural}", run["wall"], run["once"], run["processor"],
                   self._store[self._key("1")]["wall"] / run["wall"], launch["wall"] / run["wall"])

    def _bound_row(self, workers: int) -> Row:
        one, launch = self._store[self._key("1")], self._store[self._key("gst-launch-1.0")]
        speed = bound(one, workers)
        return Row(f"{workers} workers, bound", one["wall"] / speed, one["once"], None, speed,
                   launch["wall"] * speed / one["wall"])

    def _measure(self, name: str) -> dict[str, Any]:
        if name == "gst-launch-1.0":
            return self._launch(self._film)
        if name == "halves":
            return self._launch_halves()
        return self._batch(int(name))

    def _launch(self, film: Path) -> dict[str, Any]:
        return run([_pinned(self._processors[:1], launch_command(film, self._result))])

    def _launch_halves(self) -> dict[str, Any]:
        """Runs two pipelines at the same time. Both render the first half, because the film only repeats a clip."""
        half = round(self._minutes * 60 * _RATE / 2)
        results = [self._result.with_suffix(f".{index}.mkv") for index in range(2)]
        measured = run([_pinned([processor], launch_command(self._film, result, half))
                        for processor, result in zip(self._processors, results)])
        for result in results:
            result.unlink()
        return measured

    def _batch(self, workers: int) -> dict[str, Any]:
        """Renders in segments. Also returns their number and time, the number of frames, and the other time."""
        folder = self._result.with_name(self._result.name + ".batch")
        shutil.rmtree(folder, ignore_errors=True)
        # By default, one worker would render in one pass. To be comparable, it must render segments like more workers.
        division = ["--segment", f"{LONGEST_SEGMENT // SECOND}s"] if workers == 1 else []
        measured = run([_pinned(self._processors[:workers], batch_command(
            self._film, self._result, "--keep", "--workers", workers, *division))])
        results = Manifest(folder / "manifest").results.values()
        shutil.rmtree(folder)
        seconds = sum(result.seconds for result in results)
        return {**measured, "segments": len(results), "frames": sum(result.frames for result in results),
                "seconds": seconds, "once": measured["wall"] - seconds / workers}


def bound(one: dict[str, Any], workers: int) -> float:
    """Computes, from a run of one worker, the speed of several workers with the default division.

    The measured `seconds` include the start of each segment. `START` in `plan` is the estimated time of a start.
    """
    frames = FrameIndex(array("q", (number * SECOND // _RATE for number in range(one["frames"]))))
    most = cut_evenly(frames, workers, LONGEST_SEGMENT, _KEY_INTERVAL).most_work(workers, frames.frame_duration)
    work = one["frames"] + one["segments"] * START / frames.frame_duration
    return one["wall"] / (one["once"] + one["seconds"] * most / work)


def launch_command(film: Path, result: Path, frames: int | None = None) -> list[object]:
    """A pipeline that renders a film, or only its first `frames` frames."""
    limit = ["!", "identity", f"eos-after={frames + 1}"] if frames else []
    return ["gst-launch-1.0", "-q", "filesrc", f"location={film}", "!", "decodebin", "caps=video/x-raw(ANY)",
            "expose-all-streams=false", *limit, "!", "videoconvert", "!", *_FILTER.split(), "!", "videoconvert", "!",
            *_ENCODER.split(), "!", "matroskamux", "!", "filesink", f"location={result}"]


def batch_command(film: Path, result: Path, *options: object) -> list[object]:
    return [TOP / "pipelines" / "batch", film, result, "--overwrite", "--encoder", _ENCODER, "--filter", _FILTER,
            *options]


def _pinned(processors: Sequence[int], command: Sequence[object]) -> list[str]:
    return ["taskset", "-c", ",".join(map(str, processors)), *map(str, command)]


def run(commands: Sequence[Sequence[str]], with_output: bool = False) -> dict[str, Any]:
    """Runs commands at the same time. Returns wall and processor time in seconds, and their output on request."""
    before, began = _processor_time(), time.monotonic()
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE if with_output else subprocess.DEVNULL, text=True)
                 for command in commands]
    try:
        for process, command in zip(processes, commands):
            if status := process.wait():
                raise subprocess.CalledProcessError(status, command)
    finally:
        for process in processes:
            process.kill()
    found = {"wall": time.monotonic() - began, "processor": _processor_time() - before}
    return {**found, "output": "".join(process.stdout.read() for process in processes)} if with_output else found


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _film_key() -> str:
    """Checksum of the clip, the code that makes the film, and the version of GStreamer."""
    version = subprocess.run(["gst-launch-1.0", "--version"], check=True, capture_output=True).stdout
    parts = [_CLIP.read_bytes(), inspect.getsource(make_film).encode(), f"{FILM_SIZE} {_RATE}".encode(), version]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def make_film(path: Path, seconds: float) -> None:
    """Writes a film that repeats the frames of the clip, as H.264."""
    pictures = path.with_suffix("")
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir()
    frames = pictures / "%03d.jpg"
    _launch(f"filesrc location={_CLIP} ! decodebin caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert ! "
            f"videoscale ! video/x-raw,{FILM_SIZE} ! jpegenc quality=95 ! multifilesink location={frames}")
    last = len(list(pictures.iterdir())) - 1
    _launch(f"multifilesrc location={frames} stop-index={last} loop=true num-buffers={round(seconds * _RATE)} "
            f"caps=image/jpeg,framerate={_RATE}/1 ! jpegdec ! videoconvert ! x264enc speed-preset=veryfast "
            f"key-int-max=100 ! matroskamux ! filesink location={path}")
    shutil.rmtree(pictures)


def _launch(line: str) -> None:
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
