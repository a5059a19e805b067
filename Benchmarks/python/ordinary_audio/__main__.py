"""Compares ordinary audio pipelines with and without `sendspinsync`; see Benchmarks/ordinary-audio."""
import argparse
import ast
import concurrent.futures
import contextlib
import json
import os
import re
import subprocess
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

import measured_plugin
import media
import rows as all_rows
import selection
import server_lines
import server_rows
from output import write_text
from sound import NullSound
from verdict import judge

ELEMENT = re.compile(r"(?:^|!|\s\s)\s*([a-zA-Z][a-zA-Z0-9_]+)(?=\s|$)")
LEAK = re.compile(r"object-alive, type-name=\(string\)(\w+)")


def main():
    options = parse()
    if options.server:
        lines = selection.selected(list(server_rows.lines()), options, lambda line: line.line)
        with prepared(options, "sendspinsrc") as folder:
            return server_lines.play_all(lines, options, folder)
    rows = list(all_rows.rows())
    if options.play:
        import player

        row = next(row for row in rows if row.name == options.play)
        player.play(row, options.with_element, ast.literal_eval(options.places))
    rows = selection.selected(rows, options, lambda row: row.pipeline)
    with prepared(options, options.element.split()[0]) as folder:
        return compare(rows, options, folder)


@contextlib.contextmanager
def prepared(options, element):
    """Loads the plugin of `element`, and yields a temporary folder while a null sink of PulseAudio exists."""
    with measured_plugin.folder_with_registry("ordinary-audio-") as folder:
        measured_plugin.load(element, options.plugin_dir)
        sound = NullSound.start(folder)
        try:
            yield folder
        finally:
            if sound:
                sound.stop()


def parse():
    parser = argparse.ArgumentParser(prog="Benchmarks/ordinary-audio", description=__doc__)
    selection.add_options(parser)
    parser.add_argument("--repeat", type=int, default=2, help="tries of a row that is worse (default: 2)")
    parser.add_argument("--element", default="sendspinsync", metavar="'NAME PROPERTIES'", help="element to measure")
    parser.add_argument("--server", metavar="URI", help="play lines with sendspinsrc and sendspinplay from this server instead")
    parser.add_argument("--seconds", type=float, default=7, help="time until Ctrl-C with --server (default: 7)")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--play", help=argparse.SUPPRESS)
    parser.add_argument("--with-element", help=argparse.SUPPRESS)
    parser.add_argument("--places", help=argparse.SUPPRESS)
    return parser.parse_args()


def compare(rows, options, folder):
    places = media.make(folder)
    worse, skipped, figures = [], [], {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for row in rows:
            if absent := missing(row):
                skipped.append(row.name)
                print(f"skipped {row.name}: there is no {', '.join(absent)}", flush=True)
                continue
            for _ in range(options.repeat):
                runs = both(pool, row, options, folder, places)
                faults = judge(row, *runs)
                # Other load may slow one of the two runs, so a row fails only if all its repetitions fail.
                if not faults:
                    break
            # A row that plays neither with the element nor without measures nothing.
            if all("crash" in run for run in runs):
                skipped.append(row.name)
                print(f"skipped {row.name}: {runs[1]['crash']}", flush=True)
                continue
            figures[row.name] = [{**run, "leaks": sorted(run.get("leaks", []))} for run in runs]
            if faults:
                worse.append(row.name)
            print(("WORSE " if faults else "equal ") + f"{row.name}: " + ("; ".join(faults) or summary(runs)), flush=True)
            if options.json:
                write_text(options.json, json.dumps(figures, indent=1))
    print(f"{len(rows) - len(skipped)} rows played, {len(worse)} worse, {len(skipped)} skipped"
          + (": " + ", ".join(worse) if worse else ""))
    return 1 if worse or len(skipped) == len(rows) else 0


def both(pool, row, options, folder, places):
    """Plays the row with and without the element at the same time."""
    here = dict(places)
    if "{ramp}" in row.pipeline:
        here["ramp"] = os.path.join(folder, "ramp.wav")
        media.write_ramp(here["ramp"])
    tasks = []
    for name, element in (("with", options.element), ("without", "")):
        own = os.path.join(folder, name)
        os.makedirs(own, exist_ok=True)
        tasks.append(pool.submit(run, row, element, {**here, "folder": own}, own))
    return [task.result() for task in tasks]


def run(row, element, places, folder):
    """Plays the row in one process and returns its figures."""
    command = [sys.executable, os.path.dirname(os.path.abspath(__file__)), "--play", row.name, "--with-element", element,
               "--places", repr(places)]
    log = os.path.join(folder, "trace.log")
    environment = {**os.environ, "G_DEBUG": "fatal-criticals", "GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7",
                   "GST_DEBUG_FILE": log, "GST_DEBUG_NO_COLOR": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    except subprocess.TimeoutExpired as expired:
        return {"crash": "does not end", "output": str(expired.stdout)[-300:]}
    lines = done.stdout.splitlines()
    players = next((json.loads(line) for line in lines if line.startswith("[")), None)
    if done.returncode or players is None:
        return {"crash": f"status {done.returncode}: {done.stderr.strip()[-300:]}"}
    with open(log, encoding="utf-8", errors="replace") as file:
        leaks = {type_ for type_ in LEAK.findall(file.read())}
    return {"players": players, "stopped": "stopped" in lines, "leaks": leaks}


def summary(runs):
    """Summarizes the runs with and without the element."""
    if "players" not in runs[1]:
        return f"without: {runs[1]['crash']}"
    one, other = (run["players"][0] for run in runs)
    text = f"{one['result']} in {one['seconds']} s"
    if other["result"] != one["result"]:
        text += f" (without: {other['result']}: {'; '.join(other['errors'])})"
    for mine, its in zip(one["stats"], other["stats"]):
        if mine["settled-count"] and its["settled-count"]:
            text += f", error {mine['settled-min'] / 1e3:.0f} ... {mine['settled-max'] / 1e3:.0f} us, without "
            text += f"{its['settled-min'] / 1e3:.0f} ... {its['settled-max'] / 1e3:.0f} us"
    return text


def missing(row):
    names = [*ELEMENT.findall(row.text(None, {})), *row.elements]
    if row.application in ("playbin", "ges"):
        names = list(row.elements)
    return [name for name in dict.fromkeys(names) if Gst.ElementFactory.find(name) is None]


sys.exit(main())
