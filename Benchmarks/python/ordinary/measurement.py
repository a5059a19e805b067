"""Plays a row with each queue. Each run has its own process."""
import json
import os
import subprocess
import sys
import tempfile

from verdict import LEAKY, MEASURED, PLAIN

FOLDER = os.path.dirname(os.path.abspath(__file__))
CLIP = os.path.join(FOLDER, "..", "..", "..", "pipelines", "media", "bigbuckbunny.webm")


class Measurement:
    """The compared queues, and the duration and number of their runs."""

    def __init__(self, element, seconds, repeat, all_together=False, never_together=False):
        # Applications usually use these settings of `queue`. With a limit of one buffer, its limits in bytes and time
        # have no effect.
        self.queues = {MEASURED: element, LEAKY: "queue leaky=downstream max-size-buffers=1", PLAIN: "queue"}
        self.seconds = seconds
        self.repeat = repeat
        self.all_together = all_together
        self.never_together = never_together

    def of(self, row):
        """Returns the runs by queue. In light rows, all queues run at the same time, so that other load affects all."""
        runs = {name: [] for name in self.queues}
        together = self.all_together or (row.light and not row.hogs and not self.never_together)
        for turn in range(self.repeat):
            names = list(self.queues)
            names = names[turn % 3:] + names[:turn % 3]
            for group in [names] if together else [[name] for name in names]:
                processes = [(name, self._start(row, self.queues[name])) for name in group]
                for name, process in processes:
                    runs[name].append(self._finish(row, *process))
        return runs

    def _start(self, row, queue):
        folder = tempfile.TemporaryDirectory(prefix="ordinary-")
        errors = open(os.path.join(folder.name, "stderr"), "w+", encoding="utf-8", errors="replace")
        arguments = ["--play", row.name, "--element", queue, "--seconds", str(self.seconds), "--folder", folder.name]
        process = subprocess.Popen(
            [sys.executable, FOLDER, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            text=True)
        return process, errors, folder

    def _finish(self, row, process, errors, folder):
        """Returns the figures of the run. Kills the process if it exceeds the time limit of the player."""
        seconds = row.seconds(self.seconds)
        is_killed = False
        try:
            output, _ = process.communicate(timeout=60 + 5 * seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            is_killed = True
        errors.seek(0)
        said = errors.read()
        errors.close()
        folder.cleanup()
        run = self._parse(output, said, is_killed)
        run["nominal"] = seconds
        if criticals := sum("-CRITICAL **" in line for line in said.splitlines()):
            run["messages"]["critical"] = criticals
        return run

    @staticmethod
    def _parse(output, said, is_killed):
        lines = output.splitlines()
        if not lines or not lines[0].startswith("{"):
            words = said.strip().splitlines()[-1:] or ["no output"]
            return {"result": "hangs" if is_killed else "crashes", "in": 0, "left": 0, "out": 0, "in_window": 0,
                    "fresh": 0, "freeze": None, "seconds": None, "p50": None, "p95": None, "lag": None, "messages": {},
                    "texts": words}
        run = json.loads(lines[0])
        if "stopped" not in lines[1:] and run["result"] == "ended":
            run["result"] = "does not stop" if is_killed else "crashes at the end"
        return run
