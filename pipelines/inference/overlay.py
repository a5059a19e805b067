"""Draws the lines of text that a model has found, as SVG for rsvgoverlay."""

from __future__ import annotations

from html import escape
from typing import Any, Callable

from sources import HEIGHT, WIDTH

COLOUR = "#1565c0"
FONT_HEIGHT = 14


def drawing_on(element: Any | None) -> Callable[[dict[str, Any]], None]:
    """A function that draws results with the element rsvgoverlay; without it, the function does nothing."""
    if element is None:
        return lambda result: None
    return lambda result: element.set_property("data", svg(result.get("boxes", ""), result.get("text", "")))


def svg(boxes: str, text: str) -> str:
    """A frame around each box ("left,top,right,bottom …"), and its line of the text above it."""
    parts = []
    sides = [map(int, box.split(",")) for box in boxes.split()]
    for (left, top, right, bottom), line in zip(sides, text.split("\n") if text else [""] * len(sides)):
        parts.append(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" '
                     f'stroke="{COLOUR}" stroke-width="2"/>')
        if line:
            # Without room above the line, its text is below it.
            place = top - 4 if top > FONT_HEIGHT + 4 else bottom + FONT_HEIGHT
            parts.append(f'<text x="{left}" y="{place}" font-family="sans-serif" font-size="{FONT_HEIGHT}" '
                         f'fill="{COLOUR}">{escape(line)}</text>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'
