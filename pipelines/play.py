"""Plays .launch files. The script pipelines/play runs this program."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from html import escape
from pathlib import Path

import command
from launch import PLAYLISTS, LaunchFile, linked, picture_properties, quoted, setting, split
from output import Mistake, NewFile, check, say

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
# Variables of live sources. A recording of a live source cannot be repeated.
LIVE = {"camera", "server"}
FLAGS = ("--print", "--force")
# The presets of the picture and of the sound, which have the same names.
PRESETS, SOUND_PRESETS = "GstNtscFilter.prs", "GstTapeAudio.prs"
# Tiles of a contact sheet: the number in a row, and their size. pipelines/looks.launch has the size, too.
TILES, TILE = 5, (384, 216)
PLAYER = [sys.executable, str(HERE / "player.py")]


class Play:
    """A pipeline and its arguments."""

    def __init__(self, arguments: list[str]) -> None:
        self.flags = {argument for argument in arguments if argument in FLAGS}
        self.added: list[str] = []
        names = [argument for argument in arguments if argument not in FLAGS]
        for option in [name for name in names if name.startswith("-")]:
            if not option.startswith("--add="):
                raise Mistake(f"There is no option {option}; pipelines/play --help lists the options.")
            self.added += split(option.removeprefix("--add="), "--add=")
            names.remove(option)
        if not names:
            raise Mistake("The name of a pipeline is missing; pipelines/play --help lists the pipelines.")
        path = Path(names[0])
        if not path.is_file():
            path = HERE / f"{names[0]}.launch"
        if not path.is_file():
            raise Mistake(f"There is no pipeline {path.stem}; pipelines/play --help lists the pipelines.")
        self.path, self.file = path, LaunchFile(path)
        # With an empty "server", sendspinsrc connects to the first server that it finds in the network.
        self.values = {"in": str(HERE / "media/bigbuckbunny.webm"), "screen": "autovideosink", "camera": "v4l2src",
                       "server": "", "speaker": "autoaudiosink", "root": "/", "upright": ""}
        default = self.file.directives("out")
        self.suffix = Path(default[0]).suffix if default else ""
        if default:
            # An installation of the program has no Package.swift. The program then writes into the current folder.
            folder = TOP / "out" if (TOP / "Package.swift").exists() else Path.cwd()
            self.values["out"] = str(folder / default[0])
        self.settings = self._read(names[1:])
        self.picture: list[str] = []
        self.replaces = "--force" in self.flags
        # Signals that ended the pipeline.
        self.ended: list[int] = []

    def _read(self, arguments: list[str]) -> dict[str, list[str]]:
        """Parses the arguments. Sets the values of variables, and returns the settings of the filter and of its sound."""
        settings: list[str] = []
        audio: list[str] = []
        preset = ""
        for argument in arguments:
            name, _, value = argument.partition("=")
            if name == argument:
                raise Mistake(f'"{argument}" is not key=value.')
            if name in ("preset", "@preset"):
                preset = _preset_name(value)
            elif name == "out" and "out" not in self.file.variables:
                raise Mistake(f"{self.file.name} has no place for out={value}.")
            elif name in ("in", "out"):
                self.values[name] = os.path.join(os.getcwd(), value) if value else ""
            elif name in self.values and name not in ("root", "upright"):
                self.values[name] = value
            elif name == "name" and self.file.has_names:
                raise Mistake(f'"{argument}" cannot be set: {self.file.name} names its elements.')
            else:
                is_sound = "audio" in self.file.variables and name in _keys(SOUND_PRESETS)
                if is_sound:
                    audio.append(setting(argument))
                # Some settings, such as the seed, belong to both.
                if not is_sound or name in _keys(PRESETS):
                    settings.append(setting(argument))
                if "audio" in self.file.variables and name == "vhs-tape-speed" and value in ("sp", "lp", "ep"):
                    audio.append(setting(f"tape-speed={value}"))
        if preset:
            # GStreamer loads the preset of a launch line last. It would replace the properties in the same launch line.
            settings = _preset_settings(preset) + settings if settings else [f"@preset={preset}"]
            if _has_preset(preset, SOUND_PRESETS):
                audio = _preset_settings(preset, SOUND_PRESETS) + audio
        if settings and "settings" not in self.file.variables:
            raise Mistake(f"{self.file.name} has no place for {' '.join(settings)}.")
        return {"settings": settings, "audio": audio}

    def words(self, values: dict[str, str]) -> list[str]:
        values = {**self.values, **values}
        if self.file.uses("multifilesink") and "out" in values:
            # The location of multifilesink is a printf format.
            values["out"] = values["out"].replace("%", "%%")
        settings = {**self.settings, "audio": self.picture + self.settings["audio"]}
        presets = [{"preset": name, "label": escape(name, quote=False), "number": str(number),
                    "x": str(number % TILES * TILE[0]), "y": str(number // TILES * TILE[1])}
                   for number, name in enumerate([*_preset_names(), *_own_presets()], 1)]
        return self.file.words(values, settings, presets) + self.added

    # Checks

    def check(self) -> None:
        # `words` raises Mistake if a fragment has unbalanced quotation marks.
        self.words({"in": "-", "out": "-"})
        clip, used = self.values["in"], self.file.variables
        if not os.access(clip, os.R_OK) or os.path.isdir(clip):
            raise Mistake(f"There is no clip {clip}.")
        self._check_output()
        # Use videoflip only for rotated clips, because it converts formats that it does not support, such as P010_10LE.
        if "upright" in used and _is_turned(clip):
            self.values["upright"] = "! videoflip video-direction=auto"
        if "audio" in used:
            self.picture = _picture_settings(clip)
        if "--print" in self.flags:
            return
        if "in" in used:
            self._check_clip()
        if "screen" in used and self.values["screen"] == "autovideosink" and not _has_display():
            raise Mistake("There is no display to show the picture on; screen=fakesink plays without one.")
        if "camera" in used and self.values["camera"] == "v4l2src" and not os.path.exists("/dev/video0"):
            raise Mistake('There is no camera /dev/video0; set camera="v4l2src device=/dev/video2" or '
                          "camera=videotestsrc.")

    def _check_output(self) -> None:
        if "out" not in self.file.variables:
            return
        for word in self.file.words_with("out"):
            if word.partition("=")[2] != "$out":
                raise Mistake(f"{self.file.name} cannot be played: {word} is more than $out, which is one file that is "
                              "open.")
        if not self.values.get("out"):
            raise Mistake(f"{self.file.name} writes a file: name it with out=FILE.")
        wanted = Path(self.values["out"]).suffix.lower()
        if wanted and wanted != self.suffix and self.suffix:
            raise Mistake(f"{self.file.name} writes {self.suffix} files, not {wanted}: let out= end in {self.suffix}.")
        inputs = [self.path] + ([Path(self.values["in"])] if "in" in self.file.variables else [])
        file = check(self.values["out"], inputs, force=bool(self.flags & {"--force", "--print"}))
        self.replaces |= file.exists()

    def _check_clip(self) -> None:
        """Raises Mistake if the clip lacks a required stream, for which the pipeline would wait forever."""
        clip = self.values["in"]
        if not _clip_has("video", clip):
            raise Mistake(f"GStreamer finds no video in {clip} that it can decode. VP8 or VP9 with alpha must be "
                          "converted first, for example with ffmpeg -pix_fmt yuv420p.")
        for other in self.file.directives("sound"):
            if not _clip_has("audio", clip):
                raise Mistake(f"GStreamer finds no sound in {clip} that it can decode; play it with: "
                              f"pipelines/play {other} in=…")

    def check_settings(self) -> None:
        """Raises Mistake if GStreamer does not accept the settings. The plugin must be built before the call."""
        if not any(self.settings.values()):
            return
        parsing = command.completed([*PLAYER, "--check", "--", *self.words({"in": "-", "out": "-"})],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if parsing.returncode == 1:
            reason = parsing.stderr.strip().rpartition("\n")[2]
            is_preset = "set preset" in reason and self.file.uses("ntscfilter")
            names = f"; the presets are {', '.join(_preset_names())}" if is_preset else ""
            raise Mistake(f"{self.file.name} cannot be played with these settings: {reason}{names}.")

    # Playing

    def play(self) -> int:
        """Plays the pipeline and returns the exit status. Renames the output file only if the pipeline succeeds.

        Keeps the unfinished file under another name if a live recording fails, or if a signal ends that of a clip.
        """
        say(self.file.title)
        with ExitStack() as stack:
            # Signals stay blocked until the player has ended and this program has renamed the output file.
            ends, mask = command.block()
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            values = {"in": linked(self.values["in"], folder)}
            new = None
            if "out" in self.file.variables:
                say(f"Writing {self.values['out']}")
                new = stack.enter_context(NewFile(Path(os.path.realpath(self.values["out"])), self.replaces))
                values["out"] = new.opened
                if self.file.uses("multifilesink"):
                    # multifilesink creates other files in the folder of its location, so use a temporary folder.
                    values["out"] = os.path.join(folder, "picture")
            heat = self.file.directives("heat")
            if heat:
                values["root"] = os.path.join(folder, "root")
                stack.callback(_heat(Path(values["root"]), heat[0].split(), mask))
            status = self._run(self.words(values), ends, mask, bool(heat))
            if new is None:
                return status
            if values["out"] != new.opened and os.path.exists(values["out"]):
                new.copy(values["out"])
            is_live = bool(self.file.variables & LIVE)
            is_part = status == 0 and bool(self.ended) and "in" in self.file.variables and not is_live
            if is_part:
                status = 128 + self.ended[0]
            if status != 0 and (is_live or is_part) and not new.is_empty:
                say(f"The file is not complete: {new.keep()}")
            elif status == 0:
                if new.is_empty:
                    raise Mistake(f"Nothing was recorded, and {self.values['out']} is not written.")
                new.finish()
        return status

    def _run(self, words: list[str], ends: set, mask: set, is_heated: bool) -> int:
        options = [f"--animate={curve}" for curve in self.file.directives("animate")]
        if is_heated or self.file.directives("messages"):
            options.append("--messages")
        # If SIGKILL ends this program, the kernel ends the player, which would otherwise record a live source forever.
        player = ["setpriv", "--pdeathsig", "TERM", *PLAYER, *options, "--", *words]
        # The player starts with blocked signals and handles them when it is ready. SIGQUIT is not blocked.
        return command.run(player, ends, mask | ends - {signal.SIGQUIT}, self.ended.append)


def _heat(root: Path, points: list[str], mask: set):
    """Starts a simulated machine. Returns a function that ends it."""
    heater = subprocess.Popen([HERE / "heat", root / "sys", *points], preexec_fn=command.with_mask(mask))

    def end() -> None:
        heater.terminate()
        heater.wait()

    while not (root / "sys/class/thermal/thermal_zone0/temp").exists():
        try:
            heater.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
        raise Mistake("The simulated machine has ended.")
    return end


def _picture_settings(clip: str) -> list[str]:
    """The properties of tapeaudio that describe the picture of a clip. Empty if the caps of the clip lack them."""
    run = _clip_has("video", clip, "-v")
    caps = re.findall(rb"fakesink0.GstPad:sink: caps = (video/x-raw.*)", run.stdout) if run else []
    if not caps:
        return []
    found = [re.search(rb"\b" + key + rb"=\(\w+\)([\d/]+)", caps[-1]) for key in (b"width", b"height", b"framerate")]
    if not all(found):
        return []
    width, height, rate = (match[1].decode() for match in found if match)
    turn = re.search(rb"image orientation: (?:flip-)?rotate-(?:90|270)\b", run.stdout)
    if turn:
        width, height = height, width
    offset = _origin(run) - _origin(_clip_has("audio", clip, "-v"))
    return picture_properties(width, height, rate, offset)


def _origin(run: subprocess.CompletedProcess | None) -> int:
    """The PTS at the running time 0 of a stream that `_clip_has` has played. In an MP4, it depends on the edit list."""
    found = re.findall(rb"fakesink0: last-message = event .*GstSegment.*?\bbase=\(guint64\)(\d+).*?"
                       rb"\bstart=\(guint64\)(\d+)", run.stdout) if run else []
    return int(found[-1][1]) - int(found[-1][0]) if found else 0


def _preset_name(wanted: str) -> str:
    """The name of a preset as in the preset file. `wanted` may differ in case, spaces, underscores and hyphens."""
    if not re.fullmatch(r"[^\"'\\\x00-\x1f\ud800-\udfff]+", wanted):
        raise Mistake(f'"{wanted}" cannot be used in a launch line: rename the preset without quotes and backslashes.')
    alike = [name for name in _preset_names() if _bare(name) == _bare(wanted)]
    return wanted if wanted in alike or not alike else alike[0]


def _preset_names() -> list[str]:
    return [name for name in _presets().sections() if name != "_presets_"]


def _own_presets() -> list[str]:
    """Names of the presets of the picture that the user has saved, as pipelines/look does."""
    folder = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    try:
        text = Path(folder, "gstreamer-1.0/presets", PRESETS).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    # GStreamer copies the presets of the plugin into this file.
    return [name for name in re.findall(r"^\[(.+)\]$", text, re.MULTILINE)
            if name != "_presets_" and name not in _preset_names()]


def _has_preset(name: str, file: str) -> bool:
    return name != "_presets_" and _presets(file).has_section(name)


def _preset_settings(name: str, file: str = PRESETS) -> list[str]:
    """The properties that a preset of the plugin sets, as words of a launch line."""
    if not _has_preset(name, file):
        raise Mistake(f'Properties have no effect beside the preset "{name}", because GStreamer loads the preset last.')
    return [setting(f"{key}={value}") for key, value in _presets(file)[name].items() if not key.startswith("_meta/")]


def _keys(file: str) -> set[str]:
    """The properties that the presets of a file set."""
    presets = _presets(file)
    return {key for name in presets.sections() if name != "_presets_" for key in presets[name]}


def _presets(file: str = PRESETS) -> configparser.RawConfigParser:
    presets = configparser.RawConfigParser()
    presets.read(TOP / "presets" / file, encoding="utf-8")
    return presets


def _bare(name: str) -> str:
    return re.sub(r"[ _-]+", "-", name).lower()


def _succeeds(*arguments: str) -> subprocess.CompletedProcess | None:
    """Runs a program and returns its output. Returns None if it fails or takes longer than 60 s."""
    try:
        run = command.completed(list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                env={**os.environ, "LC_ALL": "C"})
    except subprocess.TimeoutExpired:
        return None
    return run if run.returncode == 0 else None


def _is_turned(clip: str) -> bool:
    """Whether an orientation tag of the clip rotates its picture."""
    run = _clip_has("video", clip)
    return run is not None and re.search(rb"image orientation: (?!rotate-0\b)", run.stdout) is not None


def _clip_has(kind: str, clip: str, *options: str) -> subprocess.CompletedProcess | None:
    """Plays one buffer of the clip's video or audio. Returns the output of GStreamer, or None without such a stream."""
    with tempfile.TemporaryDirectory() as folder:
        return _succeeds(
            "gst-launch-1.0", "--tags", *options, "filesrc", f"location={quoted(linked(clip, folder))}", "!", "decodebin",
            "expose-all-streams=false", f"caps={kind}/x-raw(ANY)", "!", "fakesink", "num-buffers=1", "silent=false")


def _has_display() -> bool:
    """Whether autovideosink finds a display. Installs the X sink if it is missing and there is a display."""
    if _finds_sink():
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and \
        _run_common('need_packages "${screen_packages[@]}"') == 0 and _finds_sink()


def _run_common(command_: str) -> int:
    """Runs a command of plugin-build/common.sh. Returns its exit status."""
    line = f'source "$0" && {command_}'
    return command.completed(["bash", "-c", line, str(TOP / "plugin-build/common.sh")]).returncode


def _finds_sink() -> bool:
    run = _succeeds("gst-launch-1.0", "-v", "videotestsrc", "num-buffers=0", "!", "autovideosink")
    return run is not None and b"fake-video-sink" not in run.stdout + run.stderr


def main() -> int:
    # dfbvideosink crashes if there is no frame buffer.
    ranks = os.environ.get("GST_PLUGIN_FEATURE_RANK")
    os.environ["GST_PLUGIN_FEATURE_RANK"] = "dfbvideosink:NONE" + (f",{ranks}" if ranks else "")
    # Print names of files unchanged, even if they are not UTF-8.
    sys.stdout.reconfigure(errors="surrogateescape")
    sys.stderr.reconfigure(errors="surrogateescape")
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Before the pipeline plays, the handler raises SystemExit. `command.completed` then ends its child process.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        # pipelines/play blocks SIGINT while Python starts.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        play = Play(sys.argv[1:])
        if "in" in play.file.variables:
            os.environ["GST_PLUGIN_FEATURE_RANK"] += "".join(f",{name}:NONE" for name in PLAYLISTS)
        play.check()
        if "--print" in play.flags:
            say(shlex.join(play.words({})))
            return 0
        status = _run_common(os.environ["PLAY_BUILD"]) if os.environ.get("PLAY_BUILD") else 0
        if status:
            return status
        play.check_settings()
        return play.play()
    except Mistake as mistake:
        sys.exit(str(mistake))
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
