"""Pose and face models of mediapipe 0.10.21, which are files of its package; nothing is downloaded."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from typing import Any

from models import Picture

# The library writes a warning about each model it loads.
os.environ.setdefault("GLOG_minloglevel", "2")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def solution(name: str) -> types.ModuleType:
    """Imports mediapipe.python.solutions.`name` without the rest of the package.

    The `__init__` files of the package import every task and drawing library, which take seconds, 200 MB, and packages
    that pose and face do not need: jax, matplotlib, OpenCV. Empty parent packages replace them.
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
    """Finds the pose of one person: 33 landmarks. The detector runs only while no person is tracked."""

    def __init__(self) -> None:
        # A complexity of 1 is the full model, the only one in the package.
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
    """Finds one face: 478 landmarks, and from their distances how far the mouth is open, its width, and the brows."""

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

        # Corners of the face and of the mouth, lips, brow and eye, by their numbers in the mesh.
        width, height = max(distance(234, 454), 1e-6), max(distance(10, 152), 1e-6)
        return {
            "found": True, "mouth-open": distance(13, 14) / height, "mouth-width": distance(61, 291) / width,
            "brows": distance(105, 159) / height,
        }

    def close(self) -> None:
        self._graph.close()
