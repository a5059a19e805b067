"""Functions that run on a worker: they start a process for each segment, and examine the machine of the worker.

Dask sends this module and `tool` by value to the workers. They may import only the standard library, and Dask on other
machines.
"""

import asyncio
import errno
import hashlib
import json
import os
import socket
import threading
import time
import uuid
from typing import Any

from .tool import run_tool

PROGRESS_TOPIC = "render-progress"
# Topic of the event that a worker logs when it begins a task. It may have received the task long before.
BEGUN_TOPIC = "render-begun"
_FINGERPRINT_BYTES = 1 << 20
# Permanent errors: files are missing, or the machine has no permission. The worker retries for 20 s after other errors.
_LASTING = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS)
_PATIENCE_SECONDS, _RETRY_SECONDS = 20.0, 1.0
# Maximum number of runs for which a worker keeps its verdict, because several runs may use the worker in turn.
_MOST_VERDICTS = 32


def render_segment(spec_text: str, number: int, mode: str) -> dict[str, Any]:
    """Renders a segment into a new file. Runs on a worker."""
    worker, began = this_worker(), time.monotonic()
    report_begun(worker)
    spec, kind = json.loads(spec_text), "unfit"
    try:
        fault = _lasting_fault(spec, worker)
    except OSError as error:
        fault, kind = _error_text(error), "media"
    if fault is None:
        answer = _render(spec, number, mode, worker)
    else:
        answer = {"failure": {"kind": kind, "text": fault}}
    return {**answer, "worker": worker.address, "host": socket.gethostname(), "seconds": time.monotonic() - began}


def this_worker() -> Any:
    """The worker that runs this task: a thread of `LocalClient`, or a Dask worker."""
    thread = threading.current_thread()
    if hasattr(thread, "log_event"):
        return thread
    from distributed import get_worker

    return get_worker()


def report_begun(worker: Any) -> None:
    """Logs that a worker has begun its task. The first progress event may follow minutes later."""
    worker.log_event(BEGUN_TOPIC, {"key": worker.get_current_task(), "worker": worker.address})


def _lasting_fault(spec: dict[str, Any], worker: Any) -> str | None:
    """The reason why the worker cannot render, or None. Raises OSError if a transient error lasts for 20 s."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return _fault(spec, worker)
        except OSError as error:
            if error.errno in _LASTING:
                return _error_text(error)
            if time.monotonic() >= end:
                raise
        time.sleep(_RETRY_SECONDS)


def _error_text(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def _render(spec: dict[str, Any], number: int, mode: str, worker: Any) -> dict[str, Any]:
    path = os.path.join(spec["segments"], f"{number:06}-{uuid.uuid4().hex[:12]}")

    def on_frames(frames: int) -> None:
        worker.log_event(PROGRESS_TOPIC, {"run": spec["run"], "number": number, "frames": frames})

    arguments = {"job": spec["job"], "index": spec["index"], "number": number, "mode": mode, "path": path,
                 "processors": spec["processors"].get(str(worker.name))}
    if not spec["is_local"]:
        arguments["outlives"] = {"file": os.path.join(spec["segments"], "job"), "content": spec["job"]["id"]}
    answer = run_tool(spec["code"], "segment", arguments, on_frames)
    # If the .seg file exists, the process has finished the segment but ended before it could report, so keep the files.
    if "failure" in answer and not os.path.exists(path + ".seg"):
        for suffix in (".part", ".json"):
            try:
                os.remove(path + suffix)
            except OSError:
                pass
    return answer


def watch_film(spec_text: str, number: int, _mode: str) -> dict[str, Any]:
    """Decodes a share of the joined film. Runs on a worker."""
    worker, began = this_worker(), time.monotonic()
    report_begun(worker)
    spec = json.loads(spec_text)
    try:
        fault = None if spec["is_local"] else _fault_of_machine(spec, worker)
        if fault is None:
            answer = run_tool(spec["code"], "watch", {
                "path": spec["path"], "parts": spec["shares"][number],
                "processors": spec["processors"].get(str(worker.name))})
        else:
            answer = {"failure": {"kind": "unfit", "text": fault}}
    except OSError as error:
        # A shared folder may show the new film with a delay, so the error may be transient, and not "unfit".
        answer = {"failure": {"kind": "media", "text": _error_text(error)}}
    return {**answer, "worker": worker.address, "host": socket.gethostname(), "seconds": time.monotonic() - began}


def _fault(spec: dict[str, Any], worker: Any) -> str | None:
    """The reason why a worker cannot render, such as an unfit machine or a changed source; None if it can render."""
    if not spec["is_local"]:
        fault = _fault_of_machine(spec, worker)
        if fault is not None:
            return fault
    return _source_fault(spec)


def _run_file(spec: dict[str, Any]) -> str:
    return os.path.join(spec["segments"], "run")


def _begin_of(path: str, length: int) -> bytes:
    """The first `length` bytes of a file. Does not block if another user has replaced the file by a pipe."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(file, length)
    finally:
        os.close(file)


def _source_fault(spec: dict[str, Any]) -> str | None:
    source = spec["job"]["source"]
    if fingerprint(source) != spec["fingerprint"]:
        return f"{source} is another file there, or was changed"
    return None


def fingerprint(path: str) -> str:
    """Size of a file, and a checksum of its first and its last megabyte."""
    size = os.path.getsize(path)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        digest.update(file.read(_FINGERPRINT_BYTES))
        file.seek(max(0, size - _FINGERPRINT_BYTES))
        digest.update(file.read(_FINGERPRINT_BYTES))
    return f"{size}-{digest.hexdigest()[:32]}"


def examine_machine(spec: dict[str, Any], dask_worker: Any) -> dict[str, Any]:
    """Checks that this machine sees the same files and renders the same pictures. The "fault" is None if both are true.

    Each worker is examined once per run.
    """
    try:
        fault = _fault_of_machine(spec, dask_worker)
    except OSError as error:
        fault = _error_text(error)
    return {"host": socket.gethostname(), "fault": fault}


async def examine_on_thread(spec: dict[str, Any], dask_worker: Any) -> dict[str, Any]:
    """Runs `examine_machine` on a thread, so that a blocked shared folder does not block the worker's event loop."""
    return await asyncio.to_thread(examine_machine, spec, dask_worker)


def _fault_of_machine(spec: dict[str, Any], worker: Any) -> str | None:
    """Returns the verdict of `_machine_fault`, cached for the run. Does not cache an OSError. Threads may call it."""
    verdicts: dict[str, tuple[str | None]] = worker.__dict__.setdefault("_render_verdicts", {})
    verdict = verdicts.get(spec["run"])
    if verdict is None:
        verdict = (_machine_fault(spec),)
        verdicts[spec["run"]] = verdict
        for run in list(verdicts)[:-_MOST_VERDICTS]:
            verdicts.pop(run, None)
    return verdict[0]


def _machine_fault(spec: dict[str, Any]) -> str | None:
    fault = _source_fault(spec)
    if fault is not None:
        return fault
    probe = os.path.join(spec["segments"], f"probe-{socket.gethostname()}-{uuid.uuid4().hex[:8]}")
    with open(probe, "x", encoding="utf-8") as file:
        file.write(spec["run"])
    os.remove(probe)
    if _begin_of(_run_file(spec), len(spec["run"]) + 1) != spec["run"].encode():
        return f"{spec['segments']} is another folder there"
    answer = run_tool(spec["code"], "prove", {"job": spec["job"], "caps": spec["caps"], "sample": spec["sample"]})
    if "failure" in answer:
        return answer["failure"]["text"]
    fault = picture_fault(spec["job"], spec["pictures"], answer["result"])
    if fault is None and spec["sample"] and answer["result"]["encoded"] != spec["pictures"]["encoded"]:
        return ("the rendered video is decoded to other pictures there; GST_PLUGIN_FEATURE_RANK can select another "
                "decoder for that machine, and --verify packets compares no pictures")
    return fault


def picture_fault(job: dict[str, Any], expected: dict[str, Any], found: dict[str, Any]) -> str | None:
    """Compares test pictures with those of another machine or run. Returns the difference, or None."""
    if found["filter"] != expected["filter"]:
        return f"\"{job['filter']}\" makes other pictures there"
    if found["decoder"] != expected["decoder"]:
        return f"{job['source']} is decoded to other pictures there"
    return None
