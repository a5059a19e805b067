"""Runs one task: `python3 -m render.media TASK`, with its arguments as JSON on standard input.

Standard output has one JSON object per line. A line with `frames` reports progress. The last line has `result` or
`failure`. Elements print to standard error. The parent keeps standard input open until it ends.

If standard input closes, this process ends at once, unless it has the argument `outlives`. With `outlives`, it
completes its task, and --resume finds the finished segment. `outlives` names a file. This process then ends early only
if the file is removed or its content changes, because another job has begun or the film is complete.
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
    """Ends this process when `file` is removed or its content changes, even if the parent still waits for a result."""
    while _may_have(file, content):
        time.sleep(_CHECK_SECONDS)
    os._exit(1)


def _may_have(path: str, content: str) -> bool:
    """Whether the file has this content. Returns True after a read error, which may be transient in a shared folder."""
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
        # Encoders and filters start one thread for each processor in the affinity mask.
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
    # The threads of a pipeline that does not stop must not keep the process alive, so end it here.
    os._exit(0)


main()
