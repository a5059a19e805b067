"""The tables and sentences of the reports."""
import unittest
from pathlib import Path

import context
import markdown_report
import notes
import tables
import wording
from evidence import Looks
from plan import Plan
from results import Results
from session import Session
from store import Memory
from verdict import UNDECIDED, Verdict

PLAN = Path(context.TOP) / "Benchmarks/plans/4k25.json"


def results(form="whole", blocks=None):
    """Results of a form whose rows have the blocks that are given by their name."""
    plan = Plan(PLAN)

    class Kept(Memory):
        def blocks(self, row):
            return (blocks or {}).get(row, [])

    found = Results(plan, plan.form(form), {}, Kept(), "Benchmarks/ab")
    found.workload = "4k25"
    found.session = Session(found._rows(None), lambda *_: {"error": "nothing is measured"}, Kept(), found.looks)
    return found


def block(figures, **more):
    return {"seconds": 20.0, "runs": [{"after": side, "figures": dict(figures), **more}
                                      for side in (False, True, True, False)]}


class Tables(unittest.TestCase):
    def test_frames_under_way_at_the_limit_of_heat_are_not_lost(self):
        one = block({"heat": 18.0}, frames=[90, 85], packets=[900, 880])
        table = tables.runs(results(blocks={"thermal": [one], "noise": [one]}))
        cells = {row[0]: row[4:6] for row in table}
        self.assertEqual(cells["thermal: thermalcaps on a SIMULATED hot machine"], [wording.NOTHING] * 2)
        self.assertEqual(cells["A/A: everything off, twice"], ["360, 20", "3600, 80"])

    def test_time_until_a_decision_ends_at_a_look(self):
        """A row with 26 pairs, the last look of which was that of 20."""
        def words(needed, pairs=26):
            return wording.more_time(Verdict(UNDECIDED, needed=needed), Looks((20, 30, 44)), pairs, 30.0)

        self.assertEqual(words(21), "30 pairs in all, 2 min more")
        self.assertEqual(words(31), "44 pairs in all, 9 min more")
        self.assertEqual(words(21, pairs=30), "44 pairs in all, 7 min more")
        self.assertEqual(words(146), "146 pairs in all, 60 min more")
        self.assertEqual(words(21, pairs=44), "more than 44 pairs")
        self.assertEqual(words(None), wording.NOTHING)

    def test_long_run_without_a_figure_has_a_dash(self):
        """perfmonitor knows no age of the end, and the run had too few frames for P99."""
        found = results()
        found.soak = {"minutes": 30, "alerts": [], "figures": {
            "cpu": 1.5, "drops": 0.0, "age-p50": 30.0, "memory": 300.0, "frames": 25.0, "bitrate": 25.0}}
        text = " ".join(markdown_report._soak(found))
        self.assertIn("30 minutes: CPU, mean 1.500 cores", text)
        self.assertIn("frames whose age perfmonitor knows –", text)

    def test_long_run_that_failed_has_a_line_and_a_status(self):
        found = results()
        self.assertFalse(found.has_failed_soak)
        found.soak = {"minutes": 30, "error": "no port"}
        self.assertTrue(found.has_failed_soak)
        self.assertIn("The run failed: no port", markdown_report._soak(found))

    def test_command_names_the_long_run_it_shows(self):
        found = results()
        self.assertEqual(found.repeated, "Benchmarks/ab")
        found.soak = {"minutes": 30}
        self.assertEqual(found.repeated, "Benchmarks/ab --soak 30")
        found.command = "Benchmarks/ab --soak 30"
        self.assertEqual(found.repeated, "Benchmarks/ab --soak 30")

    def test_what_real_time_means_is_said(self):
        found = results()
        found.capability = {"4k25-ntsc": {"carried": False, "carried-runs": 1, "runs": 3, "bitrate": 25.2}}
        text = " ".join(notes.not_shown(found))
        self.assertIn("3840x2160 at 25/s with ntscfilter: it is not in real time here (1 of 3 runs); the rows are about "
                      "3840x2160 at 25/s.", text)
        self.assertIn("98 % of its frames arrive", text)
        found.capability["4k25-ntsc"] |= {"carried": True, "carried-runs": 2, "cpu": 1.7}
        self.assertIn("in real time here (2 of 3 runs) with 1.70 cores", " ".join(notes.not_shown(found)))

    def test_pictures_that_are_easy_are_named(self):
        found = results()
        found.capability = {"4k25": {"bitrate": 6.4}, "1080p25": {"bitrate": 24.0}}
        text = " ".join(notes.not_shown(found))
        self.assertIn("less than 25 Mbit/s: 6.4 Mbit/s at 3840x2160 at 25/s.", text)
        found.capability["4k25"]["bitrate"] = 23.4
        self.assertNotIn("An encoder at its rate", " ".join(notes.not_shown(found)))

    def test_limits_follow_from_the_rows(self):
        """thermalcaps is idle in `all`, the receivers differ, and the short form has no row about heat."""
        whole, short = (" ".join(notes.not_shown(results(form))) for form in ("whole", "short"))
        self.assertIn("`thermalcaps` at work in all, all but pool → all", whole)
        self.assertIn("55 ms a frame in 1.2 of 3.6 s in backpressure: backpressurequeue, both ends", whole)
        self.assertNotIn("this form has none", whole)
        self.assertIn("A row about thermal: this form has none.", short)
        in_rows = [any("is the one that `thermalcaps` reads" in text
                       for text in notes.heat(results(form))) for form in ("whole", "short")]
        self.assertEqual(in_rows, [True, False])


if __name__ == "__main__":
    unittest.main()
