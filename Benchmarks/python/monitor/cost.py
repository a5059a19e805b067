"""Measures the additional time per buffer push through a link, relative to a pipeline without a monitor."""
import fnmatch
import os
import statistics
from dataclasses import dataclass

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from process import finish, monitor, start

TITLE = "Cost of a push"
LINKS = 5
TRACER = "perfmonitor-tracer"
PLAIN = "no monitor"
DISABLED = "perfmonitor enabled=false"
LATENCY = "tracer latency(flags=pipeline)"
STATS = "tracer stats"
# The largest share of the time of another tracer that perfmonitor may take in the short version. With GStreamer 1.26.2,
# `latency` stops each pipeline: it locks a pad that the thread has already locked. Then `stats` takes its place.
LIMITS = {LATENCY: 0.5, STATS: 1}
# Properties of fakesrc for buffers without and with a PTS. perfmonitor looks up the entry time only of a PTS.
SOURCES = {"no PTS": "", "PTS": " do-timestamp=true format=time"}


@dataclass(frozen=True)
class Setting:
    """A way to monitor the pipeline: with an element, with a tracer, or without a monitor."""

    name: str
    element: str = ""
    tracer: str = ""
    environment: tuple = ()
    # Number of frames in a run. Slow settings play fewer frames.
    frames: int = 200_000
    # Maximum cost of a push, in µs.
    goal: float | None = None
    short: bool = False


def settings(options):
    """Returns the settings that this machine can measure, and a note for each missing setting."""
    slow = {"frames": 30_000}
    found = [
        Setting(PLAIN, short=True),
        Setting("perfmonitor", monitor("report=none"), goal=0.25, short=True),
        Setting(DISABLED, "perfmonitor report=none enabled=false", goal=0, short=True),
        Setting("perfmonitor trace-file", "perfmonitor report=none trace-file={folder}/trace"),
    ]
    notes = []
    if TRACER in [factory.get_name() for factory in Gst.TracerFactory.get_list()]:
        found.append(Setting(f"tracer {TRACER}", tracer=f"{TRACER}(report=none)", goal=0.55))
    else:
        notes.append(f"The plugin has no tracer {TRACER}.")
    has_latency = "error" not in finish(
        start("cost", {"line": "fakesrc num-buffers=10 ! fakesink"}, {"GST_TRACERS": "latency"}), 60)
    if has_latency:
        found += [
            Setting(LATENCY, tracer="latency(flags=pipeline)", short=True, **slow),
            Setting("tracer latency(flags=pipeline+element)", tracer="latency(flags=pipeline+element)", **slow),
            Setting("the same, logged into a file", tracer="latency(flags=pipeline+element)",
                    environment=(("GST_DEBUG", "GST_TRACER:7"), ("GST_DEBUG_FILE", "{folder}/log"),
                                 ("GST_DEBUG_NO_COLOR", "1")), **slow),
        ]
    else:
        notes.append(f"The tracer latency was not measured: with {Gst.version_string()}, pipelines do not end with it.")
    found += [
        Setting(STATS, tracer="stats", short=not has_latency, **slow),
        Setting("tracer rusage", tracer="rusage", **slow),
    ]
    return found + _shark(options, notes), notes


def _shark(options, notes):
    """Settings with the tracers of gst-shark. Debian has no package of it, so --shark names the folder of a build."""
    if not options.shark:
        notes.append("gst-shark was not measured: build it, and give its folder with --shark.")
        return []
    environment = (("GST_PLUGIN_PATH", f"{options.shark}:{os.environ.get('GST_PLUGIN_PATH', '')}"),
                   ("GST_SHARK_CTF_DISABLE", "TRUE"), ("GST_REGISTRY", "{folder}/shark-registry.bin"))
    names = ("interlatency", "proctime")
    return [Setting(f"gst-shark {name}, without its files", tracer=name, environment=environment, frames=30_000)
            for name in names]


def measure(options):
    """Returns the table, the settings that miss their goal, and notes."""
    rows, notes = settings(options)
    rows = [row for row in rows if not options.short or row.short]
    rows = [row for row in rows if row.name == PLAIN or fnmatch.fnmatch(row.name, f"*{options.rows}*")]
    table = [["source", "setting", "CPU µs a push (quartiles)", "over none, CPU", "over none, wall", "goal", "result"]]
    failures = []
    for source in SOURCES if not options.short else ["PTS"]:
        turns = [_turn(rows, turn, source, options) for turn in range(options.turns)]
        costs = {}
        for row in rows:
            runs = [turn[row.name] for turn in turns]
            errors = [run["error"] for run in runs if "error" in run]
            if errors:
                failures.append(f"{row.name}, {source}: {errors[0]}")
                continue
            costs[row.name] = _costs(runs, [turn[PLAIN] for turn in turns])
            table.append([source, *_cells(row, costs[row.name])])
        failures += [f"{text}, {source}" for text in _verdicts(rows, costs, options.short)]
    notes.append("The trace has room for some hundred frames a second at this rate; further marks are left out.")
    return table, failures, notes + [f"Medians of {options.turns} turns; a push passes one of {LINKS} links."]


def _turn(rows, turn, source, options):
    """Runs each row once. Successive turns start at different rows."""
    first = turn % len(rows)
    return {row.name: _run(row, source, options) for row in rows[first:] + rows[:first]}


def _run(row, source, options):
    frames = row.frames // 4 if options.short else row.frames
    line = (f"fakesrc num-buffers={frames} sizetype=empty silent=true{SOURCES[source]} ! "
            + "identity silent=true ! " * (LINKS - 1) + "fakesink silent=true sync=false " + row.element)
    environment = {name: value.replace("{folder}", options.folder) for name, value in row.environment}
    environment["GST_TRACERS"] = row.tracer
    result = finish(start("cost", {"line": line.replace("{folder}", options.folder)}, environment), 300)
    if log := environment.get("GST_DEBUG_FILE"):
        result["bytes"] = os.path.getsize(log) / frames
        os.remove(log)
    return result if "error" in result else {
        "cpu": result["cpu"] / 1e3 / (frames * LINKS), "wall": result["wall"] / 1e3 / (frames * LINKS),
        "bytes": result.get("bytes")}


def _costs(runs, plain):
    """Costs per push in µs, with one value per turn, and the logged bytes per frame.

    "cpu" is the CPU time. "more" and "wall" are the CPU time and the wall time beyond those without a monitor.
    """
    return {
        "cpu": [run["cpu"] for run in runs],
        "more": [run["cpu"] - other["cpu"] for run, other in zip(runs, plain)],
        "wall": [run["wall"] - other["wall"] for run, other in zip(runs, plain)],
        "bytes": runs[0]["bytes"],
    }


def _quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return low, middle, high


def _cells(row, costs):
    low, middle, high = _quartiles(costs["cpu"])
    more, wall = statistics.median(costs["more"]), statistics.median(costs["wall"])
    goal = "–" if row.goal is None else f"≤ {row.goal:g}" if row.goal else "not measurable"
    note = f", {costs['bytes']:.0f} bytes a frame" if costs["bytes"] else ""
    first = row.name == PLAIN
    verdict = "–" if row.goal is None else "reached" if _is_reached(row, costs) else "missed"
    return [row.name, f"{middle:.3f} ({low:.3f}–{high:.3f})", "–" if first else f"{more:+.3f}",
            "–" if first else f"{wall:+.3f}", goal, verdict + note]


def _is_reached(row, costs):
    more = statistics.median(costs["more"])
    if row.goal:
        return more <= row.goal
    # A goal of 0 is reached if the cost is at most the spread of the differences, or 2 % of the CPU time of a push.
    low, middle, high = _quartiles(costs["more"])
    return abs(more) <= max(high - low, 0.02 * statistics.median(costs["cpu"]))


def _verdicts(rows, costs, is_short):
    """Yields a text for each setting that misses its goal. The short version only compares settings with each other."""
    if not is_short:
        for row in rows:
            if row.goal is not None and row.name in costs and not _is_reached(row, costs[row.name]):
                yield f"{row.name}: {statistics.median(costs[row.name]['more']):+.3f} µs a push"
        return
    peer = next((name for name in LIMITS if name in costs), None)
    if not {PLAIN, "perfmonitor", DISABLED, peer} <= costs.keys():
        yield "rows are missing"
        return
    more = {name: statistics.median(value["more"]) for name, value in costs.items()}
    share = more["perfmonitor"] / more[peer]
    idle = more[DISABLED] / more["perfmonitor"]
    print(f"perfmonitor takes {share:.0%} of the time of {peer}, and {idle:.0%} of its own when disabled", flush=True)
    # If the monitor records nothing, `share` is near 0. In a noisy run, it is even negative.
    if not 0.03 < share < LIMITS[peer]:
        yield f"perfmonitor takes {share:.0%} of the time of {peer}; the limits are 3 % and {LIMITS[peer]:.0%}"
    if idle > 0.3:
        yield f"disabled, perfmonitor takes {idle:.0%} of the time that it takes enabled; the limit is 30 %"
