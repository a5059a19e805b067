"""Stores results, so that an interrupted benchmark can continue later."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[3]
FOLDER = TOP / "out" / "batch"


class Store:
    """A file of results by name. A change of the program, the plugin or the processors discards all results."""

    def __init__(self, is_fresh: bool) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._path = FOLDER / "results.json"
        self._key = _key()
        self._values: dict[str, Any] = {}
        if not is_fresh and self._path.exists():
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if content["key"] == self._key:
                self._values = content["values"]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[name] = value
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps({"key": self._key, "values": self._values}, indent=1), encoding="utf-8")
        part.replace(self._path)


def _key() -> str:
    """Checksum of the set of available processors, and the files of pipelines/render, this benchmark and the plugin."""
    digest = hashlib.sha256(str(sorted(os.sched_getaffinity(0))).encode())
    files = sorted((TOP / "pipelines" / "render").rglob("*.py")) + sorted(Path(__file__).parent.glob("*.py"))
    for folder in os.environ.get("GST_PLUGIN_PATH", "").split(":"):
        files += sorted(Path(folder).glob("libgstswiftvideo.so")) if folder else []
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
