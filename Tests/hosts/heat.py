"""Checks `thermalcaps` on a simulated machine that gets hot and cools down.

    heat.py [--quick] [--list] [--clip FILE] [WORD…]

Plays 1920x1080 at 30 frames/s into encoders with decoders, muxers and a sink. The source is a live source, which
negotiates lower caps, or a decoded file, which cannot. A folder replaces /sys; its temperature rises to the critical
level and falls again. Only runs whose names contain all WORDs are played. --quick plays a few short runs. FILE is
repeated and replaces the test picture. The elements come from GST_PLUGIN_PATH, or from plugin-build/build. The exit
status is 1 if a check fails.

Each line of the output is a run. It contains the number of steps; the largest delay of a step and the shortest time
between two steps, both in dwells; the error of the frame rate in frames; and the number of frames at the input, at the
output, encoded or decoded, and in the file.
"""
import argparse
import os
import sys
import tempfile
import time

import built
import waiting
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo

built.need("thermalcaps")

RATE, DWELL, POLL = 30, 1.0, 0.1
# The bitrate property and the bitrate of each encoder.
BITRATES = {
    "x264enc": ("bitrate", 4321), "vp8enc": ("target-bitrate", 4_321_000), "openh264enc": ("bitrate", 3_210_000),
}
# Encoders whose level or codec data depend on the bitrate. Before a muxer, their bitrate must not change.
BOUND = {"openh264enc"}
ENCODERS = {
    "x264enc": "x264enc name=e speed-preset=ultrafast tune=zerolatency bitrate=4321",
    "vp8enc": "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr target-bitrate=4321000",
    "openh264enc": "openh264enc name=e bitrate=3210000",
    "fakesink": "identity",
}
DECODERS = {
    "x264enc": "h264parse ! avdec_h264",
    "vp8enc": "vp8dec",
    "openh264enc": "h264parse ! avdec_h264",
    "fakesink": "identity",
}
MUXERS = {
    "x264enc+matroskamux": ("x264enc", "matroskamux", "mkv"),
    "vp8enc+matroskamux": ("vp8enc", "matroskamux", "mkv"),
    "openh264enc+matroskamux": ("openh264enc", "h264parse ! matroskamux", "mkv"),
    "openh264enc+qtmux": ("openh264enc", "h264parse ! qtmux", "mov"),
    "x264enc+qtmux": ("x264enc", "qtmux", "mov"),
    "x264enc+flvmux": ("x264enc", "flvmux", "flv"),
    "x264enc+mpegtsmux": ("x264enc", "mpegtsmux", "ts"),
}
FIELDS = {
    "zone": str, "temperature": float, "headroom": float, "forecast": float, "level": str, "cause": str, "action": str,
    "caps": Gst.Caps,
}


class Machine:
    """A folder with the thermal files of a simulated machine."""

    def __init__(self, folder):
        self.root = folder
        self.zone = os.path.join(folder, "sys/class/thermal/thermal_zone0")
        self.changes = []
        os.makedirs(self.zone, exist_ok=True)
        for name, text in {
            "type": "cpu-thermal", "mode": "enabled", "trip_point_0_type": "passive", "trip_point_0_temp": "80000",
            "trip_point_1_type": "critical", "trip_point_1_temp": "100000",
        }.items():
            self.write(name, text)
        self.heat(50)

    def write(self, name, text):
        with open(os.path.join(self.zone, ".new"), "w") as file:
            file.write(f"{text}\n")
        os.rename(os.path.join(self.zone, ".new"), os.path.join(self.zone, name))

    def heat(self, degrees):
        self.write("temp", degrees * 1000)
        self.changes.append((time.monotonic(), degrees))


class Tap:
    """Records the frames and the caps at a pad, and checks that the size of each frame matches the caps."""

    def __init__(self, pad):
        # A frame is (monotonic time, running time, (width, height), caps). The caps are (width, height, rate).
        self.frames, self.caps, self.wrong, self.backwards = [], [], [], 0
        self.info, self.now, self.segment = None, None, Gst.Segment()
        kinds = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST | Gst.PadProbeType.EVENT_DOWNSTREAM
        pad.add_probe(kinds, self.see)

    def see(self, _pad, probe):
        if probe.type & Gst.PadProbeType.EVENT_DOWNSTREAM:
            event = probe.get_event()
            if event.type == Gst.EventType.CAPS:
                self.take(event.parse_caps())
            elif event.type == Gst.EventType.SEGMENT:
                self.segment = event.parse_segment().copy()
        elif probe.type & Gst.PadProbeType.BUFFER_LIST:
            frames = probe.get_buffer_list()
            for index in range(frames.length()):
                self.frame(frames.get(index))
        else:
            self.frame(probe.get_buffer())
        return Gst.PadProbeReturn.OK

    def take(self, caps):
        fields = caps.get_structure(0)
        rate = fields.get_fraction("framerate")
        size = (fields.get_int("width").value, fields.get_int("height").value)
        self.now = (*size, (rate.value_numerator, rate.value_denominator) if rate.value_denominator else (0, 1))
        raw = fields.get_name() == "video/x-raw"
        self.info = GstVideo.VideoInfo.new_from_caps(caps) if raw else None
        self.caps.append((time.monotonic(), self.now))

    def frame(self, buffer):
        size, meta = self.now[:2] if self.now else None, None
        if self.info:
            meta = GstVideo.buffer_get_video_meta(buffer)
            if meta:
                size = (meta.width, meta.height)
            right = size == self.now[:2] and (
                buffer.get_size() >= self.info.size if meta else buffer.get_size() == self.info.size)
            if not right:
                self.wrong.append((size, buffer.get_size(), self.now))
        elif not self.now:
            self.wrong.append("a frame before any caps")
        at = self.segment.to_running_time(Gst.Format.TIME, buffer.pts)
        if self.frames and at <= self.frames[-1][1]:
            self.backwards += 1
        self.frames.append((time.monotonic(), at, size, self.now))

    @property
    def sizes(self):
        return {frame[1]: frame[2] for frame in self.frames}


class Run:
    """One pipeline on a machine that heats up and cools down."""

    def __init__(self, name, source, tail, machine, settings="", dwell=DWELL):
        self.name, self.machine, self.dwell, self.faults, self.facts = name, machine, dwell, [], {}
        self.has_trend = "forecast=" in settings
        self.line = (
            f"{source} ! thermalcaps name=t sensor-root={machine.root} poll-interval={int(POLL * 1e9)} "
            f"down-dwell={int(dwell * 1e9)} up-dwell={int(dwell * 1e9)} forecast=0 {settings} ! {tail}"
        )
        self.pipeline = Gst.parse_launch(self.line)
        self.caps = self.pipeline.get_by_name("t")
        self.encoder = self.pipeline.get_by_name("e")
        self.input, self.output = Tap(self.caps.get_static_pad("sink")), Tap(self.caps.get_static_pad("src"))
        sink = self.pipeline.get_by_name("out")
        self.end = Tap(sink.get_static_pad("sink"))
        # Messages in the order of posting: (monotonic time, level, action, structure).
        self.told, self.trouble = [], []
        self.is_over = False
        self.bus = self.pipeline.get_bus()
        self.bus.set_sync_handler(self.hear)

    def hear(self, _bus, message):
        kind = message.type
        if kind == Gst.MessageType.ELEMENT and message.get_structure().get_name() == "thermal-level-changed":
            fields = message.get_structure().copy()
            self.told.append((time.monotonic(), fields.get_string("level"), fields.get_string("action"), fields))
        elif kind == Gst.MessageType.ERROR:
            self.trouble.append("error: " + " ".join(str(part) for part in message.parse_error()))
        elif kind == Gst.MessageType.WARNING:
            self.trouble.append("warning: " + " ".join(str(part) for part in message.parse_warning()))
        elif kind == Gst.MessageType.EOS:
            self.is_over = True
        return Gst.BusSyncReply.DROP

    def fault(self, text):
        self.faults.append(text)

    def get(self, name):
        return self.caps.get_property(name)

    def until(self, what, is_true, seconds):
        waiting.until(lambda: self.trouble or is_true(), seconds)
        if is_true():
            return True
        if not self.trouble:
            self.fault(f"{what} within {seconds:g} s: not so; {self.get('level')}, {self.get('current-action')}")
        return False

    def steps(self):
        """The messages with a new action, as (time, previous action, action)."""
        before, steps = "none", []
        for when, _, action, _ in self.told:
            if action != before:
                steps.append((when, before, action))
            before = action
        return steps

    def play(self, least):
        """Heats the machine up and cools it down. The taps record the frames for later checks."""
        had = self.encoder.get_property(BITRATES[self.encoder.get_factory().get_name()][0]) if self.encoder else None
        self.pipeline.set_state(Gst.State.PLAYING)
        if self.until("frames", lambda: len(self.output.frames) > 30, 30):
            began, patience = time.monotonic(), 4 * self.dwell + 4
            self.machine.heat(76)
            self.until("fair", lambda: self.get("level") == "fair", patience)
            self.machine.heat(85)
            self.until("serious", lambda: self.get("level") == "serious", patience)
            self.until("the first step", lambda: self.get("current-action") != "none", patience)
            if not waiting.remains(lambda: len(self.steps()) == 1, 1.5 * self.dwell):
                self.fault(f"serious is {len(self.steps())} steps")
            self.machine.heat(92)
            self.until("the last step", lambda: least in self.get("current-action"), 12 * self.dwell + 8)
            if not waiting.remains(lambda: least in self.get("current-action"), 1.5 * self.dwell):
                self.fault("the last step is not the last")
            if had:
                factory = self.encoder.get_factory().get_name()
                has = self.encoder.get_property(BITRATES[factory][0])
                if factory in BOUND and self.pipeline.get_by_name("m"):
                    if has != had:
                        self.fault("the bitrate has changed before a muxer that refuses new codec data")
                elif has >= had:
                    self.fault("the bitrate is not lower")
            self.machine.heat(50)
            self.until("full quality", lambda: self.get("current-action") == "none", 16 * self.dwell + 8)
            if not waiting.remains(lambda: self.get("current-action") == "none", 1.5 * self.dwell):
                self.fault("something is reduced again")
            self.check_durations(time.monotonic() - began)
        if had and self.encoder.get_property(BITRATES[self.encoder.get_factory().get_name()][0]) != had:
            self.fault("the bitrate is not what it was")
        self.pipeline.send_event(Gst.Event.new_eos())
        self.until("the end", lambda: self.is_over, 30)
        self.changes = self.get("changes")
        self.pipeline.set_state(Gst.State.NULL)
        self.faults += self.trouble

    # Checks after the run.

    def check_durations(self, seconds):
        spent = self.get("limitation-durations")
        times = {spent.nth_field_name(index): spent.get_value(spent.nth_field_name(index))
                 for index in range(spent.n_fields())}
        if any(times.get(level, 0) <= 0 for level in ("nominal", "fair", "serious", "critical")):
            self.fault(f"a level has lasted no time: {times}")
        if times.get("shutdown") != 0 or not seconds <= sum(times.values()) < seconds + 40:
            self.fault(f"{seconds:.1f} s were {times}")

    def check_messages(self):
        for when, level, action, fields in self.told:
            for name, kind in FIELDS.items():
                # A forecast requires three readings, so only the last message must contain it.
                if name == "forecast" and not (self.has_trend and fields is self.told[-1][3]):
                    continue
                # A message that is posted before negotiation has no caps.
                if name == "caps" and not any(known <= when for known, _ in self.input.caps):
                    continue
                if not fields.has_field(name) or not isinstance(fields.get_value(name), kind):
                    self.fault(f"{name} of the message {level}, {action} is no {kind.__name__}")
        if self.changes != len(self.steps()):
            self.fault(f"{self.changes} changes, but {len(self.steps())} were posted")

    def check_times(self):
        """Measures in dwells the delay of each step, and the time since the previous step or the cause of the step."""
        late, early, last = [], [], None
        for when, _, _ in self.steps():
            # The cause of a step is the last change of the temperature before it.
            cause, degrees = [change for change in self.machine.changes if change[0] <= when][-1]
            since = max(cause, last or cause) if degrees == 50 else last
            could = cause if since is None else max(cause, since + self.dwell)
            late.append((when - could) / self.dwell)
            if since is not None:
                early.append((when - since) / self.dwell)
            last = when
        self.facts["late"] = max(late, default=float("nan"))
        self.facts["least"] = min(early, default=float("nan"))
        if late and max(late) > 1:
            self.fault(f"a step was {max(late):.2f} dwells late")
        if early and min(early) < 0.85:
            self.fault(f"a step came {min(early):.2f} dwells after the last")

    def check_stream(self, is_open, muxed):
        taps = {"in": self.input, "out": self.output, "end": self.end}
        for name, tap in taps.items():
            if tap.wrong:
                self.fault(f"{len(tap.wrong)} wrong frames at {name}, as {tap.wrong[0]}")
            if tap.backwards and name != "end":
                self.fault(f"time goes back {tap.backwards} times at {name}")
        if not self.output.caps or self.output.caps[0][1] != self.output.caps[-1][1]:
            self.fault(f"the caps ended as {self.output.caps[-1:]}")
        if muxed and len(self.output.caps) != 1:
            self.fault(f"caps changed before a muxer: {[caps for _, caps in self.output.caps]}")
        if is_open and not muxed and len(self.input.caps) < 6:
            self.fault("the source received no request")
        if not is_open and len(self.input.caps) != 1:
            self.fault(f"the caps of the file were {len(self.input.caps)}")
        self.facts["frames"] = f"{len(self.input.frames)}/{len(self.output.frames)}/{len(self.end.frames)}"
        # Every frame of the output was in the input. Running times that do not increase are counted as `backwards`.
        came = {frame[1] for frame in self.input.frames}
        if any(frame[1] not in came for frame in self.output.frames):
            self.fault("a frame of the output was not in the input")

    def check_rates(self):
        """Compares the number of output frames with the frame rate in each span of constant caps and action."""
        inputs, outputs = self.input.frames, {frame[1]: frame[3] for frame in self.output.frames}
        spans, span = [], None
        paced = sorted((when, action) for when, _, action, _ in self.told)
        for when, at, _, caps in inputs:
            action = next((action for told, action in reversed(paced) if told <= when), "none")
            key = (caps, action)
            if span is None or span[0] != key:
                span = (key, [])
                spans.append(span)
            span[1].append(at)
        worst = 0.0
        for (caps, action), times in spans:
            # Omit the first frames of a span, to which the previous action still applies.
            times = times[4:]
            if len(times) < 8 or not caps[2][0]:
                continue
            kept = [at for at in times if at in outputs]
            seconds = (times[-1] - times[0]) / 1e9
            words = [word.strip() for word in action.split(",") if "fps" in word]
            rate = caps[2][0] / caps[2][1]
            if words:
                up, down = words[0].removesuffix(" fps").split("/")
                rate = min(rate, int(up) / int(down))
            expected = seconds * rate + 1
            off = abs(len(kept) - expected)
            worst = max(worst, off)
            if off > 2:
                self.fault(f"{len(kept)} of {len(times)} frames left in {seconds:.2f} s of {caps}, {action}")
        self.facts["off"] = worst

    def check_decoded(self):
        """Compares the number and the sizes of the decoded frames with those of the output frames."""
        left, arrived = self.output.frames, self.end.frames
        if len(left) != len(arrived):
            self.fault(f"{len(left)} frames left, {len(arrived)} were decoded")
            return
        different = [(one[2], other[2]) for one, other in zip(left, arrived) if one[2] != other[2]]
        if different:
            self.fault(f"{len(different)} decoded frames are of another size, as {different[0]}")

    def check_file(self, path):
        reader = Gst.parse_launch(f"filesrc location={path} ! decodebin ! fakesink name=out sync=false")
        sink = reader.get_by_name("out")
        tap = Tap(sink.get_static_pad("sink"))
        reader.set_state(Gst.State.PLAYING)
        end = reader.get_bus().timed_pop_filtered(120 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        if not end or end.type != Gst.MessageType.EOS:
            self.fault(f"{path} cannot be read: {end.parse_error() if end else 'it takes too long'}")
        reader.set_state(Gst.State.NULL)
        if len(tap.frames) != len(self.output.frames):
            self.fault(f"{len(tap.frames)} of {len(self.output.frames)} frames are in the file")
        if tap.wrong or tap.backwards:
            self.fault(f"in the file are {len(tap.wrong)} wrong frames, {tap.backwards} that go back")
        self.facts["frames"] += f"/{len(tap.frames)}"


def film(folder, clip, shape):
    """Encodes a video of at most 45 s from repetitions of `clip`, or from a test pattern."""
    path = os.path.join(folder, "film.mp4")
    if not os.path.exists(path):
        source = "videotestsrc horizontal-speed=4"
        rest = ""
        if clip:
            source = "concat name=all"
            rest = f'filesrc location="{clip}" ! decodebin ! videoconvert ! all. ' * 8
        pipeline = Gst.parse_launch(
            f"{source} ! videoconvert ! videoscale ! videorate ! {shape} ! identity eos-after={45 * RATE} ! "
            f"x264enc speed-preset=ultrafast key-int-max=30 ! mp4mux ! filesink location={path} {rest}")
        pipeline.set_state(Gst.State.PLAYING)
        pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
    return path


def source_line(folder, kind, clip, width, height):
    shape = f"video/x-raw,format=I420,width={width},height={height},framerate={RATE}/1"
    if kind == "open":
        return f"videotestsrc is-live=true horizontal-speed=4 ! {shape};video/x-raw,format=I420"
    return f"filesrc location={film(folder, clip, shape)} ! decodebin ! clocksync"


def heat(name, folder, source, kind, is_small):
    machine = Machine(os.path.join(folder, name.replace("+", "-").replace(" ", "-")))
    settings, dwell = ("min-height=120", 0.5) if is_small else ("", DWELL)
    muxed = kind in MUXERS
    # All muxers except mpegtsmux require constant caps.
    stays = muxed and "mpegtsmux" not in kind
    if muxed:
        encoder, muxer, suffix = MUXERS[kind]
        path = os.path.join(folder, f"{name.replace(' ', '-')}.{suffix}")
        tail = f"{ENCODERS[encoder]} ! identity name=out silent=true ! {muxer} name=m ! filesink location={path}"
    else:
        tail = f"{ENCODERS[kind]} ! {DECODERS[kind]} ! fakesink name=out sync=false"
    run = Run(name, source, tail, machine, settings, dwell=dwell)
    least = "10/1 fps" if stays else "214x120" if is_small else "426x240, 10/1 fps"
    run.play(least)
    run.check_messages()
    run.check_times()
    run.check_stream(name.startswith("open"), stays)
    run.check_rates()
    if muxed:
        run.check_file(path)
        if os.path.exists(path):
            os.remove(path)
    else:
        run.check_decoded()
    return run


def shutdown(folder, settings, expects_error):
    """Tests the level shutdown."""
    machine = Machine(os.path.join(folder, "shutdown" + str(expects_error)))
    settings += " forecast=10000000000"
    source = f"videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate={RATE}/1"
    run = Run("shutdown " + settings, source, "fakesink name=out sync=false", machine, settings, dwell=0.5)
    run.pipeline.set_state(Gst.State.PLAYING)
    run.until("frames", lambda: len(run.output.frames) > 10, 20)
    machine.heat(99)
    if expects_error:
        waiting.until(lambda: run.trouble, 5)
        words = ("switch itself off", "cpu-thermal", "99 degrees", "never-stop=true")
        text = " ".join(run.trouble)
        if not all(word in text for word in words):
            run.fault(f"the error says: {text}")
        run.trouble.clear()
    else:
        run.until("the last step", lambda: "10/1 fps" in run.get("current-action"), 5)
        if len(run.steps()) != 2:
            # The first reading of 99 degrees causes the first step. The second such reading causes the last step.
            run.fault(f"the way to the last step was {[action for _, _, action in run.steps()]}")
    run.changes = run.get("changes")
    run.pipeline.set_state(Gst.State.NULL)
    run.faults += run.trouble
    run.check_messages()
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--clip")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    kinds = list(ENCODERS) + list(MUXERS)
    names = [f"{source} {kind}" for kind in kinds for source in ("open", "file")]
    names += ["shutdown", "shutdown never-stop=true"]
    if arguments.quick:
        names = ["open x264enc", "file vp8enc", "file x264enc+matroskamux", "shutdown", "shutdown never-stop=true"]
    names = [name for name in names if all(word in name for word in arguments.words)]
    if arguments.list:
        print("\n".join(names))
        return 0
    print(f"{'run':32} {'steps':>5} {'late':>5} {'least':>5} {'off':>5}  in/out/end")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        size = (640, 360) if arguments.quick else (1920, 1080)
        clip = arguments.clip and os.path.abspath(arguments.clip)
        for name in names:
            source, _, kind = name.partition(" ")
            if source == "shutdown":
                run = shutdown(folder, kind, not kind)
            else:
                run = heat(name, folder, source_line(folder, source, clip, *size), kind, arguments.quick)
            facts = run.facts
            print(f"{name:32} {len(run.steps()):5} {facts.get('late', 0):5.2f} {facts.get('least', 0):5.2f} "
                  f"{facts.get('off', 0):5.1f}  {facts.get('frames', '')}", flush=True)
            for fault in run.faults:
                print(f"    {fault}")
            failed += bool(run.faults)
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
