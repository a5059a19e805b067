"""Tests that a change of the source or of its time of modification is detected before the film is renamed."""

import os
import re
import shutil
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import index, result

from render.film import write_film
from render.plan import Cuts
from render.refusal import Refusal
from render.stamp import stamp_of
from render.task import fingerprint


class StampTests(unittest.TestCase):
    """Changes a source while the film is rendered or joined, with stand-ins for the tasks."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source, self.output = self.folder / "in.mkv", self.folder / "out.mkv"
        self.source.write_bytes(bytes(3 << 20))
        self.stamp, self.mark = stamp_of(self.source), fingerprint(str(self.source))
        self.tasks: list[str] = []

    def write(self) -> None:
        """Changes a byte in the middle of the source, and its time of modification."""
        with open(self.source, "r+b") as file:
            file.seek(3 << 19)
            file.write(b"x")
        os.utime(self.source, ns=(0, self.stamp + 1))

    def write_film(self, on_join: Callable[[], Any], ignore_time: bool = False) -> None:
        def run_tool(_code: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
            self.tasks.append(name)
            Path(arguments["output"]).touch()
            return on_join() or {"result": {"audio": [], "digest": "d", "begin": 0}}

        times = [0, 40_000_000]
        results = {0: result(0, frames=2)}
        workspace = SimpleNamespace(folder=self.folder, code="", index="", manifest=SimpleNamespace(results=results),
                                    path=lambda file: self.folder / file)
        job = {"source": str(self.source), "muxer": "matroskamux", "origin": 0, "verify": False}
        film = SimpleNamespace(job=job, frames=index(2), cuts=Cuts(2, 2), fingerprint=self.mark,
                               stamp=self.stamp)
        options = SimpleNamespace(overwrite=False, verify="packets", ignore_time=ignore_time)
        found = {"video": [{"packets": 2, "digest": "d", "times": times}], "audio": []}
        with mock.patch("render.film.run_tool", run_tool), mock.patch("render.film.ask", lambda *_, **__: found):
            write_film(None, workspace, film, self.output, options, None)

    def test_film_of_an_unchanged_source_is_published(self) -> None:
        self.write_film(lambda: None)
        self.assertTrue(self.output.exists())

    def test_full_disk_while_joining_is_named(self) -> None:
        before = set(self.folder.iterdir())
        with self.assertRaisesRegex(Refusal, "The disk is full: /net/film: No space left on device"):
            self.write_film(lambda: {"failure": {"kind": "space", "text": "/net/film: No space left on device"}})
        self.assertEqual(set(self.folder.iterdir()), before)

    def test_source_that_was_changed_before_the_join_is_refused(self) -> None:
        self.write()
        with self.assertRaisesRegex(Refusal, "in.mkv was changed since it was examined"):
            self.write_film(lambda: None)
        self.assertEqual(self.tasks, [])

    def test_source_that_was_changed_during_the_join_is_refused(self) -> None:
        with self.assertRaisesRegex(Refusal, "in.mkv was changed since it was examined"):
            self.write_film(self.write)
        self.assertEqual((self.tasks, self.output.exists()), (["join"], False))

    def test_changed_time_is_named_and_can_be_ignored(self) -> None:
        os.utime(self.source, ns=(0, self.stamp - 1))
        with self.assertRaises(Refusal) as raised:
            self.write_film(lambda: None)
        times = re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}", str(raised.exception))
        self.assertEqual(len(set(times)), 2, raised.exception)
        self.assertIn("--resume --ignore-time uses them", str(raised.exception))
        self.write_film(lambda: None, ignore_time=True)
        self.assertTrue(self.output.exists())

    def test_another_inode_is_not_a_change(self) -> None:
        """FAT and CIFS may report another inode although the file has not changed."""
        copy = self.folder / "copy"
        shutil.copy2(self.source, copy)
        self.assertNotEqual(copy.stat().st_ino, self.source.stat().st_ino)
        copy.replace(self.source)
        self.write_film(lambda: None)
        self.assertTrue(self.output.exists())

    def test_changed_content_is_named_and_cannot_be_ignored(self) -> None:
        content = self.source.read_bytes()
        for changed, words in ((content + b"x", f"it has {len(content) + 1} bytes instead of {len(content)}"),
                               (b"x" + content[1:], "its first or its last megabyte has another content")):
            self.source.write_bytes(changed)
            os.utime(self.source, ns=(0, self.stamp))
            with self.assertRaisesRegex(Refusal, words):
                self.write_film(lambda: None, ignore_time=True)
        self.assertEqual(self.tasks, [])


if __name__ == "__main__":
    unittest.main()
