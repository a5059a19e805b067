"""Tests the tables and sentences of the reports."""
import unittest
from pathlib import Path

import context
import notes
import report
import tables
from heat import HeatModel
from plan import Looks, Plan
from results import Results
from session import Session
from simulation import Memory
from verdict import UNDECIDED, Verdict

PLAN = Path(context.TOP) / "Benchmarks/plans/4k25.json"


def results(form="whole", blocks=None):
    """Results of a form. `blocks` has the blocks of each row by the name of the row."""
    plan = Plan(PLAN)

    class Kept(Memory):
        def blocks(self, row):
            return (blocks or {}).get(row, [])

    found = Results(plan, plan.form(form), {}, Kept(), "Benchmarks/ab")
    found.workload = "4k25"
    found.session = Session(found.rows(), lambda *_: {"error": "nothing is measured"}, Kept(), found.form.looks)
    return found


def block(figures, **more):
    return {"seconds": 20.0, "runs": [{"after": side, "figures": dict(figures), **more}
                                      for side in (False, True, True, False)]}


class Tables(unittest.TestCase):
    def test_frames_under_way_at_the_limit_of_heat_are_not_lost(self):
        one = block({"heat": 18.0}, frames=[90, 85], packets=[900, 880])
        table = tables.runs(results(blocks={"thermal": [one], "noise": [one]}))
        cells = {row[0]: row[4:6] for row in table}
        self.assertEqual(cells["thermal: thermalcaps on a SIMULATED hot machine"], [tables.NOTHING] * 2)
        self.assertEqual(cells["A/A: everything off, twice"], ["360, 20", "3600, 80"])

    def test_only_runs_that_get_hot_have_a_time_until_the_limit(self):
        """A row whose runs do not get hot has no time until the limit."""
        blocks = [block({"heat": 18.0, "cpu-frame": 20.0, "packets": 3.0, "drops": 1.0})] * 10
        found = results(blocks={"thermal": blocks, "pool": blocks, "noise": blocks})
        cells = {row[0]: row[-1] for row in tables.overview(found)}
        self.assertEqual(cells["pool: adaptivepool, prewarmed"], tables.NOTHING)
        self.assertTrue(cells["thermal: thermalcaps on a SIMULATED hot machine"].startswith("+0.0 %"))
        titles = {row.name: [cells[0] for cells in tables.every_metric(found, row)] for row in found.session.rows}
        self.assertIn("time until the limit of heat, SIMULATED", titles["thermal"])
        self.assertNotIn("packets lost on the loopback", titles["thermal"])
        self.assertNotIn("time until the limit of heat, SIMULATED", titles["pool"])
        self.assertIn("packets lost on the loopback", titles["pool"])

    def test_time_until_a_decision_ends_at_a_look(self):
        """A row with 26 pairs is between the looks at 20 and at 30 pairs. A decision is possible at its next look."""
        def words(needed, pairs=26):
            return tables.more_time(Verdict(UNDECIDED, needed=needed), Looks((20, 30, 44)), pairs, 30.0)

        self.assertEqual(words(21), "30 pairs in all, 2 min more")
        self.assertEqual(words(31), "44 pairs in all, 9 min more")
        self.assertEqual(words(21, pairs=30), "44 pairs in all, 7 min more")
        self.assertEqual(words(146), "146 pairs in all, 60 min more")
        self.assertEqual(words(21, pairs=44), "more than 44 pairs")
        self.assertEqual(words(None), tables.NOTHING)

    def test_long_run_without_a_figure_has_a_dash(self):
        """In this run, perfmonitor has measured no ages at the last element, and P99 requires more frames."""
        found = results()
        found.soak = {"minutes": 30, "alerts": [], "figures": {
            "cpu": 1.5, "drops": 0.0, "age-p50": 30.0, "memory": 300.0, "frames": 25.0, "bitrate": 25.0}}
        text = " ".join(report.soak(found))
        self.assertIn("30 minutes: CPU, mean 1.500 cores", text)
        self.assertIn("frames whose age perfmonitor knows –", text)

    def test_long_run_that_failed_has_a_line_and_a_status(self):
        found = results()
        self.assertFalse(found.has_failed_soak)
        found.soak = {"minutes": 30, "error": "no port"}
        self.assertTrue(found.has_failed_soak)
        self.assertIn("The run failed: no port", report.soak(found))

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
        """The text names rows with an idle thermalcaps, the receivers of rows, and a missing row about heat."""
        whole, short = (" ".join(notes.not_shown(results(form))) for form in ("whole", "short"))
        self.assertIn("`thermalcaps` at work in all, all but pool → all", whole)
        self.assertIn("55 ms a frame in 1.2 of 3.6 s in backpressure: backpressurequeue, both ends", whole)
        self.assertNotIn("this form has none", whole)
        self.assertIn("A row about thermal: this form has none.", short)
        self.assertEqual(notes.heat(results("short")), [])
        in_rows = [any("is the one that `thermalcaps` reads" in text
                       for text in notes.heat(results(form))) for form in ("whole", "short")]
        self.assertEqual(in_rows, [True, False])

    def test_rows_where_half_of_the_frames_are_late_are_named(self):
        """In one row, 3 of 8 frames are late with everything off, and 1 of 8 with the switches on. Only it is named."""
        def runs(off, on):
            return [{"seconds": 20.0, "runs": [
                {"after": side, "figures": {}, "warm": 1.0, "ages": [(0.5, 900.0), *((2.0, age) for age in ages)]}
                for side, ages in ((False, off), (True, on), (True, on), (False, off))]}]
        found = results("short", {"backpressure": runs([20.0] * 5 + [90.0] * 3, [20.0] * 7 + [90.0]),
                                  "pool": runs([20.0] * 8, [20.0] * 8)})
        text = " ".join(notes.not_shown(found))
        self.assertIn("off → on: backpressure: backpressurequeue, both ends: 38 % → 12 %.", text)

    def test_frames_lost_by_design_are_not_called_cpu(self):
        """CPU per received frame includes the work on lost frames, so such a row also shows the CPU by the clock."""
        def one(side):
            return {"after": side, "figures": {"cpu": 1.0, "cpu-frame": 23.0 if side else 20.0, "age-p50": 50.0,
                                               "age-p95": 90.0, "drops": 12.0 if side else 0.0}}
        blocks = [{"seconds": 20.0, "runs": [one(side) for side in order]}
                  for order in ((False, True, True, False), (True, False, False, True)) * 5]
        found = results("short", {"all": blocks, "noise": blocks})
        line = " ".join(report.in_three_lines(found))
        self.assertIn("CPU, mean by the clock +0.0 %", line)


class Heat(unittest.TestCase):
    """Tests the loads of runs, and the times until the limit that follow from these loads for other time constants."""

    @staticmethod
    def curve(model, load, later):
        """Minutes and temperatures of a run whose load changes from `load` to `later` at the first step."""
        found, temperature, minute = [], model.start, 0.0
        while temperature < model.limit and minute < model.horizon:
            temperature = model.step(temperature, load if temperature < tables.STEP else later, 0.1)
            minute += 0.1
            found.append((round(minute, 2), round(temperature, 2)))
        return found

    def test_load_of_a_run_is_that_above_the_first_step(self):
        model = HeatModel()
        for load, later in ((1.0, 1.0), (1.0, 0.9), (1.0, 0.8), (1.1, 0.7)):
            self.assertAlmostEqual(tables.load_of(self.curve(model, load, later), model), later, delta=0.01)
        self.assertIsNone(tables.load_of([(0.1, 47.0), (60.0, 70.0)], model), "never hot")
        self.assertIsNone(tables.load_of([], model))

    def test_table_shows_on_which_constants_the_result_depends(self):
        """With a load of 0.8 after the step, a machine stays below its limit with τ = 10 min, but not with 20 min."""
        model = HeatModel()
        runs = [{"after": side, "figures": {}, "heat": self.curve(model, 1.0, 0.8 if side else 1.0)}
                for side in (False, True, True, False)]
        head, off, on = tables.heat(results(blocks={"thermal": [{"seconds": 20.0, "runs": runs}]}))
        self.assertEqual(head[2:], ["τ = 5 min", "τ = 10 min", "τ = 15 min", "τ = 20 min", "τ = 40 min"])
        for cell in off[2:]:
            self.assertAlmostEqual(float(cell), 18, delta=0.3)
        self.assertEqual(on[2:4], ["≥ 60", "≥ 60"])
        self.assertAlmostEqual(float(on[5]), 23, delta=1)
        self.assertAlmostEqual(float(on[6]), 21, delta=1)


if __name__ == "__main__":
    unittest.main()
