"""Pages of generated text that scroll, like paper below a camera. The same seed gives the same frames."""

from __future__ import annotations

import random
import time
from typing import Iterator

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstBase", "1.0")
from gi.repository import Gst, GstApp, GstBase  # noqa: E402, F401

Gst.init(None)
WIDTH, HEIGHT, RATE = 1920, 1080, 30
STRIDE = WIDTH * 4
# A page has two screens, and continues at its start.
PAGE_HEIGHT = 2 * HEIGHT
FONT_HEIGHT = 64
CAPS = Gst.Caps.from_string(f"video/x-raw,format=BGRA,width={WIDTH},height={HEIGHT},framerate={RATE}/1")
# Lines of a screen in a simple and in a dense scene, words of a line, and pixels that the page moves in each frame.
SIMPLE, DENSE, WORDS_OF_LINE, SPEED = 1, 3, 1, 6
WORDS = (
    "amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north ocean plain quarry ridge "
    "shore tower urban valley water yield zenith anchor bridge canal docks engine ferry garden harbour island journey kettle "
    "lantern meadow number orchard pebble quiet river signal timber umbrella village window yellow").split()


def page(lines: int, seed: int) -> list[str]:
    """The lines of a page with `lines` of them on a screen."""
    words = random.Random(seed)
    return [" ".join(words.sample(WORDS, WORDS_OF_LINE)) for _ in range(lines * PAGE_HEIGHT // HEIGHT)]


def rendered(lines: list[str]) -> bytes:
    """The picture of a page: black text on white, BGRA, with lines at equal distances."""
    room = PAGE_HEIGHT // len(lines)
    texts = "".join(f'<text x="120" y="{number * room + room // 2}" font-family="sans-serif" '
                    f'font-size="{FONT_HEIGHT}">{line}</text>' for number, line in enumerate(lines))
    pipeline = Gst.parse_launch(
        f"videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=BGRA,width={WIDTH},height={PAGE_HEIGHT}"
        " ! rsvgoverlay name=text ! appsink name=page sync=false")
    pipeline.get_by_name("text").set_property(
        "data", f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{PAGE_HEIGHT}">{texts}</svg>')
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("page").emit("pull-sample")
    pipeline.set_state(Gst.State.NULL)
    if sample is None:
        raise RuntimeError("The page cannot be rendered.")
    return sample.get_buffer().extract_dup(0, STRIDE * PAGE_HEIGHT)


def scenes(seed: int) -> Iterator[bool]:
    """Whether each frame is dense. The lengths are those of the load `camera` of `Benchmarks pool`."""
    lengths, is_dense = random.Random(seed), False
    while True:
        if is_dense:
            length = lengths.randint(90, 160) if lengths.randint(1, 25) == 1 else lengths.randint(24, 40)
        else:
            length = lengths.randint(60, 240)
        for _ in range(length):
            yield is_dense
        is_dense = not is_dense


class PageSource(GstBase.BaseSrc):
    """A live source that writes pages into buffers of the pool that downstream offers, or of a pool of its own.

    Like a camera, it does not catch up: frames that were due while it waited for a buffer are missed.
    """

    __gtype_name__ = "PageSource"

    def __init__(self, seed: int = 1, last_dense: float = float("inf"), most_buffers: int = 0) -> None:
        """Creates a source and renders its pages. From the frame `last_dense` on, all scenes are simple.

        With `most_buffers`, the source refuses the pool that downstream offers, and its own pool has that many buffers,
        all of them from the start. With 0, there is no limit: the pool is that of downstream, or its own without one.
        """
        super().__init__()
        self.set_live(True)
        self.set_format(Gst.Format.TIME)
        self._last_dense, self._most_buffers = last_dense, most_buffers
        self._pages = [rendered(page(lines, seed)) for lines in (SIMPLE, DENSE)]
        self._scenes = scenes(seed)
        self._no_wait = Gst.BufferPoolAcquireParams()
        self._no_wait.flags = Gst.BufferPoolAcquireFlags.DONTWAIT
        # Nanoseconds of each acquire, acquires that found no idle buffer in the own pool, missed frames, and frames.
        self.acquire_times: list[int] = []
        self.stalled = self.missed = self.frames = 0
        self._number = -1
        # The pool of the source. None while the pool of downstream is used.
        self._own: Gst.BufferPool | None = None

    def do_decide_allocation(self, query: Gst.Query) -> bool:
        # Even an element that needs no pool, such as videoscale, offers one without a limit.
        while self._most_buffers and query.get_n_allocation_pools():
            query.remove_nth_allocation_pool(0)
        if not query.get_n_allocation_pools():
            self._own = Gst.BufferPool()
            query.add_allocation_pool(self._own, STRIDE * HEIGHT, self._most_buffers, self._most_buffers)
        return GstBase.BaseSrc.do_decide_allocation(self, query)

    def do_get_times(self, buffer: Gst.Buffer) -> tuple[int, int]:
        return buffer.pts, buffer.pts + buffer.duration

    def do_create(
            self, _offset: int, _size: int, _buffer: Gst.Buffer | None) -> tuple[Gst.FlowReturn, Gst.Buffer | None]:
        duration = Gst.SECOND // RATE
        now = max(self.get_clock().get_time() - self.get_base_time(), 0)
        number = max(self._number + 1, now // duration)
        self.missed += number - self._number - 1 if self.frames else 0
        flow, buffer = self._acquire()
        if buffer is None:
            return flow, None
        for _ in range(number - self._number):
            is_dense = next(self._scenes)
        start = number * SPEED % HEIGHT * STRIDE
        buffer.fill(0, self._pages[is_dense and number < self._last_dense][start:start + STRIDE * HEIGHT])
        buffer.pts, buffer.duration, buffer.offset = number * duration, duration, number
        self._number = number
        self.frames += 1
        return Gst.FlowReturn.OK, buffer

    def _acquire(self) -> tuple[Gst.FlowReturn, Gst.Buffer | None]:
        pool, start = self.get_buffer_pool(), time.monotonic_ns()
        # adaptivepool counts its stalls, and would count two for one.
        flow, buffer = pool.acquire_buffer(self._no_wait) if self._own else (None, None)
        if buffer is None:
            self.stalled += self._own is not None
            flow, buffer = pool.acquire_buffer(None)
        self.acquire_times.append(time.monotonic_ns() - start)
        return flow, buffer


PageSource.set_static_metadata("Pages", "Source/Video", "Shows generated pages of text", "gst-plugins-swift")
PageSource.add_pad_template(Gst.PadTemplate.new("src", Gst.PadDirection.SRC, Gst.PadPresence.ALWAYS, CAPS))
