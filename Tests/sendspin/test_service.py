"""Tests pipelines/sendspin-play.py as a service: its settings, messages, signals and files."""

from __future__ import annotations

import base64
import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable
from unittest import mock

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from noise import KeyPair  # noqa: E402
from server import Connection  # noqa: E402
from websocket import Closed, WebSocket  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
sys.path += [str(TOP / "Tests"), str(TOP / "pipelines")]

import configuration  # noqa: E402
import devices  # noqa: E402
from output import Mistake  # noqa: E402
from patience import PATIENCE  # noqa: E402

PROGRAM = TOP / "pipelines/sendspin-play.py"
PACKAGED = TOP / "plugin-build/player/sendspin-play.conf"
SINK = "audio-sink=fakesink sync=true"
# A configuration of ALSA that has only a device with the name of PipeWire's plugin.
PIPEWIRE = "pcm.pipewire { @args [ NODE ] @args.NODE { type string default none } type null }\n"
# No server of the tests has this port.
NOBODY = "uri=sendspin://127.0.0.1:1"
KILLS = 100
# The user outside of the namespaces of a test.
IN_NAMESPACE = "SENDSPIN_TEST_NAMESPACE"
NO_AVAHI = "avahi-daemon or the D-Bus system bus does not run."
BUS = """<busconfig>
  <type>session</type>
  <listen>{}</listen>
  <policy context="default"><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
</busconfig>"""
AVAHI = """[server]
allow-interfaces=lo
[publish]
publish-hinfo=no
publish-workstation=no
"""
ANNOUNCEMENT = """<service-group>
  <name>Cellar</name>
  <service><type>_sendspin-server._tcp</type><port>{}</port><txt-record>path=/sendspin</txt-record></service>
</service-group>"""


def isolated(test: Callable[[ServiceTest], None]) -> Callable[[ServiceTest], None]:
    """Runs a test in a network namespace, whose only interface is down, and a mount namespace of its own."""
    @functools.wraps(test)
    def run(case: ServiceTest) -> None:
        if IN_NAMESPACE in os.environ:
            return test(case)
        enter = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--net", "--mount"]
        if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode != 0:
            case.skipTest("This system forbids namespaces.")
        subprocess.run([*enter, sys.executable, "-B", __file__, case.id().removeprefix("__main__.")], check=True,
                       timeout=PATIENCE, env={**os.environ, IN_NAMESPACE: str(os.geteuid())})
    return run


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="service-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.identity = KeyPair()
        Gst.init(None)

    # Programs and servers

    def serve(self, port: int = 0) -> str:
        """Starts to listen, and returns the setting with the address of the server."""
        self.listener = socket.create_server(("127.0.0.1", port))
        self.addCleanup(self.listener.close)
        self.listener.settimeout(PATIENCE)
        return f"uri=sendspin://127.0.0.1:{self.listener.getsockname()[1]}"

    def connect(self) -> Connection:
        """A connection after its upgrade. Ignores connections of players that have been killed."""
        while True:
            accepted = self.listener.accept()[0]
            self.addCleanup(accepted.close)
            with suppress(Closed, OSError):
                websocket = WebSocket(accepted, is_client=False)
                websocket.accept()
                return Connection(websocket, self.identity)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Starts the program with folders of its own, and without a file unless `arguments` name one."""
        variables = options.pop("variables", {})
        process = subprocess.Popen(
            [sys.executable, "-B", PROGRAM, *arguments], text=True, env={
                **os.environ, "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config"),
                "XDG_DATA_HOME": str(self.home / "data"), **variables},
            **({"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} | options))
        self.addCleanup(self.end, process)
        return process

    def end(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait(PATIENCE)
        if process.stdout:
            process.stdout.close()

    def answer(self, *arguments: str) -> tuple[int, str]:
        """The exit status of a program that ends by itself, and its output."""
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, output

    def file(self, text: str | bytes, name: str = "player.conf") -> str:
        file = self.home / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(file)

    def lines_until(self, process: subprocess.Popen[str], *parts: str) -> list[str]:
        """The lines up to the first one that contains one of the parts."""
        lines: list[str] = []
        assert process.stdout
        while not lines or not any(part in lines[-1] for part in parts):
            lines.append(process.stdout.readline())
            self.assertNotEqual(lines[-1], "", f"the program has ended after {lines}")
        return lines

    # Settings

    def test_an_argument_precedes_the_file_which_precedes_the_default(self) -> None:
        uri = self.serve()
        text = "# Settings of the test\n\nclient-name = From # the file\noutput-delay = 120 ms\nlog-level = error\n"
        own, empty = self.file(text), self.file("", "empty.conf")
        for number, (arguments, name, delay) in enumerate((
                (["--config", empty], socket.gethostname(), 0),
                (["--config", own], "From # the file", 120),
                (["--config", own, "client-name=Line", "output-delay=0.05s"], "Line", 50),
                (["--config", own, "output-delay=70000000"], "From # the file", 70),
                ([], "In the folder", 0))):
            if not arguments:
                self.file("client-name = In the folder\n", "config/sendspin-play.conf")
            with self.subTest(arguments=arguments):
                process = self.start(*arguments, uri, SINK, f"storage-folder={self.home}/{number}")
                connection = self.connect()
                connection.open()
                self.assertEqual(connection.greet()["name"], name)
                connection.become_ready()
                self.assertEqual(connection.state["player"]["output_delay_ms"], delay)
                self.end(process)

    def test_a_wrong_setting_is_one_message_with_its_line_and_what_is_allowed(self) -> None:
        delay = "a time from 0 to 5 s, such as 120 ms"
        for line, allowed in (
                ("mute = maybe", "one of true, yes, on, false, no, off"),
                ("unpaired-access = 7", "one of until-paired, never, always"),
                ("log-level = loud", "one of error, warning, info, debug"),
                ("output-delay = 120", delay), ("output-delay = 5001 ms", delay), ("output-delay = never", delay),
                ("idle-timeout = -1 s", "a time such as 10 s, or never"),
                (f"idle-timeout = {'9' * 5000} s", "a time such as 10 s, or never"),
                ("volume-curve = 9", "1 to 4"), ("volume-curve = nan", "1 to 4"),
                ("buffer-capacity = 4.5", "65536 to 67108864"),
                (f"buffer-capacity = {'9' * 5000}", "65536 to 67108864")):
            key, _, value = line.partition(" = ")
            self.check_refusal(line, f':1: {key}: "{value}" is not permitted; the value is {allowed}.')
        unknown = "there is no such setting; the settings are allow-unencrypted, audio-sink, buffer-capacity, " \
            "client-name, codecs, color, idle-timeout, listen-address, log-level, mute, output-delay, " \
            "pairing-code, storage-folder, unpaired-access, uri, visualizer, visualizer-bands, visualizer-rate, volume, volume-curve."
        for text, message in (
                ("clinet-name = Kitchen", f":1: clinet-name: {unknown}"),
                ("# a comment\n\nname = player", f":3: name: {unknown}"),
                ("stats = 1", f":1: stats: {unknown}"),
                ("[player]", ':1: "[player]" is neither KEY = VALUE nor a comment, which begins with #.'),
                ("client-name =", ":1: client-name: there is no value; write # before the line for the default."),
                ("mute = yes\nmute = no", ":2: mute: the key is already set in {file}:1; remove one of the lines."),
                (b"client-name = \xff", " is not a text in UTF-8."),
                ("client-name = Kit\0chen", " is not a text in UTF-8."),
                ("#" * 65_537, " is larger than 65536 bytes, so it is not a file of settings.")):
            self.check_refusal(text, message)
        missing = self.home / "missing.conf"
        with self.assertRaisesRegex(Mistake, f"^{missing} cannot be read: No such file or directory.$"):
            configuration.read(missing)
        with self.assertRaisesRegex(Mistake, '^volume: "loud" is not permitted; the value is 0 to 10.$'):
            player = Gst.ElementFactory.make("sendspinplay")
            configuration.Configuration(player, configuration.arguments(["volume=loud"]))

    def check_refusal(self, text: str | bytes, message: str) -> None:
        with self.subTest(text=text[:40]):
            file = self.file(text)
            with self.assertRaises(Mistake) as refusal:
                configuration.Configuration(
                    Gst.ElementFactory.make("sendspinplay"), configuration.read(Path(file)))
            self.assertEqual(str(refusal.exception), file + message.replace("{file}", file))

    def test_the_program_ends_with_one_message_about_a_wrong_setting(self) -> None:
        """The first error is that of the program, and the others are those of the player."""
        for text, message in (
                ("\nmute = 2", ':2: mute: "2" is not permitted; the value is one of true, yes, on, false, no, off.'),
                ("uri = http://x",
                 ':1: uri: "http://x" is not the address of a server, such as sendspin://192.168.1.5:8927.'),
                ("listen-address = host:x",
                 ':1: listen-address: "host:x" is not an address at which servers can connect, such as 0.0.0.0:8928.'),
                ("codecs = mp3",
                 ':1: codecs: "mp3" must be a list of flac, opus and pcm with flac or pcm in it, which servers '
                 "require."),
                ("audio-sink = nosuchsink",
                 ':1: audio-sink: "nosuchsink" is not an audio sink: check its elements and properties.')):
            with self.subTest(text=text):
                file = self.file(text)
                # autoaudiosink tries sinks that print messages.
                sink = [] if text.startswith("audio-sink") else [SINK]
                self.assertEqual(self.answer("--config", file, *sink), (os.EX_CONFIG, f"{file}{message}\n"))

    def test_the_packaged_file_contains_the_settings_with_their_defaults(self) -> None:
        text = PACKAGED.read_text(encoding="utf-8")
        self.assertEqual(configuration.read(PACKAGED), [])
        settings = configuration.read(Path(self.file(re.sub("(?m)^#(?=[a-z-]+ = )", "", text))))
        keys = {setting.key for setting in settings}
        self.assertGreaterEqual(
            keys, {"client-name", "audio-sink", "output-delay", "volume-curve", "unpaired-access", "log-level"})
        player, default = (Gst.ElementFactory.make("sendspinplay") for _ in range(2))
        self.assertEqual(configuration.Configuration(player, settings).level, configuration.LEVELS["info"])
        # These lines are examples.
        for key in keys - {"client-name", "uri", "listen-address", "log-level"}:
            self.assertEqual(player.get_property(key), default.get_property(key), key)
        self.assertEqual(player.get_property("client-name"), "Kitchen")

    # Devices

    def test_devices_are_listed_as_settings(self) -> None:
        class Device:
            def __init__(self, factory: str, **properties: str) -> None:
                self.factory, self.properties = factory, properties

            def get_display_name(self) -> str:
                return f"the device of {self.factory}"

            def get_properties(self) -> None:
                return None

            def create_element(self, _name: None) -> Gst.Element:
                sink = Gst.ElementFactory.make(self.factory)
                for name, value in self.properties.items():
                    sink.set_property(name, value)
                return sink

        # GstAudioBaseSink is the class of pulsesink, and not of fakesink.
        found = devices.lines(
            [Device("pulsesink", device='usb "speakers"'), Device("fakesink"), Device("alsasink", device="hw")])
        self.assertEqual(found, [
            "the device of pulsesink", '    audio-sink = pulsesink device="usb \\"speakers\\""',
            "the device of alsasink", "    audio-sink = alsasink device=hw"])
        player = Gst.ElementFactory.make("sendspinplay")
        configuration.Configuration(player, configuration.read(Path(self.file(found[1]))))
        sink = Gst.parse_launch(player.get_property("audio-sink"))
        self.assertEqual(sink.get_property("device"), 'usb "speakers"')
        with self.assertRaisesRegex(Mistake, "There is no audio output, or another program uses it."):
            devices.lines([Device("fakesink")])

    def test_an_output_of_pipewire_is_that_of_its_plugin_for_alsa(self) -> None:
        """The clock of pulsesink is wrong there. Without the plugin, it is the output all the same."""
        device = mock.Mock()
        device.get_display_name.return_value = "Speakers"
        device.create_element.side_effect = lambda _: Gst.parse_launch("pulsesink device=alsa_output.usb-1.stereo")
        device.get_properties.return_value = Gst.Structure.from_string("properties, object.serial=(string)30")[0]
        pulse = "pulsesink device=alsa_output.usb-1.stereo"
        for config, is_old, output in ((PIPEWIRE, False, 'alsasink device="pipewire:NODE=alsa_output.usb-1.stereo"'),
                                       (PIPEWIRE, True, pulse), ("", False, pulse)):
            file = self.file(config, f"asound{len(config)}.conf")
            with mock.patch("devices.is_unreliable", return_value=is_old), \
                    mock.patch.dict(os.environ, {"ALSA_CONFIG_PATH": file}):
                self.assertEqual(devices.lines([device]), ["Speakers", f"    audio-sink = {output}"])

    def test_the_default_output_is_pipewire_if_it_runs(self) -> None:
        """Before version 1.0.6, its plugin for ALSA may stall."""
        library = self.home / "libpipewire-0.3.so.0"
        other = "autoaudiosink[0-9]+: Could not open audio device"
        for config, version, variables, line in (
                (PIPEWIRE, "1.4.2", {}, "alsasink[0-9]+ is the sink"), (PIPEWIRE, "1.0.5", {}, other),
                (PIPEWIRE, "1.4.2", {"PULSE_SERVER": "elsewhere"}, other), ("", "1.4.2", {}, other)):
            with self.subTest(config=config, version=version, variables=variables):
                subprocess.run(["gcc", "-shared", "-o", library, f"-Wl,-soname,{library.name}", "-x", "c", "-"], check=True,
                               text=True, input=f'const char *pw_get_library_version(void) {{ return "{version}"; }}')
                process = self.start(self.serve(), "log-level=debug", variables=variables | {
                    "ALSA_CONFIG_PATH": self.file(config, "asound.conf"), "LD_PRELOAD": str(library),
                    "GST_REGISTRY": str(self.home / "registry"), "GST_PLUGIN_FEATURE_RANK": "alsasink:MAX," + ",".join(
                        f"{sink}:NONE" for sink in "pulsesink pipewiresink osssink jackaudiosink openalsink".split())})
                connection = self.check_ready()
                connection.start_stream()
                connection.send_chunks(4)
                self.assertRegex(self.lines_until(process, "is the sink", "Could not open audio device")[-1], line)
                self.end(process)

    def test_a_card_is_named_by_its_identity(self) -> None:
        card = self.home / "card12"
        card.mkdir()
        (card / "id").write_text("sndrpihifiberry\n", encoding="utf-8")
        for device, steady in (
                ("hw:12,3", "hw:CARD=sndrpihifiberry,DEV=3"), ("hw:1,0", "hw:1,0"), ("default", "default")):
            self.assertEqual(devices.steady(device, self.home), steady)

    def test_the_devices_of_this_machine_are_listed_or_the_message_says_what_to_do(self) -> None:
        status, output = self.answer("--list-devices")
        if status == 0:
            self.assertRegex(output, r"\A(.+\n    audio-sink = \w+ device=.+\n)+\Z")
        else:
            self.assertEqual(status, os.EX_CONFIG)
            self.assertRegex(output, r"(?m)^There is no audio output, .* /proc/asound/cards.*\n\Z")

    # Messages

    def journal(self, *arguments: str, variables: dict[str, str] | None = None) -> subprocess.Popen[str]:
        """Starts the program with a pipe that is said to be a stream of the journal."""
        reading, writing = os.pipe()
        stream = os.fstat(writing)
        process = self.start(*arguments, stdout=writing, stderr=writing,
                             variables={"JOURNAL_STREAM": f"{stream.st_dev}:{stream.st_ino}", **(variables or {})})
        os.close(writing)
        process.stdout = os.fdopen(reading, encoding="utf-8")
        return process

    def test_lines_of_the_journal_begin_with_their_priority(self) -> None:
        lines = self.lines_until(self.journal(NOBODY, SINK), "Cannot connect")
        self.assertEqual(lines[0][:26], "<6>Waiting for a server ..")
        self.assertRegex(lines[-1], "^<4>Cannot connect to 127.0.0.1:1: Connection refused")
        lines = self.lines_until(self.journal("log-level=loud"), "permitted")
        self.assertEqual(lines[0][:15], "<3>log-level: \"")

    def test_an_output_that_cannot_be_opened_is_named_with_what_to_do(self) -> None:
        """alsasink is an error. autoaudiosink warns, and then plays nowhere."""
        for sink, priority, ends in (("alsasink", 3, True), ("autoaudiosink", 4, False)):
            with self.subTest(sink=sink):
                process = self.journal(self.serve(), f"audio-sink={sink}", variables={
                    "ALSA_CONFIG_PATH": os.devnull, "GST_PLUGIN_FEATURE_RANK": "alsasink:MAX,pulsesink:NONE"})
                self.check_ready().start_stream()
                self.assertRegex(
                    self.lines_until(process, "Could not open audio device for playback.")[-1],
                    f"^<{priority}>{sink}[0-9]+: .* sendspin-play --list-devices lists the audio outputs.\n$")
                if not ends:
                    process.terminate()
                self.assertEqual(process.wait(PATIENCE), 1 if ends else 0)

    def test_the_level_selects_the_messages(self) -> None:
        quiet = self.lines_until(self.start(NOBODY, SINK, "log-level=warning"), "Cannot connect")
        self.assertEqual(len(quiet), 1)
        uri = self.serve()
        for level in ("info", "debug"):
            process = self.start(uri, SINK, f"log-level={level}")
            connection = self.check_ready()
            connection.start_stream()
            connection.send_chunks(4)
            text = "".join(self.lines_until(process, "playing "))
            self.assertIn("\nConnected to independent: encrypted, not paired.\n", text)
            # A line of the debug log of GStreamer.
            self.assertEqual("activities:" in text, level == "debug", text)
            self.end(process)

    # The end of the program

    def test_sigterm_says_goodbye(self) -> None:
        process = self.start(self.serve(), SINK)
        connection = self.check_ready()
        connection.start_stream()
        connection.send_chunks(4)
        process.terminate()
        kind, payload = "", {}
        while kind != "client/goodbye":
            kind, payload = connection.receive()
        self.assertEqual(payload["reason"], "shutdown")
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_identity_and_pairing_survive_kills(self) -> None:
        """The program is killed before and during its handshake, while it plays, and while it stores volumes."""
        uri = self.serve()
        token_file = self.home / "token"
        process = self.start(uri, SINK, f"--token-file={token_file}")
        connection = self.connect()
        connection.open()
        connection.greet()
        connection.activate(roles=[])
        key = connection.pair(self.token(token_file)[32:])
        connection.become_ready()
        client = connection.client
        for number in range(KILLS):
            process.kill()
            process.wait(PATIENCE)
            process = self.start(uri, SINK)
            connection = self.connect()
            if number % 5 == 0:
                continue
            self.assertEqual(connection.open("lt", key), key)
            self.assertEqual(connection.client, client)
            if number % 5 == 1:
                continue
            connection.greet()
            connection.become_ready()
            if number % 5 == 2:
                connection.start_stream()
                connection.send_chunks(4)
            for volume in range(100 if number % 5 > 2 else 0):
                connection.set_volume(volume)
            if number % 5 == 4:
                connection.fence()
        process.kill()
        process.wait(PATIENCE)
        process = self.start(uri, SINK, "log-level=warning")
        connection = self.connect()
        self.assertEqual(connection.open("lt", key), key)
        self.assertEqual(connection.client, client)
        connection.greet()
        connection.become_ready()
        process.terminate()
        # No file is damaged, so there is no warning.
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], "")

    def test_a_kill_at_the_first_start_leaves_no_broken_identity(self) -> None:
        for number in range(10):
            folder = self.home / f"storage-{number}"
            process = self.start(NOBODY, SINK, f"storage-folder={folder}")
            while not (folder.exists() and len(os.listdir(folder)) > number % 4):
                self.assertIsNone(process.poll())
            process.kill()
            process.wait(PATIENCE)
            process = self.start(self.serve(), SINK, f"storage-folder={folder}", "log-level=warning")
            self.check_ready()
            process.terminate()
            self.assertEqual(process.communicate(timeout=PATIENCE)[0], "")

    # Other promises

    def token(self, file: Path) -> bytes:
        """The identity and the pairing key in the file of a token."""
        text = file.read_text(encoding="ascii").strip()
        self.assertTrue(text.startswith("SP:0"))
        return base64.b32decode(text[4:].replace("9", "2") + "=")

    def test_the_token_is_in_a_new_file_that_only_the_user_can_read(self) -> None:
        file = self.home / "token"
        process = self.start(NOBODY, SINK, "--token-file", str(file), preexec_fn=lambda: os.umask(0))
        self.lines_until(process, "Waiting for a server")
        self.assertEqual(len(self.token(file)), 64)
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        before = file.read_bytes()
        self.end(process)
        status, output = self.answer(NOBODY, SINK, "--token-file", str(file))
        self.assertEqual((status, output), (
            os.EX_CONFIG, f"The pairing token cannot be written to {file}: File exists.\n"))
        self.assertEqual(file.read_bytes(), before)

    @isolated
    def test_it_starts_before_the_network(self) -> None:
        process = self.start("uri=sendspin://127.0.0.1:8927", SINK)
        self.lines_until(process, "Network is unreachable")
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self.serve(8927)
        self.check_ready()
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)

    @isolated
    def test_it_starts_before_avahi_and_finds_the_server_after_a_restart_of_avahi(self) -> None:
        if not os.path.exists("/usr/sbin/avahi-daemon") or os.environ[IN_NAMESPACE] != "0":
            self.skipTest("avahi-daemon is missing, or this user cannot run it, because it changes its user.")
        bus, port = f"unix:path={self.home}/bus", 8927
        self.file(ANNOUNCEMENT.format(port), "services/cellar.service")
        for command in ("ip link set lo up", "mount -t tmpfs tmpfs /run",
                        f"mount --bind {self.home}/services /etc/avahi/services"):
            subprocess.run(command.split(), check=True)
        variables = {"DBUS_SYSTEM_BUS_ADDRESS": bus}
        process = self.start(SINK, variables=variables)
        self.lines_until(process, NO_AVAHI)
        daemon = self.background(["dbus-daemon", f"--config-file={self.file(BUS.format(bus), 'bus.conf')}", "--nofork",
                                  "--nopidfile", "--print-address"])
        assert daemon.stdout
        self.assertNotEqual(daemon.stdout.readline(), "")
        settings = self.file(AVAHI, "avahi.conf")
        avahi = ["/usr/sbin/avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "-f", settings]
        daemon = self.background(avahi, env={**os.environ, **variables})
        self.serve(port)
        connection = self.check_ready()
        daemon.terminate()
        daemon.wait(PATIENCE)
        self.listener.close()
        connection.websocket.socket.close()
        self.lines_until(process, NO_AVAHI)
        self.background(avahi, env={**os.environ, **variables})
        self.serve(port)
        self.check_ready()
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)

    def background(self, command: list[str], **options: Any) -> subprocess.Popen[str]:
        """Starts a program that the end of the test ends."""
        process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(self.end, process)
        return process

    def check_ready(self) -> Connection:
        """Checks that the player connects and accepts audio."""
        connection = self.connect()
        connection.open()
        connection.greet()
        connection.become_ready()
        return connection


if __name__ == "__main__":
    unittest.main()
