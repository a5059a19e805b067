"""Tests the statistics with simulated runs: equal runs have few false verdicts, and planted differences are found.

The seeds are fixed, so each count is always the same. The limits apply to 100 sessions. A count is an estimate of a
probability; the interval of the probability is printed beside the count.
"""
import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import context
import replay
import simulation
import verify
from plan import Looks
from scipy import stats
from session import Session
from simulation import Memory
from verdict import BETTER, EQUIVALENT, UNDECIDED, WORSE

SESSIONS = 100


def estimate(count):
    """Formats a count, and the interval of Clopper and Pearson for its probability."""
    interval = stats.binomtest(count, SESSIONS).proportion_ci(0.95, "exact")
    return f"{count} of {SESSIONS} ({interval.low:.1%} to {interval.high:.1%})"


def session(seed, rows, **changes):
    machine = simulation.Machine(seed, **changes)
    one = Session([simulation.row("noise", is_noise=True), *rows], machine.measure, Memory())
    one.run()
    return one


def words(one, row):
    return {name: one.verdicts()[row, name].word for name in simulation.PRIMARY}


class Instrument(unittest.TestCase):
    def test_equal_runs_rarely_differ(self):
        """At most 5 of 100 sessions with two rows of equal runs have a verdict "better" or "worse" for any metric."""
        rows = [simulation.row("same")]
        false = sum(bool({BETTER, WORSE} & {*words(one, "noise").values(), *words(one, "same").values()})
                    for one in (session(seed, rows) for seed in range(SESSIONS)))
        print(f"A/A sessions with a false verdict: {estimate(false)}")
        self.assertLessEqual(false, 5)

    def test_three_percent_of_cpu_are_found(self):
        found = [words(session(seed, [simulation.row("cpu", primary=("cpu-frame",))], effects={"cpu": 1.03}),
                       "cpu")["cpu-frame"] for seed in range(SESSIONS)]
        print(f"3 % of CPU: {estimate(found.count(WORSE))} found, {found.count(UNDECIDED)} undecided, "
              f"{found.count(EQUIVALENT)} called equal")
        self.assertGreaterEqual(found.count(WORSE), 95)
        self.assertEqual(found.count(BETTER), 0)

    def test_five_milliseconds_are_found(self):
        rows = [simulation.row("latency", primary=("age-p50",))]
        found = [words(session(seed, rows, delays={"latency": 5.0}), "latency")["age-p50"] for seed in range(SESSIONS)]
        print(f"5 ms: {estimate(found.count(WORSE))} found")
        self.assertGreaterEqual(found.count(WORSE), 95)

    def test_replay_finds_what_is_added(self):
        """At most 2 of 20 sessions of random pairs have a false verdict, and at least 18 find the added 5 ms."""
        machine = simulation.Machine(1)
        kept = [machine.measure(simulation.row("same"), False)["figures"] for _ in range(200)]
        counts = replay.Counts("added")
        for seed in range(20):
            counts.add(replay.session(kept, seed))
        print(counts.words(counts.has_few_false))
        self.assertLessEqual(counts.false, 2)
        self.assertGreaterEqual(counts.latency, 18)

    def test_looking_after_each_pair_would_be_noticed(self):
        """If the statistics do not correct for several looks, equal runs have many false verdicts."""
        with mock.patch("plan.Looks.__post_init__"):
            greedy = Looks(tuple(range(6, 45, 4)), (1.0,) * 10)
        false, sessions = 0, SESSIONS // 4
        for seed in range(sessions):
            rows = [simulation.row("noise", is_noise=True), simulation.row("same"), simulation.row("other")]
            one = Session(rows, simulation.Machine(seed).measure, Memory(), greedy)
            # Also disable Holm's method and the comparison with the noise. Fewer bootstrap samples take less time.
            with mock.patch("verdict.holm", lambda values: values), mock.patch("verdict._floor", lambda *_: 0.0), \
                    mock.patch("evidence.BOOTSTRAPS", 200):
                one.run()
                verdicts = one.verdicts()
            false += any(verdicts[row.name, name].word in (BETTER, WORSE)
                         for row in rows for name in simulation.PRIMARY)
        print(f"{false} of {sessions} sessions without the correction have a false verdict")
        self.assertGreater(false, sessions / 5)


class VerifyCommand(unittest.TestCase):
    FACTS = {name: name for name in ("plugin", "processor", "system", "GStreamer", "x264enc")}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.markdown = Path(folder.name) / "results.md"
        self.markdown.write_text("<!-- begin 4k25 short -->\n\nOf a form.\n<!-- end 4k25 short -->\n", "utf-8")
        self.options = argparse.Namespace(
            plan=Path(context.TOP) / "Benchmarks/plans/4k25.json", folder=Path(folder.name) / "4k25-whole", verify=2,
            markdown=self.markdown)

    def run_command(self, effects, delays):
        """Runs the command with simulated runs. Returns the exit status."""
        runner = mock.Mock(side_effect=lambda *_: simulation.Machine(1, effects, delays))
        with mock.patch("verify.Runner", runner), contextlib.redirect_stdout(io.StringIO()):
            return verify.run(self.options, "", self.FACTS)

    def test_counts_are_written_to_their_section(self):
        self.assertEqual(self.run_command({"cpu": 1.2}, {"latency": 30.0}), 0)
        text = self.markdown.read_text("utf-8")
        for line in ("Of a form.", "| a false verdict in any metric | 0 |", "| 3 % of CPU planted, and found | 2 |",
                     "| 5 ms planted, and found | 2 |"):
            self.assertEqual(text.count(line), 1, line)
        # The second command reads the stored sessions, and writes the same section again.
        self.assertEqual(self.run_command({}, {}), 0)
        self.assertEqual(self.markdown.read_text("utf-8"), text)

    def test_it_fails_if_nothing_is_found(self):
        self.assertEqual(self.run_command({}, {}), 1)
        self.assertIn("| 3 % of CPU planted, and found | 0 |", self.markdown.read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
