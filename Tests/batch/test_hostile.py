"""Tests killed processes, a killed scheduler and a full disk. Each fault costs at most the work of one segment."""

import json
import os
import re
import shlex
import subprocess
import unittest
from dataclasses import replace
from pathlib import Path

from support import (LOSSLESS, PATIENCE, TOP, UNSHARE, Batch, can_mount, descendants, finished_segments, frame_sums,
                     kill_descendant, wait_until)

from render.manifest import Manifest

_OPTIONS = ("--encoder", LOSSLESS, "--segment", "500ms")


class HostileTests(unittest.TestCase):
    """Renders a film of 7 segments. Rendering a segment takes longer than killing a process."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.source = cls.batch.clip("odd.mkv")
        cls.expected = frame_sums(cls.batch.reference(cls.source))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.batch.close()

    def setUp(self) -> None:
        self.output = self.batch.folder / f"{self.id().rpartition('.')[2]}.mkv"
        self.started: list[subprocess.Popen] = []

    def tearDown(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def start(self, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.Popen:
        process = self.batch.start(self.source, self.output, *_OPTIONS, *arguments, prefix=prefix)
        self.started.append(process)
        return process

    def finish(self, process: subprocess.Popen, status: int = 0) -> str:
        text, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, status, text)
        return text

    def resume(self, *arguments: str | Path) -> str:
        return self.finish(self.start("--resume", *arguments))

    def assert_complete(self) -> None:
        self.assertEqual(frame_sums(self.output), self.expected)

    def test_killed_process_loses_only_its_segment(self) -> None:
        process = self.start("--workers", "2")
        wait_until(lambda: process.poll() is not None or (
            finished_segments(self.output) >= 2 and kill_descendant(process.pid, "render.media segment")))
        text = self.finish(process)
        self.assertEqual(text.count("signal SIGKILL"), 1, text)
        self.assert_complete()

    def test_killed_program_resumes(self) -> None:
        process = self.start("--workers", "1")
        wait_until(lambda: finished_segments(self.output) >= 3)
        children = descendants(process.pid, "render.media")
        process.kill()
        process.wait()
        wait_until(lambda: not any(os.path.exists(f"/proc/{child}") for child in children))
        finished = finished_segments(self.output)
        text = self.resume("--workers", "1")
        match = re.search(r"(\d+) of 7 segments are finished, (\d+) unfinished, 0 damaged", text)
        self.assertIsNotNone(match, text)
        self.assertEqual(int(match[1]), finished)
        self.assertLessEqual(int(match[2]), 1)
        self.assert_complete()

    def test_damaged_segment_and_manifest_are_rendered_again(self) -> None:
        process = self.start("--workers", "1")
        wait_until(lambda: finished_segments(self.output) >= 3)
        process.kill()
        process.wait()
        folder = self.output.with_name(self.output.name + ".batch")
        segment = min(folder.glob("segments/000001-*.seg"))
        data = bytearray(segment.read_bytes())
        data[len(data) // 2] ^= 1
        segment.write_bytes(data)
        with open(folder / "manifest", "a", encoding="utf-8") as manifest:
            manifest.write('00000000 {"segment":')
        # The damaged file must not count as an unfinished segment as well.
        self.assertRegex(self.resume("--workers", "1"), r" [01] unfinished, 1 damaged")
        self.assert_complete()

    def test_pictures_that_do_not_match_their_neighbours_are_rendered_again(self) -> None:
        """After an inexact seek, pictures do not match. The second attempt reads the source from its beginning."""
        process = self.start("--workers", "1")
        wait_until(lambda: finished_segments(self.output) >= 3)
        process.kill()
        process.wait()
        manifest = Manifest(self.output.with_name(self.output.name + ".batch") / "manifest")
        manifest.add(replace(manifest.results[1], head=[0]))
        text = self.resume("--workers", "1")
        self.assertIn("cannot be sought exactly at segment 1", text)
        self.assertIn("1 segments were rendered again", text)
        self.assert_complete()

    def test_killed_worker_and_killed_scheduler(self) -> None:
        scheduler, address = self.scheduler()
        workers = [self.worker(address), self.worker(address)]
        process = self.start("--scheduler", address)
        # The worker to kill is one that renders a segment; between two segments, a worker renders none.
        tasks: list[int] = []
        busy: list[subprocess.Popen] = []

        def has_busy_worker() -> bool:
            for worker in workers:
                if found := descendants(worker.pid, "render.media segment"):
                    tasks.extend(found)
                    busy.append(worker)
                    return True
            return False

        wait_until(lambda: finished_segments(self.output) >= 2 and has_busy_worker())
        other = next(worker for worker in workers if worker is not busy[0])
        busy[0].kill()
        wait_until(lambda: finished_segments(self.output) >= 4)
        tasks += descendants(other.pid, "render.media segment")
        scheduler.kill()
        text = self.finish(process, status=1)
        self.assertIn("The scheduler is gone", text)
        for worker in workers:
            worker.kill()
        # The tasks complete their segments without a worker and a scheduler.
        wait_until(lambda: not any(os.path.exists(f"/proc/{task}") for task in tasks))
        _, address = self.scheduler()
        self.worker(address)
        text = self.resume("--scheduler", address)
        # At most one segment is unfinished, because only the killed worker has lost its segment.
        self.assertRegex(text, r" [01] unfinished, 0 damaged")
        self.assert_complete()

    def test_resumed_run_uses_a_segment_that_a_worker_still_renders(self) -> None:
        """The worker continues to render after the program was killed. The next run uses the finished segment."""
        _, address = self.scheduler()
        self.worker(address)
        process = self.start("--scheduler", address)
        segments = self.output.with_name(self.output.name + ".batch") / "segments"
        wait_until(lambda: finished_segments(self.output) >= 1 and list(segments.glob("*.part")) != [])
        process.kill()
        process.wait()
        late = [path.stem for path in segments.glob("*.part")]
        self.resume("--scheduler", address, "--keep")
        used = {Path(result.file).stem for result in Manifest(segments.parent / "manifest").results.values()}
        self.assertLessEqual(set(late), used)
        self.assert_complete()

    def scheduler(self) -> tuple[subprocess.Popen, str]:
        """Starts a scheduler at a free port. Returns its process and its address when it listens."""
        file = self.output.with_name(f"{self.output.stem}-{len(self.started)}.json")
        process = self.dask("dask-scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                            "--scheduler-file", str(file))

        def address() -> str:
            try:
                return json.loads(file.read_text())["address"]
            except (FileNotFoundError, ValueError):
                return ""

        wait_until(lambda: bool(address()))
        return process, address()

    def worker(self, address: str) -> subprocess.Popen:
        return self.dask("dask-worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--resources",
                         "render=1", "--local-directory", str(self.batch.folder), "--death-timeout", "60")

    def dask(self, *command: str) -> subprocess.Popen:
        built = TOP / "out" / "plugin"
        environment = {**self.batch.environment, **({"GST_PLUGIN_PATH": str(built)} if built.exists() else {})}
        # The scheduler and the workers must work without the package of the program.
        del environment["PYTHONPATH"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.started.append(process)
        return process

    @unittest.skipUnless(can_mount(), "this system provides no mount namespaces")
    def test_full_disk_resumes_when_there_is_space(self) -> None:
        """The disk has 600 kB in the first run and 60 MB in the second run. Both run in the same mount namespace."""
        disk = self.batch.folder / "disk"
        disk.mkdir()
        command = [str(TOP / "pipelines" / "batch"), str(self.source), str(disk / "film.mkv"), *_OPTIONS,
                   "--workers", "1"]
        script = f"""
            set -e
            mount -t tmpfs -o size=600k none "{disk}"
            if {shlex.join(command)} --ignore-disk; then exit 3; fi
            mount -o remount,size=60m "{disk}"
            {shlex.join(command)} --resume
            cp "{disk}/film.mkv" "{self.output}"
            """
        run = subprocess.run([*UNSHARE, "-m", "sh", "-c", script], env=self.batch.environment, capture_output=True,
                             text=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("No space left on device", run.stderr)
        match = re.search(r"(\d+) of 7 segments are finished, (\d+) unfinished", run.stdout)
        self.assertGreaterEqual(int(match[1]), 1, run.stdout)
        self.assertLessEqual(int(match[2]), 1, run.stdout)
        self.assert_complete()

    def test_output_that_another_program_creates_during_the_run_is_kept(self) -> None:
        process = self.start("--workers", "1")
        wait_until(lambda: finished_segments(self.output) >= 1)
        self.output.write_text("precious")
        self.assertIn(f"{self.output} was made by another program meanwhile; --resume --overwrite replaces it.",
                      self.finish(process, status=1))
        self.assertEqual(self.output.read_text(), "precious")
        self.assertIn("7 of 7 segments are finished", self.resume("--overwrite", "--workers", "1"))
        self.assert_complete()

    def test_second_program_does_not_write_the_same_film(self) -> None:
        self.start("--workers", "1")
        wait_until(lambda: finished_segments(self.output) >= 1)
        self.assertIn("Another pipelines/batch is writing this film", self.finish(self.start("--resume"), status=1))


if __name__ == "__main__":
    unittest.main()
