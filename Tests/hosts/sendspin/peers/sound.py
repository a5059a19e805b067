"""A sound server without hardware: PulseAudio with a null sink in a private home. ALSA's default uses this server."""

import os
import pathlib
import shutil
import subprocess
import time

from .launch import Process


class NullSound:
    """The sound server. Requires Debian's pulseaudio, libasound2-plugins, and libportaudio2 for `sendspin daemon`."""

    def __init__(self, folder: pathlib.Path, rate: int = 48000) -> None:
        if not shutil.which("pulseaudio"):
            raise RuntimeError("install pulseaudio, libasound2-plugins and libportaudio2")
        home = folder / "sound"
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o700)
        (home / ".asoundrc").write_text("pcm.!default { type pulse }\nctl.!default { type pulse }\n")
        socket = home / "native"
        self.environment = {**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(home),
                            "PULSE_SERVER": f"unix:{socket}", "XDG_CONFIG_HOME": str(home / "config")}
        modules = (f"module-native-protocol-unix socket={socket} auth-anonymous=1",
                   f"module-null-sink sink_name=null rate={rate}")
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no"]
        for module in modules:
            command += ["-L", module]
        self.process = Process(command, home, "pulseaudio", env=self.environment)
        end = time.monotonic() + 10
        while subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode:
            if time.monotonic() > end:
                raise RuntimeError(f"pulseaudio did not start:\n{self.process.text()}")
            self.process.run_for(0.1)

    def stop(self) -> None:
        self.process.stop()
