"""Parses durations of the command line, and formats times and counts for messages. Times are in nanoseconds."""

import re

SECOND = 1_000_000_000
_UNITS = {"ms": SECOND // 1000, "s": SECOND, "": SECOND, "m": 60 * SECOND, "min": 60 * SECOND, "h": 3600 * SECOND}


def parse_duration(text: str) -> int:
    """Parses a duration such as `30s`, `500ms`, `1.5m` or `2` (seconds) into nanoseconds. Raises ValueError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|)", text.strip())
    if match is None:
        raise ValueError(f'"{text}" is not a duration such as 30s, 500ms or 2m')
    return round(float(match[1]) * _UNITS[match[2]])


def timestamp(nanoseconds: int) -> str:
    """Formats a position in the film, such as 1:02:03.004."""
    milliseconds = round(nanoseconds / 1_000_000)
    seconds, milliseconds = divmod(milliseconds, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}"


def rough_time(seconds: float) -> str:
    """Formats a remaining or elapsed time, such as 1:02:03, 2:03 or 4.5 s."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def counted(count: int, word: str) -> str:
    """Formats a count, such as 1 worker or 2 workers."""
    return f"{count} {word}{'' if count == 1 else 's'}"
