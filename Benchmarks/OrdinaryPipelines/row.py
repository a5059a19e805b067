"""One pipeline of the benchmark."""
import re
from dataclasses import dataclass

HEALTHY = "healthy"  # Downstream keeps up: nothing may be lost.
SLOW = "slow"  # Downstream does not keep up: frames are lost, and the latency must stay bounded.


@dataclass(frozen=True)
class Row:
    """A pipeline with a place for a queue, and what counts in it.

    In `pipeline`, `{Q}` is the measured queue, named `q`, and `{Q2}` another of its kind. `{frames of N}` is the number
    of buffers with which a source of N a second lasts the run's nominal time, `{clip}` a WebM file, `{folder}` an empty
    folder. What follows `//` is linked later, by the application.
    """

    name: str
    pipeline: str
    kind: str = HEALTHY
    # The element that frames are counted at: its source pad, or the sink pad of a sink. `q` counts what left the queue.
    end: str = "end"
    fps: float = 30
    # Milliseconds that a slow downstream needs for a frame, with what it holds for good reasons.
    needs: float = 0
    # Milliseconds given to `gst_pipeline_set_latency()`; None leaves the latency to the pipeline.
    latency: float | None = None
    # Frames per second that are enough, where the better of the two others is no measure.
    enough: float | None = None
    # Where encoded frames are taken from to be decoded: "end" or "q". Only frames that decode correctly count then.
    decoded: str = ""
    # A frame counts only if at most so many newer ones have entered the queue when it is at the end.
    most_behind: int | None = None
    # Whether frames reach the end by the clock, so that their latency means something.
    timed: bool = True
    # Whether the processor is mostly idle, so that the three queues can be measured at the same time.
    light: bool = True
    # What Python does meanwhile, and its arguments; see applications.py.
    application: tuple = ()
    # Processes beside the pipeline that only burn processor time.
    hogs: int = 0
    # Nominal seconds at the least.
    least_seconds: float = 0
    # Whether the row belongs to the short version.
    short: bool = False
    # Elements that the pipeline text does not show.
    needs_elements: tuple = ()
    # Introspection data that the application needs.
    needs_typelib: str = ""
    # Why the row cannot be won; the loss is reported and is no failure.
    conceded: str = ""

    def seconds(self, wanted):
        # Learning what a slow downstream needs takes half a second, and P95 looks at a twentieth of the time.
        return max(3 * wanted if self.kind == SLOW else wanted, self.least_seconds)

    def is_endless(self):
        """Whether the run has no EOS: a server and its client."""
        return bool(self.application) and self.application[0] in ("rtsp", "webrtc")

    def text(self, queue, seconds, clip, folder):
        """The pipeline as gst-launch-1.0 would take it."""
        places = {
            "{Q}": f"{queue} name=q",
            "{Q2}": f"{queue} name=q2",
            "{clip}": str(clip),
            "{folder}": str(folder),
        }
        text = self.pipeline
        for place, value in places.items():
            text = text.replace(place, value)
        return re.sub(r"{frames of (\d+)}", lambda found: str(max(1, round(int(found[1]) * seconds))), text)

    def latency_bound(self):
        """Milliseconds that P95 of the latency may reach: two frames, and what the consumer needs."""
        return 2000 / self.fps + self.needs + (self.latency or 0)


def live(fps=30, size="320x240", endless=False):
    """A source like a camera: live, at a fixed rate, with a latency of one frame. Each picture differs."""
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
# A display: waits for each frame's time and drops late ones, as GstVideoSink does by default.
DISPLAY = "fakesink name=end sync=true qos=true max-lateness=5000000"
# An H.264 encoder for live use; it holds no frame.
X264 = "x264enc tune=zerolatency"


def worker(milliseconds):
    """A consumer that takes so long for each frame; frames are counted when it has finished."""
    return f"identity name=end sleep-time={round(milliseconds * 1000)} ! fakesink"
