"""The initiator of CPACE-X25519-SHA512 with mutual confirmation, from draft-irtf-cfrg-cpace-21, and Sendspin's codes.

The plugin does not share this code, so both agree only if both are correct. Python's integers are not constant-time.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

from noise import LOW_ORDER, PRIME, KeyPair

A = 486662


def prefixed(*parts: bytes) -> bytes:
    """The function lv_cat, for parts of less than 128 bytes."""
    return b"".join(bytes([len(part)]) + part for part in parts)


def elligator2(number: int) -> int:
    """Maps a field element to the u-coordinate of a point of Curve25519."""
    v = -A * pow(1 + 2 * number * number, -1, PRIME) % PRIME
    is_square = pow(v * (v * v + A * v + 1), (PRIME - 1) // 2, PRIME) in (0, 1)
    return v if is_square else (-v - A) % PRIME


def generator(code: bytes, session: bytes, channel: bytes = b"") -> bytes:
    padding = bytes(max(0, 128 - 1 - len(prefixed(code)) - len(prefixed(b"CPace255"))))
    text = prefixed(b"CPace255", code, padding, channel, session)
    field = int.from_bytes(hashlib.sha512(text).digest()[:32], "little") & (2**255 - 1)
    return elligator2(field).to_bytes(32, "little")


class Initiator:
    """The server's side of one round."""

    def __init__(
        self, code: bytes, session: bytes, secret: bytes | None = None, channel: bytes = b"",
        names: tuple[bytes, bytes] = (b"server", b"client"),
    ) -> None:
        self.session, self.names, self.pair = session, names, KeyPair(secret)
        self.share = self.pair.shared(generator(code, session, channel))
        self.shared_key = self.tag = self.peer_tag = b""

    def derive(self, peer_share: bytes) -> None:
        assert peer_share not in LOW_ORDER
        transcript = prefixed(self.share, self.names[0]) + prefixed(peer_share, self.names[1])
        secret = self.pair.shared(peer_share)
        self.shared_key = hashlib.sha512(prefixed(b"CPace255_ISK", self.session, secret) + transcript).digest()
        mac_key = hashlib.sha512(b"CPaceMac" + self.session + self.shared_key).digest()
        self.tag = hmac.digest(mac_key, prefixed(self.share, self.names[0]), "sha512")
        self.peer_tag = hmac.digest(mac_key, prefixed(peer_share, self.names[1]), "sha512")

    def wrap_key(self, label: bytes) -> bytes:
        return hashlib.sha256(label + self.session + self.shared_key).digest()


def session_id(handshake_hash: bytes, index: int, turn: int) -> bytes:
    return b"sendspin-pair-pake-v1" + handshake_hash + index.to_bytes(4, "big") + turn.to_bytes(4, "big")


def commitment(nonce: bytes) -> bytes:
    return hashlib.sha256(b"sendspin-pair-commit-v1" + nonce).digest()


def digest(handshake_hash: bytes, server_nonce: bytes, client_nonce: bytes) -> bytes:
    return hashlib.sha256(
        b"sendspin-pairing-code-derive-v1" + handshake_hash + server_nonce + client_nonce).digest()


def digits(code_digest: bytes) -> str:
    return f"{int.from_bytes(code_digest, 'big') % 1_000_000:06}"


def token_bytes(token: str) -> bytes:
    """The code in the text of a QR code."""
    assert token.startswith("SP:1") and len(token) == 43, token
    return base64.b32decode(token[4:].replace("9", "2") + "=")
