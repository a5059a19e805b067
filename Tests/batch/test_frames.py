"""Tests that a film rendered in segments has the same frames as a film rendered in one pass."""

import subprocess
import unittest
from pathlib import Path

from support import LOSSLESS, PATIENCE, TOP, Batch, frame_sums

_MAKE_VARIABLE = """
import random, sys
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.parse_launch(
    f"appsrc name=source format=time caps=video/x-raw,format=I420,width=160,height=96,framerate={sys.argv[1]} ! "
    f"avenc_ffv1 ! matroskamux ! filesink location=\\"{sys.argv[2]}\\"")
pipeline.set_state(Gst.State.PLAYING)
chance, time = random.Random(4), 0
for number in range(97):
    buffer = Gst.Buffer.new_wrapped(random.Random(number // 7).randbytes(160 * 96 * 3 // 2))
    buffer.pts, buffer.duration = time, chance.choice([17, 25, 33, 40, 100]) * 1_000_000
    time += buffer.duration
    pipeline.get_by_name("source").emit("push-buffer", buffer)
pipeline.get_by_name("source").emit("end-of-stream")
pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
"""


class FrameTests(unittest.TestCase):
    """Renders with the lossless codec FFV1, so that decoded frames can be compared exactly."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.batch.close()

    def assert_same_frames(self, source: Path, *options: str) -> str:
        output = self.batch.folder / f"{source.stem}-out.mkv"
        status, text = self.batch.run(source, output, "--encoder", LOSSLESS, "--segment", "1100ms", *options)
        self.assertEqual(status, 0, text)
        expected = frame_sums(self.batch.reference(source))
        self.assertGreater(len(expected), 40)
        self.assertEqual(frame_sums(output), expected)
        self.assertFalse(output.with_name(output.name + ".batch").exists())
        return text

    def variable(self, name: str, framerate: str) -> Path:
        path = self.batch.folder / name
        subprocess.run(["/usr/bin/python3", "-c", _MAKE_VARIABLE, framerate, str(path)], check=True, timeout=PATIENCE)
        return path

    def test_odd_size_and_length(self) -> None:
        text = self.assert_same_frames(self.batch.clip("odd.mkv"))
        self.assertIn("101 frames in 3 segments, verified", text)

    def test_interlaced(self) -> None:
        self.assert_same_frames(self.batch.clip("interlaced.mp4"))

    def test_transport_stream(self) -> None:
        self.assert_same_frames(self.batch.clip("broadcast.ts"))

    def test_source_with_unreliable_seeks(self) -> None:
        """After a seek, y4mdec sometimes outputs nothing. The program then decodes the film from its beginning."""
        self.assert_same_frames(self.batch.clip("plain.y4m"))

    def test_frames_at_a_short_distance(self) -> None:
        """A seek between two frames may move the PTS of the first frame to the target, 1 ms before the second frame."""
        text = self.assert_same_frames(self.batch.clip("fast.mkv"), "--segment", "100ms")
        self.assertIn("90 frames in 2 segments, verified", text)

    def test_variable_frame_rate(self) -> None:
        self.assert_same_frames(self.variable("variable.mkv", "30/1"))

    def test_variable_frame_rate_without_a_rate_in_the_caps(self) -> None:
        """Without a rate, the filter counts frames. Each segment must begin with the correct count."""
        self.assert_same_frames(self.variable("counted.mkv", "0/1"))

    def test_documented_commands_make_the_same_frames(self) -> None:
        folder = self.batch.folder / "documented"
        folder.mkdir()
        self.batch.clip("sound.mkv").rename(folder / "holiday.mp4")
        section = (TOP / "docs" / "batch.md").read_text().partition("## Is the picture the same?")[2]
        commands = "\n".join(part.partition("```")[0] for part in section.split("```sh\n")[1:3])
        commands = commands.replace("pipelines/batch", f'"{TOP}/pipelines/batch"')
        run = subprocess.run(["bash", "-ec", commands], cwd=folder, env=self.batch.environment, capture_output=True,
                             text=True, timeout=PATIENCE)
        sums = [line for line in run.stdout.splitlines() if line.endswith("  -")]
        self.assertEqual((len(sums), len(set(sums))), (2, 1), run.stdout + run.stderr)
        self.assertEqual(len(frame_sums(folder / "many.mkv")), 150)

    def test_other_filter(self) -> None:
        source = self.batch.clip("odd.mkv")
        output = self.batch.folder / "gamma.mkv"
        fragment = "ntscfilter random-seed=7 ! videobalance saturation=0.5"
        status, text = self.batch.run(source, output, "--encoder", LOSSLESS, "--filter", fragment, "--segment", "1s")
        self.assertEqual(status, 0, text)
        self.assertEqual(frame_sums(output), frame_sums(self.batch.reference(source, filter_=fragment)))


if __name__ == "__main__":
    unittest.main()
