"""Checksums of pictures: of their pixels, without the bytes between rows that elements do not define."""

import zlib

from gi.repository import Gst, GstVideo

# One format for each kind of picture. The decoders of two machines may output the same pixels in other orders, such as
# I420 and NV12; a conversion to the format here changes no pixel then.
_FORMATS = ("GRAY8 GRAY16_LE I420 Y41B Y42B Y444 A420 I420_10LE I422_10LE Y444_10LE I420_12LE I422_12LE Y444_12LE "
            "Y444_16LE AYUV64 GBR GBRA GBR_10LE GBR_12LE ARGB64_LE").split()
# The end of a pipeline whose pictures are compared; `prepare_sink` completes it.
COMPARABLE = "videoconvert name=comparable dither=none ! appsink name=sink sync=false max-buffers=4"


def prepare_sink(pipeline: Gst.Pipeline) -> Gst.Element:
    """The sink of `COMPARABLE`, which accepts one format of each kind."""
    sink = pipeline.get_by_name("sink")
    formats = f"format=(string){{{','.join(_FORMATS)}}}"
    sink.set_property("caps", Gst.Caps.from_string(f"video/x-raw,{formats};video/x-raw(format:Interlaced),{formats}"))
    return sink


class PictureHash:
    """CRC of the visible pixels of raw frames of one format."""

    def __init__(self, caps: Gst.Caps) -> None:
        self._info = GstVideo.VideoInfo.new_from_caps(caps)
        finfo = self._info.finfo
        self._planes = []
        for plane in range(finfo.n_planes):
            component = list(finfo.plane)[:finfo.n_components].index(plane)
            width = _scaled(self._info.width, finfo.w_sub[component]) * finfo.pixel_stride[component]
            self._planes.append((width, _scaled(self._info.height, finfo.h_sub[component])))

    def of(self, buffer: Gst.Buffer) -> int:
        meta = GstVideo.buffer_get_video_meta(buffer)
        strides, offsets = (meta.stride, meta.offset) if meta else (self._info.stride, self._info.offset)
        data = memoryview(buffer.extract_dup(0, buffer.get_size()))
        crc = 0
        for (width, rows), stride, offset in zip(self._planes, strides, offsets):
            if width in (0, stride):
                crc = zlib.crc32(data[offset:offset + stride * rows], crc)
                continue
            for start in range(offset, offset + stride * rows, stride):
                crc = zlib.crc32(data[start:start + width], crc)
        return crc


def _scaled(size: int, shift: int) -> int:
    return -((-size) >> shift)
