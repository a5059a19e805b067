"""Compares the ages that perfmonitor gives with those of the pad probes, which the verdicts are about."""
import statistics


def ratios(session) -> dict[str, list[float]]:
    """perfmonitor's percentile of a run divided by the exact one of the same frames, by its name."""
    found: dict[str, list[float]] = {}
    for blocks in session.blocks.values():
        for run in (run for block in blocks for run in block["runs"]):
            for name, (monitor, exact) in run.get("monitor", {}).items():
                if exact > 0:
                    found.setdefault(name, []).append(monitor / exact)
    return found


def sentences(session) -> list[str]:
    """One sentence for each percentile."""
    return [
        f"perfmonitor's {name.removeprefix('age-').upper()} divided by the exact one of the same frames, in "
        f"{len(values)} runs: median {statistics.median(values):.3f}, from {min(values):.3f} to {max(values):.3f}."
        for name, values in ratios(session).items()]
