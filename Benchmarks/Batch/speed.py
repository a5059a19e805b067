"""The speed of pipelines/batch against one pipeline on one processor."""

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

_TOP = Path(__file__).parent.parent.parent
_CLIP = _TOP / "pipelines" / "media" / "bigbuckbunny.webm"
_FILTER = "ntscfilter scale-with-video-size=true vhs-tape-speed=lp"
_ENCODER = "x264enc pass=qual quantizer=20 speed-preset=medium key-int-max=60"
# Speed that a number of workers must reach, where that of one worker is 1.
_GOALS = {2: 1.85, 4: 3.5}


class _Run:
    """Wall time and processor time of a command, in seconds."""

    def __init__(self, command: Sequence[str | Path], processors: list[int]) -> None:
        before, began = _processor_time(), time.monotonic()
        subprocess.run(["taskset", "-c", ",".join(map(str, processors)), *map(str, command)], check=True,
                       stdout=subprocess.DEVNULL)
        self.wall, self.processor = time.monotonic() - began, _processor_time() - before


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _make_film(path: Path, minutes: float) -> None:
    """The frames of the clip again and again, as H.264."""
    frames = path.with_suffix("") / "%03d.jpg"
    frames.parent.mkdir()
    _launch(f"filesrc location={_CLIP} ! decodebin caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert ! "
            f"jpegenc quality=95 ! multifilesink location={frames}")
    last = len(list(frames.parent.iterdir())) - 1
    _launch(f"multifilesrc location={frames} stop-index={last} loop=true num-buffers={round(minutes * 60 * 25)} "
            "caps=image/jpeg,framerate=25/1 ! jpegdec ! videoconvert ! x264enc speed-preset=veryfast key-int-max=100 ! "
            f"matroskamux ! filesink location={path}")


def _launch(line: str) -> None:
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)


def measure_speed(minutes: float) -> list[str]:
    """Prints the table; returns the goals that were missed."""
    processors = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="batch-speed-") as folder:
        film, result = Path(folder) / "film.mkv", Path(folder) / "result.mkv"
        _make_film(film, minutes)
        one = _Run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={film}", "!", "decodebin", "caps=video/x-raw(ANY)",
             "expose-all-streams=false", "!", "videoconvert", "!", *_FILTER.split(), "!", "videoconvert", "!",
             *_ENCODER.split(), "!", "matroskamux", "!", "filesink", f"location={result}"], processors[:1])
        print(f"{minutes:g} minutes of 1280x720, {_FILTER} ! {_ENCODER}")
        print(f"{'':24}{'seconds':>9}{'processor s':>13}{'speed':>8}{'bound':>8}{'of gst-launch-1.0':>19}")
        print(f"{'gst-launch-1.0, 1 core':24}{one.wall:9.1f}{one.processor:13.1f}", flush=True)
        missed, single = [], None
        for workers in (1, 2, 4):
            used = processors[:min(workers, len(processors))]
            run = _Run([_TOP / "pipelines" / "batch", film, result, "--overwrite", "--workers", str(workers),
                        "--encoder", _ENCODER, "--filter", _FILTER], used)
            single = single or run
            speed, bound = single.wall / run.wall, workers * single.processor / run.processor
            print(f"{f'{workers} workers, {len(used)} cores':24}{run.wall:9.1f}{run.processor:13.1f}{speed:8.2f}"
                  f"{bound:8.2f}{one.wall / run.wall:19.2f}", flush=True)
            reached = speed if len(used) == workers else bound
            if workers in _GOALS and reached < _GOALS[workers]:
                missed.append(f"{workers} workers: {reached:.2f} instead of {_GOALS[workers]}")
    print("speed: of one worker. bound: the speed on as many cores as workers, by the processor time that was used.\n"
          "gst-launch-1.0 does not decode its result, as a worker does.")
    return missed
