"""Writes the reports: a table for the terminal, a section of a Markdown file, and a page with plots."""
import re
from pathlib import Path

import page
import tables
from markdown_report import section
from output import write_text

TITLE = "# Results of the 4K25 plan"
INTRODUCTION = """`Benchmarks/ab` wrote this file; do not edit it. Each section is one form of a plan in
`Benchmarks/plans`, with the command that measured it."""
SECTION = re.compile(r"<!-- begin (.+?) -->.*?<!-- end \1 -->\n", re.DOTALL)


def write(results, markdown: Path | None, html: Path, others: list) -> None:
    """Prints the results, and writes the files; `others` are results of other forms for the Markdown file."""
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


def updated(text: str, results) -> str:
    """The file with the section of this form replaced or added; those of the forms come first, in the order of the plan."""
    plan = results.plan
    return replaced(
        text, f"{plan.name} {results.form.name}", section(results), [f"{plan.name} {form}" for form in plan.data["forms"]])


def replaced(text: str, name: str, content: str, order: list[str] | None = None) -> str:
    """The file with the section `name` replaced or added; others are kept, behind those in `order`."""
    sections = {found[1]: found[0] for found in SECTION.finditer(text)}
    sections[name] = f"<!-- begin {name} -->\n\n{content}\n<!-- end {name} -->\n"
    order = [each for each in order or [] if each in sections]
    names = order + [each for each in sections if each not in order]
    head = SECTION.sub("", text).strip() or f"{TITLE}\n\n{INTRODUCTION}"
    return "\n".join([f"{head}\n", *(sections[each] for each in names)])


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
