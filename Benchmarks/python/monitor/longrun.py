"""Measures memory, files and CPU time of the monitor while every output is in use."""
import os
import statistics

from process import finish, start

TITLE = "A long run with every output"
# Maximum growth of the memory from the first minute to the last minute, as a fraction of the former.
GROWTH = 0.02
SHORT_SECONDS = 8


def measure(options):
    """Returns the table, a sentence for each exceeded limit, and notes."""
    seconds = SHORT_SECONDS if options.short else options.minutes * 60
    every = 1 if options.short else min(60, seconds / 5)
    result = finish(start("run", {"seconds": seconds, "every": every, "folder": options.folder}), seconds + 120)
    table = [["time", "memory MB", "frames", "log", "metrics", "trace", "bytes to the dashboard", "CPU of perfmonitor",
              "CPU of monitor-http", "CPU of the process"]]
    if "error" in result:
        return table, [f"run: {result['error']}"], []
    for now, last in zip(result["samples"][1:], result["samples"]):
        table.append(_cells(now, last))
    return table, list(_verdicts(result["samples"], options.short)), _notes(result["samples"], result["line"])


def _cells(now, last):
    span = now["time"] - last["time"]
    shares = [f"{(now['threads'].get(name, 0) - last['threads'].get(name, 0)) / span:.2%}"
              for name in ("perfmonitor", "monitor-http")]
    files = [_size(now["files"].get(name, 0)) for name in ("log", "metrics", "trace")]
    return [f"{now['time']:.0f} s", f"{now['memory'] / 1e6:.1f}", str(now["frames"]), *files, _size(now["received"]),
            *shares, f"{(now['cpu'] - last['cpu']) / span:.0%}"]


def _size(count):
    return f"{count / 1e6:.2f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


def _verdicts(samples, is_short):
    first, last = samples[1], samples[-1]
    for name in ("log", "metrics", "trace"):
        if not last["files"].get(name):
            yield f"run: the {name} file is empty"
    if last["received"] <= first["received"]:
        yield "run: the dashboard sends nothing"
    if last["frames"] <= first["frames"]:
        yield "run: no frames pass"
    mine = sum(last["threads"].get(name, 0) for name in ("perfmonitor", "monitor-http"))
    share = mine / (last["cpu"] - samples[0]["cpu"])
    print(f"run: the monitor takes {share:.2%} of the CPU time of the process, {len(samples) - 1} samples", flush=True)
    if not 0 < share < (0.25 if is_short else 0.05):
        yield f"run: the threads of the monitor take {share:.1%} of the CPU time"
    if not is_short:
        growth = last["memory"] / first["memory"] - 1
        if growth > GROWTH:
            yield f"run: the memory grows by {growth:.1%} from the first minute to the last"


def _notes(samples, line):
    first, last = samples[0], samples[-1]
    hours = (last["time"] - first["time"]) / 3600
    log = (last["files"]["log"] - first["files"].get("log", 0)) / hours
    memory = [sample["memory"] / 1e6 for sample in samples[1:]]
    rates = [(now["frames"] - then["frames"]) / (now["time"] - then["time"])
             for now, then in zip(samples[1:], samples)]
    return [f"`{line}`",
            f"The log grows by {_size(log)} an hour; metrics are replaced, and the trace ends at its limit.",
            f"Memory {min(memory):.1f} to {max(memory):.1f} MB, {statistics.median(rates):.1f} frames/s at the sinks "
            f"on {os.cpu_count()} cores."]
