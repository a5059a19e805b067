"""Workers that SSH starts on hosts."""

import subprocess
import unittest
from contextlib import suppress
from pathlib import Path

from support import LOSSLESS, PATIENCE, Batch, frame_sums, wait_until


class HostTests(unittest.TestCase):
    """The folder `ssh` has an asyncssh whose hosts are this machine."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)
        cls.batch.environment["PYTHONPATH"] += f":{Path(__file__).parent / 'ssh'}"
        cls.source = cls.batch.clip("short.mkv")
        cls.batch.environment["HOST_TESTS"] = str(cls.batch.folder)
        cls.addClassCleanup(wait_until, lambda: not cls.workers())

    @classmethod
    def workers(cls) -> list[Path]:
        """The processes that a test has started and that have not ended."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if f"HOST_TESTS={cls.batch.folder}".encode() in entry.read_bytes():
                    found.append(entry)
        return found

    def setUp(self) -> None:
        self.output = self.batch.folder / f"{self.id().rpartition('.')[2]}.mkv"

    def run_on(self, hosts: str, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["/usr/bin/python3", "-m", "render", self.source, self.output, "--ssh-hosts", hosts, "--filter", "identity",
             "--encoder", LOSSLESS, "--segment", "400ms", *options],
            env=self.batch.environment, capture_output=True, text=True, timeout=PATIENCE)

    def test_hosts_render_a_film(self) -> None:
        run = self.run_on("localhost,127.0.0.1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("3 segments of 10 frames on 2 workers", run.stdout)
        self.assertEqual(frame_sums(self.output), frame_sums(self.batch.reference(self.source, filter_="identity")))

    def test_dry_run_examines_the_workers(self) -> None:
        run = self.run_on("localhost", "--dry-run")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("1 worker can render the film.", run.stdout)
        run = self.run_on("localhost,old.test", "--dry-run")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Not every machine can render the film", run.stderr)
        self.assertEqual(list(self.batch.folder.glob(self.output.stem + "*")), [])

    def test_host_with_another_decoder_of_the_same_pictures_is_used(self) -> None:
        options = ("--encoder", "vp8enc deadline=1 keyframe-max-dist=10")
        run = self.run_on("localhost,other.test", "--dry-run", *options)
        self.assertIn("2 workers can render the film.", run.stdout, run.stderr)
        run = self.run_on("localhost,other.test", *options)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("30 frames in 3 segments, verified", run.stdout)
        self.assertNotIn("Segment", run.stdout)

    def test_hosts_that_cannot_be_used_are_named(self) -> None:
        """One rejects the key, and one has no distributed."""
        run = self.run_on("localhost,locked.test,bare.test")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("locked.test: Permission denied for user batch", run.stderr)
        self.assertIn("bare.test: Worker failed to start", run.stderr)
        self.assertNotIn("localhost", run.stderr)
        self.assertNotIn("Traceback", run.stderr)
        self.assertEqual(list(self.batch.folder.glob(self.output.name + "*")), [])


if __name__ == "__main__":
    unittest.main()
