"""A stand-in for a model. It uses a fixed amount of work and memory, has no result, and requires no library."""

from __future__ import annotations

import hashlib
import time
from typing import Any

from models import Picture

PAGE = 4096
# Number of probes, and rounds of each. The fastest one counts, because a shared core or a low clock slows a probe down.
PROBES, PROBE_ROUNDS = 8, 20_000


class StandIn:
    """Hashes each picture. The constructor computes the number of rounds, so the work does not depend on the load.

    `milliseconds` is the processor time of one picture on this machine. After `slow_count` pictures, a picture takes
    `then_milliseconds`. OpenSSL releases the lock of the Python interpreter while it hashes.
    """

    def __init__(
            self, milliseconds: float, megabytes: float = 0, slow_count: float = float("inf"),
            then_milliseconds: float = 0) -> None:
        per_round = min(self._probe() for _ in range(PROBES))
        self._rounds = max(1, round(milliseconds / 1000 / per_round))
        self._later_rounds = max(1, round(then_milliseconds / 1000 / per_round))
        self._slow_count = slow_count
        self._count = 0
        self._memory = bytearray(int(megabytes * 1e6))
        # Write to each page. The kernel allocates a page only at the first write.
        self._memory[::PAGE] = b"\1" * len(range(0, len(self._memory), PAGE))

    def _probe(self) -> float:
        """Processor time of one round in seconds."""
        start = time.thread_time()
        self._hash(b"probe", PROBE_ROUNDS)
        return max(time.thread_time() - start, 1e-6) / PROBE_ROUNDS

    @staticmethod
    def _hash(data: bytes, rounds: int) -> bytes:
        return hashlib.pbkdf2_hmac("sha256", data, b"stand-in", rounds)

    def run(self, picture: Picture) -> dict[str, Any]:
        self._count += 1
        rounds = self._rounds if self._count <= self._slow_count else self._later_rounds
        return {"found": False, "digest": self._hash(picture.data, rounds)[:4].hex()}

    def close(self) -> None:
        self._memory = bytearray()
