"""Tests the help of all scripts, and the files of install and uninstall."""

from __future__ import annotations

import hashlib
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from contextlib import suppress
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "Tests"))

from patience import PATIENCE  # noqa: E402


def scripts() -> list[str]:
    """Names of the scripts for users and maintainers. Excludes plugin-build/ld, which passes options to the linker."""
    found = [path for folder in ("pipelines", "pipelines/inference", "plugin-build", "Benchmarks")
             for path in (TOP / folder).iterdir() if path.is_file() and os.access(path, os.X_OK)]
    return sorted(str(path.relative_to(TOP)) for path in found if not path.suffix and path.name != "ld")


def asks(name: str) -> bool:
    """Whether a script asks before it installs packages."""
    asking = re.compile("^(need_packages|need_swift_and|run_benchmark|read_places) ", re.M)
    return asking.search((TOP / name).read_text(encoding="utf-8")) is not None


class ScriptTest(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="home "))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.data = self.home / "gstreamer-1.0"

    def run_script(self, name: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TOP / name, *arguments], text=True, timeout=PATIENCE, check=False, cwd=self.home, stdout=subprocess.PIPE,
            **({"stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "env": self.environment()} | options))

    def environment(self, **variables: str) -> dict[str, str]:
        """The environment of a user. In this environment, scripts ask before they install packages."""
        return {name: value for name, value in os.environ.items() if name not in ("CI", "SWIFTVIDEO_YES")} | {
            "HOME": str(self.home), "XDG_DATA_HOME": str(self.home)} | variables

    def program(self, name: str, text: str) -> None:
        """Adds a program to the folder of `without_packages`."""
        file = self.home / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        file.chmod(0o755)

    def without_packages(self, **variables: str) -> dict[str, str]:
        """An environment in which no Debian package is installed, and apt-get only writes its arguments to a file."""
        self.program("dpkg-query", "exit 1")
        self.program("sudo", '[ "$1" = -n ] || exec "$@"')
        self.program("apt-get", f'echo "$*" >>"{self.home}/installed"')
        return self.environment(PATH=f"{self.home}/bin:{os.environ['PATH']}", **variables)

    def installed(self) -> list[str]:
        """The arguments of each run of apt-get since the last call."""
        file = self.home / "installed"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def answer(self, answer: str, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a script on a terminal, in the environment `without_packages`, and enters `answer` there."""
        try:
            keyboard, terminal = pty.openpty()
        except OSError as error:
            self.skipTest(f"This system has no pseudo terminals: {error}")
        with os.fdopen(keyboard, "r+b", buffering=0) as keys, os.fdopen(terminal, "r+b", buffering=0) as screen:
            keys.write(f"{answer}\n".encode())
            run = self.run_script(name, *arguments, stdin=screen, stderr=screen, env=self.without_packages())
            screen.close()
            run.stderr = ""
            # read() fails with EIO when no process has the terminal open.
            with suppress(OSError):
                while text := keys.read(4096):
                    run.stderr += text.decode()
        return run

    def test_every_script_prints_its_help(self) -> None:
        self.assertGreater(len(scripts()), 25)
        for name in scripts():
            for option in ("--help", "-h"):
                with self.subTest(script=name, option=option):
                    run = self.run_script(name, option)
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertGreater(len(run.stdout), 40)
                    if asks(name):
                        self.assertIn("\n--yes installs missing packages without asking.\n", run.stdout)
        self.assertEqual(os.listdir(self.home), [])

    def test_nothing_is_imported_from_the_current_folder(self) -> None:
        """An empty entry of PYTHONPATH, as PYTHONPATH=$PYTHONPATH:/opt may contain, names the current folder."""
        (self.home / "sitecustomize.py").write_text("print('It has run.')\n", encoding="utf-8")
        (self.home / "clip.mkv").write_text("no clip", encoding="utf-8")
        for entries in (":", "::", ":/opt", "/opt:", "/opt::/opt"):
            for name, *arguments in (("pipelines/batch", "clip.mkv", "film.ogg"), ("pipelines/play", "--no-option")):
                with self.subTest(script=name, entries=entries):
                    run = self.run_script(name, *arguments, env=self.environment(PYTHONPATH=entries))
                    self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)

    def test_installed_plugins_are_used_without_a_build(self) -> None:
        sources = self.home / "sources"
        for folder in ("pipelines", "plugin-build", "Sources/CSystem/include"):
            shutil.copytree(TOP / folder, sources / folder)
        shutil.copy(TOP / "Package.swift", sources)
        run = self.run_script(str(sources / "pipelines/dashboard"), *"fakesrc num-buffers=3 ! fakesink".split(),
                              env=self.environment(GST_PLUGIN_PATH=str(TOP / "out/plugin"), PATH="/usr/bin:/bin"))
        self.assertEqual((run.returncode, (sources / "out").exists()), (0, False), run.stderr)
        self.assertRegex(run.stdout, "^http://127.0.0.1:")

    def test_an_interrupt_at_the_start_prints_no_traceback(self) -> None:
        """The programs receive SIGINT before Python has started, or while Python imports modules."""
        python = self.home / "python"
        python.write_text('#!/bin/sh\n[ "$1" = -I ] || kill -INT $$\nexec /usr/bin/python3 "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        for name, *arguments in (("pipelines/batch", "in.mkv", "out.mkv"), ("pipelines/play", "vhs-file")):
            with self.subTest(script=name):
                early = ["env", "--block-signal=INT", "sh", "-c", 'kill -INT $$; exec "$@"', "sh"]
                command = [*(early if "play" in name else []), TOP / name, *arguments]
                run = subprocess.run(command, env=self.environment(BATCH_PYTHON=str(python)), capture_output=True,
                                     text=True, timeout=PATIENCE, cwd=self.home)
                self.assertEqual((run.returncode, run.stdout + run.stderr.replace("Interrupted.\n", "")), (130, ""))

    def test_an_unknown_argument_is_refused(self) -> None:
        for name in ("build", "deb", "demo", "order-startup", "check-product"):
            run = self.run_script(f"plugin-build/{name}", "--fast")
            self.assertEqual((run.returncode, run.stdout, run.stderr), (
                1, "", f"There is no argument --fast; plugin-build/{name} takes none but --help and --yes.\n"))

    def test_packages_are_not_installed_without_asking(self) -> None:
        callers = [name for name in scripts() if asks(name) and name not in ("plugin-build/demo", "plugin-build/test")]
        self.assertGreater(len(callers), 15)
        arguments = {"pipelines/play": ["monitor"], "pipelines/batch": ["in", "out"],
                     "pipelines/dashboard": ["fakesrc"],
                     "plugin-build/suite": ["trixie"],
                     "plugin-build/install": ["--prefix", str(self.home / "usr")],
                     "plugin-build/uninstall": ["--prefix", str(self.home / "usr")]}
        for name in callers:
            with self.subTest(script=name):
                run = self.run_script(name, *arguments.get(name, []), env=self.without_packages())
                self.assertEqual(run.returncode, 1)
                self.assertRegex(
                    run.stderr, r"\APackages are missing; run this command, or pass --yes: (sudo )?apt-get update && "
                    r"(sudo )?env DEBIAN_FRONTEND=noninteractive apt-get satisfy -y --no-install-recommends '.*'\n\Z")
                self.assertEqual(self.installed(), [])

    def test_packages_are_installed_after_asking(self) -> None:
        uninstall = ("plugin-build/uninstall", "--prefix", str(self.home / "usr"))
        expected = ["update", "satisfy -y --no-install-recommends pkg-config | pkgconf, libgstreamer1.0-dev"]
        for run in (self.run_script(*uninstall, "--yes", env=self.without_packages()),
                    self.run_script(*uninstall, env=self.without_packages(CI="true")), self.answer("y", *uninstall)):
            self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.installed(), expected * 3)
        self.assertIn("satisfy -y --no-install-recommends 'pkg-config | pkgconf, libgstreamer1.0-dev'", run.stderr)
        for answer in ("n", ""):
            run = self.answer(answer, *uninstall)
            self.assertEqual((run.returncode, self.installed()), (1, []))
            self.assertIn("Run it now? [y/N]", run.stderr)

    def test_the_two_commands_of_the_readme_do_not_ask(self) -> None:
        environment = self.without_packages()
        self.program("apt-get", f'echo "$*" >>"{self.home}/installed"; echo "E: no"; exit 1')
        for name in ("demo", "test"):
            run = self.run_script(f"plugin-build/{name}", env=environment)
            self.assertEqual((run.returncode, self.installed()), (1, ["update"]))
            self.assertIn("apt-get could not install", run.stderr)

    def test_packages_are_installed_after_another_apt_has_ended(self) -> None:
        environment = self.without_packages(CI="true")
        locks = f'"{self.home}"/lock?'
        # The script calls sleep to wait for a lock. Here, sleep removes one of the locks.
        self.program("sleep", f'rm "$(ls -d {locks} | head -n 1)"')
        for stage, runs in (("update", ["update"] * 3 + ["satisfy"]), ("satisfy", ["update", "satisfy"] * 3)):
            for lock in ("lock1", "lock2"):
                (self.home / lock).touch()
            self.program("apt-get", f'echo "$1" >>"{self.home}/installed"; [ "$1" = {stage} ] || exit 0\n'
                                    f'! ls {locks} >/dev/null || {{ echo "E: Could not get lock"; exit 100; }}')
            run = self.run_script("plugin-build/uninstall", "--prefix", str(self.home / "usr"), env=environment)
            self.assertEqual((run.returncode, self.installed()), (0, runs), run.stderr)
            self.assertEqual(run.stderr.count("Another apt is running"), 1)

    def test_python_packages_have_the_listed_hash(self) -> None:
        for name in ("pipelines/inference/requirements.txt", "pipelines/inference/requirements-mediapipe.txt",
                     "plugin-build/perfetto-requirements.txt"):
            text = re.sub("#.*", "", (TOP / name).read_text(encoding="utf-8")).replace("\\\n", " ")
            for line in filter(None, text.split("\n")):
                self.assertRegex(line, r"^[a-z-]+==[0-9.]+( +--hash=sha256:[0-9a-f]{64})+$")
        wheel = self.home / "example-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as file:
            file.writestr("example.py", "")
            file.writestr("example-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: example\nVersion: 1.0\n")
            file.writestr("example-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            file.writestr("example-1.0.dist-info/RECORD", "")
        wanted = self.home / "requirements.txt"
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        wanted.write_text(f"example @ {wheel.as_uri()} --hash=sha256:{digest}\n", encoding="utf-8")
        venv = self.home / "venv"

        def make(**variables: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                ["bash", "-c", 'source "$0"; make_venv "example is missing" "$@"', TOP / "plugin-build/common.sh", venv,
                 wanted], capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL,
                env=self.environment(**variables))

        run = make()
        self.assertEqual((run.returncode, venv.exists()), (1, False))
        self.assertRegex(
            run.stderr, r"\Aexample is missing; run this command, or pass --yes: .* --require-hashes .*\n\Z")
        run = make(CI="true")
        self.assertEqual((run.returncode, (venv / "ready").exists()), (0, True), run.stderr)
        with wheel.open("ab") as file:
            file.write(b" ")
        run = make(CI="true")
        self.assertEqual((run.returncode, (venv / "ready").exists()), (1, False))
        self.assertIn("DO NOT MATCH THE HASHES", run.stderr)

    def test_pages_install_python_packages_of_one_version_into_an_environment(self) -> None:
        pages = [TOP / "README.md", *(page for folder in ("docs", "Tests") for page in (TOP / folder).rglob("*.md"))]
        lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()
                 if "pip install" in line]
        self.assertGreater(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"(^| )(~/[^ ]+/bin/pip install|uv pip install --python ~/[^ ]+)"
                             r"( '?[a-z-]+(\[[a-z]+\])?==[0-9.]+'?)+$")

    def test_a_release_is_tagged_after_its_tests(self) -> None:
        sources = self.home / "sources"
        header = sources / "Sources/CSystem/include/version.h"
        for name in ("plugin-build/release", "plugin-build/common.sh", header.relative_to(sources), "Package.swift"):
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, sources / name)
        changelog, test = sources / "CHANGELOG.md", sources / "plugin-build/test"
        (sources / "plugin-build/deb").symlink_to("/bin/true")
        version = re.search('VERSION "(.*)"', header.read_text(encoding="utf-8"))[1]
        today = f"## [{version}] - 2030-01-02\n"
        self.program("date", "echo 2030-01-02")

        def git(*arguments: str) -> str:
            identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
            return subprocess.run(["git", *identity, *arguments], cwd=sources, capture_output=True, text=True,
                                  check=True, timeout=PATIENCE).stdout

        def release(heading: str, tests: str) -> subprocess.CompletedProcess[str]:
            changelog.write_text(heading, encoding="utf-8")
            test.write_text(f"#!/bin/sh\n{tests}\n", encoding="utf-8")
            test.chmod(0o755)
            git("add", ".")
            git("commit", "--quiet", "--allow-empty", "--message", "Change")
            return self.run_script(str(sources / "plugin-build/release"), env=self.environment(
                GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.org",
                PATH=f"{self.home}/bin:{os.environ['PATH']}"))

        git("init", "--quiet")
        for heading, tests, problem in (
                (f"## [{version}] - unreleased\n", "", "a release of today requires"),
                (today, "exit 1", ""), (today, "echo >new", "has changed while the tests ran")):
            run = release(heading, tests)
            self.assertEqual((run.returncode, git("tag")), (1, ""), heading + tests)
            self.assertIn(problem, run.stderr)
        run = self.run_script(str(sources / "plugin-build/release"))
        self.assertIn("The working tree has changes", run.stderr)
        (sources / "new").unlink()
        run = release(today, "")
        self.assertEqual((run.returncode, git("tag")), (0, f"{version}\n"), run.stderr)
        self.assertEqual(git("rev-parse", f"{version}^{{commit}}"), git("rev-parse", "HEAD"))
        self.assertIn(f"git push origin {version}\n", run.stdout)
        self.assertIn(f"The tag {version} exists", release(today, "").stderr)

    def test_a_full_disk_keeps_the_installed_plugin(self) -> None:
        plugin = self.data / "plugins/libgstswiftvideo.so"
        plugin.parent.mkdir(parents=True)
        plugin.write_bytes(b"old")
        run = self.run_script(
            "plugin-build/install", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual((plugin.read_bytes(), os.listdir(plugin.parent)), (b"old", [plugin.name]))

    def test_files_of_a_debian_package_are_kept(self) -> None:
        place = subprocess.run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"], capture_output=True, text=True,
                               check=True).stdout.strip()
        for name in (f"{place.removeprefix('/usr/')}/libgstsendspin.so",
                     "share/gstreamer-1.0/presets/GstNtscFilter.prs"):
            file = self.home / "usr" / name
            file.parent.mkdir(parents=True)
            file.write_text("packaged", encoding="utf-8")
            environment = self.without_packages()
            self.program("dpkg-query", f'if [ "$1" = -W ]; then echo install ok installed; '
                                       f'elif [ "$2" = "{file}" ]; then echo "some-package:amd64: $2"; else exit 1; fi')
            for script in ("install", "uninstall"):
                run = self.run_script(f"plugin-build/{script}", "--prefix", str(self.home / "usr"), env=environment)
                self.assertEqual((run.returncode, run.stdout, run.stderr), (
                    1, "", f"{file} belongs to the package some-package; remove the package, or choose another "
                    "--prefix.\n"))
                self.assertEqual(file.read_text(encoding="utf-8"), "packaged")

    def test_a_link_at_the_place_of_a_plugin_is_replaced(self) -> None:
        own, link = self.home / "own.so", self.data / "plugins/libgstswiftvideo.so"
        own.write_bytes(b"own")
        link.parent.mkdir(parents=True)
        link.symlink_to(own)
        run = self.run_script("plugin-build/install")
        self.assertEqual((run.returncode, link.is_symlink(), own.read_bytes()), (0, False, b"own"), run.stderr)

    def test_uninstall_removes_only_folders_of_its_files(self) -> None:
        prefix, other = self.home / "usr", self.home / "empty"
        self.assertEqual(self.run_script("plugin-build/install", "--prefix", str(prefix)).returncode, 0)
        other.mkdir()
        listed, = prefix.rglob(".swiftvideo-folders")
        with open(listed, "a", encoding="utf-8") as file:
            file.write(f"{other}\n{os.path.relpath(other, self.home)}\n{prefix}/../empty\n")
        self.assertEqual(self.run_script("plugin-build/uninstall", "--prefix", str(prefix)).returncode, 0)
        self.assertEqual((prefix.exists(), other.exists()), (False, True))

    def test_presets_below_a_prefix_are_kept(self) -> None:
        prefix = self.home / "usr"
        presets = prefix / "share/gstreamer-1.0/presets/GstNtscFilter.prs"
        for name in ("install", "install", "uninstall"):
            run = self.run_script(f"plugin-build/{name}", "--prefix", str(prefix))
            self.assertEqual(run.returncode, 0, run.stderr)
            if not name.startswith("un") and "[mine]" not in presets.read_text(encoding="utf-8"):
                with open(presets, "a", encoding="utf-8") as file:
                    file.write("\n[mine]\nsnow-intensity=1\n")
            self.assertIn("[mine]\nsnow-intensity=1\n", presets.read_text(encoding="utf-8"))

    def test_a_prefix_that_is_no_folder_is_refused(self) -> None:
        for value in ("", "-x", "a\nb"):
            for arguments in (["--prefix", value], [f"--prefix={value}"]):
                for script in ("install", "uninstall"):
                    run = self.run_script(f"plugin-build/{script}", *arguments)
                    self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
                    self.assertRegex(run.stderr, r"^--prefix needs a folder; .* is none\.\n$")
        self.assertEqual(os.listdir(self.home), [])

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
