"""x264 with constant quality, audio that is never cut, containers, and what a bitrate means."""

import re
import struct
import subprocess
import unittest
from pathlib import Path

from support import Batch, audio_packets

_X264 = "x264enc pass=qual quantizer=22 speed-preset=veryfast key-int-max=25 threads=1"


def seconds(line: str) -> float:
    hours, minutes, rest = line.split(" ")[0].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


class EncoderTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.source = cls.batch.clip("sound.mkv")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.batch.close()

    def render(self, name: str, *options: str) -> Path:
        output = self.batch.folder / name
        status, text = self.batch.run(self.source, output, "--segment", "2s", *options)
        self.assertEqual(status, 0, text)
        self.assertIn("150 frames in 3 segments, verified", text)
        return output

    def psnr(self, path: Path, lossless: Path) -> float:
        """Mean PSNR of luma against the filter's pictures, in dB, by GStreamer's compare element."""
        run = subprocess.run(
            ["/usr/bin/python3", str(Path(__file__).parent / "psnr.py"), str(path), str(lossless)],
            capture_output=True, text=True, timeout=60, check=True)
        return float(run.stdout)

    def test_constant_quality_has_the_quality_and_size_of_one_encoder(self) -> None:
        output = self.render("crf.mkv", "--encoder", _X264, "--no-audio")
        whole = self.batch.reference(self.source, encoder=_X264)
        lossless = self.batch.reference(self.source, encoder="avenc_ffv1")
        difference = self.psnr(output, lossless) - self.psnr(whole, lossless)
        self.assertLess(abs(difference), 0.1)
        self.assertLess(abs(output.stat().st_size / whole.stat().st_size - 1), 0.02)

    def test_audio_is_the_same_packets_at_the_same_times(self) -> None:
        """One audio frame of AAC is 21.3 ms; the times in the containers differ by their rounding only."""
        expected = audio_packets(self.source)
        self.assertGreater(len(expected), 200)
        for name in ("sound-out.mkv", "sound-out.mp4"):
            found = audio_packets(self.render(name, "--encoder", _X264))
            self.assertEqual([line.split()[1] for line in found], [line.split()[1] for line in expected])
            offsets = [abs(seconds(line) - seconds(right)) for line, right in zip(found, expected)]
            self.assertLess(max(offsets), 0.0213, name)

    def test_delay_of_the_audio_encoder_is_left_out(self) -> None:
        """FFmpeg and phones begin after it with an edit list; muxers leave out the packets before the start."""
        source = self.batch.clip("delayed.mp4")
        content = bytearray(source.read_bytes())
        lists = [match.start() for match in re.finditer(b"elst", content)]
        sound = [start for start in lists if content[content.find(b"hdlr", start):].startswith(b"soun", 12)]
        self.assertEqual(len(sound), 1)
        content[sound[0] + 16:sound[0] + 20] = struct.pack(">i", 2112)
        source.write_bytes(content)
        for name in ("delayed-out.mkv", "delayed-out.mp4"):
            status, text = self.batch.run(source, self.batch.folder / name, "--encoder", _X264)
            self.assertEqual(status, 0, text)

    def test_audio_beside_packets_without_times_is_kept(self) -> None:
        """The frames are then counted by decoding the video, which says nothing about other streams."""
        source, output = self.batch.clip("old.avi"), self.batch.folder / "old.mkv"
        status, text = self.batch.run(source, output, "--filter", "identity", "--encoder", _X264, "--segment", "1s",
                                      "--workers", "1")
        self.assertEqual(status, 0, text)
        self.assertIn("75 frames in 3 segments, verified", text)
        expected = audio_packets(source)
        self.assertGreater(len(expected), 100)
        self.assertEqual([line.split()[1] for line in audio_packets(output)], [line.split()[1] for line in expected])

    def test_webm_has_an_encoder_without_options(self) -> None:
        text = self.batch.run(self.source, self.batch.folder / "out.webm", "--no-audio", "--dry-run")[1]
        self.assertRegex(text, re.compile("vp8enc .* ! webmmux"))

    def test_bitrate_is_mentioned(self) -> None:
        text = self.batch.run(self.source, self.batch.folder / "rate.mkv", "--encoder", "x264enc", "--dry-run")[1]
        self.assertIn("begins its rate control anew in each segment", text)


if __name__ == "__main__":
    unittest.main()
