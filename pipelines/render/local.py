"""Workers on this machine. A worker is a thread that starts a process for each segment.

`LocalClient` has the methods of a Dask client that `Schedule` and `Rendering` use, so that one machine needs no Dask.
"""

import itertools
import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any


class LocalFuture(Future):
    """A future with the attributes `key` and `status` of a Dask future."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key

    @property
    def status(self) -> str:
        if not self.done():
            return "pending"
        if self.cancelled():
            return "cancelled"
        return "error" if self.exception() else "finished"


class _Worker(threading.Thread):
    """Runs tasks until the client is closed. Within a task, `task.this_worker` returns this thread."""

    def __init__(self, number: int, client: "LocalClient") -> None:
        super().__init__(name=str(number), daemon=True)
        self.address, self._client, self._key = f"local-{number}", client, ""

    def run(self) -> None:
        while (entry := self._client.next_task()) is not None:
            future, function, arguments = entry
            if not future.set_running_or_notify_cancel():
                continue
            self._key = future.key
            try:
                future.set_result(function(*arguments))
            except Exception as error:
                future.set_exception(error)

    def get_current_task(self) -> str:
        return self._key

    def log_event(self, topic: str, message: dict[str, Any]) -> None:
        self._client.publish(topic, message)


class LocalClient:
    """Client that queues tasks by priority. A free worker takes the task with the highest priority."""

    def __init__(self, workers: int) -> None:
        self.status = "running"
        self._tasks: queue.PriorityQueue[tuple[float, int, tuple[LocalFuture, Callable, tuple] | None]] = \
            queue.PriorityQueue()
        self._numbers = itertools.count()
        self._handlers: dict[str, Callable[[Any], None]] = {}
        self._workers = [_Worker(number, self) for number in range(workers)]
        for worker in self._workers:
            worker.start()

    def submit(self, function: Callable, *arguments: Any, priority: int = 0, **_of_dask: Any) -> LocalFuture:
        number = next(self._numbers)
        future = LocalFuture(f"task-{number}")
        self._tasks.put((-priority, number, (future, function, arguments)))
        return future

    def next_task(self) -> tuple[LocalFuture, Callable, tuple] | None:
        """Waits for a task. Returns None when the client is closed."""
        return self._tasks.get()[2]

    def subscribe_topic(self, topic: str, handler: Callable[[Any], None]) -> None:
        self._handlers[topic] = handler

    def publish(self, topic: str, message: dict[str, Any]) -> None:
        """Calls the handler of a topic on the thread of a worker."""
        if topic in self._handlers:
            self._handlers[topic]((None, message))

    def scheduler_info(self, **_of_dask: Any) -> dict[str, Any]:
        return {"workers": {worker.address: {"nthreads": 1} for worker in self._workers}}

    @staticmethod
    def cancel(futures: Iterable[LocalFuture]) -> None:
        """Cancels tasks that have not begun. A task that has begun continues."""
        for future in futures:
            future.cancel()

    def close(self) -> None:
        self.status = "closed"
        for _ in self._workers:
            self._tasks.put((float("-inf"), next(self._numbers), None))
