"""Submits segments to workers, and retries a failed segment on another worker."""

import asyncio
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from . import task
from .attempts import Attempts, at_host
from .cluster import RESOURCE, Connection, slots_of
from .refusal import Refusal

_POLL_SECONDS = 0.25
# Maximum time without a connection to the scheduler.
_LOST_SECONDS = 15.0
# Timeout for the result of a finished task. If the worker that holds the result has ended, Dask runs the task again.
_ANSWER_SECONDS = 30.0
# Errors that Dask raises for a lost result. Before Python 3.11, asyncio.TimeoutError is not TimeoutError.
_LOST = (asyncio.TimeoutError, CancelledError, OSError)
# Maximum number of times that a connected scheduler may lose the same segment.
_MOST_LOSSES = 3
# Amount subtracted from the priority of a held-back segment, so that Dask renders all other segments before.
_LAST = 1 << 32
# Maximum number of submitted segments: 4 for each segment that the workers render at the same time, but at least 64.
# Submitting all segments of a long film would take seconds, and block the local workers during that time.
_AHEAD, _LEAST_AHEAD = 4, 64
_KEPT = "Finished segments are kept: the same command with --resume continues."


class NoFitWorker(Refusal):
    """All workers have failed in a way that does not depend on the segment."""


class Schedule:
    """Calls `function` with `spec`, the number of a segment and a mode, for each segment.

    Calls `on_done` with the return value of each successful task, and `on_tick` several times a second. Calls `on_lost`
    if Dask loses the return value of a task. `on_lost` returns True if it finds the result in the folder of the film.
    """

    def __init__(self, connection: Connection, function: Callable[..., dict[str, Any]], spec: str,
                 on_done: Callable[[int, dict[str, Any]], None], on_failure: Callable[[int, str], None],
                 on_tick: Callable[[], None], work: str = "render the film",
                 on_lost: Callable[[int], bool] = lambda _number: False) -> None:
        """`work` is the text for the task of the workers in an error message, such as "render the film"."""
        self._connection, self._client = connection, connection.client
        self._function = function
        self._on_done, self._on_failure, self._on_tick, self._on_lost = on_done, on_failure, on_tick, on_lost
        self._spec, self._work = spec, work
        self._finished: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        # Segments that are not yet submitted, in the order of submission.
        self._waiting: deque[int] = deque()
        self._futures: dict[int, Any] = {}
        self._modes: dict[int, str] = {}
        self._held_back: set[int] = set()
        self.attempts = Attempts()
        self._lost_since: float | None = None
        self._losses: Counter[int] = Counter()
        # Permitted workers by segment number, for each submitted segment that some workers must not render.
        self._chosen: dict[int, list[str]] = {}
        # Segments that were submitted with the requirement of the resource RESOURCE.
        self._limited: set[int] = set()
        # The worker of each task that has begun, by the key of the task.
        self._begun: dict[str, str] = {}
        # The workers at the last call of `_look`, and whether each has the resource.
        self._seen: frozenset[tuple[str, bool]] = frozenset()

    def run(self, segments: Iterable[int], mode: str) -> None:
        """Returns when each segment is finished or has failed too often. `attempts` lists the failed segments."""
        self.run_modes(dict.fromkeys(segments, mode))

    def run_modes(self, modes: dict[int, str], held_back: Iterable[int] = ()) -> None:
        """Runs segments like `run`, with a mode for each segment. Segments in `held_back` are submitted last."""
        self._modes, self._held_back = dict(modes), set(held_back)
        self._client.subscribe_topic(task.BEGUN_TOPIC, self._on_begun)
        self._waiting = deque(sorted(self._modes, key=lambda number: (number in self._held_back, number)))
        try:
            while self._waiting or self._futures:
                self._fill()
                self._take()
                self._on_tick()
                self._check_scheduler()
                self._release()
        finally:
            if self._futures and self._client.status == "running":
                with suppress(OSError, TimeoutError):
                    self._client.cancel(list(self._futures.values()))
            self._futures.clear()
            self._waiting.clear()

    def _fill(self) -> None:
        """Submits waiting segments up to the maximum number of submitted segments."""
        most = max(_LEAST_AHEAD, _AHEAD * slots_of(self._connection.workers()))
        # `submit` of a closed client would raise an error. `_check_scheduler` raises one with a better message.
        if self._client.status != "running":
            return
        while self._waiting and len(self._futures) < most:
            self._submit(self._waiting.popleft())

    def again(self, number: int, mode: str) -> None:
        """Renders a finished segment again. `on_done` may call this."""
        self._modes[number] = mode
        self._submit(number)

    def _on_begun(self, event: Any) -> None:
        """Records that a worker has begun a task. Called on another thread, possibly before `_futures` has the task."""
        _, message = event
        self._begun[message["key"]] = message["worker"]

    def drop(self, number: int) -> None:
        """Cancels a segment. `on_tick` may call this."""
        future = self._futures.pop(number, None)
        self._chosen.pop(number, None)
        with suppress(ValueError):
            self._waiting.remove(number)
        if future is not None and future.status != "cancelled":
            with suppress(OSError, TimeoutError):
                future.cancel()

    def _submit(self, number: int) -> None:
        info = self._connection.workers()
        is_limited = _have_resource(info)
        chosen = self.attempts.workers_for(number, list(info))
        future = self._client.submit(
            self._function, self._spec, number, self._modes[number], pure=False,
            resources={RESOURCE: 1} if is_limited else None, workers=chosen,
            priority=-number - (_LAST if number in self._held_back else 0))
        self._futures[number] = future
        self._chosen.pop(number, None)
        self._limited.discard(number)
        if is_limited:
            self._limited.add(number)
        if chosen is not None:
            self._chosen[number] = chosen
        future.add_done_callback(lambda done, number=number: self._finished.put((number, done)))

    def _release(self) -> None:
        """Resubmits segments whose permitted workers or resource no longer match the current workers."""
        info = self._connection.workers()
        if not self._look(info) or not info:
            return
        for number, future in list(self._futures.items()):
            if not future.done() and self._is_restricted(number, future.key, info):
                with suppress(OSError, TimeoutError):
                    future.cancel()
                self._begun.pop(future.key, None)
                self._submit(number)

    def _look(self, info: dict[str, Any]) -> bool:
        """Whether a worker has left, joined, or changed its resource since the last call.

        Also removes the tasks of workers that have left from `_begun`. While the only worker restarts, `info` may be
        empty.
        """
        seen = frozenset((name, _has_resource(worker)) for name, worker in info.items())
        left = {name for name, _ in self._seen - seen}
        for key, name in list(self._begun.items()):
            if name in left:
                self._begun.pop(key, None)
        is_changed, self._seen = seen != self._seen, seen
        return is_changed

    def _is_restricted(self, number: int, key: str, info: dict[str, Any]) -> bool:
        """Whether a segment must be resubmitted, because its permitted workers or its resource no longer fit."""
        chosen = self._chosen.get(number)
        if chosen is not None and not any(name in info for name in chosen):
            return True
        if self._begun.get(key) in info:
            return False
        if _have_resource(info) != (number in self._limited):
            return True
        fit = self.attempts.workers_for(number, list(info)) or info
        return chosen is not None and bool(set(fit).difference(chosen))

    def _take(self) -> None:
        try:
            number, future = self._finished.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return
        if self._futures.get(number) is not future:
            return
        self._begun.pop(future.key, None)
        answer = self._answer(future)
        if answer is None:
            self._resume(number, future)
            return
        del self._futures[number]
        self._handle(number, answer)

    def _resume(self, number: int, future: Any) -> None:
        """Handles a lost return value, after the end of the worker, or the end or restart of the scheduler."""
        if self._client.status != "running":
            self._finished.put((number, future))
            time.sleep(_POLL_SECONDS)
            return
        self.drop(number)
        if self._on_lost(number):
            return
        self._losses[number] += 1
        if self._losses[number] > _MOST_LOSSES:
            raise Refusal(f"The scheduler has lost segment {number} {self._losses[number]} times. {_KEPT}")
        self._check_scheduler()
        self._submit(number)

    @staticmethod
    def _answer(future: Any) -> dict[str, Any] | None:
        """The return value of a finished task, or None if it is lost, for example because the worker ended."""
        try:
            if future.status == "finished":
                return future.result(timeout=_ANSWER_SECONDS)
            if future.status != "error":
                return None
            error = future.exception(timeout=_ANSWER_SECONDS)
        except Exception as raised:
            # After a loss, Dask runs the task again. If the task itself fails then, its status is "error".
            if future.status != "error" and isinstance(raised, _LOST):
                return None
            error = raised
        # Dask marks a task as failed after several workers have ended while they ran this task.
        text = (str(error).splitlines() or [type(error).__name__])[0]
        return {"failure": {"kind": "crash", "text": text}, "worker": "", "host": "workers that ended"}

    def _handle(self, number: int, answer: dict[str, Any]) -> None:
        if "result" in answer:
            self._on_done(number, answer)
            return
        failure = answer["failure"]
        if failure["kind"] in ("space", "refused"):
            raise Refusal(failure["text"])
        if failure["kind"] == "inexact" and self._modes[number] == "seek":
            # Reading the source without a seek is slow, but always gives the exact frames.
            self._modes[number] = "skip"
            self._submit(number)
            return
        workers = list(self._connection.workers())
        host = "" if self._connection.is_local and answer["worker"] else answer["host"]
        if failure["kind"] != "unfit" or answer["worker"] not in self.attempts.unfit:
            self._on_failure(number, at_host(host, failure["text"]))
        is_retried = self.attempts.failed(number, answer["worker"], host, failure, workers)
        if not self.attempts.is_any_fit(workers):
            texts = dict.fromkeys(self.attempts.unfit.values())
            raise NoFitWorker(f"No worker can {self._work}: {'; '.join(texts)}. {_KEPT}")
        if is_retried:
            self._submit(number)

    def _check_scheduler(self) -> None:
        if self._client.status == "running":
            self._lost_since = None
            return
        self._lost_since = self._lost_since or time.monotonic()
        if self._client.status == "closed" or time.monotonic() - self._lost_since > _LOST_SECONDS:
            raise Refusal(f"The scheduler is gone. {_KEPT}")


def _have_resource(info: dict[str, Any]) -> bool:
    """Whether all workers have RESOURCE. Dask never runs a task that requires RESOURCE on a worker without it."""
    return bool(info) and all(map(_has_resource, info.values()))


def _has_resource(worker: dict[str, Any]) -> bool:
    return RESOURCE in worker.get("resources", {})
