"""Helpers for the tests in this folder: clips, runs of pipelines/batch, and checksums of frames."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from array import array
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

TOP = Path(__file__).parent.parent.parent
sys.path[:0] = [str(TOP / "pipelines"), str(TOP / "Tests")]

from patience import PATIENCE  # noqa: E402
from render.checks import Result  # noqa: E402
from render.cluster import Connection  # noqa: E402
from render.frames import FrameIndex  # noqa: E402
from render.times import SECOND  # noqa: E402

# Command for new namespaces. Other users than root require a user namespace (-r), which root cannot create in a chroot.
UNSHARE = ("unshare",) if os.geteuid() == 0 else ("unshare", "-r")
LOSSLESS = "avenc_ffv1 gop-size=5"
FILTER = "ntscfilter scale-with-video-size=true vhs-tape-speed=lp"

# Launch lines of the clips, without the sink, by the name of the clip.
CLIPS = {
    "odd.mkv": "videotestsrc num-buffers=101 pattern=ball ! video/x-raw,format=I420,width=161,height=91,"
               "framerate=30000/1001 ! avenc_ffv1 ! matroskamux",
    "short.mkv": "audiotestsrc num-buffers=57 wave=ticks ! audio/x-raw,rate=48000 ! avenc_aac ! aacparse ! queue ! "
                 "mux. videotestsrc num-buffers=30 pattern=ball ! video/x-raw,format=I420,width=80,height=48,"
                 "framerate=25/1 ! avenc_ffv1 ! queue ! matroskamux name=mux",
    "pictures.mkv": "videotestsrc num-buffers=75 pattern=ball ! video/x-raw,width=80,height=48,framerate=25/1 ! "
                    "jpegenc ! matroskamux",
    "vorbis.mkv": "audiotestsrc num-buffers=20 ! vorbisenc ! queue ! mux. videotestsrc num-buffers=10 ! "
                  "video/x-raw,width=80,height=48,framerate=25/1 ! x264enc ! h264parse ! queue ! matroskamux name=mux",
    # The distance of the frames is 2 ms.
    "fast.mkv": "videotestsrc num-buffers=90 pattern=ball ! video/x-raw,format=I420,width=80,height=48,"
                "framerate=500/1 ! avenc_ffv1 ! matroskamux",
    "interlaced.mp4": "videotestsrc num-buffers=120 pattern=ball ! video/x-raw,width=160,height=96,framerate=50/1 ! "
                      "interlace field-pattern=1:1 top-field-first=true ! x264enc interlaced=true key-int-max=25 ! "
                      "h264parse ! mp4mux",
    "broadcast.ts": "videotestsrc num-buffers=75 pattern=ball ! video/x-raw,width=160,height=96,framerate=25/1 ! "
                    "x264enc key-int-max=20 ! h264parse ! mpegtsmux",
    "plain.y4m": "videotestsrc num-buffers=60 pattern=ball ! video/x-raw,width=160,height=96,framerate=25/1 ! y4menc",
    "sound.mkv": "audiotestsrc num-buffers=282 wave=ticks ! audio/x-raw,rate=48000 ! avenc_aac ! aacparse ! queue ! "
                 "mux. videotestsrc num-buffers=150 pattern=ball ! video/x-raw,width=320,height=180,framerate=25/1 "
                 "! x264enc key-int-max=25 ! h264parse ! queue ! matroskamux name=mux",
    # The video begins 0.5 s after the audio.
    "late.mkv": "audiotestsrc num-buffers=282 wave=ticks ! audio/x-raw,rate=48000 ! avenc_aac ! aacparse ! queue ! "
                "mux. videotestsrc num-buffers=150 timestamp-offset=500000000 pattern=ball ! video/x-raw,width=320,"
                "height=180,framerate=25/1 ! x264enc key-int-max=25 ! h264parse ! queue ! matroskamux name=mux",
    # The demuxer sets a PTS only on key frames.
    "old.avi": "audiotestsrc num-buffers=130 ! audio/x-raw,rate=44100 ! lamemp3enc ! mpegaudioparse ! queue ! mux. "
               "videotestsrc num-buffers=75 pattern=ball ! video/x-raw,width=160,height=96,framerate=25/1 ! "
               "x264enc key-int-max=25 bframes=0 ! h264parse ! queue ! avimux name=mux",
    "delayed.mp4": "audiotestsrc num-buffers=88 ! audio/x-raw,rate=44100 ! avenc_aac ! aacparse ! queue ! mux. "
                   "videotestsrc num-buffers=50 ! video/x-raw,width=160,height=96,framerate=25/1 ! x264enc ! "
                   "h264parse ! queue ! mp4mux name=mux",
}


def can_mount() -> bool:
    mount = [*UNSHARE, "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(mount, capture_output=True).returncode == 0


class Batch:
    """Runs pipelines/batch with files in a temporary folder."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="batch test ")
        self.folder = Path(self._folder.name)
        self.environment = {**os.environ, "PYTHONPATH": str(TOP / "pipelines")}

    def close(self) -> None:
        self._folder.cleanup()

    def clip(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            self.launch(f'{CLIPS[name]} ! filesink location="{path}"')
        return path

    def launch(self, line: str) -> None:
        subprocess.run(["gst-launch-1.0", "-q", *shlex.split(line)], check=True, env=self.environment, timeout=PATIENCE,
                       capture_output=True)

    def start(self, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.Popen:
        """Starts the program. Redirects standard error to its output."""
        return subprocess.Popen([*prefix, str(TOP / "pipelines" / "batch"), *map(str, arguments)],
                                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, *arguments: str | Path) -> tuple[int, str]:
        """Runs the program. Returns its exit status and its output."""
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, output

    def reference(self, source: Path, encoder: str = LOSSLESS, filter_: str = FILTER) -> Path:
        """Renders the video of `source` with a single pipeline. Returns the path of the result."""
        path = self.folder / f"reference-{source.name}-{zlib.crc32((filter_ + encoder).encode()):x}.mkv"
        if not path.exists():
            self.launch(f'filesrc location="{source}" ! decodebin caps=video/x-raw(ANY) expose-all-streams=false ! '
                        f"videoconvert ! {filter_} ! videoconvert ! {encoder} ! matroskamux ! "
                        f'filesink location="{path}"')
        return path


def dask_workers(workers: int) -> Connection:
    """Starts Dask workers in this process."""
    from distributed import LocalCluster

    from render.remote import connect

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, memory_limit=None,
                           dashboard_address=":0")
    connection = connect(cluster, [])
    with ExitStack() as closing:
        closing.enter_context(cluster)
        # Close the client before its cluster.
        closing.enter_context(connection._closing.pop_all())
        connection._closing = closing.pop_all()
    return connection


def frame_sums(path: Path) -> list[str]:
    """Time and MD5 of each decoded frame, as checksumsink prints them."""
    run = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin", "caps=video/x-raw(ANY)",
         "expose-all-streams=false", "!", "videoconvert", "!", "video/x-raw,format=ABGR64_LE", "!", "checksumsink",
         "hash=md5", "sync=false"], check=True, capture_output=True, text=True, timeout=PATIENCE)
    return run.stdout.split("\n")[:-1]


def audio_packets(path: Path) -> list[str]:
    """Time and MD5 of each audio packet, as checksumsink prints them."""
    run = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "parsebin", "name=reader", "reader.", "!",
         "audio/mpeg", "!", "checksumsink", "hash=md5", "sync=false"],
        capture_output=True, text=True, timeout=PATIENCE, check=False)
    return run.stdout.split("\n")[:-1]


def numbers(script: str, *arguments: str | Path) -> list[float]:
    """Runs a script of this folder. Returns the numbers that it prints."""
    run = subprocess.run(["/usr/bin/python3", str(Path(__file__).parent / script), *map(str, arguments)],
                         capture_output=True, text=True, timeout=PATIENCE, check=True)
    return [float(line) for line in run.stdout.split()]


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Waits until a condition is true. Fails after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("the condition did not become true")
        threading.Event().wait(0.01)


def finished_segments(output: Path) -> int:
    """Number of segments in the manifest of a film."""
    try:
        text = (output.with_name(output.name + ".batch") / "manifest").read_text(encoding="utf-8")
    except FileNotFoundError:
        return 0
    return text.count('{"segment":')


def descendants(pid: int, word: str) -> list[int]:
    """Descendants of the process `pid` whose command line contains `word`."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
            except (OSError, ValueError):
                continue

    def is_below(process: int) -> bool:
        while process in parents and process != pid:
            process = parents[process]
        return process == pid

    return [process for process in commands if process != pid and word in commands[process] and is_below(process)]


def kill_descendant(pid: int, word: str) -> bool:
    """Kills a descendant that has not ended by itself. Returns False if there is no such descendant."""
    def state(child: int) -> str:
        try:
            return Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return "X"

    for child in descendants(pid, word):
        with suppress(ProcessLookupError):
            # A stopped process cannot end before the second signal.
            os.kill(child, signal.SIGSTOP)
            wait_until(lambda: state(child) in "TZX")
            if state(child) == "T":
                os.kill(child, signal.SIGKILL)
                return True
    return False


def poison(folder: Path) -> Path:
    """Writes modules into a folder. When Python imports one, it creates a file. Returns the path of this file."""
    trace = folder / "has run"
    for name in ("json.py", "gi.py", "render/__init__.py", "render/__main__.py", "render/media/__init__.py"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(trace)!r}, 'w')\nraise SystemExit\n")
    return trace


def index(count: int, step: int = SECOND // 25) -> FrameIndex:
    """An index of frames with a constant rate."""
    return FrameIndex(array("q", range(0, count * step, step)))


def result(number: int, **changes: Any) -> Result:
    """The result of a finished segment whose pictures match those of its neighbours."""
    whole = Result(number, f"{number:06}-{'0' * 12}.seg", 1, "d", "caps", 10, [number], [number + 1], "", "seek", 0)
    return replace(whole, **changes)
