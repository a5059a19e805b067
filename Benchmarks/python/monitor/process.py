"""Runs a measurement in its own process, which prints the result as JSON."""
import json
import os
import subprocess

FOLDER = os.path.dirname(os.path.abspath(__file__))
# The Python of Debian has the module gi.
PYTHON = "/usr/bin/python3"
CHILDREN = ("cost", "truth", "run")
# Environment variable that --disabled sets. The child processes inherit it.
DISABLED = "MONITOR_BENCHMARK_DISABLED"


def monitor(properties):
    """Launch fragment of a monitor. With --disabled, the monitor measures nothing, which the benchmark must detect."""
    return f"perfmonitor {properties}" + (" enabled=false" if os.environ.get(DISABLED) else "")


def start(child, arguments, environment=None):
    """Starts the process of one measurement. `finish` returns the result of the process."""
    return subprocess.Popen(
        [PYTHON, FOLDER, "--child", child, "--arguments", json.dumps(arguments)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        env={**os.environ, **(environment or {})})


def finish(process, seconds):
    """Returns the result of the process, or {"error": text} if it fails or exceeds `seconds`."""
    try:
        output, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"error": f"did not end within {seconds} s"}
    lines = output.splitlines()
    if process.returncode or not lines:
        return {"error": (said.strip().splitlines() or ["ended without a result"])[-1]}
    return json.loads(lines[-1])


def run_child(child, arguments):
    """Entry point of the separate process."""
    from gi.repository import Gst

    Gst.init(None)
    module = __import__({"run": "longrun_child"}.get(child, f"{child}_child"))
    print(json.dumps(module.play(**json.loads(arguments))))
    return 0


def play_to_end(pipeline, limit):
    """Waits for EOS, at most `limit` seconds. Returns the text of an error, or None."""
    from gi.repository import Gst

    message = pipeline.get_bus().timed_pop_filtered(
        round(limit * Gst.SECOND), Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message is None:
        return f"no EOS within {limit:g} s"
    return message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else None
