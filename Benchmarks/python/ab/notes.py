"""The explanations in the reports: how to read the figures, and what they do not show."""
import runner
import tables
from figures import LEAST_FOR_P99
from plan import METRICS, Row
from verdict import ALPHA, PRIMARY_SHARE

# `poll-interval` of `thermalcaps` in the row about heat, in s.
POLL = 0.02
# If the share of late frames is nearer to 1/2 than this, a few frames decide whether P50 is the age of a late frame.
NEAR_HALF = 0.15
# If the output of the encoder is below its bitrate by more than this share, the test picture is too easy for it.
NEAR = 0.1


def _sentences(text: str) -> list[str]:
    """The paragraphs of a text, each as one line."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def method(results) -> list[str]:
    """How the figures were measured."""
    looks = results.form.looks
    return _sentences(f"""
        Each run is a fresh process. Runs follow each other as off, on, on, off (a block of ABBA), and in the next block
        as on, off, off, on, which gives two pairs each and cancels a slow drift of the machine. The rows take turns
        block by block.

        A row is examined after {", ".join(map(str, looks.pairs))} pairs and ends there if it is decided, or when the
        time is over. It never has fewer than {looks.pairs[0]} pairs. Pairs after its last look do not count. The length
        of most runs follows from the time of the form, so that the first look of all rows fits: with less time, the
        runs are shorter, and the pairs are not fewer.

        The change is the median of the ratios of the pairs. Its 95 % interval comes from 10,000 paired bootstraps. Of
        shares of frames, which mostly are 0, it is the mean of the differences, and the bootstraps draw blocks.

        p is that of Wilcoxon's signed ranks, and for shares of frames that of random signs of the pairs. The adjusted p
        contains a correction for the looks, each of which has a fixed share of the error
        ({", ".join(f"{share:.0%}" for share in looks.shares)}), and Holm's for all rows, A/A included. The probability
        of any false "better" or "worse" in the table is at most {ALPHA:.0%}: {ALPHA * PRIMARY_SHARE:.0%} for what the
        rows are about, {ALPHA * (1 - PRIMARY_SHARE):.0%} for all other figures.

        **better** and **worse**: the adjusted p is below that limit, the interval excludes no change, and the change is
        larger than that of A/A, if the row is about the same workload as A/A. **equivalent**: the interval, corrected
        for the looks, lies within ±2 % (of shares: ±0.2 points). **undecided**: neither. Figures that frames save by
        getting lost, such as the CPU by the clock, are never better in a row that loses more frames.

        A claim is *reproduced* if the verdict is better and the measured change is at least the claimed one,
        *compatible* if it is better by less and the simultaneous interval contains the claim, *partly* if that interval
        excludes it, *refuted* if the verdict is not better and the simultaneous interval excludes the claim, *too small
        to be seen here* if the claim is within ±2 % and not excluded, else *undecided*. The simultaneous interval holds
        for all rows, metrics and looks at once (Bonferroni's method, by order statistics, and by bootstraps for shares
        of frames). It is wider than that in the table. Claims of amounts, such as ms or points of lost frames, were
        made for 3840x2160; at another size they are *not comparable at this size*, and the table has the measured
        difference.

        CPU is that of the whole process: source, filter, encoder, sender, receiver, decoder and `perfmonitor`. Claims
        about CPU are judged by the CPU time for each frame received, so that a lost frame is no gain. Rates are by the
        clock, from the first frame to the last one that was encoded after the warm-up.

        Ages are measured at the receiver's sink, from the running time of the source; the receiver restores it from the
        RTP timestamp. The verdicts are about exact ages from pad probes, without the warm-up. `perfmonitor` runs in
        each pipeline. Its percentiles are those of a histogram whose bins are up to 3 % wide, include the warm-up, and
        are compared with exact ones of the same frames in the section of the runs. Ages of lost frames are unknown.

        A lost frame was sent by the source after the warm-up and did not arrive at the sink. Packets are counted
        behind the payloader and at the receiver, so that a loss of the sockets can be told from a drop by an element.

        "{METRICS["allocations"].title}" counts calls of malloc, calloc, realloc, memalign and GLib's slices by a
        preloaded library, in both sides and on all threads. The form `counter` measures what the library costs. Those
        that `adaptivepool` and `backpressurequeue` add are no requests for a frame: the thread of `perfmonitor` reads
        their figures and writes them as text once a second, and `adaptivepool` watches the memory of the machine. Those
        that spans add are of the same thread, about six for each record of the trace, and the receiver has records for
        each RTP packet. Acquires are those from the pools of the frames that leave the source. The receiver is slow at
        fixed times of the stream.""")


def heat(results) -> list[str]:
    """The simulation of the time until the limit of heat. Empty if the form has no row about heat."""
    heated = next((row for row in results.session.rows if "heat" in row.primary), None)
    if heated is None:
        return []
    speed = results.runner.row_settings(heated)["heat"]["minutes-per-second"]
    model = results.runner.model
    return _sentences(f"""
        **Simulation.** No temperature was measured. The machine is one thermal mass: dx/dt = (K·P − x)/τ, where x is
        the rise above {model.ambient:g} °C, τ is {model.tau:g} min, and P = {model.idle:g} + {1 - model.idle:g}·(CPU
        used / CPU used with everything off). K = {model.rise:.1f} °C is chosen so that the pipeline with everything off
        reaches {model.limit:g} °C after {model.minutes:g} min, the figure of the claim. Only ratios are results, and
        they depend on τ, which is assumed (see the table), but not on the share of an idle machine. Runs end
        at {model.horizon:g} min; a median of "≥ {model.horizon:g}" is a lower bound, and so is its ratio.

        In the row "thermal" the measured CPU drives the model while the pipeline plays, time is accelerated, the
        model's temperature is the one that `thermalcaps` reads, and its dwell times are shortened alike. Its `forecast`
        is off, and it reads the temperature every {POLL * speed * 60:.0f} s of the simulated time instead of 2.

        The simulated machine slows down at 80 °C and switches off at 100 °C. So `thermalcaps` takes its first step at
        80 °C, and would take the next one at 90 °C, where a run ends: only the first step is compared. Whether its load
        stays below the limit depends on τ. The table has the load of the measured runs above 80 °C, and the time until
        the limit that follows from it without any dwell time.

        "Everything off" is the median of the latest runs of its off side, so that this side takes {model.minutes:g} min
        but for the noise of its runs. A ratio cannot exceed {model.horizon:g} min divided by the time of the off side,
        which is {model.horizon / model.minutes:.1f} at {model.minutes:g} min.

        Other rows have no such time: their runs do not get hot, and a time that follows from their CPU would say no
        more than the CPU does.""")


def not_shown(results) -> list[str]:
    """What the table does not show."""
    return _of_this_form(results) + _sentences(f"""
        Pictures of a camera, and its driver: the source is a moving test picture.

        A network: packets pass 127.0.0.1, where none is lost unless a socket is full.

        Other processors: one machine is measured. A priority and a choice of cores gain most where other programs
        compete for them.

        The first seconds: each run is a few seconds long, and its first frames are left out of all figures except the
        peak of memory and the acquires of the warm-up. Slow changes such as the growth of memory over hours are not
        seen either.

        The tail of the ages: runs of a few dozen frames have few late ones, and P99 requires {LEAST_FOR_P99} frames.

        Allocation for each frame: a comparison would need a build of the elements that allocates.

        Heat. The thermal figures are simulated, see above.""")


def _of_this_form(results) -> list[str]:
    """Limits that depend on the machine, the workload and the rows of this form."""
    plan, rows, found = results.plan, results.session.rows, []
    title = lambda name: plan.workloads[name]["title"]  # noqa: E731
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
        found.append(f"{title(big)}: {why}; the rows are about {title(results.workload)}.")
    found.append(f"A run is in real time if {100 * runner.SHARE:g} % of its frames arrive, and neither P95 of their "
                 f"ages nor the oldest of the last {runner.LAST} is above {runner.OLDEST} ms; a workload is if most of "
                 f"its {runner.RUNS} runs are.")
    wanted = plan.data.get("bitrate", 0)
    if easy := [f"{known['bitrate']:.1f} Mbit/s at {title(name)}" for name, known in results.capability.items()
                if known.get("bitrate", wanted) < (1 - NEAR) * wanted]:
        found.append(f"An encoder at its rate: the test picture takes less than {wanted:g} Mbit/s: {', '.join(easy)}.")
    heated = [name for name, switch in plan.switches.items() if switch.get("primary") == ["heat"]]
    found += [f"A row about {name}: this form has none." for name in heated if name not in {row.name for row in rows}]
    if idle := [row.title for row in rows if "heat" not in row.primary and set(heated) & set(row.after)]:
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
    """The shares of late frames, if P50 of the row is near the border between frames in time and late frames."""
    slow = results.runner.row_settings(row, row.after).get("slow")
    if not slow or not row.claims:
        return ""
    shares = []
    for side in (False, True):
        late = [age > slow["pause"] * 1000 for run in results.session.runs(row, side)
                for at, age in run.get("ages", ()) if at >= run.get("warm", 0)]
        shares.append(sum(late) / len(late) if late else None)
    if all(share is None or abs(share - 0.5) >= NEAR_HALF for share in shares):
        return ""
    words = (tables.NOTHING if share is None else f"{100 * share:.0f} %" for share in shares)
    return f"{row.title}: {' → '.join(words)}"
