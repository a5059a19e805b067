"""Runs a command, or waits for a signal, while the controls of the camera are held."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
NOT_FOUND, CANNOT_RUN = 127, 126
# si_code of a signal that the kernel sends, such as that of Ctrl-C.
SI_KERNEL = 128


def block() -> tuple[set[signal.Signals], set[signal.Signals]]:
    """Blocks the signals that end the program, and returns them with the mask before.

    A signal that is ignored since the start, as SIGHUP under nohup, ends nothing.
    """
    ends = {each for each in ENDS if signal.getsignal(each) != signal.SIG_IGN}
    return ends, signal.pthread_sigmask(signal.SIG_BLOCK, ends | {signal.SIGCHLD})


def has_reached_command(found: Any) -> bool:
    """Whether a signal that this program has received was sent to the command as well.

    The terminal sends Ctrl-C and Ctrl-\\ to both. It sends SIGHUP to the leader of the session only. The sender says
    nothing: si_pid is 0 for a process outside of the PID namespace, too.
    """
    return found.si_signo in (signal.SIGINT, signal.SIGQUIT) and found.si_code == SI_KERNEL


def run(command: list[str], ends: set[signal.Signals], mask: set[signal.Signals]) -> int:
    """Runs the command with the signal mask, and returns its exit status. Other signals are passed on to it."""
    # A signal that has come while the controls were set.
    early = signal.sigpending() & ends
    if early:
        return 128 + min(early)
    try:
        child = subprocess.Popen(command, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}.", file=sys.stderr)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN
    # A signal that may have come before the command was there.
    early = signal.sigpending() & ends
    while child.poll() is None:
        found = signal.sigwaitinfo(ends | {signal.SIGCHLD})
        if found.si_signo == signal.SIGCHLD:
            continue
        if found.si_signo in early or not has_reached_command(found):
            child.send_signal(found.si_signo)
        early.discard(found.si_signo)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode
