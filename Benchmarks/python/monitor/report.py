"""Formatting of the tables."""
import os
import platform
import re

from gi.repository import Gst

from output import write_text


def machine():
    """Processor, cores, kernel and GStreamer, in one line."""
    return f"{_processor()}, {os.cpu_count()} cores, Linux {platform.release()}, {Gst.version_string()}"


def _processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*:\s*(.+)", file.read())
    return found[1] if found else platform.machine()


def plain(table):
    """A table for the terminal; its first row is the heading."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)


def markdown(table):
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0])] + lines[1:])


def write(path, tables):
    """Writes all tables so far, so that an interrupted benchmark keeps its results."""
    parts = [machine(), ""]
    for title, table, notes in tables:
        parts += [f"### {title}", "", markdown(table), "", *[f"- {note}" for note in notes], ""]
    write_text(path, "\n".join(parts))
