"""Client and server of WebSocket (RFC 6455) over blocking sockets. Either can also send invalid frames."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from patience import PATIENCE  # noqa: E402

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
CONTINUATION = 0


class Closed(Exception):
    """The peer has ended the connection. `code` is that of the close frame, or None without a close frame."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"the connection was closed with {code}")
        self.code = code


class WebSocket:
    def __init__(self, connection: socket.socket, is_client: bool) -> None:
        connection.settimeout(PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.is_client = connection, is_client
        self.unread = b""
        self.pongs: list[bytes] = []

    # The upgrade

    def _head(self) -> str:
        while b"\r\n\r\n" not in self.unread:
            data = self.socket.recv(65536)
            if not data:
                raise Closed(None)
            self.unread += data
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        return head.decode("ascii")

    def accept(self, answer: str = "", key_suffix: str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11") -> str:
        """Answers the request of a client: with `answer` if given, otherwise correctly. Returns the request."""
        request = self._head()
        fields = dict(line.split(": ", 1) for line in request.split("\r\n")[1:])
        digest = hashlib.sha1((fields["Sec-WebSocket-Key"] + key_suffix).encode()).digest()
        answer = answer or "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
            "Sec-WebSocket-Accept: {accept}\r\n\r\n"
        self.write(answer.replace("{accept}", base64.b64encode(digest).decode()).encode())
        return request

    def request(self, path: str = "/sendspin", extra: str = "", version: int = 13, method: str = "GET") -> str:
        """Sends a request for the upgrade. Returns the first line of the answer."""
        key = base64.b64encode(os.urandom(16)).decode()
        self.write(
            f"{method} {path} HTTP/1.1\r\nHost: player\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: {version}\r\n{extra}\r\n".encode())
        head = self._head()
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if head.startswith("HTTP/1.1 101 "):
            assert f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}" in head, head
        return head.split("\r\n")[0]

    # Frames

    def write(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Closed(None) from error

    def frame(self, opcode: int, payload: bytes, first: int | None = None, is_masked: bool | None = None) -> bytes:
        """Returns the bytes of a frame. `first` replaces the first byte, which contains the FIN bit and the opcode."""
        is_masked = self.is_client if is_masked is None else is_masked
        head = bytes([0x80 | opcode if first is None else first])
        flag, size = 0x80 if is_masked else 0, len(payload)
        if size < 126:
            head += bytes([flag | size])
        elif size < 65536:
            head += bytes([flag | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([flag | 127]) + size.to_bytes(8, "big")
        if not is_masked:
            return head + payload
        mask = os.urandom(4)
        repeated = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        return head + mask + (int.from_bytes(payload, "big") ^ repeated).to_bytes(size, "big")

    def send(self, opcode: int, payload: bytes) -> None:
        self.write(self.frame(opcode, payload))

    def close(self, code: int = 1000) -> None:
        """Ends the connection. Sends a close frame if the peer still accepts one."""
        with suppress(Closed):
            self.send(CLOSE, code.to_bytes(2, "big"))
        self.socket.close()

    def _take(self, size: int) -> bytes:
        parts, missing = [self.unread[:size]], size - len(self.unread)
        self.unread = self.unread[size:]
        while missing > 0:
            try:
                data = self.socket.recv(min(missing, 1 << 20))
            except ConnectionError as error:
                raise Closed(None) from error
            if not data:
                raise Closed(None)
            parts.append(data)
            missing -= len(data)
        return b"".join(parts)

    def receive(self) -> tuple[int, bytes]:
        """Returns the next message or pong. Answers pings."""
        message, kind = b"", None
        while True:
            first, second = self._take(2)
            opcode, size = first & 15, second & 127
            assert bool(second & 0x80) is not self.is_client, "the mask of a frame is wrong"
            if size > 125:
                size = int.from_bytes(self._take(2 if size == 126 else 8), "big")
            mask = self._take(4) if second & 0x80 else b"\0\0\0\0"
            data = bytearray(self._take(size))
            for index in range(4):
                data[index::4] = bytes(byte ^ mask[index] for byte in data[index::4])
            if opcode == CLOSE:
                raise Closed(int.from_bytes(data[:2], "big") if data else 1005)
            if opcode == PING:
                self.send(PONG, bytes(data))
            elif opcode == PONG:
                self.pongs.append(bytes(data))
                return PONG, bytes(data)
            else:
                kind = opcode or kind
                message += data
                if first & 0x80:
                    assert kind is not None
                    return kind, message
