"""A GStreamer element that runs a model on each frame. perfmonitor measures the element by its name."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from typing import Any, Callable

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstBase", "1.0")
from gi.repository import GObject, Gst, GstBase  # noqa: E402

from model_host import ModelHost  # noqa: E402
from models import Picture  # noqa: E402

Gst.init(None)
CAPS = Gst.Caps.from_string("video/x-raw,format=(string){ RGB, GRAY16_LE }")
# Flow return for a dropped frame, which is no error.
DROPPED = Gst.FlowReturn.CUSTOM_SUCCESS


class Inferences:
    """Counts inferences. The streaming thread writes the counts. The main thread reads them."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._counts = {"inferences": 0, "within": 0, "found": 0}

    def add(self, took: float, result: dict[str, Any]) -> None:
        with self._lock:
            self._counts["inferences"] += 1
            self._counts["within"] += self.limit is None or took <= self.limit
            self._counts["found"] += bool(result.get("found"))

    def read(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)


class InferenceElement(GstBase.BaseTransform):
    """Runs the model on each frame, passes the frame unchanged, and posts an element message `inference`.

    Drops frames while the model is not loaded. Otherwise perfmonitor would count them as fast inferences. Passes frames
    without inference in the tier "off". `is_off` recognizes this tier by the frame rate.
    """

    __gtype_name__ = "InferenceElement"

    def __init__(
            self, name: str, host: ModelHost, inferences: Inferences, is_off: Callable[[Fraction], bool],
            show: Callable[[dict[str, Any]], None] = lambda result: None) -> None:
        """Creates an element. `show` receives each result on the streaming thread, before the frame is pushed."""
        super().__init__(name=name)
        self._host, self._inferences, self._is_off_rate, self._show = host, inferences, is_off, show
        self._is_off = False
        self._width = self._height = self._size = 0
        self.set_passthrough(True)

    def do_set_caps(self, incoming: Gst.Caps, _outgoing: Gst.Caps) -> bool:
        caps = incoming.get_structure(0)
        self._width, self._height = caps.get_value("width"), caps.get_value("height")
        self._size = self._width * self._height * (3 if caps.get_value("format") == "RGB" else 2)
        known, numerator, denominator = caps.get_fraction("framerate")
        self._is_off = known and numerator > 0 and self._is_off_rate(Fraction(numerator, denominator))
        return True

    def do_transform_ip(self, buffer: Gst.Buffer) -> Gst.FlowReturn:
        if self._is_off:
            return Gst.FlowReturn.OK
        data = buffer.extract_dup(0, self._size)
        if len(data) < self._size:
            return self._end(f"A frame has {len(data)} bytes, not {self._size}.")
        start = time.monotonic()
        try:
            result = self._host.run(Picture(data, self._width, self._height))
        except Exception as error:  # An exception must not pass through C code.
            return self._end(f"The model failed: {error}")
        if result is None:
            return DROPPED
        self._inferences.add(time.monotonic() - start, result)
        try:
            self._show(result)
        except Exception as error:
            return self._end(f"The result cannot be shown: {error}")
        self._post(buffer.pts, result)
        return Gst.FlowReturn.OK

    def _end(self, text: str) -> Gst.FlowReturn:
        self.message_full(
            Gst.MessageType.ERROR, Gst.StreamError.quark(), Gst.StreamError.FAILED, text, None, __file__, "", 0)
        return Gst.FlowReturn.ERROR

    def _post(self, time_of_frame: int, result: dict[str, Any]) -> None:
        message = Gst.Structure.new_empty("inference")
        for name, value in result.items():
            message.set_value(name, value)
        message.set_value("pts", GObject.Value(GObject.TYPE_UINT64, time_of_frame))
        self.post_message(Gst.Message.new_element(self, message))


InferenceElement.set_static_metadata(
    "Inference", "Filter/Analyzer/Video", "Runs a model on each frame", "gst-plugins-swift")
for pad, direction in (("sink", Gst.PadDirection.SINK), ("src", Gst.PadDirection.SRC)):
    InferenceElement.add_pad_template(Gst.PadTemplate.new(pad, direction, Gst.PadPresence.ALWAYS, CAPS))
