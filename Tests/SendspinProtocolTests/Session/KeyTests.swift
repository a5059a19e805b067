import SendspinSecurity
import SendspinProtocol
import Testing

/// Tests the keys of handshakes, pairing, and the activities that each key permits.
@Suite struct KeyTests {
    @Test func longTermKeyAuthenticatesTheServer() throws {
        let rig = SessionRig(key: .generate(), category: "lt")
        try rig.play("open activate:playback")
        #expect(
            rig.takeLog() == [
                "→ client/init", "→ noise/handshake", "record used", "connected(lt)", "→ client/hello",
                "activated(nothing, 6 roles)", "activated(playback, 6 roles)",
            ])
        #expect(rig.session.server?.isPaired == true)
    }

    /// An attacker can replay the first message of an earlier handshake, but cannot send an encrypted hello.
    @Test func handshakeWithoutAGreetingUsesNoRecord() throws {
        let rig = SessionRig(key: .generate(), category: "lt")
        try rig.play("connect")
        #expect(rig.takeLog() == ["→ client/init", "→ noise/handshake"])
        try rig.play("hello")
        #expect(rig.takeLog() == ["record used", "connected(lt)", "→ client/hello"])
    }

    @Test func unknownKeyFallsBackToThePublishedOne() throws {
        let rig = SessionRig(
            key: .generate(), category: "lt",
            records: [PairingRecord(server: KeyPair.generate().publicKey, key: .generate())])
        try rig.play("connect hello")
        #expect(
            rig.takeLog() == [
                "→ client/init", "credential missing", "→ noise/handshake", "connected(sn)", "→ client/hello",
            ])
        #expect(rig.peer.category == "sn")
    }

    @Test func keyOfAnotherServerIsRefused() throws {
        let key = PreSharedKey.generate()
        let rig = SessionRig(
            key: key, category: "lt", records: [PairingRecord(server: KeyPair.generate().publicKey, key: key)])
        try rig.play("connect")
        #expect(rig.takeLog() == ["→ client/init", "failed(authentication)", "close(1000)"])
    }

    /// The client uses a key only in the category in which the key is stored.
    @Test func keyOfAnotherCategoryIsUnknown() throws {
        let key = PreSharedKey.generate()
        let rig = SessionRig(key: key, category: "pr", pairingKey: .generate())
        rig.peer.proposal.category = "lt"
        try rig.play("connect")
        #expect(rig.takeLog().contains("credential missing"))
    }

    @Test func pairsByThePairingKey() throws {
        let rig = SessionRig(key: .generate(), category: "pr")
        try rig.play("connect hello activate:pairing")
        #expect(rig.takeLog().suffix(3) == ["activated(pairing, 0 roles)", "→ pair-init(1)", "→ client/pair-finalize"])
        guard case .pairingKey(let text, _) = rig.sent.last, let key = PreSharedKey(text: text) else {
            Issue.record("no key")
            return
        }
        try rig.play("pair-done")
        #expect(rig.takeLog() == ["paired"])
        // The server continues with the new key.
        rig.peer.proposal = (key, "lt")
        try rig.play("rekey activate:all")
        #expect(rig.takeLog() == ["→ noise/handshake", "record used", "activated(nothing, 6 roles)"])
        try rig.play("sync")
        #expect(rig.takeLog() == ["→ state(available)"])
        #expect(rig.session.server?.isPaired == true)
    }

    @Test func unconfirmedPairingIsForgotten() throws {
        let rig = SessionRig(key: .generate(), category: "pr")
        try rig.play("connect hello activate:pairing pair-abort pair-done")
        #expect(rig.takeLog().last == "pairing aborted")
        // Each attempt has the next index. A new activation ends the previous attempt.
        try rig.play("activate:pairing activate:pairing activate:none pair-done")
        #expect(
            rig.takeLog() == [
                "activated(pairing, 0 roles)", "→ pair-init(2)", "→ client/pair-finalize",
                "activated(pairing, 0 roles)", "→ pair-init(3)", "→ client/pair-finalize",
                "activated(nothing, 0 roles)",
            ])
        try rig.play("activate:pairing wait:121")
        #expect(rig.takeLog().suffix(2) == ["→ pair-abort(attempt_timeout)", "pairing aborted"])
    }

    @Test func newHandshakeBeginsTheCountOfPairings() throws {
        let rig = SessionRig(key: .generate(), category: "pr")
        try rig.play("connect hello activate:pairing activate:pairing rekey")
        _ = rig.takeLog()
        try rig.play("activate:pairing")
        #expect(rig.takeLog() == ["activated(pairing, 0 roles)", "→ pair-init(1)", "→ client/pair-finalize"])
        // The new handshake ends the pairing attempt that began under the old keys.
        try rig.play("activate:pairing rekey")
        #expect(rig.session.candidate == nil)
        try rig.play("activate:none pair-done")
        #expect(!rig.takeLog().contains("paired"))
    }

    /// A client gives a long-term key only to a server that has the client's pairing key.
    @Test func publishedKeyDoesNotPair() throws {
        let rig = SessionRig()
        try rig.play("connect hello activate:pairing")
        #expect(
            rig.takeLog().suffix(3) == [
                "activated(pairing, 0 roles)", "→ pair-abort(method_not_supported)", "pairing aborted",
            ])
        #expect(!rig.sent.contains { if case .pairingKey = $0 { true } else { false } })
    }

    @Test func pairingByACodeIsNotSupported() throws {
        let rig = SessionRig(key: .generate(), category: "pr")
        try rig.play("connect hello activate:code")
        #expect(rig.takeLog().suffix(2) == ["→ pair-abort(method_not_supported)", "pairing aborted"])
    }

    @Test func newHandshakeKeepsTheStreamAndTheClock() throws {
        let rig = SessionRig()
        try rig.play("playing chunk")
        let estimate = rig.session.clock?.clock.estimate
        _ = rig.takeLog()
        try rig.play("rekey")
        #expect(rig.takeLog() == ["→ noise/handshake"])
        // Before the activation, the client sends no message.
        try rig.perform(rig.session.update(PlayerState(volume: 1), at: rig.now))
        try rig.play("wait:20 volume:3 chunk")
        #expect(
            rig.takeLog() == [
                "ignored: A message server/command of the server is ignored: "
                    + "it arrived between a handshake and the activation.",
                "chunk(100)",
            ])
        #expect(rig.session.clock?.clock.estimate == estimate)
        try rig.play("activate:playback+all chunk")
        #expect(rig.takeLog() == ["activated(playback, 6 roles)", "→ state(available)", "chunk(100)"])
        #expect(rig.session.counters.rehandshakes == 1)
    }

    @Test func unknownKeyInANewHandshakeClosesSilently() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        rig.peer.proposal = (.generate(), "lt")
        try rig.play("rekey")
        #expect(rig.takeLog() == ["failed(authentication)", "close(1000)"])
    }

    @Test func unpairDeletesTheRecord() throws {
        let rig = SessionRig(key: .generate(), category: "lt")
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.play("unpair")
        #expect(rig.takeLog() == ["unpaired", "→ goodbye(unpaired)", "failed(unpaired)", "close(1000)"])
        let unpaired = SessionRig()
        try unpaired.play("playing")
        _ = unpaired.takeLog()
        try unpaired.play("unpair chunk")
        #expect(unpaired.takeLog() == ["chunk(100)"])
    }

    /// The columns are the category, whether the server has an unexpected identity, and whether it is admitted.
    @Test(arguments: [
        ("sn", false, true), ("sn", true, false), ("lt", true, true), ("pr", true, true), ("xx", true, false),
    ]) func onlyAKeyReplacesTheExpectedServer(category: String, isOther: Bool, isAdmitted: Bool) throws {
        let identity = KeyPair.generate()
        // If the client does not have the key, the handshake falls back to the published key.
        let isUnknown = category == "xx"
        let rig = SessionRig(
            key: category == "sn" ? nil : .generate(), category: isUnknown ? "lt" : category,
            records: isUnknown ? [PairingRecord(server: KeyPair.generate().publicKey, key: .generate())] : [],
            identity: identity
        ) { $0.expectedServerID = isOther ? KeyPair.generate().publicKey.id : identity.publicKey.id }
        try rig.play("connect")
        if isAdmitted {
            #expect(rig.takeLog().contains("→ noise/handshake"))
        } else {
            #expect(rig.takeLog() == ["→ client/init", "failed(otherIdentity)", "close(1000)"])
            #expect(rig.failure?.text.contains(identity.publicKey.id) == true)
        }
    }

    @Test func helloAnnouncesWhetherServersMayPlayUnpaired() throws {
        for isAllowed in [true, false] {
            let rig = SessionRig { $0.allowsUnpairedAccess = isAllowed }
            try rig.play("connect hello")
            guard case .hello(let hello) = rig.sent.last else { Issue.record("no hello"); return }
            #expect(hello.isUnpairedAccessEnabled == isAllowed)
        }
    }

    /// Another connection may pair the player while this connection waits for its activation.
    @Test func unpairedAccessIsJudgedAtTheActivation() throws {
        let rig = SessionRig()
        try rig.play("connect hello")
        _ = rig.takeLog()
        rig.session.setUnpairedAccess(false)
        try rig.play("activate:all")
        #expect(rig.takeLog() == ["→ goodbye(pairing_required)", "failed(pairingRequired)", "close(1000)"])
    }

    /// A server that was paired must not continue to play with the published key.
    @Test func newHandshakeWithThePublishedKeyLosesTheRightToPlay() throws {
        let rig = SessionRig(key: .generate(), category: "lt") { $0.allowsUnpairedAccess = false }
        try rig.play("open")
        rig.peer.proposal = (.sentinel, "sn")
        try rig.play("rekey")
        _ = rig.takeLog()
        try rig.play("activate:all")
        #expect(rig.takeLog().first == "→ goodbye(pairing_required)")
    }

    /// The columns are the category, whether unpaired access is permitted, the activation, and the outcome.
    @Test(arguments: [
        ("lt", false, "playback", "admitted"), ("lt", false, "all", "admitted"),
        ("lt", true, "pairing", "unauthorized"),
        ("lt", false, "dance", "unauthorized"), ("sn", true, "all", "admitted"),
        ("sn", true, "playback+all", "admitted"),
        ("sn", true, "pairing", "admitted"), ("sn", true, "dance", "unauthorized"),
        ("sn", false, "none", "admitted"), ("sn", false, "pairing", "admitted"),
        ("sn", false, "all", "pairing_required"), ("sn", false, "playback", "pairing_required"),
        ("sn", false, "playback+all", "pairing_required"), ("sn", false, "dance", "unauthorized"),
        ("pr", false, "pairing", "admitted"), ("pr", false, "playback", "pairing_required"),
        ("pr", true, "playback", "admitted"), ("pr", false, "none", "admitted"),
    ]) func keyDecidesWhatIsAdmitted(category: String, unpaired: Bool, activation: String, outcome: String) throws {
        let rig = SessionRig(key: category == "sn" ? nil : .generate(), category: category) {
            $0.allowsUnpairedAccess = unpaired
        }
        try rig.play("connect hello")
        _ = rig.takeLog()
        try rig.play("activate:\(activation)")
        let log = rig.takeLog()
        if outcome == "admitted" {
            #expect(log.first?.hasPrefix("activated") ?? false, "\(log)")
        } else {
            let kind = outcome == "unauthorized" ? "unauthorized" : "pairingRequired"
            #expect(log == ["→ goodbye(\(outcome))", "failed(\(kind))", "close(1000)"])
        }
    }
}
