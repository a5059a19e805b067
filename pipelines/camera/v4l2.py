"""Reads and sets the controls of a V4L2 device with ioctl. Structures and numbers are from linux/videodev2.h."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from dataclasses import dataclass

QUERYCAP, G_CTRL, S_CTRL, QUERYCTRL, QUERYMENU = 0x80685600, 0xC008561B, 0xC008561C, 0xC0445624, 0xC02C5625
CAPABILITY = "=16s32s32sIII3I"
CONTROL = "=Ii"
QUERY = "=II32siiiiI2I"
MENU = "=II32sI"
CAPTURE = 0x1
DEVICE_CAPS = 0x80000000
NEXT = 0x80000000
# Limit for a list of controls. A faulty driver may repeat its controls, which must not cause an endless loop.
MOST_CONTROLS = 1024

DISABLED, GRABBED, READ_ONLY, INACTIVE, WRITE_ONLY = 0x1, 0x2, 0x4, 0x10, 0x40
INTEGER, BOOLEAN, MENU_TYPE, BUTTON, INTEGER_MENU, BITMASK = 1, 2, 3, 4, 9, 8
# Types of controls with a 32-bit value.
PLAIN = (INTEGER, BOOLEAN, MENU_TYPE, INTEGER_MENU, BITMASK)


def text(raw: bytes) -> str:
    """Decodes a name from the kernel. Replaces control characters, because the name is printed on a terminal."""
    decoded = raw.split(b"\0", 1)[0].decode("utf-8", "replace")
    return "".join(character if character.isprintable() else " " for character in decoded)


@dataclass(frozen=True)
class Control:
    """Description of one control of a device."""

    id: int
    type: int
    name: str
    minimum: int
    maximum: int
    step: int
    flags: int

    @property
    def key(self) -> str:
        """Name in the form of v4l2-ctl and of `extra-controls` of v4l2src, such as exposure_time_absolute."""
        letters = "".join(each.lower() if each.isascii() and each.isalnum() else " " for each in self.name)
        return "_".join(letters.split())

    @property
    def range(self) -> str:
        step = f", in steps of {self.step}" if self.step > 1 else ""
        return f"{self.minimum} to {self.maximum}{step}"


class NotACamera(Exception):
    """The file is not a device that captures video."""


class Device:
    """An open camera. All methods raise OSError if the driver returns an error."""

    def __init__(self, path: str) -> None:
        # Several programs can open a camera at the same time, and change its controls even while one of them streams.
        self._file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fields = struct.unpack(CAPABILITY, self._call(QUERYCAP, bytes(struct.calcsize(CAPABILITY))))
        except OSError as error:
            os.close(self._file)
            raise NotACamera(f"{path} is not a V4L2 device ({os.strerror(error.errno or 0)}).") from error
        self.name = text(fields[1])
        capabilities = fields[5] if fields[4] & DEVICE_CAPS else fields[4]
        if not capabilities & (CAPTURE | 0x1000):
            os.close(self._file)
            raise NotACamera(f"{path} ({self.name}) does not capture video; a camera often has several devices.")

    def close(self) -> None:
        os.close(self._file)

    def _call(self, request: int, argument: bytes) -> bytes:
        while True:
            try:
                return fcntl.ioctl(self._file, request, argument)
            except InterruptedError:
                continue

    def query(self, id: int) -> Control:
        """Describes the control `id`. With the flag NEXT, describes the first control after `id`."""
        fields = struct.unpack(QUERY, self._call(QUERYCTRL, struct.pack(QUERY, id, 0, b"", 0, 0, 0, 0, 0, 0, 0)))
        return Control(fields[0], fields[1], text(fields[2]), fields[3], fields[4], fields[5], fields[7])

    def controls(self, known: tuple[int, ...] = ()) -> tuple[dict[int, Control], OSError | None]:
        """All controls with a 32-bit value, by id, and the error that ended the list early.

        One broken control can cause such an error. This method then queries the ids in `known` one by one.
        """
        found: dict[int, Control] = {}
        failure: OSError | None = None
        id = 0
        for _ in range(MOST_CONTROLS):
            try:
                control = self.query(id | NEXT)
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.ENOTTY):
                    failure = error
                break
            if control.id <= id:
                break
            id = control.id
            found[id] = control
        for id in known if failure else ():
            try:
                found.setdefault(id, self.query(id))
            except OSError:
                continue
        if failure and not found:
            raise failure
        return {id: each for id, each in found.items() if each.type in PLAIN and not each.flags & DISABLED}, failure

    def has_item(self, id: int, index: int) -> bool:
        """Whether the menu control `id` has an item `index`. The indices of a menu may have gaps."""
        try:
            self._call(QUERYMENU, struct.pack(MENU, id, index, b"", 0))
        except OSError:
            return False
        return True

    def get(self, id: int) -> int:
        return struct.unpack(CONTROL, self._call(G_CTRL, struct.pack(CONTROL, id, 0)))[1]

    def set(self, id: int, value: int) -> None:
        self._call(S_CTRL, struct.pack(CONTROL, id, value))
