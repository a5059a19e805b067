"""Handshakes and upgrades with a server that shares no code with the plugin. Either side connects to the other."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from noise import Handshake, KeyPair
from rig import Rig, RigTest
from server import LONGEST, SENTINEL, encode, message
from websocket import BINARY, CLOSE, CONTINUATION, PING, TEXT

VECTORS = Path(__file__).resolve().parents[1] / "SendspinSecurityTests/Noise/vectors.json"
VOLUME = message("server/command", player={"command": "volume", "volume": 7})


class HandshakeTest(RigTest):
    def test_the_noise_of_the_server_agrees_with_the_vectors(self) -> None:
        for vector in json.loads(VECTORS.read_text(encoding="ascii")):
            given = {name: bytes.fromhex(vector[name]) for name in (
                "prologue", "serverKey", "clientKey", "serverEphemeral", "preSharedKey")}
            payloads = [bytes.fromhex(text) for text in vector["payloads"]]
            messages = [bytes.fromhex(text) for text in vector["messages"]]
            handshake = Handshake(
                vector["suite"], given["prologue"], KeyPair(given["serverKey"]), KeyPair(given["clientKey"]).public,
                ephemeral=KeyPair(given["serverEphemeral"]))
            self.assertEqual(handshake.write(payloads[0]), messages[0])
            self.assertEqual(handshake.read(messages[1], [SENTINEL[::-1], given["preSharedKey"]])[0], payloads[1])
            self.assertEqual(handshake.state.hash.hex(), vector["handshakeHash"])
            sending, receiving = handshake.keys()
            for plain, down, up in zip(vector["plaintexts"], vector["fromServer"], vector["fromClient"]):
                self.assertEqual(sending.encrypt(bytes.fromhex(plain)).hex(), down)
                self.assertEqual(receiving.decrypt(bytes.fromhex(up)).hex(), plain)

    def test_the_exact_bytes_of_the_first_messages_are_authenticated(self) -> None:
        def check(rig: Rig) -> None:
            connection = rig.connect()
            connection.take_init()
            text = message("server/init", future={"a": [1, None]}, version=1, server_id=encode(rig.identity.public))
            text = text.replace(b"{", b" {\n ").replace(b'"type"', b'"t\\u0079pe"')
            connection.prologue += text
            # Send each byte in its own frame, followed by a ping.
            for index, byte in enumerate(text):
                last = index == len(text) - 1
                opcode = TEXT if index == 0 else CONTINUATION
                frame = connection.websocket.frame(opcode, bytes([byte]), first=opcode | (0x80 if last else 0))
                connection.websocket.write(frame + connection.websocket.frame(PING, b"x"))
            connection.send_first(connection.first())
            while connection.websocket.receive()[0] != TEXT:
                pass
        self.each_way(check)

    def test_keys_change_while_a_stream_plays(self) -> None:
        def check(rig: Rig) -> None:
            connection = rig.connect()
            self.assertEqual(connection.open(), SENTINEL)
            self.assertTrue(connection.greet()["unpaired_access"]["enabled"])
            connection.become_ready()
            rig.check_stream(connection)
            for number in range(3):
                connection.change_keys("sn", SENTINEL)
                connection.set_volume(7)
                connection.send("server/future")
                connection.activate("playback")
                connection.set_volume(50 + number)
                connection.fence()
                self.assertEqual(rig.player.volume(), (50 + number, False))
            count = rig.player.played()

            def plays() -> bool:
                connection.send_chunks()
                connection.fence()
                return rig.player.played() > count + 4

            rig.player.wait(plays)
            self.assertEqual(rig.player.messages("element: sendspin-stream-end"), [])
        self.each_way(check)

    def test_fragments_are_joined(self) -> None:
        def check(rig: Rig) -> None:
            connection = rig.connect()
            connection.open()
            connection.greet()
            connection.become_ready()
            for size in (LONGEST - 100, LONGEST + 1, 200_000):
                connection.send("group/update", group_id="id", group_name="n" * size, playback_state="playing")
            for part in (b"\1\2\0" + VOLUME[:9], b"\1\0", b"\1\0" + VOLUME[9:20], b"\1\1" + VOLUME[20:]):
                connection.websocket.send(BINARY, connection.seal(part))
            connection.fence()
            self.assertEqual(rig.player.volume(), (7, False))
        self.each_way(check)

    def test_unknown_key_is_answered_with_the_published_key(self) -> None:
        """A key that is known in one category (`lt`, `pr` or `sn`) is unknown in the other categories."""
        def check(rig: Rig) -> None:
            rig.player.set_state("PAUSED")
            token = rig.player.token()[32:]
            for category, psk in [("lt", b"\1" * 32), ("pr", b"\1" * 32), ("sn", b"\1" * 32), ("lt", token),
                                  ("sn", token), ("lt", SENTINEL), ("pr", SENTINEL)]:
                connection = rig.connect()
                rig.player.messages()
                self.assertEqual(connection.open(category, psk), SENTINEL)
                rig.player.wait_for("warning", "a pairing that this player does not have")
            connection = rig.connect()
            self.assertEqual(connection.open("pr", token), token)
        self.each_way(check)

    def test_repeated_handshake_gives_no_keys(self) -> None:
        """A thief can repeat a first message, because the prologue is the same, but cannot read the answer."""
        def check(rig: Rig) -> None:
            connection = rig.connect()
            connection.take_init()
            connection.send_init()
            first_message = connection.first()
            connection.send_first(first_message)
            connection.take_second()
            hello = connection.seal(b"\0" + message("server/hello", name="recorded"))
            connection.websocket.send(BINARY, hello)
            connection.expect("client/hello")
            answer = connection.handshake.peer_ephemeral
            again = rig.connect()
            again.take_init()
            again.send_init()
            again.send_first(first_message)
            kind, text = again.websocket.receive()
            self.assertEqual(kind, TEXT)
            self.assertNotIn(encode(answer)[:42], text.decode())
            again.websocket.send(BINARY, hello)
            self.assertEqual(again.end()[1], [])
        self.each_way(check)

    # After a close frame, and before the upgrade

    def test_nothing_behind_a_close_frame_has_an_effect(self) -> None:
        def check(rig: Rig) -> None:
            connection = rig.connect()
            connection.open()
            connection.greet()
            connection.become_ready()
            connection.set_volume(40)
            connection.fence()
            socket = connection.websocket
            command = socket.frame(BINARY, connection.seal(b"\0" + VOLUME))
            socket.write(socket.frame(CLOSE, b"\3\xe8") + command * 3)
            connection.end()
            rig.restart()
            self.assertEqual(rig.player.volume(), (40, False))
        self.each_way(check)

    def test_faults_of_the_upgrade_are_refused(self) -> None:
        rig = self.rig(Rig.WAYS[0])
        accept = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        for answer in [
            accept + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n", accept + "\r\n",
            accept + "Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 101 No\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n",
            accept + "X: " + "x" * 9000 + "\r\n\r\n",
        ]:
            with self.subTest(answer[:200]):
                rig.restart()
                socket = rig.socket()
                rig.player.messages()
                socket.accept(answer)
                rig.player.wait_for("warning", "No WebSocket at")
                socket.close()
        rig.check_plays()

    def test_faults_of_a_request_are_refused(self) -> None:
        rig = self.rig(Rig.WAYS[1])
        for line, options in [
            ("404", {"path": "/other"}), ("403", {"extra": "Origin: http://page\r\n"}), ("426", {"version": 12}),
            ("405", {"method": "POST"}), ("400", {"extra": "Content-Length: 1\r\n"}),
            ("400", {"extra": "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"}),
            ("431", {"extra": "X: " + "x" * 9000 + "\r\n"}),
        ]:
            with self.subTest(line):
                self.assertEqual(rig.socket().request(**options).split()[1], line)
        rig.check_plays()


if __name__ == "__main__":
    unittest.main()
