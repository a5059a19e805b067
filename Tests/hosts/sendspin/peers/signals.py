"""Audio signals of the server, as functions of the server time at which a frame must be played."""

import math

import numpy as np

RAMP_PERIOD = 32767 * 32768
CLICK_INTERVAL = 0.5
CLICK_WIDTH = 0.005


def pack(samples: np.ndarray, bits: int) -> bytes:
    """Integer samples as little-endian PCM of 16 or 24 bits."""
    if bits == 16:
        return samples.astype("<i2").tobytes()
    return samples.astype("<i4").reshape(-1, 1).view(np.uint8)[:, :3].tobytes()


def first_index(time_us: int, rate: int) -> int:
    return (time_us * rate + 500_000) // 1_000_000


def ramp(time_us: int, frames: int, rate: int, bits: int) -> bytes:
    """The ramp of Tests/CVirtualDAC/include/CVirtualDAC.h: every frame carries its own time."""
    index = (first_index(time_us, rate) + np.arange(frames, dtype=np.int64)) % RAMP_PERIOD
    low, high = index & 32767, index >> 15
    stereo = np.stack([np.where(high & 1, 32767 - low, low), high + 1], axis=1)
    if bits == 24:
        stereo = (stereo << 8) | np.array([0x5A, 0x25])
    return pack(stereo, bits)


def sine(time_us: int, frames: int, rate: int, bits: int) -> bytes:
    """440 Hz at half of full scale, on both channels."""
    time = (first_index(time_us, rate) + np.arange(frames, dtype=np.int64)) / rate
    mono = np.sin(2 * math.pi * 440 * (time % 1000.0)) * (2 ** (bits - 2))
    return pack(np.repeat(np.rint(mono).astype(np.int64)[:, None], 2, axis=1), bits)


def clicks(time_us: int, frames: int, rate: int, bits: int) -> bytes:
    """A burst of 2 kHz, 5 ms long and symmetric, around each multiple of 0.5 s."""
    time = (first_index(time_us, rate) + np.arange(frames, dtype=np.int64)) / rate
    late = time - np.rint(time / CLICK_INTERVAL) * CLICK_INTERVAL
    window = np.where(np.abs(late) < CLICK_WIDTH / 2, 0.5 + 0.5 * np.cos(2 * math.pi * late / CLICK_WIDTH), 0)
    mono = window * np.cos(2 * math.pi * 2000 * late) * (2 ** (bits - 1) - 1) * 0.5
    return pack(np.repeat(np.rint(mono).astype(np.int64)[:, None], 2, axis=1), bits)


class File:
    """Plays a file in a loop, decoded to the requested format."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.data: dict[tuple[int, int], bytes] = {}

    def decode(self, rate: int, bits: int) -> bytes:
        import av

        resampler = av.AudioResampler(format="s16" if bits == 16 else "s32", layout="stereo", rate=rate)
        with av.open(self.path) as container:
            parts = [resampled.to_ndarray().tobytes()
                     for frame in container.decode(audio=0) for resampled in resampler.resample(frame)]
        data = b"".join(parts)
        if bits == 24:
            return np.frombuffer(data, np.uint8).reshape(-1, 4)[:, 1:].tobytes()
        return data

    def __call__(self, time_us: int, frames: int, rate: int, bits: int) -> bytes:
        key = (rate, bits)
        data = self.data.get(key) or self.data.setdefault(key, self.decode(rate, bits))
        size = bits // 8 * 2
        length = len(data) // size
        if not length:
            raise ValueError(f"{self.path} contains no audio")
        at = first_index(time_us, rate) % length
        part = data[at * size:(at + frames) * size]
        return part + data * ((frames * size - len(part)) // len(data)) + data[:(frames * size - len(part)) % len(data)]


def named(name: str):
    if name in ("ramp", "sine", "clicks"):
        return globals()[name]
    return File(name)
