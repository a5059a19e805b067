"""Tests of the models of mediapipe.

Tests that require mediapipe are skipped unless pipelines/inference/play has installed it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PYTHON = TOP / "out/inference-venv/bin/python"
MODULES = TOP / "pipelines/inference"
CLIP = TOP / "pipelines/media/bigbuckbunny.webm"

LOAD_TWICE = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
import targets
from model_host import ModelHost, resident_memory
without_library = resident_memory()
start = time.process_time()
import numpy
an_import = time.process_time() - start
from models import KINDS, Picture
said, failures = [], []
host = ModelHost(KINDS[sys.argv[2]], Picture(bytes(640 * 360 * 3), 640, 360), said.append, failures.append)
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


@unittest.skipUnless((TOP / "out/inference-venv/ready").exists(), "mediapipe is not installed")
class ModelTest(unittest.TestCase):
    def run_it(self, code: str, *arguments: str) -> str:
        done = subprocess.run([str(PYTHON), "-c", code, str(MODULES), *arguments], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_models_load_at_the_cost_of_a_few_imports_and_return_memory_each_time(self) -> None:
        """The unit of the costs is the processor time of an import of numpy. Importing all of mediapipe takes seconds.

        The memory of the library and the model must be below the target.
        """
        for name in ("pose", "facial-expression"):
            with self.subTest(name):
                self.run_it(LOAD_TWICE, name, str(TOP / "targets/neuroguide.json"))

    def test_pose_and_faces_are_found_in_the_clip(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            frames = f"{folder}/frames.rgb"
            line = (f"filesrc location={CLIP} ! matroskademux ! vp8dec ! videoconvert ! videoscale "
                    f"! video/x-raw,format=RGB,width=640,height=360 ! filesink location={frames}")
            subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True)
            for name, least, names in (("pose", 66, ("nose-x",)), ("facial-expression", 13, ())):
                with self.subTest(name):
                    output = self.run_it(FIND, name, frames)
                    self.assertGreater(int(output.split()[0]), least, output)
                    for each in names:
                        self.assertIn(each, output)


if __name__ == "__main__":
    unittest.main()
