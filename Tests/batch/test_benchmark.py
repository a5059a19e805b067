"""Tests the figures of Benchmarks/batch and their insertion into docs/batch.md."""

import contextlib
import io
import sys
import unittest

from support import TOP

sys.path.insert(0, str(TOP / "Benchmarks/python/batch"))

from page import PAGE, with_results  # noqa: E402
from row import Row  # noqa: E402
from scheduler import SECONDS, WORKERS, measure_scheduler  # noqa: E402
from speed import bound  # noqa: E402


class BoundTests(unittest.TestCase):
    def test_ten_minutes_are_divided_so_that_four_workers_reach_the_goal(self) -> None:
        """With one worker, rendering takes 1000 s, and the steps before and after rendering take 10 s."""
        one = {"wall": 1010.0, "once": 10.0, "seconds": 1000.0, "frames": 15_000, "segments": 20}
        self.assertAlmostEqual(bound(one, 4), 1010 / (10 + 1000 * (3900 + 5 * 75) / (15_000 + 20 * 75)))
        self.assertGreater(bound(one, 4), 3.5)
        self.assertGreater(bound(one, 2), 1.85)

    def test_time_to_start_segments_is_part_of_the_bound(self) -> None:
        """With more segments in the same time, one worker has spent more time on starts and less on frames."""
        one = {"wall": 1010.0, "once": 10.0, "seconds": 1000.0, "frames": 15_000, "segments": 60}
        self.assertGreater(bound(one, 4), bound({**one, "segments": 20}, 4))


class SchedulerTests(unittest.TestCase):
    """Measures the scheduler with 1000 rounds of stand-ins."""

    def measured(self, wait: float, segment_seconds: float | None) -> tuple[list[str], str]:
        """Returns the missed goals and the output, if a worker waits `wait` seconds for each stand-in."""
        printed, rounds = io.StringIO(), 1000
        store = {"run": {"wall": rounds * (SECONDS + wait), "processor": 20.0}}
        with contextlib.redirect_stdout(printed):
            missed = measure_scheduler(rounds * WORKERS, store, "run", segment_seconds)
        return missed, printed.getvalue()

    def test_goal_is_a_part_of_the_stand_in(self) -> None:
        """The duration of a segment of the film does not change the goal."""
        self.assertEqual(self.measured(0.009, None)[0], [])
        for segment_seconds in (None, 20.0):
            missed, printed = self.measured(0.02, segment_seconds)
            self.assertEqual(missed, ["the overhead is 2.00 % of a stand-in of 1 s, not below 1 %"])
            self.assertIn("a worker waits 20 ms for each, 2.00 % of its time.", printed)
        self.assertIn("The wait is 0.10 % of a segment of the film, which took 20.0 s.", printed)


class PageTests(unittest.TestCase):
    def test_results_are_replaced_and_nothing_else(self) -> None:
        text = PAGE.read_text(encoding="utf-8")
        once = with_results(text, ["first", "result"])
        self.assertIn("\n\nfirst\nresult\n\n", once)
        again = with_results(once, ["second"])
        self.assertNotIn("first\nresult", again)
        self.assertEqual(with_results(again, ["first", "result"]), once)
        for line in text.splitlines():
            if "<!--" in line:
                self.assertIn(line, once)
        with self.assertRaises(ValueError):
            with_results("no place", ["first"])

    def test_row_has_a_cell_for_each_column(self) -> None:
        for row in (Row("gst-launch-1.0, 1 core", 5.0, processor=4.0), Row("4 workers", 1.0, 0.5, 3.0, 3.6, 3.4)):
            self.assertEqual(row.markdown().count("|"), Row.markdown_header()[0].count("|"))
            self.assertEqual(len(row.line()), len(Row.header()))


if __name__ == "__main__":
    unittest.main()
