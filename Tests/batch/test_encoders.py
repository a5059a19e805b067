"""Tests the quality and size of segments, audio, containers, and encoders with a bitrate."""

import re
import struct
import unittest
from pathlib import Path

from support import TOP, Batch, audio_packets, numbers

from render.fragments import default_encoder

_X264 = "x264enc pass=qual quantizer=22 speed-preset=veryfast key-int-max=25 threads=1"
_CLIP = TOP / "pipelines" / "media" / "bigbuckbunny.webm"
_SCENES = {"a": "identity", "b": "videoflip method=vertical-flip",
           "c": "videobalance brightness=-0.3 hue=0.7 ! videoflip method=horizontal-flip"}
_LENGTHS = [("a", 97), ("b", 71), ("c", 83), ("a", 101), ("b", 128)]


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

    def render(self, name: str, *options: str, source: Path | None = None) -> Path:
        output = self.batch.folder / name
        # Another test may have rendered this film.
        if not output.exists():
            status, text = self.batch.run(source or self.source, output, "--segment", "2s", *options)
            self.assertEqual(status, 0, text)
            self.assertIn("150 frames in 3 segments, verified", text)
        return output

    def assert_alike(self, output: Path, source: Path, encoder: str) -> Path:
        """Compares PSNR of the luma and size with those of a single encoder. Returns the film of that encoder."""
        whole = self.batch.reference(source, encoder=encoder)
        lossless = self.batch.reference(source, encoder="avenc_ffv1")
        qualities = [numbers("psnr.py", path, lossless)[0] for path in (output, whole)]
        self.assertLess(abs(qualities[0] - qualities[1]), 0.1)
        self.assertLess(abs(output.stat().st_size / whole.stat().st_size - 1), 0.02)
        return whole

    def film_of_scenes(self) -> Path:
        """Makes a film of 480 frames with 5 scenes from the clip. Only the first scene begins with a segment."""
        folder, path = self.batch.folder / "pictures", self.batch.folder / "scenes.mkv"
        if path.exists():
            return path
        folder.mkdir()
        self.batch.launch(
            f'filesrc location="{_CLIP}" ! decodebin caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert ! '
            "videoscale ! video/x-raw,width=320,height=180 ! tee name=clip " + " ".join(
                f"clip. ! queue ! {change} ! videoconvert ! jpegenc quality=95 ! "
                f'multifilesink location="{folder}/{name}%03d"' for name, change in _SCENES.items()))
        pictures = [f"{name}{number:03}" for name, length in _LENGTHS for number in range(length)]
        for number, picture in enumerate(pictures):
            (folder / f"{number:05}.jpg").symlink_to(folder / picture)
        self.batch.launch(f'multifilesrc location="{folder}/%05d.jpg" caps=image/jpeg,framerate=25/1 ! jpegdec ! '
                          "videoconvert ! x264enc pass=qual quantizer=10 speed-preset=superfast ! matroskamux ! "
                          f'filesink location="{path}"')
        return path

    def test_constant_quality_has_the_quality_and_size_of_one_encoder(self) -> None:
        self.assert_alike(self.render("crf.mkv", "--encoder", _X264, "--no-audio"), self.source, _X264)

    def test_scenes_that_begin_between_the_cuts_change_neither_quality_nor_size(self) -> None:
        """A single encoder restarts its key interval at each scene, so its key frames differ from those of segments."""
        source, output = self.film_of_scenes(), self.batch.folder / "scenes-out.mkv"
        status, text = self.batch.run(source, output, "--segment", "7200ms")
        self.assertEqual(status, 0, text)
        self.assertIn("480 frames in 3 segments, verified", text)
        whole = self.assert_alike(output, source, default_encoder(output))
        self.assertNotEqual([number for number in numbers("key_frames.py", whole) if number % 60], [])

    def test_default_division_has_the_quality_and_size_of_one_encoder(self) -> None:
        """Each of two workers renders one segment of 9.6 s instead of several short segments."""
        source, output = self.film_of_scenes(), self.batch.folder / "divided.mkv"
        status, text = self.batch.run(source, output, "--workers", "2")
        self.assertEqual(status, 0, text)
        self.assertIn("480 frames in 2 segments, verified", text)
        self.assert_alike(output, source, default_encoder(output))

    def test_audio_has_the_same_packets_at_the_same_times(self) -> None:
        """Rounding by the containers must not change a time by a whole frame of AAC, which lasts 21.3 ms."""
        expected = audio_packets(self.source)
        self.assertGreater(len(expected), 200)
        for name in ("sound-out.mkv", "sound-out.mp4"):
            found = audio_packets(self.render(name, "--encoder", _X264))
            self.assertEqual([line.split()[1] for line in found], [line.split()[1] for line in expected])
            offsets = [abs(seconds(line) - seconds(right)) for line, right in zip(found, expected)]
            self.assertLess(max(offsets), 0.0213, name)

    def test_frames_and_audio_keep_their_times_also_if_the_video_begins_later(self) -> None:
        """The times may differ by less than 2 ms, because Matroska rounds times to 1 ms."""
        for name, begin in (("sound.mkv", 0.0), ("late.mkv", 0.5)):
            source = self.batch.clip(name)
            expected = {kind: numbers("running_times.py", source, kind) for kind in ("video", "audio")}
            self.assertEqual(len(expected["video"]), 150)
            self.assertAlmostEqual(expected["video"][0] - expected["audio"][0], begin, delta=0.03)
            for suffix in (".mkv", ".mp4"):
                output = self.render(f"{source.stem}-out{suffix}", "--encoder", _X264, source=source)
                for kind, times in expected.items():
                    found = numbers("running_times.py", output, kind)
                    self.assertEqual(len(found), len(times), (output, kind))
                    shift = max(abs(time - right) for time, right in zip(found, times))
                    self.assertLess(shift, 0.002, (output, kind))

    def test_delay_of_the_audio_encoder_is_left_out(self) -> None:
        """The edit lists of films of FFmpeg and phones skip this delay. The program drops the packets of the delay."""
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
        """If packets have no times, the program decodes the video in a second scan, which does not return the audio."""
        source, output = self.batch.clip("old.avi"), self.batch.folder / "old.mkv"
        status, text = self.batch.run(source, output, "--filter", "identity", "--encoder", _X264, "--segment", "1s",
                                      "--workers", "1")
        self.assertEqual(status, 0, text)
        self.assertIn("75 frames in 3 segments, verified", text)
        expected = audio_packets(source)
        self.assertGreater(len(expected), 100)
        self.assertEqual([line.split()[1] for line in audio_packets(output)], [line.split()[1] for line in expected])

    def test_default_encoder_of_webm_is_vp8(self) -> None:
        text = self.batch.run(self.source, self.batch.folder / "out.webm", "--no-audio", "--dry-run")[1]
        self.assertRegex(text, re.compile("vp8enc .* ! webmmux"))

    def test_constant_bitrate_causes_a_note(self) -> None:
        text = self.batch.run(self.source, self.batch.folder / "rate.mkv", "--encoder", "x264enc", "--dry-run")[1]
        self.assertIn("begins its rate control anew in each segment", text)


if __name__ == "__main__":
    unittest.main()
