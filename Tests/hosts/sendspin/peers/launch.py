"""Starts the server and the players in separate processes."""

import json
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
TOP = HERE.parents[2]
LINE = ("sendspinsrc name=src uri={uri} codecs={codecs} client-name={name} ! decodebin ! audioconvert "
        "! sendspinsync name=sync ! audioconvert ! {dac}")
PLAY_LINE = 'sendspinplay name=src uri={uri} codecs={codecs} client-name={name} audio-sink="{dac}"'


def free_port() -> int:
    """Returns a free port. The port with the number 1000 higher is also free, for a server behind a relay."""
    while True:
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            if port < 64000:
                try:
                    other.bind(("127.0.0.1", port + 1000))
                    return port
                except OSError:
                    pass


def environment(folder: pathlib.Path, **values: str) -> dict[str, str]:
    """Environment with the built plugins, the virtual DAC, and a private home for the identity of the player."""
    dac = TOP / "out" / "virtualdac"
    if not (dac / "libgstvirtualdac.so").exists():
        subprocess.run([HERE / "build-virtualdac", dac], check=True)
    plugins = os.environ.get("SENDSPIN_PLUGIN_PATH", str(TOP / "out" / "plugin"))
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "GST_PLUGIN_PATH": f"{plugins}:{dac}", "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"), "GST_REGISTRY": str(folder.parent / "registry.bin"), **values}


class Process:
    def __init__(self, command: list[str], folder: pathlib.Path, name: str, **options) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.command, self.log = command, folder / f"{name}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **options)

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_running(self) -> bool:
        return self.process.poll() is None

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def stop(self, timeout: float = 15) -> int:
        """Sends SIGINT, as Ctrl-C does. Returns the exit status."""
        if self.is_running():
            self.process.send_signal(signal.SIGINT)
        return self.wait(timeout)

    def wait(self, timeout: float) -> int:
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return -9

    def wait_for(self, condition, timeout: float) -> bool:
        end = time.monotonic() + timeout
        while not condition(self):
            if time.monotonic() > end or not self.is_running():
                return condition(self)
            self.run_for(0.05)
        return True

    def events(self, name: str | None = None) -> list[dict]:
        """Returns the JSON lines that the process has printed."""
        result = []
        for line in self.text().splitlines():
            if line.startswith("{") and line.endswith("}"):
                event = json.loads(line)
                if name in (None, event["event"]):
                    result.append(event)
        return result

    def run_for(self, seconds: float) -> bool:
        """Lets the process run for `seconds`. Returns whether it is still running."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False


class Server(Process):
    def __init__(self, folder: pathlib.Path, *arguments: str, port: int | None = None) -> None:
        self.port = port or free_port()
        command = [sys.executable, str(HERE / "server"), "--port", str(self.port), *map(str, arguments)]
        super().__init__(command, folder, "server")
        if not self.wait_for(lambda one: one.events("listening"), 90):
            raise RuntimeError(f"the server did not start:\n{self.text()}")

    @property
    def uri(self) -> str:
        return f"sendspin://127.0.0.1:{self.port}"

    def problems(self) -> list[str]:
        return [event["text"] for event in self.events() if event["event"] in ("violation", "error")]


def virtual_dac(recording: pathlib.Path, ppm: float = 0, properties: str = "") -> str:
    """Part of a launch line: a virtual DAC that writes its recording."""
    # sendspinsync sets the same latency-time in alsasink and pulsesink.
    return (f"virtualdac latency-time=40000 buffer-time=200000 monotonic-raw=true ppm={ppm} "
            f"log-location={recording} {properties}")


class Player(Process):
    """gst-launch-1.0 with a virtual DAC that writes its recording to `recording`.

    With `actions`, or with an interval for statistics, the program `player` plays the line instead.
    """

    def __init__(self, folder: pathlib.Path, name: str, uri: str, codecs: str = "flac", ppm: float = 0,
                 line: str = LINE, dac: str = "", actions: tuple[str, ...] = (), stats: float = 0,
                 after: str = "") -> None:
        self.recording = folder / f"{name}.csv"
        text = line.format(uri=uri, codecs=codecs, name=name, dac=virtual_dac(self.recording, ppm, dac))
        command = ["gst-launch-1.0", *shlex.split(text)]
        if actions or stats:
            command = ["/usr/bin/python3", str(HERE / "player"), "--stats", str(stats), text]
            command[2:2] = [part for action in actions for part in ("--do", action)] + ["--after", after]
        super().__init__(command, folder, name, env=environment(folder / name))

    def is_playing(self) -> bool:
        """Whether the virtual DAC has recorded the first frame of the signal."""
        return self.recording.exists() and ",sample," in self.recording.read_text()[:100_000]

    def wait_until_playing(self, timeout: float = 40) -> bool:
        return self.wait_for(Player.is_playing, timeout)
