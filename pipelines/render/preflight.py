"""Examines all workers before the first segment is rendered."""

import asyncio
import sys
from typing import Any

from . import task
from .cluster import Connection, all_workers
from .refusal import Refusal
from .study import SAMPLE, Study
from .tool import packed
from .workspace import Workspace

# Timeout for the report of a worker. It exceeds the 180 s after which the worker itself reports a stalled pipeline.
_ANSWER_SECONDS = 300.0
_VERSION_SECONDS = 30.0


def spec_of(film: Study, workspace: Workspace, connection: Connection) -> dict[str, Any]:
    """Description of a run for the workers, as JSON values. It has a sample only if the segments are decoded.

    Workers receive the description with each task. They do not read it from the folder of the film, because everyone
    who can write to that folder could then run code on the workers.
    """
    has_sample = film.job["verify"] and film.pictures["encoded"]
    return {"run": workspace.run, "segments": str(workspace.segments), "code": packed(),
            "index": str(workspace.index), "job": film.job, "fingerprint": film.fingerprint, "caps": film.caps,
            "pictures": film.pictures,
            "sample": {"path": str(workspace.folder / SAMPLE), **film.pictures["sample"]} if has_sample else None,
            "processors": connection.processors, "is_local": connection.is_local,
            "was_remote": workspace.was_remote or not connection.is_local}


def examine_workers(connection: Connection, film: Study, workspace: Workspace) -> None:
    """Raises Refusal if a worker sees other files, has other versions, or renders other pictures."""
    spec, client = spec_of(film, workspace, connection), connection.client
    addresses = list(connection.workers())
    if not addresses:
        raise Refusal("The scheduler has no workers; start one on each machine with: PYTHONSAFEPATH=1 dask worker "
                      "--nthreads 1 --resources render=1 ADDRESS")
    fault = client.sync(_version_fault, client)
    if fault is not None:
        raise Refusal(fault)
    faults = client.sync(_faults, client, addresses, spec)
    if faults:
        # Ignore the faults of workers that have left the scheduler meanwhile.
        here = all_workers(client)
        faults = {address: fault for address, fault in faults.items() if address in here}
    if faults:
        raise Refusal("Not every machine can render the film:\n" + "\n".join(faults.values()))


async def _version_fault(client: Any) -> str | None:
    """Error text if the versions of Dask differ, or None. A worker of another version would lose its segments."""
    try:
        found = await asyncio.wait_for(client.get_versions(), _VERSION_SECONDS)
        places = {"this machine": found["client"], "the scheduler": found["scheduler"], **found["workers"]}
        versions: dict[str, list[str]] = {}
        for place, answer in places.items():
            # Debian appends a suffix such as +ds.1.
            versions.setdefault(answer["packages"]["distributed"].partition("+")[0], []).append(place)
    except Exception:
        # If a worker does not answer, `_faults` names it later.
        return None
    if len(versions) == 1:
        return None
    listed = ", ".join(f"{version} ({', '.join(places)})" for version, places in versions.items())
    return f"The versions of distributed must be equal, and are {listed}; install the same one everywhere."


async def _faults(client: Any, addresses: list[str], spec: dict[str, Any]) -> dict[str, str]:
    """Examines all workers at the same time. Returns the faults by the address of the worker."""
    faults = await asyncio.gather(*(_fault(client, address, spec) for address in addresses))
    return {address: fault for address, fault in zip(addresses, faults) if fault is not None}


async def _fault(client: Any, address: str, spec: dict[str, Any]) -> str | None:
    try:
        # In a coroutine, `run` returns an awaitable. Dask passes the worker to a parameter named dask_worker.
        answers = await asyncio.wait_for(
            client.run(task.examine_on_thread, spec, workers=[address], on_error="return"), _ANSWER_SECONDS)
        answer = answers[address]
    except asyncio.TimeoutError:
        return f"{address}: no answer within {_ANSWER_SECONDS:.0f} s; a shared folder may not respond there"
    except Exception as error:
        # `run` raises an exception, for example if this machine cannot unpickle the exception of a worker.
        answer = error
    if isinstance(answer, Exception):
        return f"{address}: {_error_text(answer)}"
    return f"{answer['host']} ({address}): {answer['fault']}" if answer["fault"] else None


def _error_text(error: Exception) -> str:
    text = ": ".join([type(error).__name__, *str(error).splitlines()[:1]])
    if isinstance(error, OSError):
        return text
    # Any other exception is often due to a different version of Python or Dask on the worker.
    return (f"{text}; a worker needs Python {sys.version_info.major}.{sys.version_info.minor}, and distributed in the "
            "version of this machine")
