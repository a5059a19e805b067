"""Tests that invalid handshakes and messages end the connection without an answer and without an effect."""

from __future__ import annotations

import json
import unittest
from typing import Callable

from noise import LOW_ORDER, KeyPair, NoiseError, WeakKeyPair
from rig import Rig, RigTest
from server import LONGEST, SENTINEL, Connection, encode, key_id, message
from websocket import BINARY, CLOSE, CONTINUATION, PING, TEXT, Closed

Fault = Callable[[Connection], None]


# Steps up to the invalid step

def init(text: str | bytes = "", **fields: object) -> Fault:
    """Sends `server/init` with other fields, or the text `text` instead of it."""
    def act(connection: Connection) -> None:
        connection.take_init()
        payload = {"server_id": encode(connection.identity.public), "version": 1, **fields}
        given = text.encode() if isinstance(text, str) else text
        connection.send_init(given or message("server/init", **{k: v for k, v in payload.items() if v is not None}))
    return act


def first(
    change: Callable[[bytes], bytes] = bytes, suite: str = "", prologue: Callable[[bytes], bytes] = bytes,
    **options: object,
) -> Fault:
    """Sends the first message of the handshake with other content."""
    def act(connection: Connection) -> None:
        connection.take_init()
        connection.send_init()
        connection.suite = suite or connection.suite
        connection.send_first(change(connection.first(prologue=prologue(connection.prologue), **options)))
    return act


def data(text: object) -> Fault:
    """Sends `noise/handshake` with this data."""
    def act(connection: Connection) -> None:
        connection.take_init()
        connection.send_init()
        connection.send_text(message("noise/handshake", data=text))
    return act


def identity(make: Callable[[Connection], KeyPair]) -> Fault:
    """Begins a handshake with another key pair of the server."""
    def act(connection: Connection) -> None:
        connection.take_init()
        connection.identity = make(connection)
        connection.send_init()
        connection.send_first(connection.first())
    return act


def raw(make: Callable[[Connection], bytes]) -> Fault:
    """Sends bytes in place of `server/init`."""
    def act(connection: Connection) -> None:
        connection.take_init()
        connection.websocket.write(make(connection))
    return act


def opened(step: Fault) -> Fault:
    """Performs a step after the handshake."""
    def act(connection: Connection) -> None:
        connection.open()
        step(connection)
    return act


def active(step: Fault) -> Fault:
    """Performs a step on a connection with active playback."""
    def act(connection: Connection) -> None:
        connection.open()
        connection.greet()
        connection.become_ready()
        connection.set_volume(40)
        connection.fence()
        step(connection)
    return act


def sealed(*plaintexts: bytes, order: tuple[int, ...] = ()) -> Fault:
    """Sends encrypted messages, in `order` if it is given."""
    def act(connection: Connection) -> None:
        messages = [connection.seal(plaintext) for plaintext in plaintexts]
        for index in order or range(len(messages)):
            connection.websocket.send(BINARY, messages[index])
    return act


def altered(change: Callable[[bytes], bytes]) -> Fault:
    """Sends a command with a changed ciphertext."""
    return lambda c: c.websocket.send(BINARY, change(c.seal(b"\0" + VOLUME)))


def with_old_keys(connection: Connection) -> None:
    connection.change_keys("sn", SENTINEL)
    connection.sending = connection.old_keys[0]
    connection.activate("playback")


def with_wrong_key(connection: Connection) -> None:
    """Begins a handshake that names the correct key but uses another key."""
    first()(connection)
    try:
        connection.take_second(bytes(32))
        raise AssertionError("the answer does not depend on the key")
    except NoiseError:
        connection.sending, connection.receiving = connection.handshake.keys()
    connection.send("server/hello", name="wrong")


def renewed(change: Callable[[bytes], bytes] = bytes, **options: object) -> Fault:
    """Begins a handshake with other content on the open connection."""
    return lambda c: c.send("noise/handshake", data=encode(change(c.first(**options))))


def impostor(_: Connection) -> KeyPair:
    """The public key of another server, without its secret key."""
    pair = KeyPair()
    pair.public = KeyPair().public
    return pair


def reflected(connection: Connection) -> KeyPair:
    """The public key of the player, without its secret key."""
    pair = KeyPair()
    pair.public = connection.client
    return pair


def flipped(index: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:index] + bytes([data[index] ^ 1]) + data[index:][1:]


VOLUME = message("server/command", player={"command": "volume", "volume": 7})
REFERENCE = {"psk_id": key_id(SENTINEL), "psk_category": "sn"}
IDENTITY = encode(KeyPair(b"\7" * 32).public)
OWN = json.dumps(REFERENCE).encode()
AUTHENTIC, ORDER, FRAMES = "with another key, or changed", "instead of", "violated the protocol: a"

# Faults by name, each with a part of the warning that the player posts.
FAULTS: dict[str, tuple[str, Fault]] = {
    # WebSocket
    "text that is not UTF-8": ("is not UTF-8", init(b'{"type":"\xff"}')),
    "mask": (FRAMES, raw(lambda c: c.websocket.frame(TEXT, b"{}", is_masked=not c.websocket.is_client))),
    "reserved bit": (FRAMES, raw(lambda c: c.websocket.frame(TEXT, b"{}", first=0xC1))),
    "reserved opcode": (FRAMES, raw(lambda c: c.websocket.frame(3, b"{}"))),
    "continuation first": ("continues no message", raw(lambda c: c.websocket.frame(CONTINUATION, b"{}"))),
    "message in a message": (
        "begins inside another", raw(lambda c: c.websocket.frame(TEXT, b"{", first=1) + c.websocket.frame(TEXT, b"}"))),
    "fragmented ping": ("is fragmented", raw(lambda c: c.websocket.frame(PING, b"", first=PING))),
    "long ping": ("at most 125", raw(lambda c: c.websocket.frame(PING, bytes(126)))),
    "long text": ("more than 65535", init(b" " * 65536)),
    "bad close": ("invalid code", raw(lambda c: c.websocket.frame(CLOSE, b"\3"))),
    "end": ("closed the connection before", raw(lambda c: c.websocket.frame(CLOSE, b"\3\xe8"))),
    # server/init
    **{f"version {value!r}": (text, init(version=value)) for value, text in [
        (0, "version 0"), (2, "version 2"), (256, "version 256"), (1 << 40, "out of range"), (-1, "out of range"),
        ("1", "is not an integer"), (True, "is not an integer"), (None, "is missing")]},
    **{f"identity {value!r}": ("no public key", init(server_id=value)) for value in [
        "", IDENTITY[:-1], IDENTITY + "A", IDENTITY + "=", "+" + IDENTITY[1:], " " + IDENTITY[1:], IDENTITY[:-1] + "\n",
        IDENTITY[:-1] + chr(ord(IDENTITY[-1]) + 1), "\u00e9" * 43]},
    "no identity": ("is missing", init(server_id=None)),
    "refusal": ("with the reason \"unsupported_suite\"", init(message("server/error", reason="unsupported_suite"))),
    "no JSON": ("is no JSON", init("{")),
    "deep JSON": ("is no JSON", init("[" * 17 + "]" * 17)),
    "no message": ("is not a message", init("[]")),
    "handshake first": (ORDER, init(message("noise/handshake", data="AAAA"))),
    "greeting first": (ORDER, init(message("server/hello", name="x"))),
    "binary first": (ORDER, raw(lambda c: c.websocket.frame(BINARY, b"\0{}"))),
    "two identities": (ORDER, lambda c: (init()(c), c.send_init())),
    # The first message
    "other client": (AUTHENTIC, first(peer=KeyPair().public)),
    "impostor": (AUTHENTIC, identity(impostor)),
    "reflected identity": (AUTHENTIC, identity(reflected)),
    "no prologue": (AUTHENTIC, first(prologue=lambda _: b"")),
    "shorter prologue": (AUTHENTIC, first(prologue=lambda prologue: prologue[:-1])),
    "prologue of another version": (AUTHENTIC, first(prologue=lambda prologue: prologue.replace(b"1", b"2", 1))),
    "prologue in another form": (AUTHENTIC, first(prologue=lambda prologue: prologue.replace(b",", b", ", 1))),
    "other suite": (AUTHENTIC, first(suite="25519_AESGCM_SHA256")),
    "other pattern": (AUTHENTIC, first(lambda message: message[:32] + bytes(len(message) - 32))),
    **{f"low order {number}": ("weak keys", first(ephemeral=WeakKeyPair(point)))
       for number, point in enumerate(LOW_ORDER)},
    **{f"identity of low order {number}": ("weak keys", identity(lambda _, point=point: WeakKeyPair(point)))
       for number, point in enumerate(LOW_ORDER)},
    **{f"{size} bytes": (text, first(lambda message, size=size: message[:size])) for size, text in [
        (0, "at least 48"), (1, "at least 48"), (32, "at least 48"), (47, "at least 48"), (48, AUTHENTIC),
        (-1, AUTHENTIC)]},
    "one byte more": (AUTHENTIC, first(lambda message: message + b"\0")),
    **{f"changed byte {index}": (AUTHENTIC, first(flipped(index))) for index in [0, 15, 31, 32, 50, 80, -17, -16, -1]},
    "message of 4097 bytes": ("is not base64url", first(lambda message: message.ljust(4097, b"\0"))),
    **{f"data {value!r}": ("is not base64url", data(value)) for value in [
        "A", "AA==", "+/AA", "AAAA\n", "AB", "\u00e9"]},
    "data that is a number": ("is not a string", data(1)),
    "no data": ("is missing", data(None)),
    # The payload of the first message
    **{f"payload {value!r}": (text, first(payload=value)) for value, text in [
        (b"", "is malformed"), (b"{", "is malformed"), (b"[]", "is malformed"), (b"\xff", "is malformed"),
        (OWN + b" " * 3000 + b"\0", "is malformed"), (b'{"psk_id":1,"psk_category":"sn"}', "is malformed"),
        (b'{"psk_category":"sn"}', "is malformed"), (json.dumps({"psk_id": key_id(SENTINEL)}).encode(), "7 to 9"),
        (OWN.replace(b'"sn"', b'"xx"'), "category of the key"), (OWN.replace(b'"sn"', b'"SN"'), "category of the key"),
        (OWN.replace(b'"sn"', b"{}"), "is malformed")]},
    "wrong key": ("cannot be decrypted", with_wrong_key),
    # After the handshake
    "cleartext": ("is not encrypted", opened(lambda c: c.send_text(message("server/hello", name="x")))),
    "activation first": (ORDER, opened(lambda c: c.activate("playback"))),
    "command first": (ORDER, opened(sealed(b"\0" + VOLUME))),
    "unknown first": (ORDER, opened(lambda c: c.send("server/future"))),
    "audio first": (ORDER, opened(sealed(b"\4" + bytes(40)))),
    "greeting twice": (ORDER, opened(lambda c: (c.greet(), c.send("server/hello", name="x")))),
    "handshake before the activation": (ORDER, opened(lambda c: (c.greet(), renewed()(c)))),
    **{f"message of {size} bytes": ("at least 16", active(altered(lambda data, size=size: data[:size])))
       for size in (0, 1, 15)},
    "message without content": ("is empty", active(sealed(b""))),
    "message without its end": (AUTHENTIC, active(altered(lambda data: data[:-1]))),
    "message with a byte more": (AUTHENTIC, active(altered(lambda data: data + b"\0"))),
    **{f"message with changed byte {index}": (AUTHENTIC, active(altered(flipped(index))))
       for index in (0, 5, -17, -16, -1)},
    "too long message": ("more than 65535", active(lambda c: c.websocket.send(BINARY, c.seal(bytes(LONGEST + 1))))),
    "repeated message": (AUTHENTIC, active(sealed(b"\0{}", b"\0" + VOLUME, order=(1, 1)))),
    "swapped messages": (AUTHENTIC, active(sealed(b"\0" + VOLUME, b"\0" + VOLUME, order=(1, 0)))),
    "lost message": (AUTHENTIC, active(sealed(b"\0" + VOLUME, b"\0" + VOLUME, order=(1,)))),
    "message of the player": (
        AUTHENTIC, active(lambda c: (setattr(c, "sending", c.receiving), sealed(b"\0" + VOLUME)(c)))),
    "message with the old keys": (AUTHENTIC, active(with_old_keys)),
    "unencrypted message": (AUTHENTIC, active(lambda c: c.websocket.send(BINARY, b"\0" + VOLUME))),
    "cleartext later": ("is not encrypted", active(lambda c: c.send_text(VOLUME))),
    # Fragments
    "fragment of nothing": ("continues no message", active(sealed(b"\1\1" + VOLUME))),
    "reserved flag": ("invalid flags", active(sealed(b"\1\7\0" + VOLUME))),
    "fragment in a fragment": ("contains fragments", active(sealed(b"\1\3\1" + VOLUME))),
    "fragment without type": ("invalid length", active(sealed(b"\1\3"))),
    "interrupted fragments": ("interrupts a fragmented one", active(sealed(b"\1\2\0{", b"\0" + VOLUME))),
    "fragments that start twice": ("starts inside another", active(sealed(b"\1\2\0{", b"\1\2\0{"))),
    "endless fragments": (
        "maximum is 524288", active(sealed(b"\1\2\4" + bytes(60_000), *[b"\1\0" + bytes(60_000)] * 8))),
    "long JSON": ("is no JSON", active(lambda c: c.send_plaintext(b"\0" + b" " * 262_145))),
    # A handshake on the open connection
    "renewed with an unknown key": ("is not stored here", active(renewed(psk=b"\1" * 32, category="lt"))),
    "renewed with an unknown token": ("is not stored here", active(renewed(psk=b"\1" * 32, category="pr"))),
    "renewed with another prologue": (AUTHENTIC, active(renewed(prologue=b""))),
    "renewed, changed": (AUTHENTIC, active(renewed(flipped(-1)))),
    "renewed with low order": ("weak keys", active(renewed(ephemeral=WeakKeyPair(LOW_ORDER[0])))),
}


class FaultTest(RigTest):
    def check(self, rig: Rig, text: str, fault: Fault) -> None:
        """The player must close the connection without sending a message. Later messages must have no effect."""
        connection = rig.connect()
        rig.player.messages()
        rig.player.ask("emit", "set-player-volume", 40, False)
        try:
            fault(connection)
            connection.send_plaintext(b"\0" + VOLUME) if connection.sending else connection.send_text(VOLUME)
        except Closed:
            pass
        code, kinds = connection.end()
        self.assertEqual([kind for kind in kinds if kind != "client/state"], [])
        self.assertIn(code, (1000, 1002, 1007, 1009))
        if rig.is_dialed:
            rig.player.wait_for("warning", text)
        # After the restart, no thread of the connection can still change the volume.
        rig.restart()
        self.assertEqual(rig.player.volume(), (40, False))

    def check_all(self, way: str) -> None:
        rig = self.rig(way)
        for name, (text, fault) in FAULTS.items():
            with self.subTest(name):
                self.check(rig, text, fault)
        rig.check_plays()

    def test_each_fault_ends_the_connection_of_the_player(self) -> None:
        self.check_all(Rig.WAYS[0])

    def test_each_fault_ends_the_connection_of_the_server(self) -> None:
        self.check_all(Rig.WAYS[1])


if __name__ == "__main__":
    unittest.main()
