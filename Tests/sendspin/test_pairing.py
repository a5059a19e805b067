"""Tests the access that the token and the files of a player give to the owner, to other servers, and to a thief."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any, Callable

from noise import KeyPair, NoiseError
from rig import UNTIL_PAIRED, Rig, RigTest
from server import SENTINEL, decode, encode


class PairingTest(RigTest):
    def test_pairing_needs_the_token(self) -> None:
        def check(rig: Rig) -> None:
            rig.player.set_state("PAUSED")
            token = rig.player.token()
            # The thief knows only the identifier of the key.
            thief = rig.connect(KeyPair())
            thief.take_init()
            self.assertEqual(token[:32], thief.client)
            thief.send_init()
            thief.send_first(thief.first("pr", token[32:]))
            with self.assertRaises(NoiseError):
                thief.take_second(SENTINEL, b"\1" * 32)
            thief.sending, thief.receiving = thief.handshake.keys()
            thief.send("server/hello", name="thief")
            self.assertEqual(thief.end()[1], [])
            for category, psk, method in [
                ("sn", SENTINEL, "pairing_psk"), ("pr", b"\1" * 32, "pairing_psk"),
                ("sn", SENTINEL, "dynamic_pairing_code"), ("sn", SENTINEL, "static_pairing_code"),
                ("pr", token[32:], "static_pairing_code"),
            ]:
                connection = rig.connect(rig.identity)
                connection.open(category, psk)
                self.assertEqual(connection.greet()["supported_pair_methods"], {"pairing_psk": {}})
                connection.activate_pairing(method)
                self.assertEqual(connection.expect("pair/abort"), {"reason": "method_not_supported"})
                connection.send("server/pair-finalize")
                connection.fence()
                self.assertEqual(rig.player.paired(), [])
        self.each_way(check, UNTIL_PAIRED)

    def test_pairing_that_is_not_finished_is_not_kept(self) -> None:
        def check(rig: Rig) -> None:
            rig.player.set_state("PAUSED")
            token = rig.player.token()[32:]
            connection = rig.connect()
            connection.open("pr", token)
            connection.greet()
            keys = []
            # A second activation, an abort, and a handshake each end the previous attempt.
            ends: list[Callable[[], Any]] = [
                lambda: connection.activate("pairing", pairing={"method": "none"}),
                lambda: connection.send("pair/abort", reason="user_cancelled"),
                lambda: (connection.change_keys("pr", token), connection.activate()),
            ]
            # `pairing_index` also counts the activation that ends the first attempt.
            for index, end in zip((1, 3, 4), ends):
                connection.activate_pairing()
                self.assertEqual(connection.expect("client/pair-init"), {"pairing_index": index})
                keys.append(connection.expect("client/pair-finalize")["long_term_psk"])
                end()
                if index == 1:
                    connection.expect("pair/abort")
                connection.send("server/pair-finalize")
                connection.fence()
                self.assertEqual(rig.player.paired(), [])
            self.assertEqual(len(set(keys)), 3)
            for key in keys:
                self.assertEqual(rig.connect().open("lt", decode(key)), SENTINEL)
        self.each_way(check, UNTIL_PAIRED)

    def test_new_pairing_replaces_the_old_one(self) -> None:
        def check(rig: Rig) -> None:
            _, old = self.pair(rig)
            connection = rig.connect()
            self.assertEqual(connection.open("lt", old), old)
            connection.greet()
            connection.activate()
            new = connection.pair(rig.player.token()[32:])
            self.assertNotEqual(old, new)
            self.assertEqual(rig.connect().open("lt", old), SENTINEL)
            self.assertEqual(rig.connect().open("lt", new), new)
            self.assertEqual(rig.player.paired(), [encode(rig.identity.public)])
        self.each_way(check, UNTIL_PAIRED)

    def test_removed_pairing_ends_the_connection(self) -> None:
        """The user or the server removes the pairing. Any server may then play again."""
        def check(rig: Rig) -> None:
            for remove in (
                lambda _: self.assertTrue(rig.player.ask("emit", "remove-pairing", encode(rig.identity.public))),
                lambda owner: owner.send("server/unpair"),
            ):
                owner, key = self.pair(rig)
                remove(owner)
                self.assertEqual(owner.expect("client/goodbye"), {"reason": "unpaired"})
                self.assertEqual(self.misbehave(owner)[1], [])
                self.assertEqual(rig.player.paired(), [])
                self.assertEqual(rig.connect().open("lt", key), SENTINEL)
                rig.check_plays()
        self.each_way(check, UNTIL_PAIRED)

    def test_new_token_and_new_player(self) -> None:
        """The user removes files while the player is in NULL."""
        def check(rig: Rig) -> None:
            owner, key = self.pair(rig)
            old = rig.player.token()
            rig.restart()
            rig.player.set_state("NULL")
            Path(rig.player.folder, "pairing-key.json").unlink()
            owner = rig.connect()
            self.assertEqual(owner.open("pr", old[32:]), SENTINEL)
            new = rig.player.token()
            self.assertEqual((new[:32], len({old[32:], new[32:]})), (old[:32], 2))
            self.assertEqual(rig.connect().open("lt", key), key)
            rig.restart()
            rig.player.set_state("NULL")
            for file in Path(rig.player.folder).iterdir():
                file.unlink()
            self.assertEqual(rig.connect().open("lt", key), SENTINEL)
            self.assertEqual(len({old[:32], rig.player.token()[:32]}), 2)
            self.assertEqual(rig.player.paired(), [])
        self.each_way(check, UNTIL_PAIRED)

    def test_stolen_files_admit_other_servers_but_impersonate_none(self) -> None:
        """The thief has all files of the player and poses as a paired server."""
        def check(rig: Rig) -> None:
            _, key = self.pair(rig)
            files = {path.name: json.loads(path.read_text(encoding="utf-8"))
                     for path in Path(rig.player.folder).glob("*.json")}
            client = KeyPair(decode(files["identity.json"]["secret_key"]))
            self.assertEqual(decode(files["pairings.json"]["records"][0]["psk"]), key)

            class Impostor(KeyPair):
                """The identity of a paired server. The thief computes shared secrets with the player's secret key."""

                def shared(self, public: bytes) -> bytes:
                    return client.shared(self.public) if public == client.public else super().shared(public)

            impostor = Impostor()
            impostor.public = rig.identity.public
            connection = rig.connect(impostor)
            connection.take_init()
            self.assertEqual(connection.client, client.public)
            connection.send_init()
            connection.send_first(connection.first("lt", key))
            # The first message is authentic, but the answer cannot be read without the secret key of the server.
            with self.assertRaises(NoiseError):
                connection.take_second(key, SENTINEL)
            connection.sending, connection.receiving = connection.handshake.keys()
            connection.send("server/hello", name="impostor")
            self.assertEqual(connection.end()[1], [])
            # The pairing key admits a server of the thief.
            token = decode(files["pairing-key.json"]["psk"])
            thief = self.come(rig, KeyPair())
            self.assertEqual(thief.open("pr", token), token)
            thief.greet()
            thief.activate_pairing()
            thief.expect("client/pair-init")
        self.each_way(check, UNTIL_PAIRED)


if __name__ == "__main__":
    unittest.main()
