#!/usr/bin/python3 -u
"""Changes a pipeline at random from several threads. Meanwhile perfmonitor measures it, and threads read the figures.

storm.py SECONDS FOLDER [element]

With "element", the element perfmonitor measures; otherwise the tracer perfmonitor-tracer. Prints counts. The exit
status is 1 if a counter has decreased or no figures were read. The leaks tracer prints a warning for a leaked object.
"""
import gc
import json
import os
import random
import re
import socket
import sys
import threading
import urllib.error
import urllib.request

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

SOURCE = "videotestsrc is-live=true ! video/x-raw,width=16,height=16,framerate=200/1"


class Storm:
    """A pipeline, threads that change it, and threads that read its figures."""

    def __init__(self, seconds, folder, url):
        self.seconds, self.metrics = seconds, os.path.join(folder, "metrics")
        monitor = f"perfmonitor name=m report=none dashboard=:0 metrics-file={self.metrics}" if not url else ""
        self.pipeline = Gst.parse_launch(
            f"{SOURCE} ! tee name=t allow-not-linked=true ! queue leaky=downstream max-size-buffers=2 "
            f"! fakesink name=s sync=false async=false  funnel name=f ! fakesink async=false {monitor}")
        self.monitor = self.pipeline.get_by_name("m")
        self.url = url
        self.counts, self.faults, self.last = {}, [], {}
        self.is_over = threading.Event()
        # In GStreamer, a flush in a bin that is being set to NULL deadlocks. The flush holds the stream lock of a sink
        # and posts a message through the bin, while the state change of the bin waits for the stream lock.
        self.flushes = threading.Lock()

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        if self.monitor:
            self.url = self.monitor.get_property("dashboard-url")
        changes = (self.branch, self.branch, self.pads, self.state, self.switch)
        reads = (self.read_http, self.read_file, self.read_stats)
        threads = [threading.Thread(target=self.repeat, args=(one, number))
                   for number, one in enumerate(changes + reads)]
        for thread in threads:
            thread.start()
        self.is_over.wait(self.seconds)
        self.is_over.set()
        for thread in threads:
            thread.join()
        self.pipeline.set_state(Gst.State.NULL)

    def repeat(self, change, seed):
        dice, count = random.Random(seed), 0
        while not self.is_over.is_set():
            change(dice)
            count += 1
        self.counts[change.__name__] = self.counts.get(change.__name__, 0) + count

    # Changes.

    def branch(self, dice):
        """Adds a branch to the tee, lets frames pass for up to 50 ms, and removes the branch."""
        bin = Gst.parse_bin_from_description(
            "queue leaky=downstream ! identity ! fakesink sync=false async=false", True)
        self.pipeline.add(bin)
        pad = self.pipeline.get_by_name("t").request_pad_simple("src_%u")
        pad.link(bin.get_static_pad("sink"))
        bin.sync_state_with_parent()
        self.is_over.wait(dice.random() / 20)
        pad.unlink(bin.get_static_pad("sink"))
        self.pipeline.get_by_name("t").release_request_pad(pad)
        bin.set_locked_state(True)
        with self.flushes:
            bin.set_state(Gst.State.NULL)
        self.pipeline.remove(bin)

    def pads(self, dice):
        funnel = self.pipeline.get_by_name("f")
        pads = [funnel.request_pad_simple("sink_%u") for _ in range(dice.randrange(1, 8))]
        dice.shuffle(pads)
        for pad in pads:
            funnel.release_request_pad(pad)
        self.is_over.wait(0.001)

    def state(self, dice):
        self.pipeline.set_state(dice.choice((Gst.State.PAUSED, Gst.State.PLAYING, Gst.State.PLAYING)))
        self.is_over.wait(dice.random() / 10)
        if dice.random() < 0.2:
            with self.flushes:
                self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0)

    def switch(self, dice):
        if self.monitor:
            self.monitor.set_property("enabled", dice.random() < 0.8)
        self.is_over.wait(dice.random() / 5)

    # Readings.

    def read_http(self, dice):
        if self.url:
            try:
                with urllib.request.urlopen(self.url + dice.choice(("metrics", "stats"))) as answer:
                    text = answer.read().decode()
            except urllib.error.HTTPError:
                text = ""  # The server has no figures yet.
            if text.startswith("{"):
                json.loads(text)
            else:
                self.check(text, "dashboard")
        self.is_over.wait(0.02)

    def read_file(self, _):
        if os.path.exists(self.metrics):
            with open(self.metrics, encoding="utf-8") as file:
                self.check(file.read(), "file")
        self.is_over.wait(0.02)

    def read_stats(self, _):
        if self.monitor:
            stats = self.monitor.get_property("stats")
            row = stats.get_value("s") if stats and stats.has_field("s") else None
            if row:
                self.note("stats", "in", row.get_value("in"))
            del row, stats
        self.is_over.wait(0.005)

    def check(self, text, place):
        """Checks the counters of the pipeline, and the counters of elements that are never removed."""
        for name, labels, value in re.findall(r"^(gst_\w+_(?:total|count|bucket|sum)){(.*)} (\S+)$", text, re.M):
            if re.search(r'element="(s|t|queue0|pipeline|videotestsrc0)"', labels):
                self.note(place, f"{name}{{{labels}}}", float(value))

    def note(self, place, name, value):
        if value < self.last.get((place, name), 0):
            self.faults.append(f"{place}: {name} fell from {self.last[place, name]} to {value}")
        self.last[place, name] = value


def main():
    seconds, folder, has_element = float(sys.argv[1]), sys.argv[2], "element" in sys.argv[3:]
    tracers, url = "leaks", None
    if not has_element:
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        tracers += f";perfmonitor-tracer(report=none,dashboard={address},metrics-file={folder}/metrics)"
        url = f"http://{address}/"
    os.environ["GST_TRACERS"] = tracers
    Gst.init(None)
    storm = Storm(seconds, folder, url)
    storm.run()
    print(storm.counts, len(storm.last), "counters")
    faults, has_read = storm.faults, all(any(key[0] == place for key in storm.last) for place in ("dashboard", "file"))
    print("\n".join(faults[:20]))
    del storm
    gc.collect()
    Gst.deinit()
    sys.exit(1 if faults or not has_read else 0)


main()
