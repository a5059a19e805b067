"""One row of the speed table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Times of a run in seconds. `speed` is relative to one worker, and `of_launch` to gst-launch-1.0."""

    label: str
    wall: float
    # Time in which no worker renders a segment.
    once: float | None = None
    processor: float | None = None
    speed: float | None = None
    of_launch: float | None = None

    @staticmethod
    def header() -> str:
        return f"{'':27}{'seconds':>9}{'once':>7}{'processor s':>13}{'speed':>8}{'of gst-launch-1.0':>19}"

    def line(self) -> str:
        return (f"{self.label:27}{self.wall:9.1f}{_text(self.once, '.1f'):>7}{_text(self.processor, '.1f'):>13}"
                f"{_text(self.speed, '.2f'):>8}{_text(self.of_launch, '.2f'):>19}")

    @staticmethod
    def markdown_header() -> list[str]:
        return ["| | seconds | once | processor seconds | speed | of `gst-launch-1.0` |", "|---|---|---|---|---|---|"]

    def markdown(self) -> str:
        cells = [self.label, f"{self.wall:.0f}", _text(self.once, ".0f"), _text(self.processor, ".0f"),
                 _text(self.speed, ".2f"), _text(self.of_launch, ".2f")]
        return f"| {' | '.join(cells)} |"


def _text(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
