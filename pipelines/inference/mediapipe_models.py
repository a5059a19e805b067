"""Pose and face models of mediapipe 0.10.21. The package contains the model files, so nothing is downloaded."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from typing import Any

from models import Picture

# Suppress the warnings that the library prints for each loaded model.
os.environ.setdefault("GLOG_minloglevel", "2")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def solution(name: str) -> types.ModuleType:
    """Imports mediapipe.python.solutions.`name` without the rest of the package.

    Empty parent packages replace the `__init__` files of the package. These files would import all task and drawing
    libraries, which takes seconds and 200 MB, and requires the unused packages jax, matplotlib and OpenCV.
    """
    if "mediapipe" not in sys.modules:
        found = importlib.util.find_spec("mediapipe")
        if found is None or not found.submodule_search_locations:
            raise ImportError("The package mediapipe is not installed; pipelines/inference/play installs it.")
        folder = found.submodule_search_locations[0]
        for package, path in (("mediapipe", folder), ("mediapipe.python.solutions", f"{folder}/python/solutions")):
            stub = types.ModuleType(package)
            stub.__path__ = [path]
            sys.modules[package] = stub
    return importlib.import_module(f"mediapipe.python.solutions.{name}")


def array(picture: Picture) -> Any:
    import numpy

    return numpy.frombuffer(picture.data, numpy.uint8).reshape(picture.height, picture.width, 3)


class Pose:
    """Finds the pose of one person, as 33 landmarks. The detector runs only while no person is tracked."""

    def __init__(self) -> None:
        # Complexity 1 selects the full model. The package contains no other pose model.
        self._graph = solution("pose").Pose(model_complexity=1, enable_segmentation=False)

    def run(self, picture: Picture) -> dict[str, Any]:
        found = self._graph.process(array(picture)).pose_landmarks
        if found is None:
            return {"found": False}
        visible = [point for point in found.landmark if point.visibility > 0.5]
        return {"found": True, "visible": len(visible), "nose-x": found.landmark[0].x, "nose-y": found.landmark[0].y}

    def close(self) -> None:
        self._graph.close()


class Face:
    """Finds one face, as 478 landmarks. Computes mouth opening, mouth width and brow height from their distances."""

    def __init__(self) -> None:
        self._graph = solution("face_mesh").FaceMesh(max_num_faces=1, refine_landmarks=True)

    def run(self, picture: Picture) -> dict[str, Any]:
        faces = self._graph.process(array(picture)).multi_face_landmarks
        if not faces:
            return {"found": False}
        points = faces[0].landmark

        def distance(one: int, other: int) -> float:
            across = (points[one].x - points[other].x) * picture.width
            down = (points[one].y - points[other].y) * picture.height
            return (across**2 + down**2) ** 0.5

        # The numbers are indices of landmarks in the mesh: edges of the face, lips, corners of the mouth, brow and eye.
        width, height = max(distance(234, 454), 1e-6), max(distance(10, 152), 1e-6)
        return {
            "found": True, "mouth-open": distance(13, 14) / height, "mouth-width": distance(61, 291) / width,
            "brows": distance(105, 159) / height,
        }

    def close(self) -> None:
        self._graph.close()
