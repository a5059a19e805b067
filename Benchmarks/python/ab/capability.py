"""Which workloads this machine plays in real time, with everything off."""
import statistics
import time

# A workload is carried if at least this share of its frames is encoded and received.
SHARE = 0.98
# The last frames, so many, may be so old, in ms, and 95 % of those after the warm-up; more means that they pile up, or that a run
# of a form would end while the backlog of its start still shrinks.
OLDEST, LAST = 150, 10
# A workload is carried if it is in most of its runs.
RUNS, FRAMES, WARM_FRAMES = 3, 60, 15


def measure(runner, workloads: list[str]) -> dict[str, dict]:
    """The medians of runs of each workload, without a slow receiver."""
    return {workload: summary([_run(runner, workload) for _ in range(RUNS)]) for workload in workloads}


def _run(runner, workload: str) -> dict:
    begin = time.monotonic()
    changes = {"slow": None, "heat": None, "frames": FRAMES, "warm-frames": WARM_FRAMES}
    run = runner.play(workload, (), **changes)
    if "error" in run:
        return run
    # Time of a run beyond its stream: the start of the process, and the last frames.
    extra = time.monotonic() - begin - FRAMES / runner.settings_of(workload, (), changes)["rate"]
    return {**run["figures"], "oldest": max(age for _, age in run["ages"][-LAST:]), "extra": extra}


def summary(runs: list[dict]) -> dict:
    """The medians of the runs that ended, and whether most runs were in real time."""
    ended = [run for run in runs if "error" not in run]
    if not ended:
        return {"error": runs[0]["error"], "carried": False}
    carried = sum(run["drops"] <= 100 * (1 - SHARE) and max(run["oldest"], run.get("age-p95", 0)) <= OLDEST
                  for run in ended)
    names = [name for name in ended[0] if all(name in run for run in ended)]
    return {**{name: statistics.median(run[name] for run in ended) for name in names},
            "carried": 2 * carried > len(runs), "carried-runs": carried, "runs": len(runs)}


def largest(names: list[str], found: dict[str, dict]) -> str:
    """The largest of the workloads that is carried, or the smallest one if none is."""
    return next((name for name in names if found.get(name, {}).get("carried")), names[-1])
