"""Tests of pipelines/inference/play as its users run it, with stand-ins for the models."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Callable

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "Tests"))

from patience import PATIENCE, one_of_five  # noqa: E402
from playlists import Host, playlists  # noqa: E402
from rotation import rotated  # noqa: E402

PLAY = TOP / "pipelines/inference/play"
TEST = ["camera=videotestsrc is-live=true"]
ZONE = "sys/class/thermal/thermal_zone0"


class PlayTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="inference-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.log = self.folder / "figures.jsonl"
        self.root = self.folder / "root"
        self.write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")

    def write(self, path: str, text: str) -> None:
        """Writes a file of the simulated machine atomically."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        new.write_text(text, encoding="ascii")
        new.replace(file)

    def play(self, *arguments: str, on_line: Callable[[str, subprocess.Popen[str]], None] = lambda line, child: None,
             on_figures: Callable[[dict[str, Any], subprocess.Popen[str]], None] | None = None,
             program: tuple[str, ...] = (str(PLAY),)) -> tuple[int, str]:
        """Runs the program. Calls `on_line` with each line of the output, and `on_figures` with each line of the log.

        Kills a program that hangs.
        """
        if on_figures is not None:
            os.mkfifo(self.log)
            arguments += (f"log={self.log}",)
        child = subprocess.Popen(
            [*program, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "GST_PLUGIN_PATH": str(TOP / "out/plugin")})
        watchdog = threading.Timer(PATIENCE, child.kill)
        watchdog.start()
        reader = threading.Thread(target=self.follow, args=(on_figures, child), daemon=True)
        if on_figures is not None:
            reader.start()
        lines = []
        for line in child.stdout:
            lines.append(line)
            on_line(line, child)
        child.stdout.close()
        status = child.wait()
        watchdog.cancel()
        if on_figures is not None:
            reader.join(timeout=PATIENCE)
        return status, "".join(lines)

    def follow(self, on_figures: Callable[[dict[str, Any], subprocess.Popen[str]], None],
               child: subprocess.Popen[str]) -> None:
        with self.log.open(encoding="utf-8") as file:
            for line in file:
                on_figures(json.loads(line), child)

    def figures(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    def targets(self, **words: Any) -> str:
        file = self.folder / "targets.json"
        file.write_text(json.dumps({"targets": {"text": words}}), encoding="utf-8")
        return f"targets={file}"

    def test_the_clip_is_played_to_its_end(self) -> None:
        status, output = self.play("clip", "stand-in=1", f"log={self.log}")
        self.assertEqual(status, 0, output)
        self.assertIn("text: stand-in 1\n", output)
        self.assertRegex(output, r"\ntext +\d+ +\d+ ")
        lines = self.figures()
        self.assertEqual((lines[0]["event"], lines[0]["is_real"], lines[-1]["event"]), ("start", False, "end"))
        count = lines[-2]["inferences"]
        self.assertGreater(count, 20, "a fifth of the frames of the clip at 20 a second; a busy machine drops some")
        self.assertIn(f"{count} inferences, 0 with a result", output)

    def test_sound_is_played_in_windows_and_loops(self) -> None:
        def follow(figures: dict[str, Any], child: subprocess.Popen[str]) -> None:
            counts.append(figures.get("inferences", 0))
            # Send SIGINT only once, because a second signal would kill the player.
            if counts[-2] <= in_the_clip < counts[-1]:
                child.send_signal(signal.SIGINT)

        # The clip has 5.3 s of sound. If the clip did not loop, it would end after 53 inferences.
        in_the_clip, counts = 53, [0]
        status, output = self.play("voice", "live", "stand-in=1", on_figures=follow)
        self.assertEqual(status, 0, output)
        self.assertGreater(max(counts), in_the_clip, output)

    @one_of_five
    def test_the_rate_falls_by_a_tier_and_returns(self) -> None:
        def end(line: str, child: subprocess.Popen[str]) -> None:
            if line.startswith("tier 0"):
                child.send_signal(signal.SIGINT)

        # The first run and 11 pictures take 500 ms each, later ones 1 ms. If the clock of the processor rises later, an
        # inference may take only 300 ms, whose rate of 3.3/s is still below the limit. The limits are wide, so that
        # other load raises no alert.
        words = {"rate-warning": "50%", "rate-critical": "30%", "compliance": "95%", "samples": 10}
        targets = self.targets(rate="10/s", p95="200ms", tiers=[5], **words)
        status, output = self.play(*TEST, "stand-in=500,0,12,1", "window=1s", "up-dwell=1", targets, f"log={self.log}",
                                   on_line=end)
        self.assertEqual(status, 0, output)
        events = [line[:line.find(":")] for line in output.splitlines() if line.startswith(("alert", "tier"))]
        self.assertEqual([each for each in events if each.startswith("tier")], ["tier 1", "tier 0"], output)
        # The request for the tier may precede the alert messages. One or two limits may be missed at the same time.
        alerts = [each for each in events[:events.index("tier 0")] if each.startswith("alert")]
        self.assertEqual(alerts[:1], ["alert raised"], output)
        self.assertIn("tier 1: 5/s (monitor:performance", output)
        # While the model is slow, the queue drops frames. Without drops, a frame would wait for 6 inferences after 3 s.
        # A window without output frames has no age, and one with few frames has no median.
        slow = [line for line in self.figures() if (line.get("max") or 0) > 0.2 and line.get("age-max")]
        self.assertTrue(slow, output)
        for line in slow:
            self.assertLess(line["age-max"], 4 * line["max"], line)
        self.assertGreater(slow[-1]["queue-dropped"], 0)

    def test_short_memory_unloads_the_model_and_it_returns(self) -> None:
        def follow(line: str, child: subprocess.Popen[str]) -> None:
            if line.startswith("model loaded"):
                loads.append(line)
                if len(loads) == 1:
                    self.write("proc/pressure/memory", "some avg10=20.00 avg60=0.00 avg300=0.00 total=0\n")
                else:
                    child.send_signal(signal.SIGINT)
            elif line.startswith("model unloaded"):
                self.write("proc/pressure/memory", "some avg10=5.00 avg60=0.00 avg300=0.00 total=0\n")

        loads: list[str] = []
        status, output = self.play(
            *TEST, "stand-in=1,100", "memory-rest=2.5", f"sensor-root={self.root}", f"log={self.log}", on_line=follow)
        self.assertEqual((status, len(loads)), (0, 2), output)
        self.assertIn("model unloaded: memory is short, ", output)
        states = [line["model"] for line in self.figures() if "event" not in line]
        self.assertIn("unloaded", states)
        memory = [(line["model"], line["memory"]) for line in self.figures() if "event" not in line]
        self.assertLess(min(each for state, each in memory if state == "unloaded"),
                        max(each for state, each in memory if state == "loaded") - 80e6, output)

    def test_heat_leads_to_the_tier_off_which_unloads_the_model(self) -> None:
        def follow(line: str, child: subprocess.Popen[str]) -> None:
            if line.startswith("model unloaded: tier off"):
                self.write(f"{ZONE}/temp", "40000\n")
            elif line.startswith("model loaded") and "unloaded" in seen:
                child.send_signal(signal.SIGINT)
            seen.update(line.split(":")[0].split())

        seen: set[str] = set()
        for name, text in (("type", "cpu-thermal"), ("trip_point_0_type", "passive"), ("trip_point_0_temp", "80000"),
                           ("trip_point_1_type", "critical"), ("trip_point_1_temp", "100000"), ("temp", "85000")):
            self.write(f"{ZONE}/{name}", f"{text}\n")
        status, output = self.play(*TEST, "stand-in=1", "up-dwell=1", f"sensor-root={self.root}",
                                   self.targets(rate="20/s", p95="500ms", tiers=["off"]), on_line=follow)
        self.assertEqual(status, 0, output)
        # The first level is posted before the stream has caps.
        self.assertNotIn("Traceback", output)
        self.assertLess(output.index("tier 1: off"), output.index("model unloaded: tier off"))
        self.assertLess(output.index("model unloaded"), output.index("tier 0: 20/s"))

    def test_a_low_battery_stops_a_model_that_is_not_critical(self) -> None:
        def follow(line: str, child: subprocess.Popen[str]) -> None:
            if line.startswith("model unloaded: the battery is low"):
                self.write("sys/class/power_supply/BAT0/status", "Charging\n")
            elif line.startswith("model loaded"):
                loads.append(line)
                self.write("sys/class/power_supply/BAT0/capacity", "19\n")
                if len(loads) == 2:
                    child.send_signal(signal.SIGINT)

        for name, text in (("type", "Battery"), ("status", "Discharging"), ("capacity", "80")):
            self.write(f"sys/class/power_supply/BAT0/{name}", f"{text}\n")
        loads: list[str] = []
        status, output = self.play("voice", "test", "stand-in=1", f"sensor-root={self.root}", on_line=follow)
        self.assertEqual((status, len(loads)), (0, 2), output)
        self.write("sys/class/power_supply/BAT0/status", "Discharging\n")
        # Text is critical.
        status, output = self.play(
            *TEST, "stand-in=1", f"sensor-root={self.root}", "seconds=2", f"log={self.log}", on_line=follow)
        self.assertEqual((status, "unloaded: the battery" in output), (0, False), output)
        self.assertEqual({line["battery"] for line in self.figures() if "event" not in line}, {0.19})
        self.assertIsNone(self.figures()[-1]["battery_percent"], "the charge has not changed")

    def test_read_text_shows_frames_and_figures(self) -> None:
        for arguments in (["screen=fakesink"], [f"in={TOP / 'pipelines/media/bigbuckbunny.webm'}", "screen=fakesink"]):
            status, output = self.play("read-text", "stand-in=1", "seconds=2", *arguments,
                                       program=(str(TOP / "pipelines/play"),))
            self.assertEqual((status, "Figures: http://127.0.0.1:" in output), (0, True), output)
            self.assertNotIn("\n0 inferences" if len(arguments) == 1 else "ERROR", output)
            self.assertRegex(output, r"\nfakesink0 +[1-9]\d* +– ")

    def test_a_display_shows_every_frame_although_an_inference_is_late(self) -> None:
        """The sink has the values of a display, which drops frames that are more than 5 ms late."""
        code = (f"import sys; sys.path.insert(0, {str(TOP / 'pipelines/inference')!r})\n"
                "from player import Player\nfrom settings import parse\n"
                f"player = Player(parse({TEST} + ['stand-in=100', 'seconds=4', 'screen=fakesink name=display sync=true "
                "max-lateness=5000000 qos=true signal-handoffs=true']))\n"
                "shown = []\n"
                "player.pipeline.get_by_name('display').connect('handoff', lambda *_: shown.append(1))\n"
                "status = player.run()\n"
                "print('shown', len(shown), player.inferences.read()['inferences'])\n"
                "sys.exit(status)\n")
        status, output = self.play(program=("/usr/bin/python3", "-c", code))
        self.assertEqual(status, 0, output)
        shown, inferences = map(int, output.splitlines()[-1].split()[1:])
        self.assertGreater(inferences, 2, output)
        self.assertGreaterEqual(shown, inferences - 1, output)

    def test_large_blocks_are_outside_of_the_heap(self) -> None:
        """Otherwise the heap keeps the gaps between them, more than 100 MB after some inferences."""
        def look(line: str, child: subprocess.Popen[str]) -> None:
            if line.startswith("model loaded"):
                seen.append(Path(f"/proc/{child.pid}/environ").read_bytes().split(b"\0"))
                child.send_signal(signal.SIGINT)

        seen: list[list[bytes]] = []
        status, output = self.play(*TEST, "stand-in=1", on_line=look)
        self.assertEqual(status, 0, output)
        self.assertIn(b"MALLOC_MMAP_THRESHOLD_=1048576", seen[0])

    def test_a_model_that_is_not_installed_is_named(self) -> None:
        for row, package in (("facial-expression", "The package mediapipe is not installed"),
                             ("text", "No module named 'onnxruntime'")):
            status, output = self.play(row, *TEST, program=("/usr/bin/python3", str(TOP / "pipelines/inference")))
            self.assertEqual(status, 1, output)
            self.assertIn(f"The model cannot be loaded: {package}", output)

    def test_a_model_that_fails_ends_the_pipeline(self) -> None:
        code = (f"import sys; sys.path.insert(0, {str(TOP / 'pipelines/inference')!r})\n"
                "from dataclasses import replace\n"
                "from models import Kind\nfrom player import Player\nfrom settings import Settings, parse\n"
                "import stand_in\n"
                "class Failing(stand_in.StandIn):\n"
                "    def run(self, picture):\n"
                "        if self._count == 3: raise ValueError('the picture is odd')\n"
                "        return super().run(picture)\n"
                "stand_in.Failing = Failing\n"
                f"settings = parse({TEST})\n"
                "settings = replace(settings, kind=Kind('stand_in', 'Failing', 'failing', (1,)))\n"
                "sys.exit(Player(settings).run())\n")
        status, output = self.play(program=("/usr/bin/python3", "-c", code))
        self.assertEqual((status, "text: The model failed: the picture is odd" in output), (1, True), output)
        self.assertIn("2 inferences", output)

    def test_a_result_that_cannot_be_shown_ends_the_pipeline(self) -> None:
        code = (f"import sys; sys.path.insert(0, {str(TOP / 'pipelines/inference')!r})\n"
                "import overlay\nfrom player import Player\nfrom settings import parse\n"
                "overlay.drawing_on = lambda element: lambda result: 1 / 0\n"
                f"sys.exit(Player(parse({TEST} + ['stand-in=1'])).run())\n")
        status, output = self.play(program=("/usr/bin/python3", "-c", code))
        self.assertEqual((status, "text: The result cannot be shown: division by zero" in output), (1, True), output)

    def test_a_closed_output_ends_the_player(self) -> None:
        child = subprocess.Popen(
            [str(PLAY), *TEST, "stand-in=1"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "GST_PLUGIN_PATH": str(TOP / "out/plugin")})
        watchdog = threading.Timer(PATIENCE, child.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        self.assertEqual(child.stdout.readline(), "text: stand-in 1\n")
        child.stdout.close()
        errors = child.stderr.read()
        child.stderr.close()
        self.assertEqual((child.wait(timeout=PATIENCE), "Traceback" in errors), (0, False), errors)

    def test_h264_in_mp4_is_played_upright(self) -> None:
        """avdec_h264 offers other memory beside plain frames. The tag turns the picture by a quarter."""
        clip = self.folder / "clip.mp4"
        flat = self.folder / "flat.mp4"
        line = ("videotestsrc num-buffers=10 pattern=red ! video/x-raw,width=320,height=64,framerate=10/1 ! x264enc "
                f"! mp4mux ! filesink location={flat}")
        subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
        subprocess.run(["ffmpeg", "-v", "error", *rotated(str(flat), 90), clip], check=True)
        frames = self.folder / "frames"
        status, output = self.play(
            "text", "stand-in=1", f"in={clip}", f"screen=video/x-raw,format=RGB ! filesink location={frames}")
        self.assertEqual((status, "\n0 inferences" in output), (0, False), output)
        pixels, width, height = frames.read_bytes(), 640, 360
        centre, side = ((height // 4 * width + width // 2) * 3, (height // 2 * width + width // 4) * 3)
        self.assertGreater(pixels[centre], 150, "a picture that stands is high")
        self.assertLess(pixels[side], 100, "and narrow")

    def test_a_clip_without_sound_is_named(self) -> None:
        clip = self.folder / "silent.webm"
        line = f"videotestsrc num-buffers=5 ! vp8enc ! webmmux ! filesink location={clip}"
        subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
        status, output = self.play("voice", "stand-in=1", f"in={clip}")
        self.assertEqual((status, f"{clip} has no sound that can be decoded." in output), (1, True), output)

    def test_a_playlist_runs_nothing_and_connects_to_no_host(self) -> None:
        for kind, text in playlists(self.folder / "owned"):
            with self.subTest(kind), Host() as host:
                clip = self.folder / "clip.mkv"
                clip.write_text(text.replace("HOST", host.address))
                status, output = self.play("text", f"in={clip}", "stand-in=1", "seconds=2")
                self.assertFalse(host.was_asked(), output)
                self.assertFalse((self.folder / "owned").exists(), output)
                self.assertEqual(status, 1, output)
                self.assertIn(f"{clip} has no picture that can be decoded", output)

    def test_the_log_replaces_no_file_without_force(self) -> None:
        clip = self.folder / "clip.webm"
        shutil.copyfile(TOP / "pipelines/media/bigbuckbunny.webm", clip)
        self.log.write_text("old", encoding="ascii")
        for arguments, words in (
                ([f"in={clip}", f"log={clip}", "--force"], "is the same file as the input"),
                ([f"log={self.log}"], "exists; --force replaces it")):
            status, output = self.play("stand-in=1", *arguments)
            self.assertEqual((status, words in output), (1, True), output)
        self.assertGreater(clip.stat().st_size, 100)
        self.assertEqual(self.log.read_text(encoding="ascii"), "old")
        status, output = self.play("stand-in=1", f"log={self.log}", "--force", "seconds=1")
        self.assertEqual(status, 0, output)
        self.assertIn('"event": "end"', self.log.read_text(encoding="ascii"))

    def test_the_old_log_stays_until_the_new_one_is_complete(self) -> None:
        link = self.folder / "link.jsonl"
        link.symlink_to(self.log.name)
        self.log.write_text("old", encoding="ascii")
        seen = []
        status, output = self.play("stand-in=1", f"log={link}", "--force", "seconds=1",
                                   on_line=lambda line, child: seen.append(self.log.read_text(encoding="ascii")))
        self.assertEqual((status, seen[0], link.is_symlink()), (0, "old", True), output)
        self.assertIn('"event": "end"', self.log.read_text(encoding="ascii"))
        self.log.write_text("old", encoding="ascii")
        files = set(self.folder.iterdir())
        for arguments in (["camera=nosuchsource"], ["camera=videotestsrc ! identity error-after=2"]):
            status, output = self.play("stand-in=1", f"log={self.log}", "--force", *arguments)
            self.assertEqual((status, self.log.read_text(encoding="ascii")), (1, "old"), output)
        unfinished, = set(self.folder.iterdir()) - files
        self.assertIn(f"The log is not complete: {unfinished}", output)

    def test_every_name_of_a_clip_is_found(self) -> None:
        for name in ('a "b" ! c.webm', "a\\b'.webm", "a\nb.webm"):
            clip = self.folder / name
            shutil.copyfile(TOP / "pipelines/media/bigbuckbunny.webm", clip)
            status, output = self.play("stand-in=1", "seconds=1", f"in={clip}")
            self.assertEqual((status, "\n0 inferences" in output), (0, False), output)
        status, output = self.play("stand-in=1", f"in={self.folder}/caf\udce9.webm")
        self.assertEqual((status, output.count("\n")), (1, 1), output)

    def test_mistakes_are_named(self) -> None:
        for arguments, answer in (
                (["tekst", "stand-in=1"], "\"tekst\" is neither a model (text, "),
                (["--fast"], "There is no option --fast"),
                (["stand-in=1,2,3"], "stand-in=1,2,3 cannot be read: it has one, two or four numbers"),
                (["stand-in=1", "in=/nowhere.webm"], "There is no clip /nowhere.webm"),
                (["stand-in=1", "sensor-root=/nowhere"], "There is no folder /nowhere"),
                (["stand-in=1", "targets=/nowhere.json"], "The targets in /nowhere.json cannot be read"),
                (["stand-in=1", "log=/nowhere/log"], "/nowhere/log cannot be written: No such file"),
                (["stand-in=1", "camera=nosuchsource"], "The pipeline cannot be made: no element \"nosuchsource\""),
                (["stand-in=1", "seconds=-1"], "seconds=-1 cannot be read: it is not above 0"),
                (["stand-in=1", "window=often"], "\"often\"")):
            with self.subTest(arguments):
                status, output = self.play(*arguments)
                self.assertEqual((status, answer in output), (1, True), output)
                self.assertNotIn("Traceback", output)


if __name__ == "__main__":
    unittest.main()
