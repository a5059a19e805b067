"""Computes the progress of a film and the remaining time. The caller passes the current time."""

from .times import counted, rough_time


class Progress:
    """Counts the frames of finished segments and of segments in progress."""

    def __init__(self, frames: int, segments: int, done_frames: int, done_segments: int, now: float) -> None:
        self._frames, self._segments = frames, segments
        self._start_frames = self._done_frames = done_frames
        self._done_segments = done_segments
        self._start = now
        self._running: dict[int, int] = {}
        self.retried = 0

    def rendered(self, segment: int, frames: int) -> None:
        self._running[segment] = frames

    def finished(self, segment: int, frames: int) -> None:
        self._running.pop(segment, None)
        self._done_frames += frames
        self._done_segments += 1

    def reopened(self, frames: int) -> None:
        """Subtracts the frames of a finished segment that must be rendered again."""
        self._done_frames -= frames
        self._done_segments -= 1
        self.retried += 1

    def failed(self, segment: int) -> None:
        self._running.pop(segment, None)
        self.retried += 1

    def frames_now(self) -> int:
        return min(self._frames, self._done_frames + sum(self._running.values()))

    def seconds_left(self, now: float) -> float | None:
        """Estimated seconds until the film is rendered, or None before the first frame is rendered."""
        rendered, passed = self.frames_now() - self._start_frames, now - self._start
        if rendered <= 0 or passed <= 0:
            return None
        return (self._frames - self.frames_now()) * passed / rendered

    def line(self, now: float, workers: int) -> str:
        frames = self.frames_now()
        left = self.seconds_left(now)
        parts = [f"{100 * frames // max(1, self._frames):3} %", f"segment {self._done_segments} of {self._segments}"]
        if left is not None:
            parts.append(f"{(frames - self._start_frames) / (now - self._start):.1f} frames/s")
            parts.append(f"{rough_time(left)} left")
        parts.append(counted(workers, "worker"))
        if self.retried:
            parts.append(f"{self.retried} tried again")
        return "  ".join(parts)
