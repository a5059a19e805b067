"""Renders audio with launch fragments, and tries that before a film is rendered."""

from typing import Any

from gi.repository import GLib, Gst

from launch import quoted

from ..fragments import sound_line
from .failure import Failure
from .muxers import audio_caps
from .player import Player, discard, parse
from .result import is_header


# With a rate outside of this range, audioresample takes minutes for a second of sound. Hardware has 8 to 768 kHz.
_RATES = "audio/x-raw(ANY), rate=[100, 1000000]"


def add_renderer(pipeline: Gst.Pipeline, sound: str) -> tuple[Gst.Element, Gst.Element]:
    """Adds a decoder, and a bin with the launch line `sound` behind it. Returns both."""
    try:
        renderer = Gst.parse_bin_from_description(sound, True)
    except GLib.Error as error:
        raise Failure("refused", f"The sound cannot be rendered with {sound}: {error.message}") from error
    _check_rates(renderer, sound)
    decoder = Gst.ElementFactory.make("decodebin")
    pipeline.add(decoder)
    pipeline.add(renderer)
    decoder.connect("pad-added", lambda _decoder, pad: pad.link(renderer.get_static_pad("sink")))
    return decoder, renderer


def _check_rates(renderer: Gst.Bin, sound: str) -> None:
    found: list[Gst.Caps] = []
    renderer.iterate_all_by_element_factory_name("capsfilter").foreach(
        lambda element: found.append(element.get_property("caps")))
    raw, sane = Gst.Caps.from_string("audio/x-raw(ANY)"), Gst.Caps.from_string(_RATES)
    for caps in found:
        if caps.can_intersect(raw) and not caps.can_intersect(sane):
            raise Failure("refused", f"The sound cannot be rendered with {sound}: the rate of {caps.to_string()} is not "
                                     "from 100 Hz to 1 MHz.")


def try_sound(job: dict[str, Any]) -> bool:
    """Renders the first packet of each audio stream. Fails if an element or the muxer does not accept the audio."""
    for stream in job["audio"]:
        _try_stream(job, stream)
    return True


def _try_stream(job: dict[str, Any], stream: dict[str, Any]) -> None:
    sound = sound_line(job["sound"], job, stream)
    pipeline = parse(f"filesrc location={quoted(job['source'])} ! parsebin name=reader  "
                     "appsink name=sink sync=false max-buffers=4")
    player = Player(pipeline, stall=60)
    decoder, renderer = add_renderer(pipeline, sound)
    sink = pipeline.get_by_name("sink")
    caps = audio_caps(Gst.ElementFactory.find(job["muxer"]))
    made = renderer.get_static_pad("src").query_caps(None)
    if not made.can_intersect(caps):
        raise Failure("refused", f"{job['muxer']} cannot hold the sound, {made.get_structure(0).get_name()}; "
                                 "--sound-encoder selects another encoder, and an output that ends in .mkv holds more.")
    sink.set_property("caps", caps)
    renderer.link(sink)

    def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
        if pad.get_stream_id() == stream["stream"]:
            pad.link(decoder.get_static_pad("sink"))
        else:
            discard(pipeline, pad)

    pipeline.get_by_name("reader").connect("pad-added", on_pad)
    try:
        player.start()
        is_empty = all(is_header(sample.get_buffer()) for sample in player.samples(sink))
    except Failure as failure:
        raise Failure("refused", f"The sound cannot be rendered with {sound}: {failure.text}") from failure
    finally:
        player.stop()
    if is_empty:
        raise Failure("refused", f"The sound cannot be rendered with {sound}: it is empty.")
