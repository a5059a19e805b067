"""Runs a command with blocked signals, so that the caller can clean up after the command."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
NOT_FOUND, CANNOT_RUN = 127, 126
# si_code of a signal from the kernel, such as SIGINT for Ctrl-C.
SI_KERNEL = 128


def block() -> tuple[set[signal.Signals], set[signal.Signals]]:
    """Blocks the signals that end the program. Returns them and the previous signal mask.

    Does not block signals that the process ignores since its start, such as SIGHUP under nohup.
    """
    ends = {each for each in ENDS if signal.getsignal(each) != signal.SIG_IGN}
    return ends, signal.pthread_sigmask(signal.SIG_BLOCK, ends | {signal.SIGCHLD})


def has_reached_command(found: Any) -> bool:
    """Whether the command has received the same signal as this program.

    For Ctrl-C and Ctrl-\\, the kernel sends a signal to both processes. It sends SIGHUP only to the session leader.
    si_pid cannot show that the kernel sent a signal, because it is also 0 for a sender outside the PID namespace.
    """
    return found.si_signo in (signal.SIGINT, signal.SIGQUIT) and found.si_code == SI_KERNEL


def with_mask(mask: set[signal.Signals]) -> Callable[[], None]:
    """A `preexec_fn` that sets the signal mask of a new process."""
    return lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def completed(arguments: list[str], **options: Any) -> subprocess.CompletedProcess:
    """Runs a program to its end. If a signal handler raises, ends the program and its descendants.

    With subprocess.run, the program would continue to run if a signal arrives before Popen returns. `options` are the
    options of Popen, and `timeout`.
    """
    timeout = options.pop("timeout", None)
    _, mask = block()
    try:
        with subprocess.Popen(arguments, preexec_fn=with_mask(mask), **options) as child:
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                output, errors = child.communicate(timeout=timeout)
            except BaseException:
                signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
                end(child.pid)
                raise
            return subprocess.CompletedProcess(arguments, child.returncode, output, errors)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def end(process: int) -> None:
    """Ends a process and its descendants. Sends SIGTERM, and SIGKILL after 1 s to the remaining processes.

    A separate process group would be simpler, but sudo could then not ask for the password at the terminal.
    """
    with ExitStack() as stack:
        handles = []
        for each in _family(process):
            with suppress(OSError):
                handles.append(os.pidfd_open(each))
                stack.callback(os.close, handles[-1])
        for number in (signal.SIGTERM, signal.SIGKILL):
            for handle in handles:
                # A signal to a process of another user, such as the process of sudo, fails with EPERM.
                with suppress(OSError):
                    signal.pidfd_send_signal(handle, number)
            deadline = time.monotonic() + 1
            while handles and (left := deadline - time.monotonic()) > 0:
                ended, _, _ = select.select(handles, [], [], left)
                handles = [handle for handle in handles if handle not in ended]


def _family(process: int) -> list[int]:
    """The process and all its descendants."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # Split after the last parenthesis, because the process name in parentheses may contain any character.
            parents[int(path.parent.name)] = int(path.read_bytes().rpartition(b")")[2].split()[1])
    family = [process]
    for each in family:
        family += [child for child, parent in parents.items() if parent == each]
    return family


def run(command: list[str], ends: set[signal.Signals], mask: set[signal.Signals],
        on_end: Callable[[int], None] = lambda number: None) -> int:
    """Runs the command with the signal mask. Forwards the signals in `ends` to it. Returns its exit status.

    Calls `on_end` with the number of each signal in `ends` that arrives while the command runs.
    """
    # A pending signal ends the program before the command starts.
    early = signal.sigpending() & ends
    if early:
        return 128 + min(early)
    try:
        child = subprocess.Popen(command, preexec_fn=with_mask(mask))
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}.", file=sys.stderr)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN
    # This program does not forward a Ctrl-C that arrives between the check above and the start of the command. The
    # command may have received it already, and many commands end without cleaning up at a second Ctrl-C.
    while child.poll() is None:
        found = signal.sigwaitinfo(ends | {signal.SIGCHLD})
        if found.si_signo == signal.SIGCHLD:
            continue
        on_end(found.si_signo)
        if not has_reached_command(found):
            child.send_signal(found.si_signo)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode
