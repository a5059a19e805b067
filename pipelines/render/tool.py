"""Runs a task of `render.media` in a separate process."""

import base64
import importlib.util
import io
import json
import marshal
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

# A process is killed if it prints nothing for this time. It prints a line every few seconds unless it has stalled.
SILENCE_SECONDS = 120.0
# The modules outside `render.media` that it imports.
_SHARED = ("launch", "output", *(f"render/{name}" for name in (
    "__init__", "checks", "decodetimes", "files", "finished", "fragments", "frames", "packets", "plan", "times")))


@cache
def packed() -> str:
    """A ZIP archive of `render.media` and the modules that it imports, compiled and as source, in base64.

    Workers receive the archive with their tasks. They import no code from a shared folder that other users can change.
    """
    folder, archive = Path(__file__).parent.parent, io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in (*(folder / f"{name}.py" for name in _SHARED), *sorted(folder.glob("render/media/*.py"))):
            name, source = str(path.relative_to(folder)), path.read_bytes()
            file.writestr(name, source)
            # Another version of Python ignores this .pyc file and compiles the source. Flag 1 means that Python does
            # not compare the hash.
            file.writestr(name + "c", importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")
                          + importlib.util.source_hash(source) + marshal.dumps(compile(source, name, "exec")))
    return base64.b64encode(archive.getvalue()).decode()


def _in_memory(code: str) -> BinaryIO:
    """A file in memory with the code. The file has no path, so no other user can change it."""
    file = os.fdopen(os.memfd_create("render"), "wb")
    file.write(base64.b64decode(code))
    file.flush()
    return file


def python_with_gstreamer() -> str:
    """The Python of the system, which has the GStreamer bindings. Dask may run in a virtual environment."""
    debian = "/usr/bin/python3"
    return debian if os.access(debian, os.X_OK) else sys.executable


def run_tool(code: str, name: str, arguments: dict[str, Any],
             on_frames: Callable[[int], None] = lambda frames: None) -> dict[str, Any]:
    """Runs a task of `render.media` in a process. Returns `result`, or `failure` with `kind` and `text`.

    `code` is the result of `packed`. The process imports nothing from the current folder, which may be shared.

    If this process ends, the standard input of the task closes, and the task ends too. With `outlives` in `arguments`,
    the task continues until the file in `outlives` is removed or names another job.
    """
    with tempfile.TemporaryFile() as errors, _in_memory(code) as archive:
        process = subprocess.Popen(
            [python_with_gstreamer(), "-m", "render.media", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, text=True, errors="replace", pass_fds=[archive.fileno()],
            env={**os.environ, "PYTHONPATH": f"/proc/self/fd/{archive.fileno()}", "PYTHONSAFEPATH": "1"})
        answer = None
        try:
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            for line in _lines(process):
                message = _message(line)
                if "frames" in message:
                    on_frames(message["frames"])
                elif "result" in message or "failure" in message:
                    answer = message
        except TimeoutError:
            answer = answer or _failure(f"The process was ended: it reported nothing for {SILENCE_SECONDS:.0f} s.")
        except BrokenPipeError:
            pass
        finally:
            process.kill()
            status = process.wait()
            for pipe in (process.stdin, process.stdout):
                # `close` flushes unread arguments, which fails if the process has ended.
                with suppress(OSError):
                    pipe.close()
        if answer is None:
            errors.seek(0)
            answer = _failure(_crash_text(status, errors.read()))
    return answer


def _failure(text: str) -> dict[str, Any]:
    return {"failure": {"kind": "crash", "text": text}}


def _lines(process: subprocess.Popen) -> Any:
    """Yields the lines that a process prints. Raises TimeoutError after 120 s without a line."""
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


def _message(line: str) -> dict[str, Any]:
    """Parses a JSON object. Returns an empty object for any other line, such as text of a library."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _crash_text(status: int, errors: bytes) -> str:
    lines = errors.decode(errors="replace").strip().splitlines()
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    return f"The process ended with {how}" + (f": {lines[-1].strip()}" if lines else ".")
