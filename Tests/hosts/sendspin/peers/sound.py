"""A sound server without hardware, with a null sink in a private home. ALSA's default uses this server."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from .launch import Process

PIPEWIRE_SINK = """context.objects = [ { factory = adapter args = { factory.name = support.null-audio-sink node.name = \"null\"
    media.class = Audio/Sink audio.rate = %d audio.position = [ FL FR ] } } ]
"""


class NullSound:
    """The sound server: PulseAudio, or PipeWire with its server for PulseAudio's clients.

    Requires Debian's pulseaudio, libasound2-plugins, and libportaudio2 for `sendspin daemon`; for PipeWire, also
    pipewire, pipewire-pulse, wireplumber and dbus. With `realtime`, the server asks for the priority of an installation.
    """

    def __init__(self, folder: pathlib.Path, rate: int = 48000, kind: str = "pulseaudio",
                 realtime: bool = False) -> None:
        home = folder / "sound"
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o700)
        (home / ".asoundrc").write_text("pcm.!default { type pulse }\nctl.!default { type pulse }\n")
        runtime = home / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        socket = runtime / "native" if kind == "pulseaudio" else runtime / "pulse/native"
        self.environment = {**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(runtime),
                            "PULSE_SERVER": f"unix:{socket}", "XDG_CONFIG_HOME": str(home / "config")}
        if kind == "pulseaudio":
            modules = (f"module-native-protocol-unix socket={socket} auth-anonymous=1",
                       f"module-null-sink sink_name=null rate={rate}")
            command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                       f"--realtime={'yes' if realtime else 'no'}"]
            command += [part for module in modules for part in ("-L", module)]
        else:
            settings = home / "config/pipewire/pipewire.conf.d"
            settings.mkdir(parents=True, exist_ok=True)
            (settings / "null.conf").write_text(PIPEWIRE_SINK % rate)
            command = ["dbus-run-session", "--", "sh", "-c",
                       "PIPEWIRE_DEBUG=2,pw.node:3 pipewire & pipewire-pulse & exec wireplumber"]
        if not shutil.which(command[0]) or not shutil.which(kind):
            raise RuntimeError(f"install the packages of {kind}; see README.md")
        self.process = Process(command, home, kind, env=self.environment, start_new_session=True)
        end = time.monotonic() + 20
        while b"null" not in subprocess.run(["pactl", "list", "short", "sinks"], env=self.environment,
                                            capture_output=True).stdout:
            if time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"{kind} did not start:\n{self.process.text()}")
            self.process.run_for(0.1)

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(15)
