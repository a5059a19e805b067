"""Runs one task: `python3 -m render.media TASK`, with its arguments as JSON on standard input.

Standard output has one JSON object per line: `frames` is progress, and the last line is `result` or `failure`. The
input stays open; when it is closed, the process that wanted the result is gone, and this one ends at once.
"""

import json
import os
import sys
import threading
from typing import Any

from gi.repository import Gst

from . import tasks
from .failure import Failure
from .report import report_life, write


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    arguments: dict[str, Any] = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    processors = arguments.pop("processors", None)
    if processors:
        # Encoders and filters make as many threads as they have processors.
        os.sched_setaffinity(0, processors)
    report_life()
    Gst.init(None)
    try:
        write({"result": tasks.TASKS[sys.argv[1]](**arguments)})
    except Failure as failure:
        write({"failure": {"kind": failure.kind, "text": failure.text}})
    sys.stdout.flush()
    # Threads of a pipeline that does not stop must not keep the process.
    os._exit(0)


main()
