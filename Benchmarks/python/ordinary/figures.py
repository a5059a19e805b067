"""Computes the figures of one run from its raw numbers."""
import contextlib
import pathlib

from gi.repository import Gst

import decoding


def percentile(values, share):
    """The percentile `share` (0 to 1) of the values by nearest rank, or None if there are no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def of_run(player):
    """Returns the figures of one run. Latencies and "freeze" are in milliseconds, and "seconds" in seconds."""
    recorder, row = player.recorder, player.row
    entered, end = recorder.entered, recorder.end
    first = entered.arrivals[0] if entered and entered.arrivals else player.started
    begin = recorder.counts_from
    arrivals = _since(begin, end)
    window_ends = first + round(player.seconds * 1e9)
    result = {
        "result": player.result,
        "in": len(_since(begin, entered)),
        "left": len(_since(begin, recorder.left)),
        "out": len(arrivals),
        "in_window": sum(arrival <= window_ends for arrival in arrivals),
        "freeze": _longest_gap(_since(begin, entered), arrivals) / 1e6,
        "seconds": (player.ended - player.started) / 1e9,
        "slowdown": _slowdown(),
        "messages": recorder.messages,
        "texts": recorder.texts,
    }
    if row.end != "q" and player.pipeline.get_by_name(row.end):
        result["shown"] = _shown(player.pipeline.get_by_name(row.end), len(arrivals))
    settled = max(begin, first + round(row.settles * 1e9))
    latencies = _latencies(player, end, settled) if end and row.timed else []
    result["p50"], result["p95"] = percentile(latencies, 0.5), percentile(latencies, 0.95)
    lags = _lags(entered, end, begin) if end and entered else []
    result["lag"] = percentile(_lags(entered, end, settled) if lags else [], 0.95) if row.timed else None
    if row.most_behind is not None:
        result["fresh"] = sum(lag <= row.most_behind for lag in lags)
    if row.decoded:
        tap = recorder.end if row.decoded == "end" else recorder.left
        right = set(decoding.rightly_decoded(entered, tap))
        result["decodable"] = len(right)
        result["decodable_in_window"] = sum(
            pts in right and arrival <= window_ends for pts, arrival in zip(tap.times, tap.arrivals))
    return result


def _slowdown():
    """Factor by which other load has slowed the threads of this process; 1 on an idle machine.

    The first two numbers of schedstat are the run time and the wait time of a thread (Documentation/scheduler/
    sched-stats.rst of Linux).
    """
    ran = waited = 0
    for file in pathlib.Path("/proc/self/task").glob("*/schedstat"):
        # The thread may have ended meanwhile.
        with contextlib.suppress(OSError):
            times = file.read_text().split()
            ran, waited = ran + int(times[0]), waited + int(times[1])
    return (ran + waited) / ran if ran else 1


def _shown(element, arrived):
    """Number of frames that a sink has rendered: `arrived` frames minus frames that the sink dropped as late."""
    if element.find_property("stats") is None:
        return arrived
    dropped = element.get_property("stats").get_uint64("dropped")
    return arrived - (dropped[1] if dropped[0] else 0)


def _since(begin, tap):
    """Arrival times of the frames that arrive at or after the time `begin`."""
    return [arrival for arrival in tap.arrivals if arrival >= begin] if tap else []


def _longest_gap(entered, times):
    """Longest time without a frame at the end of the pipeline, in ns, until the source sends its last frame."""
    if not entered:
        return 0
    times = times or entered[:1]
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    return max(gaps + [entered[-1] - times[-1], 0])


def _latencies(player, tap, begin):
    """Latency of each frame in ms: running time at its arrival minus running time of its PTS."""
    base = player.pipeline.get_base_time()
    clock = player.pipeline.get_clock()
    if clock is None or not isinstance(clock, Gst.SystemClock):
        return []
    pairs = zip(tap.arrivals, tap.running_times())
    return [(arrival - base - running) / 1e6 for arrival, running in pairs if running is not None and arrival >= begin]


def _lags(entered, end, begin):
    """Latency in frames: number of newer frames that have entered the queue when a frame reaches the end."""
    places = {running: place for place, running in enumerate(entered.running_times())}
    lags, come = [], 0
    for arrival, running in zip(end.arrivals, end.running_times()):
        while come < len(entered.arrivals) and entered.arrivals[come] <= arrival:
            come += 1
        if running in places and arrival >= begin:
            lags.append(come - 1 - places[running])
    return lags
