"""Tests the files that pipelines/play reads, writes and refuses, and the files that remain after an error."""

from __future__ import annotations

import os
import pty
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from contextlib import suppress
from pathlib import Path
from typing import Callable
from unittest import mock

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "pipelines"), str(TOP / "Tests")]

import command  # noqa: E402
import output as outputs  # noqa: E402
from launch import quoted  # noqa: E402
from patience import PATIENCE  # noqa: E402
from playlists import Host, playlists  # noqa: E402
from rotation import rotated  # noqa: E402

PLAY = TOP / "pipelines/play"
COPY = '# Copies a clip.\n# out: copy.webm\nfilesrc location="$in" ! queue $settings ! filesink location="$out"\n'
# The sink writes when it has received 64 kB.
BARS = "videotestsrc pattern=snow is-live=true ! video/x-raw,width=320,height=240 ! vp8enc deadline=1 ! webmmux"
ENDLESS = f'# Records bars.\n# out: bars.webm\n{BARS} ! filesink location="$out"\n'
NAMES = [
    b"a plain name", b'a"b', b"a'b", b"it's \"two\" kinds", b"a ! fakesink ! b", b'x" ! fakesink name="y', b"a\\b",
    b"ends in\\", b'\\"', b"a\nb", b"ends in\n", b"$out and $in $settings", b"-e", b"--force", b"a=b",
    b"a%d%s", b"a&b;c#d",
    b"caf\xe9", b"\xff\\", "\u00fcn\u00ef".encode(), b"a, b; (c)", b"\t",
]


class FileTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="play files "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "copy.launch").write_text(COPY, encoding="utf-8")
        (self.folder / "endless.launch").write_text(ENDLESS, encoding="utf-8")
        self.old = self.write("old.webm", b"old")

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def clip(self, name: str | bytes = "clip.webm") -> Path:
        """Copies the clip of the repository to a file of this name. Returns the path of the copy."""
        path = self.folder / os.fsdecode(name)
        shutil.copyfile(TOP / "pipelines/media/bigbuckbunny.webm", path)
        return path

    def start(self, *arguments: str | Path, **options: object) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [PLAY, *arguments], cwd=self.folder, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        watchdog = threading.Timer(PATIENCE, child.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        return child

    def play(self, *arguments: str | Path, **options: object) -> tuple[int, str]:
        child = self.start(*arguments, **options)
        output, _ = child.communicate()
        return child.returncode, output

    def recording(self, *arguments: str, **options: object) -> subprocess.Popen[str]:
        """Starts an endless recording. Returns when the file has content."""
        before = self.names()
        child = self.start("endless.launch", *arguments, **options)
        self.wait(lambda: child.poll() is not None or any(
            (self.folder / name).stat().st_size for name in self.names() - before))
        self.assertIsNone(child.poll(), "The recording has ended.")
        return child

    def wait(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            threading.Event().wait(0.01)

    def has_player(self, process: int) -> bool:
        for each in command._family(process):
            with suppress(OSError):
                if b"player.py" in Path(f"/proc/{each}/cmdline").read_bytes():
                    return True
        return False

    def names(self) -> set[str]:
        return set(os.listdir(self.folder))

    def expect_refusal(self, sentence: str, *arguments: str | Path) -> None:
        before = self.names()
        status, output = self.play(*arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(sentence, output)
        self.assertEqual(output.count("\n"), 1, output)
        self.assertEqual(self.names(), before)


class RefusalTest(FileTest):
    def test_the_input_is_never_the_output(self) -> None:
        clip = self.clip()
        content = clip.read_bytes()
        os.link(clip, self.folder / "hard.webm")
        os.symlink("clip.webm", self.folder / "soft.webm")
        os.symlink(self.folder, self.folder / "here")
        for source, target in (("clip.webm", "clip.webm"), ("clip.webm", "hard.webm"), ("hard.webm", "clip.webm"),
                               ("clip.webm", "soft.webm"), ("soft.webm", "clip.webm"), ("soft.webm", "hard.webm"),
                               ("clip.webm", "here/clip.webm")):
            with self.subTest(source=source, target=target):
                self.expect_refusal("is the same file as the input", "--force", "copy.launch", f"in={source}",
                                    f"out={target}")
        self.assertEqual(clip.read_bytes(), content)

    def test_an_existing_file_is_kept_without_force(self) -> None:
        self.clip()
        self.expect_refusal("old.webm exists; --force replaces it", "copy.launch", "in=clip.webm", "out=old.webm")
        self.assertEqual(self.old.read_bytes(), b"old")

    def test_folders_and_pipes_are_refused(self) -> None:
        self.clip()
        (self.folder / "folder.webm").mkdir()
        os.mkfifo(self.folder / "pipe.webm")
        for target, sentence in (("folder.webm", "is a folder"), ("pipe.webm", "is no regular file"),
                                 ("/dev/null", "is no regular file"), ("old.webm/a.webm", "Not a directory"),
                                 ("", "name it with out=FILE")):
            with self.subTest(target=target):
                self.expect_refusal(sentence, "--force", "copy.launch", "in=clip.webm", f"out={target}")

    def test_a_playlist_runs_nothing_and_connects_to_no_host(self) -> None:
        self.write("show.launch", b'# Shows a clip.\nfilesrc location="$in" ! decodebin ! fakesink\n')
        for kind, text in playlists(self.folder / "owned"):
            with self.subTest(kind), Host() as host:
                self.write("clip.mkv", text.replace("HOST", host.address).encode())
                self.expect_refusal("finds no video in", "show.launch", "in=clip.mkv")
                self.assertFalse(host.was_asked())
                self.assertNotIn("owned", self.names())

    def test_a_pipeline_without_a_place_for_out_refuses_it(self) -> None:
        self.write("show.launch", b"# Shows bars.\nvideotestsrc num-buffers=1 ! fakesink\n")
        self.expect_refusal("has no place for out=", "show.launch", "out=new.webm")

    def test_a_location_with_more_than_out_is_refused(self) -> None:
        self.clip()
        for word in ('"$out.png"', "/tmp/$out", "$out$in"):
            with self.subTest(word):
                self.write("two.launch", COPY.replace('"$out"', word).encode())
                self.expect_refusal(f"location={word.strip(chr(34))} is more than $out", "two.launch", "in=clip.webm",
                                    "out=new.webm")

    def test_a_value_adds_no_element(self) -> None:
        self.clip()
        self.expect_refusal("is not the name of a property", "copy.launch", "in=clip.webm", "! fakesink name=x")
        self.expect_refusal("cannot be used in a launch line", "copy.launch", "in=clip.webm", 'preset=a" ! fakesink "')

    def test_the_targets_of_the_dashboard_are_quoted_as_one_value(self) -> None:
        self.clip()
        value = "# it's \"two\" kinds\nx \\ y & $z: p95=20ms\n"
        run = subprocess.run(
            [TOP / "pipelines/dashboard", f"--targets={value}", "copy.launch", "in=clip.webm", "--print"],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=True)
        self.assertEqual(shlex.split(run.stdout)[-1], f"targets={quoted(value)}")

    def test_the_dashboard_also_keeps_files(self) -> None:
        clip = self.clip()
        content = clip.read_bytes()
        for arguments, sentence in ((("out=clip.webm",), "is the same file"), (("out=old.webm",), "exists; --force")):
            run = subprocess.run(
                [TOP / "pipelines/dashboard", "copy.launch", "in=clip.webm", *arguments], cwd=self.folder, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn(sentence, run.stderr)
        self.assertEqual((clip.read_bytes(), self.old.read_bytes()), (content, b"old"))


    def test_settings_are_checked_before_a_file_is_begun(self) -> None:
        self.clip()
        self.write("tape.launch", COPY.replace("queue", "decodebin ! ntscfilter").encode())
        for setting, sentence in (("preset=no-such", "the presets are sharp-monitor, broadcast"),
                                  ("no-such=1", 'no property "no-such"'),
                                  ("vhs-tape-speed=no-such", 'could not set property "vhs-tape-speed"')):
            with self.subTest(setting=setting):
                self.expect_refusal(sentence, "tape.launch", "in=clip.webm", setting)
        self.write("shown.launch", b"# Shows bars.\nvideotestsrc ! $screen\n")
        self.expect_refusal("screen= is not UTF-8", "shown.launch", "screen=fakesink name=\udcff")

    def test_properties_are_added_to_a_preset(self) -> None:
        """GStreamer loads the preset of a launch line last, so the script adds the preset's properties instead."""
        self.clip()
        self.write("tape.launch", COPY.replace("queue", "decodebin ! ntscfilter").encode())
        self.expect_refusal("Properties have no effect beside the preset", "tape.launch", "in=clip.webm", "preset=mine",
                            "n-threads=1")
        _, line = self.play("tape.launch", "in=clip.webm", "preset=Worn Tape", "snow-intensity=2", "--print")
        words = shlex.split(line)
        self.assertEqual([word for word in words if word.startswith("snow-intensity=")],
                         ["snow-intensity=0.1", "snow-intensity=2"])
        self.assertIn("vhs-tape-speed=lp", words)
        self.assertNotIn("preset", line)

    def test_looks_shows_the_presets_of_the_user_last(self) -> None:
        own = ["Mine", "it's \"two\" & <b>", "100 % $in", "a\\b ! c"]
        presets = self.folder / "gstreamer-1.0/presets/GstNtscFilter.prs"
        presets.parent.mkdir(parents=True)
        # GStreamer copies the presets of the plugin into the file of the user.
        presets.write_text("[_presets_]\nversion=1.0.0\nelement-name=GstNtscFilter\n" + "".join(
            f"\n[{name}]\nsnow-intensity=7\n" for name in ["vhs-ep", *own]), encoding="utf-8")
        environment = os.environ | {"XDG_DATA_HOME": str(self.folder), "GST_PRESET_PATH": str(TOP / "presets")}
        status, line = self.play("looks", "--print", env=environment)
        self.assertEqual(status, 0, line)
        words = shlex.split(line)
        names = [word.removeprefix("@preset=") for word in words if word.startswith("@preset=")]
        self.assertEqual((names[0], names.count("vhs-ep"), names[20:]),
                         ("sharp-monitor", 1, [name.replace("\\", "\\\\") for name in own]))
        # The clip is the first tile of five in a row, and twenty presets of the plugin follow.
        self.assertLess({"sink_20::ypos=864", "sink_24::xpos=1536", "sink_24::ypos=864"}, set(words))
        self.assertIn('text="it\'s \\"two\\" &amp; &lt;b&gt;"', words)
        # The parser loads each preset.
        parsing = subprocess.run(["/usr/bin/python3", TOP / "pipelines/player.py", "--check", "--", *words], text=True,
                                 env=environment, capture_output=True, timeout=PATIENCE, check=False)
        self.assertEqual((parsing.returncode, parsing.stderr), (0, ""))

    def test_an_element_has_one_name(self) -> None:
        """Without the check of the script, GLib and PyGObject would print their own messages."""
        self.write("named.launch", COPY.replace("queue", "queue name=tape").encode())
        self.clip()
        self.expect_refusal('"name=x" cannot be set: named.launch names its elements.', "named.launch", "in=clip.webm",
                            "name=x")

    def test_the_kernel_resolves_a_link_to_a_folder(self) -> None:
        (self.folder / "here").mkdir()
        (self.folder / "far/inner").mkdir(parents=True)
        os.symlink("../far/inner", self.folder / "here/link")
        self.clip("far/clip.webm")
        status, output = self.play("copy.launch", "in=here/link/../clip.webm", "out=here/link/../new.webm")
        self.assertEqual(status, 0, output)
        self.assertEqual(set(os.listdir(self.folder / "far")), {"inner", "clip.webm", "new.webm"})

    def test_a_signal_ends_the_check_of_a_clip(self) -> None:
        """The clip is a pipe without a writer, on which the check blocks."""
        os.mkfifo(self.folder / "pipe.webm")
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number=number):
                child = self.start("copy.launch", "in=pipe.webm")
                self.wait(self.is_reading)
                child.send_signal(number)
                output, _ = child.communicate()
                self.assertEqual((child.returncode, output), (128 + number, ""))
                self.assertFalse(self.is_reading())

    def test_a_signal_ends_the_build_and_its_programs(self) -> None:
        os.mkfifo(self.folder / "pipe.webm")
        # When the pipe is closed at the end of the test, a program that still reads it ends.
        self.addCleanup(os.close, os.open(self.folder / "pipe.webm", os.O_RDWR))
        self.write("bars.launch", b"# Bars.\nvideotestsrc num-buffers=1 ! fakesink\n")
        for number, build in ((signal.SIGTERM, 'cat "$PWD/pipe.webm"; true'),
                              (signal.SIGINT, "trap '' TERM; cat \"$PWD/pipe.webm\"; true")):
            with self.subTest(number=number):
                child = subprocess.Popen([sys.executable, TOP / "pipelines/play.py", "bars.launch"], cwd=self.folder,
                                         env={**os.environ, "PLAY_BUILD": build}, stdin=subprocess.DEVNULL)
                self.wait(self.is_reading)
                child.send_signal(number)
                self.assertEqual(child.wait(PATIENCE), 128 + number)
                self.assertFalse(self.is_reading())

    def is_reading(self) -> bool:
        """Whether a program reads the pipe."""
        word = f"{self.folder}/pipe.webm".encode()
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if word in path.read_bytes():
                    return True
        return False


class TerminalTest(FileTest):
    def setUp(self) -> None:
        super().setUp()
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:
            self.skipTest(f"This system has no pseudo terminals: {error}")

    def answer(self, answer: bytes) -> tuple[int, str]:
        """Plays on a terminal, and answers the question there. Returns the exit status and the output."""
        self.clip()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execv(PLAY, [str(PLAY), "copy.launch", "in=clip.webm", "out=old.webm"])
        seen = b""
        try:
            while b"[y/N]" not in seen:
                seen += os.read(terminal, 1000)
            os.write(terminal, answer)
            while more := os.read(terminal, 1000):
                seen += more
        except OSError:
            pass  # read() fails when the script has ended.
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode(errors="replace")

    def test_yes_replaces_the_file(self) -> None:
        status, output = self.answer(b"y\n")
        self.assertEqual(status, 0, output)
        self.assertEqual(self.old.read_bytes(), (self.folder / "clip.webm").read_bytes())

    def test_no_and_an_interrupt_keep_the_file(self) -> None:
        for answer, expected in ((b"\n", 1), (b"n\n", 1), (b"\x03", 130), (b"\x04", 1)):
            with self.subTest(answer=answer):
                status, output = self.answer(answer)
                self.assertEqual(status, expected, output)
                self.assertNotIn("Traceback", output)
                self.assertEqual(self.old.read_bytes(), b"old")


class EndTest(FileTest):
    def test_the_simulated_machine_writes_nothing_after_its_end(self) -> None:
        """pipelines/heat waits for its running command, so that the caller can remove the folder."""
        with tempfile.TemporaryDirectory() as folder:
            gate, stub = Path(folder, "gate"), Path(folder, "mktemp")
            os.mkfifo(gate)
            stub.write_text(f'#!/bin/sh\nread line <{shlex.quote(str(gate))}\nexec {shutil.which("mktemp")} "$@"\n')
            stub.chmod(0o755)
            heater = subprocess.Popen([TOP / "pipelines/heat", Path(folder, "sys"), "0=60"],
                                      env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
            # open() blocks until the script calls mktemp.
            with gate.open("w") as opened:
                heater.terminate()
                with self.assertRaises(subprocess.TimeoutExpired):
                    heater.wait(0.3)
                opened.write("\n")
            self.assertEqual(heater.wait(PATIENCE), 0)

    def test_a_file_gets_its_name_at_the_end(self) -> None:
        child = self.recording("out=new.webm")
        self.assertFalse((self.folder / "new.webm").exists())
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate()
        self.assertEqual(child.returncode, 0, output)
        self.assertEqual(self.names(), {"copy.launch", "endless.launch", "old.webm", "new.webm"})
        self.assertGreater((self.folder / "new.webm").stat().st_size, 100)

    def test_an_interrupt_of_all_processes_completes_the_file(self) -> None:
        for name in ("endless", "animated"):
            with self.subTest(name=name):
                if name == "animated":
                    text = ENDLESS.replace("BARS", "").replace(
                        "# out", "# animate: bars kx 0=0 9=9\n# out").replace(
                        "videotestsrc", "videotestsrc name=bars")
                    (self.folder / "endless.launch").write_text(text, encoding="utf-8")
                child = self.recording("--force", "out=old.webm", start_new_session=True)
                os.killpg(child.pid, signal.SIGINT)
                output, _ = child.communicate()
                self.assertEqual(child.returncode, 0, output)
                self.assertGreater(self.old.stat().st_size, 100)

    def test_another_signal_ends_a_pipeline_that_does_not_reach_eos(self) -> None:
        self.write("far.launch", b"# Waits.\nvideotestsrc ! fakesink sync=true ts-offset=99999999999999\n")
        child = self.start("far.launch")
        # Wait for the position that the player prints.
        self.assertTrue(any("0:00:0" in line for line in child.stdout))
        child.send_signal(signal.SIGINT)
        self.assertTrue(any("EOS is requested" in line for line in child.stdout))
        while child.poll() is None:
            child.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                child.wait(0.2)
        self.assertEqual(child.returncode, 128 + signal.SIGINT)

    def test_the_first_signal_ends_a_pipeline_without_a_first_frame(self) -> None:
        """One sink receives no EOS. In the other pipeline, the state change waits for a writer of a pipe."""
        os.mkfifo(self.folder / "pipe")
        self.write("sink.launch", b"# Waits.\nfilesink location=nothing\n")
        self.write("pipe.launch", b"# Waits.\nfilesrc location=pipe ! fakesink\n")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for name in ("sink", "pipe"):
                with self.subTest(signal=number.name, pipeline=name):
                    child = self.start(f"{name}.launch")
                    self.wait(lambda: self.has_player(child.pid))
                    child.send_signal(number)
                    output, _ = child.communicate()
                    self.assertEqual(child.returncode, 128 + number, output)
                    self.assertIn("has not prerolled", output)

    def test_a_signal_keeps_the_old_file_and_leaves_no_other(self) -> None:
        before = self.names()
        child = self.recording("--force", "out=old.webm")
        child.send_signal(signal.SIGQUIT)
        output, _ = child.communicate()
        self.assertEqual(child.returncode, 128 + signal.SIGQUIT, output)
        self.assertEqual((self.names(), self.old.read_bytes()), (before, b"old"))

    def test_a_killed_program_leaves_a_partial_file_beside_the_output(self) -> None:
        """After the script is killed, its player requests EOS and ends."""
        before = self.names()
        child = self.recording("--force", "out=old.webm")
        player = os.pidfd_open(command._family(child.pid)[-1])
        self.addCleanup(os.close, player)
        child.kill()
        self.assertTrue(select.select([player], [], [], PATIENCE)[0])
        output, _ = child.communicate()
        self.assertIn("EOS is requested", output)
        part, = self.names() - before
        self.assertRegex(part, r"^\.new-[0-9a-f]{16}\.webm$")
        self.assertEqual(self.old.read_bytes(), b"old")

    def test_a_request_to_end_completes_the_recording(self) -> None:
        before = self.names()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                self.old.write_bytes(b"old")
                child = self.recording("--force", "out=old.webm")
                child.send_signal(number)
                output, _ = child.communicate()
                self.assertEqual(child.returncode, 0, output)
                self.assertEqual(self.names(), before)
                self.assertGreater(self.old.stat().st_size, 1000)

    def test_a_part_of_a_clip_does_not_replace_a_complete_file(self) -> None:
        self.clip()
        self.write("slow.launch", COPY.replace("queue", "identity sleep-time=100000").encode())
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                before = self.names()
                child = self.start("slow.launch", "--force", "in=clip.webm", "out=old.webm")
                self.wait(lambda: any((self.folder / name).stat().st_size for name in self.names() - before))
                child.send_signal(number)
                text, _ = child.communicate()
                self.assertEqual((child.returncode, self.old.read_bytes()), (128 + number, b"old"), text)
                kept, = self.names() - before
                self.assertIn(f"The file is not complete: {self.folder / kept}", text)

    def test_a_live_recording_is_kept_under_another_name(self) -> None:
        self.write("live.launch", ENDLESS.replace("videotestsrc pattern=snow is-live=true", "$camera").encode())
        before = self.names()
        camera = "camera=videotestsrc pattern=snow is-live=true ! identity error-after=60"
        status, output = self.play("--force", "live.launch", camera, "out=old.webm")
        self.assertEqual((status, self.old.read_bytes()), (1, b"old"), output)
        kept, = self.names() - before
        self.assertIn(kept, output)
        self.assertGreater((self.folder / kept).stat().st_size, 1000)

    def test_a_file_made_between_check_and_play_stays(self) -> None:
        new = outputs.NewFile(self.folder / "later.webm", replaces=False)
        (self.folder / "later.webm").write_bytes(b"made meanwhile")
        self.addCleanup(new.__exit__)
        new.path.write_bytes(b"new")
        with mock.patch("os.link", side_effect=PermissionError), self.assertRaises(outputs.Mistake) as caught:
            new.finish()
        self.assertEqual((self.folder / "later.webm").read_bytes(), b"made meanwhile")
        self.assertIn(str(new.path), str(caught.exception))
        self.assertEqual(new.path.read_bytes(), b"new")

    def test_a_link_in_place_of_the_new_file_is_not_written(self) -> None:
        """Another user with access to the folder may replace the new file by a link before the player opens it."""
        self.clip()
        victim = self.write("victim", b"precious")
        self.write("writer.py", b"import os, sys, play, output\n"
                                b"class Replaced(output.NewFile):\n"
                                b"    def __enter__(self):\n"
                                b"        self.path.unlink()\n"
                                b"        getattr(os, os.environ['LINK'])('victim', self.path)\n"
                                b"        return self\n"
                                b"play.NewFile = output.NewFile = Replaced\n"
                                b"sys.exit(play.main())\n")
        for link in ("symlink", "link"):
            with self.subTest(link=link):
                run = subprocess.run(
                    ["/usr/bin/python3", "writer.py", "copy.launch", "in=clip.webm", "out=new.webm"],
                    cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
                    env={**os.environ, "LINK": link, "PYTHONPATH": str(TOP / "pipelines")})
                self.assertEqual(victim.read_bytes(), b"precious")
                self.assertEqual((run.returncode, (self.folder / "new.webm").exists()), (1, False), run.stderr)
                self.assertIn("new.webm cannot be written: ", run.stderr)

    def test_an_error_keeps_the_old_file_and_leaves_no_other(self) -> None:
        self.clip()
        lines = {
            "a missing element": COPY.replace("queue", "nosuchelement"),
            "an error before the preroll": COPY.replace("queue", "identity error-after=1"),
            "an error of the pipeline": COPY.replace("queue", "identity error-after=20"),
            "nothing to record": COPY.replace('filesrc location="$in"', "fakesrc num-buffers=0"),
            "a missing element of an animation": COPY.replace("queue", "nosuchelement").replace(
                "# out", "# animate: a b 0=0\n# out"),
            "a missing property of an animation": COPY.replace("# out", "# animate: a b 0=0\n# out"),
            "a wrong animation": COPY.replace("queue", "queue name=q").replace("# out", "# animate: q leaky 0\n# out"),
        }
        for name, line in lines.items():
            with self.subTest(name):
                self.write("copy.launch", line.encode())
                before = self.names()
                status, output = self.play("--force", "copy.launch", "in=clip.webm", "out=old.webm")
                self.assertEqual(status, 1, output)
                self.assertNotIn("Traceback", output)
                self.assertEqual((self.names(), self.old.read_bytes()), (before, b"old"))

    def test_a_full_disk_keeps_the_old_file_and_leaves_no_other(self) -> None:
        self.clip()
        before = self.names()
        status, output = self.play(
            "--force", "copy.launch", "in=clip.webm", "out=old.webm",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertNotEqual(status, 0, output)
        self.assertEqual((self.names(), self.old.read_bytes()), (before, b"old"))

    def test_a_disk_that_is_full_at_the_end_is_named(self) -> None:
        self.write("picture.launch", b"# A picture.\n# out: a.png\nvideotestsrc num-buffers=1 ! pngenc ! multifilesink "
                                     b'location="$out"\n')
        self.write("writer.py", b"import resource, sys, output, play\n"
                                b"fill = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))\n"
                                b"class Full(play.Play):\n"
                                b"    def _run(self, *arguments):\n"
                                b"        status = super()._run(*arguments)\n"
                                b"        fill()\n"
                                b"        return status\n"
                                b"play.Play = Full\n"
                                b"if sys.argv[1:]:\n"
                                b"    sys.exit(play.main())\n"
                                b"fill()\n"
                                b"output.write_text('new.png', 'more than nine letters')\n")
        before = self.names()
        for arguments in ([], ["picture.launch", "out=new.png"]):
            with self.subTest(arguments=arguments):
                run = subprocess.run(
                    ["/usr/bin/python3", "writer.py", *arguments], cwd=self.folder, capture_output=True, text=True,
                    timeout=PATIENCE, check=False,
                    env={**os.environ, "PYTHONPATH": str(TOP / "pipelines"), "PYTHONDONTWRITEBYTECODE": "1"})
                self.assertEqual((run.returncode, run.stderr),
                                 (1, f"{self.folder}/new.png cannot be written: File too large.\n"))
        self.assertEqual(self.names(), before)

    def test_a_file_that_was_made_meanwhile_stays(self) -> None:
        child = self.recording("out=new.webm")
        new = self.write("new.webm", b"made meanwhile")
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate()
        self.assertEqual(child.returncode, 1, output)
        self.assertEqual(new.read_bytes(), b"made meanwhile")
        kept = self.names() - {"copy.launch", "endless.launch", "old.webm", "new.webm"}
        self.assertTrue(len(kept) == 1 and f"the new file is {self.folder}/{min(kept)}" in output, output)

    def test_a_link_and_the_mode_are_kept(self) -> None:
        self.clip()
        os.symlink("old.webm", self.folder / "link.webm")
        self.old.chmod(0o640)
        status, output = self.play("--force", "copy.launch", "in=clip.webm", "out=link.webm")
        self.assertEqual(status, 0, output)
        self.assertTrue((self.folder / "link.webm").is_symlink())
        self.assertGreater(self.old.stat().st_size, 100)
        self.assertEqual(self.old.stat().st_mode & 0o777, 0o640)

    def test_a_text_is_written_to_a_pipe(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, reader)
        outputs.write_text(pipe, "text")
        self.assertEqual(os.read(reader, 10), b"text")
        self.assertTrue(pipe.is_fifo())

    def test_a_text_is_added_to_an_open_file(self) -> None:
        with open(self.old, "a") as file:
            outputs.write_text(f"/dev/fd/{file.fileno()}", " text")
        self.assertEqual(self.old.read_bytes(), b"old text")
        with self.assertRaisesRegex(SystemExit, "is a folder"):
            outputs.write_text(self.folder, "text")

    def test_the_group_is_kept_without_the_owner(self) -> None:
        """If the group cannot be kept, the file loses the permissions of the group."""
        for allowed, mode in ((True, 0o664), (False, 0o604)):
            with self.subTest(allowed=allowed):
                groups = []

                def chown(_: Path, owner: int, group: int) -> None:
                    if owner != -1 or not allowed:
                        raise PermissionError
                    groups.append(group)

                self.old.chmod(0o664)
                before = self.old.stat().st_gid
                with mock.patch("os.chown", chown):
                    outputs.publish(self.write("new.webm", b"new"), self.old, replaces=True)
                self.assertEqual((groups, self.old.stat().st_mode & 0o777), ([before] * allowed, mode))

    def test_a_new_file_has_the_mode_of_the_umask(self) -> None:
        self.clip()
        status, output = self.play("copy.launch", "in=clip.webm", "out=new.webm", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(status, 0, output)
        self.assertEqual((self.folder / "new.webm").stat().st_mode & 0o777, 0o640)


class TurnedTest(FileTest):
    def halves(self, film: str) -> list[bool]:
        """Whether the upper and the lower half of the first displayed frame are bright."""
        run = subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-i", film, "-frames:v", "1", "-vf", "scale=1:2:flags=area", "-pix_fmt",
             "gray", "-f", "rawvideo", "-"], cwd=self.folder, capture_output=True, timeout=PATIENCE, check=True)
        return [value > 128 for value in run.stdout]

    def test_a_turned_film_is_upright(self) -> None:
        """The left half of the stored picture is white. A rotation tag requires a rotation, as in films from phones."""
        make = ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                "color=black:s=160x120:r=25:d=0.4,drawbox=w=80:h=120:color=white:t=fill", "stored.mp4"]
        subprocess.run(make, cwd=self.folder, timeout=PATIENCE, check=True)
        self.assertNotIn("videoflip", self.play("--print", "vhs-file-silent", "in=stored.mp4", "out=a.webm")[1])
        for turn in ("90", "270"):
            turned, shown = f"{turn}.mp4", f"{turn}.webm"
            subprocess.run(["ffmpeg", "-loglevel", "error", *rotated("stored.mp4", int(turn)), turned], cwd=self.folder,
                           timeout=PATIENCE, check=True)
            status, output = self.play("vhs-file-silent", f"in={turned}", f"out={shown}")
            self.assertEqual(status, 0, output)
            self.assertEqual((self.halves(turned), self.halves(shown)), ([turn == "270", turn == "90"],) * 2)


class NameTest(FileTest):
    def test_every_name_is_read_and_written(self) -> None:
        content = self.clip().read_bytes()
        for name in NAMES:
            with self.subTest(name=name):
                source = self.clip(name)
                folder = os.fsdecode(b"to " + name)
                target = os.path.join(folder, os.fsdecode(name) + ".webm")
                status, output = self.play("copy.launch", f"in={source}", f"out={target}")
                self.assertEqual(status, 0, output)
                self.assertEqual((self.folder / target).read_bytes(), content)
                self.assertEqual(len(os.listdir(self.folder / folder)), 1)

    def test_a_relative_name_may_begin_with_a_hyphen(self) -> None:
        content = self.clip("-e.webm").read_bytes()
        status, output = self.play("copy.launch", "in=-e.webm", "out=--force.webm")
        self.assertEqual(status, 0, output)
        self.assertEqual((self.folder / "--force.webm").read_bytes(), content)

    def test_a_picture_has_the_given_name(self) -> None:
        """multifilesink uses its location as a printf format, so the script must escape the percent signs."""
        self.write("picture.launch", b"# A picture.\n# out: a.png\nvideotestsrc num-buffers=2 ! pngenc ! multifilesink "
                                     b'location="$out"\n')
        (self.folder / "%s%n%d").mkdir()
        status, output = self.play("picture.launch", "out=%s%n%d/%d%n.png")
        self.assertEqual(status, 0, output)
        self.assertEqual(os.listdir(self.folder / "%s%n%d"), ["%d%n.png"])

    def test_the_parser_finds_each_value_unchanged(self) -> None:
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
        from launch import is_plain
        Gst.init(None)
        for name in NAMES:
            value = os.fsdecode(name)
            if not is_plain(value):
                continue
            words = ["filesrc", f"location={quoted(value)}", "!", "queue", "!", "filesink", f"location={quoted(value)}"]
            for pipeline in (Gst.parse_launchv(words), Gst.parse_launch(" ".join(words))):
                found = [element.get_property("location") for element in pipeline.children
                         if element.find_property("location")]
                self.assertEqual((found, pipeline.numchildren), ([value, value], 3))

    def test_a_setting_is_one_value(self) -> None:
        self.clip()
        status, output = self.play(
            "--print", "copy.launch", "in=clip.webm", 'flush-on-eos=1" ! fakesink name="x', "min-threshold-time=0")
        self.assertEqual(status, 0, output)
        self.assertIn('\'flush-on-eos="1\\" ! fakesink name=\\"x"\' min-threshold-time=0', output)


if __name__ == "__main__":
    unittest.main()
