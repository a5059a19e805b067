"""A player and a server that connect to each other, and the base class of their tests."""

from __future__ import annotations

import socket
import unittest
from typing import Callable

from noise import KeyPair
from player import Player
from server import Connection, encode
from websocket import Closed, WebSocket

UNTIL_PAIRED = "unpaired-access=until-paired"


class Rig:
    """A player and a server. Either side may connect to the other, as the protocol permits."""

    WAYS = ("the player connects", "the server connects")

    def __init__(self, way: str, properties: str = "unpaired-access=always", folder: str | None = None) -> None:
        self.is_dialed = way == self.WAYS[0]
        self.identity = KeyPair()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.sockets: list[socket.socket] = []
        self.port = self.listener.getsockname()[1]
        place = f"uri=sendspin://127.0.0.1:{self.port}" if self.is_dialed else "listen-address=127.0.0.1:0"
        self.player = Player(f"{place} {properties}", folder)

    def socket(self) -> WebSocket:
        """Returns a new TCP connection with the player, before the upgrade."""
        self.player.set_state("PLAYING")
        if self.is_dialed:
            self.sockets.append(self.listener.accept()[0])
        else:
            port = int(self.player.statistic("listen-address").split(":")[2].split("/")[0])
            self.sockets.append(socket.create_connection(("127.0.0.1", port)))
        return WebSocket(self.sockets[-1], is_client=not self.is_dialed)

    def connect(self, identity: KeyPair | None = None, again: bool = False) -> Connection:
        """Returns a connection after its upgrade. Restarts the player before, because it waits after a failure.

        With `again`, does not restart the player.
        """
        if not again:
            self.restart()
        websocket = self.socket()
        if self.is_dialed:
            request = websocket.accept()
            assert request.startswith("GET /sendspin HTTP/1.1\r\n"), request
        else:
            answer = websocket.request()
            assert answer == "HTTP/1.1 101 Switching Protocols", answer
        return Connection(websocket, identity or self.identity)

    def close(self) -> None:
        """Ends all connections."""
        for open_socket in self.sockets:
            open_socket.close()
        self.sockets.clear()

    def restart(self) -> None:
        """Ends all connections, and stops the player."""
        self.close()
        self.player.set_state("READY")
        # Close connections of the player that no test has accepted.
        self.listener.setblocking(False)
        try:
            while True:
                self.listener.accept()[0].close()
        except BlockingIOError:
            self.listener.setblocking(True)

    def check_plays(self) -> None:
        """Checks that the player plays the stream of a server that follows the protocol."""
        connection = self.connect()
        connection.open()
        connection.greet()
        connection.become_ready()
        self.check_stream(connection)

    def check_stream(self, connection: Connection) -> None:
        """Checks that the player plays the stream of this server."""
        connection.start_stream()

        def plays() -> bool:
            # On a busy machine, chunks may be late, so send each chunk earlier than the previous one.
            connection.lead += 20_000
            connection.send_chunks()
            connection.fence()
            return self.player.played() > 4

        self.player.wait(plays)

    def stop(self) -> None:
        self.restart()
        self.listener.close()
        self.player.stop()


class RigTest(unittest.TestCase):
    def rig(self, way: str, properties: str = "unpaired-access=always") -> Rig:
        rig = Rig(way, properties)
        self.addCleanup(rig.stop)
        return rig

    def each_way(self, check: Callable[[Rig], None], properties: str = "unpaired-access=always") -> None:
        for way in Rig.WAYS:
            with self.subTest(way):
                check(self.rig(way, properties))

    def pair(self, rig: Rig) -> tuple[Connection, bytes]:
        """Pairs a server. Returns its open connection and its long-term key."""
        connection = rig.connect()
        connection.open()
        connection.greet("owner")
        connection.activate(roles=[])
        key = connection.pair(rig.player.token()[32:])
        connection.become_ready()
        rig.player.wait(lambda: rig.player.paired() == [encode(rig.identity.public)])
        return connection, key

    def come(self, rig: Rig, identity: KeyPair) -> Connection:
        """Connects an intruder. If the player connects, the user must first accept another server."""
        if not rig.is_dialed:
            return rig.connect(identity, again=True)
        self.assertTrue(rig.player.ask("emit", "accept-server", ""))
        return rig.connect(identity)

    def misbehave(self, connection: Connection) -> tuple[int | None, list[str]]:
        """Sends each message that plays audio or changes the player. Returns the result of `Connection.end`."""
        try:
            connection.start_stream()
            connection.send_chunks(20)
            connection.set_volume(100)
            connection.send("server/command", player={"command": "mute", "mute": True})
            connection.send("server/command", player={"command": "set_output_delay", "output_delay_ms": 5000})
            connection.send("server/state", metadata={"timestamp": 1, "title": "intruder"})
            connection.send("group/update", playback_state="playing", group_id="intruder", group_name="intruder")
            connection.send("server/unpair")
            connection.send("server/pair-finalize")
        except Closed:
            pass
        return connection.end()
