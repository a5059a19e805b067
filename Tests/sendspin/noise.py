"""The initiator of Noise_KKpsk2, from the specification of Noise (revision 34, noiseprotocol.org/noise.html).

The plugin does not share this code, so both agree only if both are correct. Sections are those of the specification.
"""

from __future__ import annotations

import hashlib
import hmac
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SUITES = {"25519_ChaChaPoly_SHA256": (ChaCha20Poly1305, "little"), "25519_AESGCM_SHA256": (AESGCM, "big")}
# Points of Curve25519 with an order of at most 8. A shared secret with such a point is zero, so anyone knows the secret
# (RFC 7748, section 6.1). The last five encode some points again, not reduced by the prime or with the unused bit set.
PRIME = 2**255 - 19
ORDER_8 = 325606250916557431795983626356110631294008115727848805560023387167927233504
LOW_ORDER = [number.to_bytes(32, "little") for number in (
    0, 1, ORDER_8, 39382357235489614581723060781553021112529911719440698176882885853963445705823, PRIME - 1,
    PRIME, PRIME + 1, 2**255, 2**255 + 1, 2**255 + PRIME - 1)]


class NoiseError(Exception):
    """A message is not authentic."""


class KeyPair:
    """A key pair of X25519. Tests may replace `public` by bytes that do not match the secret key."""

    def __init__(self, secret: bytes | None = None) -> None:
        self.key = X25519PrivateKey.from_private_bytes(secret) if secret else X25519PrivateKey.generate()
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def shared(self, public: bytes) -> bytes:
        if public in LOW_ORDER:
            return bytes(32)
        return self.key.exchange(X25519PublicKey.from_public_bytes(public))


class WeakKeyPair(KeyPair):
    """A key pair whose public key is a point of low order. All its shared secrets are zero, so anyone knows them."""

    def __init__(self, public: bytes) -> None:
        super().__init__()
        self.public = public

    def shared(self, public: bytes) -> bytes:
        return bytes(32)


class CipherState:
    """The object CipherState of section 5.1: a key and a nonce."""

    def __init__(self, suite: str, key: bytes | None = None) -> None:
        cipher, self.order = SUITES[suite]
        self.cipher = cipher(key) if key else None
        self.nonce = 0

    def _next(self) -> bytes:
        nonce, self.nonce = self.nonce, self.nonce + 1
        return bytes(4) + nonce.to_bytes(8, self.order)

    def encrypt(self, plaintext: bytes, associated: bytes = b"") -> bytes:
        return self.cipher.encrypt(self._next(), plaintext, associated) if self.cipher else plaintext

    def decrypt(self, message: bytes, associated: bytes = b"") -> bytes:
        if not self.cipher:
            return message
        try:
            return self.cipher.decrypt(self._next(), message, associated)
        except InvalidTag as error:
            raise NoiseError("a message is not authentic") from error


def hkdf(chaining_key: bytes, material: bytes, count: int) -> list[bytes]:
    """The function HKDF of section 4.3."""
    temporary = hmac.digest(chaining_key, material, "sha256")
    outputs = [b""]
    for number in range(1, count + 1):
        outputs.append(hmac.digest(temporary, outputs[-1] + bytes([number]), "sha256"))
    return outputs[1:]


class SymmetricState:
    """The object SymmetricState of section 5.2: a chaining key, and the hash of all messages."""

    def __init__(self, suite: str) -> None:
        name = f"Noise_KKpsk2_{suite}".encode()
        self.suite = suite
        self.hash = name.ljust(32, b"\0") if len(name) <= 32 else hashlib.sha256(name).digest()
        self.chaining_key = self.hash
        self.cipher = CipherState(suite)

    def mix_key(self, material: bytes) -> None:
        self.chaining_key, key = hkdf(self.chaining_key, material, 2)
        self.cipher = CipherState(self.suite, key)

    def mix_hash(self, data: bytes) -> None:
        self.hash = hashlib.sha256(self.hash + data).digest()

    def mix_key_and_hash(self, material: bytes) -> None:
        self.chaining_key, extra, key = hkdf(self.chaining_key, material, 3)
        self.mix_hash(extra)
        self.cipher = CipherState(self.suite, key)

    def encrypt_and_hash(self, plaintext: bytes) -> bytes:
        message = self.cipher.encrypt(plaintext, self.hash)
        self.mix_hash(message)
        return message

    def decrypt_and_hash(self, message: bytes) -> bytes:
        plaintext = self.cipher.decrypt(message, self.hash)
        self.mix_hash(message)
        return plaintext

    def split(self) -> tuple[CipherState, CipherState]:
        first, second = hkdf(self.chaining_key, b"", 2)
        return CipherState(self.suite, first), CipherState(self.suite, second)


class Handshake:
    """The initiator of section 5.3, with the pattern KK of section 7.5 and the modifier psk2 of section 9.4:

        -> e, es, ss
        <- e, ee, se, psk

    Both static keys are known before the handshake.
    """

    def __init__(
        self, suite: str, prologue: bytes, own: KeyPair, peer: bytes, ephemeral: KeyPair | None = None,
    ) -> None:
        self.state = SymmetricState(suite)
        self.own, self.peer, self.ephemeral = own, peer, ephemeral or KeyPair()
        self.peer_ephemeral = b""
        for data in (prologue, own.public, peer):
            self.state.mix_hash(data)

    def _mix_ephemeral(self, public: bytes) -> None:
        self.state.mix_hash(public)
        # Section 9.2: in a handshake with a psk, the chaining key also includes the key of an "e".
        self.state.mix_key(public)

    def write(self, payload: bytes) -> bytes:
        """Returns the first message."""
        self._mix_ephemeral(self.ephemeral.public)
        self.state.mix_key(self.ephemeral.shared(self.peer))
        self.state.mix_key(self.own.shared(self.peer))
        return self.ephemeral.public + self.state.encrypt_and_hash(payload)

    def read(self, message: bytes, psks: list[bytes]) -> tuple[bytes, bytes]:
        """Reads the second message. Returns its payload and its pre-shared key."""
        self.peer_ephemeral = message[:32]
        self._mix_ephemeral(self.peer_ephemeral)
        self.state.mix_key(self.ephemeral.shared(self.peer_ephemeral))
        self.state.mix_key(self.own.shared(self.peer_ephemeral))
        before = self.state.hash, self.state.chaining_key
        for psk in psks:
            self.state.hash, self.state.chaining_key = before
            self.state.mix_key_and_hash(psk)
            with suppress(NoiseError):
                return self.state.decrypt_and_hash(message[32:]), psk
        raise NoiseError("the second message is not authentic")

    def keys(self) -> tuple[CipherState, CipherState]:
        """The ciphers for sending and for receiving."""
        return self.state.split()
