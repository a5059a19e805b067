"""Writes the reports: a table on the terminal, a section of a Markdown file, and a page with plots."""
import re
import statistics
from pathlib import Path

import notes
import page
import tables
import text_tables
from output import write_text
from plan import METRICS
from verdict import BETTER, WORSE, claim_verdict

TITLE = "# Results of the 4K25 plan"
INTRODUCTION = """`Benchmarks/ab` wrote this file; do not edit it. Each section is one form of a plan in
`Benchmarks/plans`, with the command that measured it."""
SECTION = re.compile(r"<!-- begin (.+?) -->.*?<!-- end \1 -->\n", re.DOTALL)


def write(results, markdown: Path | None, html: Path, others: list) -> None:
    """Prints the results and writes the files. The Markdown file also gets the results of other forms, `others`."""
    print(plain(tables.claims(results)), flush=True)
    if len(rows := tables.undecided(results)) > 1:
        print("\nUndecided:\n" + plain(rows))
    session = results.session
    print(f"\n{session.spent / 60:.1f} minutes in {sum(map(session.pairs, session.rows))} pairs")
    write_text(html, page.write(results))
    print(f"The page with plots is {html}.")
    if markdown:
        text = read(markdown)
        for one in (*others, results):
            text = updated(text, one)
        write_text(markdown, text)
        print(f"{markdown} has the forms {', '.join(one.form.name for one in (*others, results))}.")


def plain(table: tables.Table) -> str:
    """Formats a table for the terminal. Long cells follow the table on separate lines."""
    rows, long = [], []
    for row in table:
        rows.append([])
        for cell in (cell.replace("**", "") for cell in row):
            if len(cell) > 48:
                long.append(f"[{len(long) + 1}] {cell}")
                cell = f"[{len(long)}]"
            rows[-1].append(cell)
    return "\n".join([text_tables.plain(rows), *long])


def read(path: Path) -> str:
    """The text of a file; empty if the file does not exist."""
    return path.read_text("utf-8") if path.exists() else ""


def updated(text: str, results) -> str:
    """Replaces or adds the section of this form. The forms come first, in the order of the plan."""
    plan = results.plan
    return replaced(text, f"{plan.name} {results.form.name}", section(results),
                    [f"{plan.name} {form}" for form in plan.data["forms"]])


def replaced(text: str, name: str, content: str, order=()) -> str:
    """Replaces or adds the section `name`. Sections that are not in `order` come last."""
    sections = {found[1]: found[0] for found in SECTION.finditer(text)}
    sections[name] = f"<!-- begin {name} -->\n\n{content}\n<!-- end {name} -->\n"
    names = [*(each for each in order if each in sections), *(each for each in sections if each not in order)]
    head = SECTION.sub("", text).strip() or f"{TITLE}\n\n{INTRODUCTION}"
    return "\n".join([f"{head}\n", *(sections[each] for each in names)])


def section(results) -> str:
    """The section of a form in the Markdown file."""
    form, session = results.form, results.session
    heat = notes.heat(results)
    return "\n".join([
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
        *tables.cross_check(results), "",
        *_titled("Pictures", tables.fidelity(results)),
        "Nothing is dropped there, because the source is not live. MD5 are those of all frames, in order.", "",
        *_titled("What this machine plays in real time", tables.capability(results)),
        *soak(results),
        *(["### Heat, simulated", "", *_list(heat),
           *_titled("Heat with other time constants, simulated", tables.heat(results))] if heat else []),
        "### What the table does not show", "", *_list(notes.not_shown(results)),
        "### Method", "", *_list(notes.method(results)),
        "### Machine and versions", "", *_list(f"{name}: {value}" for name, value in results.facts.items()),
    ])


def _titled(title: str, table: tables.Table) -> list[str]:
    return [f"### {title}", "", text_tables.markdown(table), ""] if len(table) > 1 else []


def _list(items) -> list[str]:
    return [*(f"- {item}" for item in items), ""]


def in_three_lines(results) -> list[str]:
    """Lines about the gains of the rows `backpressure`, `thermal` and `all`, if the form has them."""
    lines, by_clock = [], METRICS["cpu"]
    for row in results.session.rows:
        shown = tables.shown(results, row, row.main_metrics)
        if row.name not in ("backpressure", "thermal", "all") or not row.claims or not shown:
            continue
        parts = [f"{metric.title} {tables.sides(metric, verdict.evidence)} "
                 f"({tables.effect(metric, verdict.evidence.effect)}, {verdict.word})" for metric, verdict in shown]
        if cost := shown[0][1].cost:
            # CPU per received frame includes the work on lost frames, so also show the CPU per second.
            parts += [f"{by_clock.title} by the clock {tables.effect(by_clock, verdict.evidence.effect)}"
                      for _, verdict in tables.shown(results, row, [by_clock.name])]
            parts[-1] += f"; at the cost of {cost}"
        lines.append(f"{row.title}: {'; '.join(parts)}.")
    return lines


def _summary(results) -> str:
    """A sentence with the number of reproduced claims."""
    verdicts, rows = results.session.verdicts(), results.session.rows
    words = [claim_verdict(claim, verdicts[row.name, claim.metric], results.plan.is_comparable(claim, row.workload))
             for row in rows for claim in row.claims]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    false = [name for name in METRICS if verdicts[rows[0].name, name].word in (BETTER, WORSE)]
    return f"Of {len(words)} claims with a metric: {counts}." + (
        f" **A/A has a false verdict ({', '.join(false)}): do not trust these figures.**" if false else "")


def soak(results) -> list[str]:
    """The section about the long run with everything on."""
    found, title = results.soak, ["### Everything on, without a break", ""]
    if not found:
        return []
    if "error" in found:
        return [*title, f"The run failed: {found['error']}", ""]
    parts, figures = [], found["figures"]
    for name in ("cpu", "drops", "age-p50", "age-p95", "age-p99", "coverage", "memory", "frames", "bitrate"):
        metric = METRICS[name]
        parts.append(f"{metric.title} {tables.number(figures[name], metric.digits)} {metric.unit}" if name in figures
                     else f"{metric.title} {tables.NOTHING}")
    # Skip the first tenth, in which the run starts.
    memory, growth = [size for _, size, _ in found.get("curve", ())], ""
    if tenth := len(memory) // 10:
        first, last = map(statistics.median_high, (memory[tenth:2 * tenth], memory[-tenth:]))
        growth = f"Resident memory: {first:.0f} MB in the second tenth of the run, {last:.0f} MB in the last."
    return [*title, f"{found['minutes']:g} minutes: {', '.join(parts)}, {len(found['alerts'])} alerts. {growth} The "
            "memory includes the records of the instrument, which are the times of all frames.", ""]
