"""Tests of Benchmarks/inference and Benchmarks/text-pool: short runs with a stand-in, and invented figures."""

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
import unittest.mock
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "Benchmarks/python/inference"), str(TOP / "Tests")]

from patience import PATIENCE, one_of_five  # noqa: E402
import rows  # noqa: E402
from phases import Disturbance  # noqa: E402
from rows import Progress  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def invented(name: str, rates: list[float]) -> list[dict[str, Any]]:
    """A run of 100 s. In the second half, every other inference is late, which raises an alert and lowers the tier."""
    lines: list[dict[str, Any]] = [{
        "time": 0, "event": "start", "row": name, "model": "invented <model>", "memory_base": 40e6,
        "memory_target": 50e6, "p95_target": 0.05, "rates": rates, "energy_target": 15, "battery_target": 10,
        "machine": "an invented machine"}]
    count = within = 0
    for second in range(1, 101):
        is_unloaded = 38 <= second < 45
        count, within = count + 10, within + (10 if second <= 50 else 5)
        lines.append({
            "time": second, "inferences": count, "within": within, "model": "unloaded" if is_unloaded else "loaded",
            "memory": 50e6 if is_unloaded else 150e6, "p50": 0.02, "p95": None if second < 3 else 0.06, "max": 0.08})
    alert = {"event": "alert", "severity": "critical", "metric": "p95", "element": name}
    lines[-30:-30] = [{"time": 70, "change": "raised"} | alert,
                      {"time": 80, "event": "tier", "tier": 1, "rate": rates[-1]},
                      {"time": 90, "change": "cleared"} | alert]
    end = {"time": 100, "event": "end", "load_times": [0.2, 0.1], "energy": 500, "battery_percent": None}
    return lines + [end | {"p50": 0.02, "p95": 0.06, "p99": None, "max": 0.08}]


class BenchmarkTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="inference-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_it(self, *arguments: str) -> tuple[int, str]:
        done = subprocess.run([str(TOP / "Benchmarks/inference"), *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
        return done.returncode, done.stdout

    def write(self, name: str, lines: list[dict[str, Any]]) -> None:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")

    def test_the_picture_has_a_column_for_each_row(self) -> None:
        self.write("text", invented("text", [10, 5]))
        self.write("voice", invented("voice", [0.2]))
        status, output = self.run_it("--draw", str(self.folder))
        self.assertEqual(status, 0, output)
        picture = ElementTree.parse(self.folder / "inference.svg").getroot()
        texts = [each.text for each in picture.iter(f"{SVG}text")]
        for text in ("text", "voice", "75.0% of 1000 within the P95 target", "start + 50 MB",
                     "P95 target 50 ms"):
            self.assertIn(text, texts)
        alerts = [each for each in picture.iter(f"{SVG}rect")
                  if each.get("fill") == "#c62828" and each.get("height") == "9"]
        self.assertEqual(len(alerts), 2)
        width, height = float(picture.get("width")), float(picture.get("height"))
        for line in picture.iter(f"{SVG}polyline"):
            for x, y in (map(float, point.split(",")) for point in line.get("points", "").split()):
                self.assertTrue(0 <= x <= width and 0 <= y <= height, (x, y))

    def test_the_table_has_the_figures(self) -> None:
        self.write("text", invented("text", [10, 5]))
        status, output = self.run_it("--draw", str(self.folder), "--rows", "text")
        self.assertEqual(status, 0, output)
        self.assertIn("| 1000 | 75.0%, ", output)
        self.assertIn("| 20, 60, – ms | P95 50 ms | p95 20% | 10/s 80%, 5/s 20% |", output)
        self.assertIn("40 MB before the library, 50 unloaded, 150 loaded, peak 150 (target of the model 50)", output)
        self.assertIn(" | 0.20 s, 0.10 s | 5.0 W (target 15 W) | not measured (target 10 %) |", output)
        self.assertIn("100 s for each row, on an invented machine. ", output)
        self.assertIn("- This is a short form: ", output)
        self.assertNotIn("cannot raise an alert", output)

    def test_the_report_states_the_limits_of_each_row(self) -> None:
        long = invented("text", [10, 5])
        long[-1]["time"] = 300
        self.write("text", long)
        self.write("voice", invented("voice", [0.2]))
        status, output = self.run_it("--draw", str(self.folder))
        self.assertEqual(status, 0, output)
        self.assertIn("`text`: 300 s, on an invented machine. `voice`: 100 s, on an invented machine. ", output)
        self.assertIn("- `voice` has at most one inference in such a window, and cannot raise an alert.", output)
        self.write("voice", [])
        _, output = self.run_it("--draw", str(self.folder))
        self.assertNotIn("short form", output)

    def test_a_row_that_fails_leaves_no_figures(self) -> None:
        """The program of the first row does not exist. The second row is not played and reports success."""
        self.write("voice", invented("voice", [0.2]))
        self.write("text-boxes", invented("text-boxes", [10]))
        code = ("import sys; sys.path.insert(0, sys.argv.pop(1)); import runpy, rows; from pathlib import Path; "
                "rows.PROGRAM = Path('/nowhere'); rows.ROWS = ('text-boxes', 'voice'); "
                "play = rows.play; rows.play = lambda row, *rest: row == 'voice' or play(row, *rest); "
                "rows.TOP = Path(sys.argv.pop(1)); (rows.TOP / 'docs').mkdir(); "
                "sys.argv[0] = 'inference'; runpy.run_path(f'{sys.path[0]}/__main__.py', run_name='__main__')")
        done = subprocess.run(
            ["/usr/bin/python3", "-B", "-c", code, str(TOP / "Benchmarks/python/inference"), str(self.folder), "--rows",
             "text-boxes,voice", "--stand-in", "1", "--out", str(self.folder), "--docs"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("docs/ is not changed, because text-boxes failed.", done.stdout)
        self.assertIn("| `voice` |", done.stdout)
        self.assertNotIn("| `text-boxes` |", done.stdout)
        self.assertEqual(list((self.folder / "docs").iterdir()), [])

    def test_a_benchmark_that_is_ended_leaves_no_process(self) -> None:
        output = self.folder / "text-boxes.txt"
        os.mkfifo(output)
        child = subprocess.Popen(
            [str(TOP / "Benchmarks/inference"), "--rows", "text-boxes", "--stand-in", "1", "--out", str(self.folder)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(child.kill)
        # The player also holds the file open, so EOF shows that the player has ended.
        with output.open("rb", buffering=0) as file:
            self.assertTrue(file.read(1))
            child.terminate()
            self.assertEqual(child.wait(timeout=PATIENCE), 128 + signal.SIGTERM)
            rest = threading.Thread(target=file.read, daemon=True)
            rest.start()
            rest.join(timeout=PATIENCE)
            self.assertFalse(rest.is_alive(), "the player plays on")

    def test_a_row_that_was_interrupted_is_not_drawn(self) -> None:
        self.write("text", invented("text", [10, 5])[:-1])
        status, output = self.run_it("--draw", str(self.folder))
        self.assertEqual((status, "There are no complete figures" in output), (1, True), output)

    @one_of_five
    def test_a_short_row_is_played_beside_hogs_and_unloaded(self) -> None:
        status, output = self.run_it(
            "--rows", "text-boxes", "--stand-in", "30,50", "--seconds", "12", "--out", str(self.folder))
        self.assertEqual(status, 0, output)
        lines = [json.loads(line) for line in (self.folder / "text-boxes.jsonl").read_text("utf-8").splitlines()]
        events = [line["text"].split(" in ")[0].split(",")[0] for line in lines if line.get("event") == "model"]
        self.assertEqual(events[:3], ["model loaded", "model unloaded: memory is short", "model loaded"], output)
        self.assertRegex(output, r"\| `text-boxes` \| stand-in 30,50 \| [1-9][0-9]* \| ")
        self.assertTrue((self.folder / "inference.svg").exists())

    def test_memory_is_short_until_the_model_is_unloaded(self) -> None:
        disturbance, log = Disturbance(self.folder), self.folder / "row.new"
        progress = Progress(log)
        for line, share, wanted in (
                ("", 0, "0.00"), ('{"event": "start"}\n', 0.4, "25.00"), ('{"event": "mod', 0.46, "25.00"),
                ('el", "text": "model loaded in 1 s"}\n', 0.47, "25.00"),
                ('{"event": "model", "text": "model unloaded: memory is short"}\n', 0.48, "0.00"),
                ('{"event": "model", "text": "model loaded in 1 s"}\n', 0.49, "0.00")):
            with log.open("a", encoding="utf-8") as file:
                file.write(line)
            progress.read()
            disturbance.follow(share, progress.is_unloaded)
            text = (self.folder / "proc/pressure/memory").read_text("ascii")
            self.assertTrue(text.startswith(f"some avg10={wanted} "), (line, share, text))
        self.assertTrue(progress.has_started)

    def test_a_row_has_the_batteries_of_this_machine_and_a_small_heap(self) -> None:
        program = self.folder / "program.py"
        program.write_text(
            "import os, sys\n"
            "words = dict(word.split('=', 1) for word in sys.argv if '=' in word)\n"
            "print(os.path.realpath(words['sensor-root'] + '/sys/class/power_supply'))\n"
            "print(os.environ['MALLOC_MMAP_THRESHOLD_'])\n"
            "open(words['log'], 'w').close()\n", encoding="ascii")
        with unittest.mock.patch.object(rows, "PROGRAM", program):
            self.assertTrue(rows.play("text", 1, self.folder, "1"))
        self.assertEqual((self.folder / "text.txt").read_text("utf-8"),
                         f"{os.path.realpath('/sys/class/power_supply')}\n1048576\n")

    def test_mistakes_are_named(self) -> None:
        for arguments, answer in (
                (["--rows", "posse"], "There is no row posse"), (["--seconds", "3"], "from 10 to 86400")):
            with self.subTest(arguments):
                # The libraries of models may be missing.
                status, output = self.run_it(*arguments, "--stand-in", "1")
                self.assertEqual((status, answer in output), (2, True), output)


PAGES = """
import sys
sys.path.insert(0, sys.argv[1])
import pages
from gi.repository import Gst

def play(source, rest):
    pipeline = Gst.parse_launch(f"queue name=first max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! {rest}")
    pipeline.add(source)
    source.link(pipeline.get_by_name("first"))
    source.set_property("num-buffers", 6)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message.type == Gst.MessageType.EOS, message.parse_error()
    assert source.frames == len(source.acquire_times) == 6

# videoscale offers a pool without a limit.
slow = ("videoscale ! video/x-raw,width=640,height=360 ! identity sleep-time=500000 "
        "! fakesink enable-last-sample=false")
own, offered = pages.PageSource(most_buffers=3), pages.PageSource()
play(own, slow)
play(offered, "fakesink")
print(own.stalled > 0, own.missed > 0, offered.stalled)
one, same, other = ([next(scenes) for _ in range(900)] for scenes in map(pages.scenes, (1, 1, 2)))
print(one == same, one == other, 0 < sum(one) < 450, pages.page(3, 1) == pages.page(3, 1))
"""

RUN = """
import sys
sys.path[:0] = sys.argv[1:]
import run
from models import Kind
slow = Kind("stand_in", "StandIn", "slow", (100,))
for pool in ("8", "0"):
    figures = run.Run(pool, 3, 0, 1, slow).play()
    print(figures["stalled"] > 0, figures["in-flight"] <= 8, figures["used"] <= 1)
run.Run("8", 3, 0, 1, Kind("nowhere", "Nothing", "missing", ()))
"""


class TextPoolTest(unittest.TestCase):
    def test_a_fixed_pool_stalls_with_a_slow_model_and_one_without_a_limit_does_not(self) -> None:
        """The model is three times as slow as the source."""
        done = subprocess.run(
            ["/usr/bin/python3", "-c", RUN, *(str(TOP / folder) for folder in (
                "Benchmarks/python/text_pool", "pipelines/inference", "pipelines"))], text=True, capture_output=True,
            timeout=PATIENCE, env=os.environ | {"GST_PLUGIN_PATH": str(TOP / "out/plugin")})
        figures = done.stdout.splitlines()
        self.assertEqual([line for line in figures if line.startswith(("True", "False"))],
                         ["True True True", "False False True"], done.stderr)
        self.assertIn("No module named 'nowhere'", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_the_page_has_all_pools(self) -> None:
        path = os.pathsep.join(str(TOP / folder) for folder in ("Benchmarks/python/shared", "pipelines"))
        done = subprocess.run(
            ["/usr/bin/python3", str(TOP / "Benchmarks/python/text_pool"), "--docs", "--pools", "fixed 8"], text=True,
            capture_output=True, env=os.environ | {"PYTHONPATH": path}, timeout=PATIENCE)
        self.assertEqual((done.returncode, "--docs writes a table of all pools" in done.stderr), (2, True), done.stderr)

    def test_source_skips_frames_while_its_pool_is_empty(self) -> None:
        done = subprocess.run(["/usr/bin/python3", "-c", PAGES, str(TOP / "pipelines/inference")], text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "True True 0\nTrue False True True\n", done.stderr)

    def test_table_has_medians_with_the_range_of_all_rounds(self) -> None:
        code = ("import sys, runpy; sys.path[:0] = sys.argv[2:]; table = runpy.run_path(sys.argv[1])['table']\n"
                "keys = ('stalled', 'missed', 'fast', 'mean', 'peak', 'idle', 'resident', 'resident-peak', "
                "'resident-idle', 'used', 'work-p50')\n"
                "runs = [dict.fromkeys(keys, value) | {'verdict': text} for value, text in "
                "((0.5, 'memory kept: 60 MB'), (0.1, ''), (0.2, 'memory kept: 70 MB'))]\n"
                "print(*table({'fixed 8': runs, 'one': runs[:1]}), sep='\\n')")
        done = subprocess.run(
            [sys.executable, "-c", code, str(TOP / "Benchmarks/python/text_pool/__main__.py"),
             str(TOP / "Benchmarks/python/shared"), str(TOP / "pipelines")], text=True, capture_output=True)
        self.assertIn("['fixed 8', '20.0 (10.0–50.0)', '20.0 (10.0–50.0)'", done.stdout, done.stderr)
        self.assertIn("'2 of 3']", done.stdout)
        self.assertIn("['one', '50.0', ", done.stdout)


if __name__ == "__main__":
    unittest.main()
