"""Launch fragments of the filter and the encoder, and elements that cannot render segments."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from launch import picture_properties

DEFAULT_FILTER = "ntscfilter scale-with-video-size=true vhs-tape-speed=lp"

MUXERS = {".mkv": "matroskamux", ".webm": "webmmux", ".mp4": "mp4mux", ".m4v": "mp4mux", ".mov": "qtmux"}
# Muxers of MP4 and MOV. The film begins with the earliest packet of all tracks. The edit list of a track ends after the
# sum of the differences between the decode times, plus the duration of the last packet. The track ends there too.
EDIT_LIST_MUXERS = ("mp4mux", "qtmux")

_H264 = "x264enc pass=qual quantizer=20 speed-preset=medium key-int-max=60"
_VP8 = "vp8enc end-usage=cq cq-level=10 target-bitrate=50000000 deadline=1 cpu-used=4 keyframe-max-dist=60"

SOUND = "tapeaudio"
# Properties that tapeaudio has in common with ntscfilter.
SHARED = set("random-seed use-field snow-intensity snow-anisotropy snow-model tracking-noise tracking-noise-height "
             "tracking-noise-snow-intensity tracking-noise-snow-anisotropy scale-settings vertical-scale "
             "scale-with-video-size standard".split())

# Elements whose picture depends on other frames. With --lead-in, each segment also renders these other frames.
DEPENDS_ON_OTHER_FRAMES = set(
    "deinterlace interlace ivtc pulldown fieldanalysis edgetv streaktv radioactv quarktv shagadelictv rippletv "
    "vertigotv optv warptv videoanalyse videodetect motioncells cvtracker handdetect facedetect scenechange".split())
# Elements whose pictures or number of frames depend on the clock, on chance or on the speed of the machine.
NOT_REPRODUCIBLE = {
    "agingtv": "its scratches depend on chance", "dicetv": "it depends on chance",
    "clockoverlay": "it shows the time of day", "timeoverlay": "it shows a time that begins with each segment",
    "videorate": "it adds and drops frames", "imagefreeze": "it changes the number of frames",
    "thermalcaps": "its decisions depend on the temperature of the machine",
    "backpressurequeue": "it drops frames when the machine is slow", "valve": "it drops frames",
    "videomaxrate": "it drops frames", "decimate": "it drops frames", "videodroprate": "it drops frames",
}
# Properties that set the key interval of an encoder in frames, and the interval that a value of 0 or less stands for.
KEY_INTERVALS = {
    "key-int-max": 250, "keyframe-max-dist": 128, "gop-size": 90, "keyframe-force": 64, "max-key-interval": 250,
    "keyframe-interval": 250, "intra-period-length": 250,
}


def default_encoder(output: Path) -> str:
    return _VP8 if output.suffix.lower() == ".webm" else _H264


def chroma(encoder: str, filter: str, width: int, height: int) -> str:
    """Caps before the default encoder: 4:2:0, because few players decode other H.264. Empty if they do not apply.

    A filter that names a format selects the format itself. x264enc does not encode 4:2:0 of an odd size.
    """
    applies = encoder == _H264 and "format=" not in filter and width % 2 == height % 2 == 0
    return "video/x-raw,format={I420,YV12,NV12,I420_10LE} ! " if applies else ""


def default_sound_encoder(output: Path) -> str:
    """An encoder for sound: lossless in Matroska, else of the kind that players of the container expect."""
    suffix = output.suffix.lower()
    return {".mkv": "flacenc", ".webm": "vorbisenc quality=0.6"}.get(suffix, "avenc_aac bitrate=192000 ! aacparse")


def sound_text(fragment: str | None, preset: str | None, properties: list[str]) -> str:
    """The launch fragment of the sound: that of the option, or the sound of the look. The picture is described later."""
    if fragment is not None:
        if not fragment.strip():
            raise ValueError("--sound-filter is empty; leave it out to copy the audio, or use identity")
        return fragment.strip()
    if preset is not None:
        return SOUND + " @preset=" + preset.replace(" ", "\\ ")
    words = [SOUND, "tape-speed=lp", "scale-with-video-size=true"]
    for setting in properties:
        name, _, value = setting.partition("=")
        # The presets have own values of generations for picture and sound.
        if name in SHARED or name == "generations":
            words.append(f'{name}="{value}"')
        elif name == "vhs-tape-speed" and value in ("sp", "lp", "ep"):
            words.append(f"tape-speed={value}")
    return " ".join(words)


def sound_of_picture(fragment: str, width: int, height: int, framerate: str, offset: int = 0) -> str:
    """The fragment, in which tapeaudio knows the size, the rate and the timestamps of the picture.

    `offset` is the PTS of the picture minus that of the sound with it. In a file with edit lists they differ.
    """
    if fragment.split(" ")[0] != SOUND:
        return fragment
    return fragment.replace(SOUND, " ".join([SOUND, *picture_properties(width, height, framerate, offset)]), 1)


def sound_line(sound: Sequence[str], job: Mapping[str, Any], stream: Mapping[str, Any]) -> str:
    """Launch line that renders an audio stream; `sound` are the fragments of the filter and of the encoder."""
    # A job of an earlier version has no origin of the audio.
    offset = job["origin"] - stream.get("origin", job["origin"])
    fragment = sound_of_picture(sound[0], job["width"], job["height"], job["framerate"], offset)
    return f"audioconvert ! audioresample ! {fragment} ! audioconvert ! audioresample ! {sound[1]}"


def filter_text(fragment: str | None, preset: str | None, properties: list[str]) -> str:
    """The launch fragment of the filter. Raises ValueError if the options contradict each other."""
    if fragment is not None:
        if preset is not None or properties:
            raise ValueError("--preset and --property are settings of ntscfilter; write them into --filter instead")
        if not fragment.strip():
            raise ValueError("--filter is empty; --filter identity leaves the picture as it is")
        return fragment.strip()
    if preset is not None:
        if properties:
            raise ValueError("--property has no effect beside --preset, because GStreamer loads the preset last; leave "
                             "out one of them")
        # gst_parse_launch ends the name of a preset at a space, so put a backslash before each space.
        return "ntscfilter @preset=" + preset.replace(" ", "\\ ")
    # gst_parse_launch uses the last value of a property, so a property may replace a default.
    words = [DEFAULT_FILTER]
    for setting in properties:
        name, separator, value = setting.partition("=")
        if not separator or not name or '"' in value:
            raise ValueError(f'--property "{setting}" is not KEY=VALUE')
        words.append(f'{name}="{value}"')
    return " ".join(words)


def refusal(elements: list[str], has_lead_in: bool) -> str | None:
    """The reason why a filter with these elements cannot be rendered in segments, or None if no reason is known."""
    for name in elements:
        if name in NOT_REPRODUCIBLE:
            return f"{name} cannot be rendered in segments: {NOT_REPRODUCIBLE[name]}."
        if name in DEPENDS_ON_OTHER_FRAMES and not has_lead_in:
            return (f"The picture of {name} depends on the frames before it. With --lead-in 2s each segment begins 2 s "
                    "earlier, and these frames are rendered but not kept.")
    return None
