"""Which workloads this machine plays in real time, with everything off."""
# A workload is carried if at least this share of its frames is encoded and received.
SHARE = 0.98
# The last frames may be so old, in ms; more means that they pile up.
OLDEST = 150


def measure(runner, workloads: list[str]) -> dict[str, dict]:
    """One run of each workload without a slow receiver."""
    found = {}
    for workload in workloads:
        run = runner.play(workload, (), slow=None, heat=None, frames=75, **{"warm-frames": 10})
        if "error" in run:
            found[workload] = {"error": run["error"], "carried": False}
            continue
        figures = run["figures"]
        last = [age for _, age in run["ages"][-10:]]
        found[workload] = {
            "cpu": figures["cpu"], "frames": figures["frames"], "drops": figures["drops"],
            "bitrate": figures["bitrate"], "age": figures.get("age-p50"), "oldest": max(last),
            "wall": run["wall"], "carried": figures["drops"] <= 100 * (1 - SHARE) and max(last) <= OLDEST}
    return found


def largest(names: list[str], found: dict[str, dict]) -> str:
    """The largest of the workloads that is carried, or the smallest one if none is."""
    return next((name for name in names if found.get(name, {}).get("carried")), names[-1])
