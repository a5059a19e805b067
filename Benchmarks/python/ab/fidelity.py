"""Compares the pictures of two sides: MD5 of each frame before and after encoding, and PSNR of the decoded frames.

The source is not live here, so no frame may be dropped, and each frame of one side has a counterpart on the other side.
"""
import hashlib
import math
from collections import deque
from functools import cache

import gi
import numpy

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo


def check(runner, rows: list) -> list[dict]:
    """Compares both sides of each row. If both sides have the same switches, compares two runs with these switches."""
    @cache
    def side(workload: str, switches: tuple[str, ...], _is_repeated: bool) -> dict:
        return runner.play(workload, switches, frames=runner.plan.data["fidelity"]["frames"], heat=None,
                           **{"is-fidelity": True})

    return [{"row": row.name, **compare(side(row.workload, row.before, False),
                                        side(row.workload, row.after, row.before == row.after))} for row in rows]


def compare(before: dict, after: dict) -> dict:
    """The result of the comparison of two sides: numbers of frames, equality of the MD5 lists, and PSNR."""
    for side in (before, after):
        if "error" in side:
            return {"error": side["error"]}
    return {"frames": [len(before["raw"]), len(after["raw"])],
            "raw": before["raw"] == after["raw"], "coded": before["coded"] == after["coded"],
            "psnr": [before["psnr"], after["psnr"]]}


def differences(found: list[dict]) -> list[str]:
    """The rows whose pictures differ or could not be compared."""
    return [one["row"] for one in found if "error" in one or not (one["raw"] and one["coded"])
            or one["psnr"][0] != one["psnr"][1]]


def play(spec: dict) -> dict:
    """Plays one side to its end. Returns the MD5 of each frame, and the PSNR of the luma in dB (100 if equal)."""
    Gst.init(None)
    pipeline = Gst.parse_launch(f"{spec['line']} perfmonitor report=none {spec.get('monitor', '')}")
    raw, coded, lumas, errors = [], [], deque(), []

    def enter(pad, buffer) -> None:
        raw.append(f"{buffer.pts} {_md5(buffer)}")
        lumas.append(_luma(pad, buffer))

    def leave(pad, buffer) -> None:
        # No frame is dropped or reordered, so frames leave in the order in which they entered.
        original, picture = lumas.popleft(), _luma(pad, buffer)
        if original.shape == picture.shape:
            error = (original.astype(numpy.int16) - picture).ravel().astype(numpy.float32)
            errors.append(float(numpy.dot(error, error)) / error.size)

    def probe(pad, info, body) -> Gst.PadProbeReturn:
        body(pad, info.get_buffer())
        return Gst.PadProbeReturn.OK

    for name, place, body in (("encoder", "sink", enter), ("end", "sink", leave),
                              ("encoder", "src", lambda _, buffer: coded.append(_md5(buffer)))):
        pipeline.get_by_name(name).get_static_pad(place).add_probe(Gst.PadProbeType.BUFFER, probe, body)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        round((spec["limit"] + 40) * Gst.SECOND), Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message is None or message.type == Gst.MessageType.ERROR:
        return {"error": message.parse_error()[0].message if message else "no EOS"}
    pipeline.set_state(Gst.State.NULL)
    error = sum(errors) / max(1, len(errors))
    psnr = round(10 * math.log10(255 ** 2 / error), 3) if error else 100.0
    return {"raw": raw, "coded": coded, "psnr": psnr if errors else None}


def _md5(buffer) -> str:
    return hashlib.md5(buffer.extract_dup(0, buffer.get_size())).hexdigest()


def _luma(pad, buffer) -> numpy.ndarray:
    info = GstVideo.VideoInfo.new_from_caps(pad.get_current_caps())
    layout = GstVideo.buffer_get_video_meta(buffer) or info
    stride = layout.stride[0]
    data = numpy.frombuffer(buffer.extract_dup(layout.offset[0], stride * info.height), numpy.uint8)
    return data.reshape(info.height, stride)[:, :info.width].copy()
