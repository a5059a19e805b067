"""Inserts the results into docs/batch.md."""

from pathlib import Path

from output import write_text
from store import TOP

PAGE = TOP / "docs" / "batch.md"
_BEGIN = "<!-- Benchmarks/batch --docs writes from here -->"
_END = "<!-- to here -->"


def with_results(text: str, lines: list[str]) -> str:
    """Returns the text of the page with `lines` as its results. Raises ValueError if the page lacks a marker."""
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{PAGE} lacks {_END if begin else _BEGIN}")
    return "\n".join([before + begin, "", *lines, "", end + after])


def replace_results(lines: list[str]) -> None:
    write_text(PAGE, with_results(PAGE.read_text(encoding="utf-8"), lines))


def machine() -> str:
    """Returns the name of the processor."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return "an unknown processor"
