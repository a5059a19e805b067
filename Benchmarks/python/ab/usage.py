"""CPU time, context switches and memory of this process, over time."""
import resource
import time
from dataclasses import dataclass

# Length of the window of the peak, in s.
PEAK_SPAN = 0.5


@dataclass(frozen=True)
class Usage:
    """The counters of the process at one moment."""

    time: float
    cpu: float
    switches: int
    requests: int

    @staticmethod
    def now(requests: int) -> "Usage":
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Usage(time.monotonic(), used.ru_utime + used.ru_stime, used.ru_nvcsw + used.ru_nivcsw, requests)


def peak(samples: list[Usage]) -> float:
    """Cores of the busiest half second; of all the time if that is shorter."""
    highest = 0.0
    first = 0
    for index, last in enumerate(samples):
        while first + 1 < index and last.time - samples[first + 1].time >= PEAK_SPAN:
            first += 1
        span = last.time - samples[first].time
        if span >= PEAK_SPAN:
            highest = max(highest, (last.cpu - samples[first].cpu) / span)
    span = samples[-1].time - samples[0].time
    return highest or ((samples[-1].cpu - samples[0].cpu) / span if span else 0.0)


def peak_memory() -> float:
    """The largest resident memory since the start, in MB."""
    return _status("VmHWM:")


def memory_now() -> float:
    """The resident memory, in MB."""
    return _status("VmRSS:")


def _status(name: str) -> float:
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(name):
                return int(line.split()[1]) * 1024 / 1e6
    raise OSError(f"/proc/self/status has no {name}")


class Burner:
    """Burns a share of the CPU time of the rest of the process: a difference that the instrument must find."""

    def __init__(self, share: float) -> None:
        self.share, self.burnt, self.begin = share, 0.0, time.process_time()

    def catch_up(self) -> None:
        """Burns until the share is reached."""
        while self.burnt < self.share * (time.process_time() - self.begin - self.burnt):
            before = time.thread_time()
            for _ in range(2000):
                pass
            self.burnt += time.thread_time() - before
