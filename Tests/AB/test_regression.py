"""Tests that no switch changes the stream: pictures, metadata, changes in mid-stream, and alerts stay the same."""
import concurrent.futures
import ctypes
import os
import tempfile
import unittest
from unittest import mock

import playing
from gi.repository import Gst
from playing import PLAN, SETS, Played

import fidelity
import native
from runner import Runner

SIZE = "video/x-raw,format=NV12,width=320,height=180,framerate=25/1"
FAST = SIZE.replace("25/1", "100/1")
SOURCE = f"videotestsrc name=source num-buffers=30 horizontal-speed=3 ! {SIZE}"


class Regression(unittest.TestCase):
    maxDiff = 2000

    def same_with_each_switch(self, source, prepare=None, filter_line="! ntscfilter"):
        """Plays the source without switches and with each set, and compares the frames. Returns the first run."""
        plain = Played(source, (), prepare, filter_line)
        for switches in SETS:
            with self.subTest(switches=switches):
                other = Played(source, switches, prepare, filter_line)
                self.assertEqual([frame.key for frame in plain.frames], [frame.key for frame in other.frames])
                self.assertEqual(plain.tags, other.tags)
                self.assertEqual(other.has_trace, "spans" in switches)
        return plain

    def test_frames_are_bit_identical(self):
        plain = self.same_with_each_switch(SOURCE)
        self.assertEqual(len(plain.frames), 30)
        self.assertEqual(len({frame.digest for frame in plain.frames}), 30)

    def test_encoded_frames_are_bit_identical(self):
        """Compares as the reports do: MD5 before and after the encoder, and PSNR of the decoded frames."""
        with tempfile.TemporaryDirectory() as libraries:
            native.build(libraries)
            runner = Runner(PLAN, {}, libraries)
            small = {"small": {"title": "", "values": {"width": 320, "height": 180}}}
            with mock.patch.object(PLAN, "workloads", small):
                sides = [runner.play("small", switches, frames=12, **{"is-fidelity": True})
                         for switches in ((), *SETS)]
        for switches, side in zip(SETS, sides[1:]):
            with self.subTest(switches=switches):
                found = fidelity.compare(sides[0], side)
                self.assertNotIn("error", found)
                self.assertTrue(found["raw"] and found["coded"] and found["frames"] == [12, 12], found)
                self.assertGreater(found["psnr"][0] or 0, 25, "dB; None is no comparison")
                self.assertEqual(*found["psnr"])

    def test_another_picture_is_noticed(self):
        """The comparison fails if the picture moves at another speed."""
        plain, other = Played(SOURCE, ()), Played(SOURCE.replace("horizontal-speed=3", "horizontal-speed=4"), ())
        self.assertNotEqual([frame.key for frame in plain.frames], [frame.key for frame in other.frames])

    def test_metadata_is_kept(self):
        """The metadata are timecodes, regions of interest and tags."""
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "mark.so")
            native.compile_library(os.path.join(os.path.dirname(__file__), "mark.c"), library, ["gstreamer-video-1.0"])
            marker = ctypes.CDLL(library)

        def add(pipeline):
            marker.mark_frames(ctypes.c_void_p(hash(pipeline.get_by_name("source").get_static_pad("src"))))

        plain = self.same_with_each_switch(SOURCE, add)
        self.assertEqual([frame.timecode for frame in plain.frames][:3], ["01:02:03:00", "01:02:03:01", "01:02:03:02"])
        self.assertEqual([frame.region for frame in plain.frames][:2], [(0, 10, 32, 16), (1, 10, 32, 16)])
        self.assertTrue(any("mid-stream" in tags for tags in plain.tags), plain.tags)

    def test_source_is_switched_in_mid_stream(self):
        """After the switch of the source, the frames of the second source follow without a lost frame."""
        source = " ".join(
            f"videotestsrc name={pattern} is-live=true num-buffers={count} pattern={pattern} ! {FAST} ! s.{pad}"
            for pattern, pad, count in (("black", "sink_0", 25), ("white", "sink_1", 75))
        ) + " input-selector name=s sync-streams=false cache-buffers=false s.src"

        sent: list[int] = []

        def prepare(pipeline):
            selector, counted = pipeline.get_by_name("s"), [0]

            def passes(pad, info):
                counted[0] += 1
                if counted[0] == 10:
                    selector.set_property("active-pad", selector.get_static_pad("sink_1"))
                return Gst.PadProbeReturn.OK

            def leaves(pad, info):
                sent.append(info.get_buffer().pts)
                return Gst.PadProbeReturn.OK

            sent.clear()
            pipeline.get_by_name("white").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, leaves)
            selector.set_property("active-pad", selector.get_static_pad("sink_0"))
            selector.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, passes)

        for switches in ((), *SETS):
            with self.subTest(switches=switches):
                # A live stream may lose frames on a busy machine, so play it up to three times.
                for _ in range(3):
                    played = Played(source, switches, prepare, filter_line="")
                    lumas = [frame.first > 128 for frame in played.frames]
                    # The thread of the second source decides which of its frames is the first. All later ones follow.
                    second = [frame.pts for frame in played.frames[10:]]
                    if lumas[:10] == [False] * 10 and second and second == sent[-len(second):]:
                        break
                self.assertEqual(lumas[:10], [False] * 10)
                self.assertTrue(second)
                self.assertEqual(lumas[10:], [True] * len(second))
                self.assertEqual(second, sent[-len(second):])

    def test_size_is_changed_in_mid_stream(self):
        """With and without switches, the sink receives frames of all three sizes with the correct caps."""
        source = ("videotestsrc name=source num-buffers=30 horizontal-speed=3 ! "
                  f"capsfilter name=size caps={SIZE}")

        def prepare(pipeline):
            size, counted = pipeline.get_by_name("size"), [0]
            # Made here: if two streaming threads are the first to use a class of gi, it may lack its methods.
            caps = {number: Gst.Caps.from_string(SIZE.replace("320", str(width)).replace("180", str(height)))
                    for number, width, height in ((10, 480, 270), (20, 160, 90))}

            def passes(pad, info):
                counted[0] += 1
                if counted[0] in caps:
                    size.set_property("caps", caps[counted[0]])
                return Gst.PadProbeReturn.OK

            pipeline.get_by_name("source").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, passes)

        plain = self.same_with_each_switch(source, prepare)
        sizes = list(dict.fromkeys(frame.size for frame in plain.frames))
        self.assertEqual(sizes, [(320, 180), (480, 270), (160, 90)])
        self.assertGreater(len(plain.frames), 25)

    def test_alerts_are_shown(self):
        """With and without switches, a slow receiver raises an alert only if its delay exceeds the target."""
        small = {"small": {"title": "", "values": {"width": 320, "height": 180, "filter": ""}}}
        slow = {"frames": 330, "slow": {"period": 1, "span": 1, "pause": 0.036}}
        with tempfile.TemporaryDirectory() as libraries:
            native.build(libraries)
            runner = Runner(PLAN, {}, libraries)

            def raised(switches, target):
                result = runner.play("small", tuple(name for name in switches if name != "spans"), **slow,
                                     monitor=f'targets="end: p95={target}, window=1s, samples=5"')
                self.assertNotIn("error", result)
                return [text for text in result["alerts"] if "raised" in text and "element=(string)end" in text]

            with mock.patch.object(PLAN, "workloads", small), concurrent.futures.ThreadPoolExecutor() as pool:
                shown = [(target, pool.submit(raised, switches, target))
                         for switches in ((), PLAN.measured) for target in ("20ms", "60s")]
                for target, found in shown:
                    self.assertEqual(bool(found.result()), target == "20ms", target)


if __name__ == "__main__":
    unittest.main()
