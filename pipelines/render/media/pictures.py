"""Checksums of pictures: of their pixels, without the bytes between rows that elements do not define."""

import zlib

from gi.repository import Gst, GstVideo


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
