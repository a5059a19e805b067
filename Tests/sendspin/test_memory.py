"""Tests the memory of an application that never reads its bus, during attacks by a hostile server.

With LONG_TESTS=1, each attack takes ten minutes.
"""

from __future__ import annotations

import os
import time
import unittest
from contextlib import suppress
from typing import Callable

from noise import KeyPair
from rig import Rig, RigTest
from server import COVER, SENTINEL, Connection, now
from websocket import BINARY, PING, TEXT, Closed

IS_LONG = os.environ.get("LONG_TESTS") == "1"
# Maximum growth of the memory of the application, in kB.
LIMIT = 5000


class Attack:
    """A server that sends messages on successive connections. Each text in a message is unique."""

    def __init__(self, rig: Rig, text: str, is_paired: bool = False) -> None:
        self.rig, self.text, self.is_paired, self.number = rig, text, is_paired, 0
        self.key = SENTINEL
        # Names of the attacks whose messages the player has processed.
        self.completed: set[str] = set()

    def name(self, size: int) -> str:
        self.number += 1
        return f"{self.number} {self.text}".ljust(size, "x")

    def connect(self) -> Connection:
        """Opens a connection with playback, under a new name. An unpaired server that connects has a new identity."""
        connection = self.rig.connect(
            self.rig.identity if self.is_paired or self.rig.is_dialed else KeyPair(), again=True)
        connection.open("sn" if self.key == SENTINEL else "lt", self.key)
        connection.greet(self.name(1000))
        if self.is_paired and self.key == SENTINEL:
            connection.activate(roles=[])
            self.key = connection.pair(self.rig.player.token()[32:])
        connection.activate("playback")
        connection.fence()
        return connection

    def states(self, connection: Connection, count: int, size: int) -> None:
        """Sends states. Each state has another group, track and group volume."""
        for _ in range(count):
            name = self.name(size)
            connection.send("group/update", group_id=self.name(100), group_name=name, playback_state="playing")
            connection.send(
                "server/state", metadata={
                    "timestamp": 1, "title": name, "artist": self.name(100), "album": self.name(100),
                    "album_artist": self.name(100), "artwork_url": self.name(100), "track": self.number,
                    "progress": {"track_progress": self.number, "track_duration": 1, "playback_speed": 1000}},
                controller={"supported_commands": ["play"], "volume": self.number % 100, "muted": False,
                            "repeat": "off", "shuffle": False})
        connection.fence()

    def covers(self, connection: Connection, count: int, size: int) -> None:
        connection.send("stream/start", server_transmitted=now(), artwork={"channels": COVER})
        for _ in range(count):
            connection.send_plaintext(b"\x08\x02" + (1).to_bytes(8, "big") + size.to_bytes(4, "big"))
            image = self.name(size).encode()
            for start in range(0, size, 60_000):
                connection.send_plaintext(b"\x08\x00" + image[start:start + 60_000])
        connection.fence()

    def nonsense(self, connection: Connection, count: int) -> None:
        """Sends unknown messages, malformed messages, and pings."""
        for _ in range(count):
            connection.send(self.name(300), value=self.name(300))
            connection.send("group/update", group_name=self.number, group_id=[])
            connection.send("server/command", player={"command": self.name(300)})
            connection.send("pair/abort", reason=self.name(300))
            connection.send_plaintext(b"\x18" + bytes(100))
            connection.websocket.send(PING, bytes(125))
        connection.fence()

    def steps(self, connection: Connection, count: int) -> None:
        """Starts, clears and ends streams, and begins pairings that fail. Too many steps end the connection."""
        for number in range(count):
            connection.start_stream(sample_rate=(44100, 48000)[number % 2])
            connection.send_chunks()
            connection.send("stream/clear", server_transmitted=now(), roles=["player"])
            connection.send("stream/end", roles=["player"])
            if not self.is_paired:
                connection.activate_pairing()
            connection.activate("playback")
            if number % 5 == 4:
                connection.fence()
                self.completed.add("steps")

    def half_open(self, count: int) -> None:
        """Opens connections that stop in the upgrade, a text, or fragments. The player closes those in excess."""
        for number in range(count):
            with suppress(Closed):
                start = (b"", b"GET ", b"GET /sendspin HTTP/1.1\r\n" + b"x" * 8000)[number % 3]
                self.rig.socket().write(start)
        for number in range(count):
            with suppress(Closed):
                connection = self.rig.connect(KeyPair(), again=True)
                connection.take_init()
                if number % 2:
                    connection.websocket.write(connection.websocket.frame(TEXT, bytes(65535))[:-1])
                    continue
                connection.send_init()
                connection.send_first(connection.first())
                connection.take_second()
                connection.greet(self.name(1000))
                for part in [b"\1\2\0" + bytes(60_000)] + [b"\1\0" + bytes(60_000)] * 7:
                    connection.websocket.send(BINARY, connection.seal(part))
                connection.fence()
                self.completed.add("fragments")

    def all(self, count: int, seconds: float = 0) -> None:
        """Runs all attacks on one connection for `seconds`.

        In tests in which the server connects to the player, also opens many connections.
        """
        with suppress(Closed):
            connection, end = self.connect(), time.monotonic() + seconds
            attacks: dict[str, Callable[[], None]] = {
                "states": lambda: self.states(connection, 10 * count, 100),
                "long states": lambda: self.states(connection, 2, 200_000),
                "covers": lambda: self.covers(connection, count // 5, 100_000),
                "large covers": lambda: self.covers(connection, 2, 1_000_000),
                "nonsense": lambda: self.nonsense(connection, count),
            }
            for name, attack in attacks.items():
                attack()
                self.completed.add(name)
            while time.monotonic() < end:
                list(attacks.values())[self.number % len(attacks)]()
            self.steps(connection, count)
        if not self.rig.is_dialed:
            self.half_open(count // 5)
            for _ in range(count // 5):
                with suppress(Closed):
                    self.connect()
        self.rig.close()


class MemoryTest(RigTest):
    def check(self, way: str, is_paired: bool = False) -> None:
        rig = self.rig(way)
        # A friendly server plays before the attack. The restart resets the limits of the player.
        rig.check_plays()
        Attack(rig, "friendly").all(5)
        rig.restart()
        rig.player.set_state("PLAYING")
        attack, before, threads = Attack(rig, "hostile", is_paired), rig.player.memory(), rig.player.threads()
        end, rounds, largest = time.monotonic() + (600 if IS_LONG else 0), 0, 0
        while rounds < 3 or time.monotonic() < end:
            attack.all(100, seconds=20 if IS_LONG else 0)
            largest = max(largest, rig.player.memory() - before)
            rounds += 1
            # After too many steps, the player waits for 30 s before it connects again.
            if rig.is_dialed and not IS_LONG:
                break
        rig.player.wait(lambda: rig.player.threads() <= threads)
        growth = rig.player.memory() - before
        print(f"{rounds} rounds, {attack.number} texts: growth {growth} kB, at most {largest} kB,",
              len(rig.player.messages()), "messages", flush=True)
        self.assertLess(growth, LIMIT)
        wanted = {"states", "long states", "covers", "large covers", "nonsense", "steps"}
        self.assertEqual(attack.completed, wanted if rig.is_dialed else wanted | {"fragments"})

    def test_server_that_the_player_connects_to(self) -> None:
        self.check(Rig.WAYS[0])

    def test_servers_that_connect_to_the_player(self) -> None:
        self.check(Rig.WAYS[1])

    def test_paired_server(self) -> None:
        self.check(Rig.WAYS[1], is_paired=True)

    def test_last_state_is_posted_after_too_many_states(self) -> None:
        rig = self.rig(Rig.WAYS[0])
        attack, start = Attack(rig, "name"), time.monotonic()
        connection = attack.connect()
        connection.become_ready()
        rig.check_stream(connection)
        attack.states(connection, 1000, 100)
        attack.states(connection, 10, 200_000)
        attack.text = "last"
        attack.states(connection, 1, 100)
        texts: list[str] = []

        def is_complete() -> bool:
            connection.fence()
            texts.extend(rig.player.messages())
            return all(any(text.startswith(kind) and "last" in text for text in texts)
                       for kind in ("element: sendspin-group", "tag"))

        rig.player.wait(is_complete)
        posted = [text for text in texts if text.startswith(("element: sendspin", "tag"))]
        # Messages about the server and its stream, a burst of 60, and one message per second.
        self.assertLessEqual(len(posted), 63 + time.monotonic() - start)


if __name__ == "__main__":
    unittest.main()
