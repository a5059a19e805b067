"""Measures the rows of a plan in blocks of ABBA and BAAB until their verdicts are clear, or the time is over."""
import time
from collections.abc import Callable
from typing import Protocol

from evidence import Evidence, Looks, examine
from metrics import METRICS
from plan import Row
from store import block_name, failures_name
from verdict import ALPHA, PRIMARY_SHARE, Verdict, is_finished, judge

# Plays one side of a row; the figures by the name of their metric are in "figures", or the reason is in "error".
Measure = Callable[[Row, bool], dict]
# Blocks alternate, so that neither side always comes first.
ORDERS = ((False, True, True, False), (True, False, False, True))
# A block whose runs fail is repeated so many times.
ATTEMPTS = 3


class Keeper(Protocol):
    """Where blocks are kept; see `Store`."""

    def write(self, name: str, content: object) -> None: ...

    def read(self, name: str) -> dict | list | None: ...

    def blocks(self, row: str) -> list[dict]: ...


class Session:
    """All rows with their runs; `rows` begins with that of the noise."""

    def __init__(self, rows: list[Row], measure: Measure, store: Keeper, looks: Looks = Looks(),
                 seconds: float = float("inf"), report: Callable[[str], None] = lambda _: None,
                 check: Callable[[], None] = lambda: None) -> None:
        self.rows, self.measure, self.store, self.looks = rows, measure, store, looks
        # `check` raises an exception if the runs of a block cannot be compared with those before.
        self.seconds, self.report, self.check = seconds, report, check
        self.blocks: dict[str, list[dict]] = {row.name: store.blocks(row.name) for row in rows}
        # Rows that end without their pairs, and all runs that failed, also those whose block was repeated.
        self.failures: dict[str, str] = {}
        self.failed: dict[str, list[dict]] = {row.name: store.read(failures_name(row.name)) or [] for row in rows}
        self._evidence: dict[tuple[str, str], Evidence] = {}
        self._examined: dict[str, int] = {}

    @property
    def spent(self) -> float:
        """Seconds that all blocks took, also those before a kill."""
        return sum(block["seconds"] for blocks in self.blocks.values() for block in blocks)

    def pairs(self, row: Row) -> int:
        return 2 * len(self.blocks[row.name])

    def run(self) -> None:
        """Measures the noise first, then the other rows by turns, so that all share what happens to the machine."""
        for group in ([row for row in self.rows if row.is_noise], [row for row in self.rows if not row.is_noise]):
            while open_rows := [row for row in group if not self._is_over(row)]:
                fewest = min(self.pairs(row) for row in open_rows)
                for row in [row for row in open_rows if self.pairs(row) == fewest]:
                    # A row may end while others are measured, as the verdicts depend on each other.
                    if not self._is_over(row):
                        self._add_block(row)

    def _is_over(self, row: Row) -> bool:
        if row.name in self.failures:
            return True
        pairs = self.pairs(row)
        # The first look is always reached: with fewer pairs there would be no verdict about any row.
        if pairs >= self.looks.pairs[0] and self.spent >= self.seconds:
            return True
        if pairs not in self.looks.pairs:
            return pairs > self.looks.pairs[-1]
        return is_finished(row, self.verdicts(), self.looks, pairs)

    def _add_block(self, row: Row) -> None:
        begin, index = time.monotonic(), len(self.blocks[row.name])
        for _ in range(ATTEMPTS):
            runs = []
            for is_after in ORDERS[index % 2]:
                result = self.measure(row, is_after)
                if "error" in result:
                    self._note_failure(row, is_after, result["error"])
                    break
                runs.append({"after": is_after, **result})
            if len(runs) == len(ORDERS[0]):
                break
        else:
            self.failures[row.name] = result["error"]
            return
        self.check()
        block = {"runs": runs, "seconds": time.monotonic() - begin}
        self.store.write(block_name(row.name, index), block)
        self.blocks[row.name].append(block)
        if self.pairs(row) in self.looks.pairs:
            self.report(self._line(row))

    def _note_failure(self, row: Row, is_after: bool, reason: str) -> None:
        self.failed[row.name].append({"after": is_after, "error": reason, "block": len(self.blocks[row.name])})
        self.store.write(failures_name(row.name), self.failed[row.name])
        self.report(f"{row.name}: a run failed, the block is repeated: {reason}")

    def pairs_of(self, row: Row, metric: str) -> tuple[list[float | None], list[float | None]]:
        """The figures of both sides, pair by pair: None where a run does not have the figure."""
        before, after = [], []
        for block in self.blocks[row.name]:
            # The second pair is (A2, B2): the last run and the one before it.
            for pair in (block["runs"][:2], block["runs"][2:]):
                for run in pair:
                    (after if run["after"] else before).append(run["figures"].get(metric))
        return before, after

    def evidence(self) -> dict[tuple[str, str], Evidence]:
        """The evidence of all rows and metrics of which nine in ten pairs have the figure."""
        for row in self.rows:
            reached = self.looks.reached(self.pairs(row))
            if not reached or self._examined.get(row.name) == reached:
                continue
            self._examined[row.name] = reached
            for metric in METRICS.values():
                alpha = ALPHA * (PRIMARY_SHARE if metric.name in row.main_metrics else 1 - PRIMARY_SHARE)
                found = examine(metric, *self.pairs_of(row, metric.name), self.looks, alpha,
                                f"{row.name} {metric.name}")
                if found:
                    self._evidence[row.name, metric.name] = found
                else:
                    self._evidence.pop((row.name, metric.name), None)
        return self._evidence

    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        return judge(self.rows, self.evidence(), self.looks)

    def _line(self, row: Row) -> str:
        verdicts = self.verdicts()
        words = ", ".join(f"{name} {verdicts[row.name, name].word}" for name in row.primary)
        return f"{row.name}: {self.pairs(row)} pairs, {words}; {self.spent / 60:.1f} min so far"
