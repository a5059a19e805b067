"""Runs a command, and holds signals until what follows it is done."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
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


def with_mask(mask: set[signal.Signals]) -> Callable[[], None]:
    """Gives a new process the signal mask of before `block`."""
    return lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def completed(arguments: list[str], **options: Any) -> subprocess.CompletedProcess:
    """Runs a program to its end. The exception of a signal's handler ends the program, too.

    With subprocess.run alone, a signal that comes before the process is known would leave it running. The options are
    those of Popen, and `timeout`.
    """
    timeout = options.pop("timeout", None)
    _, mask = block()
    try:
        with subprocess.Popen(arguments, preexec_fn=with_mask(mask), **options) as child:
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                output, errors = child.communicate(timeout=timeout)
            except BaseException:
                child.kill()
                raise
            return subprocess.CompletedProcess(arguments, child.returncode, output, errors)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def catches(process: int, number: int) -> bool:
    """Whether the process has a handler for the signal."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            caught = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt:"))
    except OSError:
        return False
    return bool((caught >> (number - 1)) & 1)


def run(command: list[str], ends: set[signal.Signals], mask: set[signal.Signals], stdout: int | None = None,
        once: int | None = None, on_end: Callable[[int], None] = lambda number: None) -> int:
    """Runs the command with the signal mask, and returns its exit status. Other signals are passed on to it.

    `on_end` receives each signal that ends the program.

    The signal `once` is passed on when the command has a handler for it, also in place of SIGTERM and SIGHUP, so that a
    recording is completed. gst-launch-1.0 removes its handler of SIGINT after
    the first one, which it may have received too; a second one would end it at once.
    """
    # A signal that has come before.
    early = signal.sigpending() & ends
    if early:
        return 128 + min(early)
    try:
        child = subprocess.Popen(command, stdout=stdout, preexec_fn=with_mask(mask))
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}.", file=sys.stderr)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN
    # A signal that may have come before the command was there.
    early = signal.sigpending() & ends
    is_waiting = False
    while child.poll() is None:
        found = signal.sigtimedwait(ends | {signal.SIGCHLD}, 0.05 if is_waiting else 3600)
        if is_waiting and catches(child.pid, once):
            child.send_signal(once)
            is_waiting = False
        if found is None or found.si_signo == signal.SIGCHLD:
            continue
        on_end(found.si_signo)
        if found.si_signo in early or not has_reached_command(found):
            if once is not None and found.si_signo in (once, signal.SIGTERM, signal.SIGHUP):
                is_waiting = True
            else:
                child.send_signal(found.si_signo)
        early.discard(found.si_signo)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode
