"""Tests of the models of pipelines/inference.

Tests that require a virtual environment are skipped unless pipelines/inference/play has made it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
MODELS, MEDIAPIPE = TOP / "out/models-venv", TOP / "out/mediapipe-venv"
MODULES = TOP / "pipelines/inference"
CLIP = TOP / "pipelines/media/bigbuckbunny.webm"

LOAD_TWICE = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])

def refuse(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(refuse)
import targets
from model_host import ModelHost, resident_memory
without_library = resident_memory()
start = time.process_time()
import numpy
an_import = time.process_time() - start
from models import KINDS, Picture
said, failures = [], []
sample = Picture(bytes(32000), 160, 100) if KINDS[sys.argv[2]].is_sound else Picture(bytes(640 * 360 * 3), 640, 360)
host = ModelHost(KINDS[sys.argv[2]], sample, said.append, failures.append)
memory, costs = [], []
for _ in range(2):
    for is_wanted in (True, False):
        start = time.process_time()
        host.want(is_wanted)
        host.wait()
        costs.append(time.process_time() - start)
        memory.append(resident_memory())
assert not failures, failures
assert max(costs) < 8 * an_import, (costs, an_import)
assert memory[1] < memory[0] and memory[3] < memory[2], memory
limit = targets.read(pathlib.Path(sys.argv[3]), sys.argv[2]).memory
assert max(memory) - without_library < limit, (memory, without_library, limit)
print("times", host.load_times, "memory", memory)
"""

FIND = """
import sys
sys.path.insert(0, sys.argv[1])
from models import KINDS, Picture
model = KINDS[sys.argv[2]].load()
data, size, found = open(sys.argv[3], "rb").read(), 640 * 360 * 3, 0
count = len(data) // size
for index in range(count):
    result = model.run(Picture(data[index * size:(index + 1) * size], 640, 360))
    found += result["found"]
model.close()
print(found, "of", count, result)
"""


READ = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy, pages, text_lines
from models import KINDS, Picture
model = KINDS["text"].load()
for seed in (1, 2, 3):
    for lines in (pages.SIMPLE, pages.DENSE):
        page = pages.page(lines, seed)
        picture = numpy.frombuffer(pages.rendered(page), numpy.uint8).reshape(pages.PAGE_HEIGHT, pages.WIDTH, 4)
        small = text_lines.reduced(picture[:pages.HEIGHT, :, 2::-1], 3).round().astype(numpy.uint8)
        text = model.run(Picture(small.tobytes(), 640, 360))["text"]
        print("read" if text == "\\n".join(page[:lines]) else (text, page))
"""

HEAR = """
import sys
sys.path.insert(0, sys.argv[1])
from models import KINDS, Picture
model, data = KINDS["voice"].load(), open(sys.argv[2], "rb").read()
windows = [data[end - 32000:end] for end in range(32000, len(data) + 1, 16000)]
print(sum(model.run(Picture(window, 160, 100))["found"] for window in windows), len(windows))
"""


class ImportTest(unittest.TestCase):
    def test_only_the_requested_solutions_are_imported(self) -> None:
        """The __init__ files of the fake packages mediapipe and solutions raise an error."""
        with tempfile.TemporaryDirectory() as folder:
            solutions = Path(folder, "mediapipe/python/solutions")
            solutions.mkdir(parents=True)
            for package in (solutions, solutions.parent.parent):
                (package / "__init__.py").write_text("raise ImportError('everything is imported')", encoding="ascii")
            (solutions.parent / "__init__.py").touch()
            for name in ("pose", "face_mesh"):
                (solutions / f"{name}.py").write_text(f"NAME = '{name}'", encoding="ascii")
            code = ("import sys; sys.path[:0] = sys.argv[1:]; from mediapipe_models import solution; "
                    "print(solution('pose').NAME, solution('face_mesh').NAME, solution('pose').NAME)")
            done = subprocess.run([sys.executable, "-c", code, str(MODULES), folder], text=True, capture_output=True)
            self.assertEqual(done.stdout, "pose face_mesh pose\n", done.stderr)


def run(venv: Path, code: str, *arguments: str) -> str:
    """Runs code in a virtual environment, and returns its output."""
    done = subprocess.run([str(venv / "bin/python"), "-c", code, str(MODULES), *arguments], text=True,
                          capture_output=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


@unittest.skipUnless((MODELS / "ready").exists(), "onnxruntime is not installed")
class OnnxTest(unittest.TestCase):
    def test_models_load_at_the_cost_of_a_few_imports_without_sockets_and_return_memory(self) -> None:
        """The unit of the costs is the processor time of an import of numpy.

        The memory of library and model must be below the target.
        """
        for name in ("text", "text-boxes", "voice"):
            with self.subTest(name):
                run(MODELS, LOAD_TWICE, name, str(TOP / "targets/models.json"))

    def test_all_lines_of_generated_pages_are_read(self) -> None:
        output = run(MODELS, READ)
        self.assertEqual(output, "read\n" * 6)

    def test_speech_is_detected_and_noise_is_not(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for source, least, most in (("flitetestsrc num-buffers=300", 0.5, 1), (
                    "audiotestsrc wave=pink-noise num-buffers=300", 0, 0.1), ("audiotestsrc num-buffers=300", 0, 0.1)):
                samples = f"{folder}/samples"
                line = (f"{source} ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=16000,channels=1 ! "
                        f"filesink location={samples}")
                subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
                found, total = map(int, run(MODELS, HEAR, samples).split())
                self.assertGreater(total, 10)
                self.assertTrue(least <= found / total <= most, (source, found, total))

    def test_text_of_a_clip_is_read_and_drawn_without_a_network(self) -> None:
        """The pipeline runs in a network namespace that has no interface."""
        with tempfile.TemporaryDirectory() as folder:
            sign = ("<svg><text x='60' y='90' font-size='44'>Meadow 12 km</text>"
                    "<text x='60' y='170' font-size='44' fill='yellow'>no entry &amp; no exit</text></svg>")
            line = ["filesrc", f"location={CLIP}", "!", "matroskademux", "!", "vp8dec", "!", "videoconvert", "!",
                    "videoscale", "!", "video/x-raw,width=854,height=480", "!", "rsvgoverlay", f"data={sign}", "!",
                    "videoconvert", "!", "vp8enc", "deadline=1", "!", "webmmux", "!", "filesink",
                    f"location={folder}/signs.webm"]
            subprocess.run(["gst-launch-1.0", "-q", *line], check=True)
            done = subprocess.run(
                ["unshare", "-rn", str(TOP / "pipelines/play"), "read-text", f"in={folder}/signs.webm", "dashboard=",
                 f"screen=video/x-raw,format=RGB ! filesink location={folder}/frames"],
                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if "unshare:" in done.stdout:
                self.skipTest("There are no network namespaces here.")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("text: Meadow 12 km | no entry & no exit\n", done.stdout)
            self.assertGreater(Path(folder, "frames").read_bytes().count(bytes.fromhex("1565c0")), 100)


    def test_pools_are_measured_while_text_is_read(self) -> None:
        for pool in ("fixed 8", "adaptive, defaults"):
            done = subprocess.run(
                [str(TOP / "Benchmarks/text-pool"), "--rounds", "1", "--seconds", "3", "--idle", "5", "--pools", pool,
                 "--reduction", "2"],
                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, rf"\n{pool} +[0-9.]+ ")
            self.assertRegex(done.stdout, "Recognition took [1-9]")
            in_flight = re.search("at most ([0-9]+) frames were in flight", done.stdout)
            if pool == "fixed 8":
                self.assertLessEqual(int(in_flight[1]), 8, done.stdout)


@unittest.skipUnless((MEDIAPIPE / "ready").exists(), "mediapipe is not installed")
class MediapipeTest(unittest.TestCase):
    def test_models_load_at_the_cost_of_a_few_imports_and_return_memory_each_time(self) -> None:
        for name in ("pose", "facial-expression"):
            with self.subTest(name):
                run(MEDIAPIPE, LOAD_TWICE, name, str(TOP / "targets/models.json"))

    def test_pose_and_faces_are_found_in_the_clip(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            frames = f"{folder}/frames.rgb"
            line = (f"filesrc location={CLIP} ! matroskademux ! vp8dec ! videoconvert ! videoscale "
                    f"! video/x-raw,format=RGB,width=640,height=360 ! filesink location={frames}")
            subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
            for name, least, names in (("pose", 66, ("nose-x",)), ("facial-expression", 13, ())):
                with self.subTest(name):
                    output = run(MEDIAPIPE, FIND, name, frames)
                    self.assertGreater(int(output.split()[0]), least, output)
                    for each in names:
                        self.assertIn(each, output)


if __name__ == "__main__":
    unittest.main()
