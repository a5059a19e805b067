"""Records raw numbers of one pipeline while it plays. `figures` computes the figures later."""
import time

from gi.repository import Gst

PROBED = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST | Gst.PadProbeType.EVENT_DOWNSTREAM


class Tap:
    """Records the segments, and the arrival time and PTS of each buffer, that pass a pad."""

    def __init__(self, pad=None, keeps_data=False):
        self.arrivals = []  # monotonic time in ns
        self.times = []  # PTS in ns, or None
        self.segments = []  # (index of the first buffer, segment)
        self.data = []  # (bytes, PTS, DTS, duration, flags)
        self.caps = None
        self.keeps_data = keeps_data
        if pad is not None:
            pad.add_probe(PROBED, self._passed)

    def arrived(self, pts):
        self.arrivals.append(time.monotonic_ns())
        self.times.append(None if pts == Gst.CLOCK_TIME_NONE else pts)

    def _passed(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            # Do not keep a variable with the buffer, because the measured queue counts references of buffers.
            self._took(info.get_buffer())
        elif info.type & Gst.PadProbeType.BUFFER_LIST:
            packets = info.get_buffer_list()
            for index in range(packets.length()):
                self._took(packets.get(index))
        else:
            self._event(info.get_event())
        return Gst.PadProbeReturn.OK

    def _took(self, buffer):
        self.arrived(buffer.pts)
        if self.keeps_data:
            self.data.append(
                (buffer.extract_dup(0, buffer.get_size()), buffer.pts, buffer.dts, buffer.duration, buffer.get_flags())
            )

    def _event(self, event):
        if event.type == Gst.EventType.SEGMENT:
            self.segments.append((len(self.times), event.parse_segment().copy()))
        elif event.type == Gst.EventType.CAPS and self.caps is None:
            self.caps = event.parse_caps().to_string()

    def running_times(self):
        """Running time of each buffer's PTS in ns; None without PTS."""
        result = []
        following = iter(self.segments + [(len(self.times), None)])
        segment, (change, pending) = None, next(following, (0, None))
        for index, pts in enumerate(self.times):
            while pending is not None and index >= change:
                segment, (change, pending) = pending, next(following)
            if pts is None or segment is None:
                result.append(pts)
                continue
            running = segment.to_running_time(Gst.Format.TIME, pts)
            result.append(None if running == Gst.CLOCK_TIME_NONE else running)
        return result


class Recorder:
    """Records taps before the queue, after the queue and at the end of the pipeline, and the bus messages."""

    def __init__(self, row):
        self.row = row
        self.entered = self.left = self.end = None
        self.messages = {}
        self.texts = []
        # Frames that arrive before this monotonic time, in ns, do not count.
        self.counts_from = 0

    def attach_queue(self, queue):
        keeps = bool(self.row.decoded)
        self.entered = Tap(queue.get_static_pad("sink"), keeps)
        self.left = Tap(queue.get_static_pad("src"), keeps and self.row.decoded == "q")
        if self.row.end == "q":
            self.end = self.left

    def attach_end(self, element):
        pad = element.get_static_pad("src") or element.get_static_pad("sink")
        self.end = Tap(pad, self.row.decoded == "end")

    def begin(self):
        """Excludes the frames that have arrived so far. Only frames that arrive after this call count."""
        self.counts_from = time.monotonic_ns()

    def message(self, message):
        """Counts a message. Keeps the text of the first four errors and warnings."""
        kind = Gst.MessageType.get_name(message.type)
        if message.type == Gst.MessageType.ELEMENT:
            kind = message.get_structure().get_name()
        elif message.type == Gst.MessageType.ERROR:
            self._keep("error", message.src, message.parse_error())
        elif message.type == Gst.MessageType.WARNING:
            self._keep("warning", message.src, message.parse_warning())
        elif message.type != Gst.MessageType.QOS:
            return
        self.messages[kind] = self.messages.get(kind, 0) + 1

    def _keep(self, kind, source, parsed):
        if len(self.texts) < 4:
            details = (parsed[1] or "").split("\n", 1)[-1].replace("\n", " ").strip()
            self.texts.append(f"{kind} of {source.get_name()}: {parsed[0].message} {details}".strip())
