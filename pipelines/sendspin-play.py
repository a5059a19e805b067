"""Plays a stream of a Sendspin server and shows the track. The script pipelines/sendspin-play runs this program.

    sendspin-play.py [PROPERTY=VALUE ...]
"""

import os
import signal
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

from launch import setting  # noqa: E402
from output import Mistake, say  # noqa: E402

INTERVAL_MS = 250
LOG_INTERVAL_S = 10
SECOND = 1_000_000_000


def clock_text(nanoseconds: int) -> str:
    seconds = max(nanoseconds, 0) // SECOND
    return f"{seconds // 60}:{seconds % 60:02}"


class Screen:
    """A status line. On a terminal, the line is overwritten. Other outputs get a line at each change and every 10 s."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdout.isatty()
        self.last, self.last_time, self.line = None, 0.0, ""

    def show(self, fixed: str, moving: str) -> None:
        """Shows the line. `fixed` is the state and the track. `moving` is the position, which changes continuously."""
        self.line = fixed + moving
        if self.is_terminal:
            width = os.get_terminal_size().columns
            say("\r\033[K" + self.line[:width - 1], end="")
        elif fixed != self.last or time.monotonic() - self.last_time >= LOG_INTERVAL_S:
            self.last, self.last_time = fixed, time.monotonic()
            say(self.line)

    def write(self, text: str) -> None:
        """Prints a message above the status line."""
        say(("\r\033[K" if self.is_terminal else "") + text)

    def end(self) -> None:
        if self.is_terminal:
            say("")


def printable(text: str) -> str:
    """Replaces control characters by spaces. Tags from a decoder may contain control characters."""
    return "".join(character if character.isprintable() else " " for character in text)


class Player:
    def __init__(self, settings: list[str]) -> None:
        self.pipeline = Gst.Pipeline.new("player")
        # gst_parse_launchv raises GLib.Error if the value of a property is invalid.
        self.play = Gst.parse_launchv(["sendspinplay", "name=play", *map(setting, settings)])
        self.source = self.play.get_by_name("source")
        self.pipeline.add(self.play)
        self.screen, self.loop, self.status = Screen(), GLib.MainLoop(), 0
        self.server, self.group, self.track = "", {}, {}
        self.progress, self.is_playing = {}, False
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    # Messages

    def on_message(self, _bus: Gst.Bus, message: Gst.Message) -> None:
        kind = message.type
        if kind == Gst.MessageType.ELEMENT:
            self.on_element_message(message.get_structure())
        elif kind == Gst.MessageType.TAG:
            tags = message.parse_tag()
            for name in ("title", "artist"):
                found, text = tags.get_string(name)
                if found:
                    self.track[name] = printable(text)
        elif kind == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        elif kind == Gst.MessageType.INFO:
            self.screen.write(message.parse_info()[0].message)
        elif kind == Gst.MessageType.WARNING:
            self.screen.write(self.problem(message, message.parse_warning()[0]))
        elif kind == Gst.MessageType.ERROR:
            self.screen.write(self.problem(message, message.parse_error()[0]))
            self.status = 1
            self.loop.quit()

    def problem(self, message: Gst.Message, error: GLib.Error) -> str:
        """Text of a warning or error. The name of another element, such as the audio sink, precedes its text."""
        is_own = message.src in (self.source, self.play)
        return error.message if is_own else f"{message.src.get_name()}: {error.message}"

    def on_element_message(self, structure: Gst.Structure) -> None:
        name = structure.get_name()
        fields = {key: structure.get_value(key) for key in map(structure.nth_field_name, range(structure.n_fields()))
                  if key != "commands"}
        if name == "sendspin-server":
            self.server = fields.get("name") or "" if fields["connected"] else ""
            self.track, self.progress = {}, {}
        elif name == "sendspin-group":
            self.group |= fields
        elif name == "sendspin-progress":
            self.progress = fields
        elif name in ("sendspin-stream-start", "sendspin-stream-end"):
            self.is_playing = name.endswith("start")

    # Status line

    def position(self, offset: int | None) -> str:
        progress = self.progress
        if "position" not in progress or offset is None:
            return ""
        # `timestamp` is a time of the server's clock. `offset` is the server's clock minus the local monotonic clock.
        passed = time.monotonic_ns() + offset - progress["timestamp"]
        position = max(progress["position"] + passed * progress['speed'], 0)
        duration = progress.get("duration")
        if not duration:
            return "  " + clock_text(int(position))
        return f"  {clock_text(int(min(position, duration)))}/{clock_text(duration)}"

    def sync_text(self, sync: Gst.Structure | None) -> str:
        if sync is None or not self.is_playing or not sync.has_field("error"):
            return ""
        return f"  sync {sync.get_value('error') / 1000:+.0f} us, device {-sync.get_value('drift-ppm'):+.1f} ppm"

    def update(self) -> bool:
        stats = self.play.get_property("stats")
        source = stats.get_value("source")
        offset = source.get_value("clock-offset") if source.has_field("clock-offset") else None
        if not self.server:
            pause = source.get_value("next-attempt-time") if source.has_field("next-attempt-time") else None
            self.screen.show(
                "Waiting for a server ...", f" next attempt in {-(-pause // SECOND)} s" if pause is not None else "")
            return True
        what = " - ".join(filter(None, (self.track.get("title"), self.track.get("artist"))))
        state = "playing" if self.is_playing else "stopped"
        group = self.group.get("name") or ""
        level = "muted" if self.source.get_property("mute") else f"volume {self.source.get_property('volume')} %"
        fixed = "  ".join(filter(None, (state, what, f"[{group} at {self.server}]", level)))
        moving = self.position(offset) + self.sync_text(stats.get_value("sync"))
        self.screen.show(fixed, moving)
        return True

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.loop.quit)
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            self.status = 1
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            self.screen.write(message.parse_error()[0].message if message else "sendspinplay does not start.")
        else:
            GLib.timeout_add(INTERVAL_MS, self.update)
            self.update()
            self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        self.screen.end()
        return self.status


Gst.init(None)
try:
    player = Player(sys.argv[1:])
except Mistake as mistake:
    sys.exit(str(mistake))
except GLib.Error as error:
    sys.exit(f"{error.message}; gst-inspect-1.0 sendspinplay lists the properties.")
sys.exit(player.run())
