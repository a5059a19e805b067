"""Tests workers that the program starts on hosts with SSH."""

import json
import os
import subprocess
import tempfile
import unittest
from contextlib import suppress
from pathlib import Path
from unittest import mock

from support import LOSSLESS, PATIENCE, TOP, UNSHARE, Batch, frame_sums, poison, wait_until

_SSH = str(Path(__file__).parent / "ssh")
# Program that starts workers on hosts, and prints their addresses and the keys of the run.
_CONNECT = """
import json, sys
from render import remote
keys = remote._keys()
remote._keys = lambda: keys
connection = remote.connect(None, sys.argv[1:])
print(json.dumps([sorted(connection.workers()), keys]), flush=True)
sys.stdin.read()
connection.close()
"""
# Program that connects to hosts with a timeout of 1 s for the start of a worker.
_HURRY = """
import sys
from render import remote
from render.refusal import Refusal
remote._START_SECONDS = 1
try:
    remote.connect(None, sys.argv[1:])
except Refusal as refusal:
    sys.exit(str(refusal))
"""
# Program that connects to each port with a certificate and prints the number of received bytes (0 or 1).
_ASK = """
import json, os, socket, ssl, sys
certificate, ports = json.load(sys.stdin)
for host, port in ports:
    with socket.create_connection((host, port)) as peer:
        try:
            if certificate != "plain":
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                if certificate:
                    context.load_cert_chain(certificate)
                peer = context.wrap_socket(peer)
            else:
                peer.sendall(bytes(64))
            print(len(peer.recv(1)))
        except (ssl.SSLError, ConnectionError):
            print(0)
"""


# Error text if this system provides no network namespaces; 0 if it provides them.
_LINK = subprocess.run([*UNSHARE, "-n", "ip", "link", "add", "near", "type", "veth", "peer", "name", "far"],
                       capture_output=True, text=True)
_FAULT = _LINK.returncode and (_LINK.stderr.strip() or "unknown")


class HostTests(unittest.TestCase):
    """Uses the stand-in for asyncssh in the folder `ssh`. All its hosts are this machine."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)
        cls.batch.environment["PYTHONPATH"] += f":{_SSH}"
        cls.source = cls.batch.clip("short.mkv")
        cls.batch.environment["HOST_TESTS"] = cls.batch.environment["XDG_CACHE_HOME"] = str(cls.batch.folder)
        cls.addClassCleanup(wait_until, lambda: not cls.workers())

    @classmethod
    def workers(cls) -> list[Path]:
        """Files /proc/PID/environ of the processes that these tests have started and that have not ended."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if f"HOST_TESTS={cls.batch.folder}".encode() in entry.read_bytes():
                    found.append(entry)
        return found

    def setUp(self) -> None:
        self.output = self.batch.folder / f"{self.id().rpartition('.')[2]}.mkv"

    def run_on(self, hosts: str, *options: str, folder: Path | None = None) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["/usr/bin/python3", "-m", "render", self.source, self.output, "--ssh-hosts", hosts, "--filter", "identity",
             "--encoder", LOSSLESS, "--segment", "400ms", *options],
            env=self.batch.environment, capture_output=True, text=True, timeout=PATIENCE, cwd=folder)

    def test_hosts_render_a_film(self) -> None:
        run = self.run_on("localhost,127.0.0.1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("3 segments of 10 frames on 2 workers", run.stdout)
        self.assertEqual(frame_sums(self.output), frame_sums(self.batch.reference(self.source, filter_="identity")))

    def test_dry_run_examines_the_workers(self) -> None:
        run = self.run_on("localhost", "--dry-run")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("1 worker can render the film.", run.stdout)
        run = self.run_on("localhost,old.test", "--dry-run")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Not every machine can render the film", run.stderr)
        self.assertEqual(list(self.batch.folder.glob(self.output.stem + "*")), [])

    def test_hosts_import_nothing_from_the_current_folder(self) -> None:
        """Other users may write to the current folder.

        Like pipelines/batch, this test sets PYTHONSAFEPATH for the program on this machine.
        """
        folder = self.batch.folder / "poisoned"
        trace = poison(folder)
        with mock.patch.dict(self.batch.environment, PYTHONSAFEPATH="1"):
            run = self.run_on("localhost", "--dry-run", folder=folder)
        self.assertFalse(trace.exists())
        self.assertIn("1 worker can render the film.", run.stdout, run.stderr)

    def test_host_with_another_decoder_and_equal_pictures_is_used(self) -> None:
        options = ("--encoder", "vp8enc deadline=1 keyframe-max-dist=10")
        run = self.run_on("localhost,other.test", "--dry-run", *options)
        self.assertIn("2 workers can render the film.", run.stdout, run.stderr)
        run = self.run_on("localhost,other.test", *options)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("30 frames in 3 segments, verified", run.stdout)
        self.assertNotIn("Segment", run.stdout)

    def test_hosts_that_cannot_be_used_are_named(self) -> None:
        """One host rejects the key. Another host does not have the package distributed."""
        run = self.run_on("localhost,locked.test,bare.test")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("locked.test: Permission denied for user batch", run.stderr)
        self.assertIn("bare.test: Worker failed to start: No module named distributed", run.stderr)
        self.assertNotIn("localhost", run.stderr)
        self.assertNotIn("Traceback", run.stderr)
        self.assertEqual(list(self.batch.folder.glob(self.output.name + "*")), [])

    def test_hosts_that_hang_are_named(self) -> None:
        """One host does not respond. Another host starts a program that prints nothing. No process may remain."""
        run = subprocess.run(["/usr/bin/python3", "-c", _HURRY, "localhost", "silent.test", "hung.test"],
                             env=self.batch.environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 1, run.stderr)
        for host in ("silent.test", "hung.test"):
            self.assertIn(f"{host}: No worker has started within 1 s", run.stderr)
        wait_until(lambda: not self.workers())


@unittest.skipIf(_FAULT, f"this system provides no network namespaces: {_FAULT}")
class NetworkTests(unittest.TestCase):
    """Simulates the machine of the program and three hosts with network namespaces. Each host has its own network."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.machine = self.hold(*UNSHARE, "-n")
        user = ("--preserve-credentials", "-U") if "-r" in UNSHARE else ()
        self.enter = ("nsenter", *user, "-n", "-t", str(self.machine))
        self.inside(self.machine, "ip", "link", "set", "lo", "up")
        self.hosts = [self.add_host(number) for number in (1, 2, 3)]

    def hold(self, *command: str) -> int:
        """Starts a process that keeps a namespace open. Returns its id."""
        process = subprocess.Popen([*command, "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        process.stdout.readline()
        return process.pid

    def inside(self, machine: int, *command: str, text: str = "") -> str:
        run = subprocess.run([*self.enter, "nsenter", "-n", "-t", str(machine), *command], input=text, text=True,
                             capture_output=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def add_host(self, number: int) -> int:
        host = self.hold(*self.enter, "unshare", "-n")
        self.inside(self.machine, "ip", "link", "add", f"host-{number}", "type", "veth", "peer", "name", "near", "netns",
                    str(host))
        for machine, link, last in ((self.machine, f"host-{number}", 1), (host, "near", 2)):
            self.inside(machine, "ip", "address", "add", f"10.9.{number}.{last}/24", "dev", link)
            self.inside(machine, "ip", "link", "set", link, "up")
        self.inside(host, "ip", "link", "set", "lo", "up")
        self.inside(host, "ip", "route", "add", "default", "via", f"10.9.{number}.1")
        return host

    def listeners(self, machine: int) -> list[tuple[str, int]]:
        lines = self.inside(machine, "ss", "-ltnH").splitlines()
        pairs = [line.split()[3].rpartition(":") for line in lines]
        return [(host, int(port)) for host, _, port in pairs]

    def ask(self, certificate: str, ports: list[tuple[str, int]]) -> list[str]:
        """Number of bytes that each port sends to a peer with this certificate."""
        return self.inside(self.machine, "/usr/bin/python3", "-c", _ASK,
                           text=json.dumps([certificate, ports])).split()

    def certificate(self, keys: dict[str, str]) -> str:
        file = self.folder / f"{len(list(self.folder.iterdir()))}.pem"
        file.write_text(keys["tls_client_key"] + keys["tls_client_cert"])
        return str(file)

    def test_ports_accept_only_the_key_of_the_run(self) -> None:
        names = [f"10.9.{number}.2" for number in (1, 2, 3)]
        temporary = self.folder / "temporary"
        temporary.mkdir()
        environment = {**os.environ, "PYTHONPATH": f"{TOP / 'pipelines'}:{_SSH}", "TMPDIR": str(temporary),
                       "XDG_CACHE_HOME": str(temporary),
                       "HOST_PROCESSES": json.dumps(dict(zip(names, self.hosts)))}
        with subprocess.Popen([*self.enter, "/usr/bin/python3", "-c", _CONNECT, *names], env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            line = program.stdout.readline()
            self.assertTrue(line, program.stderr.read() if not line else "")
            workers, keys = json.loads(line)
            ports = self.listeners(self.machine)
            self.assertEqual([host for host, _ in ports], ["10.9.1.1"])
            for host, name in zip(self.hosts, names):
                found = self.listeners(host)
                self.assertEqual([address for address, _ in found], [name])
                ports += found
            self.assertEqual(workers, [f"tls://{host}:{port}" for host, port in ports[1:]])

            from render.remote import _keys

            self.assertEqual(self.ask(self.certificate(keys), ports), ["1"] * 4)
            for certificate in ("", "plain", self.certificate(_keys())):
                self.assertEqual(self.ask(certificate, ports), ["0"] * 4, certificate)
            self.assertEqual(self.places_of(b"PRIVATE KEY", temporary), [])
            program.stdin.close()
            self.assertEqual(program.wait(PATIENCE), 0, program.stderr.read())

    def places_of(self, text: bytes, folder: Path) -> list[Path]:
        """Files and processes that contain `text`. Only processes with this folder in their environment count."""
        found = [path for path in folder.rglob("*") if path.is_file() and text in path.read_bytes()]
        count = 0
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if str(folder).encode() in (environment := (entry / "environ").read_bytes()):
                    count += 1
                    if text in environment + (entry / "cmdline").read_bytes():
                        found.append(entry)
        self.assertGreaterEqual(count, 4)
        return found


if __name__ == "__main__":
    unittest.main()
