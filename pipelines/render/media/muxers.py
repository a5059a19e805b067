"""Checks which video and audio a muxer accepts."""

from gi.repository import Gst

from .failure import Failure


def video_caps(factory: Gst.ElementFactory) -> Gst.Caps:
    """Caps of the encoded video that the muxer accepts."""
    return _accepted(factory, "video_%u")


def audio_caps(factory: Gst.ElementFactory) -> Gst.Caps:
    """Caps of the encoded audio that the muxer accepts."""
    return _accepted(factory, "audio_%u")


def check_video(factory: Gst.ElementFactory, encoder: Gst.Element) -> None:
    """Fails if the muxer does not accept the video of the encoder."""
    made = encoder.get_static_pad("src").query_caps(None)
    if not made.can_intersect(video_caps(factory)):
        name = encoder.get_factory().get_name()
        raise Failure("refused", f"{factory.get_name()} cannot hold the video of {name}, "
                                 f"{made.get_structure(0).get_name()}. An output that ends in .mkv can.")


def check_audio(streams: list[dict[str, str]], muxer: str) -> bool:
    """Fails if the muxer does not accept the audio of the source."""
    for stream in streams:
        audio_parser(stream["caps"], Gst.ElementFactory.find(muxer))
    return True


def audio_parser(caps: str, factory: Gst.ElementFactory) -> str | None:
    """The parser that the muxer needs for an audio stream, or None. Fails if the muxer does not accept the audio."""
    stream, accepted = Gst.Caps.from_string(caps), audio_caps(factory)
    if stream.can_intersect(accepted):
        return None
    structure = stream.get_structure(0)
    if structure.get_name() == "audio/mpeg" and structure.get_int("mpegversion")[1] in (2, 4) and \
            accepted.can_intersect(Gst.Caps.from_string("audio/mpeg, mpegversion=4")):
        # This AAC has a header in each packet. aacparse moves the header into the caps.
        return "aacparse"
    raise Failure("refused", f"{factory.get_name()} cannot hold the audio of the source, {structure.get_name()}. An "
                             "output that ends in .mkv can; --no-audio leaves it out.")


def _accepted(factory: Gst.ElementFactory, template_name: str) -> Gst.Caps:
    accepted = Gst.Caps.new_empty()
    for template in factory.get_static_pad_templates():
        if template.name_template == template_name:
            accepted.append(template.get_caps())
    return accepted
