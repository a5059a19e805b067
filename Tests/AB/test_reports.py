"""The tables and sentences of the reports."""
import unittest
from pathlib import Path

import context
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
        self.assertEqual(words(146), "146 pairs in all, 60 min more")
        self.assertEqual(words(21, pairs=44), "more than 44 pairs")
        self.assertEqual(words(None), wording.NOTHING)


if __name__ == "__main__":
    unittest.main()
