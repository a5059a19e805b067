"""Examines all workers before the first segment."""

from typing import Any

from . import task
from .cluster import Connection
from .refusal import Refusal
from .study import SAMPLE, Study
from .workspace import Workspace


def spec_of(film: Study, workspace: Workspace, connection: Connection) -> dict[str, Any]:
    """Description of a run for the workers; values of JSON. It has a sample only if the segments are decoded."""
    has_sample = film.job["verify"] and film.pictures["encoded"]
    return {"run": workspace.run, "segments": str(workspace.segments), "code": str(workspace.code),
            "index": str(workspace.index), "job": film.job, "fingerprint": film.fingerprint, "caps": film.caps,
            "pictures": film.pictures, "sample": str(workspace.folder / SAMPLE) if has_sample else "",
            "processors": connection.processors, "is_local": connection.is_local,
            "was_remote": workspace.was_remote or not connection.is_local}


def examine_workers(connection: Connection, film: Study, workspace: Workspace) -> None:
    """Raises Refusal unless every worker sees the same files, has the same versions, and renders the same pictures."""
    spec = spec_of(film, workspace, connection)
    if not connection.workers():
        raise Refusal("The scheduler has no workers; start one on each machine with: dask worker --nthreads 1 "
                      "--resources render=1 ADDRESS")
    # Dask gives the worker itself to a parameter named dask_worker.
    answers = connection.client.run(task.examine_machine, spec)
    faults = [f"{answer['host']} ({address}): {answer['fault']}" for address, answer in answers.items()
              if answer["fault"]]
    if faults:
        raise Refusal("Not every machine can render the film:\n" + "\n".join(faults))
