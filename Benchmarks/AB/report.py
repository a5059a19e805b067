"""Writes the reports: a table for the terminal, a section of a Markdown file, and a page with plots."""
import os
import re
from pathlib import Path

import page
import tables
from markdown_report import section

TITLE = "# Results of the 4K25 plan"
INTRODUCTION = """`Benchmarks/ab` wrote this file; do not edit it. Each section is one form of a plan in
`Benchmarks/plans`, with the command that measured it."""


def write(results, markdown: Path | None, html: Path, others: list) -> None:
    """Prints the results, and writes the files; `others` are results of other forms for the Markdown file."""
    print(plain(tables.claims(results)), flush=True)
    if len(rows := tables.undecided(results)) > 1:
        print("\nUndecided:\n" + plain(rows))
    session = results.session
    print(f"\n{session.spent / 60:.1f} minutes in {sum(map(session.pairs, session.rows))} pairs")
    replace(html, page.write(results))
    print(f"The page with plots is {html}.")
    if markdown:
        text = read(markdown)
        for one in (*others, results):
            text = updated(text, one)
        replace(markdown, text)
        print(f"{markdown} has the forms {', '.join(one.form.name for one in (*others, results))}.")


def updated(text: str, results) -> str:
    """The file with the section of this form replaced or added; the sections of other forms are kept."""
    return replaced(text, f"{results.plan.name} {results.form.name}", section(results))


def replaced(text: str, name: str, content: str) -> str:
    """The file with the section `name` replaced or added; other sections are kept."""
    begin, end = (f"<!-- {word} {name} -->" for word in ("begin", "end"))
    new = f"{begin}\n\n{content}\n{end}\n"
    if not text.strip():
        text = f"{TITLE}\n\n{INTRODUCTION}\n"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end) + "\n", re.DOTALL)
    if pattern.search(text):
        return pattern.sub(lambda _: new, text)
    return text.rstrip("\n") + "\n\n" + new


def plain(table: tables.Table) -> str:
    """A table for the terminal. Long reasons follow it in lines of their own."""
    rows, notes = [], []
    for row in table:
        cells = [cell.replace("**", "") for cell in row]
        for index, cell in enumerate(cells):
            if len(cell) > 48:
                notes.append(f"[{len(notes) + 1}] {cell}")
                cells[index] = f"[{len(notes)}]"
        rows.append(cells)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, *notes])


def read(path: Path) -> str:
    """The text of a file, which need not exist."""
    return path.read_text("utf-8") if path.exists() else ""


def replace(path: Path, text: str) -> None:
    """Writes a file that is never seen half-written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.write_text(text, "utf-8")
    os.replace(new, path)
