"""Interface of a model, and the table of models by the names of their targets."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Picture:
    """A picture in RGB, or a window of sound with one 16-bit sample per pixel. Rows have no padding."""

    data: bytes
    width: int
    height: int


class Model(Protocol):
    """A loaded model. Only one thread at a time may use it."""

    def run(self, picture: Picture) -> dict[str, Any]:
        """Runs the model on one picture. `found` is True if it has found something."""

    def close(self) -> None:
        """Frees the memory of the model."""


@dataclass(frozen=True)
class Kind:
    """Description of a model: module, class and text. The text names a stand-in as such."""

    module: str
    factory: str
    description: str
    options: tuple[float, ...] = ()

    @property
    def is_real(self) -> bool:
        return self.module != "stand_in"

    def load(self) -> Model:
        """Imports the library and creates the model."""
        return getattr(importlib.import_module(self.module), self.factory)(*self.options)


KINDS = {
    "pose": Kind(
        "mediapipe_models", "Pose", "pose detection and the full pose landmark model of mediapipe 0.10.21"),
    "facial-expression": Kind(
        "mediapipe_models", "Face",
        "face detection and face landmarks with attention of mediapipe 0.10.21; the expression is computed from them"),
    # Milliseconds of work on an idle core, and megabytes. Both are half of the limits (p50, memory) in the targets.
    "vocal-affect": Kind("stand_in", "StandIn", "stand-in: hashes the window for 30 ms, holds 50 MB, finds nothing",
                         (30, 50)),
    "stress": Kind("stand_in", "StandIn", "stand-in: hashes the picture for 50 ms, holds 40 MB, finds nothing",
                   (50, 40)),
}
