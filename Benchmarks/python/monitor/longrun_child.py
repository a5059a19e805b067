"""Plays a live 4K stream with every output of the monitor, and reads the memory, files and CPU time of the process."""
import os
import threading
import time
import urllib.request

from gi.repository import Gst

from process import monitor

LINE = (
    "videotestsrc is-live=true pattern=solid-color ! video/x-raw,format=I420,width=3840,height=2160,framerate=25/1 "
    "! tee name=t  t. ! queue ! fakesink name=show sync=true  "
    "t. ! queue ! videoscale method=nearest-neighbour ! video/x-raw,width=1920,height=1080 "
    "! x264enc tune=zerolatency speed-preset=ultrafast ! h264parse ! matroskamux name=m "
    "! fakesink name=file sync=false  "
    "audiotestsrc is-live=true ! opusenc ! queue ! m."
)
MONITOR = (
    "name=monitor report=none dashboard=127.0.0.1:0 log-file={0}/log log-interval={1} "
    "metrics-file={0}/metrics "
    "trace-file={0}/trace targets=\"encoder: p95=200ms, rate=20; pipeline: p95=500ms, memory=2000MB\""
)


class Client:
    """A client of the dashboard that receives the same events as the page in a browser."""

    def __init__(self, url):
        self.received = 0
        self.answer = urllib.request.urlopen(f"{url}events", timeout=30)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while block := self.answer.read1(65536):
                self.received += len(block)
        except OSError:
            pass


def play(seconds, every, folder):
    """Plays the stream, and takes a sample every `every` seconds, the first one when the pipeline plays."""
    # A short run would end before the first log line of the default interval, 10 s.
    interval = 10 * Gst.SECOND if seconds >= 60 else Gst.SECOND
    pipeline = Gst.parse_launch(f"{LINE} {monitor(MONITOR.format(folder, interval))}")
    counts = {"frames": 0}

    def passes(_, __):
        counts["frames"] += 1
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("show").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, passes)
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_state(10 * Gst.SECOND)
    client = Client(pipeline.get_by_name("monitor").get_property("dashboard-url"))
    begin, samples = time.monotonic(), []
    while True:
        samples.append(_sample(begin, folder, counts["frames"], client.received))
        due = begin + len(samples) * every
        if due > begin + seconds + every / 2:
            break
        error = _wait(pipeline, due)
        if error:
            return {"error": error}
    pipeline.set_state(Gst.State.NULL)
    return {"samples": samples, "line": f"{LINE} {monitor(MONITOR.format('…', interval))}"}


def _wait(pipeline, due):
    """Waits until the time `due`. Returns the text of an error, or None."""
    while (left := due - time.monotonic()) > 0:
        message = pipeline.get_bus().timed_pop_filtered(round(left * Gst.SECOND), Gst.MessageType.ERROR)
        if message:
            return message.parse_error()[0].message
    return None


def _sample(begin, folder, frames, received):
    with open("/proc/self/statm", encoding="ascii") as file:
        memory = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    files = {name: os.path.getsize(os.path.join(folder, name)) for name in ("log", "metrics", "trace")
             if os.path.exists(os.path.join(folder, name))}
    return {"time": time.monotonic() - begin, "memory": memory, "files": files, "frames": frames,
            "received": received, "threads": _threads(), "cpu": time.process_time()}


def _threads():
    """CPU time in seconds, by the name of the thread. Adds the times of threads with the same name."""
    times = {}
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as file:
                name = file.read().strip()
            with open(f"/proc/self/task/{task}/schedstat", encoding="ascii") as file:
                times[name] = times.get(name, 0) + int(file.read().split()[0]) / 1e9
        except OSError:
            continue  # The thread has ended meanwhile.
    return times
