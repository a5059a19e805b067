"""Tests of all scripts: their help, and the files of install and uninstall."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "Tests"))

from patience import PATIENCE  # noqa: E402


def scripts() -> list[str]:
    """The programs of users and of maintainers; plugin-build/ld passes all options to the linker."""
    found = [path for folder in ("pipelines", "pipelines/inference", "plugin-build", "Benchmarks")
             for path in (TOP / folder).iterdir() if path.is_file() and os.access(path, os.X_OK)]
    return sorted(str(path.relative_to(TOP)) for path in found if not path.suffix and path.name != "ld")


class ScriptTest(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="home "))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.data = self.home / "gstreamer-1.0"

    def run_script(self, name: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TOP / name, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=self.home,
            stdin=subprocess.DEVNULL, env=os.environ | {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home)},
            **options)

    def test_every_script_prints_its_help(self) -> None:
        self.assertGreater(len(scripts()), 25)
        for name in scripts():
            for option in ("--help", "-h"):
                with self.subTest(script=name, option=option):
                    run = self.run_script(name, option)
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertGreater(len(run.stdout), 40)
        self.assertEqual(os.listdir(self.home), [])

    def test_an_unknown_argument_is_refused(self) -> None:
        for name in ("build", "deb", "demo", "order-startup", "check-product", "check-docs"):
            run = self.run_script(f"plugin-build/{name}", "--fast")
            self.assertEqual((run.returncode, run.stdout, run.stderr), (
                1, "", f"There is no argument --fast; plugin-build/{name} takes none but --help.\n"))

    def test_a_full_disk_keeps_the_installed_plugin(self) -> None:
        plugin = self.data / "plugins/libgstswiftvideo.so"
        plugin.parent.mkdir(parents=True)
        plugin.write_bytes(b"old")
        run = self.run_script(
            "plugin-build/install", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual((plugin.read_bytes(), os.listdir(plugin.parent)), (b"old", [plugin.name]))

    def test_a_linked_preset_file_stays_linked(self) -> None:
        own = self.home / "own.prs"
        text = "[_presets_]\nversion=1.22.0\nelement-name=GstNtscFilter\n\n[My own]\nsnow-intensity=7\n"
        own.write_text(text, encoding="utf-8")
        own.chmod(0o640)
        link = self.data / "presets/GstNtscFilter.prs"
        link.parent.mkdir(parents=True)
        link.symlink_to(own)
        for name in ("install", "uninstall"):
            run = self.run_script(f"plugin-build/{name}")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(link.is_symlink())
            self.assertEqual(own.stat().st_mode & 0o777, 0o640)
            self.assertEqual("[worn-tape]" in own.read_text(encoding="utf-8"), name == "install")
        self.assertEqual(own.read_text(encoding="utf-8"), text)


if __name__ == "__main__":
    unittest.main()
