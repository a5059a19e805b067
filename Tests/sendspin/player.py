"""An application with a player in its own process. It reads its bus only when a test requests the messages.

    player.py LINE

The application reads requests as JSON lines, and writes one answer for each request.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable

sys.path.append(str(Path(__file__).resolve().parents[1]))

from patience import PATIENCE  # noqa: E402


class Player:
    """The process of a pipeline with `sendspinsrc name=p` and a `fakesink`."""

    def __init__(self, properties: str, folder: str | None = None) -> None:
        self.folder = folder or tempfile.mkdtemp(prefix="sendspin-")
        self.owns_folder = folder is None
        line = f"sendspinsrc name=p storage-folder={self.folder} {properties} ! fakesink sync=false"
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            # malloc_trim() returns only the free memory of the main arena, so permit no other arena.
            env={**os.environ, "MALLOC_ARENA_MAX": "1"})

    def ask(self, what: str, *arguments: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps([what, *arguments]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f"the application has ended with {self.process.wait()}")
        return json.loads(answer)

    def stop(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        if self.owns_folder:
            shutil.rmtree(self.folder)
        if status != 0:
            raise AssertionError(f"the application has ended with {status}")

    def set_state(self, state: str) -> None:
        self.ask("state", state)

    # Questions

    def statistic(self, name: str) -> Any:
        """A field of the property `stats`; None if the field is absent."""
        return self.ask("statistic", name)

    def played(self) -> int:
        """Number of chunks that have left the player."""
        return self.statistic("played")

    def memory(self) -> int:
        """Resident memory in kB."""
        return self.ask("memory")

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def volume(self) -> tuple[int, bool]:
        return self.ask("get", "volume"), self.ask("get", "mute")

    def messages(self, kind: str = "") -> list[str]:
        """The messages since the last call, as texts that begin with their kind. Omits messages of other kinds."""
        return [text for text in self.ask("messages") if text.startswith(kind)]

    def token(self) -> bytes:
        """The identity and the pairing key, decoded from the pairing token."""
        text = self.ask("emit", "get-pairing-token")
        assert text.startswith("SP:0"), text
        return base64.b32decode(text[4:].replace("9", "2") + "=")

    def paired(self) -> list[str]:
        """Identities of the paired servers."""
        return re.findall(r"([\w-]{43})=", self.ask("emit", "list-pairings"))

    def wait_for(self, *parts: str) -> str:
        """Waits for a message that contains all parts, and returns it. Discards other messages."""
        received: list[str] = []

        def found() -> list[str]:
            received.extend(self.messages())
            return [text for text in received if all(part in text for part in parts)]

        self.wait(lambda: bool(found()), lambda: f"no message with {parts} among {received}")
        return found()[0]

    def wait(
        self, condition: Callable[[], bool], problem: Callable[[], str] = lambda: "the condition did not become true",
    ) -> None:
        for _ in range(PATIENCE * 50):
            if condition():
                return
            threading.Event().wait(0.02)
        raise AssertionError(problem())


def resident_kilobytes() -> int:
    """Resident memory in kB, without freed memory that malloc keeps in the only arena of this process."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def main() -> None:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init(None)
    pipeline = Gst.parse_launch(sys.argv[1])
    player = pipeline.get_by_name("p")

    def messages() -> list[str]:
        texts = []
        while message := pipeline.get_bus().pop():
            if message.type in (Gst.MessageType.WARNING, Gst.MessageType.ERROR, Gst.MessageType.INFO):
                name = Gst.MessageType.get_name(message.type)
                error, _ = getattr(message, f"parse_{name}")()
                texts.append(f"{name}: {error.message}")
            else:
                structure = message.get_structure()
                texts.append(f"{Gst.MessageType.get_name(message.type)}: {structure.to_string() if structure else ''}")
        return texts

    def emit(name: str, *arguments: Any) -> Any:
        result = player.emit(name, *arguments)
        return result.to_string() if isinstance(result, Gst.Structure) else result

    def statistic(name: str) -> Any:
        stats = player.get_property("stats")
        return stats.get_value(name) if stats.has_field(name) else None

    actions: dict[str, Callable[..., Any]] = {
        "messages": messages, "emit": emit, "memory": resident_kilobytes, "statistic": statistic,
        "get": player.get_property, "set": lambda name, value: Gst.util_set_object_arg(player, name, value),
        "state": lambda name: int(pipeline.set_state(getattr(Gst.State, name))),
    }
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        print(json.dumps(actions[what](*arguments)), flush=True)
    pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
