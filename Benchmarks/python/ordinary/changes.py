"""Applications that change properties, the state or the links of a pipeline while it plays."""
import threading
import time

from gi.repository import GLib, Gst


class Application:
    """An application that makes its pipeline from a launch line."""

    def __init__(self, player):
        self.player = player

    def pipeline(self, text):
        return Gst.parse_launch(text)

    def attached(self):
        """Prepares the application. `Player` calls this method before the pipeline starts."""

    def stop(self):
        """Stops the application. `Player` calls this method when the pipeline has stopped."""

    def at(self, share, function, *arguments):
        """Calls the function at a fraction of the nominal time."""
        GLib.timeout_add(round(self.player.seconds * share * 1000), self._once, function, arguments)

    @staticmethod
    def _once(function, arguments):
        function(*arguments)
        return False


class Settings(Application):
    """Sets a property several times. Only frames after the fraction `counts_from` of the nominal time count."""

    def __init__(self, player, element, name, values, counts_from):
        super().__init__(player)
        self.element, self.name, self.values, self.counts_from = element, name, values, counts_from

    def attached(self):
        for share, value in self.values:
            self.at(share, self._set, value)
        self.at(self.counts_from, self.player.recorder.begin)

    def _set(self, value):
        self.player.pipeline.get_by_name(self.element).set_property(self.name, value)


class Restart(Application):
    """Sets the pipeline to a lower state, and then to PLAYING again. Only frames after this restart count."""

    def __init__(self, player, state):
        super().__init__(player)
        self.state = {"null": Gst.State.NULL, "ready": Gst.State.READY}[state]

    def attached(self):
        self.at(0.5, self._restart)

    def _restart(self):
        self.player.pipeline.set_state(self.state)
        self.player.recorder.begin()
        self.player.pipeline.set_state(Gst.State.PLAYING)


class Relink(Application):
    """An application that adds the part of its pipeline after `//` while the rest plays."""

    def pipeline(self, text):
        main, self.part = text.split("//")
        return Gst.parse_launch(main)

    def attached(self):
        # Recalculate the latency as gst-launch-1.0 does, because a sink that is added later has its own latency.
        self.player.pipeline.get_bus().connect("message::latency", self._latency_changed)

    def _latency_changed(self, *_):
        self.player.pipeline.recalculate_latency()

    def add(self):
        """Adds the part to the pipeline without linking it."""
        part = Gst.parse_bin_from_description(self.part, True)
        self.player.pipeline.add(part)
        self.player.recorder.attach_queue(part.get_by_name("q"))
        if end := part.get_by_name("end"):
            self.player.recorder.attach_end(end)
        return part

    def remove(self, part):
        part.set_state(Gst.State.NULL)
        self.player.pipeline.remove(part)


class Branch(Relink):
    """Links the part to the tee `t` at 0.25 of the nominal time, and removes it at the fraction `removed`."""

    def __init__(self, player, removed=None):
        super().__init__(player)
        self.removed = removed

    def attached(self):
        super().attached()
        self.at(0.25, self._link)
        if self.removed:
            self.at(self.removed, self._unlink)

    def _link(self):
        self.part = self.add()
        self.pad = self.player.pipeline.get_by_name("t").request_pad_simple("src_%u")
        probe = self.pad.add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM, lambda *_: Gst.PadProbeReturn.OK)
        self.pad.link(self.part.get_static_pad("sink"))
        self.part.sync_state_with_parent()
        self.pad.remove_probe(probe)

    def _unlink(self):
        self.pad.add_probe(Gst.PadProbeType.IDLE, self._idle)

    def _idle(self, *_):
        self.pad.unlink(self.part.get_static_pad("sink"))
        GLib.idle_add(self._once, self._remove, ())
        return Gst.PadProbeReturn.REMOVE

    def _remove(self):
        self.player.pipeline.get_by_name("t").release_request_pad(self.pad)
        self.remove(self.part)


class Insert(Relink):
    """Inserts the part behind the element `before` at 0.1 of the nominal time, and removes it at 0.9."""

    def attached(self):
        super().attached()
        self.at(0.1, self._block, self._link)
        self.at(0.9, self._block, self._drain)

    def _block(self, then):
        self.source = self.player.pipeline.get_by_name("before").get_static_pad("src")
        self.pending = then
        self.probe = self.source.add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM, self._blocked)

    def _blocked(self, *_):
        # GStreamer calls the probe again for each further item while the pad is blocked.
        then, self.pending = self.pending, None
        if then:
            GLib.idle_add(self._once, then, ())
        return Gst.PadProbeReturn.OK

    def _link(self):
        self.sink = self.source.get_peer()
        self.part = self.add()
        self.source.unlink(self.sink)
        self.source.link(self.part.get_static_pad("sink"))
        self.part.get_static_pad("src").link(self.sink)
        self.part.sync_state_with_parent()
        self.source.remove_probe(self.probe)

    def _drain(self):
        """Sends EOS into the part to drain it. `_left` drops the EOS when it leaves the part."""
        self.part.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._left)
        self.part.get_static_pad("sink").send_event(Gst.Event.new_eos())

    def _left(self, _, info):
        if info.get_event().type != Gst.EventType.EOS:
            return Gst.PadProbeReturn.PASS
        GLib.idle_add(self._once, self._take_out, ())
        return Gst.PadProbeReturn.DROP

    def _take_out(self):
        self.remove(self.part)
        self.source.link(self.sink)
        self.source.remove_probe(self.probe)


class LiveSource(Application):
    """Pushes frames into the appsrc `source`, like a capture thread. Restarts with frame 0 after a flushing seek."""

    def __init__(self, player, width, height):
        super().__init__(player)
        self.size = width * height * 3 // 2
        self.lock = threading.Lock()
        self.number, self.position = 0, 0

    def attached(self):
        self.source = self.player.pipeline.get_by_name("source")
        self.source.connect("seek-data", self._seek_data)
        threading.Thread(target=self._run, daemon=True).start()
        self.at(0.3, self._seek, False)
        self.at(0.5, self._seek, True)

    def _seek(self, is_last):
        self.player.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 7 * Gst.SECOND)
        if is_last:
            self.player.recorder.begin()

    def _seek_data(self, _, position):
        with self.lock:
            self.number, self.position = 0, position
        return True

    def _run(self):
        duration = Gst.SECOND // self.player.row.fps
        start = time.monotonic_ns()
        for count in range(round(self.player.seconds * self.player.row.fps)):
            time.sleep(max(0, start + (count + 1) * duration - time.monotonic_ns()) / 1e9)
            with self.lock:
                number, self.number = self.number, self.number + 1
                position = self.position
            buffer = Gst.Buffer.new_wrapped(bytes([number % 256]) * self.size)
            buffer.pts, buffer.duration = position + number * duration, duration
            self.source.emit("push-buffer", buffer)
        self.source.emit("end-of-stream")


KINDS = {"settings": Settings, "restart": Restart, "branch": Branch, "insert": Insert, "live-source": LiveSource}
