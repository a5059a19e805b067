"""Tests what pipelines/sendspin-play draws of the music, and how it shows the pairing token."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from noise import KeyPair
from server import ROLES, Connection, now
from websocket import PATIENCE, WebSocket

TOP = Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "pipelines"))

import lights  # noqa: E402
import pairing_code  # noqa: E402

SECOND = 1_000_000


def plain(rows: list[str]) -> list[str]:
    """Rows without their colours."""
    return [re.sub("\033\\[[0-9;]*m", "", row) for row in rows]


class PictureTest(unittest.TestCase):
    def test_bars_have_the_heights_of_their_levels(self) -> None:
        shown = lights.Lights()
        shown.take({"spectrum": bytes([0, 255, 128, 4])})
        rows = plain(shown.picture(9))
        self.assertEqual(len(rows), lights.HEIGHT)
        self.assertEqual(rows[0], "  ██    ")
        self.assertEqual(rows[4], "  ████  ")
        self.assertEqual(rows[7], "  ████▁▁")
        # A narrow terminal shows the lowest bands.
        self.assertEqual(plain(shown.picture(2))[7], " █")

    def test_loudness_is_shown_without_a_spectrum(self) -> None:
        shown = lights.Lights()
        shown.take({"loudness": 255})
        self.assertEqual(set(plain(shown.picture(6))), {"█" * 6})

    def test_bars_go_from_the_primary_colour_to_the_accent(self) -> None:
        shown = lights.Lights()
        shown.take({"spectrum": bytes(3)})
        shown.paint({"primary": 0x000000, "accent": 0x20FF00, "on-dark": 5})
        colours = re.findall("38;2;([0-9;]+)m", shown.picture(3)[0])
        self.assertEqual(colours, ["0;0;0", "16;128;0", "32;255;0"])
        shown.paint({})
        self.assertEqual(shown.colours, lights.COLOURS)

    def test_beats_flash_and_fade(self) -> None:
        shown = lights.Lights()
        flashes = []
        for fields in ({"downbeat": True}, {}, {}, {"downbeat": False}, {"peak": 255}, *[{}] * 20):
            shown.take(fields)
            flashes.append(shown.flash)
        self.assertEqual(flashes[0], 1)
        self.assertIn("38;2;255;255;255m", self.flashing().picture(1)[0])
        self.assertGreater(flashes[0], flashes[1])
        self.assertEqual((flashes[3], flashes[4]), (0.6, 0.5))
        self.assertLess(flashes[-1], 0.01)

    def flashing(self) -> lights.Lights:
        shown = lights.Lights()
        shown.take({"downbeat": True})
        return shown

    def test_lines_name_the_fields(self) -> None:
        self.assertEqual(
            lights.data_line({
                "running-time": 1_500_000_000, "loudness": 9, "downbeat": False, "frequency": 440, "frequency-level": 7,
                "peak": 3, "spectrum": bytes([0, 255])}), "1.500 s  loudness 9  beat  440 Hz 7  peak 3  | █|")
        self.assertEqual(lights.colours_line({"primary": 0x0102FF}), "-  colours  primary #0102ff")


class TokenTest(unittest.TestCase):
    TOKEN = "SP:0AAAQ"

    def library(self, matrix: list[list[bool]]) -> types.ModuleType:
        """A stand-in for the library, which may not be installed."""
        module = types.ModuleType("qrcode")
        module.constants = types.SimpleNamespace(ERROR_CORRECT_M=0)
        self.code = mock.Mock()
        self.code.get_matrix.return_value = matrix
        module.QRCode = mock.Mock(return_value=self.code)
        return module

    def test_code_contains_the_token_itself(self) -> None:
        matrix = [[True, False, True], [True, True, False], [False, False, True]]
        with mock.patch.dict(sys.modules, qrcode=self.library(matrix)):
            text = pairing_code.text(self.TOKEN, draws=True)
        self.code.add_data.assert_called_once_with(self.TOKEN)
        self.assertEqual(plain(text.splitlines()), ["█▄▀", "  ▀", self.TOKEN])

    def test_token_is_text_without_the_library_and_on_a_narrow_terminal(self) -> None:
        with mock.patch.dict(sys.modules, qrcode=None):
            text = pairing_code.text(self.TOKEN, draws=True)
        self.assertEqual(text.splitlines()[0], self.TOKEN)
        self.assertIn("python3-qrcode", text)
        with mock.patch.dict(sys.modules, qrcode=self.library([[True] * 45] * 45)):
            self.assertTrue(pairing_code.text(self.TOKEN, True, 44).startswith(self.TOKEN + "\n"))
            self.assertEqual(pairing_code.text(self.TOKEN, False), self.TOKEN)


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        folder = tempfile.TemporaryDirectory(prefix="sendspin-")
        self.addCleanup(folder.cleanup)
        self.printed = Path(folder.name, "printed")
        port = self.listener.getsockname()[1]
        with self.printed.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-B", TOP / "pipelines/sendspin-play.py", "--lights",
                 f"uri=sendspin://127.0.0.1:{port}", f"storage-folder={folder.name}/keys", "unpaired-access=always",
                 "audio-sink=fakesink sync=true", "visualizer-bands=2", "visualizer-rate=20"],
                stdout=output, stderr=subprocess.STDOUT)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.terminate)

    def connect(self) -> Connection:
        self.listener.settimeout(PATIENCE)
        websocket = WebSocket(self.listener.accept()[0], is_client=False)
        self.addCleanup(websocket.socket.close)
        websocket.accept()
        connection = Connection(websocket, KeyPair())
        connection.open()
        self.hello = connection.greet()
        connection.activate("playback", roles=[*ROLES, "color@v1", "visualizer@v1"])
        while not connection.state.get("available"):
            connection.receive()
        return connection

    def data(self, kind: int, time: int, data: bytes) -> bytes:
        return bytes([kind]) + time.to_bytes(8, "big", signed=True) + data

    def test_data_of_the_server_are_printed_with_their_times(self) -> None:
        connection = self.connect()
        self.assertEqual(self.hello["supported_roles"][-2:], ["color@v1", "visualizer@v1"])
        self.assertGreater(self.hello["visualizer@v1_support"]["buffer_capacity"], 0)
        request = connection.state["visualizer"]
        self.assertEqual((request["types"], request["rate_max"]), (["loudness", "beat", "peak", "spectrum"], 20))
        self.assertEqual(request["spectrum"]["n_disp_bins"], 2)
        connection.send("stream/start", server_transmitted=now(), visualizer={**request, "tracks_downbeats": True})
        # The player drops data that are late, such as by seconds on a busy machine.
        start = now() + 8 * SECOND
        for message in (
            self.data(16, start, b"\xff\xff"), self.data(17, start, b"\1"), self.data(19, start, b"\0\0\xff\xff"),
            self.data(16, start + SECOND // 10, b"\0\0"), self.data(20, start + SECOND, b"\x80"),
        ):
            connection.send_plaintext(message)
        connection.send("server/state", color={"timestamp": start + SECOND // 2, "primary": [1, 2, 255]})

        def lines() -> list[tuple[str, str]]:
            text = self.printed.read_text(encoding="utf-8")
            return re.findall(r"^([0-9.]+) s  (.*)$", text, re.MULTILINE)

        while len(lines()) < 4 and now() < start + 60 * SECOND:
            # Answers the time requests of the player.
            connection.fence()
        times, texts = zip(*lines())
        self.assertEqual(
            texts, ("loudness 255  downbeat  | █|", "loudness 0", "colours  primary #0102ff", "peak 128"))
        for time, expected in zip(times, (0, 0.1, 0.5, 1)):
            self.assertAlmostEqual(float(time) - float(times[0]), expected, delta=0.02)


if __name__ == "__main__":
    unittest.main()
