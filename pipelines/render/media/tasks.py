"""Table of the tasks by name. Each task takes and returns JSON values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..files import hold
from ..finished import PART, finish
from ..frames import FrameIndex
from ..plan import Cuts, Segment
from .inspect import check_versions, inspect_fragments, versions_of
from .join import join
from .look import look
from .muxers import check_audio
from .proof import prove
from .result import check_result
from .scan import scan
from .segment import render_segment
from .sound import try_sound
from .watch import watch


def segment(job: dict[str, Any], index: str, number: int, mode: str, path: str) -> dict[str, Any]:
    """Renders a segment of the job into the files `path`.seg and `path`.json."""
    # No call of `release` follows, because the process ends after the task.
    hold(Path(index).parent)
    frames = FrameIndex.read(Path(index), job["index"])
    cuts = Cuts(len(frames), job["step"])
    check_versions(job["versions"])
    part = Path(path + PART)
    result, _, _ = render_segment(job, frames, cuts[number], cuts.tail, mode, part)
    return finish(part, job["id"], result)


def rehearse(job: dict[str, Any], index: str, first: int, count: int, mode: str, path: str) -> dict[str, Any]:
    """Renders a few frames as a segment. Also returns the versions of decoders, the cost, and bits per component."""
    frames = FrameIndex.read(Path(index), job["index"])
    part = Segment(0, first, min(first + count, len(frames)))
    result, decoders, renderer = render_segment(job, frames, part, 1, mode, Path(path))
    return {"segment": result, "versions": versions_of(decoders), "cost": renderer.gate.meter.cost(),
            "bits": renderer.bits}


TASKS: dict[str, Callable[..., Any]] = {
    "scan": scan, "look": look, "inspect": inspect_fragments, "prove": prove, "rehearse": rehearse,
    "segment": segment, "join": join, "check": check_result, "audio": check_audio, "sound": try_sound,
    "watch": watch,
}
