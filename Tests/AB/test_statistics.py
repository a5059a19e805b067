"""Tests intervals, p values, verdicts, and the heat model."""
import math
import unittest
from dataclasses import replace

import context  # noqa: F401
import figures
import numpy
import runner
import simulation
import tables
from evidence import Evidence, Interval, examine, holm, interval, order_statistics, sign_flips
from figures import Usage
from heat import HeatModel
from plan import METRICS, Claim, Looks
from verdict import BETTER, EQUIVALENT, UNDECIDED, UNKNOWN, WORSE, claim_verdict, judge

CPU, DROPS = METRICS["cpu-frame"], METRICS["drops"]


def evidence(effect, p=1.0, is_equivalent=False, pairs=20, spread=0.03, difference=(0, 0, 0), is_ratio=True, sure=None):
    """Evidence whose pairs are at the median of `effect` and at both ends of `sure`, or of `effect` without `sure`."""
    changed = (effect[0], *(sure or effect[1:])) * 7
    return Evidence(pairs, Interval(*effect), 1, effect[0], p, p, is_equivalent, spread,
                    tuple(map(math.log, changed)) if is_ratio else changed, difference * 7)


def verdict_of(found, noise=None, metric="cpu-frame", others=None, workload="simulated"):
    rows = [simulation.row("noise", is_noise=True),
            replace(simulation.row("one", primary=(metric,)), workload=workload)]
    known = {("one", metric): found, **{("one", name): value for name, value in (others or {}).items()}}
    if noise:
        known["noise", metric] = noise
    return judge(rows, known, Looks())["one", metric]


class Figures(unittest.TestCase):
    """Tests the figures of a run, computed from invented frames and samples."""

    def span(self, seconds, cores):
        samples = [Usage(tick * 0.1, cores * tick * 0.1, tick, tick) for tick in range(round(seconds * 10) + 4)]
        return figures.Span(samples, seconds, seconds)

    def test_rates_are_by_the_clock(self):
        """If the encoder passes 11 of 25 frames per second, its rate is 11."""
        encoded = [(number * 40_000_000, round((number + 1) / 11 * 1e9)) for number in range(50)]
        found = figures.rates(encoded, [12_500] * 50, self.span(50 / 11, 2.0))
        self.assertAlmostEqual(found["frames"], 11, places=3)
        self.assertAlmostEqual(found["bitrate"], 11 * 0.1, places=3)

    def test_cpu_is_by_the_clock_and_by_the_frame(self):
        found = figures.usage(self.span(4.0, 1.5), received=44)
        self.assertAlmostEqual(found["cpu"], 1.5)
        self.assertAlmostEqual(found["cpu-frame"], 4.0 * 1.5 * 1000 / 44)

    def test_receiver_that_falls_behind_takes_no_less_cpu(self):
        """The last frame arrives 2 s after the end of a stream of 4 s. The CPU time of these 2 s counts too."""
        span = replace(self.span(6.0, 1.0), stream=4.0)
        self.assertAlmostEqual(figures.usage(span, received=100)["cpu"], 1.5)

    def test_source_takes_the_interval_after_its_last_frame(self):
        self.assertAlmostEqual(figures.duration([40_000_000 * number for number in range(25)]), 1.0)

    def test_wait_for_lost_frames_does_not_count(self):
        self.assertAlmostEqual(self.span(4.0, 1.5).last.time, 4.0)

    def test_percentiles_are_exact(self):
        self.assertEqual(figures.percentiles([3.0, 1.0, 2.0]), {"age-p50": 2.0, "age-p95": 3.0})
        self.assertEqual(figures.percentiles([float(age) for age in range(1, 201)]),
                         {"age-p50": 100.0, "age-p95": 190.0, "age-p99": 198.0})

    def test_workload_is_carried_if_most_runs_are(self):
        """A workload with one bad run of three is still in real time."""
        good, bad = {"drops": 0.0, "oldest": 30.0, "cpu": 1.0}, {"drops": 9.0, "oldest": 900.0, "cpu": 2.0}
        self.assertTrue(runner.summary([good, bad, good])["carried"])
        self.assertFalse(runner.summary([good, bad, bad])["carried"])
        self.assertFalse(runner.summary([good | {"age-p95": 200.0}] * 3)["carried"])
        self.assertFalse(runner.summary([good, {"error": "no"}, {"error": "no"}])["carried"])


class Statistics(unittest.TestCase):
    def test_interval_contains_the_median_in_95_of_100(self):
        """Tests the coverage of the bootstrap with values that have a heavy tail, as with disturbed runs."""
        random, covered = numpy.random.default_rng(1), 0
        for index in range(400):
            values = random.standard_t(3, size=20) * 0.03 + 0.1
            _, low, high = interval(values, str(index))
            covered += low <= 0.1 <= high
        print(f"coverage {covered / 400:.1%}")
        self.assertTrue(0.92 <= covered / 400 <= 0.99, covered)

    def test_simultaneous_interval_contains_the_median_as_often_as_promised(self):
        """For 20 values and an error of 5 %, the interval excludes the 5 smallest and the 5 largest values."""
        values = numpy.arange(20.0)
        self.assertEqual(order_statistics(values, 0.05), (5.0, 14.0))
        self.assertEqual(order_statistics(values, 0.0008), (2.0, 17.0))
        self.assertEqual(order_statistics(values, 1e-9), (-math.inf, math.inf))
        random = numpy.random.default_rng(1)
        covered = 0
        for _ in range(400):
            low, high = order_statistics(random.standard_t(3, size=20), 0.05)
            covered += low <= 0 <= high
        self.assertGreaterEqual(covered, 380)

    def test_signs_of_pairs_that_differ_give_p(self):
        """Three of 20 pairs differ, all in the same direction. Two of the 8 combinations of signs are as extreme."""
        self.assertAlmostEqual(sign_flips(numpy.asarray([0.0] * 17 + [1.0, 2.0, 1.0])), 2 / 8)
        self.assertLess(sign_flips(numpy.asarray([1.0] * 20)), 1e-4)
        self.assertEqual(sign_flips(numpy.zeros(20)), 1.0)

    def test_losses_of_few_runs_are_no_median_of_zeros(self):
        """Eight of 20 runs lose frames. The median of the pairs is 0, but the mean of the pairs is larger."""
        found = examine(DROPS, [0.0] * 20, [0.0, 0.0, 5.0, 0.0, 5.0] * 4, Looks((20,), (1.0,)), 0.05, "seed")
        self.assertAlmostEqual(found.effect.median, 2.0)
        self.assertGreater(found.effect.low, 0)
        self.assertFalse(found.is_equivalent)
        self.assertLess(found.p, 0.01)

    def test_equivalence_of_an_earlier_look_does_not_last(self):
        same, other = [1.0 + i % 3 / 1000 for i in range(20)], [1.1 + i % 3 / 1000 for i in range(24)]
        early = examine(CPU, [1.0] * 20, same, Looks((20, 44), (0.5, 0.5)), 0.05, "seed")
        late = examine(CPU, [1.0] * 44, same + other, Looks((20, 44), (0.5, 0.5)), 0.05, "seed")
        self.assertEqual((early.is_equivalent, late.is_equivalent), (True, False))

    def test_looks_count_the_pairs_of_the_row(self):
        """If the figure is missing in one of 20 pairs, the look at 20 pairs uses 19 values."""
        before, after = [1.0] * 20, [None] + [1.1 + i / 900 for i in range(19)]
        found = examine(CPU, before, after, Looks((20, 30), (0.5, 0.5)), 0.05, "seed")
        self.assertEqual((found.pairs, len(found.changed)), (20, 19))
        self.assertAlmostEqual(found.sequential_p, 2 * 2 / 2 ** 19)
        self.assertIsNone(examine(CPU, before, [None] * 3 + after[3:], Looks((20,), (1.0,)), 0.05, "seed"))

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
        self.assertEqual(found.pairs, 10)

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

    def test_floor_of_another_workload_is_not_borrowed(self):
        small, noise = evidence((0.96, 0.95, 0.97), 1e-5), evidence((0.95, 0.94, 0.96))
        self.assertEqual(verdict_of(small, noise, workload="heated").word, BETTER)

    def test_noise_is_in_the_family_of_the_rows(self):
        """Holm's method includes the noise row, so a p value that would suffice for a single row is too large."""
        found = verdict_of(evidence((0.9, 0.88, 0.92), 0.03), noise=evidence((1.0, 0.99, 1.01), 0.9))
        self.assertEqual(found.word, UNDECIDED)

    def test_frames_that_get_lost_are_no_gain(self):
        """If a row loses frames, less CPU per second is no gain, and a gain in age is noted with its cost."""
        fewer = evidence((0.9, 0.88, 0.92), 1e-5)
        lost = {"drops": evidence((3, 2, 4), 1e-5, is_ratio=False)}
        self.assertEqual(verdict_of(fewer, metric="cpu").word, BETTER)
        found = verdict_of(fewer, metric="cpu", others=lost)
        self.assertEqual((found.word, found.reason), (UNDECIDED, "it costs +3.00 points of frames lost"))
        age = verdict_of(fewer, metric="age-p50", others=lost)
        self.assertEqual((age.word, age.cost), (BETTER, "+3.00 points of frames lost"))

    def test_claims_are_judged_by_the_simultaneous_interval(self):
        claim = Claim("cpu-frame", "−8 %", ratio=0.92)
        for found, words in (
                (evidence((0.9, 0.88, 0.93), 1e-5), "reproduced"),
                (evidence((0.95, 0.94, 0.96), 1e-5, sure=(0.91, 0.98)), "compatible"),
                (evidence((0.97, 0.96, 0.98), 1e-5), "partly"),
                (evidence((1.0, 0.99, 1.01), 0.9, is_equivalent=True), "refuted"),
                (evidence((1.1, 1.05, 1.15), 1e-5), "refuted"), (evidence((0.97, 0.90, 1.05), 0.5), UNDECIDED),
                # The unadjusted interval would refute the claim, but the simultaneous interval contains the claim.
                (evidence((1.0, 0.95, 1.05), 0.9, sure=(0.91, 1.07)), UNDECIDED),
                (evidence((1.0, 0.95, 1.05), 0.9), "refuted"),
                # A gain that may be larger than the claimed gain does not refute the claim.
                (evidence((0.8, 0.7, 0.9), 0.5), UNDECIDED)):
            self.assertEqual(claim_verdict(claim, verdict_of(found)), words, found)
        before_the_first_look = verdict_of(evidence((1.0, 0.99, 1.01), 0.9, pairs=10))
        self.assertEqual(claim_verdict(claim, before_the_first_look), UNDECIDED)

    def test_claims_within_the_margin_are_not_refuted(self):
        claim = Claim("cpu-frame", "−1 %", ratio=0.99)
        equal = evidence((1.0, 0.985, 1.015), 0.9, is_equivalent=True)
        self.assertEqual(claim_verdict(claim, verdict_of(equal)), "too small to be seen here")
        self.assertEqual(claim_verdict(claim, verdict_of(evidence((1.0, 0.995, 1.005), 0.9, is_equivalent=True))),
                         "refuted")

    def test_claims_in_milliseconds_are_judged_by_the_difference(self):
        claim = Claim("age-p50", "−5 ms", difference=-5)
        fast = evidence((0.9, 0.85, 0.95), 1e-5, difference=(-6, -8, -4))
        slow = evidence((0.9, 0.85, 0.95), 1e-5, difference=(-2, -3, -1))
        self.assertEqual(claim_verdict(claim, verdict_of(fast, metric="age-p50")), "reproduced")
        self.assertEqual(claim_verdict(claim, verdict_of(slow, metric="age-p50")), "partly")
        self.assertEqual(claim_verdict(claim, verdict_of(fast, metric="age-p50"), is_comparable=False),
                         "not comparable at this size")

    def test_claim_of_no_change(self):
        claim = Claim("cpu-frame", "0 %", ratio=1.0)
        equal = evidence((1, 0.99, 1.01), 0.9, is_equivalent=True)
        self.assertEqual(claim_verdict(claim, verdict_of(equal)), "reproduced")
        self.assertEqual(claim_verdict(claim, verdict_of(evidence((1.1, 1.08, 1.12), 1e-5))), "refuted")
        self.assertEqual(claim_verdict(claim, verdict_of(evidence((1.03, 1.01, 1.05), 1e-5))), UNDECIDED)

    def test_metric_without_evidence_is_not_measured(self):
        self.assertEqual(judge([simulation.row("one")], {}, Looks())["one", "cpu-frame"].word, UNKNOWN)

    def test_times_at_the_horizon_are_lower_bounds(self):
        self.assertEqual(METRICS["heat"].ceiling, HeatModel().horizon)
        found = replace(evidence((3.3, 3.2, 3.4), 1e-5), before=18.2, after=60.0)
        self.assertEqual(tables.sides(METRICS["heat"], found), "18.2 → ≥ 60 min")

    def test_heat_reaches_its_limit_when_calibrated(self):
        model = HeatModel()
        self.assertAlmostEqual(model.minutes_between(model.start, model.limit, 1.0), model.minutes)
        temperature = model.start
        for _ in range(180):
            temperature = model.step(temperature, 1.0, 0.1)
        self.assertAlmostEqual(temperature, model.limit)
        self.assertEqual(model.minutes_between(model.start, model.limit, 0.5), math.inf)
        self.assertLess(model.minutes_between(model.start, model.limit, 1.2), model.minutes)
        self.assertTrue(math.isclose(model.step(model.start, 0.0, 5), model.start))


if __name__ == "__main__":
    unittest.main()
