"""Intervals, p values, verdicts and the model of heat."""
import math
import unittest

import context  # noqa: F401
import numpy
import simulation
from evidence import Evidence, Interval, Looks, examine, holm, medians, bounds
from heat import HeatModel
from metrics import METRICS
from plan import Claim
from verdict import BETTER, EQUIVALENT, UNDECIDED, WORSE, claim_verdict, judge

CPU, DROPS = METRICS["cpu"], METRICS["drops"]


def evidence(effect, p=1.0, is_equivalent=False, pairs=20, spread=0.03, difference=(0, 0, 0)):
    median, low, high = effect
    return Evidence(pairs, Interval(median, low, high), 1, median, p, p, is_equivalent, spread, difference)


def verdict_of(found, noise=None, metric="cpu"):
    rows = [simulation.row("noise", is_noise=True), simulation.row("one", primary=(metric,))]
    known = {("one", metric): found}
    if noise:
        known["noise", metric] = noise
    return judge(rows, known, Looks())["one", metric]


class Statistics(unittest.TestCase):
    def test_interval_contains_the_median_in_95_of_100(self):
        """The coverage of the bootstrap, with the heavy tail of disturbed runs."""
        random, covered = numpy.random.default_rng(1), 0
        for index in range(400):
            values = random.standard_t(3, size=20) * 0.03 + 0.1
            low, high = bounds(medians(values, str(index)), 0.95)
            covered += low <= 0.1 <= high
        print(f"coverage {covered / 400:.1%}")
        self.assertTrue(0.92 <= covered / 400 <= 0.99, covered)

    def test_holm_agrees_with_a_computation_by_hand(self):
        adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
        for name, p in {"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06}.items():
            self.assertAlmostEqual(adjusted[name], p)

    def test_p_is_divided_by_the_share_of_the_look(self):
        before, after = [1.0 + i / 1000 for i in range(20)], [1.1 + i / 900 for i in range(20)]
        found = examine(CPU, before, after, Looks((10, 20), (0.25, 0.75)), 0.05, "seed")
        self.assertAlmostEqual(found.p, 2 / 2 ** 20)
        self.assertAlmostEqual(found.sequential_p, min(2 / 2 ** 10 / 0.25, found.p / 0.75))
        self.assertTrue(found.effect.low < 1.105 and found.effect.high > 1.09)

    def test_pairs_between_looks_are_no_look(self):
        before, after = [1.0] * 15, [1.1 + i / 900 for i in range(15)]
        found = examine(CPU, before, after, Looks((10, 20), (0.5, 0.5)), 0.05, "seed")
        self.assertAlmostEqual(found.sequential_p, 2 / 2 ** 10 / 0.5)

    def test_figures_that_are_zero_are_compared_by_difference(self):
        found = examine(DROPS, [0.0] * 20, [0.0] * 20, Looks((20,), (1.0,)), 0.05, "seed")
        self.assertEqual((found.effect.median, found.p, found.is_equivalent), (0.0, 1.0, True))

    def test_the_four_verdicts(self):
        self.assertEqual(verdict_of(evidence((0.9, 0.88, 0.92), 1e-5)).word, BETTER)
        self.assertEqual(verdict_of(evidence((1.1, 1.08, 1.12), 1e-5)).word, WORSE)
        self.assertEqual(verdict_of(evidence((1.001, 0.995, 1.01), 0.5, is_equivalent=True)).word, EQUIVALENT)
        undecided = verdict_of(evidence((0.97, 0.94, 1.01), 0.2))
        self.assertEqual(undecided.word, UNDECIDED)
        self.assertTrue(20 < undecided.needed < 200, undecided.needed)

    def test_a_change_as_small_as_that_of_equal_runs_is_no_verdict(self):
        small = evidence((0.96, 0.95, 0.97), 1e-5)
        self.assertEqual(verdict_of(small).word, BETTER)
        found = verdict_of(small, noise=evidence((0.95, 0.94, 0.96)))
        self.assertEqual((found.word, found.reason), (UNDECIDED, "within the noise of A/A"))

    def test_higher_is_better_where_it_is(self):
        self.assertEqual(verdict_of(evidence((2.0, 1.8, 2.2), 1e-5), metric="heat").word, BETTER)

    def test_claims_are_judged_by_the_interval(self):
        claim = Claim("cpu", "−8 %", ratio=0.92)
        for found, words in (
                (evidence((0.9, 0.88, 0.93), 1e-5), "reproduced"), (evidence((0.97, 0.96, 0.98), 1e-5), "partly"),
                (evidence((1.0, 0.99, 1.01), 0.9, is_equivalent=True), "refuted"),
                (evidence((1.1, 1.05, 1.15), 1e-5), "refuted"), (evidence((0.97, 0.90, 1.05), 0.5), UNDECIDED),
                (evidence((1.0, 0.95, 1.05), 0.9), "refuted")):
            self.assertEqual(claim_verdict(claim, verdict_of(found)), words, found)

    def test_claims_in_milliseconds_are_judged_by_the_difference(self):
        claim = Claim("age-p50", "−5 ms", difference=-5)
        fast = evidence((0.9, 0.85, 0.95), 1e-5, difference=(-6, -8, -4))
        slow = evidence((0.9, 0.85, 0.95), 1e-5, difference=(-2, -3, -1))
        self.assertEqual(claim_verdict(claim, verdict_of(fast, metric="age-p50")), "reproduced")
        self.assertEqual(claim_verdict(claim, verdict_of(slow, metric="age-p50")), "partly")

    def test_claim_of_no_change(self):
        claim = Claim("cpu", "0 %", ratio=1.0)
        equal = evidence((1, 0.99, 1.01), 0.9, is_equivalent=True)
        self.assertEqual(claim_verdict(claim, verdict_of(equal)), "reproduced")
        self.assertEqual(claim_verdict(claim, verdict_of(evidence((1.1, 1.08, 1.12), 1e-5))), "refuted")

    def test_heat_reaches_its_limit_when_calibrated(self):
        model = HeatModel()
        self.assertAlmostEqual(model.minutes_until_limit(1.0), model.minutes)
        temperature = model.start
        for _ in range(180):
            temperature = model.step(temperature, 1.0, 0.1)
        self.assertAlmostEqual(temperature, model.limit)
        self.assertEqual(model.minutes_until_limit(0.5), model.horizon)
        self.assertLess(model.minutes_until_limit(1.2), model.minutes)
        self.assertTrue(math.isclose(model.step(model.start, 0.0, 5), model.start))


if __name__ == "__main__":
    unittest.main()
