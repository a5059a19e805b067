"""Decides whether a pipeline is worse with the element than without."""

# Largest differences that other load may cause: length of a run in seconds, and lateness in milliseconds.
SECONDS, MILLISECONDS = 1.0, 60
# Largest error of a slaved sink after it has settled, in ns.
SETTLED = 150_000


def judge(row, with_it, without):
    """Returns the faults as texts. The list is empty if the element is not worse."""
    if "crash" in with_it:
        return [with_it["crash"]]
    if "crash" in without:
        return []
    faults = []
    for one, other in zip(with_it["players"], without["players"]):
        faults += _compare(row, one, other)
    if with_it["leaks"] - without["leaks"]:
        faults.append("leaks " + " ".join(sorted(with_it["leaks"] - without["leaks"])))
    if not with_it["stopped"] and without["stopped"]:
        faults.append("does not stop")
    return faults


def _compare(row, one, other):
    if other["result"] in ("error", "hangs"):
        return []
    if one["result"] != other["result"]:
        return [f"{one['result']} instead of {other['result']}: {'; '.join(one['errors'])}"]
    faults = [f"warns: {text}" for text in one["warnings"] if text not in other["warnings"]]
    if one["seconds"] > other["seconds"] + SECONDS or one["seconds"] < other["seconds"] - SECONDS:
        faults.append(f"takes {one['seconds']} s instead of {other['seconds']} s")
    if one["latency"] and other["latency"] and one["latency"][1] > other["latency"][1] + 1:
        faults.append(f"latency {one['latency']} instead of {other['latency']}")
    if len(one["sinks"]) != len(other["sinks"]):
        return faults + [f"{len(one['sinks'])} sinks instead of {len(other['sinks'])}"]
    for mine, its in zip(one["sinks"], other["sinks"]):
        faults += _sinks(row, mine, its)
    for mine, its in zip(one["stats"], other["stats"]):
        faults += _device(row, mine, its)
    return faults


def _sinks(row, mine, its):
    name, faults = mine["sink"], []
    if row.exact:
        if mine["hash"] != its["hash"]:
            faults.append(f"{name}: other bytes ({mine['bytes']} instead of {its['bytes']})")
        if mine["discont"] > its["discont"]:
            faults.append(f"{name}: {mine['discont']} discontinuities instead of {its['discont']}")
    elif abs(mine["bytes"] - its["bytes"]) > 0.05 * its["bytes"] + 8192:
        faults.append(f"{name}: {mine['bytes']} bytes instead of {its['bytes']}")
    if mine["discont"] > its["discont"] + 3:
        faults.append(f"{name}: {mine['discont']} discontinuities instead of {its['discont']}")
    # Before a device, the element changes timestamps intentionally, so lateness counts only at fake sinks.
    both = None not in (mine["late"], its["late"]) and name.startswith("fake")
    if both and mine["late"] > its["late"] + MILLISECONDS:
        faults.append(f"{name}: arrives {mine['late']} ms late instead of {its['late']}")
    return faults


def _device(row, mine, its):
    faults = []
    # The virtual DAC can read times only from the ramp.
    is_ramp = "ramp" in row.pipeline
    for key in ("underruns", "splices", "silent", "unknown") if is_ramp else ("underruns",):
        least = {"silent": 480, "unknown": 480}.get(key, 1)
        if mine[key] > its[key] + least:
            faults.append(f"device: {key} {mine[key]} instead of {its[key]}")
    if abs(mine["frames"] - its["frames"]) > 0.05 * its["frames"] + 4800:
        faults.append(f"device: {mine['frames']} frames instead of {its['frames']}")
    for key in ("repeated", "lost") if is_ramp else ():
        # The element corrects drift by single frames. A sink that is not slaved has no drift.
        most = 0.0005 * mine["frames"] + 50 if row.slaved else 0
        # The time at which an action reaches the sink varies.
        most += 2400 if row.actions else 0
        if mine[key] > its[key] + most:
            faults.append(f"device: {key} {mine[key]} instead of {its[key]}")
    if row.slaved and mine["settled-count"]:
        wide, was = (one["settled-max"] - one["settled-min"] for one in (mine, its))
        if wide > was and wide > 2 * SETTLED:
            faults.append(f"device: error varies by {wide / 1e3:.0f} us instead of {was / 1e3:.0f}")
    return faults
