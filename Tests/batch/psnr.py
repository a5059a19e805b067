"""Prints the PSNR of the luma of two videos, in dB: psnr.py A B."""

import math
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

_STEP = 7


def frames(path: str):  # noqa: ANN201
    """Yields the luma of each frame."""
    pipeline = Gst.parse_launch(
        f'filesrc location="{path}" ! decodebin caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert ! '
        "video/x-raw,format=GRAY8 ! appsink name=sink sync=false max-buffers=4")
    pipeline.set_state(Gst.State.PLAYING)
    sink = pipeline.get_by_name("sink")
    while (sample := sink.emit("pull-sample")) is not None:
        yield sample.get_buffer().extract_dup(0, sample.get_buffer().get_size())
    pipeline.set_state(Gst.State.NULL)


Gst.init(None)
total = count = 0
for one, other in zip(frames(sys.argv[1]), frames(sys.argv[2]), strict=True):
    # Compare each seventh pixel. These pixels are in all rows and columns.
    total += sum((a - b) ** 2 for a, b in zip(one[::_STEP], other[::_STEP]))
    count += len(one[::_STEP])
print(10 * math.log10(255 * 255 * count / total))
