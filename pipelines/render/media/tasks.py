"""The tasks by name; each takes and returns values of JSON."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..frames import FrameIndex
from ..plan import Cuts, Segment
from .inspect import check_versions, inspect_fragments
from .join import join
from .look import look
from .proof import prove_frame_by_frame
from .result import check_result
from .scan import scan
from .segment import render_segment


def segment(job: dict[str, Any], index: str, number: int, mode: str, path: str) -> dict[str, Any]:
    """Renders a segment of the job."""
    frames = FrameIndex.read(Path(index))
    cuts = Cuts(len(frames), job["step"])
    check_versions(job["versions"], job["filter"], job["encoder"])
    return render_segment(job, frames, cuts[number], cuts.tail, mode, Path(path))


def rehearse(job: dict[str, Any], index: str, first: int, count: int, path: str) -> dict[str, Any]:
    """Renders a few frames, as a segment of their own."""
    frames = FrameIndex.read(Path(index))
    part = Segment(0, first, min(first + count, len(frames)))
    return render_segment(job, frames, part, 1, "seek", Path(path))


TASKS: dict[str, Callable[..., Any]] = {
    "scan": scan, "look": look, "inspect": inspect_fragments, "prove": prove_frame_by_frame, "rehearse": rehearse,
    "segment": segment, "join": join, "check": check_result,
}
