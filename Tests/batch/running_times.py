"""Prints the sorted running times of the packets of a file in seconds: running_times.py FILE video|audio."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)
pipeline = Gst.parse_launch(f'filesrc location="{sys.argv[1]}" ! parsebin name=reader')
times: list[int] = []


def on_buffer(pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    sign, time = segment.to_running_time_full(Gst.Format.TIME, info.get_buffer().pts)
    times.append(sign * time)
    return Gst.PadProbeReturn.OK


def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
    sink = Gst.ElementFactory.make("fakesink")
    sink.set_property("async", False)
    pipeline.add(sink)
    sink.sync_state_with_parent()
    caps = pad.get_current_caps() or pad.query_caps(None)
    if caps.get_structure(0).get_name().startswith(sys.argv[2] + "/"):
        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)
    pad.link(sink.get_static_pad("sink"))


pipeline.get_by_name("reader").connect("pad-added", on_pad)
pipeline.set_state(Gst.State.PLAYING)
message = pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
if message is None or message.type != Gst.MessageType.EOS:
    sys.exit(f"{sys.argv[1]} cannot be read")
for time in sorted(times):
    print(time / Gst.SECOND)
