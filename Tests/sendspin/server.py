"""A Sendspin server that follows the specification step by step. A test can omit or falsify each step."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from contextlib import suppress
from typing import Any

from noise import CipherState, Handshake, KeyPair
from websocket import BINARY, PING, PONG, TEXT, Closed, WebSocket

SENTINEL = hashlib.sha256(b"sendspin-sentinel-psk-v1").digest()
ROLES = ["player@v1", "metadata@v1", "artwork@v1", "controller@v1"]
PCM = {"codec": "pcm", "channels": 2, "sample_rate": 48000, "bit_depth": 16}
COVER = [{"source": "album", "format": "jpeg", "width": 600, "height": 600}]
# Maximum size of the plaintext in one Noise message, in bytes.
LONGEST = 65535 - 16
CHUNK_TIME = 25_000


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def key_id(psk: bytes) -> str:
    return encode(hashlib.sha256(b"sendspin-psk-id-v1" + psk).digest())


def message(kind: str, **payload: Any) -> bytes:
    return json.dumps({"payload": payload, "type": kind}).encode()


def now() -> int:
    """Time of the server in microseconds."""
    return time.monotonic_ns() // 1000 + 5_000_000_000


class Connection:
    def __init__(self, websocket: WebSocket, identity: KeyPair) -> None:
        self.websocket, self.identity = websocket, identity
        self.prologue, self.client, self.suite = b"", b"", ""
        self.handshake: Handshake
        self.sending: CipherState | None = None
        self.receiving: CipherState | None = None
        self.old_keys: tuple[CipherState | None, CipherState | None] = (None, None)
        self.state: dict[str, Any] = {}
        # Play time of the next chunk, and minimum time between sending a chunk and its play time, in microseconds.
        self.next_chunk, self.lead = 0, 400_000
        self.fences = 0
        # Time requests that arrived during a new handshake; `activate` answers them. None outside of a handshake.
        self.owed: list[dict[str, Any]] | None = None

    # Handshake

    def take_init(self) -> None:
        """Receives `client/init`."""
        kind, text = self.websocket.receive()
        assert kind == TEXT, kind
        init = json.loads(text)
        assert init["type"] == "client/init" and init["payload"]["version"] == 1, init
        self.prologue, self.suite = text, init["payload"]["suite"]
        self.client = decode(init["payload"]["client_id"])
        assert len(self.client) == 32 and encode(self.client) == init["payload"]["client_id"]

    def send_text(self, text: bytes) -> None:
        self.websocket.send(TEXT, text)

    def send_init(self, text: bytes = b"") -> None:
        """Sends `server/init`, or another text in its place."""
        text = text or message("server/init", server_id=encode(self.identity.public), version=1)
        self.prologue += text
        self.send_text(text)

    def first(
        self, category: str = "sn", psk: bytes = SENTINEL, payload: bytes | None = None,
        ephemeral: KeyPair | None = None, prologue: bytes | None = None, peer: bytes = b"",
    ) -> bytes:
        """Returns the first message of a handshake, which names the key. A test may replace parts of the message."""
        prologue = self.prologue if prologue is None else prologue
        self.handshake = Handshake(self.suite, prologue, self.identity, peer or self.client, ephemeral=ephemeral)
        reference = json.dumps({"psk_category": category, "psk_id": key_id(psk)}).encode()
        return self.handshake.write(reference if payload is None else payload)

    def send_first(self, first: bytes) -> None:
        self.send_text(message("noise/handshake", data=encode(first)))

    def take_second(self, *psks: bytes) -> bytes:
        """Receives the second message of the handshake. Returns the pre-shared key that it uses."""
        kind, text = self.websocket.receive()
        assert kind == TEXT, kind
        return self._finish(json.loads(text), psks)

    def _finish(self, answer: dict[str, Any], psks: tuple[bytes, ...]) -> bytes:
        assert answer["type"] == "noise/handshake" and list(answer["payload"]) == ["data"], answer
        payload, psk = self.handshake.read(decode(answer["payload"]["data"]), list(psks) or [SENTINEL])
        assert payload == b"{}", payload
        self.old_keys = (self.sending, self.receiving)
        self.sending, self.receiving = self.handshake.keys()
        self.prologue = self.handshake.state.hash
        return psk

    def open(self, category: str = "sn", psk: bytes = SENTINEL) -> bytes:
        """Performs all steps before the transport phase. Returns the pre-shared key of the connection."""
        self.take_init()
        self.send_init()
        self.send_first(self.first(category, psk))
        return self.take_second(psk, SENTINEL)

    def change_keys(self, category: str, psk: bytes, **others: Any) -> None:
        """Performs a new handshake on the open connection. The caller must call `activate` next."""
        self.owed = []
        self.send("noise/handshake", data=encode(self.first(category, psk, **others)))
        answer = self.expect("noise/handshake")
        self._finish({"type": "noise/handshake", "payload": answer}, (psk,))

    # Transport

    def seal(self, plaintext: bytes) -> bytes:
        assert self.sending
        return self.sending.encrypt(plaintext)

    def send_plaintext(self, plaintext: bytes) -> None:
        """Sends a message with its type, in fragments if it is long."""
        if len(plaintext) <= LONGEST:
            return self.websocket.send(BINARY, self.seal(plaintext))
        rest, head = plaintext[1:], bytes([1, 2, plaintext[0]])
        while rest:
            part, rest = rest[:LONGEST - len(head)], rest[LONGEST - len(head):]
            if not rest:
                head = bytes([1, head[1] | 1]) + head[2:]
            self.websocket.send(BINARY, self.seal(head + part))
            head = b"\1\0"
        return None

    def send(self, kind: str, **payload: Any) -> None:
        self.send_plaintext(b"\0" + message(kind, **payload))

    def receive(self) -> tuple[str, dict[str, Any]]:
        """Returns the next message, or ("pong", …). Answers time requests."""
        while True:
            kind, data = self.websocket.receive()
            if kind == PONG:
                return "pong", {"data": data.hex()}
            if kind == TEXT:
                value = json.loads(data)
                return value["type"], value["payload"]
            assert self.receiving
            plaintext = self.receiving.decrypt(data)
            assert plaintext[0] == 0, plaintext[:1]
            value = json.loads(plaintext[1:])
            kind_of_message, payload = value["type"], value["payload"]
            if kind_of_message == "client/time":
                payload["received"] = now()
                if self.owed is None:
                    self._answer(payload)
                else:
                    self.owed.append(payload)
                continue
            if kind_of_message == "client/state":
                self.state = payload
            return kind_of_message, payload

    def _answer(self, request: dict[str, Any]) -> None:
        self.send("server/time", client_transmitted=request["client_transmitted"], server_received=request["received"],
                  server_transmitted=now())

    def expect(self, kind: str) -> dict[str, Any]:
        """Returns the next message, which must have the type `kind`. Skips states and pongs."""
        while True:
            found, payload = self.receive()
            if found == kind:
                return payload
            assert found in ("client/state", "pong"), (found, payload)

    def refusal(self) -> str:
        """Returns the reason of the goodbye, which the player must send before it answers a ping."""
        with suppress(Closed):
            self.websocket.send(PING, b"")
        while True:
            found, payload = self.receive()
            if found != "client/state":
                assert found == "client/goodbye", (found, payload)
                return payload["reason"]

    def fence(self) -> None:
        """Waits until the player has processed all messages, because it answers a ping after all earlier messages."""
        self.fences += 1
        data = self.fences.to_bytes(8, "big")
        self.websocket.send(PING, data)
        while self.receive() != ("pong", {"data": data.hex()}):
            pass

    def end(self) -> tuple[int | None, list[str]]:
        """Waits until the player closes the connection. Returns the close code, and the types of earlier messages."""
        self.owed = []
        kinds = []
        try:
            while True:
                kinds.append(self.receive()[0])
        except Closed as closed:
            self.websocket.socket.close()
            return closed.code, [kind for kind in kinds if kind != "pong"]

    # Session

    def greet(self, name: str = "independent") -> dict[str, Any]:
        """Exchanges the hello messages. Returns the hello of the player."""
        self.send("server/hello", name=name)
        return self.expect("client/hello")

    def activate(self, *activities: str, roles: list[str] | None = None, **pairing: Any) -> None:
        roles = ([] if "pairing" in activities else ROLES) if roles is None else roles
        self.send("server/activate", activities=list(activities), active_roles=roles, **pairing)
        owed, self.owed = self.owed or [], None
        for request in owed:
            self._answer(request)

    def activate_pairing(self, method: str = "pairing_psk") -> None:
        self.activate("pairing", pairing={"method": method})

    def become_ready(self) -> None:
        """Activates playback. Waits until the player accepts audio."""
        self.activate("playback")
        while not self.state.get("available"):
            self.receive()

    def start_stream(self, **others: Any) -> None:
        self.send("stream/start", server_transmitted=now(), player={**PCM, **others})
        self.next_chunk = 0

    def send_chunks(self, count: int = 1) -> None:
        for _ in range(count):
            self.next_chunk = max(self.next_chunk, now() + self.lead)
            # The last four bytes of the head are 0, because this server does not state the lead.
            head = b"\4" + self.next_chunk.to_bytes(8, "big") + bytes(4)
            self.send_plaintext(head + bytes(48 * 4 * CHUNK_TIME // 1000))
            self.next_chunk += CHUNK_TIME

    def set_volume(self, percent: int) -> None:
        self.send("server/command", player={"command": "volume", "volume": percent})

    def pair(self, psk: bytes) -> bytes:
        """Pairs with the key of the token. Returns the long-term key, which protects the connection from now on."""
        self.change_keys("pr", psk)
        self.activate_pairing()
        assert self.expect("client/pair-init") == {"pairing_index": 1}
        key = decode(self.expect("client/pair-finalize")["long_term_psk"])
        assert len(key) == 32
        self.send("server/pair-finalize")
        self.change_keys("lt", key)
        return key
