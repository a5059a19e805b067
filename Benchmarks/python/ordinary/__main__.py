"""Compares a queue with `queue` of GStreamer in ordinary pipelines; see Benchmarks/ordinary."""
import argparse
import os
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

import change_rows
import encoder_rows
import measured_plugin
import report
import requirements
import selection
import video_rows
from measurement import CLIP, Measurement
from output import write_text
from verdict import judge

NOTES = """\
Q is `{element}`, "leaky" is `queue leaky=downstream max-size-buffers=1`, and "queue" is `queue`. Figures are medians of
{repeat} interleaved runs of {seconds:g} s each. "frames" is the number of frames that a sink has shown in time, that decode
to the correct picture (of all frames at the output), or that a slow consumer has finished within the nominal time; "of" is
the number of frames that entered the queue. Latency is the running time at the end of the pipeline minus that of the PTS.
"freeze" is the longest time without a frame.
"""


def main():
    options = parse()
    rows = [*video_rows.rows(), *change_rows.rows(), *encoder_rows.rows()]
    if options.play:
        import player

        row = next(row for row in rows if row.name == options.play)
        player.play(row, options.element, options.seconds, os.path.normpath(CLIP), options.folder)
    rows = selection.selected(
        rows, options, lambda row: f"{row.kind:8} {row.text('Q', options.seconds, 'CLIP', 'FOLDER')}")
    with measured_plugin.folder_with_registry("ordinary-registry-"):
        require(options)
        return compare(rows, options)


def parse():
    parser = argparse.ArgumentParser(prog="Benchmarks/ordinary", description=__doc__)
    selection.add_options(parser)
    parser.add_argument("--seconds", type=float, help="nominal length of a run (default: 5)")
    parser.add_argument("--repeat", type=int, help="runs of each queue (default: 3)")
    parser.add_argument("--markdown", metavar="FILE", help="also write the table to FILE")
    parser.add_argument("--element", default="backpressurequeue", metavar="'NAME PROPERTIES'", help="element to measure")
    parser.add_argument("--apart", action="store_true", help="never play two pipelines at the same time")
    parser.add_argument("--play", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.seconds = options.seconds or (2 if options.short else 5)
    options.repeat = options.repeat or (1 if options.short else 3)
    return options


def require(options):
    """Exits with an error message if the element is missing, or its properties are wrong."""
    measured_plugin.load(options.element.split()[0], options.plugin_dir)
    try:
        Gst.parse_bin_from_description(options.element, False)
    except GLib.Error as error:
        sys.exit(f"\"{options.element}\" is not an element with its properties: {error.message}")


def compare(rows, options):
    """Measures one row after the other, and prints the result of each. Returns the exit status."""
    measurement = Measurement(options.element, options.seconds, options.repeat, options.short, options.apart)
    table, notes, skipped, lost = [], [], [], []
    if not options.short:
        print(report.plain(report.COLUMNS))
    for row in rows:
        if absent := requirements.missing(row):
            skipped.append(f"{row.name} is skipped without {', '.join(absent)}")
            print(skipped[-1], flush=True)
            continue
        runs = measurement.of(row)
        verdict = judge(row, runs, options.short)
        cells = list(report.lines(row, runs, verdict))
        table += cells
        notes += report.texts(row, runs)
        if verdict.lost:
            lost.append(row.name)
        if options.short:
            print(report.summary(row, runs, verdict), flush=True)
        else:
            print("\n".join(map(report.plain, cells)), flush=True)
        if options.markdown:
            write(options, table, notes, skipped, lost)
    played = len(rows) - len(skipped)
    print("\n".join(notes))
    print(f"{played} rows played, {len(lost)} lost, {len(skipped)} skipped"
          + (": " + ", ".join(lost) if lost else ""))
    if skipped:
        print(f"apt-get install {' '.join(requirements.packages())}")
    return 1 if lost or not played else 0


def write(options, table, notes, skipped, lost):
    """Writes the table after each row, so that an interrupted benchmark keeps its results."""
    parts = [NOTES.format(**vars(options)), report.markdown(report.COLUMNS), "|" + "---|" * len(report.COLUMNS)]
    parts += map(report.markdown, table)
    parts += ["", f"Lost: {', '.join(lost) or 'none'}.", ""] + [f"- {line}" for line in skipped + notes]
    write_text(options.markdown, "\n".join(parts) + "\n")


sys.exit(main())
