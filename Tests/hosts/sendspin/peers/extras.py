"""Metadata, artwork, and the commands of controllers."""

import asyncio
import itertools

from aiosendspin.models.types import MediaCommand, RepeatMode
from aiosendspin.server import SendspinGroup
from aiosendspin.server.roles.color.state import Color
from aiosendspin.server.roles.metadata.state import Metadata

from .delays import delay
from .playback import Playback
from .report import Report

DURATION_MS = 180_000


class Tracks:
    """The current track and the position in it."""

    def __init__(self, group: SendspinGroup, report: Report) -> None:
        self.group, self.report = group, report
        self.number = 1

    def show(self, position_ms: int = 0, speed: int = 1000) -> None:
        role = self.group.group_role("metadata")
        if role is None:
            return
        title = f"Track {self.number} – “Żółw & Ünïcode”"
        role.set_metadata(Metadata(
            title=title, artist="An Artist", album_artist="An Album Artist", album="An Album", year=2026,
            track=self.number, track_progress=position_ms, track_duration=DURATION_MS, playback_speed=speed))
        self.report.event("metadata", title=title, position_ms=position_ms)

    async def draw(self) -> None:
        """Sends a picture whose colour depends on the track."""
        from PIL import Image

        role = self.group.group_role("artwork")
        if role is None:
            return
        colour = ((self.number * 70) % 256, 80, 160)
        await role.set_album_artwork(Image.new("RGB", (300, 300), colour))
        self.report.event("artwork", colour=colour)


class Controls:
    """Executes the commands of clients and reports each command."""

    def __init__(self, playback: Playback, tracks: Tracks, report: Report) -> None:
        self.playback, self.tracks, self.report = playback, tracks, report
        self.role = playback.group.group_role("controller")
        self.role.set_supported_commands([
            MediaCommand.PLAY, MediaCommand.PAUSE, MediaCommand.STOP, MediaCommand.NEXT, MediaCommand.PREVIOUS,
            MediaCommand.SEEK, MediaCommand.SEEK_RELATIVE, MediaCommand.REPEAT_OFF, MediaCommand.REPEAT_ONE,
            MediaCommand.REPEAT_ALL, MediaCommand.SHUFFLE, MediaCommand.UNSHUFFLE])
        self.role.set_seek_max_ms(DURATION_MS)
        playback.group.add_event_listener(self.on_event)

    def on_event(self, group: SendspinGroup, event) -> None:
        name = type(event).__name__
        if not name.startswith("Controller"):
            return
        values = {key: getattr(value, "value", value) for key, value in vars(event).items()}
        command = name.removeprefix("Controller").removesuffix("Event")
        self.report.event("command", command=command, **values)
        match command:
            case "Pause" | "Stop":
                asyncio.get_running_loop().create_task(self.playback.pause())
            case "Play":
                self.playback.resume()
            case "Next" | "Previous":
                self.tracks.number += 1 if command == "Next" else -1
                self.playback.track()
                self.tracks.show()
            case "Seek":
                self.playback.seek()
                self.tracks.show(event.position_ms)
            case "SeekRelative":
                self.playback.seek()
            case "Repeat":
                self.role.set_repeat(RepeatMode(event.mode))
            case "Shuffle":
                self.role.set_shuffle(event.shuffle)


async def paint(group: SendspinGroup, clock, report: Report) -> None:
    """Sends a palette, and after 3 s another one that is valid 1 s later."""
    role = group.group_role("color")
    role.set_color(Color(primary=(200, 30, 60), accent=(20, 120, 220), background_dark=(20, 10, 30)))
    await delay(3)
    time = clock.now_us() + 1_000_000
    role.set_color(Color(primary=(10, 160, 90)), timestamp_us=time)
    report.event("palette", at=time)


async def change_volume(playback: Playback, report: Report, interval: float) -> None:
    """Sends a volume or mute command to every player once per `interval` seconds."""
    from .playback import player_roles

    for step in itertools.count():
        await delay(interval)
        for role in player_roles(playback.server):
            if step % 4 == 2:
                role.set_mute(True)
            elif step % 4 == 3:
                role.set_mute(False)
            else:
                role.set_volume(50 if step % 4 == 0 else 100)
        report.event("volume", step=step % 4)
