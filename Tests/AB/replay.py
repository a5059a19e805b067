"""Checks the statistics with the noise of real runs. Takes stored runs without switches, and pairs them at random.

A session has three rows of runs that are selected at random: runs as stored, runs with 3 % of CPU time added, and runs
with 5 ms added to the ages. Runs of a random pair are not neighbours in time, so they differ more than the runs of a
measured pair. A session also has only 20 pairs. The number of found differences is therefore a lower bound, and only
false verdicts decide the exit status. The sessions share runs, so they are not independent.
"""
import random

from plan import Looks, Row
from session import Session
from simulation import Memory
from store import StoreError
from verify import Counts

METRICS = ("cpu-frame", "age-p50", "age-p95")
CPU, LATENCY = 1.03, 5.0
# Number of pairs in a row, and minimum number of stored runs. A row uses at most half of the stored runs.
PAIRS = 20
LEAST = 4 * PAIRS


def run(results, sessions: int) -> int:
    """Prints how many sessions found the differences. Returns the exit status."""
    results.load()
    kept = equal_runs(results)
    if len(kept) < LEAST:
        raise StoreError(f"{results.store.folder} has {len(kept)} equal runs without switches; "
                         f"a replay requires {LEAST}.")
    counts = Counts("added")
    for seed in range(sessions):
        counts.add(session(kept, seed))
    print(f"{len(kept)} runs of {results.workload} without switches.\n{counts.words(counts.has_few_false)}")
    return 0 if counts.has_few_false else 1


def equal_runs(results) -> list[dict]:
    """The figures of runs without switches whose settings, except the number of frames, are those of the noise row."""
    noise = results.session.rows[0]
    found = []
    for row in results.session.rows:
        slow = [results.runner.row_settings(one, one.after).get("slow") for one in (row, noise)]
        if row.before or row.workload != noise.workload or slow[0] != slow[1]:
            continue
        for run_ in results.session.runs(row):
            if (row.is_noise or not run_["after"]) and all(name in run_["figures"] for name in METRICS):
                found.append({name: run_["figures"][name] for name in METRICS})
    return found


def session(kept: list[dict], seed: int) -> dict:
    """The verdicts of one session at its first look."""
    generator = random.Random(seed)
    rows = [Row(name, name, (), (), "kept", primary=primary, is_noise=name == "noise")
            for name, primary in (("noise", METRICS), ("cpu", ("cpu-frame",)), ("latency", ("age-p50",)))]

    drawn = {row.name: iter(generator.sample(kept, 2 * PAIRS)) for row in rows}

    def measure(row: Row, is_after: bool) -> dict:
        figures = dict(next(drawn[row.name]))
        if is_after and row.name == "cpu":
            figures["cpu-frame"] *= CPU
        if is_after and row.name == "latency":
            figures["age-p50"] += LATENCY
            figures["age-p95"] += LATENCY
        return {"figures": figures}

    one = Session(rows, measure, Memory(), Looks((PAIRS,), (1.0,)))
    one.run()
    return one.verdicts()
