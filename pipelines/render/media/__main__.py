"""Runs one task: `python3 -m render.media TASK`, with its arguments as JSON on standard input.

Standard output has one JSON object per line. `frames` is progress. The last line is `result` or `failure`. Text of
elements goes to standard error. The parent keeps standard input open. If standard input closes, the parent has ended.

Without the argument `outlives`, this process then ends at once. With `outlives`, it completes its task, and --resume
finds the finished segment. `outlives` names a file. This process ends when the file is removed or its content changes,
because another job has begun or the film is complete.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gi.repository import Gst

from ..files import read_file
from ..frames import DamagedIndex
from . import tasks
from .failure import Failure, failure_of_file
from .player import exclude_playlists
from .report import report_life, take_output, write


_CHECK_SECONDS = 1.0


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def _end_with_job(file: str, content: str) -> None:
    """Ends this process when the job file is removed or changes, even if the parent still waits for a result."""
    while _may_have(file, content):
        time.sleep(_CHECK_SECONDS)
    os._exit(1)


def _may_have(path: str, content: str) -> bool:
    """Whether the file has this content. Returns True for a read error, which may be transient on a shared folder."""
    try:
        return read_file(Path(path), len(content) + 1) == content.encode()
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _run(task: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    try:
        return task(**arguments)
    except OSError as error:
        raise failure_of_file(error, arguments.get("path", sys.argv[1])) from error


def main() -> None:
    take_output()
    arguments: dict[str, Any] = json.loads(sys.stdin.readline())
    outlives: dict[str, str] | None = arguments.pop("outlives", None)
    end, values = (_end_with_parent, {}) if outlives is None else (_end_with_job, outlives)
    threading.Thread(target=end, kwargs=values, daemon=True).start()
    processors = arguments.pop("processors", None)
    if processors:
        # Encoders and filters start one thread per available processor.
        os.sched_setaffinity(0, processors)
    report_life()
    Gst.init(None)
    exclude_playlists()
    try:
        write({"result": _run(tasks.TASKS[sys.argv[1]], arguments)})
    except Failure as failure:
        write({"failure": {"kind": failure.kind, "text": failure.text}})
    except DamagedIndex as error:
        # "unfit" excludes only this worker. A worker on another machine may see the correct index.
        write({"failure": {"kind": "unfit", "text": str(error)}})
    # Threads of a pipeline that does not stop must not keep the process alive.
    os._exit(0)


main()
