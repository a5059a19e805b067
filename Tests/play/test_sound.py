"""Tests what pipelines/play finds out about a clip for its sound."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "pipelines"), str(TOP / "Tests")]

from patience import PATIENCE  # noqa: E402
from play import _picture_settings  # noqa: E402


class SoundTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="play sound ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def settings(self, name: str, *encoders: str) -> list[str]:
        clip = self.folder / name
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x96:r=25:d=1", "-f", "lavfi", "-i",
                        "sine=r=48000:d=1", *encoders, clip], check=True, timeout=PATIENCE)
        return _picture_settings(str(clip))

    def test_tapeaudio_knows_the_edit_lists_of_a_clip(self) -> None:
        # The edit lists skip two frames of 1/25 s, which the B-frames need, and the 1,024 samples of the encoder's delay.
        offset = 2 * 10**9 // 25 - 1024 * 10**9 // 48000
        self.assertEqual(self.settings("edited.mp4", "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac"),
                         ["video-width=160", "video-height=96", "video-framerate=25/1", f"video-offset={offset}"])

    def test_streams_with_the_same_times_have_no_offset(self) -> None:
        self.assertIn("video-offset=0", self.settings("plain.mkv", "-c:v", "ffv1", "-c:a", "flac"))


if __name__ == "__main__":
    unittest.main()
