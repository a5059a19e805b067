"""Measures the rows of a plan in blocks of four runs (ABBA, BAAB) until the verdicts are clear, or time is over."""
import time
from collections.abc import Callable

from evidence import Evidence, examine
from plan import METRICS, Looks, Row
from store import row_name
from verdict import ALPHA, PRIMARY_SHARE, Verdict, is_finished, judge

# Blocks alternate, so that neither side is always the first.
ORDERS = ((False, True, True, False), (True, False, False, True))
# Maximum number of attempts at a block whose runs fail.
ATTEMPTS = 3


class Session:
    """All rows with their runs. The first row compares a side with itself, to measure the noise.

    `measure` plays one side of a row and returns its figures in "figures", or the reason of a failure in "error".
    `check` raises an exception if the runs of a block cannot be compared with earlier ones.
    """

    def __init__(self, rows: list[Row], measure: Callable[[Row, bool], dict], store, looks: Looks = Looks(),
                 seconds: float = float("inf"), report: Callable[[str], None] = lambda _: None,
                 check: Callable[[], None] = lambda: None) -> None:
        self.rows, self.measure, self.store, self.looks = rows, measure, store, looks
        self.seconds, self.report, self.check = seconds, report, check
        self.blocks: dict[str, list[dict]] = {row.name: store.blocks(row.name) for row in rows}
        # Error of each row that ended before its first look.
        self.failures: dict[str, str] = {}
        # All failed runs, including the runs of blocks that were then repeated.
        self.failed: dict[str, list[dict]] = {
            row.name: store.read(row_name("failures", row.name)) or [] for row in rows}
        self._evidence: dict[tuple[str, str], Evidence] = {}
        self._examined: dict[str, int] = {}
        self._verdicts: dict[tuple[str, str], Verdict] = {}

    @property
    def spent(self) -> float:
        """Duration of all blocks in seconds, including blocks before an interruption."""
        return sum(block["seconds"] for blocks in self.blocks.values() for block in blocks)

    def pairs(self, row: Row) -> int:
        return 2 * len(self.blocks[row.name])

    def runs(self, row: Row, is_after: bool | None = None) -> list[dict]:
        """The runs of a row, or of one of its sides."""
        return [run for block in self.blocks[row.name] for run in block["runs"] if is_after in (None, run["after"])]

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
        # Continue at least to the first look. With fewer pairs, there would be no verdict about any row.
        if row.name in self.failures or pairs >= self.looks.pairs[0] and self.spent >= self.seconds:
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
            else:
                break
        else:
            self.failures[row.name] = result["error"]
            return
        self.check()
        block = {"runs": runs, "seconds": time.monotonic() - begin}
        self.store.write(f"{row_name('blocks', row.name)}/{index:03}", block)
        self.blocks[row.name].append(block)
        if self.pairs(row) in self.looks.pairs:
            verdicts = self.verdicts()
            words = ", ".join(f"{name} {verdicts[row.name, name].word}" for name in row.primary)
            self.report(f"{row.name}: {self.pairs(row)} pairs, {words}; {self.spent / 60:.1f} min so far")

    def _note_failure(self, row: Row, is_after: bool, reason: str) -> None:
        self.failed[row.name].append({"after": is_after, "error": reason, "block": len(self.blocks[row.name])})
        self.store.write(row_name("failures", row.name), self.failed[row.name])
        self.report(f"{row.name}: a run failed, the block is repeated: {reason}")

    def pairs_of(self, row: Row, metric: str) -> list[list[float | None]]:
        """The figures of both sides, pair by pair. None if a run does not have the figure.

        The runs of a pair follow each other, because the n-th A and the n-th B of ABBA and BAAB do.
        """
        return [[run["figures"].get(metric) for run in self.runs(row, is_after)] for is_after in (False, True)]

    def evidence(self) -> dict[tuple[str, str], Evidence]:
        """The evidence of all rows and metrics. A metric has none if more than a tenth of the pairs lack its figure."""
        for row in self.rows:
            reached = self.looks.reached(self.pairs(row))
            if not reached or self._examined.get(row.name) == reached:
                continue
            self._examined[row.name] = reached
            self._verdicts = {}
            for metric in METRICS.values():
                key = row.name, metric.name
                alpha = ALPHA * (PRIMARY_SHARE if metric.name in row.main_metrics else 1 - PRIMARY_SHARE)
                found = examine(metric, *self.pairs_of(row, metric.name), self.looks, alpha, " ".join(key))
                self._evidence.pop(key, None)
                if found:
                    self._evidence[key] = found
        return self._evidence

    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        """The verdicts about all rows and metrics. They are computed again only after the evidence has changed."""
        evidence = self.evidence()
        self._verdicts = self._verdicts or judge(self.rows, evidence, self.looks)
        return self._verdicts
