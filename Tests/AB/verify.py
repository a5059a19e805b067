"""Checks the benchmark with real runs. A session has rows with equal runs, 3 % more CPU time, and 5 ms more latency."""
import argparse
import json
from pathlib import Path
from statistics import median

from scipy import stats

import machine
import report
import text_tables
from output import write_text
from plan import Plan
from runner import Runner
from session import Session
from store import Store, locked
from verdict import BETTER, WORSE

# Maximum fraction of sessions with a false verdict, and minimum fraction of sessions that find a planted difference.
FALSE, FOUND = 0.05, 0.95
# Names of the rows of equal runs. For each planted difference, one of them has the same pipeline.
EQUAL = ("noise", "same")


class Counts:
    """Numbers of sessions with a false verdict, and of sessions that found the planted CPU usage and latency."""

    def __init__(self, planted: str) -> None:
        self.sessions, self.false, self.cpu, self.latency, self.planted = 0, 0, 0, 0, planted

    def add(self, verdicts: dict) -> None:
        self.sessions += 1
        self.false += any(verdict.word in (BETTER, WORSE) for (row, _), verdict in verdicts.items() if row in EQUAL)
        self.cpu += verdicts["cpu", "cpu-frame"].word == WORSE
        self.latency += verdicts["latency", "age-p50"].word == WORSE

    @property
    def has_few_false(self) -> bool:
        return self.false <= FALSE * self.sessions

    @property
    def passed(self) -> bool:
        return self.has_few_false and min(self.cpu, self.latency) >= FOUND * self.sessions

    def table(self) -> list[tuple[str, str, str, str]]:
        """The rows of a table with the columns description, count, interval of the probability, and limit."""
        return [(what, str(count), _range(count, self.sessions), limit) for what, count, limit in (
            ("a false verdict in any metric", self.false, f"at most {FALSE:.0%}"),
            (f"3 % of CPU {self.planted}, and found", self.cpu, f"at least {FOUND:.0%}"),
            (f"5 ms {self.planted}, and found", self.latency, f"at least {FOUND:.0%}"))]

    def words(self, is_passed: bool) -> str:
        """The table as one sentence."""
        parts = [f"{what} in {count} (probability {interval}; {limit})"
                 for what, count, interval, limit in self.table()]
        return f"{self.sessions} sessions: {', '.join(parts)}: {'passed' if is_passed else 'FAILED'}"


def _range(count: int, sessions: int) -> str:
    """Formats the Clopper-Pearson interval of the probability of an event that occurred in `count` of `sessions`."""
    interval = stats.binomtest(count, sessions).proportion_ci(0.95, "exact")
    return f"{interval.low:.1%} to {interval.high:.1%}"


def run(options: argparse.Namespace, libraries: str, facts: dict[str, str]) -> int:
    """Measures the sessions that the folder lacks, and prints the counts of all sessions. Returns the exit status."""
    plan = Plan(options.plan.with_name("fast.json"))
    form = plan.form("instrument")
    rows = plan.rows(form, plan.data["main-workloads"][0])
    folder: Path = options.folder.parent / "instrument"
    spreads: dict[str, list[float]] = {}
    pairs: list[int] = []
    counts = Counts("planted")
    with locked(folder) as lock:
        for index in range(options.verify):
            store = Store(folder / f"{index:03}", {**machine.identity(facts), "plan": plan.digest}, lock)
            session = Session(rows, Runner(plan, form.settings, libraries).measure, store, form.looks)
            session.run()
            if session.failures:
                print(f"session {index}: {json.dumps(session.failures)}")
                return 1
            verdicts = session.verdicts()
            counts.add(verdicts)
            pairs.append(verdicts["cpu", "cpu-frame"].evidence.pairs)
            for row, name in ((row, name) for row in rows if row.name in EQUAL for name in row.primary):
                spreads.setdefault(f"{row.name} {name}", []).append(verdicts[row.name, name].evidence.spread)
            print(f"session {index + 1}: false verdicts in {counts.false}, 3 % CPU found in {counts.cpu}, "
                  f"5 ms found in {counts.latency}; CPU {_shown(verdicts['cpu', 'cpu-frame'])}; "
                  f"P50 {_shown(verdicts['latency', 'age-p50'])}; {session.spent:.0f} s", flush=True)
    sentences = [
        "Spread of the pairs of equal runs, the median of the sessions: "
        + ", ".join(f"{name} {median(values):.1%}" for name, values in spreads.items()) + ".",
        f"Pairs of the row with 3 % of CPU: median {median(pairs):g}, most {max(pairs)}; of each other row "
        f"{form.looks.pairs[0]}."]
    print("\n".join([*sentences, counts.words(counts.passed)]))
    if options.markdown:
        write_text(options.markdown, report.replaced(
            report.read(options.markdown), f"{plan.name} {form.name}",
            _section(options, plan, counts, sentences, facts)))
    return 0 if counts.passed else 1


def _section(options: argparse.Namespace, plan: Plan, counts: Counts, sentences: list[str],
             facts: dict[str, str]) -> str:
    return "\n".join([
        "## The check of the instrument", "",
        f"`Benchmarks/ab --verify {options.verify} --markdown docs/{options.markdown.name}`", "",
        f"{plan.data['title']}. Each session has four rows, two of which compare equal runs.", "",
        text_tables.markdown([("", f"of {counts.sessions} sessions", "interval of the probability (95 %)", "goal"),
                              *counts.table()]), "",
        *sentences, "Machine and versions: " + "; ".join(f"{name} {facts[name]}" for name in machine.identity(facts)
                                                         if name in facts) + ".", ""])


def _shown(verdict) -> str:
    effect = verdict.evidence.effect
    shown = f"{effect.median:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
    return f"{shown} after {verdict.evidence.pairs} pairs, {verdict.word}"
