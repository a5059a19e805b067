"""What a worker does: starts a process for each segment, and examines its machine.

Dask sends this module to the workers as it is, so it imports only the standard library and, when it runs, Dask.
"""

import hashlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

PROGRESS_TOPIC = "render-progress"
# A process that prints nothing for this long is killed; it prints a line every few seconds while it runs.
SILENCE_SECONDS = 120.0
_FINGERPRINT_BYTES = 1 << 20


def python_with_gstreamer() -> str:
    """Debian's Python has the bindings of GStreamer; Dask may run in another one."""
    debian = "/usr/bin/python3"
    return debian if os.access(debian, os.X_OK) else sys.executable


def run_tool(code: str, name: str, arguments: dict[str, Any],
             on_frames: Callable[[int], None] = lambda frames: None) -> dict[str, Any]:
    """Runs a task of `render.media` in a process; returns `result`, or `failure` with `kind` and `text`.

    The process ends if this one does, because its standard input is then closed.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [python_with_gstreamer(), "-m", "render.media", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, text=True, env={**os.environ, "PYTHONPATH": code})
        answer = None
        try:
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            for line in _lines(process):
                message = json.loads(line)
                if "frames" in message:
                    on_frames(message["frames"])
                elif "result" in message or "failure" in message:
                    answer = message
        except (BrokenPipeError, ValueError, TimeoutError):
            pass
        finally:
            process.kill()
            status = process.wait()
            process.stdin.close()
            process.stdout.close()
        if answer is None:
            errors.seek(0)
            answer = {"failure": {"kind": "crash", "text": _crash_text(status, errors.read())}}
    return answer


def _lines(process: subprocess.Popen) -> Any:
    """The lines that a process prints; raises TimeoutError if it is silent for too long."""
    lines: queue.Queue = queue.Queue()

    def read() -> None:
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=SILENCE_SECONDS)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            process.wait()
            return
        yield line


def _crash_text(status: int, errors: bytes) -> str:
    lines = errors.decode(errors="replace").strip().splitlines()
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    return f"The process ended with {how}" + (f": {lines[-1].strip()}" if lines else ".")


def render_segment(spec_path: str, number: int, mode: str) -> dict[str, Any]:
    """Renders a segment into a file of its own; the scheduler calls this on a worker.

    The job is in a file, so that it is not sent with each segment.
    """
    from distributed import get_worker

    worker = get_worker()
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    began = time.monotonic()
    name = f"{number:06}-{uuid.uuid4().hex[:12]}"
    part = os.path.join(spec["segments"], name + ".part")

    def on_frames(frames: int) -> None:
        worker.log_event(PROGRESS_TOPIC, {"run": spec["run"], "number": number, "frames": frames})

    answer = run_tool(spec["code"], "segment", {
        "job": spec["job"], "index": spec["index"], "number": number, "mode": mode, "path": part,
        "processors": spec["processors"].get(str(worker.name))}, on_frames)
    if "result" in answer:
        final = os.path.join(spec["segments"], name + ".seg")
        os.rename(part, final)
        answer["result"]["file"] = os.path.basename(final)
    else:
        try:
            os.remove(part)
        except OSError:
            pass
    return {**answer, "worker": worker.address, "host": socket.gethostname(), "seconds": time.monotonic() - began}


def fingerprint(path: str) -> str:
    """Size, and a checksum of the begin and the end of a file."""
    size = os.path.getsize(path)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        digest.update(file.read(_FINGERPRINT_BYTES))
        file.seek(max(0, size - _FINGERPRINT_BYTES))
        digest.update(file.read(_FINGERPRINT_BYTES))
    return f"{size}-{digest.hexdigest()[:32]}"


def examine_machine(spec: dict[str, Any]) -> dict[str, Any]:
    """Whether this machine sees the same files and renders the same pictures; `fault` says what is wrong."""
    host = socket.gethostname()
    source, job = spec["job"]["source"], spec["job"]
    try:
        if fingerprint(source) != spec["fingerprint"]:
            return {"host": host, "fault": f"{source} is another file there"}
        probe = os.path.join(spec["segments"], f"probe-{host}-{uuid.uuid4().hex[:8]}")
        with open(probe, "x", encoding="utf-8") as file:
            file.write(spec["run"])
        with open(os.path.join(spec["segments"], "run"), encoding="utf-8") as file:
            is_shared = file.read() == spec["run"]
        os.remove(probe)
    except OSError as error:
        return {"host": host, "fault": f"{error.filename}: {error.strerror}"}
    if not is_shared:
        return {"host": host, "fault": f"{spec['segments']} is another folder there"}
    answer = run_tool(spec["code"], "prove", {
        "filter": job["filter"], "encoder": job["encoder"], "caps": spec["caps"], "lead_in": job["lead_in"],
        "expected": job["versions"]})
    if "failure" in answer:
        return {"host": host, "fault": answer["failure"]["text"]}
    if answer["result"] != spec["pictures"]:
        return {"host": host, "fault": f"\"{job['filter']}\" makes other pictures there"}
    return {"host": host, "fault": None}
