"""Prints events of a program as JSON lines. Log records of the libraries become violations, errors and warnings."""

import json
import logging
import sys
import time


def clock_us() -> int:
    """The clock of the server: CLOCK_MONOTONIC_RAW in microseconds."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) // 1000


class Report(logging.Handler):
    """Prints one JSON object per line. Counts a deviation of a client from the protocol as a violation."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.violations: list[str] = []
        self.errors: list[str] = []
        self.warnings: list[str] = []
        for name in ("aiosendspin", "sendspin", "asyncio"):
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.propagate = False

    def event(self, name: str, **values) -> None:
        print(json.dumps({"time_us": clock_us(), "event": name, **values}), flush=True)

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info:
            text += f" ({record.exc_info[1]!r})"
        kind, list_of_kind = "warning", self.warnings
        if "non-compliant" in text or "failed to parse" in text or "Ignoring un" in text:
            kind, list_of_kind = "violation", self.violations
        elif record.levelno >= logging.ERROR:
            kind, list_of_kind = "error", self.errors
        list_of_kind.append(text)
        self.event(kind, text=text, logger=record.name)

    def finish(self, **values) -> int:
        """Prints the summary and returns the exit status."""
        self.event("summary", violations=len(self.violations), errors=len(self.errors),
                   warnings=len(self.warnings), **values)
        for text in self.violations + self.errors:
            print(text, file=sys.stderr)
        return 1 if self.violations or self.errors else 0
