"""Tests that --resume requires the same job and verifies each file in the folder of the film."""

import json
import os
import shutil
import unittest
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from support import LOSSLESS, Batch, audio_packets, frame_sums, numbers

from render.manifest import FORMAT, Manifest

_PRESET = "[_presets_]\nversion=1.0\nelement-name=GstNtscFilter\n\n[resumed]\nsnow-intensity={}\n"


class ResumeTests(unittest.TestCase):
    """Resumes a film whose segments are all finished. Unless a test changes them, --resume only joins them."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)
        presets = cls.batch.folder / "presets"
        presets.mkdir()
        cls.preset = presets / "GstNtscFilter.prs"
        cls.preset.write_text(_PRESET.format(3))
        cls.batch.environment["GST_PRESET_PATH"] = str(presets)
        cls.source = cls.batch.clip("short.mkv")
        cls.output = cls.batch.folder / "out.mkv"
        cls.folder = cls.output.with_name("out.mkv.batch")
        status, text = cls.batch.run(*cls.command("--keep", "--workers", "1"))
        assert status == 0, text
        cls.frames, cls.sound = frame_sums(cls.output), audio_packets(cls.output)
        cls.saved = cls.batch.folder / "saved"
        shutil.copytree(cls.folder, cls.saved)

    @classmethod
    def command(cls, *options: str) -> list[str | Path]:
        return [cls.source, cls.output, "--encoder", LOSSLESS, "--preset", "resumed", "--segment", "400ms", *options]

    def setUp(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.saved, self.folder)
        self.output.unlink(missing_ok=True)

    def resume(self, *options: str) -> str:
        status, text = self.batch.run(*self.command("--resume", "--workers", "1", *options))
        self.assertEqual(status, 0, text)
        self.assertEqual(frame_sums(self.output), self.frames)
        self.assertFalse(self.folder.exists())
        return text

    def assert_refused(self, words: str, *options: str) -> None:
        status, text = self.batch.run(*self.command("--resume", "--workers", "1", *options))
        self.assertEqual(status, 1, text)
        self.assertIn(words, text)
        self.assertNotIn("Traceback", text)
        self.assertTrue((self.folder / "manifest").exists())

    def change_job(self, **changes: Any) -> None:
        """Replaces fields of the job in the manifest."""
        path = self.folder / "manifest"
        _, *rest = path.read_bytes().splitlines(keepends=True)
        text = json.dumps({"format": FORMAT, "job": {**Manifest(path).job, **changes}})
        path.write_bytes(f"{zlib.crc32(text.encode()):08x} {text}\n".encode() + b"".join(rest))

    def change_spec(self, **changes: Any) -> None:
        path = self.folder / "spec"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    def test_resumed_run_may_remove_or_add_the_audio(self) -> None:
        self.resume("--no-audio")
        self.assertEqual(numbers("running_times.py", self.output, "audio"), [])
        self.setUp()
        self.change_job(audio=[])
        self.resume()
        self.assertEqual(audio_packets(self.output), self.sound)
        self.assertGreater(len(self.sound), 10)

    def test_damaged_index_is_replaced(self) -> None:
        index = bytearray((self.folder / "index").read_bytes())
        index[11] ^= 1
        (self.folder / "index").write_bytes(index)
        self.assertIn("3 of 3 segments are finished", self.resume())

    def test_unreported_segment_is_used(self) -> None:
        """Workers finish their segments even after the end of the scheduler, but the manifest does not list these."""
        path = self.folder / "manifest"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
        text = self.resume()
        self.assertRegex(text, r"3 of 3 segments are finished, 0 unfinished, 0 damaged; 1 were finished after")

    def test_unreported_segment_of_another_job_is_not_used(self) -> None:
        path = self.folder / "manifest"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
        self.change_job(id="another")
        self.assertRegex(self.resume(), r"2 of 3 segments are finished, 1 unfinished, 0 damaged\.")

    def test_link_in_the_folder_is_refused(self) -> None:
        (self.folder / "film.mkv").symlink_to("/dev/full")
        self.assert_refused("film.mkv is neither a file nor a folder")
        (self.folder / "film.mkv").unlink()
        self.resume()

    def test_pictures_of_the_film_are_compared_with_those_of_the_segments(self) -> None:
        """The packets of the film are correct. A changed checksum simulates a decoder that outputs other pictures."""
        manifest = Manifest(self.folder / "manifest")
        manifest.add(replace(manifest.results[1], decoded="0" * 64))
        self.assert_refused("its pictures at 0:00:00.400 are not those of segment 1", "--verify", "film")
        manifest.add(replace(manifest.results[1], decoded="0" * 64, opening="0" * 64))
        self.assert_refused("its pictures at 0:00:00.400 are not those of segment 1")
        self.assertFalse(self.output.exists())

    def test_verify_packets_omits_the_comparison_of_pictures(self) -> None:
        manifest = Manifest(self.folder / "manifest")
        manifest.add(replace(manifest.results[1], decoded="0" * 64, opening="0" * 64))
        self.resume("--verify", "packets")

    def test_comparison_of_pictures_requires_checksums_of_all_segments(self) -> None:
        manifest = Manifest(self.folder / "manifest")
        manifest.add(replace(manifest.results[1], decoded="", opening=""))
        self.assert_refused("--verify packets continues it")

    def test_whole_film_is_decoded(self) -> None:
        self.resume("--verify", "film")

    def test_edited_preset_is_refused(self) -> None:
        self.addCleanup(self.preset.write_text, _PRESET.format(3))
        self.preset.write_text(_PRESET.format(50))
        self.assert_refused("makes other pictures than in the earlier run")

    def test_other_job_is_refused(self) -> None:
        for options, words in ((("--lead-in", "1s"), "another lead_in"), (("--encoder", "x264enc"), "another encoder")):
            self.assert_refused(words, *options)

    def test_refused_command_does_not_end_tasks_of_the_earlier_run(self) -> None:
        files = [self.folder / "segments" / name for name in ("run", "job")]
        before = [file.read_text() for file in files]
        (self.folder / "segments" / "000001-other.part").touch()
        self.change_spec(was_remote=True)
        self.assert_refused("another encoder", "--encoder", "x264enc")
        self.assertEqual([file.read_text() for file in files], before)
        self.assertTrue((self.folder / "segments" / "000001-other.part").exists())

    def test_folder_of_another_version_is_refused(self) -> None:
        path = self.folder / "manifest"
        job, *rest = path.read_bytes().splitlines(keepends=True)
        text = json.dumps({"job": {"source": str(self.source)}})
        path.write_bytes(f"{zlib.crc32(text.encode()):08x} {text}\n".encode() + b"".join(rest))
        for option in (["--resume"], []):
            status, text = self.batch.run(*self.command(*option))
            self.assertEqual((status, text), (
                1, f"{self.folder} has segments of another version of pipelines/batch, which this one cannot use: "
                "--restart discards them and begins again.\n"))
        self.assertTrue(path.exists())

    def test_other_version_of_an_element_is_refused(self) -> None:
        job = Manifest(self.folder / "manifest").job
        versions = job["versions"]
        for name in ("matroskamux", "matroskademux", "avenc_ffv1", "avdec_ffv1", "ntscfilter", "GStreamer"):
            self.assertIn(name, versions)
        for name in ("avdec_ffv1", "matroskamux"):
            self.change_job(versions={**versions, name: "0.1"})
            self.assert_refused("the job was started with 0.1")

    def test_changed_source_is_refused(self) -> None:
        """The first change is a change of the content. The second one changes only the time of modification."""
        content, status = self.source.read_bytes(), self.source.stat()
        self.addCleanup(os.utime, self.source, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.addCleanup(self.source.write_bytes, content)
        for changed in (content + b" ", content):
            self.source.write_bytes(changed)
            self.assert_refused("was changed since it was examined")

    def test_source_with_another_time_may_be_used(self) -> None:
        """A copy of a file has another time. Some shared folders round times."""
        status = self.source.stat()
        self.addCleanup(os.utime, self.source, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.utime(self.source, ns=(0, status.st_mtime_ns + 1))
        self.assert_refused("--resume --ignore-time uses them")
        self.resume("--ignore-time")

    def test_output_of_another_program_is_kept(self) -> None:
        self.output.write_text("precious")
        self.assert_refused("exists; --force replaces it")
        self.assertEqual(self.output.read_text(), "precious")


if __name__ == "__main__":
    unittest.main()
