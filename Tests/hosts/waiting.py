"""Waits for a condition in the main context of GLib."""
import time

from gi.repository import GLib


def until(is_true, seconds):
    """Calls is_true() every 10 ms. Returns whether is_true() becomes true within `seconds`."""
    end, loop, result = time.monotonic() + seconds, GLib.MainLoop(), False

    def look():
        nonlocal result
        result = bool(is_true())
        if not result and time.monotonic() < end:
            return GLib.SOURCE_CONTINUE
        loop.quit()
        return GLib.SOURCE_REMOVE

    GLib.timeout_add(10, look)
    loop.run()
    return result


def remains(is_true, seconds):
    """Returns whether is_true() stays true for `seconds`."""
    return not until(lambda: not is_true(), seconds)
