"""Formats the tables."""
import os
import platform

from gi.repository import Gst

import text_tables
import this_machine
from output import write_text


def machine():
    """Processor, cores, kernel and GStreamer, in one line."""
    return f"{this_machine.processor()}, {os.cpu_count()} cores, Linux {platform.release()}, {Gst.version_string()}"


def write(path, tables):
    """Writes all tables so far, so that an interrupted benchmark keeps its results."""
    parts = [machine(), ""]
    for title, table, notes in tables:
        parts += [f"### {title}", "", text_tables.markdown(table), "", *[f"- {note}" for note in notes], ""]
    write_text(path, "\n".join(parts))
