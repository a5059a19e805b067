"""The file of one rendered segment: encoded frames with times in nanoseconds, and a checksum at the end.

A container such as Matroska rounds times and cannot represent all of them; this file keeps what the encoder produced.
It has no caps: they select a decoder, and others may write to its folder.

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
    """The file is not complete or was changed; the text says how."""


@dataclass(frozen=True)
class Packet:
    """One encoded frame; the times are those of the source, and a DTS may be negative."""

    pts: int
    dts: int
    duration: int
    is_key: bool
    data: bytes


class PacketWriter:
    """Writes a new file; it must not exist, so that no two writers have the same one."""

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
        """Completes the file on the disk; returns its checksum."""
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
    """Reads a file from begin to end; `packets` raises DamagedFile if it is not what was written."""

    def __init__(self, path: Path) -> None:
        self._file = open_file(path, "rb")

    def __enter__(self) -> "PacketReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def verify(self, digest: str) -> None:
        """Reads the file; raises DamagedFile if another one was written. `packets` then reads the same file again."""
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
    """Reads a whole file; returns its checksum, or raises DamagedFile or OSError."""
    with PacketReader(path) as reader:
        for _ in reader.packets():
            pass
        return reader.digest
