@testable import SendspinProtocol
import Testing

@Suite struct ArbitrationTests {
    /// Parses a server (`A` played last) with `p` playback, `c` pairing, `-` no activity, `!` a pairing in progress,
    /// and `=` authenticated.
    private func candidate(_ drawing: String) -> Arbiter.Candidate? {
        guard let server = drawing.first else { return nil }
        let activities: Set<Activity> = drawing.contains("p") ? [.playback] : drawing.contains("c") ? [.pairing] : []
        return Arbiter.Candidate(
            serverID: String(server), activities: activities, isAuthenticated: drawing.contains("="),
            isPairingInProgress: drawing.contains("!"))
    }

    @Test(arguments: [
        ("", "B-", true), ("B-", "Cp", true), ("Bp", "Cp", true), ("Bp", "Cc", false), ("Bp", "C-", false),
        ("Bc", "Cp", true), ("Bc", "Cc", true), ("Bc", "C-", false), ("Bc!", "Cp", false), ("Bc!", "Cc", false),
        ("B-", "Cc", true), ("B-", "C-", false), ("B-", "A-", true), ("A-", "B-", false), ("A-", "A-", false),
        ("Bp", "A-", false), ("Bp=", "Cp", false), ("B-=", "Cp", false), ("B-=", "A-", false), ("B-=", "Cc", false),
        ("Bp", "Cp=", true), ("Bp", "C-=", true), ("A-", "B-=", true), ("Bc!=", "Cp=", false), ("B-=", "Cc=", true),
        ("Bp=", "Cp=", true), ("Bp=", "Cc=", false), ("Bc!", "Cp=", true), ("Bc!", "Cc=", true), ("Bc!=", "Cp", false),
    ]) func higherOrEqualRankWins(current: String, incoming: String, isAdmitted: Bool) throws {
        let arbiter = Arbiter(lastPlaybackServer: "A")
        let verdict = arbiter.judge(try #require(candidate(incoming)), against: candidate(current))
        #expect(verdict == (isAdmitted ? .admit : .reject))
    }

    @Test func playbackIsRemembered() throws {
        var arbiter = Arbiter(lastPlaybackServer: nil)
        let changes = ["B-", "Bc", "Bp", "Bp", "Cp"].map { arbiter.note(candidate($0)!) }
        #expect(changes == [false, false, true, false, true])
        #expect(arbiter.lastPlaybackServer == "C")
    }

    /// The key of the token (`pr`) authenticates a server only while the server pairs.
    @Test(arguments: [
        ("lt", "none", true), ("pr", "pairing", true), ("pr", "none", false), ("pr", "playback+all", false),
        ("sn", "pairing", false), ("sn", "playback+all", false),
    ]) func keyAuthenticatesForItsPurpose(category: String, activation: String, isAuthenticated: Bool) throws {
        let rig = SessionRig(key: category == "sn" ? nil : .generate(), category: category) {
            $0.isServerInitiated = true
        }
        try rig.play("connect hello activate:\(activation)")
        #expect(rig.session.candidate?.isAuthenticated == isAuthenticated)
    }

    /// A server that can never play must not keep another server waiting.
    @Test(arguments: [
        ("sn", "activate:none wait:20 rekey activate:pairing wait:9", false), ("sn", "activate:all wait:40", true),
        ("lt", "activate:none wait:40", true), ("pr", "activate:pairing wait:40", true),
    ]) func connectionWithoutRoleEndsIfAnotherServerMayWait(category: String, script: String, remains: Bool) throws {
        let rig = SessionRig(key: category == "sn" ? nil : .generate(), category: category) {
            $0.endsWithoutRole = true
        }
        try rig.play("connect hello \(script)")
        #expect(!rig.session.isClosed)
        _ = rig.takeLog()
        try rig.play("wait:2")
        #expect(rig.session.isClosed != remains)
        #expect(rig.takeLog() == (remains ? [] : ["→ goodbye(another_server)", "failed(timeout)", "close(1000)"]))
    }

    /// A server without a role changes neither the clock of the player nor the state that the application shows.
    @Test func serverWithoutRoleCausesNothing() throws {
        let rig = try rig("connect hello activate:none admit")
        _ = rig.takeLog()
        try rig.play("group:evil sync")
        #expect(rig.takeLog() == [])
        #expect(rig.session.clock == nil)
        try rig.play("activate:all group:good sync")
        #expect(rig.takeLog().contains("group(playing, good)"))
        #expect(rig.session.clock != nil)
    }

    @Test func groupIsShownWhenTheServerGivesARole() throws {
        let rig = try rig("connect hello activate:none admit group:G")
        _ = rig.takeLog()
        try rig.play("activate:all")
        #expect(rig.takeLog().filter { $0.hasPrefix("group") } == ["group(playing, G)"])
        try rig.play("activate:all")
        #expect(!rig.takeLog().contains { $0.hasPrefix("group") })
    }

    private func rig(_ script: String) throws -> SessionRig {
        let rig = SessionRig { $0.isServerInitiated = true }
        try rig.play(script)
        return rig
    }

    /// Without this timeout, a few silent servers would occupy all connections of the player for minutes.
    @Test func allStepsBeforeTheAdmissionHaveOneTimeout() throws {
        let rig = try rig("connect wait:20 hello wait:9")
        #expect(!rig.session.isClosed)
        try rig.play("wait:2")
        #expect(rig.failure?.kind == .timeout)
        let other = try self.rig("connect wait:20 hello wait:9 activate:all wait:60")
        #expect(!other.session.isClosed)
    }

    @Test func nothingIsSentBeforeTheConnectionIsAdmitted() throws {
        let rig = try rig("open")
        #expect(rig.session.candidate?.activities == [])
        _ = rig.takeLog()
        try rig.play("wait:5 volume:3")
        #expect(
            rig.takeLog() == [
                "ignored: A message server/command of the server is ignored: the connection is not admitted."
            ])
        try rig.play("admit sync")
        #expect(rig.takeLog() == ["→ state(available)"])
    }

    @Test func pairingWaitsForTheAdmission() throws {
        let rig = SessionRig(key: .generate(), category: "pr") { $0.isServerInitiated = true }
        try rig.play("connect hello activate:pairing")
        #expect(rig.takeLog().last == "activated(pairing, 0 roles)")
        try rig.play("admit")
        #expect(rig.takeLog() == ["→ pair-init(1)", "→ client/pair-finalize"])
    }

    @Test func dismissalNamesItsReason() throws {
        for (word, reason) in [("displace", "another_server"), ("reject", "concurrent_attempt")] {
            let rig = try rig("open \(word)")
            #expect(rig.takeLog().suffix(2) == ["→ goodbye(\(reason))", "close(1000)"])
        }
        let pairing = try rig("connect hello activate:pairing reject")
        #expect(pairing.takeLog().suffix(2) == ["→ pair-abort(concurrent_attempt)", "close(1000)"])
    }
}
