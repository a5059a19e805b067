#!/usr/bin/python3 -u
"""Plays ordinary pipelines with `adaptivepool`, and with `identity` in its place. Both have default properties.

    pool.py [<word in the name>...]

Prints a table with the output frames, errors, warnings and duration with each element. The exit status is 1 if a row is
worse. A row with missing elements is skipped, and the missing elements are printed. Set GST_PLUGIN_PATH to the folder
of the plugin. Each pipeline runs in a separate process. A process that runs for 40 s is killed and counts as a hang.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

Gst.init(None)

HERE = os.path.dirname(os.path.abspath(__file__))
WEBM = os.path.join(HERE, "../../pipelines/media/bigbuckbunny.webm")
RAW = "video/x-raw,width=320,height=240,framerate=30/1"
TEST = f"videotestsrc num-buffers=90 ! {RAW}"
LIVE = f"videotestsrc is-live=true num-buffers=90 ! {RAW}"
LATIN = "videotestsrc num-buffers=90 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"
H264 = "filesrc location={mp4} ! qtdemux ! h264parse ! avdec_h264"
VP8 = "filesrc location={webm} ! matroskademux ! vp8dec"

# Each row has a name, the elements before the pool, those after the pool, and an action. Frames of all sinks count.
ROWS = [
    ("x264enc", LATIN, "x264enc ! h264parse ! fakesink", "play"),
    ("x264enc zerolatency", LATIN, "x264enc tune=zerolatency ! fakesink", "play"),
    ("x264enc look-ahead 250", LATIN, "x264enc rc-lookahead=250 ! fakesink", "play"),
    ("x265enc", LATIN, "x265enc ! fakesink", "play"),
    ("vp8enc", LATIN, "vp8enc cpu-used=8 deadline=1 ! fakesink", "play"),
    ("vp8enc look-ahead 25", LATIN, "vp8enc lag-in-frames=25 cpu-used=8 deadline=1 ! fakesink", "play"),
    ("vp9enc", LATIN, "vp9enc cpu-used=8 deadline=1 ! fakesink", "play"),
    ("vp9enc look-ahead 25", LATIN, "vp9enc lag-in-frames=25 cpu-used=8 deadline=1 ! fakesink", "play"),
    ("av1enc", "videotestsrc num-buffers=40 ! video/x-raw,format=I420,width=160,height=120",
     "av1enc cpu-used=8 usage-profile=realtime ! fakesink", "play"),
    ("openh264enc", LATIN, "openh264enc ! fakesink", "play"),
    ("theoraenc", LATIN, "theoraenc ! fakesink", "play"),
    ("jpegenc", TEST, "jpegenc ! fakesink", "play"),
    ("avenc_mpeg4, B-frames", LATIN, "avenc_mpeg4 max-bframes=2 ! fakesink", "play"),
    ("live, x264enc, decoded, shown", LIVE.replace("raw,", "raw,format=I420,"),
     "x264enc speed-preset=ultrafast ! h264parse ! avdec_h264 ! fakesink sync=true", "play"),
    ("live, x265enc, shown", LIVE.replace("raw,", "raw,format=I420,"), "x265enc speed-preset=ultrafast ! fakesink sync=true", "play"),
    ("x264enc, mp4mux, file", LATIN, "x264enc ! identity ! fakesink name=no async=false", "mux mp4mux"),
    ("x264enc, matroskamux, file", LATIN, "x264enc", "mux matroskamux"),
    ("x264enc, mpegtsmux, file", LATIN, "x264enc", "mux mpegtsmux"),
    ("x264enc, splitmuxsink", LATIN, "x264enc key-int-max=30 ! h264parse", "split"),
    ("vp8enc and vorbisenc, webmmux", LATIN, "vp8enc cpu-used=8 deadline=1", "muxaudio"),
    ("shown", LIVE, "fakesink sync=true", "play"),
    ("shown 700 ms later", LIVE, "queue ! fakesink sync=true ts-offset=700000000", "play"),
    ("shown at 60 frames", LIVE.replace("30/1", "60/1"), "queue ! fakesink sync=true", "play"),
    ("queue that waits for 20", TEST, "queue min-threshold-buffers=20 ! fakesink", "play"),
    ("queue that waits for a second", TEST, "queue min-threshold-time=1000000000 max-size-time=2000000000 ! fakesink", "play"),
    ("slow consumer", TEST, "queue ! identity sleep-time=20000 ! fakesink", "play"),
    ("slow consumer, long queue", TEST, "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! identity sleep-time=20000 ! fakesink", "play"),
    ("decodebin, WebM", "filesrc location={webm} ! decodebin", "videoconvert ! fakesink", "play"),
    ("decodebin, MP4", "filesrc location={mp4} ! decodebin", "videoconvert ! fakesink", "play"),
    ("vp8dec, 30 seeks", VP8, "fakesink", "seeks"),
    ("avdec_h264, 30 seeks", H264, "fakesink", "seeks"),
    ("avdec_h264, queue, shown, 30 seeks", H264, "queue ! fakesink sync=true", "seeks"),
    ("vp8dec, backwards", VP8, "fakesink", "backwards"),
    ("avdec_h264, backwards", H264, "fakesink", "backwards"),
    ("playbin, 20 starts and stops, WebM", "", "", "playbin-states {webm}"),
    ("playbin, 20 starts and stops, MP4", "", "", "playbin-states {mp4}"),
    ("tee behind", TEST, "tee name=t ! queue ! x264enc tune=zerolatency ! fakesink t. ! queue ! fakesink", "play"),
    ("behind a tee", f"{TEST} ! tee ! queue", "x264enc ! fakesink", "play"),
    ("appsink that holds 60", TEST, "appsink name=hold emit-signals=true sync=false", "hold"),
    ("caps change 10 times", "videotestsrc num-buffers=200 ! capsfilter name=caps caps=video/x-raw,width=320,height=240",
     "videoconvert ! fakesink", "caps"),
    ("playbin video-filter, WebM", "", "", "playbin {webm}"),
    ("playbin video-filter, MP4", "", "", "playbin {mp4}"),
    ("compositor", TEST, "compositor name=c ! fakesink "
     "videotestsrc num-buffers=90 ! video/x-raw,width=160,height=120,framerate=30/1 ! c.", "play"),
    ("videorate up", TEST, "videorate ! video/x-raw,framerate=60/1 ! fakesink", "play"),
    ("videorate down", TEST, "videorate ! video/x-raw,framerate=10/1 ! fakesink", "play"),
    ("convert, scale, overlay", TEST, "videoconvert ! videoscale ! video/x-raw,width=160,height=120 ! timeoverlay ! fakesink", "play"),
    ("deinterlace", TEST.replace("raw,", "raw,format=I420,interlace-mode=interleaved,"), "deinterlace ! fakesink", "play"),
    ("RTP", LATIN, "x264enc ! rtph264pay ! rtph264depay ! h264parse ! fakesink", "play"),
    ("shared memory", TEST, "shmsink socket-path={dir}/shm wait-for-connection=false shm-size=20000000", "play"),
    ("audio", "audiotestsrc num-buffers=90", "fakesink", "play"),
    ("encoded", f"{LATIN} ! vp8enc cpu-used=8 deadline=1", "vp8dec ! fakesink", "play"),
    ("appsrc", "appsrc name=app format=time caps=video/x-raw,format=GRAY8,width=64,height=64,framerate=30/1", "fakesink", "push"),
    ("4K", "videotestsrc num-buffers=40 ! video/x-raw,format=I420,width=3840,height=2160", "queue ! fakesink", "play"),
]


def line_of(row, element, places):
    _, before, behind, action = row
    kind, _, rest = action.partition(" ")
    if kind.startswith("playbin"):
        return None
    if kind == "mux":
        behind = f"x264enc ! h264parse name=count ! {rest} ! filesink location={{dir}}/out"
    elif kind == "split":
        behind += " ! identity name=count ! splitmuxsink max-size-time=1000000000 location={dir}/out%03d.mp4"
    elif kind == "muxaudio":
        behind += (" ! identity name=count ! webmmux name=m ! filesink location={dir}/out "
                   "audiotestsrc num-buffers=130 ! vorbisenc ! m.")
    return f"{before} ! {element} ! {behind}".format(**places)


class Run:
    """One pipeline, played in this process."""

    def __init__(self, row, element, places):
        self.kind, _, rest = row[3].partition(" ")
        self.frames, self.errors, self.warnings, self.held = 0, [], [], []
        if self.kind.startswith("playbin"):
            self.pipeline = Gst.ElementFactory.make("playbin")
            self.pipeline.set_property("uri", Gst.filename_to_uri(os.path.realpath(rest.format(**places))))
            self.pipeline.set_property("video-filter", Gst.ElementFactory.make(element))
            for kind in ("video", "audio"):
                # fakevideosink accepts frames with padding, so decoders can write into buffers of the pool.
                name = "fakevideosink" if kind == "video" and Gst.ElementFactory.find("fakevideosink") else "fakesink"
                sink = Gst.ElementFactory.make(name)
                sink.set_property("sync", kind == "video")
                self.pipeline.set_property(f"{kind}-sink", sink)
                if kind == "video":
                    self.count(sink)
        else:
            self.pipeline = Gst.parse_launch(line_of(row, element, places))
            named = self.pipeline.get_by_name("count")
            if named:
                self.count(named)
            else:
                for sink in self.pipeline.children:
                    if sink.flags & Gst.ElementFlags.SINK:
                        self.count(sink)
        self.bus = self.pipeline.get_bus()

    def count(self, element):
        def saw(_, info):
            self.frames += info.get_buffer_list().length() if info.type & Gst.PadProbeType.BUFFER_LIST else 1
            return Gst.PadProbeReturn.OK
        element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, saw)

    def listen(self, seconds):
        """Plays until EOS, an error or a timeout. Returns False at a timeout."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            message = self.bus.timed_pop_filtered(
                int(left * Gst.SECOND), Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
            if not message:
                return False
            if message.type == Gst.MessageType.EOS:
                return True
            error = message.parse_error() if message.type == Gst.MessageType.ERROR else message.parse_warning()
            (self.errors if message.type == Gst.MessageType.ERROR else self.warnings).append(error[0].message)
            if message.type == Gst.MessageType.ERROR:
                return True
        return False

    def state(self, state):
        self.pipeline.set_state(state)
        if self.pipeline.get_state(10 * Gst.SECOND)[0] == Gst.StateChangeReturn.FAILURE:
            self.errors.append(f"no {state.value_nick}")

    def play(self):
        begin = time.monotonic()
        getattr(self, "do_" + self.kind.replace("-", "_"), self.do_play)()
        took = time.monotonic() - begin
        self.pipeline.set_state(Gst.State.NULL)
        self.listen(0.05)
        return {"frames": self.frames, "errors": self.errors, "warnings": self.warnings, "seconds": took}

    def do_play(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        self.listen(35)

    def do_seeks(self):
        self.state(Gst.State.PLAYING)
        for turn in range(30):
            place = 0 if turn % 2 == 0 else turn % 4
            self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, place * Gst.SECOND)
            if self.listen(0.005 * (turn % 7)) and self.errors:
                return
        self.pipeline.get_state(10 * Gst.SECOND)
        # The number of frames between seeks varies, so only the frames after the last seek count.
        self.pipeline.set_state(Gst.State.PAUSED)
        self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, 0)
        self.pipeline.get_state(10 * Gst.SECOND)
        self.frames = 1
        self.pipeline.set_state(Gst.State.PLAYING)
        self.listen(35)

    def do_backwards(self):
        self.state(Gst.State.PAUSED)
        self.pipeline.seek(-1, Gst.Format.TIME, Gst.SeekFlags.FLUSH, Gst.SeekType.SET, 0, Gst.SeekType.SET, 4 * Gst.SECOND)
        self.do_play()

    def do_playbin_states(self):
        for turn in range(20):
            self.pipeline.set_state(Gst.State.PLAYING)
            if self.listen(0.02 * (turn % 6)) and self.errors:
                return
            self.pipeline.set_state(Gst.State.NULL if turn % 3 else Gst.State.READY)
        self.frames = 0
        self.do_play()

    def do_hold(self):
        def arrived(sink):
            self.held.append(sink.emit("pull-sample"))
            if len(self.held) > 60:
                self.held.pop(0)
            return Gst.FlowReturn.OK
        self.pipeline.get_by_name("hold").connect("new-sample", arrived)
        self.do_play()
        self.held.clear()

    def do_caps(self):
        caps, frames = self.pipeline.get_by_name("caps"), 0

        def passed(*_):
            nonlocal frames
            frames += 1
            if frames % 18 == 0:
                GLib.idle_add(lambda: caps.set_property(
                    "caps", Gst.Caps.from_string(f"video/x-raw,width={320 + (frames // 18) * 16},height=240")))
                GLib.MainContext.default().iteration(False)
            return Gst.PadProbeReturn.OK
        caps.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, passed)
        self.do_play()

    def do_push(self):
        source = self.pipeline.get_by_name("app")
        self.pipeline.set_state(Gst.State.PLAYING)
        for number in range(90):
            buffer = Gst.Buffer.new_allocate(None, 64 * 64, None)
            buffer.pts = number * Gst.SECOND // 30
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        self.listen(35)


def missing(row, places):
    line = line_of(row, "identity", places) or "playbin"
    names = [word.strip().split()[0] for word in re.split(r"(?:^|\s)!(?:\s|$)", line)]
    names = [name for name in names if re.fullmatch(r"[a-z0-9_]+", name)]
    return [name for name in names if not Gst.ElementFactory.find(name)]


def run_apart(row, element, places):
    command = [sys.executable, os.path.abspath(__file__), "--one", row[0], element, json.dumps(places)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=40)
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"frames": -1, "errors": ["hangs"], "warnings": [], "seconds": 40}
    except (IndexError, ValueError):
        return {"frames": -1, "errors": [f"died: {done.returncode}"], "warnings": [], "seconds": 0}


def main():
    if sys.argv[1:2] == ["--one"]:
        row = next(row for row in ROWS if row[0] == sys.argv[2])
        return print(json.dumps(Run(row, sys.argv[3], json.loads(sys.argv[4])).play()))
    if not Gst.ElementFactory.find("adaptivepool"):
        sys.exit("pool.py: there is no adaptivepool; set GST_PLUGIN_PATH to the folder of libgstswiftvideo.so")
    worse = 0
    with tempfile.TemporaryDirectory() as folder:
        places = {"webm": WEBM, "mp4": f"{folder}/clip.mp4", "dir": folder}
        if all(Gst.ElementFactory.find(name) for name in ("x264enc", "mp4mux")):
            clip = Gst.parse_launch(
                f"videotestsrc num-buffers=150 pattern=ball ! {RAW} ! x264enc key-int-max=50 ! mp4mux ! "
                f"filesink location={places['mp4']}")
            clip.set_state(Gst.State.PLAYING)
            clip.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            clip.set_state(Gst.State.NULL)
        print(f"{'pipeline':36} {'identity':>8} {'pool':>8} {'errors':>7} {'warnings':>8} {'seconds':>13}")
        for row in ROWS:
            if sys.argv[1:] and not any(word in row[0] for word in sys.argv[1:]):
                continue
            lacking = missing(row, places)
            if lacking or ("{mp4}" in " ".join(row) and not os.path.exists(places["mp4"])):
                print(f"{row[0]:36} left out: no {', '.join(lacking) or 'MP4 clip'}")
                continue
            plain, ours = (run_apart(row, element, places) for element in ("identity", "adaptivepool"))
            is_worse = (ours["frames"] < plain["frames"] or len(ours["errors"]) > len(plain["errors"])
                        or plain["frames"] < 1)
            worse += is_worse
            print(f"{row[0]:36} {plain['frames']:8} {ours['frames']:8} {len(plain['errors']):3}/{len(ours['errors']):<3} "
                  f"{len(plain['warnings']):4}/{len(ours['warnings']):<3} {plain['seconds']:6.2f}/{ours['seconds']:<6.2f}"
                  f"{'  WORSE' if is_worse else ''}")
            for text in sorted(set(ours["errors"] + ours["warnings"])):
                print(f"    {text}")
    print(f"{worse} worse")
    sys.exit(1 if worse else 0)


main()
