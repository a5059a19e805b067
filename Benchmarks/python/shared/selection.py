"""The rows of a benchmark that the user selects."""
import fnmatch
import sys


def add_options(parser):
    parser.add_argument("--rows", metavar="PATTERN", help="only rows whose names match; comma-separated shell patterns")
    parser.add_argument("--list", action="store_true", help="print the rows and their pipelines")
    parser.add_argument("--short", action="store_true", help="a few rows, in about a minute")
    parser.add_argument("--plugin-dir", metavar="DIR", help="folder of the plugin (default: out/plugin)")


def selected(rows, options, text):
    """Returns the rows that --rows and --short select. Ends the program after --list, or if there is no such row.

    `text(row)` is the pipeline that --list prints.
    """
    if options.rows:
        patterns = [f"*{pattern}*" for pattern in options.rows.split(",")]
        rows = [row for row in rows if any(fnmatch.fnmatch(row.name, pattern) for pattern in patterns)]
    if options.short:
        rows = [row for row in rows if row.short]
    if not rows:
        sys.exit("No row has such a name; --list prints them.")
    if options.list:
        for row in rows:
            print(f"{row.name:36} {text(row)}")
        sys.exit()
    return rows
