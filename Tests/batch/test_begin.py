"""Tests that only --restart discards segments of an earlier run, and that a dry run leaves no files."""

import errno
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import index, result

from render.batch import Batch
from render.plan import Cuts
from render.refusal import Refusal
from render.workspace import Workspace

_JOB = {"id": "job", "filter": "identity", "encoder": "x264enc", "muxer": "matroskamux"}


def _film() -> SimpleNamespace:
    return SimpleNamespace(job=_JOB, frames=index(30), cuts=Cuts(30, 10), fingerprint="", stamp=0, caps="", pictures={},
                           size=0, notes=[], speed=None, frame_bytes=0, write_sample=lambda _: None)


class _Rendered(Exception):
    """The stand-in for rendering raises this exception when the program starts to render."""


class BeginTests(unittest.TestCase):
    """Runs the program with stand-ins for study and rendering."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = Path(folder.name) / "film.mkv"
        self.folder = self.output.with_name("film.mkv.batch")
        self.segment = self.folder / "segments" / "000000-aaaaaaaaaaaa.seg"
        self.said: list[str] = []

    def leave_segment(self, *_arguments: Any) -> SimpleNamespace:
        """Creates the folder that a run leaves if it is interrupted after its first segment."""
        workspace = Workspace(self.folder)
        workspace.open(restart=True)
        workspace.begin(_JOB)
        workspace.manifest.add(result(0, file=self.segment.name))
        self.segment.touch()
        workspace.close()
        return _film()

    def render(self, study: Any = lambda *_: _film(), **options: bool) -> None:
        """Runs the program. Raises _Rendered if it starts to render."""
        given = dict.fromkeys(("overwrite", "dry_run", "resume", "restart", "ignore_disk"), False)
        batch = Batch(SimpleNamespace(
            output=self.output, source=Path("in.mkv"), folder=self.folder, is_local=True, workers=1,
            **{**given, **options}), SimpleNamespace(say=self.said.append))
        with mock.patch("render.batch.study", study), mock.patch("render.batch.connect_locally", side_effect=_Rendered):
            batch.run()

    def test_full_disk_error_names_needed_and_free_size(self) -> None:
        for size, free, words in ((100, 199, "about 1 kB until it is complete, and 0 kB are free"),
                                  (150_000, 299_900, "about 300 kB until it is complete, and 299 kB are free"),
                                  (10**10, 2 * 10**10 - 1, "about 20000 MB until it is complete, and 19999 MB")):
            film = _film()
            film.size = size
            with mock.patch("shutil.disk_usage", return_value=SimpleNamespace(free=free)), \
                    self.assertRaisesRegex(Refusal, words):
                self.render(lambda *_: film)

    def test_new_film_creates_a_manifest(self) -> None:
        with self.assertRaises(_Rendered):
            self.render()
        self.assertTrue((self.folder / "manifest").exists())

    def test_interrupt_before_the_first_segment_leaves_nothing(self) -> None:
        """The same command can then run again without --restart."""
        with mock.patch(f"{__name__}._Rendered", KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.render()
        self.assertFalse(self.folder.exists())

    def test_interrupt_keeps_a_finished_segment_that_is_not_yet_reported(self) -> None:
        """The process of a segment renames its file before it reports, so that --resume can find the file."""
        def finish(*_arguments: Any) -> None:
            self.segment.touch()
            raise KeyboardInterrupt

        with mock.patch(f"{__name__}._Rendered", finish), self.assertRaises(KeyboardInterrupt):
            self.render()
        self.assertTrue(self.segment.exists())

    def test_segments_of_a_run_that_began_during_the_study_are_kept(self) -> None:
        for options in ({}, {"resume": True}):
            with self.assertRaisesRegex(Refusal, "--resume continues it, --restart discards them"):
                self.render(self.leave_segment, **options)
            self.assertTrue(self.segment.exists())
            (self.folder / "manifest").unlink()
        self.assertEqual([text for text in self.said if "begins anew" in text], [])

    def test_restart_discards_segments(self) -> None:
        with self.assertRaises(_Rendered):
            self.render(self.leave_segment, restart=True)
        self.assertFalse(self.segment.exists())

    def test_segments_of_a_damaged_manifest_are_kept(self) -> None:
        """The program raises Refusal before the study and does not change the manifest."""
        self.leave_segment()
        manifest = self.folder / "manifest"
        damaged = b"x" + manifest.read_bytes()
        manifest.write_bytes(damaged)
        for _ in range(2):
            with self.assertRaisesRegex(Refusal, "its manifest is missing or damaged .* --restart"):
                self.render(mock.Mock(side_effect=AssertionError), resume=True)
            self.assertEqual((self.segment.exists(), manifest.read_bytes()), (True, damaged))

    def test_segments_without_a_manifest_are_kept(self) -> None:
        self.leave_segment()
        (self.folder / "manifest").unlink()
        for options in ({}, {"resume": True}):
            with self.assertRaisesRegex(Refusal, "its manifest is missing or damaged .* --restart"):
                self.render(**options)
            self.assertTrue(self.segment.exists())

    def test_run_that_ended_before_its_first_segment_begins_anew(self) -> None:
        """The earlier run ended while it wrote its manifest."""
        self.folder.mkdir()
        (self.folder / "lock").touch()
        (self.folder / "manifest").write_bytes(b"0123")
        with self.assertRaises(_Rendered):
            self.render(resume=True)
        self.assertEqual(self.said[-1], f"Note: {self.folder} has no segments of an earlier run; this one begins anew.")
        self.assertIn(b'"job"', (self.folder / "manifest").read_bytes())


class DryRunTests(unittest.TestCase):
    """Tests the folder in which a dry run examines other machines."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.batch = Batch(SimpleNamespace(folder=self.folder / "film.mkv.batch"), None)
        self.batch._connection = SimpleNamespace()

    def test_dry_run_that_cannot_begin_leaves_nothing(self) -> None:
        for error in (OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()):
            with mock.patch("render.workspace.Manifest", side_effect=error), self.assertRaises(type(error)):
                self.batch._try_workers(_film())
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_folder_of_another_dry_run_is_kept(self) -> None:
        other = Workspace(self.folder / "film.mkv.dry-run")
        other.open(restart=True)
        self.addCleanup(other.close)
        with self.assertRaisesRegex(Refusal, "is locked"):
            self.batch._try_workers(_film())
        self.assertTrue(other.segments.exists())

    def test_folder_of_a_killed_dry_run_is_used_again(self) -> None:
        killed = Workspace(self.folder / "film.mkv.dry-run")
        killed.open(restart=True)
        killed.begin(_JOB)
        killed.close()
        with mock.patch("render.batch.examine_workers", side_effect=Refusal("none")), \
                self.assertRaisesRegex(Refusal, "none"):
            self.batch._try_workers(_film())
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
