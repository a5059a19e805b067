"""Lists the audio outputs of this machine, as values of the property audio-sink."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from pathlib import Path

from gi.repository import Gst

from launch import quoted
from output import Mistake

CARDS = Path("/proc/asound")


def outputs() -> list[Gst.Device]:
    """The outputs that are not in use. Shows also those of a sound card that a sound server has."""
    monitor = Gst.DeviceMonitor()
    monitor.set_show_all_devices(True)
    monitor.add_filter("Audio/Sink", None)
    return monitor.get_devices() or []


def lines(devices: Iterable[Gst.Device]) -> list[str]:
    """Two lines for each device: its name, and the setting. Raises Mistake if there is no device."""
    found = []
    for device in devices:
        sink = device.create_element(None)
        # sendspinsync keeps only sinks of this class in time, so the devices of pipewiresink are left out.
        if sink and is_audio_sink(sink) and sink.find_property("device"):
            factory, name = sink.get_factory().get_name(), steady(sink.get_property("device") or "")
            if factory == "pulsesink" and (node := pipewire_node(device, name)):
                factory, name = "alsasink", node
            found += [device.get_display_name(), f"    audio-sink = {factory} device={quoted(name)}"]
    if not found:
        raise Mistake(
            "There is no audio output, or another program uses it. Check that the sound card is listed in "
            "/proc/asound/cards, that this user is in the group audio or the sound server of this user runs, and that "
            "gstreamer1.0-alsa is installed.")
    return found


def pipewire_node(device: Gst.Device, name: str) -> str | None:
    """The device of PipeWire's plugin for ALSA, by which sendspinsync keeps an output of PipeWire in time."""
    properties = device.get_properties()
    if not properties or not properties.has_field("object.serial") or not re.fullmatch(r"[\w.-]+", name):
        return None
    node, sink = f"pipewire:NODE={name}", Gst.ElementFactory.make("alsasink", None)
    if not sink:
        return None
    sink.set_property("device", node)
    opens = sink.set_state(Gst.State.READY) == Gst.StateChangeReturn.SUCCESS
    sink.set_state(Gst.State.NULL)
    return node if opens and not is_unreliable() else None


def is_unreliable() -> bool:
    """Whether the plugin is older than 1.0.6; a race in it could stall a sink."""
    try:
        library = ctypes.CDLL("libpipewire-0.3.so.0")
    except OSError:
        return False
    library.pw_get_library_version.restype = ctypes.c_char_p
    return [int(number) for number in re.findall(r"\d+", library.pw_get_library_version().decode())] < [1, 0, 6]


def is_audio_sink(sink: Gst.Element) -> bool:
    kind = sink.__gtype__
    while kind.name not in ("GstAudioBaseSink", "GstElement"):
        kind = kind.parent
    return kind.name == "GstAudioBaseSink"


def steady(device: str, cards: Path = CARDS) -> str:
    """A device of ALSA by the name of its card, because the numbers of cards may change at a start of the machine."""
    found = re.fullmatch(r"hw:([0-9]+),([0-9]+)", device)
    try:
        card = (cards / f"card{found[1]}/id").read_text(encoding="utf-8").strip() if found else ""
    except OSError:
        card = ""
    return f"hw:CARD={card},DEV={found[2]}" if found and card else device
