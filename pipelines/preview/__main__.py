"""pipelines/look: a window in which a look is found."""

from __future__ import annotations

import os
import signal
import sys

import gi

# Until there is a window, Ctrl-C ends the program at once.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from launch import PLAYLISTS, shown  # noqa: E402
from output import Mistake  # noqa: E402

from . import texts  # noqa: E402

try:
    for name, version in (("Gst", "1.0"), ("Gtk", "4.0"), ("Adw", "1")):
        gi.require_version(name, version)
    # Playlists and editing projects, which name other files, hosts or elements, are not played.
    os.environ["GST_PLUGIN_FEATURE_RANK"] = ",".join(
        [f"{name}:NONE" for name in PLAYLISTS] + list(filter(None, [os.environ.get("GST_PLUGIN_FEATURE_RANK")])))
    from gi.repository import Adw, Gdk, Gio, GLib, Gst, Gtk
except (ValueError, ImportError):
    sys.exit(texts.NO_GTK)

Gst.init(None)

from .look import Shelf, Source  # noqa: E402


def parse(arguments: list[str]) -> tuple[Source | None, dict[str, str]]:
    """The source that is opened first, and the values of camera, speaker and preset. Raises Mistake."""
    source, values = None, {"camera": "v4l2src", "speaker": "autoaudiosink", "preset": ""}
    for argument in arguments:
        name, sign, value = argument.partition("=")
        if os.path.isfile(argument):
            source = Source(os.path.abspath(argument))
        elif name == "camera" and (value or not sign):
            values["camera"] = value or values["camera"]
            source = Source(camera=values["camera"])
        elif name in values and value:
            values[name] = value
        else:
            raise Mistake(texts.USAGE.format(argument=shown(argument)))
    return source, values


def application(arguments: list[str]) -> Adw.Application:
    """The program, which opens its window when it is run. Raises Mistake."""
    source, values = parse(arguments)
    if not Gtk.init_check() or Gdk.Display.get_default() is None:
        raise Mistake(texts.NO_DISPLAY)
    # The classes of widgets require a display.
    from .window import Window
    shelf = Shelf()
    if values["preset"] and values["preset"] not in shelf.names():
        raise Mistake(texts.NO_PRESET.format(name=shown(values["preset"])))
    look = shelf.look(values["preset"]) if values["preset"] else shelf.first
    program = Adw.Application(application_id="org.gstpluginsswift.Look", flags=Gio.ApplicationFlags.NON_UNIQUE)

    def activate(_: Adw.Application) -> None:
        window = Window(program, shelf, values["camera"], values["speaker"], look)
        window.present()
        if source is not None:
            window.open_source(source)

        def interrupted(number: int, _: object) -> None:
            # A second signal kills the program. PyGObject 3.58 warns of GLib.unix_signal_add; 3.50 has no other name.
            signal.signal(number, signal.SIG_DFL)
            GLib.idle_add(lambda: window in program.get_windows() and window.end(), priority=GLib.PRIORITY_HIGH)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, interrupted)
    program.connect("activate", activate)
    return program


def main() -> int:
    try:
        return application(sys.argv[1:]).run([sys.argv[0]])
    except Mistake as mistake:
        sys.exit(str(mistake))


if __name__ == "__main__":
    sys.exit(main())
