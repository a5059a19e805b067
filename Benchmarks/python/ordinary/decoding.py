"""Counts the encoded frames that still decode to the correct picture."""
import hashlib

from gi.repository import Gst

DECODERS = {
    "video/x-h264": ("h264parse", "avdec_h264"),
    "video/x-vp8": ("vp8dec",),
}


def rightly_decoded(offered, received):
    """Returns the PTS of the frames in `received` that decode to the same picture as the same frames in `offered`.

    `offered` has all frames. A decoder outputs a picture even if references are missing, so the pixels are compared.
    """
    if not received.data:
        return []
    wanted = _pictures(offered)
    return [pts for pts, picture in _pictures(received).items() if wanted.get(pts) == picture]


def elements(text):
    """Names of the elements that decode the output of a pipeline."""
    chain = DECODERS["video/x-vp8"] if "vp8enc" in text else DECODERS["video/x-h264"]
    return [*chain, "appsrc", "appsink", "videoconvert"]


def _pictures(tap):
    """Decodes the frames of a tap. Returns a digest of each picture, by the PTS of the picture."""
    chain = " ! ".join(DECODERS[tap.caps.split(",")[0]])
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time max-bytes=0 ! {chain} ! videoconvert ! video/x-raw,format=I420 "
        "! appsink name=out sync=false"
    )
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    source.set_property("caps", Gst.Caps.from_string(tap.caps))
    pipeline.set_state(Gst.State.PLAYING)
    for data, pts, dts, duration, flags in tap.data:
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts, buffer.dts, buffer.duration = pts, dts, duration
        buffer.set_flags(Gst.BufferFlags(flags & (Gst.BufferFlags.DELTA_UNIT | Gst.BufferFlags.DISCONT
                                                  | Gst.BufferFlags.HEADER)))
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    pictures = {}
    while (sample := sink.emit("try-pull-sample", 5 * Gst.SECOND)) is not None:
        buffer = sample.get_buffer()
        if not buffer.has_flags(Gst.BufferFlags.CORRUPTED):
            pictures[buffer.pts] = hashlib.md5(buffer.extract_dup(0, buffer.get_size())).hexdigest()
    pipeline.set_state(Gst.State.NULL)
    return pictures
