"""Plays the elements of the plan's switches between a source and a sink, and records each frame at the sink."""
import ctypes
import hashlib
import os
import tempfile
from pathlib import Path

import context
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo

from heat import write_machine
from plan import Plan

PLAN = Plan(Path(context.TOP) / "Benchmarks/plans/4k25.json")
# Sets of switches to test: each switch alone, and all switches together.
SETS = [(name,) for name in PLAN.measured] + [PLAN.measured]
MACHINE = tempfile.TemporaryDirectory(prefix="ab-machine-")
write_machine(MACHINE.name, 40)
Gst.init(None)


def elements(switches: tuple[str, ...], filter_line: str = "! ntscfilter") -> str:
    """The part of the plan's pipeline between the source and the encoder."""
    slots = {name: PLAN.elements(name, switches) for name in PLAN.data["slots"]}
    line = "{pool} {thermal} ! {queue-capture} {filter} ! {queue-encode}"
    for name, value in {**slots, "filter": filter_line, "machine": MACHINE.name, "thermal-speed": ""}.items():
        line = line.replace("{" + name + "}", value)
    return line


def monitor(switches: tuple[str, ...], folder: str) -> str:
    spans = f"trace-file={folder}/trace" if "spans" in switches else ""
    return f"perfmonitor report=none {spans}"


_VIDEO, _CORE = ctypes.CDLL("libgstvideo-1.0.so.0"), ctypes.CDLL("libgstreamer-1.0.so.0")
_CORE.gst_buffer_get_meta.restype = ctypes.c_void_p
_VIDEO.gst_video_time_code_meta_api_get_type.restype = ctypes.c_size_t
_VIDEO.gst_video_time_code_to_string.restype = ctypes.c_char_p


def timecode(buffer: Gst.Buffer) -> str | None:
    """The timecode of a buffer.

    The C getter of the GstVideoTimeCodeMeta is a macro, so this reads the GstVideoTimeCode directly after the GstMeta,
    which is 16 bytes long.
    """
    kind = ctypes.c_size_t(_VIDEO.gst_video_time_code_meta_api_get_type())
    meta = _CORE.gst_buffer_get_meta(ctypes.c_void_p(hash(buffer)), kind)
    return _VIDEO.gst_video_time_code_to_string(ctypes.c_void_p(meta + 16)).decode() if meta else None


class Frame:
    """A frame at the sink: time, size, content and metadata."""

    def __init__(self, pad: Gst.Pad, buffer: Gst.Buffer) -> None:
        fields = pad.get_current_caps().get_structure(0)
        self.size = fields.get_int("width").value, fields.get_int("height").value
        self.pts, self.duration = buffer.pts, buffer.duration
        data = buffer.extract_dup(0, buffer.get_size())
        self.first, self.digest = data[0], hashlib.md5(data).hexdigest()
        self.timecode = timecode(buffer)
        region = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, 7)
        self.region = (region.x, region.y, region.w, region.h) if region else None

    @property
    def key(self) -> tuple:
        return self.pts, self.duration, self.size, self.digest, self.timecode, self.region


class Played:
    """Plays a pipeline to its end. Records its frames and tags, and raises AssertionError at an error."""

    def __init__(self, source: str, switches: tuple[str, ...], prepare=None, filter_line: str = "! ntscfilter") -> None:
        self.frames: list[Frame] = []
        self.tags: list[str] = []
        with tempfile.TemporaryDirectory(prefix="ab-play-") as folder:
            line = (f"{source} {elements(switches, filter_line)} ! fakesink name=end sync=false "
                    f"{monitor(switches, folder)}")
            pipeline = Gst.parse_launch(line)
            pad = pipeline.get_by_name("end").get_static_pad("sink")
            pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, self._see)
            if prepare:
                prepare(pipeline)
            pipeline.set_state(Gst.State.PLAYING)
            message = pipeline.get_bus().timed_pop_filtered(
                60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            pipeline.set_state(Gst.State.NULL)
            self.has_trace = os.path.exists(f"{folder}/trace") and os.path.getsize(f"{folder}/trace") > 100
        if message is None:
            raise AssertionError(f"no EOS: {line}")
        if message.type == Gst.MessageType.ERROR:
            raise AssertionError(f"{message.parse_error()}: {line}")

    def _see(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        if info.type & Gst.PadProbeType.BUFFER:
            self.frames.append(Frame(pad, info.get_buffer()))
        else:
            event = info.get_event()
            if event.type == Gst.EventType.TAG:
                self.tags.append(event.parse_tag().to_string())
        return Gst.PadProbeReturn.OK
