"""Plays a file, and meanwhile changes random properties, loads presets and seeks: app.py <file> [<seconds>]"""
import random
import sys
import time

import built
import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

built.need("ntscfilter")
path, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 5
pipeline = Gst.parse_launch(
    f'filesrc location="{path}" ! decodebin ! videoconvert ! ntscfilter name=filter '
    "! fakesink name=sink sync=false signal-handoffs=true"
)
ntsc = pipeline.get_by_name("filter")
frames = 0


def count(*_):
    global frames
    frames += 1


def draw(spec):
    """A random value for the property."""
    if spec.value_type.name == "gfloat":
        return random.uniform(spec.minimum, spec.maximum)
    if spec.value_type.name in ("gint", "guint"):
        return random.randint(spec.minimum, min(spec.maximum, 1 << 30))
    return random.random() < 0.5 if spec.value_type.name == "gboolean" else spec.default_value


pipeline.get_by_name("sink").connect("handoff", count)
presets = ntsc.get_preset_names()
knobs = [spec for spec in ntsc.list_properties() if spec.owner_type.name == "GstNtscFilter"]
knobs = [spec for spec in knobs if not spec.name.startswith("preset-") and spec.name != "n-threads"]
pipeline.set_state(Gst.State.PLAYING)
bus, end, seeks, loads = pipeline.get_bus(), time.monotonic() + seconds, 0, 0
while time.monotonic() < end:
    message = bus.timed_pop_filtered(10 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message and message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)
    choice = random.random()
    if message or choice < 0.1:
        pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, random.randrange(4 * Gst.SECOND))
        seeks += 1
    elif choice < 0.3:
        ntsc.load_preset(random.choice(presets))
        loads += 1
    else:
        spec = random.choice(knobs)
        ntsc.set_property(spec.name, draw(spec))
pipeline.set_state(Gst.State.NULL)
print(f"{frames} frames, {seeks} seeks, {loads} of {len(presets)} presets loaded")
sys.exit(0 if frames and loads and len(presets) >= 8 else 1)
