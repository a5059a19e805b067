"""Launch lines with `sendspinsrc` and `sendspinplay` that play from a real server; see --server."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A launch line that Ctrl-C ends. `{uri}` is the server, `{folder}` an empty folder."""

    name: str
    line: str
    # File that must be complete and contain at least `seconds` of audio.
    file: str = ""
    seconds: float = 2
    # Expected exit status: 0, or 1 for an error message.
    status: int = 0
    # Whether the line belongs to the short version.
    short: bool = False


SRC = "sendspinsrc uri={uri}"
RAW = f"{SRC} ! decodebin ! audioconvert"


def lines():
    yield Line("src-fakesink", f"{SRC} ! fakesink")
    yield Line("src-fakesink-sync", f"{SRC} ! fakesink sync=true", short=True)
    for sink in ("fakesink", "fakesink sync=true", "virtualdac", "autoaudiosink", "pulsesink", "fakeaudiosink",
                 "alsasink device=null", "virtualdac provide-clock=false"):
        yield Line(f"decoded-{sink.replace(' ', '-')}", f"{RAW} ! {sink}")
        yield Line(f"synced-{sink.replace(' ', '-')}", f"{RAW} ! sendspinsync ! {sink}")
    yield Line("flacparse-flacdec", f"{SRC} ! flacparse ! flacdec ! audioconvert ! virtualdac")
    yield Line("flacdec", f"{SRC} ! flacdec ! audioconvert ! virtualdac")
    yield Line("parsebin", f"{SRC} ! parsebin ! flacdec ! audioconvert ! virtualdac")
    yield Line("filesink", f"{SRC} ! filesink location={{folder}}/a.flac")
    yield Line("flac-file", f"{SRC} ! flacparse ! filesink location={{folder}}/a.flac", file="a.flac", short=True)
    yield Line("wav-file", f"{RAW} ! wavenc ! filesink location={{folder}}/a.wav", file="a.wav")
    yield Line("ogg-file", f"{RAW} ! vorbisenc ! oggmux ! filesink location={{folder}}/a.ogg", file="a.ogg")
    yield Line("opus-file", f"{RAW} ! audioresample ! opusenc ! oggmux ! filesink location={{folder}}/a.opus", file="a.opus")
    yield Line("oggflac-file", f"{SRC} ! flacparse ! oggmux ! filesink location={{folder}}/a.oga", file="a.oga")
    yield Line("mkv-file", f"{SRC} ! flacparse ! matroskamux ! filesink location={{folder}}/a.mkv", file="a.mkv")
    yield Line("mp4-file", f"{RAW} ! avenc_aac ! mp4mux ! filesink location={{folder}}/a.mp4", file="a.mp4")
    yield Line("mp4-camera", "videotestsrc is-live=true ! video/x-raw,width=160,height=120 ! x264enc tune=zerolatency ! queue "
               f"! m.  {RAW} ! queue ! avenc_aac ! queue ! m.  mp4mux name=m ! filesink location={{folder}}/a.mp4", file="a.mp4")
    yield Line("splitmuxsink", f"{RAW} ! avenc_aac ! s.audio_0  splitmuxsink name=s muxer=mp4mux location={{folder}}/a%d.mp4", file="a0.mp4")
    yield Line("uridecodebin", "uridecodebin uri={uri} ! audioconvert ! virtualdac")
    yield Line("uridecodebin3", "uridecodebin3 uri={uri} ! audioconvert ! virtualdac")
    yield Line("urisourcebin", "urisourcebin uri={uri} ! decodebin ! audioconvert ! virtualdac")
    yield Line("playbin", "playbin uri={uri} audio-sink=virtualdac", short=True)
    yield Line("playbin-auto", "playbin uri={uri}")
    yield Line("playbin3", "playbin3 uri={uri} audio-sink=virtualdac")
    yield Line("playbin-filter", "playbin uri={uri} audio-filter=sendspinsync audio-sink=virtualdac")
    yield Line("tee", f"{RAW} ! tee name=t ! queue ! virtualdac  t. ! queue ! wavenc ! filesink location={{folder}}/a.wav",
               file="a.wav")
    yield Line("tee-encoded", f"{SRC} ! tee name=t ! queue ! flacparse ! flacdec ! audioconvert ! virtualdac  t. ! queue ! flacparse "
               "! filesink location={folder}/a.flac", file="a.flac")
    yield Line("rtp-l16", f"{RAW} ! rtpL16pay ! udpsink host=127.0.0.1 port=45998")
    yield Line("rtp-opus", f"{RAW} ! audioresample ! opusenc ! rtpopuspay ! rtpopusdepay ! opusdec ! audioconvert ! fakesink sync=true")
    yield Line("audiomixer", f"audiomixer name=m ! fakesink sync=true  {RAW} ! audioresample ! m.  "
               "audiotestsrc is-live=true volume=0 ! audioconvert ! m.")
    yield Line("audiomixer-file", f"audiomixer name=m ! wavenc ! filesink location={{folder}}/a.wav  {RAW} ! audioresample ! m.  "
               "audiotestsrc is-live=true volume=0 ! audioconvert ! m.", file="a.wav")
    yield Line("two-sources", f"{RAW} ! virtualdac  {RAW} ! fakesink sync=true")
    yield Line("num-buffers", f"{SRC} num-buffers=10 ! fakesink")
    yield Line("opus", f"{SRC} codecs=opus,flac ! decodebin ! audioconvert ! fakesink sync=true")
    yield Line("pcm", f"{SRC} codecs=pcm ! audioconvert ! virtualdac")
    yield Line("pcm-wav", f"{SRC} codecs=pcm ! wavenc ! filesink location={{folder}}/a.wav", file="a.wav")
    yield Line("default-wavenc", f"{SRC} ! audioconvert ! wavenc ! filesink location={{folder}}/a.wav", file="a.wav")
    # decodebin of GStreamer posts an error at the EOS of a stream without data.
    yield Line("no-server", "sendspinsrc uri=sendspin://127.0.0.1:1 ! decodebin ! audioconvert ! virtualdac",
               status=1)
    yield Line("no-server-file", "sendspinsrc uri=sendspin://127.0.0.1:1 ! decodebin ! audioconvert ! wavenc ! filesink "
               "location={folder}/a.wav", status=1)
    yield Line("no-host", "sendspinsrc uri=sendspin://no-such-host.invalid ! fakesink")
    yield Line("no-uri", "sendspinsrc ! fakesink")
    yield Line("bad-uri", "sendspinsrc uri=http://127.0.0.1 ! fakesink", status=1)
    yield Line("play", "sendspinplay uri={uri} audio-sink=virtualdac", short=True)
    yield Line("play-auto", "sendspinplay uri={uri}")
    yield Line("play-pulse", "sendspinplay uri={uri} audio-sink=pulsesink")
    yield Line("play-fakesink", "sendspinplay uri={uri} audio-sink=fakesink")
    yield Line("play-no-server", "sendspinplay uri=sendspin://127.0.0.1:1 audio-sink=virtualdac")
    yield Line("play-bad-sink", "sendspinplay uri={uri} audio-sink=no-such-sink", status=1)
    yield Line("play-and-video", "sendspinplay uri={uri} audio-sink=virtualdac  videotestsrc is-live=true ! fakesink sync=true")
    yield Line("play-two", "sendspinplay uri={uri} audio-sink=virtualdac  sendspinplay uri={uri} audio-sink=virtualdac")
