"""The pipelines that play with and without `sendspinsync`."""
from row import Row

TONE = "audiotestsrc num-buffers=90 samplesperbuffer=1024"
LIVE = f"{TONE} is-live=true"
STEREO = "audio/x-raw,format=S16LE,rate=48000,channels=2"
RAMP = "filesrc location={ramp} ! wavparse"
SOURCE = f"rampsrc num-buffers=400 ! {STEREO}"
PICTURE = "videotestsrc num-buffers=60 ! video/x-raw,width=160,height=120,framerate=30/1"
FLUSH, SEGMENT, SKIP = 1, 8, 16


def files():
    """Pipelines from files to sinks without a device."""
    for kind in ("wav", "flac", "ogg", "mp3", "m4a"):
        yield Row(f"{kind}-file", f"filesrc location={{{kind}}} ! decodebin ! audioconvert ! {{S}}fakesink",
                  exact=kind not in ("mp3", "m4a"), short=kind == "flac")
        yield Row(f"{kind}-file-dac", f"filesrc location={{{kind}}} ! decodebin ! audioconvert ! audioresample ! {{S}}virtualdac",
                  exact=kind not in ("mp3", "m4a"))
    yield Row("fakesink", f"{TONE} ! {{S}}fakesink", short=True)
    yield Row("fakesink-sync", f"{TONE} ! {{S}}fakesink sync=true", short=True)
    yield Row("live-fakesink-sync", f"{LIVE} ! {{S}}fakesink sync=true", exact=False)
    yield Row("appsink", f"{TONE} ! {{S}}appsink emit-signals=true drop=true max-buffers=1 wait-on-eos=false sync=false")
    yield Row("wavenc", f"{TONE} ! {{S}}wavenc ! filesink location={{folder}}/a.wav", short=True)
    yield Row("flacenc", f"{TONE} ! {STEREO} ! {{S}}flacenc ! filesink location={{folder}}/a.flac")
    yield Row("opus-ogg", f"{TONE} ! audioconvert ! audioresample ! {{S}}opusenc ! oggmux ! filesink location={{folder}}/a.ogg", exact=False)
    yield Row("mp4-file", f"{PICTURE} ! x264enc tune=zerolatency ! m.  {TONE} ! {{S}}audioconvert ! avenc_aac ! m.  "
              "mp4mux name=m ! filesink location={folder}/a.mp4", exact=False)
    yield Row("camera-mp4", f"videotestsrc is-live=true num-buffers=60 ! video/x-raw,width=160,height=120,framerate=30/1 ! "
              f"queue ! x264enc tune=zerolatency ! queue ! m.  {LIVE} ! {{S}}queue ! audioconvert ! avenc_aac ! queue ! m.  "
              "mp4mux name=m ! filesink location={folder}/a.mp4", exact=False)
    yield Row("camera-matroska-display", f"videotestsrc is-live=true num-buffers=60 ! tee name=t ! queue ! vp8enc deadline=1 cpu-used=8 "
              f"! m.  t. ! queue ! fakesink sync=true  {LIVE} ! {{S}}tee name=a ! queue ! vorbisenc ! m.  "
              "a. ! queue ! virtualdac  matroskamux name=m ! filesink location={folder}/a.mkv", exact=False)
    yield Row("raw-without-times", f"filesrc location={{raw}} blocksize=4096 ! capsfilter caps={STEREO} ! {{S}}fakesink")
    yield Row("raw-without-times-dac", f"filesrc location={{raw}} blocksize=4096 ! capsfilter caps={STEREO} ! {{S}}virtualdac", exact=False)
    yield Row("odd-blocks", f"filesrc location={{raw}} blocksize=1001 ! capsfilter caps={STEREO} ! {{S}}fakesink")
    yield Row("one-buffer", "audiotestsrc num-buffers=1 ! {S}virtualdac", exact=False)
    yield Row("empty-file", "filesrc location={empty} ! wavparse ! {S}fakesink")
    yield Row("rtp-l16", f"{LIVE} ! audioconvert ! rtpL16pay ! rtpL16depay ! audioconvert ! {{S}}virtualdac", exact=False)
    yield Row("rtp-opus", f"{LIVE} ! audioconvert ! audioresample ! opusenc ! rtpopuspay ! rtpjitterbuffer ! rtpopusdepay "
              "! opusdec ! {S}fakesink sync=true", exact=False)


def devices():
    """Pipelines whose sinks have a device. The pipeline uses the clock of the sink or another clock."""
    yield Row("dac-own-clock", f"{RAMP} ! {{S}}virtualdac", short=True)
    yield Row("dac-own-clock-100ppm", f"{RAMP} ! {{S}}virtualdac ppm=100")
    yield Row("dac-own-clock-live", f"{LIVE} ! {{S}}virtualdac", exact=False)
    yield Row("dac-own-clock-queue", f"{RAMP} ! {{S}}queue ! audioconvert ! virtualdac ppm=-100")
    for ppm in (100, -100):
        yield Row(f"dac-source-clock{ppm:+}ppm", f"{SOURCE} ! {{S}}virtualdac ppm={ppm}", exact=False, slaved=True,
                  short=ppm > 0)
    yield Row("dac-source-clock-queue", f"{SOURCE} ! {{S}}queue ! virtualdac ppm=100", exact=False, slaved=True)
    yield Row("dac-source-clock-resampled", f"{SOURCE} ! {{S}}audioconvert ! audioresample ! audio/x-raw,rate=44100 "
              "! virtualdac ppm=100", exact=False)
    yield Row("dac-system-clock", f"{RAMP} ! {{S}}virtualdac provide-clock=false ppm=100", exact=False, slaved=True)
    yield Row("dac-system-clock-step", f"{RAMP} ! {{S}}virtualdac provide-clock=false clock-step=480", exact=False, slaved=True)
    yield Row("dac-slave-none", f"{SOURCE} ! {{S}}virtualdac slave-method=none ppm=100", exact=False, slaved=True)
    yield Row("dac-slave-resample", f"{SOURCE} ! {{S}}virtualdac slave-method=resample ppm=100", exact=False, slaved=True)
    yield Row("dac-late-start", f"{SOURCE} ! {{S}}virtualdac start-delay=300000000 ppm=50", exact=False, slaved=True)
    yield Row("dac-ts-offset", f"{SOURCE} ! {{S}}virtualdac ts-offset=50000000", exact=False, slaved=True)
    yield Row("dac-sync-false", f"{RAMP} ! {{S}}virtualdac sync=false")
    yield Row("dac-small-buffer", f"{SOURCE} ! {{S}}virtualdac buffer-time=40000 latency-time=10000", exact=False, slaved=True)
    for sink in ("pulsesink", "autoaudiosink", "alsasink device=null", "fakeaudiosink"):
        name = sink.split()[0]
        yield Row(f"{name}-file", f"{RAMP} ! {{S}}{sink}", exact=name == "pulsesink")
        yield Row(f"{name}-live", f"{LIVE} ! audioconvert ! {{S}}{sink}", exact=False)
    yield Row("pulsesink-source-clock", f"{SOURCE} ! {{S}}pulsesink", exact=False)
    yield Row("pulsesink-system-clock", f"{RAMP} ! {{S}}pulsesink provide-clock=false", exact=False)


def formats():
    for name in ("S8", "U8", "S16LE", "S16BE", "S24LE", "S24_32LE", "S32LE", "S32BE", "F32LE", "F64LE"):
        caps = f"audio/x-raw,format={name},rate=48000,channels=2"
        yield Row(f"format-{name}", f"{TONE} ! audioconvert ! {caps} ! {{S}}fakesink", short=name == "F32LE")
    for rate in (8000, 44100, 96000, 192000):
        yield Row(f"rate-{rate}", f"{TONE} ! audio/x-raw,rate={rate} ! {{S}}fakesink")
    for channels in (1, 6, 8):
        yield Row(f"channels-{channels}", f"{TONE} ! audio/x-raw,channels={channels} ! {{S}}fakesink")
        yield Row(f"channels-{channels}-pulse", f"{TONE} ! audio/x-raw,channels={channels},rate=48000 ! {{S}}pulsesink")
    yield Row("non-interleaved", f"{TONE} ! audio/x-raw,layout=non-interleaved,format=F32LE,channels=2 ! {{S}}fakesink")
    yield Row("96k-24bit-dac", "rampsrc num-buffers=400 ! audio/x-raw,format=S24LE,rate=96000 ! {S}virtualdac ppm=100",
              exact=False, slaved=True)
    yield Row("44.1k-dac", "rampsrc num-buffers=400 ! audio/x-raw,format=S16LE,rate=44100 ! {S}virtualdac ppm=100",
              exact=False, slaved=True)
    yield Row("compressed-ac3", f"{TONE} ! audio/x-raw,rate=48000,channels=2 ! audioconvert ! avenc_ac3 ! ac3parse ! avdec_ac3 ! audioconvert ! {{S}}fakesink", exact=False)


def changes():
    """Pipelines with seeks, state changes, changes of caps, and gaps."""
    yield Row("pause", f"{RAMP} ! {{S}}virtualdac", actions=((0.5, "pause", 0.5),), short=True)
    yield Row("pause-source-clock", f"{SOURCE} ! {{S}}virtualdac ppm=100", actions=((0.8, "pause", 0.5),), exact=False, slaved=True)
    yield Row("pause-3-times", f"{RAMP} ! {{S}}virtualdac provide-clock=false", exact=False,
              actions=((0.3, "pause", 0.2), (0.8, "pause", 0.2), (1.3, "pause", 0.2)))
    for state in ("READY", "NULL"):
        yield Row(f"restart-{state}", f"{RAMP} ! {{S}}virtualdac", actions=((0.7, "restart", state),), exact=False)
    sinks = {"dac": "virtualdac", "dac-system-clock": "virtualdac provide-clock=false", "fakesink": "fakesink sync=true"}
    for name, sink in sinks.items():
        yield Row(f"reverse-{name}", f"filesrc location={{m4a}} ! qtdemux ! avdec_aac ! audioconvert ! {{S}}{sink}",
                  actions=((0.7, "seek", -1.0, FLUSH, 0.0, 1.2),), exact=False)
        line = f"filesrc location={{wav}} ! wavparse ! {{S}}{sink}"
        for kind, seek in {
            "seek": (1.0, FLUSH, 0.2, None), "seek-no-flush": (1.0, 0, 0.2, None),
            "segment": (1.0, FLUSH | SEGMENT, 0.2, 0.8),
            "double": (2.0, FLUSH, 0.0, None), "half": (0.5, FLUSH, 0.0, 0.8), "trick": (4.0, FLUSH | SKIP, 0.0, None),
        }.items():
            yield Row(f"{kind}-{name}", line, actions=((0.5, "seek", *seek),), exact=False,
                      short=name == "dac" and kind == "seek")
    yield Row("ten-seeks", "filesrc location={flac} ! flacparse ! flacdec ! audioconvert ! {S}virtualdac", exact=False,
              actions=tuple((0.2 * turn, "seek", 1.0, FLUSH, 0.1 * turn, None) for turn in range(1, 11)))
    yield Row("caps-change", f"{TONE} ! capsfilter name=caps caps=audio/x-raw,rate=48000,channels=2,format=S16LE ! {{S}}virtualdac",
              actions=((0.8, "caps", "audio/x-raw,rate=44100,channels=2,format=S16LE"),), exact=False, short=True)
    yield Row("caps-change-format", f"{LIVE} ! audioconvert ! capsfilter name=caps caps=audio/x-raw,format=S16LE "
              "! {S}fakesink sync=true", actions=((0.8, "caps", "audio/x-raw,format=F32LE"),), exact=False)
    yield Row("concat-two-rates", "concat name=c ! {S}virtualdac  filesrc location={wav} ! wavparse ! c.  "
              "filesrc location={slow} ! wavparse ! c.", exact=False)
    yield Row("concat-two-files", "concat name=c ! {S}virtualdac  filesrc location={wav} ! wavparse ! c.  "
              "filesrc location={wav} ! wavparse ! c.")
    yield Row("valve", f"{LIVE} ! valve name=valve ! {{S}}virtualdac", exact=False,
              actions=((0.6, "set", "valve", "drop", True), (1.2, "set", "valve", "drop", False)))
    yield Row("enabled-switched", f"{SOURCE} ! {{S}}virtualdac ppm=100", exact=False, slaved=True,
              actions=((1.0, "enabled", False), (2.0, "enabled", True)))
    yield Row("audiorate-gaps", f"{LIVE} ! identity drop-probability=0.1 ! audiorate ! {{S}}virtualdac", exact=False)
    yield Row("gaps", f"{LIVE} ! identity drop-probability=0.1 ! {{S}}virtualdac", exact=False)
    yield Row("latency-500", f"{LIVE} ! {{S}}virtualdac", actions=((0.0, "latency", 0.5),), exact=False)


def mixed():
    """Pipelines with mixers, branches or video, and pipelines of applications."""
    yield Row("tee-two-sinks", f"{RAMP} ! tee name=t ! queue ! {{S}}virtualdac  t. ! queue ! {{S}}fakesink sync=true",
              exact=False, short=True)
    yield Row("tee-behind", f"{RAMP} ! {{S}}tee name=t ! queue ! virtualdac  t. ! queue ! fakesink sync=true", exact=False)
    yield Row("tee-file-and-dac", f"{RAMP} ! {{S}}tee name=t ! queue ! virtualdac provide-clock=false  "
              "t. ! queue ! wavenc ! filesink location={folder}/t.wav", exact=False)
    yield Row("tee-two-dacs", f"{RAMP} ! tee name=t ! queue ! {{S}}virtualdac ppm=50  t. ! queue ! {{S}}virtualdac ppm=-50",
              exact=False, slaved=True)
    yield Row("audiomixer", f"audiomixer name=m ! {{S}}virtualdac  {TONE} ! m.  {TONE} freq=600 ! m.", exact=False)
    yield Row("audiomixer-live", f"audiomixer name=m ! {{S}}fakesink sync=true  {LIVE} ! m.  {LIVE} freq=600 ! m.", exact=False)
    yield Row("compositor-and-audio", f"compositor name=c ! fakesink sync=true  {PICTURE} ! c.  {PICTURE} ! c.  "
              f"{TONE} ! {{S}}virtualdac", exact=False, short=True)
    yield Row("webm-a/v", "filesrc location={webm} ! decodebin name=d ! queue ! audioconvert ! audioresample ! {S}virtualdac  d. ! queue "
              "! videoconvert ! fakesink sync=true", exact=False)
    yield Row("webm-a/v-system-clock", "filesrc location={webm} ! decodebin name=d ! queue ! audioconvert ! audioresample ! {S}virtualdac "
              "provide-clock=false  d. ! queue ! videoconvert ! fakesink sync=true", exact=False)
    yield Row("volume", f"{RAMP} ! volume volume=0.5 ! {{S}}virtualdac")
    yield Row("effects", f"{TONE} ! audioconvert ! equalizer-3bands ! level ! {{S}}audioconvert ! fakesink sync=true")
    yield Row("input-selector", f"input-selector name=i ! {{S}}virtualdac  {LIVE} ! i.  {LIVE} ! i.", exact=False)
    yield Row("two-in-a-row", f"{SOURCE} ! {{S}}{{S}}virtualdac ppm=100", exact=False, slaved=True)
    for kind in ("wav", "webm", "ogg", "flac"):
        yield Row(f"playbin-{kind}", f"{{{kind}}}", application="playbin", exact=False, elements=("playbin", "virtualdac"),
                  short=kind == "webm")
    yield Row("playbin-seek", "{flac}", application="playbin", exact=False, elements=("playbin",),
              actions=((0.6, "seek", 1.0, FLUSH, 0.2, None),))
    yield Row("ges-timeline", "{wav}", application="ges", exact=False, elements=("nlecomposition",))
    yield Row("three-players", f"{RAMP} ! {{S}}virtualdac ppm=100", application="three", short=True)


def rows():
    for part in (files, devices, formats, changes, mixed):
        yield from part()
