"""Plays a stream of a Sendspin server and shows the track. The script pipelines/sendspin-play runs this program.

    sendspin-play.py [--config FILE] [--token-file FILE] [--list-devices] [--lights] [--pair] [KEY=VALUE ...]

With --lights, draws the spectrum in the colours of the music. With --pair, shows the token that pairs a server.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Callable

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

import devices  # noqa: E402
import lights  # noqa: E402
import pairing_code  # noqa: E402
from configuration import LEVELS, Configuration, Setting, arguments, default_file, read  # noqa: E402
from output import Mistake, say  # noqa: E402

INTERVAL_MS = 250
LOG_INTERVAL_S = 10
SECOND = 1_000_000_000
# Properties with --lights. The arguments may set others.
LIGHTS = ["color=true", "visualizer=loudness,beat,peak,spectrum", "visualizer-bands=20"]


def clock_text(nanoseconds: int) -> str:
    seconds = max(nanoseconds, 0) // SECOND
    return f"{seconds // 60}:{seconds % 60:02}"


def is_journal() -> bool:
    """Whether standard output is a stream to the journal, where a line may begin with its priority, such as <4>."""
    output = os.fstat(1)
    return os.environ.get("JOURNAL_STREAM") == f"{output.st_dev}:{output.st_ino}"


class Screen:
    """A status line, and messages up to a level.

    On a terminal, the line is overwritten, and `picture` returns the lines above it for a number of columns. Other
    outputs get a line at each change, with the level debug also every 10 s.
    """

    def __init__(self, level: int, picture: Callable[[int], list[str]] = lambda _: []) -> None:
        self.level, self.is_terminal, self.is_journal = level, sys.stdout.isatty(), is_journal()
        self.last, self.last_time, self.line = None, 0.0, ""
        # Number of lines of the picture that is shown.
        self.picture, self.height = picture, 0

    def show(self, fixed: str, moving: str) -> None:
        """Shows the line. `fixed` is the state and the track. `moving` is the position, which changes continuously."""
        self.line = fixed + moving
        if self.is_terminal:
            self.draw()
        elif fixed != self.last or time.monotonic() - self.last_time >= LOG_INTERVAL_S:
            self.write(self.line, "debug" if fixed == self.last else "info")
            self.last, self.last_time = fixed, time.monotonic()

    @property
    def width(self) -> int:
        return os.get_terminal_size().columns if self.is_terminal else 80

    def draw(self) -> None:
        """Draws the picture and the line over the previous ones."""
        width = self.width - 1
        lines = [*self.picture(width), self.line[:width]]
        text = self.start() + "\n".join("\033[K" + line for line in lines)
        self.height = len(lines) - 1
        say(text, end="")

    def start(self) -> str:
        """Moves the cursor to the first line."""
        return (f"\033[{self.height}A" if self.height else "") + "\r"

    def write(self, text: str, level: str) -> None:
        """Prints a message, on a terminal above the picture and the status line.

        Discards messages above the level of the settings.
        """
        if LEVELS[level] > self.level:
            return
        if self.is_terminal:
            text = f"{self.start()}\033[J{text}"
            self.height = 0
        elif self.is_journal:
            text = f"<{LEVELS[level]}>" + text.replace("\n", " ")
        say(text)

    def note(self, text: str) -> None:
        """Prints a message, but not on a terminal, where the status line shows the same."""
        if not self.is_terminal:
            self.write(text, "info")

    def end(self) -> None:
        if self.is_terminal:
            say("")


def printable(text: str) -> str:
    """Replaces control characters by spaces. Tags from a decoder and names of devices may contain them."""
    return "".join(character if character.isprintable() else " " for character in text)


class Player:
    def __init__(self, settings: list[Setting], draws: bool, pairs: bool) -> None:
        self.lights, self.draws, self.pairs = lights.Lights(), draws, pairs
        self.pipeline = Gst.Pipeline.new("player")
        options = arguments(LIGHTS) if draws else []
        if pairs:
            draws_codes = sys.stdout.isatty() and pairing_code.draws()
            options += arguments([f"pairing-code={'qr-code' if draws_codes else 'digits'}"])
        self.play = Gst.ElementFactory.make("sendspinplay", "play")
        self.configuration = Configuration(self.play, options + settings)
        self.source = self.play.get_by_name("source")
        self.pipeline.add(self.play)
        # The token and the codes have the level info.
        level = max(self.configuration.level, LEVELS["info"]) if pairs else self.configuration.level
        self.screen = Screen(level, *[self.lights.picture] if draws else [])
        self.loop, self.status = GLib.MainLoop(), 0
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
            self.screen.write(message.parse_info()[0].message, "info")
        elif kind == Gst.MessageType.WARNING:
            self.screen.write(self.problem(message, message.parse_warning()[0]), "warning")
        elif kind == Gst.MessageType.ERROR:
            self.screen.write(self.problem(message, message.parse_error()[0]), "error")
            self.status = 1
            self.loop.quit()

    def problem(self, message: Gst.Message, error: GLib.Error) -> str:
        """Text of a warning or error. The name of another element, such as the audio sink, precedes its text."""
        if message.src in (self.source, self.play):
            return error.message
        is_device = error.domain == "gst-resource-error-quark"
        hint = " sendspin-play --list-devices lists the audio outputs." if is_device else ""
        return f"{message.src.get_name()}: {error.message}{hint}"

    def on_element_message(self, structure: Gst.Structure) -> None:
        name = structure.get_name()
        fields = {key: structure.get_value(key) for key in map(structure.nth_field_name, range(structure.n_fields()))
                  if key != "commands"}
        if name == "sendspin-server":
            self.server = fields.get("name") or "" if fields["connected"] else ""
            self.track, self.progress = {}, {}
            if fields["connected"]:
                words = ["" if fields[key] else "not " for key in ("encrypted", "paired")]
                self.screen.note(f"Connected to {self.server}: {words[0]}encrypted, {words[1]}paired.")
            elif fields["reason"]:
                self.screen.note(f"The connection has ended: {fields['reason']}")
        elif name == "sendspin-pairing":
            what = "is" if fields["paired"] else "is no longer"
            text = f"{fields.get('name') or fields['id']} {what} paired with this player."
            # On a terminal, somebody waits for it.
            self.screen.write(text, "info") if self.pairs else self.screen.note(text)
        elif name == "sendspin-group":
            self.group |= fields
        elif name == "sendspin-progress":
            self.progress = fields
        elif name in ("sendspin-stream-start", "sendspin-stream-end"):
            self.is_playing = name.endswith("start")
        elif name == "sendspin-pairing-code":
            server = f"the server {fields.get('name') or fields['id']}"
            if "code" not in fields:
                self.screen.write(f"The code for {server} is no longer valid.", "info")
            elif fields["format"] == "digits":
                self.screen.write(f"Enter the code {fields['code']} in {server} to pair it with this player.", "info")
            else:
                self.show_token(fields["code"], f"Scan this code with {server}")
        elif name == "sendspin-color" and self.draws:
            self.show_at_its_time(fields, self.lights.paint, lights.colours_line)
        elif name == "sendspin-visualizer" and self.draws:
            if "spectrum" in fields:
                fields["spectrum"] = fields["spectrum"].extract_dup(0, fields["spectrum"].get_size())
            self.show_at_its_time(fields, self.lights.take, lights.data_line)

    # Lights

    def show_at_its_time(
        self, fields: dict[str, Any], take: Callable[[dict[str, Any]], None], line: Callable[[dict[str, Any]], str],
    ) -> None:
        """Shows the fields of a message when their audio is heard. A message arrives up to 200 ms before."""
        def show() -> bool:
            if self.screen.is_terminal:
                take(fields)
                self.screen.draw()
            else:
                self.screen.write(line(fields), "info")
            return False

        now = self.pipeline.get_current_running_time()
        wait = fields.get("running-time", 0) - now if now != Gst.CLOCK_TIME_NONE else 0
        GLib.timeout_add(max(wait, 0) * 1000 // SECOND, show)

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

    def show_token(self, token: str, advice: str) -> None:
        code = pairing_code.text(token, self.screen.is_terminal, self.screen.width)
        self.screen.write(f"{code}\n{advice} to pair it with this player. It is secret.", "info")

    def run(self, token_file: str | None) -> int:
        """Plays until a signal or an error, and returns the exit status. Writes the pairing token to a new file."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._interrupted)
        try:
            if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
                self.fail()
            if token_file is not None:
                self.write_token(token_file)
            if self.pairs:
                self.show_token(self.play.emit("get-pairing-token"), "Enter this token in the server")
            GLib.timeout_add(INTERVAL_MS, self.update)
            self.update()
            self.loop.run()
        finally:
            # The player says goodbye to the server.
            self.pipeline.set_state(Gst.State.NULL)
            self.screen.end()
        return self.status

    def _interrupted(self, number: int, _: object) -> None:
        # A second signal kills the program. PyGObject 3.58 warns of GLib.unix_signal_add, and 3.50 has no other name.
        signal.signal(number, signal.SIG_DFL)
        GLib.idle_add(self.loop.quit, priority=GLib.PRIORITY_HIGH)

    def fail(self) -> None:
        """Ends the program with the error of a player that does not start. Raises Mistake if a setting is wrong."""
        message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        text = message.parse_error()[0].message if message else "sendspinplay does not start."
        setting = self.configuration.source(text)
        if setting:
            raise Mistake(setting.says(text))
        complain(text)
        sys.exit(1)

    def write_token(self, path: str) -> None:
        """Writes the pairing token, which is a secret, to a new file that only this user can read."""
        try:
            with open(path, "x", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                print(self.play.emit("get-pairing-token"), file=file)
        except OSError as error:
            raise Mistake(f"The pairing token cannot be written to {path}: {error.strerror}.") from error


def complain(text: str) -> None:
    say((f"<{LEVELS['error']}>" if is_journal() else "") + text, sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--token-file")
    for name in ("--list-devices", "--lights", "--pair"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("settings", nargs="*")
    options = parser.parse_args()
    Gst.init(None)
    if options.list_devices:
        say("\n".join(map(printable, devices.lines(devices.outputs()))))
        return 0
    file = options.config or default_file()
    settings = (read(file) if file else []) + arguments(options.settings)
    player = Player(settings, options.lights, options.pair)
    if player.screen.level == LEVELS["debug"] and "GST_DEBUG" not in os.environ:
        Gst.debug_set_color_mode(Gst.DebugColorMode.OFF)
        Gst.debug_set_threshold_for_name("sendspin*", Gst.DebugLevel.DEBUG)
    return player.run(options.token_file)


try:
    sys.exit(main())
except Mistake as mistake:
    complain(str(mistake))
    sys.exit(os.EX_CONFIG)
