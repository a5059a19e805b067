"""Prints messages and a status line. On a terminal, the line is overwritten. Other outputs get a line every 10 s."""

import os
import sys
import time

_INTERVAL_SECONDS = 10.0


class Screen:
    """Prints to standard output."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()
        self._has_line = False
        self._last = time.monotonic()

    def say(self, text: str) -> None:
        self.clear()
        print(printable(text), flush=True)

    def show(self, line: str) -> None:
        """Replaces the status line."""
        if self._is_terminal:
            print("\r\033[K" + printable(line)[:os.get_terminal_size().columns - 1], end="", flush=True)
            self._has_line = True
        elif time.monotonic() - self._last >= _INTERVAL_SECONDS:
            self._last = time.monotonic()
            print(printable(line), flush=True)

    def clear(self) -> None:
        if self._has_line:
            print("\r\033[K", end="", flush=True)
            self._has_line = False


def printable(text: str) -> str:
    """Replaces control characters, except line feeds, by spaces. Names of files and machines may contain them."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)
