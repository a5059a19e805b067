"""Tests the folder of a film: lock, removal, protection from other users, and attempts in progress."""

import errno
import json
import os
import re
import shutil
import signal
import tempfile
import unittest
import zlib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import PATIENCE, index, result

from output import publish
from render.film import write_film
from render.finished import finish
from render.frames import DamagedIndex, FrameIndex
from render.manifest import Manifest, is_foreign
from render.packets import DamagedFile, PacketWriter, digest_of
from render.refusal import Refusal
from render.study import Study
from render.task import _machine_fault
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
        first, unlink = self.open(), os.unlink

        def open_before(name: str, **options: int) -> None:
            if name == "lock":
                self.assertRaises(Refusal, self.open)
            unlink(name, **options)

        with mock.patch("os.unlink", open_before):
            first.remove()

    def test_folder_is_removed_although_nfs_keeps_the_open_lock_file(self) -> None:
        """NFS renames a removed file that is still open, and removes it only when it is closed."""
        workspace = self.open()
        lock, kept, unlink = workspace._lock, self.folder / ".nfs0001", os.unlink

        def keep(name: str, **options: int) -> None:
            unlink(name, **options)
            if name == "lock":
                kept.touch()

        def close() -> None:
            lock.close()
            kept.unlink()

        workspace._lock = SimpleNamespace(close=close)
        with mock.patch("os.unlink", keep):
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
        """On CIFS, a lock of another program causes EACCES instead of EAGAIN."""
        for number in (errno.EAGAIN, errno.EACCES):
            with mock.patch("fcntl.flock", mock.Mock(side_effect=OSError(number, os.strerror(number)))), \
                    self.assertRaisesRegex(Refusal, "Another pipelines/batch is writing this film: .* is locked"):
                self.open()

    def test_missing_lock_service_is_not_reported_as_another_program(self) -> None:
        error = OSError(errno.ENOLCK, "No locks available")
        with mock.patch("fcntl.flock", mock.Mock(side_effect=error)), self.assertRaises(OSError) as raised:
            self.open()
        self.assertEqual((raised.exception.errno, raised.exception.filename),
                         (errno.ENOLCK, str(self.folder / "lock")))

    def test_lock_that_was_removed_is_not_used(self) -> None:
        """Simulates another program that completes its film while the lock file is open but not yet locked."""
        first = self.open()
        first.close()
        with mock.patch("fcntl.flock", lambda *_: (self.folder / "lock").unlink()), \
                self.assertRaisesRegex(Refusal, "has just removed"):
            self.open()

    def test_manifest_that_names_files_elsewhere_is_refused(self) -> None:
        """`check_segments` removes a file with a wrong checksum and its note. It must not remove other files."""
        first = self.open()
        first.begin({"id": "job"})
        first.close()
        victims = [self.folder.parent / name for name in ("victim.seg", "victim.json")]
        for victim in victims:
            victim.write_text("precious")
        before = (self.folder / "manifest").read_bytes()
        for file in ("../../victim.seg", str(victims[0]), "..", "", "x/../../../victim.seg", 7, "important.seg"):
            (self.folder / "manifest").write_bytes(before)
            Manifest(self.folder / "manifest")._append({"segment": {**asdict(result(0)), "file": file}})
            with self.assertRaisesRegex(Refusal, "has an entry that this program has not written"):
                workspace = Workspace(self.folder)
                self.addCleanup(workspace.close)
                workspace.open(restart=False)
                workspace.check_segments()
            self.assertEqual([victim.read_text() for victim in victims], ["precious"] * 2)
            workspace.close()
        self.open()
        self.assertEqual([victim.read_text() for victim in victims], ["precious"] * 2)

    def test_json_of_another_type_is_a_damaged_file(self) -> None:
        workspace = self.open()
        workspace.begin({"id": "job"})
        manifest = self.folder / "manifest"
        before = manifest.read_bytes()
        for text in (b"7", b"[]", b"{", b"null", b"[" * 100_000):
            manifest.write_bytes(before + b"%08x %s\n" % (zlib.crc32(text), text))
            self.assertEqual(Manifest(manifest).job, {"id": "job"})
            self.assertEqual(manifest.read_bytes(), before)
            manifest.write_bytes(b"%08x %s\n" % (zlib.crc32(text), text))
            self.assertFalse(is_foreign(manifest))
            (self.folder / "spec").write_bytes(text)
            workspace.was_remote = False
            workspace.find_late()
            self.assertTrue(workspace.was_remote)
        manifest.write_bytes(b"")
        workspace.manifest.begin(7)
        with self.assertRaisesRegex(Refusal, "its job is no object"):
            Manifest(manifest)

    def test_note_that_names_another_file_is_not_used(self) -> None:
        workspace = self.open()
        workspace.begin({"id": "job"})
        writer = PacketWriter(workspace.path("000000-aaaaaaaaaaaa.seg"))
        digest = writer.end()
        for file, count in (("../../victim.seg", 0), ("000001-bbbbbbbbbbbb.seg", 0), ("000000-aaaaaaaaaaaa.seg", 1)):
            workspace.path("000000-aaaaaaaaaaaa.json").write_text(json.dumps(
                {"job": "job", "result": {**asdict(result(0, digest=digest)), "file": file}}))
            self.assertEqual(workspace.adopt_unreported(False), count)
        for text in ("[" * 100_000, "7", "[]", '{"result": 7}'):
            workspace.path("000001-bbbbbbbbbbbb.json").write_text(text)
            self.assertEqual(workspace.adopt_unreported(False), 0)

    def test_links_and_pipes_in_the_folder_are_refused(self) -> None:
        self.open().close()
        victim = self.folder.parent / "victim"
        victim.write_text("precious")
        for name in ("lock", "manifest", "index", "spec.part", "film.mkv", "segments/run",
                     "segments/000000-aaaaaaaaaaaa.seg", "segments"):
            path = self.folder / name
            for make in (lambda: path.symlink_to(victim), lambda: os.mkfifo(path)):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
                make()
                for restart in (False, True):
                    with self.assertRaisesRegex(Refusal, f"{re.escape(str(path))} is neither a file nor a folder"):
                        Workspace(self.folder).open(restart)
            path.unlink()
        self.assertEqual(victim.read_text(), "precious")
        elsewhere = self.folder.rename(self.folder.with_name("elsewhere"))
        self.folder.symlink_to(elsewhere)
        with self.assertRaisesRegex(Refusal, "is neither a file nor a folder"):
            Workspace(self.folder).open(False)

    def test_link_created_during_the_run_is_not_written(self) -> None:
        """The program does not write into a file through a symbolic link or a hard link."""
        workspace = self.open()
        workspace.begin({"id": "job"})
        victim = self.folder.parent / "victim"
        victim.write_text("precious")
        film = SimpleNamespace(sample=b"sample")
        for name, use, is_refused in (
            ("index", lambda: index(3).write(workspace.index), False),
            ("sample", lambda: Study.write_sample(film, self.folder), False),
            ("spec.part", lambda: workspace.write_spec({}), False),
            ("spec", lambda: workspace.write_spec({}), False),
            ("segments/job", workspace.accept, False),
            ("segments/run", workspace.accept, False),
            ("manifest", lambda: workspace.manifest.forget(0), True),
            ("lock", workspace._take_lock, True),
        ):
            path = self.folder / name
            for link, number in ((path.symlink_to, errno.ELOOP), (path.hardlink_to, errno.EMLINK)):
                path.unlink(missing_ok=True)
                link(victim)
                with self.subTest(name=name, error=errno.errorcode[number]):
                    if is_refused:
                        with self.assertRaises(OSError) as raised:
                            use()
                        self.assertEqual((raised.exception.errno, Path(raised.exception.filename).name), (number, name))
                    else:
                        use()
                    self.assertEqual(victim.read_text(), "precious")
                victim.write_text("precious")
        path = workspace.path("0.seg")
        path.symlink_to(victim)
        with self.assertRaises(OSError) as raised:
            digest_of(path)
        self.assertEqual(raised.exception.errno, errno.ELOOP)

    def test_replaced_folder_is_not_used(self) -> None:
        """Another user replaces the folder of the segments by a link or by another folder."""
        workspace, names = self.open(), ("000000-aaaaaaaaaaaa.seg", "000000-aaaaaaaaaaaa.json", "job", "run")
        workspace.begin({"id": "job"})
        elsewhere = self.folder.parent / "elsewhere"
        elsewhere.mkdir()
        for name in names:
            (elsewhere / name).write_text("precious")
        for replace in (workspace.segments.symlink_to, elsewhere.rename):
            workspace.manifest.add(result(0, file=names[0]))
            workspace.segments.rename(self.folder / "moved")
            replace(elsewhere if replace == workspace.segments.symlink_to else workspace.segments)
            workspace.check_segments()
            workspace.remove_unlisted(set())
            workspace.discard()
            workspace.begin({"id": "job"})
            self.assertEqual({path.name: path.read_text() for path in workspace.segments.iterdir()},
                             dict.fromkeys(names, "precious"))
            if workspace.segments.is_symlink():
                workspace.segments.unlink()
                (self.folder / "moved").rename(workspace.segments)
        workspace.remove()
        self.assertEqual({path.name for path in workspace.segments.iterdir()}, set(names))

    def test_link_in_place_of_a_folder_that_is_not_held_is_not_followed(self) -> None:
        """The processes that render do not keep the folder of the segments open."""
        workspace, elsewhere = self.open(), self.folder.parent / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "victim").touch()
        workspace.close()
        workspace.segments.rename(self.folder / "moved")
        workspace.segments.symlink_to(elsewhere)
        for use in (lambda: digest_of(workspace.path("victim")), lambda: PacketWriter(workspace.path("1.part")),
                    lambda: finish(workspace.path("2.part"), "job", {})):
            with self.assertRaises(OSError) as raised:
                use()
            self.assertEqual(raised.exception.errno, errno.ENOTDIR)
        self.assertEqual([path.name for path in elsewhere.iterdir()], ["victim"])

    def test_folder_of_the_film_that_becomes_a_link_is_not_followed(self) -> None:
        """Another user replaces the folder of the film by a link to a home folder."""
        workspace, home = self.open(), self.folder.parent / "home"
        workspace.begin({"id": "job"})
        workspace.path("000000-aaaaaaaaaaaa.seg").touch()
        names = {"Documents/thesis", ".bashrc", "manifest", "lock", "film-1.mkv", "segments/000000-aaaaaaaaaaaa.seg",
                 "segments/job"}
        for name in names:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text("precious")
        moved = self.folder.rename(self.folder.with_name("moved"))
        self.folder.symlink_to(home)
        workspace.accept()
        self.assertEqual(workspace.remove_unlisted(set()), 1)
        film = SimpleNamespace(job={"source": "", "origin": 0}, frames=index(1), cuts=[0], fingerprint="", stamp=None)
        workspace.manifest.add(result(0))
        with mock.patch("render.film.check_source"), mock.patch("render.film.run_tool", side_effect=Refusal), \
                self.assertRaises(Refusal):
            write_film(None, workspace, film, self.folder.parent / "film.mkv", mock.Mock(), None)
        workspace.remove()
        self.assertEqual({str(path.relative_to(home)): path.read_text() for path in home.rglob("*") if path.is_file()},
                         dict.fromkeys(names, "precious"))
        self.assertEqual(list(moved.iterdir()), [])

    def test_files_that_no_run_has_made_are_not_removed(self) -> None:
        workspace = self.open()
        names = {"Documents/thesis", ".bashrc", "film", "segments/.ssh/id", *(f"segments/{name}" for name in (
            "important.seg", "song.part", "a.json", "12.seg", "000001-zz.seg", "000009-mine.json", "manifest",
            "000000-aaaaaaaaaaaa.seg.bak", "probe-of-mine"))}
        for name in names:
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).touch()
        index(3).write(workspace.index)
        (self.folder / f"manifest-{'0' * 32}").touch()
        workspace.begin({"id": "job"})
        workspace.discard()
        workspace.begin({"id": "job"})
        kept = {"segments/.ssh" if name.startswith("segments/.ssh") else name.removesuffix("/thesis") for name in names}
        self.assertEqual(set(workspace.remove()), kept)
        self.assertEqual({str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()},
                         names)
        # A later run can use the folder again.
        self.open().remove()
        self.assertEqual({str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()},
                         names)

    def test_only_the_film_of_an_earlier_attempt_is_removed(self) -> None:
        workspace = self.open()
        workspace.begin({"id": "job"})
        workspace.manifest.add(result(0))
        for name in ("film-holiday.mkv", f"film-{'0' * 32}.mkv"):
            (self.folder / name).touch()
        film = SimpleNamespace(job={"source": "", "origin": 0}, frames=index(1), cuts=[0], fingerprint="", stamp=None)
        with mock.patch("render.film.check_source"), mock.patch("render.film.run_tool", side_effect=Refusal), \
                self.assertRaises(Refusal):
            write_film(None, workspace, film, self.folder.parent / "film.mkv", mock.Mock(), None)
        self.assertEqual([path.name for path in self.folder.glob("film-*")], ["film-holiday.mkv"])

    def test_folder_with_files_of_unknown_origin_is_refused(self) -> None:
        self.folder.mkdir()
        (self.folder / "index").write_text("precious")
        with self.assertRaisesRegex(Refusal, "has files that a run would replace"):
            self.open()
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"index"})

    def test_folder_of_another_user_is_refused(self) -> None:
        """If this run has created the folder, it removes the folder. A shared folder may set another owner."""
        for is_there in (True, False):
            if is_there:
                self.folder.mkdir()
            with mock.patch.object(Workspace, "_owner_of_files", return_value=os.geteuid() + 1), \
                    self.assertRaisesRegex(Refusal, "film.batch belongs to another user"):
                self.open()
            self.assertEqual(list(self.folder.parent.rglob("*")), [self.folder] if is_there else [])
            if is_there:
                self.folder.rmdir()

    def test_folder_may_belong_to_the_owner_that_the_server_sets(self) -> None:
        """NFS with all_squash, CIFS and exFAT set the owner of all files."""
        with mock.patch("os.geteuid", return_value=self.folder.parent.stat().st_uid + 1):
            self.open()
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"segments", "lock"})

    def test_pipe_or_large_file_that_appears_is_not_read(self) -> None:
        """Reading a pipe would block. Reading a file of 1 TB would exhaust the memory."""
        workspace = self.open()
        workspace.begin({"id": "job"})
        manifest, spec = self.folder / "manifest", {"segments": str(workspace.segments), "run": workspace.run}
        signal.signal(signal.SIGALRM, lambda *_: self.fail("it waits"))
        self.addCleanup(signal.alarm, 0)
        signal.alarm(int(PATIENCE))
        for name, use in (
            ("index", lambda: FrameIndex.read(workspace.index, index(3).mark)),
            ("manifest", lambda: Manifest(manifest)),
            ("manifest", lambda: is_foreign(manifest)),
            ("spec", workspace.find_late),
            ("segments/job", workspace.accept),
            ("segments/run", lambda: _machine_fault(spec)),
            ("segments/000000-aaaaaaaaaaaa.json", lambda: workspace.adopt_unreported(False)),
            ("segments/000000-aaaaaaaaaaaa.seg", lambda: digest_of(workspace.path("000000-aaaaaaaaaaaa.seg"))),
        ):
            path = self.folder / name
            for make in (os.mkfifo, lambda path: path.touch() or os.truncate(path, 1 << 40)):
                path.unlink(missing_ok=True)
                make(path)
                with self.subTest(name=name), mock.patch("render.task._source_fault", return_value=None), \
                        suppress(OSError, DamagedIndex, DamagedFile):
                    use()
            path.unlink()

    def test_manifest_that_becomes_a_link_is_not_truncated(self) -> None:
        first = self.open()
        first.begin({"id": "job"})
        first.close()
        path, victim = self.folder / "manifest", self.folder.parent / "victim"
        victim.write_bytes(path.read_bytes() + b"precious")
        for link in (path.symlink_to, path.hardlink_to):
            path.unlink()
            link(victim)
            with self.assertRaises(OSError):
                Manifest(path)
            self.assertTrue(victim.read_bytes().endswith(b"precious"))

    def test_film_that_becomes_a_link_is_not_published(self) -> None:
        new, target, victim = (self.folder.parent / name for name in ("new", "film.mkv", "victim"))
        target.touch()
        target.chmod(0o666)
        victim.touch()
        victim.chmod(0o600)
        for link in (new.symlink_to, new.hardlink_to):
            new.unlink(missing_ok=True)
            link(victim)
            with self.assertRaises(OSError):
                publish(new, target, replaces=True)
            self.assertEqual(victim.stat().st_mode & 0o777, 0o600)
            self.assertFalse(target.is_symlink() or target.samefile(victim))

    def test_file_that_cannot_be_written_leaves_nothing(self) -> None:
        workspace = self.open()
        before = sorted(self.folder.rglob("*"))
        with mock.patch("os.fsync", side_effect=OSError(errno.ENOSPC, "No space left on device")), \
                self.assertRaises(OSError):
            index(3).write(workspace.index)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_spec_in_the_folder_does_not_contain_the_code(self) -> None:
        workspace, spec = self.open(), {"run": "r", "code": "archive", "was_remote": False}
        self.assertEqual(json.loads(workspace.write_spec(spec)), spec)
        self.assertNotIn("code", json.loads((self.folder / "spec").read_text()))

    def test_files_of_an_attempt_count_once(self) -> None:
        workspace = self.open()
        kept = ["000000-aaaaaaaaaaaa.json", "000000-aaaaaaaaaaaa.seg"]
        for name in (*kept, "000001-bbbbbbbbbbbb.part", "000001-cccccccccccc.seg", "000001-cccccccccccc.json"):
            workspace.path(name).touch()
        self.assertEqual(workspace.remove_unlisted({"000000-aaaaaaaaaaaa.seg"}), 2)
        self.assertEqual(sorted(path.name for path in workspace.segments.iterdir()), kept)

    def test_attempts_of_other_machines_may_be_in_progress(self) -> None:
        workspace = self.open()
        for name in ("000003-aaaaaaaaaaaa.part", "000004-bbbbbbbbbbbb.seg"):
            workspace.path(name).touch()
        for text, late in (('{"was_remote": false}', {}), ('{"was_remote": true}', {"000003-aaaaaaaaaaaa": 3}),
                           ("", {"000003-aaaaaaaaaaaa": 3})):
            (self.folder / "spec").write_text(text)
            workspace.find_late()
            self.assertEqual(workspace.late, late)
        self.assertEqual(workspace.remove_unlisted(set()), 1)
        self.assertEqual([path.name for path in workspace.segments.iterdir()], ["000003-aaaaaaaaaaaa.part"])


if __name__ == "__main__":
    unittest.main()
