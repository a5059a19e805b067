"""Tests audio that is rendered with the film."""

import subprocess
import unittest
from pathlib import Path

from support import PATIENCE, Batch
from render.fragments import default_sound_encoder, sound_of_picture, sound_text


class SoundTests(unittest.TestCase):
    def setUp(self) -> None:
        self.batch = Batch()
        self.addCleanup(self.batch.close)

    def render(self, name: str, *arguments: str) -> Path:
        output = self.batch.folder / name
        status, text = self.batch.run(self.batch.clip("sound.mkv"), output, *arguments)
        self.assertEqual(status, 0, text)
        return output

    def samples(self, path: Path, *elements: str) -> bytes:
        """The decoded audio of a file after some elements, as 16-bit samples."""
        raw = self.batch.folder / "samples.raw"
        self.batch.launch(f'filesrc location="{path}" ! decodebin caps=audio/x-raw(ANY) expose-all-streams=false ! '
                          f'{" ! ".join(["audioconvert", "audioresample", *elements])} ! audioconvert ! audioresample ! '
                          f'audio/x-raw,format=S16LE ! filesink location="{raw}"')
        return raw.read_bytes()

    def test_sound_is_the_same_on_any_number_of_workers(self) -> None:
        one = self.samples(self.render("one.mkv", "--sound", "--preset", "worn-tape", "--workers", "1"))
        two = self.samples(self.render("two.mkv", "--sound", "--preset", "worn-tape", "--workers", "2", "--segment", "1s"))
        self.assertEqual(one, two)
        source = self.samples(self.batch.clip("sound.mkv"))
        self.assertEqual(len(one), len(source))
        self.assertNotEqual(one, source)

    def test_sound_is_that_of_a_pipeline(self) -> None:
        fragment = "tapeaudio tape-speed=ep random-seed=3"
        film = self.render("film.mkv", "--filter", "identity", "--sound-filter", fragment, "--workers", "1")
        expected = self.samples(self.batch.clip("sound.mkv"), sound_of_picture(fragment, 320, 180, "25/1"))
        self.assert_alike(self.samples(film), expected)

    def test_every_container_holds_rendered_sound(self) -> None:
        for suffix in (".webm", ".mp4", ".mov"):
            output = self.render(f"film{suffix}", "--sound")
            self.assertAlmostEqual(len(self.samples(output)), len(self.samples(self.batch.clip("sound.mkv"))), delta=20_000)

    def edited(self) -> Path:
        """An MP4 whose edit list skips two frames of the video and 1,024 samples of the audio."""
        path = self.batch.folder / "edited.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x96:r=25:d=3", "-f", "lavfi", "-i",
                        "aevalsrc=0.5*sin(2*PI*t*(200+300*t)):s=48000:d=3", "-c:v", "libx264", "-bf", "2", "-pix_fmt",
                        "yuv420p", "-c:a", "aac", path], check=True, timeout=PATIENCE)
        return path

    def test_tapeaudio_knows_the_edit_lists(self) -> None:
        source = self.edited()
        status, text = self.batch.run(source, self.batch.folder / "film.mkv", "--sound", "--dry-run")
        self.assertEqual(status, 0, text)
        # 2 frames of 25 in a second, less 1,024 samples.
        self.assertIn(f"video-offset={round(2 * 10**9 / 25) - 1024 * 10**9 // 48000}", text)

    def test_sound_of_a_film_with_edit_lists_keeps_its_time(self) -> None:
        source = self.edited()
        times = []
        for fragment in ("identity", "tapeaudio track=none buzz=-120 drop-outs=off"):
            film = self.batch.folder / f"{fragment.split()[0]}.mkv"
            status, text = self.batch.run(source, film, "--filter", "identity", "--sound-filter", fragment,
                                          "--workers", "1")
            self.assertEqual(status, 0, text)
            self.assert_alike(self.samples(film), self.samples(source))
            times.append(self.begins(film))
        self.assertEqual(*times)

    def assert_alike(self, one: bytes, other: bytes) -> None:
        """Sounds have the same length and the same 16-bit samples, except for the dither of conversions."""
        self.assertEqual(len(one), len(other))
        differences = (abs(x - y) for x, y in zip(memoryview(one).cast("h"), memoryview(other).cast("h")))
        self.assertLessEqual(max(differences), 2)

    def begins(self, path: Path) -> str:
        """The times at which ffprobe finds the begin of the streams of a file."""
        return subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=start_time", "-of", "csv", path],
                              check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def test_errors_of_the_sound_are_in_the_plan(self) -> None:
        # If the audio begins after the first frames, the trial of an MP4 with these frames leaves it out.
        for source in (self.batch.clip("sound.mkv"), self.late()):
            for arguments, words in ((("--sound-filter", "tapeaudio high-cut=nothing"), "high-cut"),
                                     (("--sound-filter", "vorbisenc"), "cannot be rendered"),
                                     (("--sound-filter", "audio/x-raw,rate=2000000000"), "not from 100 Hz to 1 MHz"),
                                     (("--sound-filter", "audioresample ! audio/x-raw,rate=1"), "rate=(int)1 is not"),
                                     (("--sound", "--sound-encoder", "flacenc"), "cannot hold the sound")):
                output = self.batch.folder / "refused.mp4"
                status, text = self.batch.run(source, output, "--dry-run", *arguments)
                self.assertNotEqual(status, 0, text)
                self.assertIn(words, text)

    def late(self) -> Path:
        """A film whose audio begins after its first frames."""
        path = self.batch.folder / "late.mkv"
        self.batch.launch('videotestsrc num-buffers=100 ! video/x-raw,width=80,height=48,framerate=25/1 ! x264enc ! '
                          'h264parse ! queue ! matroskamux name=mux ! '
                          f'filesink location="{path}"  audiotestsrc num-buffers=130 timestamp-offset=1000000000 ! '
                          'audio/x-raw,rate=48000 ! flacenc ! queue ! mux.')
        return path

    def test_a_film_without_audio_has_no_sound(self) -> None:
        status, text = self.batch.run(self.batch.clip("odd.mkv"), self.batch.folder / "silent.webm", "--sound", "--dry-run")
        self.assertEqual(status, 0, text)
        self.assertIn("no audio that could be rendered", text)

    def test_options_that_contradict_each_other_are_refused(self) -> None:
        for arguments, words in ((("--sound", "--filter", "identity"), "use --sound-filter"),
                                 (("--sound-encoder", "flacenc"), "has no effect"),
                                 (("--sound-filter", " "), "--sound-filter is empty"),
                                 (("--sound-filter", "nonsense"), "nonsense")):
            status, text = self.batch.run(self.batch.clip("sound.mkv"), self.batch.folder / "refused.mkv", *arguments)
            self.assertNotEqual(status, 0)
            self.assertIn(words, text)


class FragmentTests(unittest.TestCase):
    def test_sound_has_the_settings_of_the_picture(self) -> None:
        self.assertEqual(sound_text(None, "worn-tape", []), "tapeaudio @preset=worn-tape")
        text = sound_text(None, None, ["vhs-tape-speed=ep", "random-seed=4", "luma-smear=1"])
        self.assertEqual(text, 'tapeaudio tape-speed=lp scale-with-video-size=true tape-speed=ep random-seed="4"')
        self.assertIn('generations="3"', sound_text(None, None, ["generations=3"]))
        self.assertEqual(sound_text(" audioecho ", None, []), "audioecho")

    def test_tapeaudio_knows_the_picture(self) -> None:
        self.assertEqual(sound_of_picture("tapeaudio track=none", 320, 180, "25/1"),
                         "tapeaudio video-width=320 video-height=180 video-framerate=25/1 video-offset=0 track=none")
        self.assertIn("video-offset=-5 ", sound_of_picture("tapeaudio", 320, 180, "25/1", -5) + " ")
        self.assertIn("video-framerate=0/1", sound_of_picture("tapeaudio", 320, 180, "500/1"))
        self.assertEqual(sound_of_picture("audioecho", 320, 180, "25/1"), "audioecho")

    def test_encoder_fits_the_container(self) -> None:
        for suffix, encoder in ((".mkv", "flacenc"), (".webm", "vorbisenc"), (".mp4", "avenc_aac")):
            self.assertTrue(default_sound_encoder(Path("film" + suffix)).startswith(encoder))


if __name__ == "__main__":
    unittest.main()
