"""Applications in Python that act on a pipeline or replace gst-launch-1.0."""
import collections
import random
import threading
import time

from gi.repository import Gst

import changes
import servers
from changes import Application
from recorder import Tap


def make(row, player):
    """Returns the application of a row, or None if the row has none."""
    if not row.application:
        return None
    name, *arguments = row.application
    kinds = {"pull": Pull, "work": Work, "jitter": Jitter, "bursts": Bursts, "change-caps": ChangeCaps, "seek": Seek,
             "pause": Pause, **changes.KINDS, **servers.KINDS}
    return kinds[name](player, *arguments)


class Pull(Application):
    """Pulls samples from an appsink. Keeps the last `held` samples (all if None). Takes `milliseconds` for each."""

    def __init__(self, player, held, milliseconds=0):
        super().__init__(player)
        self.held = collections.deque(maxlen=held)
        self.milliseconds = milliseconds

    def attached(self):
        self.sink = self.player.pipeline.get_by_name("end")
        # Count the samples that the application has processed, instead of the buffers at the pad.
        tap, self.done = self.player.recorder.end, Tap()
        self.done.segments = tap.segments
        self.player.recorder.end = self.done
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.player.ended is None:
            sample = self.sink.emit("try-pull-sample", 100 * Gst.MSECOND)
            if sample is None:
                # Before the start and after EOS, `try-pull-sample` returns at once, so do not call it continuously.
                time.sleep(0.002)
                continue
            self.held.append(sample)
            if self.milliseconds:
                time.sleep(self.milliseconds / 1000)
            self.done.arrived(sample.get_buffer().pts)
            del sample


class Work(Application):
    """Sleeps for each frame before the element `end`, like a consumer that processes the frame."""

    def __init__(self, player, course, usual, other):
        super().__init__(player)
        self.course, self.usual, self.other = course, usual, other
        self.random = random.Random(7)
        self.count = 0

    def attached(self):
        pad = self.player.pipeline.get_by_name("end").get_static_pad("sink")
        pad.add_probe(Gst.PadProbeType.BUFFER, self._work)

    def _work(self, *_):
        self.count += 1
        time.sleep(self._milliseconds() / 1000)
        return Gst.PadProbeReturn.OK

    def _milliseconds(self):
        half = self.player.seconds * self.player.row.fps / 2
        if self.course == "random":
            return self.random.uniform(self.usual, self.other)
        if self.course == "slower":
            return self.usual if self.count < half else self.other
        return self.other if self.count == round(half / 2) else self.usual


class Jitter(Application):
    """Delays each frame before the queue by a random time, like a network."""

    def __init__(self, player, most):
        super().__init__(player)
        self.most = most
        self.random = random.Random(7)

    def attached(self):
        pad = self.player.pipeline.get_by_name("jitter").get_static_pad("sink")
        pad.add_probe(Gst.PadProbeType.BUFFER, self._delay)

    def _delay(self, *_):
        time.sleep(self.milliseconds() / 1000)
        return Gst.PadProbeReturn.OK

    def milliseconds(self):
        return self.random.uniform(0, self.most)


class Bursts(Jitter):
    """Delays each `every`th frame. The frames after it then arrive in a burst."""

    def __init__(self, player, every, milliseconds):
        super().__init__(player, milliseconds)
        self.every = every
        self.count = 0

    def milliseconds(self):
        self.count += 1
        return self.most if self.count % self.every == 0 else 0


class ChangeCaps(Application):
    """Changes the size in the caps after half of the nominal time."""

    def __init__(self, player, width, height):
        super().__init__(player)
        self.size = width, height

    def attached(self):
        self.at(0.5, self._change)

    def _change(self):
        caps_filter = self.player.pipeline.get_by_name("caps")
        caps = caps_filter.get_property("caps").copy()
        caps.set_value("width", self.size[0])
        caps.set_value("height", self.size[1])
        caps_filter.set_property("caps", caps)


class Seek(Application):
    """Seeks back to the start two times."""

    def attached(self):
        for share in (0.3, 0.5):
            self.at(share, self._seek)

    def _seek(self):
        self.player.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, 0)


class Pause(Application):
    """Pauses the pipeline after half of the nominal time."""

    def __init__(self, player, milliseconds):
        super().__init__(player)
        self.milliseconds = milliseconds

    def attached(self):
        self.at(0.5, self._set, Gst.State.PAUSED)
        self.at(0.5 + self.milliseconds / 1000 / self.player.seconds, self._set, Gst.State.PLAYING)

    def _set(self, state):
        self.player.pipeline.set_state(state)
