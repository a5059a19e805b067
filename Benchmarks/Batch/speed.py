"""The speed of pipelines/batch against one pipeline on one processor."""

import hashlib
import inspect
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from store import FOLDER, TOP, Store

from render.manifest import Manifest

_CLIP = TOP / "pipelines" / "media" / "bigbuckbunny.webm"
_SIZE = "width=960,height=540"
_FILTER = "ntscfilter scale-with-video-size=true vhs-tape-speed=lp"
_ENCODER = "x264enc pass=qual quantizer=20 speed-preset=medium key-int-max=60"
_RATE = 25
# Speed that a number of workers must reach, where that of one worker is 1.
_GOALS = {2: 1.85, 4: 3.5}
# Seconds of the film that are rendered to estimate the time, and the time of the other runs, where that of
# gst-launch-1.0 is 1.
_SAMPLE_SECONDS = 8
_ESTIMATES = {"gst-launch-1.0": 1.0, "1": 1.15, "2": 0.6, "4": 0.32}


class Speed:
    """Measures each number of workers once."""

    def __init__(self, minutes: float, store: Store) -> None:
        self._minutes, self._store = minutes, store
        self._processors = sorted(os.sched_getaffinity(0))
        self._film_key = _film_key()
        self._film = FOLDER / f"film-{minutes:g}-{self._film_key}.mkv"
        self._result = FOLDER / "result.mkv"
        self._names = ["gst-launch-1.0"] + [str(n) for n in (1, 2, 4) if n <= len(self._processors)]

    def estimate(self) -> float:
        """Makes the film, and returns how many seconds the measurements take that are not stored."""
        if not self._film.exists():
            print(f"Making a film of {self._minutes:g} minutes", flush=True)
            for earlier in FOLDER.glob(f"film-{self._minutes:g}-*.mkv"):
                earlier.unlink()
            part = self._film.with_suffix(".part.mkv")
            _make_film(part, self._minutes * 60)
            part.replace(self._film)
        missing = [name for name in self._names if self._key(name) not in self._store]
        if not missing:
            return 0.0
        sample = FOLDER / "sample.mkv"
        _make_film(sample, _SAMPLE_SECONDS)
        seconds = self._launch(sample)["wall"] / _SAMPLE_SECONDS * self._minutes * 60
        return sum(_ESTIMATES[name] for name in missing) * seconds

    def _key(self, name: str) -> str:
        return f"speed {self._minutes:g} {self._film_key} {name}"

    @property
    def segment_seconds(self) -> float | None:
        """What one worker takes for a segment; None if it was not measured."""
        if self._key("1") not in self._store:
            return None
        one = self._store[self._key("1")]
        return one["seconds"] / one["segments"]

    def measure(self) -> list[str]:
        """Prints the table; returns the goals that were missed."""
        print(f"{self._minutes:g} minutes of {_SIZE}, {_FILTER} ! {_ENCODER}")
        print(f"{'':24}{'seconds':>9}{'once':>7}{'processor s':>13}{'speed':>8}{'of gst-launch-1.0':>19}", flush=True)
        for name in self._names:
            if self._key(name) not in self._store:
                self._store[self._key(name)] = self._launch(self._film) if name == "gst-launch-1.0" \
                    else self._batch(int(name))
            self._print(name)
        self._result.unlink(missing_ok=True)
        one, missed = self._store[self._key("1")], []
        for workers, goal in _GOALS.items():
            if str(workers) in self._names:
                reached, how = one["wall"] / self._store[self._key(str(workers))]["wall"], "measured"
            else:
                reached, how = _bound(one, workers), "bound"
                print(f"{f'{workers} workers, {workers} cores':24}{one['wall'] / reached:9.1f}{'':20}{reached:8.2f}"
                      f"{self._store[self._key('gst-launch-1.0')]['wall'] * reached / one['wall']:19.2f}  (bound)")
            if reached < goal:
                missed.append(f"{workers} workers: {reached:.2f} ({how}) instead of {goal}")
        print("speed: of one worker. once: seconds in which no segment is rendered. bound: the time of one worker,\n"
              "with its segments divided among the workers in whole rounds, and the time that is spent once.\n"
              "gst-launch-1.0 does not decode its result, as a worker does.")
        return missed

    def _print(self, name: str) -> None:
        run, plain = self._store[self._key(name)], self._store[self._key("gst-launch-1.0")]
        if name == "gst-launch-1.0":
            print(f"{'gst-launch-1.0, 1 core':24}{run['wall']:9.1f}{'':7}{run['processor']:13.1f}", flush=True)
            return
        one = self._store[self._key("1")]
        label = f"{name} worker{'' if name == '1' else 's'}, {name} core{'' if name == '1' else 's'}"
        print(f"{label:24}{run['wall']:9.1f}{run['once']:7.1f}{run['processor']:13.1f}{one['wall'] / run['wall']:8.2f}"
              f"{plain['wall'] / run['wall']:19.2f}", flush=True)

    def _launch(self, film: Path) -> dict[str, Any]:
        return _run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={film}", "!", "decodebin", "caps=video/x-raw(ANY)",
             "expose-all-streams=false", "!", "videoconvert", "!", *_FILTER.split(), "!", "videoconvert", "!",
             *_ENCODER.split(), "!", "matroskamux", "!", "filesink", f"location={self._result}"], self._processors[:1])

    def _batch(self, workers: int) -> dict[str, Any]:
        """Also the seconds of each segment, and those in which none is rendered."""
        folder = self._result.with_name(self._result.name + ".batch")
        shutil.rmtree(folder, ignore_errors=True)
        run = _run([TOP / "pipelines" / "batch", self._film, self._result, "--overwrite", "--keep", "--workers",
                    str(workers), "--encoder", _ENCODER, "--filter", _FILTER], self._processors[:workers])
        seconds = [result.seconds for result in Manifest(folder / "manifest").results.values()]
        shutil.rmtree(folder)
        return {**run, "segments": len(seconds), "seconds": sum(seconds), "once": run["wall"] - sum(seconds) / workers}


def _bound(one: dict[str, Any], workers: int) -> float:
    """The speed of some workers, from a run of one worker."""
    rounds = -(-one["segments"] // workers)
    return one["wall"] / (one["once"] + rounds * one["seconds"] / one["segments"])


def _run(command: Sequence[str | Path], processors: list[int]) -> dict[str, Any]:
    """Wall time and processor time of a command, in seconds."""
    before, began = _processor_time(), time.monotonic()
    subprocess.run(["taskset", "-c", ",".join(map(str, processors)), *map(str, command)], check=True,
                   stdout=subprocess.DEVNULL)
    return {"wall": time.monotonic() - began, "processor": _processor_time() - before}


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _film_key() -> str:
    """A checksum of what the film is made of, and of the program that makes it."""
    version = subprocess.run(["gst-launch-1.0", "--version"], check=True, capture_output=True).stdout
    parts = [_CLIP.read_bytes(), inspect.getsource(_make_film).encode(), f"{_SIZE} {_RATE}".encode(), version]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def _make_film(path: Path, seconds: float) -> None:
    """The frames of the clip again and again, as H.264."""
    pictures = path.with_suffix("")
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir()
    frames = pictures / "%03d.jpg"
    _launch(f"filesrc location={_CLIP} ! decodebin caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert ! "
            f"videoscale ! video/x-raw,{_SIZE} ! jpegenc quality=95 ! multifilesink location={frames}")
    last = len(list(pictures.iterdir())) - 1
    _launch(f"multifilesrc location={frames} stop-index={last} loop=true num-buffers={round(seconds * _RATE)} "
            f"caps=image/jpeg,framerate={_RATE}/1 ! jpegdec ! videoconvert ! x264enc speed-preset=veryfast "
            f"key-int-max=100 ! matroskamux ! filesink location={path}")
    shutil.rmtree(pictures)


def _launch(line: str) -> None:
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
