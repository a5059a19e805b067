"""The folder of a film: its lock, its removal, and attempts that other machines still write."""

import errno
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401

from render.refusal import Refusal
from render.workspace import Workspace


class WorkspaceTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "film.batch"

    def open(self) -> Workspace:
        workspace = Workspace(self.folder)
        workspace.open(restart=True)
        self.addCleanup(workspace.close)
        return workspace

    def test_folder_is_removed_while_it_is_locked(self) -> None:
        first = self.open()
        with mock.patch("shutil.rmtree", lambda *_arguments, **_options: self.assertRaises(Refusal, self.open)):
            first.remove()

    def test_folder_is_removed_where_an_open_file_is_kept_until_it_is_closed(self) -> None:
        """As on NFS."""
        workspace = self.open()
        lock, kept, rmtree = workspace._lock, self.folder / ".nfs0001", shutil.rmtree

        def keep(path: Path, **options: bool) -> None:
            rmtree(path, **options)
            if path == self.folder:
                path.mkdir()
                kept.touch()

        def close() -> None:
            lock.close()
            kept.unlink()

        workspace._lock = SimpleNamespace(close=close)
        with mock.patch("shutil.rmtree", keep):
            workspace.remove()
        self.assertFalse(self.folder.exists())

    def test_folder_of_another_program_is_not_removed(self) -> None:
        self.open()
        other = Workspace(self.folder)
        with self.assertRaisesRegex(Refusal, "is locked"):
            other.open(restart=True)
        other.remove()
        self.assertTrue((self.folder / "segments").exists())

    def test_lock_of_another_program_is_named(self) -> None:
        """On a shared folder of Windows, the error is that of a file that may not be opened."""
        for number in (errno.EAGAIN, errno.EACCES):
            with mock.patch("fcntl.flock", mock.Mock(side_effect=OSError(number, os.strerror(number)))), \
                    self.assertRaisesRegex(Refusal, "Another pipelines/batch is writing this film: .* is locked"):
                self.open()

    def test_lock_that_cannot_be_taken_is_not_that_of_another_program(self) -> None:
        error = OSError(errno.ENOLCK, "No locks available")
        with mock.patch("fcntl.flock", mock.Mock(side_effect=error)), self.assertRaises(OSError) as raised:
            self.open()
        self.assertEqual((raised.exception.errno, raised.exception.filename),
                         (errno.ENOLCK, str(self.folder / "lock")))

    def test_lock_that_was_removed_is_not_used(self) -> None:
        """As if another program had completed its film between the opening and the locking of the file."""
        first = self.open()
        first.close()
        with mock.patch("fcntl.flock", lambda *_: (self.folder / "lock").unlink()), \
                self.assertRaisesRegex(Refusal, "has just removed"):
            self.open()

    def test_files_of_an_attempt_count_once(self) -> None:
        workspace = self.open()
        for name in ("0-a.seg", "0-a.json", "1-b.part", "1-c.seg", "1-c.json"):
            workspace.path(name).touch()
        self.assertEqual(workspace.remove_unlisted({"0-a.seg"}), 2)
        self.assertEqual(sorted(path.name for path in workspace.segments.iterdir()), ["0-a.json", "0-a.seg"])

    def test_attempts_of_other_machines_may_be_in_progress(self) -> None:
        workspace = self.open()
        for name in ("000003-a.part", "000004-b.seg"):
            workspace.path(name).touch()
        for text, late in (('{"was_remote": false}', {}), ('{"was_remote": true}', {"000003-a": 3}),
                           ("", {"000003-a": 3})):
            (self.folder / "spec").write_text(text)
            workspace.find_late()
            self.assertEqual(workspace.late, late)
        self.assertEqual(workspace.remove_unlisted(set()), 1)
        self.assertEqual([path.name for path in workspace.segments.iterdir()], ["000003-a.part"])


if __name__ == "__main__":
    unittest.main()
