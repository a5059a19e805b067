"""Loads a model on a separate thread, runs it on the streaming thread, and unloads it."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time
from typing import Any, Callable

from models import Kind, Model, Picture


def resident_memory() -> int:
    """Resident memory of the process, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def return_memory() -> None:
    """Collects garbage, and returns free memory of the C library to the system."""
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):
        pass


class ModelHost:
    """Owner of a model. Calls `announce` with each change and `fail` with an error, as text, on any thread."""

    def __init__(
            self, kind: Kind, sample: Picture, announce: Callable[[str], None], fail: Callable[[str], None]) -> None:
        self.kind = kind
        self._sample = sample
        self._announce, self._fail = announce, fail
        self._wanted = False
        self._model: Model | None = None
        self._loader: threading.Thread | None = None
        # Guards the fields above.
        self._lock = threading.Lock()
        # Locked while the model runs and while it is closed. Lock order: _use before _lock.
        self._use = threading.Lock()
        self.load_times: list[float] = []

    @property
    def state(self) -> str:
        with self._lock:
            if self._model is not None:
                return "loaded"
            return "loading" if self._wanted else "unloaded"

    def want(self, is_wanted: bool, reason: str = "") -> None:
        """Loads or unloads the model. Loading is asynchronous. Unloading waits for a running inference."""
        with self._lock:
            if is_wanted == self._wanted:
                return
            self._wanted = is_wanted
            if is_wanted and self._loader is None and self._model is None:
                self._loader = threading.Thread(target=self._load, name="model-loader", daemon=True)
                self._loader.start()
        if not is_wanted:
            self._unload(reason)

    def run(self, picture: Picture) -> dict[str, Any] | None:
        """Returns the result of the model, or None while it is not loaded. Only the streaming thread may call this."""
        with self._use:
            with self._lock:
                model = self._model
            return None if model is None else model.run(picture)

    def wait(self) -> None:
        """Waits until a started load has ended."""
        with self._lock:
            loader = self._loader
        if loader is not None:
            loader.join()

    def end(self) -> None:
        """Waits until a started load has ended, then frees the model."""
        self.wait()
        self.want(False)

    def _load(self) -> None:
        before, start = resident_memory(), time.monotonic()
        try:
            model = self.kind.load()
            # mediapipe reads its files at the first picture.
            model.run(self._sample)
        except Exception as error:  # A library may raise any exception. `_fail` ends the pipeline with its text.
            with self._lock:
                self._loader = None
            self._fail(f"The model cannot be loaded: {error}")
            return
        took = time.monotonic() - start
        with self._lock:
            is_wanted = self._wanted
            self._loader = None
            if is_wanted:
                self._model = model
                self.load_times.append(took)
        if is_wanted:
            grown = (resident_memory() - before) / 1e6
            self._announce(f"model loaded in {took:.2f} s, {grown:.0f} MB")
        else:
            model.close()
            return_memory()

    def _unload(self, reason: str) -> None:
        with self._use:
            with self._lock:
                model, self._model = self._model, None
            if model is None:
                return
            before = resident_memory()
            model.close()
            del model
        return_memory()
        self._announce(f"model unloaded{reason and ': '}{reason}, {(before - resident_memory()) / 1e6:.0f} MB returned")
