"""Sets controls of a camera, reads each value back, and restores the previous values."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Callable

from settings import EXPOSURE, EXPOSURE_UNIT, Step
from v4l2 import GRABBED, INACTIVE, READ_ONLY, WRITE_ONLY, Control, Device

HINTS = {
    errno.EBUSY: "another program holds it, or it cannot change while the camera streams",
    errno.EACCES: "it can only be read, or depends on another control",
    errno.EPERM: "it can only be read, or depends on another control",
    errno.ENODEV: "the camera is gone",
}


@dataclass(frozen=True)
class Saved:
    """A changed control and its previous value."""

    control: Control
    value: int


class Lock:
    """Changes the controls of a camera. Calls `say` with a line of text about each change.

    `restore` undoes the changes in reverse order. It restores each value before it turns the automatic mode on again.
    """

    def __init__(self, device: Device, controls: dict[int, Control], say: Callable[[str], None]) -> None:
        self._device, self._controls, self._print = device, controls, say
        self._saved: list[Saved] = []
        self.refused = 0
        # Values that the camera returned, by the names that v4l2src uses.
        self.values: dict[str, int] = {}

    def apply(self, steps: list[Step]) -> None:
        """Applies the steps in order. Continues if the camera refuses a value."""
        # A step may turn off an automatic mode, so read the present values before the first step changes a control.
        values = [self._present(step) for step in steps]
        for step, value in zip(steps, values):
            if value is not None and step.is_only_saved:
                self._saved.append(Saved(self._controls[step.id], value))
            elif value is not None:
                self._set(self._controls[step.id], value)

    def restore(self) -> bool:
        """Restores all values. Returns True if the camera accepted all of them."""
        is_complete = True
        while self._saved:
            saved = self._saved.pop()
            control = saved.control
            try:
                self._device.set(control.id, saved.value)
                now = self._device.get(control.id)
            except OSError as error:
                self._say(f"{control.key}: {saved.value} could not be restored: {self._reason(control, error)}")
                is_complete = False
                continue
            if now != saved.value:
                self._say(f"{control.key}: {saved.value} was to be restored, and the camera has {now}")
                is_complete = False
            else:
                self._say(f"{control.key}: {now} restored")
        return is_complete

    def _say(self, line: str) -> None:
        """Prints a line. Ignores a closed output, because `restore` must continue."""
        try:
            self._print(line)
        except OSError:
            pass

    def _present(self, step: Step) -> int | None:
        if step.value is not None:
            return step.value
        control = self._controls[step.id]
        try:
            return self._device.get(step.id)
        except OSError as error:
            self._refuse(control, f"its value cannot be read: {self._reason(control, error)}")
            return None

    def _set(self, control: Control, value: int) -> None:
        if control.flags & READ_ONLY:
            self._refuse(control, f"{value} refused: it can only be read")
            return
        try:
            before = None if control.flags & WRITE_ONLY else self._device.get(control.id)
            self._device.set(control.id, value)
            if before is not None:
                self._saved.append(Saved(control, before))
                now = self._device.get(control.id)
        except OSError as error:
            self._refuse(control, f"{value} refused: {self._reason(control, error)}")
            return
        if before is None:
            self._say(f"{control.key}: {value} set; it cannot be read back, and will not be restored")
            return
        self.values[control.key] = now
        if now != value:
            self._say(f"{control.key}: {value} clamped to {now}; the range is {control.range}")
        else:
            self._say(f"{control.key}: {before} -> {now}" if before != now else f"{control.key}: {now}, as before")
        self._explain(control, now)

    def _explain(self, control: Control, now: int) -> None:
        """Prints a note if an accepted value has no effect, or if an exposure time limits the frame rate."""
        try:
            flags = self._device.query(control.id).flags
        except OSError:
            flags = 0
        if flags & INACTIVE:
            self._say(f"{control.key}: has no effect, because another control is automatic")
        if control.id == EXPOSURE and now > 0:
            seconds = now * EXPOSURE_UNIT
            rate = f"{1 / seconds:.3g} frames per second"
            self._say(f"{control.key}: {seconds * 1000:g} ms, which permits at most {rate}")

    def _refuse(self, control: Control, text: str) -> None:
        self.refused += 1
        self._say(f"{control.key}: {text}")

    def _reason(self, control: Control, error: OSError) -> str:
        number = error.errno or 0
        hint = HINTS.get(number, f"the range is {control.range}" if number in (errno.EINVAL, errno.ERANGE) else "")
        if control.flags & GRABBED and number == errno.EBUSY:
            hint = "another program holds it"
        return os.strerror(number) + (f" ({hint})" if hint else "")
