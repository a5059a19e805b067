"""Rows with encoders, encoded video, muxers, audio and networks."""
from row import DISPLAY, LIVE_AUDIO, SLOW, X264, Row, live, worker


def encoders():
    """Encoders with default settings, before RTP, a file or HLS. Frames are counted after the encoder."""
    udp = "udpsink host=127.0.0.1 port=5009"
    yield Row("x264enc-file", f"{live()} ! {{Q}} ! x264enc name=end ! matroskamux ! filesink location={{folder}}/a.mkv",
              timed=False, light=False)
    yield Row("x264enc-rtp", f"{live()} ! {{Q}} ! x264enc name=end ! rtph264pay ! {udp}", timed=False, light=False)
    yield Row("x264enc-zerolatency-rtp", f"{live()} ! {{Q}} ! {X264} name=end ! rtph264pay ! {udp}", light=False)
    yield Row("x264enc-hls", f"{live()} ! {{Q}} ! x264enc name=end ! h264parse ! hlssink2 target-duration=2 "
              "location={folder}/%05d.ts playlist-location={folder}/list.m3u8", timed=False, light=False)
    yield Row("x264enc-with-hogs", f"{live()} ! {{Q}} ! {X264} name=end ! fakesink", hogs=3)
    yield Row("x265enc", f"{live()} ! {{Q}} ! x265enc name=end ! fakesink", timed=False, light=False)
    yield Row("vp8enc-rtp", f"{live()} ! {{Q}} ! vp8enc name=end ! rtpvp8pay ! {udp}", light=False)
    yield Row("vp9enc-file", f"{live(15)} ! {{Q}} ! vp9enc name=end ! webmmux ! filesink location={{folder}}/a.webm",
              fps=15, timed=False, light=False,
              conceded="vp9enc accepts no frame for more than 1 s while it encodes 25 frames; queue blocks the live "
              "source instead of dropping frames")
    yield Row("vp9enc-lag", f"{live()} ! {{Q}} ! vp9enc name=end lag-in-frames=25 cpu-used=8 deadline=1 ! fakesink",
              timed=False, light=False)
    yield Row("openh264enc-rtp", f"{live()} ! {{Q}} ! openh264enc name=end ! rtph264pay ! {udp}", light=False)
    yield Row("theoraenc-file", f"{live()} ! {{Q}} ! theoraenc name=end ! oggmux ! filesink location={{folder}}/a.ogg",
              light=False)
    yield Row("jpegenc-rtp", f"{live()} ! {{Q}} ! jpegenc name=end ! rtpjpegpay ! {udp}")
    # av1enc with default settings takes seconds per frame at 320x240.
    yield Row("av1enc", f"{live(5, '64x48')} ! {{Q}} ! av1enc name=end ! fakesink", fps=5, timed=False, light=False)


def encoded():
    """Queues after an encoder. If the queue drops a frame, the frames that refer to this frame are corrupted."""
    h264 = f"{live()} ! {X264} ! h264parse"
    # A queue of encoded frames may hold half a second.
    yield Row("encoded-slow-60", f"{h264} ! {{Q}} ! queue ! {worker(60)}", SLOW, needs=560, enough=10, decoded="end")
    yield Row("encoded-vp8-slow-60", f"{live()} ! vp8enc deadline=1 ! {{Q}} ! queue ! {worker(60)}", SLOW, needs=560,
              enough=10, decoded="end", short=True)
    yield Row("encoded-mp4mux", f"{h264} ! {{Q}} ! mp4mux ! fakesink", end="q", decoded="q")
    yield Row("encoded-vp8-webmmux", f"{live()} ! vp8enc deadline=1 keyframe-max-dist=30 ! {{Q}} ! webmmux "
              "! filesink location={folder}/a.webm", end="q", decoded="q", short=True)
    yield Row("encoded-matroskamux", f"{live()} ! {X264} key-int-max=30 ! {{Q}} ! h264parse name=end ! matroskamux "
              "! filesink location={folder}/a.mkv", decoded="q")
    yield Row("encoded-splitmuxsink", f"{live()} ! {X264} key-int-max=30 ! {{Q}} ! h264parse name=end ! splitmuxsink "
              "max-size-time=1000000000 location={folder}/%02d.mp4", decoded="q")
    yield Row("encoded-mpegtsmux-udp", f"{h264} ! {{Q}} ! mpegtsmux ! udpsink host=127.0.0.1 port=5009", end="q",
              decoded="q")
    yield Row("encoded-avdec-sync", f"{live()} ! {X264} ! {{Q}} ! avdec_h264 ! fakesink name=end sync=true",
              decoded="q")
    yield Row("encoded-decoded-latency-200", f"{h264} ! {{Q}} ! avdec_h264 ! videoconvert ! fakesink name=end "
              "sync=true", latency=200, decoded="q")
    yield Row("encoded-default-x264", f"{live()} ! x264enc ! {{Q}} ! fakesink name=end", decoded="q", timed=False,
              light=False)
    yield Row("encoded-rtp-sync", f"{h264} ! {{Q}} ! rtph264pay ! udpsink sync=true host=127.0.0.1 port=5009",
              end="q", decoded="q")


def audio():
    """Pipelines with only audio, and with audio and video in a muxer."""
    sync = "fakesink name=end sync=true"
    yield Row("audio-opusenc", f"{LIVE_AUDIO} ! {{Q}} ! opusenc ! {sync}", fps=50, short=True)
    yield Row("audio-convert", f"{LIVE_AUDIO} ! {{Q}} ! audioconvert ! audioresample ! audio/x-raw,rate=44100 "
              f"! {sync}", fps=100)
    yield Row("audio-latency-200", f"{LIVE_AUDIO} ! {{Q}} ! audioconvert ! {sync}", fps=100, latency=200)
    yield Row("audio-bursts", f"{LIVE_AUDIO} ! identity name=jitter ! {{Q}} ! audioconvert ! {sync}",
              fps=100, latency=200, application=("bursts", 10, 95))
    yield Row("audio-vorbisenc-file", f"{LIVE_AUDIO} ! {{Q}} ! audioconvert ! vorbisenc ! oggmux ! filesink "
              "location={folder}/a.ogg", end="q", fps=100)
    yield Row("audio-flacenc-file", f"{LIVE_AUDIO} ! {{Q}} ! audioconvert ! flacenc ! filesink "
              "location={folder}/a.flac", end="q", fps=100)
    yield Row("audio-with-hogs", f"{LIVE_AUDIO} ! {{Q}} ! opusenc ! {sync}", fps=50, hogs=3)
    yield Row("av-matroskamux", f"{live()} ! {{Q}} ! {X264} name=end ! matroskamux name=m ! filesink "
              f"location={{folder}}/a.mkv  {LIVE_AUDIO} ! {{Q2}} ! audioconvert ! opusenc ! m.", light=False)
    yield Row("av-matroskamux-default-x264", f"{live()} ! {{Q}} ! x264enc name=end ! matroskamux name=m ! filesink "
              f"location={{folder}}/a.mkv  {LIVE_AUDIO} ! {{Q2}} ! audioconvert ! opusenc ! m.", light=False,
              timed=False)
    yield Row("av-audio-into-matroskamux", f"{LIVE_AUDIO} ! {{Q}} ! audioconvert ! opusenc ! matroskamux name=m "
              f"! filesink location={{folder}}/a.mkv  {live()} ! {{Q2}} ! {X264} ! m.", light=False,
              fps=100, end="q")
    yield Row("av-flvmux", f"{live()} ! {X264} ! h264parse ! {{Q}} ! flvmux name=m streamable=true ! fakesink  "
              f"{LIVE_AUDIO} ! audioconvert ! avenc_aac ! aacparse ! {{Q2}} ! m.", end="q", decoded="q", light=False)


def networks():
    """Pipelines with a server and its client in one process."""
    rtsp = {"application": ("rtsp",), "timed": False, "light": False, "needs_elements": ("rtspsrc", "rtph264depay"),
            "needs_typelib": "GstRtspServer"}
    yield Row("rtsp-server-raw", f"( {live(endless=True)} ! {{Q}} ! {X264} ! rtph264pay name=pay0 pt=96 )", **rtsp)
    yield Row("rtsp-server-encoded", f"( {live(endless=True)} ! {X264} key-int-max=30 ! {{Q}} ! rtph264pay name=pay0 "
              "pt=96 )", decoded="q", **rtsp)
    yield Row("webrtc", f"{live(endless=True)} ! {{Q}} ! vp8enc deadline=1 ! rtpvp8pay ! webrtcbin name=sender",
              application=("webrtc",), timed=False, light=False, needs_typelib="GstWebRTC",
              needs_elements=("nicesrc", "dtlssrtpenc", "srtpenc"))


def jitter_buffers():
    """Receivers in which rtpjitterbuffer adds latency, and a `clocksync` or a sink waits for the clock."""
    codecs = {
        "h264": (f"{X264} ! rtph264pay", "rtph264depay ! h264parse", "avdec_h264"),
        "vp8": ("vp8enc deadline=1 ! rtpvp8pay", "rtpvp8depay", "vp8dec"),
    }
    ends = {"clocksync": "clocksync ! fakesink name=end sync=false", "display": DISPLAY}
    for codec, (sender, receiver, decoder) in codecs.items():
        received = f"{live()} ! {sender} ! rtpjitterbuffer latency=200 ! {receiver}"
        for name, end in ends.items():
            yield Row(f"jitterbuffer-{codec}-queue-decoder-{name}", f"{received} ! {{Q}} ! {decoder} ! {end}",
                      most_behind=9)
            yield Row(f"jitterbuffer-{codec}-decoder-queue-{name}", f"{received} ! {decoder} ! {{Q}} ! {end}",
                      most_behind=9)
        yield Row(f"jitterbuffer-{codec}-clocksync-queue-decoder", f"{received} ! clocksync ! {{Q}} ! {decoder} "
                  "! fakesink name=end sync=false", most_behind=3)


def rows():
    for part in (encoders, encoded, audio, networks, jitter_buffers):
        yield from part()
