"""One pipeline of the benchmark."""
import re
from dataclasses import dataclass

HEALTHY = "healthy"  # Downstream keeps up, so no frame may be lost.
SLOW = "slow"  # Downstream does not keep up. Frames are lost, and the latency must stay bounded.


@dataclass(frozen=True)
class Row:
    """A pipeline with a place for a queue, and the frames that count in it.

    In `pipeline`, `{Q}` is the measured queue, named `q`, `{Q2}` a second one, and `{other Q}` a further one without a
    name. `{frames of N}` is the number of buffers for the nominal time at N buffers per second, `{clip}` is a WebM file,
    and `{folder}` an empty folder. `application` links the part of `pipeline` after `//` while the rest plays.
    """

    name: str
    pipeline: str
    kind: str = HEALTHY
    # Name of the element whose frames are counted: at its source pad, or at the sink pad of a sink. With `q`, frames
    # that leave the queue are counted.
    end: str = "end"
    fps: float = 30
    # Time that the slow elements downstream require per frame, including the frames that they hold, in ms.
    needs: float = 0
    # Latency for gst_pipeline_set_latency() in ms; None leaves the latency to the pipeline.
    latency: float | None = None
    # Frames per second that are sufficient, even if the better of the other two queues passes more frames.
    enough: float | None = None
    # Place at which encoded frames are recorded: "end" is the element `end`, "q" is the source pad of the queue. Only
    # frames that decode correctly count. If the text is empty, nothing is decoded.
    decoded: str = ""
    # A frame counts only if at most this number of newer frames have entered the queue when it reaches the end.
    most_behind: int | None = None
    # Whether frames reach the end at the time given by the clock, so that their latency is meaningful.
    timed: bool = True
    # Whether the processor is mostly idle, so that the three queues can be measured at the same time.
    light: bool = True
    # Name and arguments of the application; see applications.py.
    application: tuple = ()
    # Number of processes that load the processors while the pipeline plays.
    hogs: int = 0
    # Time in seconds after the first frame during which the latency does not count.
    settles: float = 0
    # Minimum nominal time, in seconds.
    least_seconds: float = 0
    # Whether the row belongs to the short version.
    short: bool = False
    # Required elements that are not in the pipeline text.
    needs_elements: tuple = ()
    # Introspection data that the application requires.
    needs_typelib: str = ""
    # Reason why the measured queue must be worse in this row. A worse result with a reason is not a failure.
    conceded: str = ""

    def seconds(self, wanted):
        # A slow row runs longer, because the queue adapts for 0.5 s and only 5 % of the frames exceed the P95.
        return max(3 * wanted if self.kind == SLOW else wanted, self.least_seconds)

    def is_endless(self):
        """Whether the run has no EOS, as with a server and its client."""
        return bool(self.application) and self.application[0] in ("rtsp", "webrtc")

    def text(self, queue, seconds, clip, folder):
        """The pipeline in the syntax of gst-launch-1.0."""
        places = {
            "{Q}": f"{queue} name=q",
            "{Q2}": f"{queue} name=q2",
            "{other Q}": queue,
            "{clip}": str(clip),
            "{folder}": str(folder),
        }
        text = self.pipeline
        for place, value in places.items():
            text = text.replace(place, value)
        return re.sub(r"{frames of (\d+)}", lambda found: str(max(1, round(int(found[1]) * seconds))), text)

    def latency_bound(self):
        """Maximum P95 of the latency in ms: two frame durations, `needs`, and the latency of the pipeline."""
        return 2000 / self.fps + self.needs + (self.latency or 0)


def live(fps=30, size="320x240", endless=False):
    """A live source like a camera, with a fixed frame rate and a latency of one frame. Successive pictures differ."""
    width, height = size.split("x")
    number = "" if endless else f" num-buffers={{frames of {fps}}}"
    return (
        f"videotestsrc is-live=true horizontal-speed=3{number} "
        f"! video/x-raw,format=I420,width={width},height={height},framerate={fps}/1"
    )


# Audio in packets of 10 ms.
LIVE_AUDIO = (
    "audiotestsrc is-live=true samplesperbuffer=480 num-buffers={frames of 100} ! audio/x-raw,rate=48000,channels=2"
)
# A sink that replaces a display. It waits for the clock and drops late frames, as GstVideoSink does by default.
DISPLAY = "fakesink name=end sync=true qos=true max-lateness=5000000"
# An H.264 encoder for live streams, which holds no frames.
X264 = "x264enc tune=zerolatency"


def worker(milliseconds):
    """A consumer that takes `milliseconds` per frame. A frame counts when the consumer has finished it."""
    return f"identity name=end sleep-time={round(milliseconds * 1000)} ! fakesink"
