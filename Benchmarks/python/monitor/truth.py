"""Compares the ages that perfmonitor reports at a sink with the times that the pictures carry."""
import fnmatch
import math
from dataclasses import dataclass

import burnt
from process import finish, start
from this_machine import free_port

TITLE = "Truth of the percentiles"
LIMIT = 0.03
# Limit of the short version, whose percentiles vary more, because it plays fewer frames.
SHORT_LIMIT = 0.15
SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True)
class Row:
    """A pipeline downstream of the source and the delay. The figures are those of the sinks `end` and `end-slow`."""

    name: str
    pipeline: str
    is_live: bool = True
    short: bool = False
    # Method with which the benchmark itself measures the age: "picture", "encoded" or "received"; see truth_child.py.
    reads: str = "picture"
    # Reason why perfmonitor cannot know the age of the picture. A row with a reason never counts as a failure.
    differs: str = ""

    def line(self, rate):
        live = "is-live=true" if self.is_live else "max-buffers=1"
        pipeline = self.pipeline
        if "{port}" in pipeline:
            pipeline = pipeline.replace("{port}", str(free_port()))
        return (f"appsrc name=source format=time {live} max-bytes=0 caps={burnt.CAPS},framerate={rate}/1 "
                f"! identity name=delay silent=true ! {pipeline}")


END = "fakesink name=end sync=false"
X264 = "x264enc bitrate=4000"
TEE = ("tee name=t  t. ! queue max-size-buffers=0 ! fakesink name=end sync=false  "
       "t. ! queue ! identity sleep-time=3000 ! fakesink name=end-slow sync=false")


UDP = ("udpsink host=127.0.0.1 port={port} sync=false async=false  udpsrc name=receiver port={port} "
       "caps=application/x-rtp,media=video,clock-rate=90000,encoding-name=H264 ! rtph264depay "
       "! queue ! identity sleep-time=4000")


def rows():
    low = f"{X264} tune=zerolatency"
    for is_live, kind in ((True, "live"), (False, "file")):
        yield Row(f"queue-{kind}", f"queue ! {END}", is_live, short=not is_live)
        yield Row(f"tee-{kind}", TEE, is_live)
        yield Row(f"x264enc-{kind}", f"{X264} ! avdec_h264 ! {END}", is_live)
        yield Row(f"x264enc-zerolatency-{kind}", f"{low} ! avdec_h264 ! {END}", is_live, short=is_live)
        yield Row(f"vp8enc-{kind}", f"vp8enc deadline=1 target-bitrate=4000000 ! vp8dec ! {END}", is_live)
        yield Row(f"matroskamux-{kind}", f"{low} name=encoder ! matroskamux ! {END}", is_live, reads="encoded")
        yield Row(f"rtp-{kind}", f"{low} ! rtph264pay ! rtph264depay ! avdec_h264 ! {END}", is_live)
    yield Row("rtp-udp-since-reception", f"{low} ! rtph264pay ! {UDP} ! avdec_h264 ! {END}", reads="received")
    yield Row("rtp-udp-since-source", f"{low} ! rtph264pay ! {UDP} ! avdec_h264 ! {END}",
              differs="A PTS does not pass a network, so the age counts from the receiver.")
    yield Row("matroskademux-live", f"{low} ! matroskamux streamable=true ! matroskademux ! avdec_h264 ! {END}",
              differs="A demuxer gives frames new times, so the age counts from its source pad.")


def measure(options):
    """Returns the table, texts about failed rows, and notes. A row fails if its figures are wrong or incomplete."""
    frames, rate = (180, 60) if options.short else (1200, 60)
    limit = SHORT_LIMIT if options.short else LIMIT
    found = [row for row in rows() if fnmatch.fnmatch(row.name, f"*{options.rows}*")]
    found = [row for row in found if row.short or not options.short]
    table = [["row", "sink", "frames", *[f"{share.upper()} ms: burnt, perfmonitor" for share in SHARES], "coverage",
              "result"]]
    failures, notes = [], []
    results = _play(found, frames, rate)
    for row, result in results:
        if "error" in result:
            failures.append(f"{row.name}: {result['error']}")
            continue
        for sink, values in result.items():
            cells, worst = _cells(values)
            coverage = values["figures"].get("coverage", 0)
            lost = values["unreadable"] or len(values["ages"]) != frames
            is_true = worst <= limit and _is_covered(row, values) and not lost
            verdict = "true" if is_true else "differs" if row.differs else "FAILED"
            text = f"{verdict}, {worst:.1%}" if math.isfinite(worst) else f"{verdict}, no figures"
            table.append([row.name, sink, str(len(values["ages"])), *cells, f"{coverage:.1%}", text])
            if options.short:
                print(f"{row.name}: within {worst:.1%}, coverage {coverage:.1%}, {len(values['ages'])} frames")
            if row.differs and not is_true:
                notes.append(f"{row.name}: {row.differs}")
            elif not is_true:
                failures.append(f"{row.name}, {sink}: differs by {worst:.1%}, coverage {coverage:.1%}, "
                                f"{len(values['ages'])} of {frames} frames read; the limits are {limit:.0%} and 100 %")
    notes.append(f"{frames} frames at {rate}/s, each delayed behind the source: median 4 ms, P95 21 ms, P99 41 ms.")
    return table, failures, notes


def _play(found, frames, rate):
    """Plays two rows at the same time, because both mostly sleep in the delay. Yields their results."""
    for index in range(0, len(found), 2):
        pair = [(row, start("truth", {"line": row.line(rate), "frames": frames, "rate": rate, "is_live": row.is_live,
                                      "reads": row.reads})) for row in found[index:index + 2]]
        for row, process in pair:
            yield row, finish(process, 120 + 4 * frames / rate)


def _is_covered(row, values):
    """Whether perfmonitor knows the age of every frame. Up to 3 headers of a muxer without PTS do not count."""
    missing = 3 if row.reads == "encoded" else 0
    count, coverage = values["figures"].get("count", 0), values["figures"].get("coverage", 0)
    return round(count / coverage) - count <= missing if coverage else False


def _cells(values):
    """Formats the measured and the reported value of each percentile. Also returns the largest relative difference."""
    ages, worst, cells = sorted(values["ages"]), 0.0, []
    for name, share in SHARES.items():
        given = values["figures"].get(name)
        if len(ages) * (1 - share) < 1:
            cells.append("–")
            continue
        # perfmonitor also uses the nearest rank. A muxer header or an unreadable frame shifts the ranks by one, so the
        # figure may also match an adjacent rank.
        rank = math.ceil(len(ages) * share - 1e-9) - 1
        cells.append(f"{ages[rank] / 1e6:.2f}, {'–' if given is None else f'{given / 1e6:.2f}'}")
        near = ages[max(0, rank - 1):rank + 2]
        worst = max(worst, math.inf if given is None else min(abs(given / age - 1) for age in near))
    return cells, worst
