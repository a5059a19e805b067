"""Workers that SSH starts on hosts."""

import subprocess
import unittest
from pathlib import Path

from support import LOSSLESS, Batch, frame_sums


class HostTests(unittest.TestCase):
    def test_hosts_of_ssh_render_a_film(self) -> None:
        """The folder `ssh` has an asyncssh whose hosts are this machine."""
        batch = Batch()
        self.addCleanup(batch.close)
        batch.environment["PYTHONPATH"] += f":{Path(__file__).parent / 'ssh'}"
        source, output = batch.clip("short.mkv"), batch.folder / "out.mkv"
        run = subprocess.run(
            ["/usr/bin/python3", "-m", "render", source, output, "--ssh-hosts", "localhost,127.0.0.1", "--filter",
             "identity", "--encoder", LOSSLESS, "--segment", "400ms"],
            env=batch.environment, capture_output=True, text=True, timeout=100)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("3 segments of 10 frames on 2 workers", run.stdout)
        self.assertEqual(frame_sums(output), frame_sums(batch.reference(source, filter_="identity")))


if __name__ == "__main__":
    unittest.main()
