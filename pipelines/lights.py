"""Draws the messages sendspin-visualizer and sendspin-color as coloured bars for a terminal."""

from __future__ import annotations

from typing import Any

# Rows of a picture.
HEIGHT = 8
# Characters of 0 to 8 eighths of a row.
BLOCKS = " ▁▂▃▄▅▆▇█"
# Colours until the server has sent others, as 0xRRGGBB.
COLOURS = {"primary": 0x3060FF, "accent": 0xFF4090}
# Part of the flash of a beat that remains in the next picture.
AFTERGLOW = 0.7
# Largest value of a level, which is 0 dB. The value 0 is -60 dB.
LOUDEST = 255


def mix(one: int, other: int, share: float) -> int:
    """A colour between two colours. The share 0 returns `one`, and 1 returns `other`."""
    parts = ((one >> shift & 255, other >> shift & 255, shift) for shift in (16, 8, 0))
    return sum(round(first + (second - first) * share) << shift for first, second, shift in parts)


class Lights:
    """A spectrum in the colours of the music, which flashes with its beats. Without a spectrum, the loudness."""

    def __init__(self) -> None:
        self.colours, self.bands, self.loudness, self.flash = COLOURS, [], 0, 0.0

    def paint(self, fields: dict[str, Any]) -> None:
        """Takes the fields of sendspin-color. Without colours, the default ones return."""
        self.colours = COLOURS | {name: fields[name] for name in COLOURS if name in fields}

    def take(self, fields: dict[str, Any]) -> None:
        """Takes the fields of sendspin-visualizer, with the spectrum as bytes."""
        beat = {True: 1.0, False: 0.6}.get(fields.get("downbeat"), 0.0)
        self.flash = max(self.flash * AFTERGLOW, beat, fields.get("peak", 0) / LOUDEST / 2)
        self.loudness = fields.get("loudness", self.loudness)
        self.bands = list(fields.get("spectrum", self.bands))

    def picture(self, width: int) -> list[str]:
        """The rows of the picture, from top to bottom. A row has at most `width` characters."""
        levels = (self.bands or [self.loudness])[:max(width, 1)]
        columns = max(width // len(levels), 1)
        colours = [self._escape(number / max(len(levels) - 1, 1)) for number in range(len(levels))]
        rows = []
        for row in reversed(range(HEIGHT)):
            eighths = (round(level / LOUDEST * HEIGHT * 8) - row * 8 for level in levels)
            bars = (BLOCKS[min(max(part, 0), 8)] * columns for part in eighths)
            rows.append("".join(map("".join, zip(colours, bars))) + "\033[0m")
        return rows

    def _escape(self, place: float) -> str:
        colour = mix(mix(self.colours["primary"], self.colours["accent"], place), 0xFFFFFF, self.flash)
        return f"\033[38;2;{colour >> 16};{colour >> 8 & 255};{colour & 255}m"


def seconds(fields: dict[str, Any]) -> str:
    """The running time of a message; a minus sign without one."""
    return f"{fields['running-time'] / 1e9:.3f} s" if "running-time" in fields else "-"


def colours_line(fields: dict[str, Any]) -> str:
    """The fields of sendspin-color as a line of text."""
    colours = (f"{name} #{value:06x}" for name, value in fields.items() if name != "running-time")
    return "  ".join((seconds(fields), "colours", *colours))


def data_line(fields: dict[str, Any]) -> str:
    """The fields of sendspin-visualizer, with the spectrum as bytes, as a line of text."""
    parts = [seconds(fields)]
    if "loudness" in fields:
        parts.append(f"loudness {fields['loudness']}")
    if "downbeat" in fields:
        parts.append("downbeat" if fields["downbeat"] else "beat")
    if fields.get("frequency"):
        parts.append(f"{fields['frequency']} Hz {fields['frequency-level']}")
    if "peak" in fields:
        parts.append(f"peak {fields['peak']}")
    if "spectrum" in fields:
        parts.append("|" + "".join(BLOCKS[round(level / LOUDEST * 8)] for level in fields["spectrum"]) + "|")
    return "  ".join(parts)
