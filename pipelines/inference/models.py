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
    """Description of a model: module, class and text. The text names a stand-in as such.

    A model that is not critical stops while the battery is low. `is_sound` is for models that receive windows of sound.
    """

    module: str
    factory: str
    description: str
    options: tuple[float, ...] = ()
    is_critical: bool = True
    is_sound: bool = False

    @property
    def is_real(self) -> bool:
        return self.module != "stand_in"

    def load(self) -> Model:
        """Imports the library and creates the model."""
        return getattr(importlib.import_module(self.module), self.factory)(*self.options)


KINDS = {
    # The option is the number of lines that are read.
    "text": Kind("onnx_models", "Text", "text detection and recognition, PP-OCRv6 small of rapidocr 3.10.0", (8,)),
    "text-boxes": Kind(
        "onnx_models", "Text", "text detection, PP-OCRv6 small of rapidocr 3.10.0", (0,), is_critical=False),
    "voice": Kind("onnx_models", "Voice", "voice activity, silero-vad 6.2.3", is_critical=False, is_sound=True),
    "pose": Kind(
        "mediapipe_models", "Pose", "pose detection and the full pose landmark model of mediapipe 0.10.21"),
    "facial-expression": Kind(
        "mediapipe_models", "Face",
        "face detection and face landmarks with attention of mediapipe 0.10.21; the expression is computed from them",
        is_critical=False),
}
