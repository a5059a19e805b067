"""Tests the access of unknown and paired servers to playback, with and without encryption."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

from noise import KeyPair
from rig import UNTIL_PAIRED, Rig, RigTest
from server import ROLES, SENTINEL, Connection, decode, encode
from websocket import Closed


class TrustTest(RigTest):
    ATTEMPTS: list[tuple[str, tuple[str, ...], list[str]]] = [
        ("pairing_required", ("playback",), ROLES), ("pairing_required", ("playback",), []),
        ("pairing_required", (), ROLES), ("pairing_required", (), ["player@v1"]),
        ("unauthorized", ("playback", "pairing"), ROLES), ("unauthorized", ("playback", "future"), ROLES),
    ]

    def test_unknown_server_gets_no_playback_from_a_paired_player(self) -> None:
        """The intruder uses the published key and an unknown identity."""
        def check(rig: Rig) -> None:
            owner, _ = self.pair(rig)
            owner.set_volume(40)
            owner.fence()
            rig.player.messages()
            for reason, activities, roles in self.ATTEMPTS:
                intruder = self.come(rig, KeyPair())
                self.assertEqual(intruder.open(), SENTINEL)
                self.assertEqual(intruder.greet("intruder")["unpaired_access"], {"enabled": False})
                intruder.activate(*activities, roles=roles)
                self.assertEqual(intruder.refusal(), reason)
                _, kinds = self.misbehave(intruder)
                self.assertEqual(kinds, [])
            if rig.is_dialed:
                owner = rig.connect()
                owner.open("lt", self.key(rig))
                owner.greet()
            owner.become_ready()
            self.assertEqual((rig.player.volume(), rig.player.played()), ((40, False), 0))
            # If the player connects, it posts messages about the server that it does not admit.
            texts = [text for text in rig.player.messages() if not text.startswith("element: sendspin-server")]
            self.assertFalse([text for text in texts if "intruder" in text or "sendspin-stream-start" in text], texts)
            rig.check_stream(owner)
            self.assertEqual(rig.player.paired(), [encode(rig.identity.public)])
            self.assertEqual(owner.state["player"]["output_delay_ms"], 0)
        self.each_way(check, UNTIL_PAIRED)

    def key(self, rig: Rig) -> bytes:
        """The long-term key of the paired server, from the files of the player."""
        records = json.loads(Path(rig.player.folder, "pairings.json").read_text(encoding="utf-8"))["records"]
        return next(decode(record["psk"]) for record in records if record["server_id"] == encode(rig.identity.public))

    def test_server_without_roles_changes_nothing(self) -> None:
        """A server without roles displaces no other server, and the player ignores its commands."""
        def check(rig: Rig) -> None:
            owner, _ = self.pair(rig)
            owner.set_volume(40)
            owner.fence()
            intruder = self.come(rig, KeyPair())
            intruder.open()
            intruder.greet("intruder")
            intruder.activate(roles=[])
            if rig.is_dialed:
                intruder.fence()
                intruder.start_stream()
                intruder.send_chunks(20)
                intruder.set_volume(100)
                intruder.send("server/unpair")
                intruder.send("server/pair-finalize")
                intruder.fence()
            else:
                self.assertEqual(intruder.expect("client/goodbye"), {"reason": "concurrent_attempt"})
                self.assertEqual(self.misbehave(intruder)[1], [])
                owner.fence()
            self.assertEqual((rig.player.volume(), rig.player.played()), ((40, False), 0))
            self.assertEqual(rig.player.paired(), [encode(rig.identity.public)])
        self.each_way(check, UNTIL_PAIRED)

    def test_unpaired_access_never_refuses_unpaired_servers(self) -> None:
        def check(rig: Rig) -> None:
            for activities in [("playback",), ()]:
                connection = rig.connect()
                connection.open()
                self.assertEqual(connection.greet()["unpaired_access"], {"enabled": False})
                connection.activate(*activities)
                self.assertEqual(connection.refusal(), "pairing_required")
                self.assertEqual(self.misbehave(connection)[1], [])
            self.assertEqual((rig.player.volume(), rig.player.played()), ((100, False), 0))
            owner, _ = self.pair(rig)
            rig.check_stream(owner)
        self.each_way(check, "unpaired-access=never")

    def test_key_of_a_pairing_belongs_to_one_server(self) -> None:
        """Another server cannot use the key. A paired server that uses the published key counts as unpaired."""
        def check(rig: Rig) -> None:
            owner, key = self.pair(rig)
            other = self.come(rig, KeyPair())
            other.take_init()
            other.send_init()
            other.send_first(other.first("lt", key))
            self.assertEqual(other.end()[1], [])
            if rig.is_dialed:
                owner = rig.connect()
                self.assertEqual(owner.open("lt", key), key)
                owner.greet()
                owner.become_ready()
            owner.change_keys("sn", SENTINEL)
            owner.activate("playback")
            self.assertEqual(owner.refusal(), "pairing_required")
            self.assertEqual(self.misbehave(owner)[1], [])
            self.assertEqual(rig.player.paired(), [encode(rig.identity.public)])
        self.each_way(check, UNTIL_PAIRED)

    def test_stored_identity_of_the_server_is_compared(self) -> None:
        """After a connection to `uri`, the player accepts only the same server there, or a server with the token."""
        rig = self.rig(Rig.WAYS[0], UNTIL_PAIRED)
        rig.check_plays()
        other = KeyPair()
        for category, psk in [("sn", SENTINEL), ("lt", b"\1" * 32), ("pr", b"\1" * 32)]:
            intruder = rig.connect(other)
            rig.player.messages()
            intruder.take_init()
            intruder.send_init()
            intruder.send_first(intruder.first(category, psk))
            self.assertEqual(intruder.end()[1], [])
            self.assertIn(encode(other.public), rig.player.wait_for("warning", "has the identity"))
        rig.check_plays()
        rig.player.set_state("PAUSED")
        self.assertTrue(rig.player.ask("emit", "accept-server", encode(other.public)))
        with self.assertRaises(Closed):
            rig.check_plays()
        rig.identity = other
        rig.check_plays()
        token = rig.player.token()[32:]
        third = rig.connect(KeyPair())
        self.assertEqual(third.open("pr", token), token)

    def test_unencrypted_server_plays_only_before_an_encrypted_server(self) -> None:
        rig = self.rig(Rig.WAYS[0], "allow-unencrypted=true")

        def attempt(again: bool = False) -> tuple[Connection, dict[str, Any]]:
            connection = rig.connect(again=again)
            return connection, json.loads(connection.websocket.receive()[1])

        connection, hello = attempt()
        self.assertEqual(hello["type"], "client/init")
        connection.websocket.close()
        connection, hello = attempt(again=True)
        self.assertEqual(hello["type"], "client/hello")
        connection.send_text(json.dumps({"type": "server/hello", "payload": {
            "server_id": "old", "name": "old", "version": 1, "active_roles": ROLES,
            "connection_reason": "playback"}}).encode())
        self.assertEqual(json.loads(connection.websocket.receive()[1])["type"], "client/time")
        rig.check_plays()
        for _ in range(2):
            connection, hello = attempt()
            for _ in range(2):
                self.assertEqual(hello["type"], "client/init")
                connection.websocket.close()
                connection, hello = attempt(again=True)
            rig.player.wait_for("warning", "allow-unencrypted=true does not apply")


if __name__ == "__main__":
    unittest.main()
