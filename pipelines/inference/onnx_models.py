"""Models of the packages rapidocr and silero-vad, run by onnxruntime. The code of the packages is not used."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy
import onnxruntime

import text_lines
from models import Picture

# A frame or a window counts if the model is at least this certain.
LEAST_CONFIDENCE = 0.5
# Height of the text lines for which the recognition model was trained, in pixels, and the largest width of a line.
LINE_HEIGHT, MOST_LINE_WIDTH = 48, 960
# Sides of pictures for the detection model are multiples of this number.
DETECTION_STEP = 32
# A frame of the voice model at 16 kHz, and the samples before it that the model receives again.
VOICE_FRAME, VOICE_CONTEXT = 512, 64
VOICE_STATE = (1, 1, 128)
# The newest frames of a window, a quarter of a second, decide whether someone speaks.
NEWEST_FRAMES = 8


def session(package: str, path: str) -> onnxruntime.InferenceSession:
    """Opens a model file of a package. The package is not imported."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"The package {package} is not installed; pipelines/inference/play installs it.")
    options = onnxruntime.SessionOptions()
    # Half of the processors are for the rest of the pipeline. Threads that spin while they wait would slow it down.
    options.intra_op_num_threads = max(1, (os.cpu_count() or 1) // 2)
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Without the arena, memory of an inference returns to the C library.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    file = Path(found.submodule_search_locations[0], path)
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def normalized(pixels: Any) -> Any:
    """Pixels from -1 to 1 in the order of the models of PP-OCR: blue, green, red; one plane each."""
    return (pixels[..., ::-1].astype(numpy.float32) / 127.5 - 1).transpose(2, 0, 1)[None]


class Text:
    """Finds lines of text, and reads up to `most_lines` of them, the largest first; 0 only finds them.

    `reduction` divides both sides of the picture in which lines are searched. They are read in the whole picture. Lines
    must be nearly horizontal.
    """

    def __init__(self, most_lines: float, reduction: float = 1) -> None:
        self._most_lines, self._reduction = int(most_lines), int(reduction)
        self._detector = session("rapidocr", "models/PP-OCRv6_det_small.onnx")
        self._reader: onnxruntime.InferenceSession | None = None
        if most_lines:
            self._reader = session("rapidocr", "models/PP-OCRv6_rec_small.onnx")
            characters = self._reader.get_modelmeta().custom_metadata_map["character"].splitlines()
            # Class 0 is the blank of the CTC alphabet. The space follows the characters of the file.
            self._alphabet = ["", *characters, " "]

    def run(self, picture: Picture) -> dict[str, Any]:
        pixels = numpy.frombuffer(picture.data, numpy.uint8).reshape(picture.height, picture.width, 3)
        boxes = self._find(pixels)
        sides = " ".join(",".join(map(str, box)) for box in boxes)
        result: dict[str, Any] = {"found": bool(boxes), "lines": len(boxes), "boxes": sides}
        if self._reader is not None:
            chosen = sorted(boxes, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), reverse=True)
            texts = {box: self._read(pixels[box[1]:box[3], box[0]:box[2]]) for box in chosen[:self._most_lines]}
            # One line for each box, so that a reader of the message can assign texts to boxes.
            result["text"] = "\n".join(texts.get(box, "") for box in boxes)
        return result

    def _find(self, pixels: Any) -> list[text_lines.Box]:
        small = text_lines.reduced(pixels, self._reduction)
        height, width = small.shape[:2]
        padding = ((0, -height % DETECTION_STEP), (0, -width % DETECTION_STEP), (0, 0))
        shares = self._detector.run(None, {"x": normalized(numpy.pad(small, padding))})[0][0, 0, :height, :width]
        return text_lines.boxes(shares, self._reduction)

    def _read(self, line: Any) -> str:
        width = min(max(round(line.shape[1] * LINE_HEIGHT / line.shape[0]), LINE_HEIGHT), MOST_LINE_WIDTH)
        shares = self._reader.run(None, {"x": normalized(text_lines.resized(line, LINE_HEIGHT, width))})[0][0]
        return text_lines.decode(shares, self._alphabet, LEAST_CONFIDENCE)

    def close(self) -> None:
        self._detector = self._reader = None


class Voice:
    """Detects speech in a window of 1 s of sound. The state of the model is new for each window."""

    def __init__(self) -> None:
        self._model = session("silero_vad", "data/silero_vad_16k_sequence.onnx")

    def run(self, picture: Picture) -> dict[str, Any]:
        samples = numpy.frombuffer(picture.data, "<i2").astype(numpy.float32) / 32768
        count = len(samples) // VOICE_FRAME
        # The newest samples are in the last frame. Each frame follows the last samples of the one before it.
        samples = numpy.concatenate([numpy.zeros(VOICE_CONTEXT, numpy.float32), samples[-count * VOICE_FRAME:]])
        frames = numpy.lib.stride_tricks.sliding_window_view(samples, VOICE_CONTEXT + VOICE_FRAME)[::VOICE_FRAME]
        state = numpy.zeros(VOICE_STATE, numpy.float32)
        shares = self._model.run(["speech_probs"], {"input": frames, "h": state, "c": state})[0]
        speech = float(shares[-NEWEST_FRAMES:].max())
        return {"found": speech >= LEAST_CONFIDENCE, "speech": speech}

    def close(self) -> None:
        self._model = None
