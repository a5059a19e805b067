"""Tests joining with full disks and exchanged segments, the comparison of pictures, and containers."""

import os
import re
import shlex
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from support import LOSSLESS, UNSHARE, Batch, audio_packets, can_mount, frame_sums, index

from render.media.decode import PictureSum, decoded_checksum
from render.media.failure import Failure
from render.media.pictures import COMPARABLE, prepare_sink
from render.media.player import Player, parse
from render.packets import Packet, PacketWriter
from render.times import SECOND
from render.tool import packed, run_tool

# Import Gst after render.media, which selects the version of Gst.
from gi.repository import Gst  # isort: skip

_MEGABYTE = 1 << 20
_CAPS = "image/jpeg, width=160, height=96, framerate=25/1"

Gst.init(None)


class JoinTests(unittest.TestCase):
    """Joins segments whose pictures are random bytes, because a muxer does not decode pictures."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def segment(self, name: str, frames: int, size: int, first: int = 0) -> dict[str, str]:
        writer = PacketWriter(self.folder / name)
        data = os.urandom(size)
        for number in range(first, first + frames):
            writer.add(Packet(number * SECOND // 25, number * SECOND // 25, SECOND // 25, True, data))
        return {str(self.folder / name): writer.end()}

    def join(self, files: dict[str, str], frames: int, output: str) -> dict[str, Any]:
        film = index(frames)
        film.write(self.folder / "index")
        job = {"muxer": "matroskamux", "tags": "", "audio": [], "origin": 0, "source": "", "index": film.mark,
               "frame_duration": SECOND // 25}
        return run_tool(packed(), "join", {
            "job": job, "index": str(self.folder / "index"), "files": files,
            "caps": _CAPS, "depth": 0, "lost": [], "output": output})

    @unittest.skipUnless(can_mount(), "this system provides no mount namespaces")
    def test_full_disk_ends_the_join_of_a_large_film(self) -> None:
        """The film has 60 MB, more than the 42 MB that the queues before the muxer can hold. The disk has 1 MB."""
        disk, python = self.folder / "disk", self.folder / "python"
        disk.mkdir()
        python.write_text(f"#!/bin/sh\nexec {shlex.join(UNSHARE)} -m sh -c 'mount -t tmpfs -o size=1m none \"$0\" && "
                          f"exec /usr/bin/python3 \"$@\"' '{disk}' \"$@\"\n")
        python.chmod(0o755)
        with mock.patch("render.tool.python_with_gstreamer", return_value=str(python)):
            answer = self.join(self.segment("0.seg", 60, _MEGABYTE), 60, str(disk / "film.mkv"))
        self.assertEqual(answer.get("failure", {}).get("kind"), "space", answer)

    def test_film_is_not_written_through_a_link(self) -> None:
        """Another user may replace the folder or the film by a link."""
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (self.folder / "film.batch").symlink_to(elsewhere)
        (self.folder / "film.mkv").symlink_to(elsewhere / "film.mkv")
        files = self.segment("0.seg", 5, 100)
        for output, text in (("film.batch/film.mkv", "Not a directory"), ("film.mkv", "File exists")):
            self.assertIn(text, self.join(files, 5, str(self.folder / output))["failure"]["text"])
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_large_film_is_joined(self) -> None:
        files = {**self.segment("0.seg", 30, _MEGABYTE), **self.segment("1.seg", 30, _MEGABYTE, first=30)}
        answer = self.join(files, 60, str(self.folder / "film.mkv"))
        self.assertEqual(answer.get("result", {}).get("frames"), 60, answer)

    def test_exchanged_and_damaged_segments_are_noticed(self) -> None:
        output = str(self.folder / "film.mkv")
        files = self.segment("0.seg", 5, 100)
        other = self.segment("1.seg", 5, 100)
        answer = self.join(dict(zip(files, other.values())), 5, output)
        self.assertIn("is not the file that was rendered", answer["failure"]["text"])
        path = Path(next(iter(files)))
        with self.assertRaisesRegex(Failure, "is not the file that was rendered"):
            decoded_checksum(path, next(iter(other.values())), _CAPS)
        Path(output).unlink()
        path.write_bytes(path.read_bytes()[:-1])
        self.assertIn("cannot be read", self.join(files, 5, output)["failure"]["text"])


class PictureTests(unittest.TestCase):
    """Tests checksums of pictures. Decoders of two machines may output the same picture in different formats."""

    def checksum(self, *formats: str) -> str:
        """Checksum of pictures in the first format, after conversion to each other format in turn."""
        caps = " ! videoconvert dither=none ! ".join(
            f"video/x-raw,format={name},width=161,height=91" for name in formats)
        pipeline = parse(f"videotestsrc num-buffers=3 pattern=smpte ! {caps} ! {COMPARABLE}")
        sink, player, pictures = prepare_sink(pipeline), Player(pipeline), PictureSum()
        try:
            player.start()
            for sample in player.samples(sink):
                pictures.add(sample)
        finally:
            player.stop()
        self.assertEqual(len(pictures.times), 3)
        return pictures.whole

    def test_checksum_does_not_depend_on_the_order_of_the_pixels(self) -> None:
        for formats in (("I420", "NV12"), ("Y42B", "UYVY"), ("I420_10LE", "P010_10LE"), ("GBR", "BGRx"),
                        ("I422_10LE", "v210")):
            self.assertEqual(self.checksum(*formats), self.checksum(formats[0]), formats)

    def test_different_pictures_have_different_checksums(self) -> None:
        self.assertNotEqual(self.checksum("I420"), self.checksum("Y42B"))


class WatchTests(unittest.TestCase):
    def test_decoding_error_is_not_reported_as_a_seek_error(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".mkv") as file:
            file.write(bytes(100_000))
            file.flush()
            answer = run_tool(packed(), "watch", {
                "path": file.name, "parts": [{"number": 0, "first": 0, "before": 0, "count": 8}]})
        self.assertIn("failure", answer)
        self.assertNotIn("sought", answer["failure"]["text"])


class LostFrameTests(unittest.TestCase):
    def test_frame_that_cannot_be_decoded_is_named_and_counted(self) -> None:
        """The damaged frame comes after the frames that `render.study` decodes."""
        batch = Batch()
        self.addCleanup(batch.close)
        source, output = batch.clip("pictures.mkv"), batch.folder / "out.mkv"
        content = bytearray(source.read_bytes())
        starts = [match.start() for match in re.finditer(b"\xff\xd8\xff\xe0", content)]
        self.assertEqual(len(starts), 75)
        # A Huffman table with too many codes. jpegparse of 1.26 discards pictures whose structure is not valid.
        table = content.index(b"\xff\xc4", starts[60])
        content[table + 5:table + 21] = b"\xff" * 16
        source.write_bytes(content)
        status, text = batch.run(source, output, "--filter", "identity", "--encoder", LOSSLESS, "--segment", "1s",
                                 "--workers", "1")
        self.assertEqual(status, 0, text)
        self.assertIn("1 frame of segment 2 (0:00:02.000 to 0:00:02.960) cannot be decoded and is left out, at "
                      "0:00:02.400", text)
        self.assertIn("74 of 75 frames, because 1 could not be decoded, in 3 segments", text)
        self.assertEqual(len(frame_sums(output)), 74)


class ContainerTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)

    def test_audio_that_the_container_cannot_hold_is_refused_before_anything_starts(self) -> None:
        source, output = self.batch.clip("vorbis.mkv"), self.batch.folder / "out.mp4"
        status, text = self.batch.run(source, output, "--filter", "identity", "--dry-run")
        self.assertEqual(status, 1, text)
        self.assertIn("mp4mux cannot hold the audio of the source, audio/x-vorbis", text)
        status, text = self.batch.run(source, output, "--filter", "identity", "--no-audio", "--workers", "1")
        self.assertEqual(status, 0, text)

    def test_webm_with_audio(self) -> None:
        source, output = self.batch.clip("vorbis.mkv"), self.batch.folder / "out.webm"
        status, text = self.batch.run(source, output, "--filter", "identity", "--segment", "200ms", "--workers", "1",
                                      "--encoder", "vp8enc deadline=1 keyframe-max-dist=5")
        self.assertEqual(status, 0, text)
        self.assertIn("10 frames in 2 segments, verified", text)
        self.assertEqual(len(frame_sums(output)), 10)

    def test_mov_with_audio(self) -> None:
        source, output = self.batch.clip("short.mkv"), self.batch.folder / "out.mov"
        status, text = self.batch.run(source, output, "--filter", "identity", "--segment", "400ms", "--workers", "1",
                                      "--encoder", "x264enc pass=qual quantizer=22 key-int-max=10 bframes=2")
        self.assertEqual(status, 0, text)
        self.assertIn("30 frames in 3 segments, verified", text)
        self.assertEqual(len(frame_sums(output)), 30)
        self.assertEqual([line.split()[1] for line in audio_packets(output)],
                         [line.split()[1] for line in audio_packets(source)])


if __name__ == "__main__":
    unittest.main()
