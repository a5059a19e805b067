"""Decodes a rendered segment, to prove that it can be decoded, and that a later copy of it is the same."""

import hashlib
import struct
import threading
from collections.abc import Iterable
from pathlib import Path

from gi.repository import Gst

from ..packets import DamagedFile, Packet, PacketReader
from .failure import Failure
from .pictures import PictureHash
from .player import Player, parse

# The pictures that wait between the decoder and the checksum.
_WAITING = 4


def decoded_checksum(path: Path) -> tuple[list[int], str]:
    """PTS of the decoded frames of a segment, and a checksum of their pictures."""
    pipeline = parse("appsrc name=source format=time block=true max-bytes=8000000 ! decodebin ! appsink name=sink"
                     f" sync=false max-buffers={_WAITING}")
    player = Player(pipeline)
    source = pipeline.get_by_name("source")
    reader = PacketReader(path)
    source.set_property("caps", Gst.Caps.from_string(reader.header["caps"]))
    try:
        player.start()
        feed_in_background(source, map(buffer_of, reader.packets()), player)
        return checksum_of_pictures(player, pipeline.get_by_name("sink"))
    finally:
        player.stop()


def checksum_of_pictures(player: Player, sink: Gst.Element) -> tuple[list[int], str]:
    """Reads an appsink with raw video to its end; returns the PTS, and a checksum of the pictures."""
    times, digest = [], hashlib.sha256()
    picture_hash, caps = None, None
    for sample in player.samples(sink):
        if caps is None or not caps.is_equal(sample.get_caps()):
            caps = sample.get_caps()
            picture_hash = PictureHash(caps)
        buffer = sample.get_buffer()
        times.append(buffer.pts)
        digest.update(struct.pack("<I", picture_hash.of(buffer)))
    return times, digest.hexdigest()


def feed_in_background(source: Gst.Element, items: Iterable[Gst.Buffer | Gst.Sample], player: Player) -> None:
    """Pushes buffers or samples into an appsrc on a thread.

    A full appsrc blocks, also after an element downstream has failed; only the bus has the error then.
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
    """A buffer with the PTS and duration of a packet, later by `shift`."""
    buffer = Gst.Buffer.new_wrapped(packet.data)
    buffer.pts, buffer.duration = packet.pts + shift, packet.duration
    if not packet.is_key:
        buffer.set_flags(Gst.BufferFlags.DELTA_UNIT)
    return buffer
