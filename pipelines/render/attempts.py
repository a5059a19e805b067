"""Records which workers failed with a segment, and selects the workers for a retry."""

from dataclasses import dataclass, field
from typing import Any

_MOST_ATTEMPTS = 3


@dataclass
class Attempts:
    """Records the failures of each segment. The caller submits no further segments to a worker in `unfit`."""

    _tried: dict[int, list[str]] = field(default_factory=dict)
    _texts: dict[int, list[str]] = field(default_factory=dict)
    unfit: dict[str, str] = field(default_factory=dict)
    given_up: set[int] = field(default_factory=set)

    def failed(self, number: int, worker: str, host: str, failure: dict[str, Any], workers: list[str]) -> bool:
        """Records a failure. Returns True if the caller must retry the segment."""
        text = at_host(host, failure["text"])
        if failure["kind"] == "unfit" and worker:
            self.unfit[worker] = text
            if self.is_any_fit(workers):
                return True
        self._tried.setdefault(number, []).append(worker)
        self._texts.setdefault(number, []).append(text)
        if len(self._tried[number]) < _MOST_ATTEMPTS and self.is_any_fit(workers):
            return True
        self.given_up.add(number)
        return False

    def workers_for(self, number: int, workers: list[str]) -> list[str] | None:
        """Names of the workers that may render the segment, or None if any worker may render it."""
        tried = self._tried.get(number, [])
        if not tried and not self.unfit:
            return None
        fit = [name for name in workers if name not in self.unfit]
        return [name for name in fit if name not in tried] or fit or None

    def is_any_fit(self, workers: list[str]) -> bool:
        """Whether at least one worker can render. Returns True if `workers` is empty."""
        return not workers or any(name not in self.unfit for name in workers)

    def text(self, number: int) -> str:
        """Errors of a segment, without duplicates."""
        return "; ".join(dict.fromkeys(self._texts.get(number, ["no worker is left"])))


def at_host(host: str, text: str) -> str:
    """Prefixes a text with the host. `host` is empty if all workers run on this machine."""
    return f"{host}: {text}" if host else text
