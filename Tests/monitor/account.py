#!/usr/bin/python3
"""Plays each installed element with one sink pad and one source pad, and checks its figures in perfmonitor.

    account.py [--list] [--minimum TESTED COUNTED] [<element>...]

The number of frames that an element holds is in - out - dropped. This number must never be negative, and 0 after EOS.
`duplicate` of videorate counts as entered. In GStreamer 1.28, videorate outputs the last frame once more at EOS and
counts it in its property `out` only: the number may be negative by as much as the element's own properties are. An
element whose drops are not known ("-") has no account. --minimum requires TESTED played elements and COUNTED elements
with an account. Other elements, such as a test source, encoders and payloaders, create the input of an element. The
script prints the number of skipped elements by reason, and with --list their names. Set GST_PLUGIN_PATH to the folder
of the plugin.

Eight processes play the elements, because most of the time is spent in waits for elements that do not end. A crashed
process is replaced.
"""
import collections
import json
import select
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

Gst.init(None)

# Inputs for the first elements. Each has 48 buffers, because perfmonitor counts a frame as dropped 32 frames later.
FEEDS = [
    ("video/x-raw", "videotestsrc num-buffers=48 ! video/x-raw,width=64,height=48,framerate=30/1 ! videoconvert"),
    ("audio/x-raw", "audiotestsrc num-buffers=48 samplesperbuffer=960 ! audioconvert ! audioresample"),
    ("video/x-bayer", "videotestsrc num-buffers=48 ! video/x-bayer,width=64,height=48,framerate=30/1"),
]
# Maximum number of elements upstream of the tested element.
DEEPEST = 6
# Properties in which videorate counts its frames.
OWN = ["in", "duplicate", "out", "drop"]
PROCESSES = 8
# Time in seconds without progress after which an element counts as hanging, and is not played again.
PATIENCE = 3
HANGS = "does not end"


def play(factory, feed):
    """Plays an element. Returns its figures during playback and at the end."""
    try:
        pipeline = Gst.parse_launch(
            f"{feed} ! {factory} name=e ! fakesink async=false perfmonitor name=m report=none elements=*")
    except Exception as error:
        return {"fault": str(error)}
    element, monitor, bus = pipeline.get_by_name("e"), pipeline.get_by_name("m"), pipeline.get_bus()

    def figures():
        stats = monitor.get_property("stats")
        row = stats.get_value("e") if stats.has_field("e") else None
        return row and {name: row.get_value(name) for name in ("in", "out", "dropped", "duplicate") if row.has_field(name)}

    samples, fault, end = [None], HANGS, time.monotonic() + PATIENCE
    pipeline.set_state(Gst.State.PLAYING)
    while time.monotonic() < end:
        message = bus.timed_pop_filtered(2 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        now = figures()
        if now != samples[-1]:
            end = time.monotonic() + PATIENCE
        samples.append(now)
        if message:
            fault = message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else None
            break
    own = [element.get_property(name) for name in OWN if name in {spec.name for spec in element.list_properties()}]
    pad = element.get_static_pad("src")
    caps = pad and pad.get_current_caps()
    pipeline.set_state(Gst.State.NULL)
    last = figures()
    if not fault and (not last or not last["in"] or not last["out"]):
        fault = "no buffer passes"
    excess = own[2] + own[3] - own[0] - own[1] if len(own) == len(OWN) else 0
    return {"fault": fault, "caps": caps and caps.to_string(), "samples": [s for s in samples if s], "last": last,
            "excess": max(0, excess)}


def work():
    """Reads an element and a feed from each line of stdin, and prints the figures."""
    for line in sys.stdin:
        print("figures " + json.dumps(play(*json.loads(line))), flush=True)


class Worker(threading.local):
    """Plays elements. Each thread has its own process."""

    process = None

    def play(self, factory, feed):
        if not self.process:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps([factory, feed]) + "\n")
        self.process.stdin.flush()
        while select.select([self.process.stdout], [], [], 10 * PATIENCE)[0]:
            line = self.process.stdout.readline()
            if line.startswith("figures "):
                return json.loads(line[8:])
            if not line:
                break
        self.process.kill()
        self.process.wait()
        self.process = None
        return {"fault": HANGS}


def held(figures):
    """Number of frames that the element holds; None if the number of dropped frames is unknown."""
    if "dropped" not in figures:
        return None
    return figures["in"] + figures.get("duplicate", 0) - figures["out"] - figures["dropped"]


def judge(figures):
    """Returns the fault in the account of an element, or None."""
    dropped, excess = 0, figures["excess"]
    for sample in figures["samples"]:
        if (held(sample) or 0) < -excess:
            return f"holds a negative number of frames: {sample}"
        if sample.get("dropped", dropped) < dropped:
            return f"the number of dropped frames decreases: {sample}"
        dropped = sample.get("dropped", dropped)
    remainder = held(figures["last"])
    return None if remainder in (None, -excess) else f"holds {remainder} after EOS: {figures['last']}"


def candidates(skipped):
    """Name and sink caps of each element with one sink pad and one source pad. Request pads do not count."""
    for factory in sorted(Gst.Registry.get().get_feature_list(Gst.ElementFactory), key=lambda item: item.get_name()):
        pads = [pad for pad in factory.get_static_pad_templates() if pad.presence != Gst.PadPresence.REQUEST]
        sinks = [pad for pad in pads if pad.direction == Gst.PadDirection.SINK]
        if len(sinks) != 1 or len(pads) != 2 or any(pad.presence != Gst.PadPresence.ALWAYS for pad in pads):
            skipped["has other pads than one sink pad and one source pad"].append(factory.get_name())
        else:
            yield factory.get_name(), sinks[0].get_caps()


def kind(caps):
    """Media type and the fields that distinguish streams of this type."""
    first = caps.get_structure(0)
    fields = ("encoding-name", "mpegversion", "layout", "stream-format")
    return " ".join([first.get_name()] + [str(first.get_value(name)) for name in fields if first.has_field(name)])


def main(arguments):
    lists = "--list" in arguments
    minimum = [0, 0]
    if "--minimum" in arguments:
        place = arguments.index("--minimum")
        minimum = [int(number) for number in arguments[place + 1:place + 3]]
        del arguments[place:place + 3]
    wanted = [name for name in arguments if name != "--list"]
    skipped, played, faults = collections.defaultdict(list), {}, {}
    open_ = dict(candidates(skipped))
    worker, threads, kinds = Worker(), ThreadPoolExecutor(PROCESSES), set()
    feeds = [(Gst.Caps.from_string(caps), line) for caps, line in FEEDS]
    for caps, line in feeds:
        names = [name for name, sink in open_.items()
                 if caps.can_intersect(sink) and name not in played and faults.get(name) != HANGS]
        for name, figures in zip(names, threads.map(lambda name: worker.play(name, line), names)):
            if figures["fault"]:
                faults[name] = figures["fault"]
                continue
            played[name] = figures
            out = figures["caps"] and Gst.Caps.from_string(figures["caps"])
            if out and kind(out) not in kinds and "/x-raw" not in kind(out) and line.count("!") < DEEPEST:
                kinds.add(kind(out))
                feeds.append((out, f"{line} ! {name}"))
    for name in open_:
        if name not in played:
            skipped[faults.get(name, "no element makes its input")].append(name)
    chosen = {name: figures for name, figures in played.items() if not wanted or name in wanted}
    counted = [name for name, figures in chosen.items() if held(figures["last"]) is not None]
    wrong = {name: reason for name, reason in ((name, judge(figures)) for name, figures in chosen.items()) if reason}
    for reason, names in sorted(skipped.items(), key=lambda item: -len(item[1])):
        print(f"skipped {len(names)}: {reason}" + (f": {', '.join(names)}" if lists else ""))
    if lists:
        print("drops not known: " + ", ".join(name for name in chosen if name not in counted))
    for name, reason in wrong.items():
        print(f"wrong: {name} {reason}")
    print(f"tested {len(chosen)}, of which {len(counted)} keep an account, {len(wrong)} of them wrong; "
          f"skipped {sum(map(len, skipped.values()))}")
    if len(chosen) < minimum[0] or len(counted) < minimum[1]:
        print(f"{minimum[0]} and {minimum[1]} are required")
    return 1 if wrong or len(chosen) < minimum[0] or len(counted) < minimum[1] else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        sys.exit(main(sys.argv[1:]))
