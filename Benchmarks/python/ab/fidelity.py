"""Whether the pictures stay the same: MD5 of each frame before the encoder and behind it, and PSNR of the decoded ones.

The source is not live here, so nothing may be dropped, and each frame of one side has its counterpart.
"""
import hashlib
import math
from collections import deque

import gi
import numpy

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo

from plan import Plan, Row


def check(runner, rows: list[Row]) -> list[dict]:
    """The comparison of both sides of each row, the first run twice to show that equal runs are equal."""
    plan: Plan = runner.plan
    frames = plan.data["fidelity"]["frames"]
    known: dict = {}

    def side(workload: str, switches: tuple[str, ...], again: bool) -> dict:
        key = (workload, switches, again)
        if key not in known:
            known[key] = runner.play(workload, switches, frames=frames, heat=None,
                                     **{"is-fidelity": True})
        return known[key]

    found = []
    for row in rows:
        before, after = side(row.workload, row.before, False), side(row.workload, row.after, row.before == row.after)
        found.append({"row": row.name, **compare(before, after)})
    return found


def compare(before: dict, after: dict) -> dict:
    """The differences between two sides."""
    errors = [side["error"] for side in (before, after) if "error" in side]
    if errors:
        return {"error": errors[0]}
    return {"frames": [len(before["raw"]), len(after["raw"])],
            "raw": before["raw"] == after["raw"], "coded": before["coded"] == after["coded"],
            "psnr": [before["psnr"], after["psnr"]]}


def differences(found: list[dict]) -> list[str]:
    """The rows whose pictures differ or could not be compared."""
    return [one["row"] for one in found if "error" in one or not (one["raw"] and one["coded"])
            or one["psnr"][0] != one["psnr"][1]]


class _Taps:
    """The frames behind the encoder and the decoder."""

    def __init__(self, pipeline: Gst.Pipeline) -> None:
        self.raw: list[str] = []
        self.coded: list[str] = []
        self.lumas: deque[numpy.ndarray] = deque()
        self.errors: list[float] = []
        for name, pad, body in (("encoder", "sink", self._enter), ("encoder", "src", self._encoded),
                                ("end", "sink", self._decoded)):
            tap = pipeline.get_by_name(name).get_static_pad(pad)
            tap.add_probe(Gst.PadProbeType.BUFFER, self._probe, body)

    def _probe(self, pad, info, body):
        body(pad, info.get_buffer())
        return Gst.PadProbeReturn.OK

    def _enter(self, pad, buffer) -> None:
        self.raw.append(f"{buffer.pts} {hashlib.md5(buffer.extract_dup(0, buffer.get_size())).hexdigest()}")
        self.lumas.append(_luma(pad, buffer))

    def _encoded(self, _pad, buffer) -> None:
        self.coded.append(hashlib.md5(buffer.extract_dup(0, buffer.get_size())).hexdigest())

    def _decoded(self, pad, buffer) -> None:
        # Nothing is dropped or reordered, so frames leave in the order in which they came.
        original, picture = self.lumas.popleft(), _luma(pad, buffer)
        if original.shape == picture.shape:
            error = (original.astype(numpy.int16) - picture).ravel().astype(numpy.float32)
            self.errors.append(float(numpy.dot(error, error)) / error.size)

    def psnr(self) -> float | None:
        """Of the luma of all frames in dB; 100 if they are equal."""
        if not self.errors:
            return None
        error = sum(self.errors) / len(self.errors)
        return round(10 * math.log10(255 ** 2 / error), 3) if error > 0 else 100.0


def _luma(pad, buffer) -> numpy.ndarray:
    info = GstVideo.VideoInfo.new_from_caps(pad.get_current_caps())
    meta = GstVideo.buffer_get_video_meta(buffer)
    stride = meta.stride[0] if meta else info.stride[0]
    offset = meta.offset[0] if meta else info.offset[0]
    data = numpy.frombuffer(buffer.extract_dup(offset, stride * info.height), numpy.uint8)
    return data.reshape(info.height, stride)[:, :info.width].copy()


def play(spec: dict) -> dict:
    """Plays one side to its end."""
    Gst.init(None)
    pipeline = Gst.parse_launch(f"{spec['line']} perfmonitor report=none {spec.get('monitor', '')}")
    taps = _Taps(pipeline)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        round((spec["limit"] + 40) * Gst.SECOND), Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message is None or message.type == Gst.MessageType.ERROR:
        return {"error": message.parse_error()[0].message if message else "no EOS"}
    pipeline.set_state(Gst.State.NULL)
    return {"raw": taps.raw, "coded": taps.coded, "psnr": taps.psnr()}
