"""Makes the explanations in the reports, most of which are in the folder `texts`."""
from pathlib import Path

import runner
import tables
from figures import LEAST_FOR_P99
from plan import METRICS, Row
from verdict import ALPHA, PRIMARY_SHARE

# `poll-interval` of `thermalcaps` in the row about heat, in s.
POLL = 0.02
# A late frame is older than a pause of the slow receiver. If the fraction of late frames differs from 1/2 by less than
# this value, a few frames decide whether P50 is the age of a late frame.
NEAR_HALF = 0.15
# If the output of the encoder is below its bitrate by more than this fraction, the test picture is too simple.
NEAR = 0.1


def _paragraphs(name: str, **values: object) -> list[str]:
    """The paragraphs of a text, each as one line."""
    text = Path(__file__).with_name("texts") / f"{name}.md"
    return [" ".join(paragraph.split()) for paragraph in text.read_text("utf-8").format(**values).split("\n\n")]


def method(results) -> list[str]:
    """Paragraphs that explain how the figures were measured."""
    looks = results.form.looks
    return _paragraphs("method", looks=", ".join(map(str, looks.pairs)), first=looks.pairs[0],
                       shares=", ".join(f"{share:.0%}" for share in looks.shares), alpha=ALPHA,
                       main=ALPHA * PRIMARY_SHARE, other=ALPHA * (1 - PRIMARY_SHARE),
                       allocations=METRICS["allocations"].title)


def heat(results) -> list[str]:
    """Paragraphs about the simulation of heat. The list is empty if the form has no row about heat."""
    heated = next((row for row in results.session.rows if row.is_heated), None)
    if heated is None:
        return []
    model, speed = results.runner.model, results.runner.row_settings(heated)["heat"]["minutes-per-second"]
    return _paragraphs("heat", model=model, busy=1 - model.idle, interval=POLL * speed * 60,
                       bound=model.horizon / model.minutes)


def not_shown(results) -> list[str]:
    """Paragraphs that explain what the table does not show."""
    return _of_this_form(results) + _paragraphs("not-shown", least=LEAST_FOR_P99)


def _of_this_form(results) -> list[str]:
    """Sentences about limits that depend on the machine, the workload and the rows of this form."""
    plan, rows, found = results.plan, results.session.rows, []
    titles = {name: workload["title"] for name, workload in plan.workloads.items()}
    big = plan.data["main-workloads"][0]
    if results.workload != big:
        known = results.capability.get(big)
        if known is None:
            why = "this form is about smaller pictures, whose runs start faster"
        elif not known.get("carried"):
            why = f"it is not in real time here ({known.get('carried-runs', 0)} of {known.get('runs', 0)} runs)"
        else:
            why = (f"it is in real time here ({known['carried-runs']} of {known['runs']} runs) with "
                   f"{known['cpu']:.2f} cores, which leaves too little for a comparison")
        found.append(f"{titles[big]}: {why}; the rows are about {titles[results.workload]}.")
    found.append(f"A run is in real time if {100 * runner.SHARE:g} % of its frames arrive, and neither P95 of their "
                 f"ages nor the oldest of the last {runner.LAST} is above {runner.OLDEST} ms; a workload is if most of "
                 f"its {runner.RUNS} runs are.")
    wanted = plan.data.get("bitrate", 0)
    if easy := [f"{known['bitrate']:.1f} Mbit/s at {titles[name]}" for name, known in results.capability.items()
                if known.get("bitrate", wanted) < (1 - NEAR) * wanted]:
        found.append(f"An encoder at its rate: the test picture takes less than {wanted:g} Mbit/s: {', '.join(easy)}.")
    heated = [name for name, switch in plan.switches.items() if switch.get("primary") == ["heat"]]
    found += [f"A row about {name}: this form has none." for name in heated if name not in {row.name for row in rows}]
    if idle := [row.title for row in rows if not row.is_heated and set(heated) & set(row.after)]:
        found.append(f"`thermalcaps` at work in {', '.join(idle)}: the machine has {runner.COOL} °C there, so that it "
                     "changes no caps, and these rows gain nothing by it. All but thermal would therefore equal all.")
    patterns: dict[str, list[str]] = {}
    for row in rows:
        slow = results.runner.row_settings(row, row.after).get("slow")
        if slow and "backpressure" in set(row.after) - set(row.before):
            patterns.setdefault(tables.slowness(slow), []).append(row.title)
    if patterns:
        chosen = "; ".join(f"{words} in {', '.join(names)}" for words, names in patterns.items())
        found.append("Other receivers: what `backpressurequeue` gains follows from how long the receiver is slow, "
                     f"which the plan chose: {chosen}. Verdicts about its claims in ms are about these.")
    if patterns and (late := [shares for row in rows if (shares := _late(results, row))]):
        found.append("A gain of each frame: P50 of runs in which nearly half of the frames wait for the slow receiver "
                     "tells on which side of this half a run is, not how much a frame gains. Frames received that are "
                     f"older than a pause of the receiver, off → on: {'; '.join(late)}.")
    if any(row.name == "priority" for row in rows):
        found.append("The properties alone in priority and cores: its off side has `queue`, which has no such "
                     "properties, and its on side `backpressurequeue enabled=false`. Differences of memory, requests "
                     "for memory and context switches include that of the elements.")
    return found


def _late(results, row: Row) -> str:
    """Formats the share of late frames on each side that a row compares. The text is empty if no share is near 1/2."""
    slow = results.runner.row_settings(row, row.after).get("slow")
    if not slow or not row.claims:
        return ""
    sides = [[age > slow["pause"] * 1000 for _, age in results.session.ages(row, side)] for side in (False, True)]
    shares = [sum(late) / len(late) if late else None for late in sides]
    if all(share is None or abs(share - 0.5) >= NEAR_HALF for share in shares):
        return ""
    words = (tables.NOTHING if share is None else f"{100 * share:.0f} %" for share in shares)
    return f"{row.title}: {' → '.join(words)}"
