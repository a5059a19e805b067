#!/usr/bin/python3 -u
"""Prints the memory of a process before, during and after one stall: pool-memory.py [<element with properties>...]

30 frames/s of 1920x1080, 8.3 MB each, pass the element and a queue without a limit. Downstream then blocks once for
1.6 s. Without arguments, the script measures identity and adaptivepool. Set GST_PLUGIN_PATH.
"""
import re
import subprocess
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

import waiting

Gst.init(None)


def resident():
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s*(\d+)", status.read())[1]) / 1000


def measure(element):
    pipeline = Gst.parse_launch(
        "videotestsrc is-live=true pattern=black ! video/x-raw,format=BGRx,width=1920,height=1080,framerate=30/1 ! "
        f"{element} ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! "
        "identity name=stall signal-handoffs=true ! fakesink name=sink signal-handoffs=true")
    frames, begin = 0, time.monotonic()

    def passed(*_):
        nonlocal frames
        frames += 1
        stall.set_property("sleep-time", 1_600_000 if frames == 150 else 0)
    stall = pipeline.get_by_name("stall")
    stall.connect("handoff", passed)
    pipeline.set_state(Gst.State.PLAYING)
    samples = []
    waiting.until(lambda: samples.append((time.monotonic() - begin, resident())), 25)
    before = max(megabytes for second, megabytes in samples if 3 < second < 4.5)
    after = max(megabytes for second, megabytes in samples if second > 20)
    print(f"{element:40} {before:6.0f} MB before, {max(samples, key=lambda sample: sample[1])[1]:6.0f} MB at most, "
          f"{after:6.0f} MB 13 seconds after; {frames} frames")
    pipeline.set_state(Gst.State.NULL)


if sys.argv[1:2] == ["--one"]:
    measure(sys.argv[2])
else:
    for name in sys.argv[1:] or ["identity", "adaptivepool"]:
        subprocess.run([sys.executable, __file__, "--one", name], check=True)
