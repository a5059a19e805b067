"""Tests pairing by a code, against the key exchange in cpace.py, which shares no code with the plugin."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

import cpace
from noise import LOW_ORDER, KeyPair
from rig import UNTIL_PAIRED, Rig, RigTest
from server import SENTINEL, Connection, decode, encode
from websocket import PATIENCE, WebSocket

PROGRAM = Path(__file__).resolve().parents[2] / "pipelines/sendspin-play.py"

DIGITS, QR_CODE = "digits", "qr_code"
PROPERTIES = f"{UNTIL_PAIRED} pairing-code=qr-code"


class Attempt:
    """The server's side of an attempt on a connection with the published key."""

    def __init__(self, connection: Connection, code_format: str, index: int = 1) -> None:
        self.connection, self.format, self.index, self.round = connection, code_format, index, 0
        self.nonce = os.urandom(32)
        connection.activate("pairing", pairing={"method": "dynamic_pairing_code", "format": code_format})
        start = connection.expect("client/pair-init")
        assert start.pop("pairing_index") == index and list(start) == ["commit_B"], start
        self.commitment = decode(start["commit_B"])

    def begin(self) -> None:
        self.round += 1
        self.connection.send("server/pair-init", **({"nonce_A": encode(self.nonce)} if self.round == 1 else {}))

    def exchange(self, code: bytes) -> str:
        """Performs a key exchange. Returns the type of the answer to the server's tag."""
        session = cpace.session_id(self.connection.prologue, self.index, self.round)
        self.side = cpace.Initiator(code, session)
        self.connection.send("server/pair-auth", pake_msg_1=encode(self.side.share))
        self.side.derive(decode(self.connection.expect("client/pair-auth")["pake_msg_2"]))
        self.connection.send("server/pair-confirm", server_kc=encode(self.side.tag))
        kind, self.answer = self.connection.receive()
        return kind

    def unwrap(self, text: str, label: bytes) -> bytes:
        cipher = ChaCha20Poly1305 if "ChaCha" in self.connection.suite else AESGCM
        return cipher(self.side.wrap_key(label)).decrypt(bytes(12), decode(text), None)

    def finish(self) -> bytes:
        """Checks the proof of the player. Returns the long-term key."""
        assert decode(self.answer["client_kc"]) == self.side.peer_tag
        nonce = self.unwrap(self.answer["wrapped_nonce_B"], b"sendspin-pair-nonce-wrap-v1")
        assert cpace.commitment(nonce) == self.commitment
        self.digest = cpace.digest(self.connection.prologue, self.nonce, nonce)
        payload = self.connection.expect("client/pair-finalize")
        assert list(payload) == ["wrapped_psk"], payload
        key = self.unwrap(payload["wrapped_psk"], b"sendspin-pair-psk-wrap-v1")
        assert len(key) == 32
        self.connection.send("server/pair-finalize")
        self.connection.change_keys("lt", key)
        return key


class CodeTest(RigTest):
    def start(
        self, rig: Rig, code_format: str = DIGITS, identity: KeyPair | None = None, again: bool = False,
    ) -> Attempt:
        connection = rig.connect(identity, again)
        self.assertEqual(connection.open(), SENTINEL)
        methods = connection.greet("owner")["supported_pair_methods"]
        self.assertEqual(
            methods, {"pairing_psk": {}, "dynamic_pairing_code": {"out_channels": ["display"],
                                                                  "formats": [DIGITS, QR_CODE]}})
        connection.activate(roles=[])
        return Attempt(connection, code_format)

    def shown(self, rig: Rig, code_format: str, identity: KeyPair | None = None) -> str:
        """Waits for the code of the player, for the server with this identity if there is one."""
        server = f"id=(string){encode(identity.public)}" if identity else ""
        text = rig.player.wait_for("sendspin-pairing-code", server, "code=(string)", f"format=(string){code_format}")
        return re.search(r'code=\(string\)"?([^",;]+)', text)[1].replace("\\", "")

    def test_digits_and_qr_code_pair(self) -> None:
        def check(rig: Rig) -> None:
            for code_format, nick in ((DIGITS, "digits"), (QR_CODE, "qr-code")):
                attempt = self.start(rig, code_format)
                attempt.begin()
                shown = self.shown(rig, nick, rig.identity)
                if code_format == DIGITS:
                    self.assertRegex(shown, "^[0-9]{3}-[0-9]{3}$")
                    code = shown.replace("-", "").encode()
                else:
                    code = cpace.token_bytes(shown)
                self.assertEqual(attempt.exchange(code), "client/pair-confirm")
                key = attempt.finish()
                expected = cpace.digits(attempt.digest).encode() if code_format == DIGITS else attempt.digest[:24]
                self.assertEqual(code, expected)
                attempt.connection.become_ready()
                rig.player.wait(lambda: rig.player.paired() == [encode(rig.identity.public)])
                self.assertEqual(rig.connect().open("lt", key), key)
                self.assertTrue(rig.player.ask("emit", "remove-pairing", encode(rig.identity.public)))
        self.each_way(check, PROPERTIES)

    def test_wrong_code_can_be_entered_again(self) -> None:
        def check(rig: Rig) -> None:
            attempt = self.start(rig)
            attempt.begin()
            code = self.shown(rig, "digits").replace("-", "").encode()
            wrong = b"%06d" % ((int(code) + 1) % 1_000_000)
            self.assertEqual(attempt.exchange(wrong), "client/pair-retry")
            self.assertEqual(attempt.answer, {})
            attempt.begin()
            self.assertEqual(self.shown(rig, "digits").replace("-", "").encode(), code)
            self.assertEqual(attempt.exchange(code), "client/pair-confirm")
            attempt.finish()
        self.each_way(check, PROPERTIES)

    def test_attackers_have_twenty_guesses_in_all(self) -> None:
        """The count includes the attempts of other identities and connections."""
        # A player that connects would be restarted for each connection, which begins the count anew.
        rig = self.rig(Rig.WAYS[1], PROPERTIES)
        guesses = 0
        for number in range(4):
            if number:
                rig.close()
                rig.player.wait_for("sendspin-server", "connected=(boolean)false")
            attempt = self.start(rig, identity=KeyPair(), again=number > 0)
            for _ in range(5):
                attempt.begin()
                guesses += 1
                answer = attempt.exchange(b"guess%d" % guesses)
                self.assertEqual(answer, "pair/abort" if guesses == 20 else "client/pair-retry")
        attempt.connection.activate("pairing", pairing={"method": "dynamic_pairing_code", "format": DIGITS})
        self.assertEqual(attempt.connection.expect("client/pair-pending")["pairing_index"], 2)
        self.assertEqual(rig.player.paired(), [])

    def test_attempt_does_not_lock_out_a_paired_server(self) -> None:
        """A machine without a key can start attempts at any time."""
        rig = self.rig(Rig.WAYS[1], PROPERTIES)
        _, key = self.pair(rig)
        for ends in (False, True):
            with self.subTest(ends=ends):
                rig.close()
                rig.player.wait_for("sendspin-server", "connected=(boolean)false")
                identity = KeyPair()
                intruder = self.start(rig, identity=identity, again=True)
                intruder.begin()
                self.shown(rig, "digits", identity)
                if ends:
                    intruder.connection.send("pair/abort", reason="user_cancelled")
                    intruder.connection.fence()
                owner = rig.connect(again=True)
                self.assertEqual(owner.open("lt", key), key)
                owner.greet("owner")
                owner.become_ready()
                # The code is withdrawn.
                rig.player.wait_for(f"sendspin-pairing-code, id=(string){encode(identity.public)}, name=(string)owner;")
                self.assertEqual(intruder.connection.end()[1][-1], "pair/abort")
                rig.check_stream(owner)

    def test_attempt_is_not_displaced_by_another_one(self) -> None:
        """This is also so for an attempt that begins with the first activation."""
        rig = self.rig(Rig.WAYS[1], PROPERTIES)

        def come() -> Connection:
            connection = rig.connect(KeyPair(), again=True)
            connection.open()
            connection.greet()
            return connection

        first = Attempt(come(), DIGITS)
        first.begin()
        self.shown(rig, "digits")
        first.connection.fence()
        second = come()
        second.activate("pairing", pairing={"method": "dynamic_pairing_code", "format": DIGITS})
        self.assertEqual(second.expect("pair/abort"), {"reason": "concurrent_attempt"})
        first.connection.send("pair/abort", reason="user_cancelled")
        first.connection.fence()
        Attempt(come(), DIGITS).begin()
        self.shown(rig, "digits")

    def test_invalid_messages_end_the_connection(self) -> None:
        def check(rig: Rig) -> None:
            nonce = encode(bytes(32))
            begin = ("server/pair-init", {"nonce_A": nonce})
            share = ("server/pair-auth", {"pake_msg_1": encode(hashlib.sha256(b"").digest())})
            faults = [
                [("server/pair-init", {})], [("server/pair-init", {"nonce_A": nonce[1:]})], [share],
                [("server/pair-confirm", {"server_kc": encode(bytes(64))})], [("server/pair-finalize", {})],
                [begin, begin], [begin, ("server/pair-finalize", {})], [begin, share, share],
                [begin, share, ("server/pair-confirm", {"server_kc": encode(bytes(63))})],
                *([begin, ("server/pair-auth", {"pake_msg_1": encode(point)})] for point in LOW_ORDER),
            ]
            for fault in faults:
                attempt = self.start(rig)
                for kind, payload in fault:
                    attempt.connection.send(kind, **payload)
                code, kinds = attempt.connection.end()
                self.assertEqual(code, 1002, fault)
                self.assertLessEqual(set(kinds), {"client/pair-auth"}, fault)
                self.assertEqual(rig.player.paired(), [])
        self.each_way(check, PROPERTIES)

    def test_codes_are_offered_on_request_only(self) -> None:
        connection = self.rig(Rig.WAYS[0], UNTIL_PAIRED).connect()
        connection.open()
        self.assertEqual(connection.greet()["supported_pair_methods"], {"pairing_psk": {}})
        connection = self.rig(Rig.WAYS[0], f"{UNTIL_PAIRED} pairing-code=digits").connect()
        connection.open()
        methods = connection.greet()["supported_pair_methods"]
        self.assertEqual(methods["dynamic_pairing_code"]["formats"], [DIGITS])
        connection.activate("pairing", pairing={"method": "dynamic_pairing_code", "format": QR_CODE})
        self.assertEqual(connection.expect("pair/abort"), {"reason": "method_not_supported"})


class ProgramTest(unittest.TestCase):
    def test_program_prints_the_code_of_a_server(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(PATIENCE)
        folder = tempfile.TemporaryDirectory(prefix="sendspin-")
        self.addCleanup(folder.cleanup)
        program = subprocess.Popen(
            [sys.executable, "-B", PROGRAM, f"uri=sendspin://127.0.0.1:{listener.getsockname()[1]}",
             f"storage-folder={folder.name}", "audio-sink=fakesink", "pairing-code=digits"],
            stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(program.communicate)
        self.addCleanup(program.terminate)
        websocket = WebSocket(listener.accept()[0], is_client=False)
        self.addCleanup(websocket.socket.close)
        websocket.accept()
        connection = Connection(websocket, KeyPair())
        connection.open()
        connection.greet("owner")
        connection.activate(roles=[])
        attempt = Attempt(connection, DIGITS)
        attempt.begin()
        code = next(filter(None, (re.fullmatch(
            r"Enter the code ([0-9]{3})-([0-9]{3}) in the server owner to pair it with this player\.\n", line)
            for line in program.stdout)))
        self.assertEqual(attempt.exchange("".join(code.groups()).encode()), "client/pair-confirm")


if __name__ == "__main__":
    unittest.main()
