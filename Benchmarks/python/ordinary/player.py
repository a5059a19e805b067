"""Plays one row with one queue in its own process and prints the result as JSON."""
import json
import os
import subprocess
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

import applications
import figures
from recorder import Recorder


class Player:
    """A pipeline from its start to EOS, an error, or the time limit."""

    def __init__(self, row, queue, seconds, clip, folder):
        self.row = row
        self.seconds = row.seconds(seconds)
        self.recorder = Recorder(row)
        self.loop = GLib.MainLoop()
        self.started = self.ended = None
        self.result = "ended"
        text = row.text(queue, self.seconds, clip, folder)
        self.application = applications.make(row, self)
        # An application creates its own pipeline, because some, such as a server, own their pipeline.
        self.pipeline = self.application.pipeline(text) if self.application else Gst.parse_launch(text)

    def attach(self):
        """Adds the taps at the pads where the row counts frames."""
        queue = self.pipeline.get_by_name("q")
        if queue is not None:
            self.recorder.attach_queue(queue)
        end = self.pipeline.get_by_name(self.row.end)
        if self.row.end != "q" and end is not None:
            self.recorder.attach_end(end)

    def play(self):
        self.attach()
        if self.row.latency is not None:
            self.pipeline.set_latency(round(self.row.latency * Gst.MSECOND))
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self._message)
        if self.application:
            self.application.attached()
        self.started = time.monotonic_ns()
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            GLib.timeout_add(200, self.end, "error")
        else:
            GLib.timeout_add(round(self.limit() * 1000), self.end, "hangs")
        self.loop.run()
        return figures.of_run(self)

    def limit(self):
        """Seconds after which the pipeline counts as hanging."""
        return 20 + 4 * self.seconds

    def end(self, result):
        if self.ended is None:
            self.ended, self.result = time.monotonic_ns(), result
            self.loop.quit()
        return False

    def _message(self, _, message):
        self.recorder.message(message)
        if message.type == Gst.MessageType.EOS and message.src == self.pipeline:
            self.end("ended")
        elif message.type == Gst.MessageType.ERROR:
            self.end("error")


def play(row, queue, seconds, clip, folder):
    """Plays a row in this process, prints the figures, and ends the process."""
    Gst.init(None)
    hogs = [_hog() for _ in range(row.hogs)]
    try:
        player = Player(row, queue, seconds, clip, folder)
        print(json.dumps(player.play()), flush=True)
        # Print the figures before the state change, which may hang.
        player.pipeline.set_state(Gst.State.NULL)
        if player.application:
            player.application.stop()
        print("stopped", flush=True)
    finally:
        for hog in hogs:
            hog.kill()
    sys.stdout.flush()
    os._exit(0)


def _hog():
    """Starts a process that loads a processor until its parent ends."""
    return subprocess.Popen(
        [sys.executable, "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(99999))"]
    )
