"""Tests the services of gst-sendspin-player in a container that systemd boots. Tests/hosts/service runs this program.

    service.py ROOT

The tests discard all changes of the system in ROOT. The process enters the network of the container, where it is the
server that plays.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path += [str(TOP / "Tests/sendspin"), str(TOP / "Tests")]
os.environ.setdefault("GST_PLUGIN_PATH", str(TOP / "out/plugin"))

import test_service  # noqa: E402
import waiting  # noqa: E402
from patience import PATIENCE  # noqa: E402
from server import Connection  # noqa: E402

ROOT = Path(sys.argv[1])
SERVICE = "gst-sendspin-player"
PORT = 8927
PATHS = "PATH=/usr/sbin:/usr/bin"
AS_ANN = ["runuser", "-u", "ann", "--", "env", "XDG_RUNTIME_DIR=/run/user/1000"]


class ContainerTest(unittest.TestCase):
    serve, connect, check_ready, start_server = (
        test_service.ServiceTest.serve, test_service.ServiceTest.connect, test_service.ServiceTest.check_ready,
        test_service.ServiceTest.setUp)

    def setUp(self) -> None:
        self.start_server()
        with open(self.home / "log", "wb") as log:
            self.container = subprocess.Popen(
                ["systemd-nspawn", f"--directory={ROOT}", "--volatile=overlay", "--register=no", "--keep-unit",
                 "--private-network", "--boot", "--console=pipe"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(self.end)
        is_running = waiting.until(
            lambda: self.leader and self.system("systemctl", "is-system-running").strip() == "running", PATIENCE)
        self.assertTrue(is_running, (self.home / "log").read_text(errors="replace"))
        with open(f"/proc/{self.leader}/ns/net", encoding="ascii") as network:
            self.assertEqual(ctypes.CDLL(None).setns(network.fileno(), 0), 0)
        self.configure(f"uri = sendspin://127.0.0.1:{PORT}")

    @property
    def leader(self) -> str:
        """Process 1 of the container, or an earlier one while the container starts."""
        pid = self.container.pid
        return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").strip()

    def end(self) -> None:
        self.container.terminate()
        try:
            self.container.wait(60)
        finally:
            self.container.kill()

    def wait(self, is_true, problem: str) -> None:
        self.assertTrue(waiting.until(is_true, PATIENCE), problem)

    def system(self, *command: str) -> str:
        """Runs a command in the container, and returns its output."""
        return subprocess.run(
            ["nsenter", "--target", self.leader, "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--",
             "chroot", "/proc/1/root", "env", "--ignore-environment", PATHS, "LC_ALL=C.UTF-8", *command],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False).stdout

    def configure(self, *lines: str) -> None:
        """Adds lines to the file of the package."""
        self.system("sh", "-c", 'printf "%s\\n" "$@" >>/etc/sendspin-play.conf', "sh", *lines)

    def show(self, name: str) -> str:
        return self.system("systemctl", "show", "--property", name, "--value", SERVICE).strip()

    def journal(self) -> str:
        return self.system("journalctl", "--output=cat", f"--unit={SERVICE}")

    def play(self) -> Connection:
        connection = self.check_ready()
        connection.start_stream()
        connection.send_chunks(8)
        return connection

    def check_goodbye(self, connection: Connection) -> None:
        kind, payload = "", {}
        while kind != "client/goodbye":
            kind, payload = connection.receive()
        self.assertEqual(payload["reason"], "shutdown")

    def test_the_system_starts_and_stops_the_player_without_privileges(self) -> None:
        self.serve(PORT)
        self.configure('audio-sink = alsasink device="null"')
        self.system("systemctl", "enable", "--now", SERVICE)
        connection = self.play()
        self.wait(lambda: "\nplaying " in self.journal(), "no stream")
        status = self.system("cat", f"/proc/{self.show('MainPID')}/status")
        for line in (r"NoNewPrivs:\t1", r"Seccomp:\t2", r"CapBnd:\t0+", r"Uid:(\t[1-9][0-9]*){4}"):
            self.assertRegex(status, f"(?m)^{line}$")
        token = "/run/gst-sendspin-player/pairing-token"
        self.assertRegex(self.system("cat", token), "^SP:0")
        self.assertIn("Permission denied", self.system(*AS_ANN, "cat", token))
        self.system("systemctl", "poweroff")
        self.check_goodbye(connection)
        self.container.wait(PATIENCE)

    def test_the_player_survives_kills(self) -> None:
        self.serve(PORT)
        self.configure("audio-sink = fakesink sync=true")
        self.system("sh", "-c", 'mkdir -p "$0" && printf "[Service]\\nRestartSec=0\\n" >"$0/now.conf"',
                    f"/run/systemd/system/{SERVICE}.service.d")
        self.system("systemctl", "daemon-reload")
        self.system("systemctl", "start", SERVICE)
        clients = set()
        for _ in range(test_service.KILLS):
            connection = self.play()
            clients.add(connection.client)
            self.system("systemctl", "kill", "--signal=KILL", SERVICE)
        clients.add(self.play().client)
        self.assertEqual(len(clients), 1)
        self.assertEqual(self.show("NRestarts"), str(test_service.KILLS))

    def test_a_wrong_setting_is_not_tried_again(self) -> None:
        self.configure("output-delay = 120")
        self.system("systemctl", "start", SERVICE)
        self.wait(lambda: self.show("ActiveState") == "failed", "the service does not fail")
        self.assertEqual((self.show("NRestarts"), self.show("ExecMainStatus")), ("0", str(os.EX_CONFIG)))
        self.assertRegex(self.journal(), r'(?m)^/etc/sendspin-play.conf:\d+: output-delay: "120" is not permitted;')

    def test_the_player_starts_before_network_and_avahi(self) -> None:
        self.system("sed", "-i", "/^uri/d", "/etc/sendspin-play.conf")
        self.configure("audio-sink = fakesink sync=true")
        avahi = ["avahi-daemon.socket", "avahi-daemon.service"]
        self.system("systemctl", "mask", "--now", *avahi)
        self.system("ip", "link", "set", "lo", "down")
        self.system("systemctl", "start", SERVICE)
        self.wait(lambda: test_service.NO_AVAHI in self.journal(), "no message about avahi-daemon")
        self.system("sh", "-c", 'printf "%s" "$1" >/etc/avahi/services/cellar.service', "sh",
                    test_service.ANNOUNCEMENT.format(PORT))
        self.system("systemctl", "unmask", *avahi)
        self.system("systemctl", "start", *avahi)
        self.system("ip", "link", "set", "lo", "up")
        self.serve(PORT)
        connection = self.play()
        self.system("systemctl", "restart", *avahi)
        connection.websocket.socket.close()
        self.play()

    def test_the_service_of_a_user_plays_with_the_sound_server(self) -> None:
        self.serve(PORT)
        self.system("loginctl", "enable-linger", "ann")
        manager = [*AS_ANN, "systemctl", "--user"]
        self.wait(lambda: self.system(*manager, "is-system-running").strip() == "running", "no user manager")
        self.system(*AS_ANN, "pactl", "load-module", "module-null-sink", "sink_name=speakers")
        listed = self.system(*AS_ANN, "sendspin-play", "--list-devices")
        self.assertRegex(listed, "(?m)^    audio-sink = pulsesink device=speakers$")
        self.system(*manager, "enable", "--now", SERVICE)
        connection = self.play()
        self.wait(lambda: re.search("48000Hz", self.system(*AS_ANN, "pactl", "list", "sink-inputs")), "no sound")
        self.system(*manager, "stop", SERVICE)
        self.check_goodbye(connection)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
