"""Tests audio that is rendered with the film."""

import unittest
from pathlib import Path

from support import Batch
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
        found = self.samples(film)
        self.assertEqual(len(found), len(expected))
        differences = [abs(one - other) for one, other in zip(
            memoryview(found).cast("h"), memoryview(expected).cast("h"))]
        self.assertLessEqual(max(differences), 2)

    def test_every_container_holds_rendered_sound(self) -> None:
        for suffix in (".webm", ".mp4", ".mov"):
            output = self.render(f"film{suffix}", "--sound")
            self.assertAlmostEqual(len(self.samples(output)), len(self.samples(self.batch.clip("sound.mkv"))), delta=20_000)

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
        self.assertEqual(sound_text(" audioecho ", None, []), "audioecho")

    def test_tapeaudio_knows_the_picture(self) -> None:
        self.assertEqual(sound_of_picture("tapeaudio track=none", 320, 180, "25/1"),
                         "tapeaudio video-width=320 video-height=180 video-framerate=25/1 track=none")
        self.assertIn("video-framerate=0/1", sound_of_picture("tapeaudio", 320, 180, "500/1"))
        self.assertEqual(sound_of_picture("audioecho", 320, 180, "25/1"), "audioecho")

    def test_encoder_fits_the_container(self) -> None:
        for suffix, encoder in ((".mkv", "flacenc"), (".webm", "vorbisenc"), (".mp4", "avenc_aac")):
            self.assertTrue(default_sound_encoder(Path("film" + suffix)).startswith(encoder))


if __name__ == "__main__":
    unittest.main()
