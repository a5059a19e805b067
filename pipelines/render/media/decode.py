"""Decodes a rendered segment and computes checksums of its pictures."""

import hashlib
import struct
import threading
from collections.abc import Iterable
from pathlib import Path

from gi.repository import Gst

from ..checks import OPENING
from ..packets import DamagedFile, Packet, PacketReader
from .failure import Failure
from .inspect import decoders_of
from .pictures import COMPARABLE, PictureHash, prepare_sink
from .player import Player, parse


class PictureSum:
    """Checksum of a sequence of pictures, and of its first OPENING pictures."""

    def __init__(self) -> None:
        self.times: list[int] = []
        self.opening = ""
        self.decoders: list[str] = []
        self._hash = hashlib.sha256()
        self._caps: Gst.Caps | None = None
        self._picture_hash: PictureHash | None = None

    def add(self, sample: Gst.Sample) -> None:
        if self._caps is None or not self._caps.is_equal(sample.get_caps()):
            self._caps = sample.get_caps()
            self._picture_hash = PictureHash(self._caps)
        self._hash.update(struct.pack("<I", self._picture_hash.of(sample.get_buffer())))
        self.times.append(sample.get_buffer().pts)
        if len(self.times) <= OPENING:
            self.opening = self._hash.hexdigest()

    @property
    def whole(self) -> str:
        return self._hash.hexdigest()


def decoded_checksum(path: Path, digest: str, caps: str) -> PictureSum:
    """Decodes a segment. Returns the PTS and the checksums of its pictures.

    Fails before decoding if the checksum of the file is not `digest`, because another user may have replaced the file.
    """
    pipeline = parse("appsrc name=source format=time block=true max-bytes=8000000 ! decodebin name=reader !"
                     f" {COMPARABLE}")
    sink = prepare_sink(pipeline)
    player = Player(pipeline)
    source = pipeline.get_by_name("source")
    source.set_property("caps", Gst.Caps.from_string(caps))
    with PacketReader(path) as reader:
        try:
            reader.verify(digest)
            player.start()
            feed_in_background(source, map(buffer_of, reader.packets()), player)
            pictures = PictureSum()
            for sample in player.samples(sink):
                if not pictures.times:
                    pictures.decoders = decoders_of(pipeline.get_by_name("reader"))
                pictures.add(sample)
            return pictures
        except DamagedFile as error:
            raise Failure("media", f"{path} cannot be decoded: {error}.") from error
        finally:
            player.stop()


def feed_in_background(source: Gst.Element, items: Iterable[Gst.Buffer | Gst.Sample], player: Player) -> None:
    """Pushes buffers or samples into an appsrc on a thread.

    A push into a full appsrc blocks, even after an element downstream has failed. The caller must watch the bus.
    """

    def feed() -> None:
        try:
            for item in items:
                if source.emit("push-sample" if isinstance(item, Gst.Sample) else "push-buffer",
                               item) != Gst.FlowReturn.OK:
                    return
        except (DamagedFile, OSError) as error:
            player.fail(Failure("media", f"A segment cannot be read: {error}."))
        except Exception as error:
            player.fail_with(error)
        source.emit("end-of-stream")

    threading.Thread(target=feed, daemon=True).start()


def buffer_of(packet: Packet, shift: int = 0) -> Gst.Buffer:
    """A buffer with the data and the duration of a packet, and with the packet's PTS plus `shift`."""
    buffer = Gst.Buffer.new_wrapped(packet.data)
    buffer.pts, buffer.duration = packet.pts + shift, packet.duration
    if not packet.is_key:
        buffer.set_flags(Gst.BufferFlags.DELTA_UNIT)
    return buffer
