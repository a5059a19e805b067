"""A private PulseAudio server with a null sink, for the rows with a device."""
import os
import shutil
import subprocess


class NullSound:
    @classmethod
    def start(cls, folder):
        """Starts the server. Without pulseaudio, returns None; pulsesink then fails with and without the element."""
        if not shutil.which("pulseaudio"):
            return None
        return cls(os.path.join(folder, "sound"))

    def __init__(self, home):
        os.makedirs(home, mode=0o700)
        socket = os.path.join(home, "native")
        os.environ.update(HOME=home, XDG_RUNTIME_DIR=home, PULSE_SERVER=f"unix:{socket}",
                          XDG_CONFIG_HOME=os.path.join(home, "config"))
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no",
                   "-L", f"module-native-protocol-unix socket={socket} auth-anonymous=1",
                   "-L", "module-null-sink sink_name=null rate=48000"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait()
