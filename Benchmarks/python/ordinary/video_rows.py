"""Rows with raw video after the queue: displays, slow consumers, converters, tee, files."""
import itertools

from row import DISPLAY, SLOW, X264, Row, live, worker

SYNC = "fakesink name=end sync=true"
# A converter before a queue. One converted frame may wait in the queue while the consumer processes another frame.
CONVERTED = "videoconvert ! video/x-raw,format=NV12"


VARYING = ("the consumer often takes less than a frame duration; more waiting frames would keep it busy, but would add "
           "latency")


def displays():
    """Synchronizing sinks after elements that keep up.

    The minimum latency is one frame of the source plus the processing deadline of sinks, 20 ms. Only the row with
    latency 0 uses less, so GStreamer posts a warning for this row.
    """
    yield Row("sync-latency-200", f"{live()} ! {{Q}} ! {SYNC}", latency=200, short=True)
    yield Row("sync-60fps", f"{live(60)} ! {{Q}} ! {SYNC}", fps=60, short=True)
    yield Row("sync-120fps-latency-40", f"{live(120)} ! {{Q}} ! {SYNC}", fps=120, latency=40)
    yield Row("display", f"{live()} ! {{Q}} ! videoconvert ! {DISPLAY}")
    yield Row("display-latency-0", f"{live()} ! {{Q}} ! {SYNC}", latency=0)
    yield Row("display-latency-100", f"{live()} ! {{Q}} ! videoconvert ! {DISPLAY}", latency=100)
    yield Row("display-latency-1000", f"{live()} ! {{Q}} ! videoconvert ! {DISPLAY}", latency=1000)
    yield Row("display-jitter", f"{live()} ! identity name=jitter ! {{Q}} ! {DISPLAY}", latency=100,
              application=("jitter", 20))
    yield Row("display-bursts", f"{live()} ! identity name=jitter ! {{Q}} ! {DISPLAY}", latency=300,
              application=("bursts", 5, 160))
    yield Row("display-1fps", f"{live(1)} ! {{Q}} ! videoconvert ! {DISPLAY}", fps=1, least_seconds=6)
    yield Row("display-25fps", f"{live(25)} ! {{Q}} ! videoconvert ! {DISPLAY}", fps=25, latency=100)
    yield Row("display-60fps", f"{live(60)} ! {{Q}} ! videoconvert ! {DISPLAY}", fps=60, latency=60)
    yield Row("display-240fps", f"{live(240)} ! {{Q}} ! {SYNC}", fps=240, latency=40)
    yield Row("display-4k", f"{live(25, '3840x2160')} ! {{Q}} ! {SYNC}", fps=25, latency=80, light=False)
    yield Row("display-with-hogs", f"{live()} ! {{Q}} ! videoconvert ! {SYNC}", latency=100, hogs=3)
    yield Row("display-behind-queue", f"{live()} ! {{Q}} ! videoconvert ! queue ! {DISPLAY}", latency=100)
    yield Row("display-caps-change", f"{live(size='320x240').replace('! video', '! capsfilter name=caps caps=video')} "
              f"! {{Q}} ! videoconvert ! {DISPLAY}", latency=100, application=("change-caps", 640, 480))
    yield Row("display-pause", f"{live()} ! {{Q}} ! videoconvert ! {SYNC}", latency=100, timed=False,
              application=("pause", 500))


def sink_times():
    """Sinks that add latency, or render frames earlier or later than the latency of the pipeline requires."""
    for offset in (100, 300):
        yield Row(f"ts-offset-{offset}", f"{live()} ! {{Q}} ! {DISPLAY} ts-offset={offset}000000", short=offset == 300)
    yield Row("ts-offset-300-convert", f"{live()} ! {{Q}} ! videoconvert ! video/x-raw,format=NV12 ! {DISPLAY} "
              "ts-offset=300000000")
    yield Row("ts-offset-300-latency-200", f"{live()} ! {{Q}} ! {DISPLAY} ts-offset=300000000", latency=200)
    yield Row("ts-offset-minus-100-latency-200", f"{live()} ! {{Q}} ! {DISPLAY} ts-offset=-100000000", latency=200)
    yield Row("processing-deadline-0", f"{live()} ! {{Q}} ! {DISPLAY} processing-deadline=0")
    yield Row("processing-deadline-150", f"{live()} ! {{Q}} ! {DISPLAY} processing-deadline=150000000")
    yield Row("processing-deadline-150-work-20", f"{live()} ! {{Q}} ! identity sleep-time=20000 ! {DISPLAY} "
              "processing-deadline=150000000")
    yield Row("render-delay-100", f"{live()} ! {{Q}} ! {DISPLAY} render-delay=100000000")
    yield Row("max-lateness-20", f"{live()} ! {{Q}} ! identity sleep-time=20000 ! fakesink name=end sync=true qos=true "
              "max-lateness=20000000")


def slow_consumers():
    """Consumers that take longer than a frame duration. The latency must not grow."""
    yield Row("slow-45", f"{live()} ! {{Q}} ! {worker(45)}", SLOW, needs=45)
    yield Row("slow-60", f"{live()} ! {{Q}} ! {worker(60)}", SLOW, needs=60)
    yield Row("slow-45-queue", f"{live()} ! {{Q}} ! queue ! {worker(45)}", SLOW, needs=45)
    yield Row("slow-60-queue", f"{live()} ! {{Q}} ! queue ! {worker(60)}", SLOW, needs=60, short=True)
    yield Row("slow-60-queue-latency-200", f"{live()} ! {{Q}} ! queue ! {worker(60)}", SLOW, needs=60, latency=200)
    yield Row("slow-random-10-60", f"{live()} ! {{Q}} ! identity name=end ! fakesink", SLOW, needs=60,
              application=("work", "random", 10, 60), conceded=VARYING)
    yield Row("slow-random-10-60-queue", f"{live()} ! {{Q}} ! queue ! identity name=end ! fakesink", SLOW, needs=60,
              application=("work", "random", 10, 60), conceded=VARYING)
    yield Row("slow-20-then-80-queue", f"{live()} ! {{Q}} ! queue ! identity name=end ! fakesink", SLOW, needs=80,
              application=("work", "slower", 20, 80))
    # The consumer is faster than the stream on average, and no sink waits for the clock, so `queue` loses no frames.
    yield Row("stall-1s", f"{live()} ! {{Q}} ! identity name=end ! fakesink", least_seconds=8,
              application=("work", "stall", 20, 1000))
    yield Row("stall-1s-queue", f"{live()} ! {{Q}} ! queue ! identity name=end ! fakesink", least_seconds=8,
              application=("work", "stall", 20, 1000))
    # The consumer sleeps for 60 ms, and then waits for a processor, because other processes use all of them.
    yield Row("slow-with-hogs", f"{live()} ! {{Q}} ! queue ! {worker(60)}", SLOW, needs=80, hogs=3)
    # One thread processes a frame and then waits for the clock. While an early frame waits, later frames become late.
    yield Row("slow-45-display-latency-200", f"{live()} ! {{Q}} ! identity sleep-time=45000 ! {DISPLAY}", SLOW,
              needs=45, latency=200, most_behind=6)
    # The same pipeline has a latency of only one frame here. The slow element uses more than half of that latency.
    yield Row("slow-45-display", f"{live()} ! {{Q}} ! identity sleep-time=45000 ! fakesink name=end sync=true qos=true "
              "max-lateness=20000000", SLOW, needs=45)
    yield Row("slow-45-sync-latency-200", f"{live()} ! {{Q}} ! identity sleep-time=45000 ! {SYNC}", SLOW, needs=45,
              latency=200, most_behind=9)
    yield Row("slow-240fps", f"{live(240)} ! {{Q}} ! queue ! {worker(10)}", SLOW, fps=240, needs=10)


def slow_behind_conversion():
    """Pipelines in which a slow consumer receives a converted frame instead of the original frame."""
    behind = {
        "videoconvert": CONVERTED,
        "x264enc": X264,
        "vp8enc": "vp8enc deadline=1",
        "videoscale": "videoscale ! video/x-raw,width=160,height=120",
        "videorate": "videorate ! video/x-raw,framerate=30/1",
        "muxer": f"{X264} ! matroskamux streamable=true",
        # With this MTU, one packet can hold a whole delta frame.
        "rtph264pay": f"{X264} sliced-threads=false threads=1 aud=false ! rtph264pay mtu=65000",
    }
    for name, elements in behind.items():
        yield Row(f"slow-45-behind-{name}", f"{live()} ! {{Q}} ! {elements} ! queue ! {worker(45)}", SLOW,
                  # videorate pushes a frame when the next one arrives. matroskamux makes two or three buffers per
                  # frame, and a key frame is four packets.
                  needs=45 * {"videorate": 2, "muxer": 3, "rtph264pay": 2}.get(name, 1),
                  # With two or three buffers per frame the consumer takes about 0.1 s per frame.
                  least_seconds=20 if name == "muxer" else 0,
                  short=name in ("videoconvert", "vp8enc"),
                  conceded="videorate repeats a frame for each dropped frame, so the consumer receives 30 frames/s "
                  "regardless of the drops" if name == "videorate" else "")
    yield Row("slow-60-behind-two-queues", f"{live()} ! {{Q}} ! queue ! {CONVERTED} ! queue ! {worker(60)}", SLOW,
              needs=60)


def structures():
    """Pipelines with elements that hold frames, or join or split streams."""
    slow_branch = "identity sleep-time=60000 ! fakesink"
    yield Row("tee-slow-branch-own-queue", f"{live()} ! tee name=t  t. ! {{Q}} ! {worker(60)}  "
              "t. ! queue ! fakesink sync=true", SLOW, needs=60)
    yield Row("tee-fast-branch-behind-queue", f"{live()} ! {{Q}} ! tee name=t  t. ! queue ! {SYNC}  "
              f"t. ! queue leaky=downstream max-size-buffers=1 ! {slow_branch}", latency=100)
    yield Row("tee-two-displays", f"{live()} ! {{Q}} ! tee name=t  t. ! queue ! {DISPLAY}  "
              "t. ! queue ! videoconvert ! fakesink sync=true", latency=100)
    branches = {"sync": "fakesink name={} sync=true", "at-once": "fakesink name={} sync=false"}
    for counted, other in (("sync", "at-once"), ("at-once", "sync")):
        first, second = branches[counted].format("end"), branches[other].format("other")
        yield Row(f"tee-{counted}-beside-{other}", f"{live()} ! {{Q}} ! tee name=t  t. ! queue ! {first}  "
                  f"t. ! queue ! {second}", latency=200, most_behind=8)
        # Without async=false the first sink would wait in its thread until the second one has prerolled.
        yield Row(f"tee-{counted}-beside-{other}-one-thread", f"{live()} ! {{Q}} ! tee name=t  t. ! {first} "
                  f"async=false  t. ! {second} async=false", latency=200, most_behind=8)
        yield Row(f"tee-{counted}-beside-{other}-own-queue", f"{live()} ! tee name=t  t. ! {{Q}} ! {first}  "
                  f"t. ! {{Q2}} ! {second}", latency=200, most_behind=8)
    yield Row("videorate-15fps", f"{live()} ! {{Q}} ! videorate name=end ! video/x-raw,framerate=15/1 "
              "! fakesink sync=true", latency=100)
    yield Row("videorate-60fps", f"{live()} ! {{Q}} ! videorate ! video/x-raw,framerate=60/1 ! fakesink sync=true",
              latency=100, end="q")
    yield Row("videoscale", f"{live()} ! {{Q}} ! videoscale ! video/x-raw,width=640,height=480 ! {DISPLAY}",
              latency=100)
    yield Row("compositor", f"{live()} ! {{Q}} ! compositor name=c ! fakesink sync=true  {live()} ! {{Q2}} ! c.",
              end="q")
    yield Row("interlaced", f"{live(60)} ! interlace ! {{Q}} ! deinterlace ! {SYNC}", fps=60, latency=100, end="q")
    yield Row("sink-last-samples", f"{live()} ! {{Q}} ! tee name=t  t. ! queue ! fakesink name=end "
              "t. ! queue ! fakesink  t. ! queue ! fakesink")
    yield Row("queue-min-threshold", f"{live()} ! {{Q}} ! queue min-threshold-buffers=20 ! fakesink name=end")


def branches():
    """A tee with a slow analysis and one to three other branches. Each branch has its own queue.

    The sinks render nothing until all of them have prerolled, and an encoder with look-ahead prerolls late. Until then,
    frames fill the small queue before the analysis.
    """
    others = {
        "encoder": "videoconvert ! x264enc speed-preset=ultrafast ! fakesink sync=false",
        "display": f"videoconvert ! {DISPLAY.replace('name=end ', '')}",
        "analysis": "identity sleep-time=60000 ! fakesink sync=false",
    }
    names = (names for count in range(1, 4) for names in itertools.combinations(others, count))
    for chosen in names:
        beside = "  ".join(f"t. ! {{other Q}} ! {others[name]}" for name in chosen)
        yield Row(f"tee-slow-120-beside-{'-'.join(chosen)}", f"{live()} ! tee name=t  t. ! {{Q}} ! videoconvert ! queue "
                  f"max-size-buffers=8 ! {worker(120)} sync=false  {beside}", SLOW, settles=5, least_seconds=15,
                  # One frame may wait while the consumer processes another frame.
                  needs=240,
                  # The leaky queue keeps the analysis busy with old frames while the measured queue drains them.
                  enough=6.5)


def applications():
    """Pipelines whose application pulls samples from an appsink."""
    sink = "appsink name=end sync=false"
    yield Row("appsink-holds-3", f"{live()} ! {{Q}} ! {sink}", application=("pull", 3), short=True)
    yield Row("appsink-holds-all", f"{live()} ! {{Q}} ! {sink}", application=("pull", None))
    yield Row("appsink-converted-holds-3", f"{live()} ! {{Q}} ! {CONVERTED} ! {sink}", application=("pull", 3))
    # The application keeps a sample until it has pulled the next sample, so it holds two samples.
    yield Row("appsink-pulls-45", f"{live()} ! {{Q}} ! {sink}", SLOW, needs=90, application=("pull", 0, 45))
    yield Row("appsink-drop-pulls-45", f"{live()} ! {{Q}} ! {sink} max-buffers=1 drop=true", SLOW, needs=45,
              application=("pull", 0, 45))


def files():
    """Sources that are not live, and a file that plays by the clock."""
    decode = "filesrc location={clip} ! decodebin expose-all-streams=false caps=video/x-raw"
    yield Row("file-x264enc-file", f"{decode} ! {{Q}} ! x264enc ! matroskamux ! filesink location={{folder}}/film.mkv",
              end="q", timed=False, light=False)
    yield Row("file-vp8enc-file", f"{decode} ! {{Q}} ! videoscale ! video/x-raw,width=320,height=240 ! vp8enc "
              "deadline=1 ! webmmux ! filesink location={folder}/film.webm", end="q", timed=False, light=False,
              short=True)
    yield Row("file-play", f"{decode} ! {{Q}} ! videoconvert ! {DISPLAY}", fps=25)
    yield Row("file-as-live", f"{decode} ! clocksync ! {{Q}} ! videoconvert ! {SYNC}", fps=25)
    yield Row("file-seek", f"{decode} ! {{Q}} ! videoconvert ! {SYNC}", fps=25, timed=False, application=("seek",))
    yield Row("not-live-slow", f"{live().replace('is-live=true ', '')} ! {{Q}} ! {worker(10)}", timed=False, short=True)
    yield Row("not-live-fast", f"{live().replace('is-live=true ', '')} ! {{Q}} ! fakesink name=end", timed=False)


def rows():
    for part in (
            displays, sink_times, slow_consumers, slow_behind_conversion, structures, branches, applications, files):
        yield from part()
