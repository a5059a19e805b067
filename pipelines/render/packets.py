"""File format of a rendered segment: encoded frames with times in nanoseconds, and a checksum at the end.

Matroska would round times to 1 ms. This format stores the exact times of the encoder. It does not store caps, because
caps select the decoder, and other users may be able to change the file.

    8 bytes   "GSWSEG2\\n"
    packet    0x01, PTS, DTS (NO_TIME if none), duration (i64), flags (u8), length (u32), data
    end       0x00, number of packets (u32), SHA-256 of everything before it
"""

import hashlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .files import open_file

NO_TIME = -(2**63)
_MAGIC = b"GSWSEG2\n"
_PACKET = struct.Struct("<BqqqBI")
_END = struct.Struct("<BI")
_IS_DELTA = 1


class DamagedFile(Exception):
    """The file is incomplete or was changed. The text of the exception names the fault."""


@dataclass(frozen=True)
class Packet:
    """One encoded frame. The PTS and the DTS are times of the source. A DTS may be negative."""

    pts: int
    dts: int
    duration: int
    is_key: bool
    data: bytes


class PacketWriter:
    """Writes a new file. Fails if the file exists, so that two writers never write to the same file."""

    def __init__(self, path: Path) -> None:
        self._file = open_file(path, "xb")
        self._hash = hashlib.sha256()
        self.count = 0
        self.size = 0
        self._write(_MAGIC)

    def add(self, packet: Packet) -> None:
        flags = 0 if packet.is_key else _IS_DELTA
        self._write(_PACKET.pack(1, packet.pts, packet.dts, packet.duration, flags, len(packet.data)))
        self._write(packet.data)
        self.count += 1

    def end(self) -> str:
        """Completes the file and flushes it to the disk. Returns its checksum."""
        self._write(_END.pack(0, self.count))
        digest = self._hash.digest()
        self._file.write(digest)
        self.size += len(digest)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return digest.hex()

    def close(self) -> None:
        self._file.close()

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)


class PacketReader:
    """Reads a file from start to end. `packets` raises DamagedFile if the file is incomplete or was changed."""

    def __init__(self, path: Path) -> None:
        self._file = open_file(path, "rb")

    def __enter__(self) -> "PacketReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def verify(self, digest: str) -> None:
        """Raises DamagedFile if the checksum of the file is not `digest`. `packets` can be called afterwards."""
        for _ in self.packets():
            pass
        if self.digest != digest:
            raise DamagedFile("it is not the file that was rendered")

    def packets(self) -> Iterator[Packet]:
        count = 0
        self._file.seek(0)
        self._hash = hashlib.sha256()
        if self._read(len(_MAGIC)) != _MAGIC:
            raise DamagedFile("it is not a segment")
        while True:
            kind = self._read(1)
            if kind == b"\0":
                break
            _, pts, dts, duration, flags, length = _PACKET.unpack(kind + self._read(_PACKET.size - 1))
            yield Packet(pts, dts, duration, not flags & _IS_DELTA, self._read(length))
            count += 1
        (expected,) = struct.unpack("<I", self._read(4))
        digest = self._hash.digest()
        if expected != count or self._file.read(len(digest)) != digest:
            raise DamagedFile("its checksum is wrong")
        self.digest = digest.hex()

    def _read(self, length: int) -> bytes:
        data = self._file.read(length)
        if len(data) != length:
            raise DamagedFile("it ends early")
        self._hash.update(data)
        return data


def digest_of(path: Path) -> str:
    """Reads a whole file and returns its checksum. Raises DamagedFile or OSError."""
    with PacketReader(path) as reader:
        for _ in reader.packets():
            pass
        return reader.digest
