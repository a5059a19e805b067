"""Measures the rows of a plan in blocks of ABBA until their verdicts are clear, or the time is over."""
import time
from collections.abc import Callable
from typing import Protocol

from evidence import Evidence, Looks, examine
from metrics import METRICS
from plan import Row
from store import block_name
from verdict import ALPHA, PRIMARY_SHARE, Verdict, is_finished, judge

# Plays one side of a row; the figures by the name of their metric are in "figures", or the reason is in "error".
Measure = Callable[[Row, bool], dict]
ORDER = (False, True, True, False)
# A block whose runs fail is repeated so many times.
ATTEMPTS = 3


class Keeper(Protocol):
    """Where blocks are kept; see `Store`."""

    def write(self, name: str, content: object) -> None: ...

    def blocks(self, row: str) -> list[dict]: ...


class Session:
    """All rows with their runs; `rows` begins with that of the noise."""

    def __init__(self, rows: list[Row], measure: Measure, store: Keeper, looks: Looks = Looks(),
                 seconds: float = float("inf"), report: Callable[[str], None] = lambda _: None) -> None:
        self.rows, self.measure, self.store, self.looks = rows, measure, store, looks
        self.seconds, self.report = seconds, report
        self.blocks: dict[str, list[dict]] = {row.name: store.blocks(row.name) for row in rows}
        self.failures: dict[str, str] = {}
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
            for is_after in ORDER:
                result = self.measure(row, is_after)
                if "error" in result:
                    self.report(f"{row.name}: a run failed, the block is repeated: {result['error']}")
                    break
                runs.append({"after": is_after, **result})
            if len(runs) == len(ORDER):
                break
        else:
            self.failures[row.name] = result["error"]
            return
        block = {"runs": runs, "seconds": time.monotonic() - begin}
        self.store.write(block_name(row.name, index), block)
        self.blocks[row.name].append(block)
        if self.pairs(row) in self.looks.pairs:
            self.report(self._line(row))

    def pairs_of(self, row: Row, metric: str) -> tuple[list[float], list[float]]:
        """The figures of both sides, pair by pair; a pair without the figure is left out."""
        before, after = [], []
        for block in self.blocks[row.name]:
            runs = block["runs"]
            for one, two in ((runs[0], runs[1]), (runs[3], runs[2])):
                a, b = one["figures"].get(metric), two["figures"].get(metric)
                if a is None or b is None or METRICS[metric].is_ratio and min(a, b) <= 0:
                    continue
                before.append(a)
                after.append(b)
        return before, after

    def evidence(self) -> dict[tuple[str, str], Evidence]:
        """The evidence of all rows and metrics of which nine in ten pairs have the figure."""
        for row in self.rows:
            if self._examined.get(row.name) == self.pairs(row) or not self.pairs(row):
                continue
            self._examined[row.name] = self.pairs(row)
            for metric in METRICS.values():
                before, after = self.pairs_of(row, metric.name)
                if len(before) >= 0.9 * self.pairs(row) and before:
                    is_primary = metric.name in (*row.primary, *(claim.metric for claim in row.claims))
                    alpha = ALPHA * (PRIMARY_SHARE if is_primary else 1 - PRIMARY_SHARE)
                    self._evidence[row.name, metric.name] = examine(
                        metric, before, after, self.looks, alpha, f"{row.name} {metric.name}")
        return self._evidence

    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        return judge(self.rows, self.evidence(), self.looks)

    def _line(self, row: Row) -> str:
        verdicts = self.verdicts()
        words = ", ".join(f"{name} {verdicts[row.name, name].word}" for name in row.primary)
        return f"{row.name}: {self.pairs(row)} pairs, {words}; {self.spent / 60:.1f} min so far"
