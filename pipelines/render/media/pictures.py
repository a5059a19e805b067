"""Checksums of pictures. A checksum covers the visible pixels but not the padding at the end of a row."""

import zlib

from gi.repository import Gst, GstVideo

# Decoders of two machines may output the same pixels in different formats. For each compared format, this table lists
# the formats that `COMPARABLE` converts to it without loss.
_ORDERS = {
    "I420": "YV12 NV12 NV21 NV12_4L4 NV12_32L32 NV12_64Z32 NV12_16L32S", "Y42B": "YUY2 UYVY YVYU VYUY NV16 NV61",
    "Y444": "NV24 v308 IYU2", "I420_10LE": "I420_10BE P010_10LE P010_10BE NV12_10LE32 NV12_10LE40",
    "I422_10LE": "I422_10BE v210 Y210 UYVP NV16_10LE32", "I420_12LE": "I420_12BE P012_LE P012_BE",
    "I422_12LE": "I422_12BE Y212_LE Y212_BE", "GBR": "RGB BGR RGBx BGRx xRGB xBGR", "GBRA": "RGBA BGRA ARGB ABGR",
}
_COMPARED_AS = {name: compared for compared, names in _ORDERS.items() for name in names.split()}
# End of the launch line of a pipeline whose pictures are compared. `prepare_sink` sets the caps of the appsink.
COMPARABLE = "videoconvert name=comparable dither=none ! appsink name=sink sync=false max-buffers=4"


def prepare_sink(pipeline: Gst.Pipeline) -> Gst.Element:
    """Returns the sink of `COMPARABLE`. When the decoder sends its caps, restricts the sink to the compared format."""
    sink = pipeline.get_by_name("sink")

    def accept(fields: str) -> None:
        sink.set_property("caps", Gst.Caps.from_string(f"video/x-raw{fields};video/x-raw(format:Interlaced){fields}"))

    def on_event(_pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            found = event.parse_caps().get_structure(0).get_string("format")
            accept(f",format=(string){_COMPARED_AS.get(found, found)}")
        return Gst.PadProbeReturn.OK

    accept("")
    pipeline.get_by_name("comparable").get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)
    return sink


class PictureHash:
    """Computes the CRC of the visible pixels of raw frames."""

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


def bits(caps: Gst.Caps) -> int:
    """Bits per component of raw frames."""
    return GstVideo.VideoInfo.new_from_caps(caps).finfo.depth[0]


def _scaled(size: int, shift: int) -> int:
    return -((-size) >> shift)


def direction(tags: str) -> int:
    """The video-direction with which videoflip turns pictures upright; 0 if the pictures are upright."""
    list_ = Gst.TagList.new_from_string(tags) if tags else None
    is_found, method = GstVideo.video_orientation_from_tag(list_) if list_ is not None else (False, 0)
    return int(method) if is_found else 0
