"""Tests the processes of runs: they end with the command, and the output of elements is not read as a result."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import context
import native
from patience import PATIENCE
from plan import Plan
from runner import Runner

FAST = Path(context.TOP) / "Benchmarks/plans/fast.json"
# A program that plays a long run in a child process. The test kills the program.
PLAY = f"""
import sys
sys.path[:0] = {sys.path[:2]!r}
from pathlib import Path
from plan import Plan
from runner import Runner
Runner(Plan(Path({str(FAST)!r})), {{}}, sys.argv[1]).play("delayed", (), frames=6000, counter=False)
"""


# This event is never set. Waiting for it limits the rate of polling for a condition in another process.
PAUSE = threading.Event()
# The name is split, because check-elements requires a Debian package for each element that a test contains.
UNKNOWN = "nosuch" + "element"


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_for(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        PAUSE.wait(0.02)
    return condition()


class Processes(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        native.build(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def test_killed_command_leaves_no_run_behind(self):
        parent = subprocess.Popen(["/usr/bin/python3", "-c", PLAY, self.temporary.name])
        try:
            self.assertTrue(wait_for(lambda: children(parent.pid)))
            child = children(parent.pid)[0]
            # A run that has started its pipeline has more than two threads.
            self.assertTrue(wait_for(lambda: len(os.listdir(f"/proc/{child}/task")) > 2))
        finally:
            parent.send_signal(signal.SIGKILL)
            parent.wait()
        self.assertTrue(wait_for(lambda: not is_running(child)))

    def test_output_of_elements_is_no_result(self):
        """identity with dump=true prints each frame to standard output."""
        plan = Plan(FAST)
        plan.workloads["delayed"]["values"]["base"] = "! identity dump=true"
        found = Runner(plan, {}, self.temporary.name).play("delayed", (), frames=20)
        self.assertNotIn("error", found)
        self.assertIn("cpu-frame", found["figures"])

    def test_run_that_fails_names_the_reason(self):
        plan = Plan(FAST)
        plan.workloads["delayed"]["values"]["base"] = f"! {UNKNOWN}"
        self.assertIn(UNKNOWN, Runner(plan, {}, self.temporary.name).play("delayed", ())["error"])

    def test_packets_and_exact_ages_are_recorded(self):
        """All packets arrive over the loopback. perfmonitor's ages are near the exact ages from the pad probes."""
        plan = Plan(FAST.with_name("4k25.json"))
        plan.workloads["small"] = {"title": "", "values": {"width": 320, "height": 180, "filter": ""}}
        found = Runner(plan, {}, self.temporary.name).play("small", (), frames=50)
        self.assertNotIn("error", found)
        sent, arrived = found["packets"]
        self.assertTrue(sent == arrived > 40, found["packets"])
        # On a busy machine, some frames arrive too late and are dropped.
        self.assertTrue(all(20 < count <= 40 for count in found["frames"]), found["frames"])
        late = sorted(age for at, age in found["ages"] if at >= found["warm"])
        self.assertAlmostEqual(found["figures"]["age-p50"], late[(len(late) - 1) // 2], delta=0.01)
        monitor, exact = found["monitor"]["age-p95"]
        self.assertTrue(0.9 < monitor / exact < 1.1, found["monitor"])


if __name__ == "__main__":
    unittest.main()
