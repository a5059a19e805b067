"""Measures the rows of a plan in blocks of four runs (ABBA, BAAB) until the verdicts are clear, or the time is over."""
import time
from collections.abc import Callable
from functools import lru_cache

from evidence import Evidence, examine
from plan import METRICS, Looks, Row
from verdict import ALPHA, PRIMARY_SHARE, UNDECIDED, Verdict, judge

# Orders of the runs in a block; True is the side with the switch on. Successive blocks alternate between both orders.
ORDERS = ((False, True, True, False), (True, False, False, True))
# Maximum number of attempts at a block whose runs fail.
ATTEMPTS = 3
# Caches the statistics of a row until its next look, while other rows are measured.
kept_examine = lru_cache(maxsize=1024)(examine)


class Session:
    """All rows with their runs. The first row compares a side with itself, to measure the noise.

    `measure` plays one side of a row and returns its figures in "figures", or the reason of a failure in "error".
    `check` raises an exception if the runs of a block cannot be compared with earlier runs.
    """

    def __init__(self, rows: list[Row], measure: Callable[[Row, bool], dict], store, looks: Looks = Looks(),
                 seconds: float = float("inf"), report: Callable[[str], None] = lambda _: None,
                 check: Callable[[], None] = lambda: None) -> None:
        self.rows, self.measure, self.store, self.looks = rows, measure, store, looks
        self.seconds, self.report, self.check = seconds, report, check
        self.blocks: dict[str, list[dict]] = {row.name: store.blocks(row.name) for row in rows}
        # Last error of each row that ended because all attempts at a block failed.
        self.failures: dict[str, str] = {}
        # All failed runs, including those of blocks that were repeated with success.
        self.failed: dict[str, list[dict]] = {row.name: store.read(f"failures/{row.name}") or [] for row in rows}
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        # The look that each row had reached when `_verdicts` was computed.
        self._judged: list[int] = []

    @property
    def spent(self) -> float:
        """Duration of all blocks in seconds, including blocks before an interruption."""
        return sum(block["seconds"] for blocks in self.blocks.values() for block in blocks)

    def pairs(self, row: Row) -> int:
        return 2 * len(self.blocks[row.name])

    def runs(self, row: Row, is_after: bool | None = None) -> list[dict]:
        """The runs of a row, or of one of its sides."""
        return [run for block in self.blocks[row.name] for run in block["runs"] if is_after in (None, run["after"])]

    def ages(self, row: Row, is_after: bool) -> list[tuple[float, float]]:
        """Time in the stream and age of all frames of a side after the warm-up."""
        return [(at, age) for run in self.runs(row, is_after) for at, age in run.get("ages", ())
                if at >= run.get("warm", 0)]

    def run(self) -> None:
        """Measures the noise first, and then the other rows alternately, so that a disturbance affects all of them."""
        for is_noise in (True, False):
            group = [row for row in self.rows if row.is_noise == is_noise]
            while open_rows := [row for row in group if not self._is_over(row)]:
                fewest = min(map(self.pairs, open_rows))
                for row in [row for row in open_rows if self.pairs(row) == fewest]:
                    # Verdicts depend on other rows, so a block of another row may have finished this row.
                    if not self._is_over(row):
                        self._add_block(row)

    def _is_over(self, row: Row) -> bool:
        pairs = self.pairs(row)
        # A row has no verdict before its first look, so continue to this look even if the time is over.
        if row.name in self.failures or pairs >= self.looks.pairs[0] and self.spent >= self.seconds:
            return True
        if pairs not in self.looks.pairs[:-1]:
            return pairs >= self.looks.pairs[-1]
        # The noise row always ends at its first look, because the other rows are compared with it.
        return row.is_noise or all(self.verdicts()[row.name, name].word != UNDECIDED for name in row.main_metrics)

    def _add_block(self, row: Row) -> None:
        begin, index = time.monotonic(), len(self.blocks[row.name])
        for _ in range(ATTEMPTS):
            runs: list[dict] = []
            for is_after in ORDERS[index % 2]:
                runs.append({"after": is_after, **self.measure(row, is_after)})
                if "error" in runs[-1]:
                    break
            if "error" not in runs[-1]:
                break
            self.failed[row.name].append({**runs[-1], "block": index})
            self.store.write(f"failures/{row.name}", self.failed[row.name])
            self.report(f"{row.name}: a run failed, the block is repeated: {runs[-1]['error']}")
        else:
            self.failures[row.name] = runs[-1]["error"]
            return
        self.check()
        block = {"runs": runs, "seconds": time.monotonic() - begin}
        self.store.write(f"blocks/{row.name}/{index:03}", block)
        self.blocks[row.name].append(block)
        if self.pairs(row) in self.looks.pairs:
            words = ", ".join(f"{name} {self.verdicts()[row.name, name].word}" for name in row.primary)
            self.report(f"{row.name}: {self.pairs(row)} pairs, {words}; {self.spent / 60:.1f} min so far")

    def pairs_of(self, row: Row, metric: str) -> list[list[float | None]]:
        """The figures of both sides in the order of the pairs. A figure is None if the run does not have it.

        The two runs of a pair follow each other, because the n-th A is beside the n-th B in ABBA and in BAAB.
        """
        return [[run["figures"].get(metric) for run in self.runs(row, is_after)] for is_after in (False, True)]

    def evidence(self) -> dict[tuple[str, str], Evidence]:
        """The evidence by row and metric. Omits a metric if more than a tenth of the row's pairs lack its figure."""
        found = {}
        for row in (row for row in self.rows if self.blocks[row.name]):
            for metric in METRICS.values():
                alpha = ALPHA * (PRIMARY_SHARE if metric.name in row.main_metrics else 1 - PRIMARY_SHARE)
                before, after = (tuple(side[:self.looks.reached(self.pairs(row))])
                                 for side in self.pairs_of(row, metric.name))
                found[row.name, metric.name] = kept_examine(metric, before, after, self.looks, alpha,
                                                            f"{row.name} {metric.name}")
        return {key: evidence for key, evidence in found.items() if evidence}

    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        """The verdicts about all rows and metrics, computed again only after a row has reached a look."""
        reached = [self.looks.reached(self.pairs(row)) for row in self.rows]
        if self._judged != reached:
            self._judged, self._verdicts = reached, judge(self.rows, self.evidence(), self.looks)
        return self._verdicts
