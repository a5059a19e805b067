"""The elements of filter and encoder: their versions, their key interval, and whether this machine has them."""

from typing import Any

from gi.repository import GLib, Gst

from ..fragments import KEY_INTERVALS
from .failure import Failure
from .muxers import check_video
from .player import parse


_END = "end-of-fragment"


def inspect_fragments(filter: str, encoder: str, muxer: str) -> dict[str, Any]:
    """Elements of the filter, versions of all elements, and the key interval of the encoder in frames."""
    filters, encoders = _elements(filter), _elements(encoder)
    factory = Gst.ElementFactory.find(muxer)
    if factory is None:
        raise Failure("unfit", f"GStreamer has no element {muxer}.")
    check_video(factory, encoders[-1])
    return {
        "filters": [_name(element) for element in filters],
        "versions": _versions(filters + encoders),
        "key_interval": max((_key_interval(element) for element in encoders), default=1),
        "note": next((note for note in map(_rate_note, encoders) if note), None),
    }


def check_versions(expected: dict[str, str], filter: str, encoder: str) -> None:
    """Fails if this machine lacks an element, or has another version."""
    found = _versions(_elements(filter) + _elements(encoder))
    for name, version in expected.items():
        if found.get(name) != version:
            here = found.get(name, "none")
            raise Failure("unfit", f"{name} is version {here} here; the job was started with {version}.")


def _elements(fragment: str) -> list[Gst.Element]:
    """The elements of a launch fragment, in order."""
    try:
        # Between two elements, a fragment may begin or end with caps.
        bin_ = Gst.parse_bin_from_description(f"identity name={_END} ! {fragment} ! identity name={_END}2", False)
    except GLib.Error as error:
        kind = "unfit" if error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT) else "refused"
        raise Failure(kind, f'"{fragment}": {error.message}.') from error
    elements, iterator = [], bin_.iterate_recurse()
    while True:
        result, element = iterator.next()
        if result != Gst.IteratorResult.OK:
            break
        if not element.get_name().startswith(_END):
            elements.append(element)
    # A bin lists the element that was added last first.
    return elements[::-1]


def _name(element: Gst.Element) -> str:
    factory = element.get_factory()
    return factory.get_name() if factory else element.get_name()


def _versions(elements: list[Gst.Element]) -> dict[str, str]:
    versions = {"GStreamer": Gst.version_string().removeprefix("GStreamer ")}
    for element in elements:
        factory = element.get_factory()
        plugin = factory.get_plugin() if factory else None
        versions[_name(element)] = f"{plugin.get_version()} of {plugin.get_package()}" if plugin else "none"
    return versions


def _key_interval(element: Gst.Element) -> int:
    """Frames between two key frames; 1 for an encoder without such a setting, whose frames are all key frames."""
    for name, default in KEY_INTERVALS.items():
        if element.find_property(name) is not None:
            value = int(element.get_property(name))
            return value if value > 0 else default
    return 1


def _rate_note(element: Gst.Element) -> str | None:
    """A warning if the encoder cannot be used, or spends a bitrate."""
    if _name(element) != "x264enc":
        return None
    method = element.get_property("pass").value_nick
    if method.startswith("pass"):
        raise Failure("refused", f"x264enc pass={method} needs the whole film at once; use pass=qual quantizer=20.")
    if method == "cbr":
        return ("x264enc with a bitrate begins its rate control anew in each segment; pass=qual quantizer=20 keeps the "
                "quality of one encoder.")
    return None
