"""Reads and summarizes the figures of a row."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phases import PHASES


@dataclass
class RowFigures:
    name: str
    start: dict[str, Any]
    end: dict[str, Any]
    seconds: list[dict[str, Any]]
    alerts: list[dict[str, Any]]
    tiers: list[dict[str, Any]]
    models: list[dict[str, Any]]
    length: float
    # For each second: its time, its inferences, and its inferences within the P95 target.
    counts: list[tuple[float, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        before = (0, 0)
        for line in self.seconds:
            now = (line["inferences"], line["within"])
            self.counts.append((line["time"], now[0] - before[0], now[1] - before[1]))
            before = now

    @property
    def power(self) -> float | None:
        """Mean power of the machine in watts; None if its energy was not measured."""
        energy = self.end.get("energy")
        return None if energy is None else energy / self.length

    def compliance(self, phases: list[tuple[float, float]] | None = None) -> float | None:
        """Fraction of the inferences within the P95 target, in `phases` or in the whole run."""
        chosen = [(count, within) for time, count, within in self.counts
                  if phases is None or any(start <= time < end for start, end in phases)]
        total = sum(count for count, _ in chosen)
        return sum(within for _, within in chosen) / total if total else None

    def hog_times(self) -> list[tuple[float, float]]:
        return [(phase.start * self.length, phase.end * self.length) for phase in PHASES if phase.hogs]

    def quiet_times(self) -> list[tuple[float, float]]:
        """Periods without hogs. The second after the hogs counts neither as quiet nor as a hog period."""
        edges = [0.0]
        for start, end in self.hog_times():
            edges += [start, end + 1]
        edges.append(self.length + 60)
        return list(zip(edges[::2], edges[1::2]))

    def rolling_compliance(self, span: float) -> list[tuple[float, float | None]]:
        points: list[tuple[float, float | None]] = []
        for index, (time, _, _) in enumerate(self.counts):
            window = [each for each in self.counts[:index + 1] if time - each[0] < span]
            total = sum(count for _, count, _ in window)
            points.append((time, sum(within for _, _, within in window) / total if total else None))
        return points

    def alert_spans(self) -> list[tuple[float, float, str, str]]:
        """Periods of active alerts: start, end, metric, severity. A change of the severity starts a new period."""
        spans, open_ = [], {}
        for line in self.alerts:
            key = line["metric"]
            if key in open_:
                start, severity = open_.pop(key)
                spans.append((start, line["time"], key, severity))
            if line["change"] != "cleared":
                open_[key] = (line["time"], line["severity"])
        return spans + [(start, self.length, key, severity) for key, (start, severity) in open_.items()]

    def time_in_tiers(self) -> dict[float, float]:
        """Seconds at each rate; 0 is the tier "off"."""
        spans: dict[float, float] = {}
        changes = [(0.0, self.start["rates"][0])] + [(line["time"], line["rate"]) for line in self.tiers]
        for (start, rate), end in zip(changes, [time for time, _ in changes[1:]] + [self.length]):
            spans[rate] = spans.get(rate, 0) + end - start
        return spans

    def memory(self, state: str) -> list[float]:
        """Resident memory in MB, in each second in which the model is in the state `state`."""
        return [line["memory"] / 1e6 for line in self.seconds if line["model"] == state and line.get("memory")]


def read(folder: Path, name: str) -> RowFigures | None:
    """Returns the figures of a row; None if the row did not reach its end."""
    file = folder / f"{name}.jsonl"
    if not file.exists():
        return None
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    events: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        events.setdefault(line.get("event", "second"), []).append(line)
    if "start" not in events or "end" not in events:
        return None
    return RowFigures(
        name, events["start"][0], events["end"][0], events.get("second", []), events.get("alert", []),
        events.get("tier", []), events.get("model", []), events["end"][0]["time"])
