"""The sentences of the reports: how to read them, and what they do not show."""
from heat import HeatModel
from metrics import METRICS
from verdict import ALPHA, PRIMARY_SHARE


def _sentences(text: str) -> list[str]:
    """The paragraphs of a text, each in one line."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def method(results) -> list[str]:
    """How the figures were found."""
    looks = results.looks
    return _sentences(f"""
        Each run is a fresh process. Runs follow each other as off, on, on, off (a block of ABBA), which gives two pairs
        and cancels a slow drift of the machine. The rows take turns block by block.

        A row is examined after {", ".join(map(str, looks.pairs))} pairs and ends there if it is decided, or when the
        time is over. It never has fewer than {looks.pairs[0]} pairs.

        The change is the median of the ratios of the pairs; of figures that may be 0 it is the median of the
        differences. Its 95 % interval comes from 10,000 paired bootstraps.

        p is that of Wilcoxon's signed ranks. The adjusted p contains a correction for the looks, each of which has a
        fixed share of the error ({", ".join(f"{share:.0%}" for share in looks.shares)}), and Holm's for all rows. The
        probability of any false "better" or "worse" in the table is at most {ALPHA:.0%}: {ALPHA * PRIMARY_SHARE:.0%}
        for what the rows are about, {ALPHA * (1 - PRIMARY_SHARE):.0%} for all other figures.

        **better** and **worse**: the adjusted p is below that limit, the interval excludes no change, and the change is
        larger than that of A/A. **equivalent**: the interval, corrected for the looks, lies within ±2 % (of shares:
        ±0.2 points). **undecided**: neither.

        A claim is *reproduced* if the verdict is better and the interval reaches the claimed change, *partly* if it is
        better by less, *refuted* if the verdict is worse or equivalent, or the interval does not reach the claim, else
        *undecided*.

        CPU is that of the whole process: source, filter, encoder, sender, receiver, decoder and `perfmonitor`. The ages
        are those of `perfmonitor` at the receiver's sink, from the running time of the source; the receiver restores it
        from the RTP timestamp. P99 requires 100 frames in a run.

        "{METRICS["allocations"].title}" counts calls of malloc, calloc, realloc, memalign and GLib's slices by a
        preloaded library, in both sides. Its own cost is the row "instrument", if the form has it. The receiver is slow
        at fixed times of the stream.""")


def heat(results) -> list[str]:
    """How the time until the limit of heat is simulated."""
    model = HeatModel(**results.plan.data.get("heat-model", {}))
    return _sentences(f"""
        **Simulation.** No temperature was measured. The machine is one thermal mass: dx/dt = (K·P − x)/τ, where x is
        the rise above {model.ambient:g} °C, τ is {model.tau:g} min, and P = {model.idle:g} + {1 - model.idle:g}·(CPU
        used / CPU used with everything off). K = {model.rise:.1f} °C is chosen so that the pipeline with everything off
        reaches {model.limit:g} °C after {model.minutes:g} min, the figure of the claim. Only ratios are results. Times
        end at {model.horizon:g} min.

        In the row "thermal" the measured CPU drives the model while the pipeline plays, time is accelerated, the
        model's temperature is the one that `thermalcaps` reads, and its waiting times are shortened alike. In all other
        rows the time follows from the mean CPU of the run.""")


def not_shown(results) -> list[str]:
    """The limits of the table."""
    found = _sentences("""
        Pictures of a camera, and its driver: the source is a moving test picture.

        A network: packets pass 127.0.0.1, where none is lost unless a socket is full.

        Other processors: one machine is measured. A priority and a choice of cores gain most where other programs
        compete for them; here nothing else ran on purpose.

        The first seconds: each run is a few seconds long, its first frames are left out of CPU and counts, and so are
        slow changes such as the growth of memory over hours.

        Allocation for each frame: a comparison would need a build of the elements that allocates.

        Heat. The thermal figures are simulated, see above.""")
    big = next(iter(results.plan.data["main-workloads"]))
    if results.workload != big:
        titles = {name: results.plan.workloads[name]["title"] for name in (big, results.workload)}
        found.insert(0, f"{titles[big]}: this machine does not play it in real time (see above), so the rows are about "
                        f"{titles[results.workload]}.")
    return found
