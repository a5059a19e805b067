"""The section of a form in a Markdown file."""
import cross_check
import notes
import sensitivity
import tables
import wording
from claims import claim_verdict
from metrics import METRICS


def section(results) -> str:
    """The whole section, heading first."""
    form, session = results.form, results.session
    parts = [
        f"## {form.name}: {results.minutes:g} minutes", "", f"`{results.repeated}`", "",
        f"{results.plan.data['title']}. Workload: {results.plan.workloads[results.workload]['title']}. "
        f"The runs took {session.spent / 60:.1f} minutes.", "", _summary(results), "",
        *_list(in_three_lines(results)),
        *_titled("Claims", tables.claims(results)),
        *_titled("All rows", tables.overview(results)),
        "\"all but X → all\" is what X adds to all others. The A/A row has no switch: its changes are noise.", "",
        *_titled("Undecided, and how long it would take", tables.undecided(results)),
        *_titled("The noise: everything off, twice", tables.every_metric(results, session.rows[0])),
        *_titled("The runs", tables.runs(results)),
        *cross_check.sentences(session), "",
        *_titled("Pictures", tables.fidelity(results)),
        "Nothing is dropped there, because the source is not live. MD5 are those of all frames, in order.", "",
        *_titled("What this machine plays in real time", tables.capability(results)),
        *_soak(results),
        *_heat(results),
        "### What the table does not show", "", *_list(notes.not_shown(results)),
        "### Method", "", *_list(notes.method(results)),
        "### Machine and versions", "", *_list(f"{name}: {value}" for name, value in results.facts.items()),
    ]
    return "\n".join(parts)


def _titled(title: str, table: tables.Table) -> list[str]:
    return [f"### {title}", "", table_text(table), ""] if len(table) > 1 else []


def table_text(table: tables.Table) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:]])


def _list(items) -> list[str]:
    return [*(f"- {item}" for item in items), ""]


def in_three_lines(results) -> list[str]:
    """The gains of the suite: a line for each of the rows `backpressure`, `thermal` and `all`, if the form has them."""
    verdicts, lines = results.session.verdicts(), []
    for row in results.session.rows:
        if row.name not in ("backpressure", "thermal", "all") or not row.claims:
            continue
        parts = []
        for name in row.main_metrics:
            verdict, metric = verdicts[row.name, name], METRICS[name]
            if verdict.evidence is not None:
                parts.append(f"{metric.title} {wording.sides(metric, verdict.evidence)} "
                             f"({wording.effect(metric, verdict.evidence.effect)}, {verdict.word})")
        if parts:
            cost = verdicts[row.name, row.primary[0]].cost
            clock = verdicts[row.name, "cpu"].evidence
            if cost and clock is not None:
                # The work on frames that get lost is part of the CPU for each frame received.
                parts.append(f"{METRICS['cpu'].title} by the clock {wording.effect(METRICS['cpu'], clock.effect)}")
            lines.append(f"{row.title}: {'; '.join(parts)}{f'; at the cost of {cost}' if cost else ''}.")
    return lines


def _summary(results) -> str:
    """How many claims were reproduced."""
    verdicts = results.session.verdicts()
    words = [claim_verdict(claim, verdicts[row.name, claim.metric], results.plan.is_comparable(claim, row.workload))
             for row in results.session.rows for claim in row.claims]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    noise = results.session.rows[0]
    false = [name for (row, name), verdict in verdicts.items()
             if row == noise.name and verdict.word in ("better", "worse")]
    text = f"Of {len(words)} claims with a metric: {counts}."
    if false:
        text += f" **A/A has a false verdict ({', '.join(false)}): do not trust these figures.**"
    return text


def _heat(results) -> list[str]:
    sentences = notes.heat(results)
    if not sentences:
        return []
    return ["### Heat, simulated", "", *_list(sentences),
            *_titled("Heat with other time constants, simulated", sensitivity.table(results))]


def _soak(results) -> list[str]:
    found = results.soak
    if not found:
        return []
    if "error" in found:
        return ["### Everything on, without a break", "", f"The run failed: {found['error']}", ""]
    figures = found["figures"]
    names = ("cpu", "drops", "age-p50", "age-p95", "age-p99", "coverage", "memory", "frames", "bitrate")
    parts = [f"{METRICS[name].title} {wording.number(figures[name], METRICS[name].digits)} {METRICS[name].unit}"
             if name in figures else f"{METRICS[name].title} {wording.NOTHING}" for name in names]
    return ["### Everything on, without a break", "",
            f"{found['minutes']:g} minutes: {', '.join(parts)}, {len(found['alerts'])} alerts. {_growth(found)} The "
            "memory includes the records of the instrument, which are the times of all frames.", ""]


def _growth(found: dict) -> str:
    """The resident memory in the second and in the last tenth of the run."""
    memory = [size for _, size, _ in found.get("curve", ())]
    tenth = len(memory) // 10
    if not tenth:
        return ""
    first, last = (sorted(part)[len(part) // 2] for part in (memory[tenth:2 * tenth], memory[-tenth:]))
    return f"Resident memory: {first:.0f} MB in the second tenth of the run, {last:.0f} MB in the last."
