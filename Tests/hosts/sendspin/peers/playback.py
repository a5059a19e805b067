"""Plays a signal to the group of clients, with seeks, format changes, track changes and pauses."""

from collections.abc import Callable

from aiosendspin.models.types import AudioCodec
from aiosendspin.server import AudioFormat, SendspinServer

from .delays import delay
from .report import Report

BLOCK_MS = 100
GRID_US = 10_000

FORMATS = {
    "pcm16": (AudioCodec.PCM, 16), "pcm24": (AudioCodec.PCM, 24), "flac": (AudioCodec.FLAC, 16),
    "flac24": (AudioCodec.FLAC, 24), "opus": (AudioCodec.OPUS, 16),
}


def player_roles(server: SendspinServer) -> list:
    return [role for client in server.connected_clients for role in client.roles_by_family("player")]


class Playback:
    def __init__(self, server: SendspinServer, report: Report, signal: Callable, ahead: float,
                 changes_rates: bool = False) -> None:
        self.server, self.report, self.signal, self.ahead = server, report, signal, ahead
        self.changes_rates = changes_rates
        self.group = None
        self.stream = None
        self.next_us: int | None = None
        self.format: tuple[int, int] | None = None
        self.is_paused = False
        self.counts = dict.fromkeys(("blocks", "seeks", "format_changes", "tracks", "pauses", "gaps"), 0)

    def source_format(self) -> tuple[int, int]:
        """Rate and bits that the players require, so that the server neither resamples nor dithers."""
        needs = [role.get_audio_requirements() for role in player_roles(self.server)]
        needs = [need for need in needs if need]
        if not needs:
            return self.format or (48000, 16)
        return needs[0].sample_rate, 24 if min(need.bit_depth for need in needs) >= 24 else 16

    def lead_us(self) -> int:
        """Time in microseconds between sending the first chunk and its play time."""
        leads = [max(role.get_required_lead_time_us(), role.get_min_buffer_us() + 200_000)
                 + role.get_output_delay_us() for role in player_roles(self.server)]
        return max(leads, default=500_000) + 50_000

    async def play(self) -> None:
        while True:
            if self.is_paused or not player_roles(self.server):
                self.next_us = None
                await delay(0.02)
                continue
            if self.stream is None or self.stream.is_stopped:
                self.stream = self.group.start_stream()
                self.next_us = None
            await self.play_block()

    async def play_block(self) -> None:
        now = self.server.clock.now_us()
        # A late stream leaves a gap and continues after it, because players still require their lead time.
        if self.next_us is None or self.next_us < now + 50_000:
            if self.next_us is not None:
                self.counts["gaps"] += 1
                self.report.event("gap", behind_us=now - self.next_us)
            self.next_us = -(-(now + self.lead_us()) // GRID_US) * GRID_US
            self.report.event("play", start_us=self.next_us)
        start, stream = self.next_us, self.stream
        rate, bits = self.format = self.source_format()
        frames = rate * BLOCK_MS // 1000
        pcm = self.signal(start, frames, rate, bits)
        stream.prepare_audio(pcm, AudioFormat(sample_rate=rate, bit_depth=bits, channels=2))
        await stream.commit_audio(play_start_us=start)
        self.counts["blocks"] += 1
        # If a seek during `commit_audio` has begun a new timeline, keep it.
        if self.next_us == start and self.stream is stream:
            self.next_us = start + BLOCK_MS * 1000
            await stream.sleep_to_limit_buffer(int(self.ahead * 1_000_000))

    def seek(self) -> None:
        """Clears the buffers of the clients and continues immediately."""
        self.report.event("seek")
        self.counts["seeks"] += 1
        if self.stream:
            self.stream.clear()
        self.next_us = None

    def track(self) -> None:
        """Replaces the stream without ending the old stream, as a jump to another track does."""
        self.report.event("track")
        self.counts["tracks"] += 1
        self.stream = self.group.start_stream()
        self.next_us = None

    async def pause(self) -> None:
        """Ends the stream. The clients may close their devices."""
        self.report.event("pause")
        self.counts["pauses"] += 1
        self.is_paused = True
        await self.group.stop()
        self.stream = None

    def resume(self) -> None:
        self.report.event("resume")
        self.is_paused = False

    def change_format(self, name: str | None = None) -> None:
        """Sets the format `name`, or the next supported format of each client."""
        for role in player_roles(self.server):
            formats = role.get_supported_formats() or []
            if not self.changes_rates:
                formats = [one for one in formats if one.sample_rate == self.source_format()[0]]
            if name:
                codec, bits = FORMATS[name]
                formats = [one for one in formats if one.codec == codec and one.bit_depth == bits]
            if not formats:
                self.report.event("format refused", wanted=name)
                continue
            chosen = formats[0 if name else (self.counts["format_changes"] + 1) % len(formats)]
            audio = AudioFormat(sample_rate=chosen.sample_rate, bit_depth=chosen.bit_depth, channels=chosen.channels)
            is_set = role.set_preferred_format(audio, chosen.codec)
            self.report.event("format", codec=chosen.codec.value, rate=chosen.sample_rate, bits=chosen.bit_depth,
                              channels=chosen.channels, accepted=is_set)
        if not name:
            self.counts["format_changes"] += 1
