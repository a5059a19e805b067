"""Inspects the elements of the filter and the encoder: existence, versions and key interval."""

import re
from collections.abc import Iterable
from typing import Any

from gi.repository import GLib, Gst

from ..fragments import KEY_INTERVALS
from .failure import Failure
from .muxers import check_video


_END = "end-of-fragment"
_GSTREAMER = "GStreamer"


def inspect_fragments(filter: str, encoder: str, muxer: str) -> dict[str, Any]:
    """Returns the elements of the filter, the versions of all elements, and the key interval in frames."""
    filters, encoders = _elements(filter), _elements(encoder)
    factory = Gst.ElementFactory.find(muxer)
    if factory is None:
        raise Failure("unfit", f"GStreamer has no element {muxer}.")
    check_video(factory, encoders[-1])
    return {
        "filters": [_name(element) for element in filters],
        "versions": versions_of({_name(element) for element in filters + encoders} | {muxer}),
        "key_interval": max((_key_interval(element) for element in encoders), default=1),
        "note": next((note for note in map(_rate_note, encoders) if note), None),
    }


def check_versions(expected: dict[str, str]) -> None:
    """Fails if this machine lacks an element or has another version of it."""
    found = versions_of(expected)
    for name, version in expected.items():
        if found[name] != version:
            raise Failure("unfit", f"{name} is version {found[name]} here; the job was started with {version}.")


def reading_elements(reader: Gst.Bin) -> list[str]:
    """Names of the elements that decodebin has selected: demuxers, parsers and decoders."""
    return sorted({_name(element) for element in _elements_of(reader) if not isinstance(element, Gst.Bin)})


def check_reading(expected: list[str], reader: Gst.Bin) -> None:
    """Fails if decodebin has selected other elements than expected, such as a hardware decoder."""
    found = reading_elements(reader)
    if found != expected:
        here, there = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
        raise Failure("unfit", f"The source is read by {', '.join(here) or 'fewer elements'} here; the job was started "
                               f"with {', '.join(there) or 'fewer'}. GST_PLUGIN_FEATURE_RANK can select these.")


def decoders_of(reader: Gst.Bin) -> list[str]:
    """Names of the decoders that decodebin has selected."""
    return sorted({_name(element) for element in _elements_of(reader) if not isinstance(element, Gst.Bin)
                   and element.get_factory().list_is_type(Gst.ELEMENT_FACTORY_TYPE_DECODER)})


def _elements(fragment: str) -> list[Gst.Element]:
    """The elements of a launch fragment, in order."""
    try:
        # A fragment may begin or end with caps. gst_parse_launch accepts caps only between two elements.
        bin_ = Gst.parse_bin_from_description(f"identity name={_END} ! {fragment} ! identity name={_END}2", False)
    except GLib.Error as error:
        kind = "unfit" if error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT) else "refused"
        raise Failure(kind, f'"{fragment}": {error.message}{_presets(error.message)}.') from error
    # A bin iterates over its elements from the last added to the first.
    return [element for element in _elements_of(bin_) if not element.get_name().startswith(_END)][::-1]


def _presets(message: str) -> str:
    """Text with the names of all presets, if `message` reports that a preset could not be set; otherwise empty."""
    found = re.search(r'could not set preset ".*" in element "(.*?)\d*"$', message)
    element = Gst.ElementFactory.make(found[1]) if found else None
    return f"; the presets are {', '.join(element.get_preset_names())}" if element else ""


def _elements_of(bin_: Gst.Bin) -> list[Gst.Element]:
    elements: list[Gst.Element] = []
    iterator = bin_.iterate_recurse()
    while True:
        result, element = iterator.next()
        if result == Gst.IteratorResult.RESYNC:
            iterator.resync()
            elements.clear()
        elif result == Gst.IteratorResult.OK:
            elements.append(element)
        else:
            return elements


def _name(element: Gst.Element) -> str:
    factory = element.get_factory()
    return factory.get_name() if factory else element.get_name()


def versions_of(names: Iterable[str]) -> dict[str, str]:
    """Versions of GStreamer and of the plugin of each element."""
    versions = {_GSTREAMER: Gst.version_string().removeprefix("GStreamer ")}
    for name in sorted(set(names) - {_GSTREAMER}):
        factory = Gst.ElementFactory.find(name)
        plugin = factory.get_plugin() if factory else None
        versions[name] = f"{plugin.get_version()} of {plugin.get_package()}" if plugin else "none"
    return versions


def _key_interval(element: Gst.Element) -> int:
    """Distance of key frames, in frames. It is 1 if an encoder has no property for it and outputs only key frames."""
    for name, default in KEY_INTERVALS.items():
        if element.find_property(name) is not None:
            value = int(element.get_property(name))
            return value if value > 0 else default
    return 1


def _rate_note(element: Gst.Element) -> str | None:
    """Text of a warning about x264enc with a constant bitrate, or None. Fails for the multipass modes of x264enc."""
    if _name(element) != "x264enc":
        return None
    method = element.get_property("pass").value_nick
    if method.startswith("pass"):
        raise Failure("refused", f"x264enc pass={method} needs the whole film at once; use pass=qual quantizer=20.")
    if method == "cbr":
        return ("x264enc with a bitrate begins its rate control anew in each segment; pass=qual quantizer=20 keeps the "
                "quality of one encoder.")
    return None
