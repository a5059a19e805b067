"""Makes vectors.json with Python's base64 and the package noiseprotocol, an independent implementation of Noise.

    python3 -m venv venv && venv/bin/pip install noiseprotocol==0.3.1
    venv/bin/python vectors.py > vectors.json

All keys are hashes of labels, so that each run prints the same vectors.
"""
import base64
import hashlib
import json
import warnings

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from noise.connection import Keypair, NoiseConnection

# The package warns if an ephemeral key is set. The vectors require fixed ephemeral keys.
warnings.simplefilter("ignore")

SUITES = ["25519_ChaChaPoly_SHA256", "25519_AESGCM_SHA256"]
PAYLOADS = [
    (b'{"psk_id":"GFsV9tLaSQm9HcFWpKsgYQOr7wFTvNUtkmFwuVz3zoo","psk_category":"sn"}', b"{}"),
    (b"", b""),
    (bytes(range(256)) * 4, b"x" * 300),
]
# Nonce of the last message. All bytes of the nonce differ, so the vector detects a wrong byte order of the counter.
LATE_NONCE = 0x0102030405060708


def secret(label):
    return hashlib.sha256(label.encode()).digest()


def url_safe(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def connection(suite, is_initiator, own, ephemeral, peer, prologue, psk):
    noise = NoiseConnection.from_name(f"Noise_KKpsk2_{suite}".encode())
    noise.set_as_initiator() if is_initiator else noise.set_as_responder()
    noise.set_keypair_from_private_bytes(Keypair.STATIC, own)
    noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
    noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, peer)
    noise.set_prologue(prologue)
    noise.set_psks(psks=[psk])
    noise.start_handshake()
    return noise


def public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def case(number, suite, payloads):
    label = f"gst-plugins-swift {suite} {number} "
    server, client, psk = secret(label + "server"), secret(label + "client"), secret(label + "psk")
    first, second = secret(label + "first ephemeral"), secret(label + "second ephemeral")
    if number == 0:
        psk = hashlib.sha256(b"sendspin-sentinel-psk-v1").digest()
    prologue = [b'{"type":"client/init"}{"type":"server/init"}', b"", secret(label + "hash")][number]
    initiator = connection(suite, True, server, first, public(client), prologue, psk)
    responder = connection(suite, False, client, second, public(server), prologue, psk)
    message1 = bytes(initiator.write_message(payloads[0]))
    assert bytes(responder.read_message(message1)) == payloads[0]
    message2 = bytes(responder.write_message(payloads[1]))
    assert bytes(initiator.read_message(message2)) == payloads[1]
    plaintexts = [b"", b"\x00{}", bytes(range(100))]
    down = [bytes(initiator.encrypt(plaintext)) for plaintext in plaintexts]
    up = [bytes(responder.encrypt(plaintext)) for plaintext in plaintexts]
    initiator.noise_protocol.cipher_state_encrypt.n = LATE_NONCE
    late = bytes(initiator.encrypt(plaintexts[2]))
    return {
        "suite": suite,
        "prologue": prologue.hex(),
        "serverKey": server.hex(),
        "clientKey": client.hex(),
        "serverEphemeral": first.hex(),
        "clientEphemeral": second.hex(),
        "preSharedKey": psk.hex(),
        "preSharedKeyID": url_safe(hashlib.sha256(b"sendspin-psk-id-v1" + psk).digest()),
        "clientID": url_safe(public(client)),
        "token": "SP:0" + base64.b32encode(public(client) + psk).decode().rstrip("=").replace("2", "9"),
        "payloads": [payload.hex() for payload in payloads],
        "messages": [message1.hex(), message2.hex()],
        "handshakeHash": initiator.get_handshake_hash().hex(),
        "plaintexts": [plaintext.hex() for plaintext in plaintexts],
        "fromServer": [message.hex() for message in down],
        "fromClient": [message.hex() for message in up],
        "lateNonce": LATE_NONCE,
        "late": late.hex(),
    }


vectors = [case(number, suite, payloads) for suite in SUITES for number, payloads in enumerate(PAYLOADS)]
print(json.dumps(vectors, indent=1))
