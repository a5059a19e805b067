"""Checks the audio that a client receives. The ramp must be complete, and match the timestamps of the chunks."""

import av
import numpy as np

from .signals import RAMP_PERIOD


class Decoder:
    """Decodes the chunks of one stream to samples of 24 bits, shape (frames, 2)."""

    def __init__(self, codec: str, bits: int, rate: int, header: bytes | None) -> None:
        self.bits, self.context = bits, None
        if codec == "flac":
            self.context = av.CodecContext.create("flac", "r")
            self.context.extradata = header[8:42]
        elif codec == "opus":
            self.context = av.CodecContext.create("opus", "r")
            self.context.sample_rate, self.context.layout = rate, "stereo"

    def decode(self, payload: bytes) -> np.ndarray:
        if self.context is None:
            return self.unpack(payload)
        frames = self.context.decode(av.Packet(payload))
        return np.concatenate([self.integers(frame) for frame in frames] or [np.zeros((0, 2), np.int64)])

    def unpack(self, payload: bytes) -> np.ndarray:
        if self.bits == 16:
            return np.frombuffer(payload, "<i2").astype(np.int64).reshape(-1, 2) << 8
        parts = np.frombuffer(payload, np.uint8).astype(np.int64).reshape(-1, 2, 3)
        values = parts[..., 0] | parts[..., 1] << 8 | parts[..., 2] << 16
        return (values ^ 0x800000) - 0x800000

    @staticmethod
    def integers(frame: av.AudioFrame) -> np.ndarray:
        data = frame.to_ndarray()
        data = data.reshape(-1, 2) if frame.format.is_packed else data.T
        if data.dtype.kind == "f":
            return np.rint(data * 8388607).astype(np.int64)
        return data.astype(np.int64) << 8 if data.dtype == np.int16 else data.astype(np.int64) >> 8


def ramp_index(samples: np.ndarray) -> np.ndarray:
    """Index of each frame in the ramp; -1 if the frame is not part of the ramp."""
    low, high = samples[:, 0] >> 8, (samples[:, 1] >> 8) - 1
    index = (high << 15) | np.where(high & 1, 32767 - low, low)
    return np.where((low < 0) | (high < 0) | (high > 32766), -1, index)


class RampCheck:
    def __init__(self) -> None:
        self.frames = self.jumps = self.unknown = self.chunks = self.bytes = 0
        self.worst_us = 0.0
        self.following: int | None = None

    def restart(self) -> None:
        """Begins a new timeline, after a seek or a change of the rate."""
        self.following = None

    def chunk(self, timestamp_us: int, samples: np.ndarray, rate: int, size: int) -> None:
        index = ramp_index(samples)
        self.chunks += 1
        self.bytes += size
        self.frames += len(index)
        self.unknown += int((index < 0).sum())
        if not len(index) or index[0] < 0:
            return
        self.jumps += int((np.diff(index) % RAMP_PERIOD != 1).sum())
        if self.following is not None and index[0] != self.following:
            self.jumps += 1
        self.following = (int(index[-1]) + 1) % RAMP_PERIOD
        exact = timestamp_us * rate / 1e6
        late = (exact - index[0] + RAMP_PERIOD / 2) % RAMP_PERIOD - RAMP_PERIOD / 2
        self.worst_us = max(self.worst_us, abs(late) / rate * 1e6)
