"""What a worker does: starts a process for each segment, and examines its machine.

Dask sends this module and `tool` to the workers as they are, so they import only the standard library and, when they
run on other machines, Dask.
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
# Each task is named there when it begins: a worker may have received it long before.
BEGUN_TOPIC = "render-begun"
_FINGERPRINT_BYTES = 1 << 20
# Errors of a machine that does not see the files, or cannot write them; others of a shared folder may pass.
_LASTING = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS)
_PATIENCE_SECONDS, _RETRY_SECONDS = 20.0, 1.0
# The most runs that a worker remembers: those of programs that share a scheduler.
_MOST_VERDICTS = 32


def render_segment(spec_text: str, number: int, mode: str) -> dict[str, Any]:
    """Renders a segment into a file of its own; a worker calls this."""
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
    """The worker that runs this task: a thread of this machine, or a worker of Dask."""
    thread = threading.current_thread()
    if hasattr(thread, "log_event"):
        return thread
    from distributed import get_worker

    return get_worker()


def report_begun(worker: Any) -> None:
    """Names the task of this thread. Its first frame may come minutes later, such as behind those that it skips."""
    worker.log_event(BEGUN_TOPIC, {"key": worker.get_current_task(), "worker": worker.address})


def _lasting_fault(spec: dict[str, Any], worker: Any) -> str | None:
    """Why the worker cannot render; raises an error that does not pass in some seconds."""
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
    # A process may end between the end of its segment and its report.
    if "failure" in answer and not os.path.exists(path + ".seg"):
        for suffix in (".part", ".json"):
            try:
                os.remove(path + suffix)
            except OSError:
                pass
    return answer


def watch_film(spec_text: str, number: int, _mode: str) -> dict[str, Any]:
    """Decodes a share of the joined film; a worker calls this."""
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
        # A shared folder may show new files late.
        answer = {"failure": {"kind": "media", "text": _error_text(error)}}
    return {**answer, "worker": worker.address, "host": socket.gethostname(), "seconds": time.monotonic() - began}


def _fault(spec: dict[str, Any], worker: Any) -> str | None:
    """Why a worker cannot render: it joined later and differs, or the source has changed. May raise OSError."""
    if not spec["is_local"]:
        fault = _fault_of_machine(spec, worker)
        if fault is not None:
            return fault
    return _source_fault(spec)


def _run_file(spec: dict[str, Any]) -> str:
    return os.path.join(spec["segments"], "run")


def _begin_of(path: str, length: int) -> bytes:
    """Does not wait for the writer of a pipe that another user may have put there."""
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
    """Size, and a checksum of the begin and the end of a file."""
    size = os.path.getsize(path)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        digest.update(file.read(_FINGERPRINT_BYTES))
        file.seek(max(0, size - _FINGERPRINT_BYTES))
        digest.update(file.read(_FINGERPRINT_BYTES))
    return f"{size}-{digest.hexdigest()[:32]}"


def examine_machine(spec: dict[str, Any], dask_worker: Any) -> dict[str, Any]:
    """Whether this machine sees the same files and renders the same pictures; `fault` says what is wrong.

    A worker is examined once in each run.
    """
    try:
        fault = _fault_of_machine(spec, dask_worker)
    except OSError as error:
        fault = _error_text(error)
    return {"host": socket.gethostname(), "fault": fault}


async def examine_on_thread(spec: dict[str, Any], dask_worker: Any) -> dict[str, Any]:
    """As `examine_machine`; the event loop of the worker goes on, also if a shared folder does not respond."""
    return await asyncio.to_thread(examine_machine, spec, dask_worker)


def _fault_of_machine(spec: dict[str, Any], worker: Any) -> str | None:
    """Remembers the answer for the run, but not an error of a shared folder. Several threads may call this."""
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
    """Which test pictures differ from those of another machine or run."""
    if found["filter"] != expected["filter"]:
        return f"\"{job['filter']}\" makes other pictures there"
    if found["decoder"] != expected["decoder"]:
        return f"{job['source']} is decoded to other pictures there"
    return None
