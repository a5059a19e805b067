import SendspinSupport
import Testing

@testable import SendspinProtocol
@testable import SendspinSecurity

/// Tests pairing by a code, which the user enters in the server.
@Suite struct CodePairingTests {
    private static let nonce = URLSafeBase64.encode([UInt8](repeating: 7, count: 32))

    /// A session, and a server that pairs with it by a code.
    private final class Pairing {
        let rig: SessionRig
        private(set) var outcome: CPace.Outcome?
        /// Numbers of the activation and of the round.
        var (index, round) = (1, 0)

        init(_ activation: String, _ formats: [PairingCode.Format] = [.digits, .qrCode]) throws {
            rig = SessionRig { $0.codeFormats = formats }
            try rig.play("connect hello activate:\(activation)")
        }

        /// The last code of the client.
        var code: PairingCode? {
            for case .pairingCode(let code?, _) in rig.lastEvents.reversed() { return code }
            return nil
        }

        func begin(_ nonce: String? = CodePairingTests.nonce) throws {
            round += 1
            try rig.send(.pairingRound(nonce: nonce))
        }

        /// Performs a key exchange with a code.
        func enter(_ code: [UInt8]) throws {
            let hash = try #require(rig.session.link?.transport.handshakeHash)
            let session = Array("sendspin-pair-pake-v1".utf8) + hash + [0, 0, 0, UInt8(index), 0, 0, 0, UInt8(round)]
            let exchange = try CPace(code: code, session: session)
            try rig.send(.pairingShare(exchange.share.id))
            guard case .pairingShare(let text)? = rig.sent.last, let peer = PublicKey(id: text) else {
                Issue.record("no share of the client")
                return
            }
            let outcome = try exchange.finish(with: peer, isInitiator: true)
            self.outcome = outcome
            try rig.send(.pairingTag(URLSafeBase64.encode(outcome.initiatorTag)))
        }

        func enterWrong() throws { try enter([UInt8](repeating: 0x2A, count: 6)) }

        /// Unwraps a value of the client.
        func open(_ text: String, _ label: String) throws -> [UInt8] {
            let ciphertext = try #require(URLSafeBase64.decode(text, exactly: 48))
            let key = try #require(outcome?.wrapKey(label))
            return try #require(
                rig.session.configuration.suite.open(ciphertext[...], key: key, nonce: 0, associated: []))
        }
    }

    @Test(arguments: ["digits", "qr_code"]) func codePairs(format: String) throws {
        let pairing = try Pairing(format)
        let rig = pairing.rig
        guard case .pairingStart(1, let commitment?)? = rig.sent.last else {
            Issue.record("no commitment")
            return
        }
        _ = rig.takeLog()
        try pairing.begin()
        let code = try #require(pairing.code)
        #expect(code.format.rawValue == format)
        try pairing.enter(code.bytes)
        #expect(
            rig.takeLog() == [
                "round", "code(\(format))", "→ client/pair-auth", "verified", "→ client/pair-confirm",
                "→ client/pair-finalize",
            ])
        guard case .pairingTag(let tag, let nonce)? = rig.sent.dropLast().last,
            case .pairingKey(let wrapped, isWrapped: true)? = rig.sent.last
        else {
            Issue.record("no proof of the client")
            return
        }
        #expect(URLSafeBase64.decode(tag, exactly: 64) == pairing.outcome?.responderTag)
        // The nonce is the one to which the client has committed, and the code is derived from it.
        let opened = try pairing.open(nonce, "sendspin-pair-nonce-wrap-v1")
        let digest = Array("sendspin-pair-commit-v1".utf8 + opened).withUnsafeBytes { Sodium.sha256($0) }
        #expect(URLSafeBase64.encode(digest) == commitment)
        let secret = try pairing.open(wrapped, "sendspin-pair-psk-wrap-v1")
        let key = try #require(PreSharedKey(Secret(copying: secret)))
        try rig.play("pair-done")
        #expect(rig.takeLog() == ["code(none)", "paired"])
        #expect(rig.session.credentials.records.map(\.key) == [key])
        // The server then protects the connection with the new key.
        rig.peer.proposal = (key, "lt")
        try rig.play("rekey activate:playback+all")
        #expect(rig.takeLog().contains("activated(playback, 6 roles)"))
    }

    @Test func wrongCodePermitsAnotherRound() throws {
        let pairing = try Pairing("digits")
        try pairing.begin()
        let code = try #require(pairing.code)
        _ = pairing.rig.takeLog()
        try pairing.enterWrong()
        #expect(pairing.rig.takeLog() == ["→ client/pair-auth", "→ client/pair-retry"])
        try pairing.begin(nil)
        #expect(pairing.code?.text == code.text)
        try pairing.enter(code.bytes)
        #expect(pairing.rig.takeLog().contains("verified"))
    }

    @Test func twentyWrongCodesEndThePairing() throws {
        let pairing = try Pairing("digits")
        for number in 0..<20 {
            try pairing.begin(number == 0 ? Self.nonce : nil)
            try pairing.enterWrong()
        }
        let rig = pairing.rig
        #expect(
            rig.takeLog().suffix(3) == ["code(none)", "→ pair-abort(pairing_code_mismatch)", "pairing aborted"])
        // A new attempt is held back, until the owner resets the count.
        try rig.play("activate:digits")
        #expect(rig.takeLog() == ["activated(pairing, 0 roles)", "→ client/pair-pending", "pairing aborted"])
        rig.session.setUsedCodeRounds(19)
        try rig.play("activate:digits")
        (pairing.index, pairing.round) = (3, 0)
        try pairing.begin()
        try pairing.enterWrong()
        #expect(rig.takeLog().contains("→ pair-abort(pairing_code_mismatch)"))
        rig.session.setUsedCodeRounds(0)
        try rig.play("activate:digits")
        (pairing.index, pairing.round) = (4, 0)
        try pairing.begin()
        let code = try #require(pairing.code)
        try pairing.enter(code.bytes)
        #expect(rig.takeLog().contains("verified"))
        #expect(rig.session.usedCodeRounds == 0)
    }

    @Test func abandonedAttemptCountsItsRound() throws {
        let pairing = try Pairing("digits")
        for number in 1...20 {
            (pairing.index, pairing.round) = (number, 0)
            try pairing.begin()
            try pairing.rig.play(number.isMultiple(of: 2) ? "pair-abort activate:digits" : "activate:digits")
        }
        #expect(pairing.rig.takeLog().suffix(2) == ["→ client/pair-pending", "pairing aborted"])
    }

    /// The rounds of all connections count, also of those that begin after this attempt.
    @Test func attemptEndsWhenOtherConnectionsHaveUsedTheRounds() throws {
        let pairing = try Pairing("digits")
        _ = pairing.rig.takeLog()
        pairing.rig.session.setUsedCodeRounds(20)
        try pairing.begin()
        #expect(pairing.rig.takeLog() == ["→ pair-abort(pairing_code_mismatch)", "pairing aborted"])
        #expect(pairing.code == nil)
    }

    @Test(arguments: [
        ("pair-init", #"{"nonce_A":5}"#), ("pair-auth", "{}"), ("pair-auth", #"{"pake_msg_1":5}"#),
        ("pair-confirm", "{}"), ("pair-confirm", #"{"server_kc":[]}"#),
    ])
    func messageWithoutItsFieldClosesTheConnection(type: String, payload: String) throws {
        let text = #"{"type":"server/"# + type + #"","payload":"# + payload + "}"
        let pairing = try Pairing("digits")
        try pairing.rig.send(text: text)
        #expect(pairing.rig.closeCode == 1002)
        // After the attempt has ended, its messages may still arrive.
        let other = try Pairing("digits")
        try other.rig.play("pair-abort")
        try other.rig.send(text: text)
        #expect(other.rig.closeCode == nil)
    }

    /// A found server without a role is left after 30 s, but a user needs more time to enter a code.
    @Test func foundServerHasTheTimeOfOneAttempt() throws {
        let first = SessionRig { ($0.codeFormats, $0.endsWithoutRole) = ([.digits], true) }
        try first.play("connect hello wait:20 activate:digits wait:119")
        #expect(!first.session.isClosed)
        _ = first.takeLog()
        try first.play("wait:2")
        #expect(
            first.takeLog() == [
                "→ pair-abort(attempt_timeout)", "pairing aborted", "→ goodbye(another_server)", "failed(timeout)",
                "close(1000)",
            ])
        let second = SessionRig { ($0.codeFormats, $0.endsWithoutRole) = ([.digits], true) }
        try second.play("connect hello activate:digits wait:100 activate:digits wait:19")
        #expect(!second.session.isClosed)
        try second.play("wait:2")
        #expect(second.session.isClosed)
    }

    @Test(
        arguments: [
            [.pairingShare(nonce)], [.pairingTag(String(repeating: "A", count: 86))], [.pairingDone],
            [.pairingRound(nonce: nil)], [.pairingRound(nonce: "short")],
            [.pairingRound(nonce: nonce), .pairingRound(nonce: nil)], [.pairingRound(nonce: nonce), .pairingDone],
            [.pairingRound(nonce: nonce), .pairingShare("x")],
            // The share has low order, so anyone knows the shared key.
            [.pairingRound(nonce: nonce), .pairingShare(String(repeating: "A", count: 43))],
            [.pairingRound(nonce: nonce), .pairingShare(nonce), .pairingShare(nonce)],
            [.pairingRound(nonce: nonce), .pairingShare(nonce), .pairingTag("short")],
            [.pairingRound(nonce: nonce), .pairingShare(nonce), .pairingDone],
        ] as [[ServerMessage]])
    func messageThatIsMalformedOrOutOfOrderClosesTheConnection(messages: [ServerMessage]) throws {
        let pairing = try Pairing("digits")
        for message in messages { try pairing.rig.send(message) }
        #expect(pairing.rig.closeCode == 1002)
        #expect(pairing.rig.failure?.kind == .violation)
        #expect(pairing.rig.session.credentials.records.isEmpty)
        #expect(!pairing.rig.sent.contains { if case .pairingKey = $0 { true } else { false } })
    }

    @Test func formatThatIsNotOfferedIsRefused() throws {
        for (activation, formats) in [("digits", []), ("qr_code", [.digits])] as [(String, [PairingCode.Format])] {
            let pairing = try Pairing(activation, formats)
            #expect(pairing.rig.takeLog().suffix(2) == ["→ pair-abort(method_not_supported)", "pairing aborted"])
        }
    }

    /// A code authenticates a server that has no key; with the pairing key, the connection needs none.
    @Test func codeNeedsTheSentinel() throws {
        let rig = SessionRig(key: .generate(), category: "pr") { $0.codeFormats = [.digits] }
        try rig.play("connect hello activate:digits")
        #expect(rig.takeLog().suffix(2) == ["→ pair-abort(method_not_supported)", "pairing aborted"])
    }

    @Test func messagesAfterTheEndOfAnAttemptAreIgnored() throws {
        let pairing = try Pairing("digits")
        try pairing.begin()
        try pairing.rig.play("pair-abort")
        #expect(pairing.rig.takeLog().suffix(2) == ["code(none)", "pairing aborted"])
        try pairing.rig.send(.pairingShare(Self.nonce))
        try pairing.rig.send(.pairingTag("x"))
        try pairing.rig.send(.pairingRound(nonce: nil))
        try pairing.rig.play("pair-done")
        #expect(pairing.rig.takeLog() == [])
        #expect(pairing.rig.closeCode == nil)
    }

    @Test func attemptEndsAfterTwoMinutesAndWithTheConnection() throws {
        var pairing = try Pairing("digits")
        try pairing.begin()
        try pairing.rig.play("wait:121")
        #expect(
            pairing.rig.takeLog().suffix(3) == ["code(none)", "→ pair-abort(attempt_timeout)", "pairing aborted"])
        pairing = try Pairing("digits")
        try pairing.begin()
        try pairing.rig.play("lost")
        #expect(pairing.rig.takeLog().contains("code(none)"))
    }
}
