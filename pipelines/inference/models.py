"""The models by the names of their targets, and what a model is."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Picture:
    """A picture in RGB, or a window of sound: one 16-bit sample for each pixel. Rows have no padding."""

    data: bytes
    width: int
    height: int


class Model(Protocol):
    """A model that is loaded. It is used by one thread at a time."""

    def run(self, picture: Picture) -> dict[str, Any]:
        """Returns the result of one picture; `found` is whether there is one."""

    def close(self) -> None:
        """Frees the memory of the model."""


@dataclass(frozen=True)
class Kind:
    """A model that can be loaded: its module and class, and a description that says whether it is a stand-in."""

    module: str
    factory: str
    description: str
    options: tuple[float, ...] = ()

    @property
    def is_real(self) -> bool:
        return self.module != "stand_in"

    def load(self) -> Model:
        """Imports the library and makes the model."""
        return getattr(importlib.import_module(self.module), self.factory)(*self.options)


KINDS = {
    "pose": Kind(
        "mediapipe_models", "Pose", "pose detection and the full pose landmark model of mediapipe 0.10.21"),
    "facial-expression": Kind(
        "mediapipe_models", "Face",
        "face detection and face landmarks with attention of mediapipe 0.10.21; the expression is computed from them"),
    # Milliseconds of work on an idle core, and MB: half of the P50 and of the memory that the targets permit.
    "vocal-affect": Kind("stand_in", "StandIn", "stand-in: hashes the window for 30 ms, holds 50 MB, finds nothing",
                         (30, 50)),
    "stress": Kind("stand_in", "StandIn", "stand-in: hashes the picture for 50 ms, holds 40 MB, finds nothing",
                   (50, 40)),
}
