"""Checks a recording of the virtual DAC. Ignores the time in which a player recovers from a disturbance."""

import dataclasses

import numpy as np

from . import dac

RECOVERY_US = 3_000_000
# Time that the server gives a player before it must play again.
LEAD_US = 1_500_000
# A player spreads a correction over several frames. In 24-bit streams, it alters the low bits of these frames.
CORRECTION_FRAMES = 500
# A frame of another volume, or in the fade of a splice, may match a random frame of six hours.
DISTANT_US = 1_000_000
DISTURBANCES = ("seek", "track", "pause", "resume", "stall", "stall ends", "drop", "drop ends", "clock_step", "play",
                "gap", "hogs")


@dataclasses.dataclass
class Limits:
    p99_us: float = 100
    max_us: float = 200
    splices: int = 0
    signal: str = "ramp"
    scales: bool = False
    """The volume changes, so some frames differ from the signal. Such a frame may match a distant frame."""
    reopens: bool = False
    """The player reopens the device for another format and then recovers."""


def windows(events: list[dict]) -> list[tuple[int, int]]:
    """Periods in which a player may still recover, as server times in microseconds."""
    result = []
    for event in events:
        if event["event"] in DISTURBANCES:
            extra = event.get("amount", 0) * 1e6 if event["event"] in ("stall", "drop", "hogs") else 0
            result.append((event["time_us"], event["time_us"] + LEAD_US + RECOVERY_US + int(extra)))
    return result


def outside(time_us: np.ndarray, spans: list[tuple[int, int]]) -> np.ndarray:
    result = np.ones(len(time_us), dtype=bool)
    for start, end in spans:
        result &= (time_us < start) | (time_us >= end)
    return result


def unstepped(recording: dac.Recording, events: list[dict]) -> np.ndarray:
    """Errors in microseconds. After a step of the clock, an error refers to the old or the new clock, if smaller."""
    error, offset = recording.error_us.copy(), 0.0
    steps = [event for event in events if event["event"] == "clock_step"]
    for step in steps:
        offset += step["amount"] * 1000
        stepped = recording.error_us + offset
        later = recording.time / 1e3 >= step["time_us"]
        closer = later & (np.abs(stepped) < np.abs(error))
        error[closer] = stepped[closer]
    return error


def judge(recording: dac.Recording, events: list[dict], limits: Limits) -> tuple[dict, list[str]]:
    """Returns the figures and the faults of a recording."""
    if len(recording.time) < 2:
        return {}, ["no frame was played"]
    spans = windows(events)
    if limits.reopens:
        opened = [time // 1000 for time, name, _ in recording.events if name == "format"]
        spans += [(time, time + LEAD_US + RECOVERY_US) for time in opened]
    first = int(recording.time[0] // 1000)
    spans.append((first, first + RECOVERY_US))
    settled = outside(recording.time // 1000, spans)
    errors = unstepped(recording, events)[settled]
    sizes = dac.sizes(errors[np.abs(errors) < DISTANT_US] if limits.scales or limits.splices else errors)
    stats = recording.stats
    figures = {"first_us": stats["first-error"] / 1e3, **sizes, "settled_s": round(float(settled.sum() * np.median(np.diff(recording.time))) / 1e9, 1),
               **{name: stats[name] for name in ("frames", "repeated", "lost", "silent", "splices", "underruns")}}
    faults = []
    if not settled.any():
        faults.append("it never settled")
    if sizes["p99"] > limits.p99_us or sizes["max"] > limits.max_us and not limits.scales:
        faults.append(f"P99 {sizes['p99']} us, max {sizes['max']} us")
    if limits.scales:
        if stats["silent"] == 0 or stats["unknown"] == 0:
            faults.append(f"{stats['silent']} frames are silent, {stats['unknown']} have another volume")
    elif limits.signal == "ramp":
        if stats["altered"] > CORRECTION_FRAMES * (stats["repeated"] + stats["lost"]):
            faults.append(f"{stats['altered']} frames are altered")
        faults += splice_faults(recording, spans, limits)
    return figures, faults


def splice_faults(recording: dac.Recording, spans: list[tuple[int, int]], limits: Limits) -> list[str]:
    """A fault if too many splices are outside `spans`. A single repeated or lost frame is only a correction."""
    bad = [event for event in recording.events
           if event[1] in ("silent", "unknown", "underrun") or event[1] in ("lost", "repeated") and event[2] > 1]
    times = np.array([event[0] // 1000 for event in bad], dtype=np.int64)
    unexpected = [event for event, is_bad in zip(bad, outside(times, spans)) if is_bad]
    if len(unexpected) > limits.splices:
        kinds = ", ".join(f"{count} {name}" for _, name, count in unexpected[:5])
        return [f"{len(unexpected)} splices ({kinds})"]
    return []
