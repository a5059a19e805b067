"""Checks the instrument with real processes: equal runs, 3 % more CPU and 5 ms more latency, session after session."""
import argparse
import json
from pathlib import Path

from evidence import Looks
from plan import Plan
from runner import Runner
from session import Session
from store import Store
from verdict import BETTER, WORSE

# The most false verdicts, and the fewest differences found, of 100.
FALSE, FOUND = 0.05, 0.95


def run(options: argparse.Namespace, libraries: str, identity: dict) -> int:
    """Measures the sessions that are not yet in the folder, and prints what they found; returns the exit status."""
    plan = Plan(options.plan.with_name("fast.json"))
    form = plan.form("instrument")
    rows = plan.rows(form, plan.data["main-workloads"][0])
    folder: Path = options.folder.parent / "instrument"
    spreads: dict[str, list[float]] = {}
    counts = {"false": 0, "cpu": 0, "latency": 0}
    for index in range(options.verify):
        store = Store(folder / f"{index:03}", {**identity, "plan": plan.digest})
        session = Session(rows, Runner(plan, form.settings, libraries).measure, store, Looks())
        session.run()
        if session.failures:
            print(f"session {index}: {json.dumps(session.failures)}")
            return 1
        verdicts = session.verdicts()
        is_false = any(verdicts["noise", name].word in (BETTER, WORSE) for name in rows[0].primary)
        counts["false"] += is_false
        counts["cpu"] += verdicts["cpu", "cpu"].word == WORSE
        counts["latency"] += verdicts["latency", "age-p50"].word == WORSE
        for name in rows[0].primary:
            spreads.setdefault(name, []).append(verdicts["noise", name].evidence.spread)
        print(f"session {index + 1}: false verdicts in {counts['false']}, 3 % CPU found in {counts['cpu']}, "
              f"5 ms found in {counts['latency']}; CPU {_shown(verdicts['cpu', 'cpu'])}", flush=True)
    middle = {name: sorted(values)[len(values) // 2] for name, values in spreads.items()}
    print("Spread of the pairs of equal runs: " + ", ".join(f"{name} {value:.1%}" for name, value in middle.items()))
    sessions = options.verify
    passed = counts["false"] <= FALSE * sessions and min(counts["cpu"], counts["latency"]) >= FOUND * sessions
    print(f"{sessions} sessions: {counts['false']} with a false verdict (at most {FALSE:.0%}), 3 % of CPU found in "
          f"{counts['cpu']}, 5 ms in {counts['latency']} (at least {FOUND:.0%}): {'passed' if passed else 'FAILED'}")
    return 0 if passed else 1


def _shown(verdict) -> str:
    effect = verdict.evidence.effect
    shown = f"{effect.median:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
    return f"{shown} after {verdict.evidence.pairs} pairs, {verdict.word}"
