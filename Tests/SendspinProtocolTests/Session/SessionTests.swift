import Durations
import SendspinSecurity
import SendspinProtocol
import Testing

@Suite struct SessionTests {
    private let opening = ["→ client/init", "→ noise/handshake", "connected(sn)", "→ client/hello"]

    @Test func statesAvailabilityOnlyWhenTheClockHasConverged() throws {
        let rig = SessionRig()
        try rig.play("connect hello activate:player")
        #expect(rig.takeLog() == opening + ["activated(nothing, 1 roles)"])
        try rig.run(for: .milliseconds(50))
        #expect(rig.log == [])
        try rig.play("sync")
        #expect(rig.log == ["→ state(available)"])
        guard case .state(let state) = rig.sent.last(where: { if case .state = $0 { true } else { false } }) else {
            return
        }
        #expect(state.player?.commands == PlayerCommandName.allCases)
        #expect(state.player?.volume == 100)
        #expect(state.artwork == nil)
    }

    @Test func clientWithoutPlayerDoesNotWaitForTheClock() throws {
        let rig = SessionRig()
        try rig.play("connect hello activate:metadata")
        #expect(rig.takeLog() == opening + ["activated(nothing, 1 roles)", "→ state(available)"])
    }

    @Test func preferredFormatMustBeOffered() throws {
        let other = AudioFormat(codec: .opus, channels: 2, sampleRate: 48000, bitDepth: 16)
        for (format, isSent) in [(SessionRig.pcm, true), (other, false)] {
            let rig = SessionRig(player: PlayerState(preferredFormat: format))
            try rig.play("open sync")
            guard case .state(let state) = rig.sent.last(where: { if case .state = $0 { true } else { false } }) else {
                Issue.record("no state")
                return
            }
            #expect((state.player?.format == format) == isSent)
        }
    }

    @Test func commandsAreCarriedOutAndReported() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.play("volume:30 volume:30 mute delay:250")
        #expect(
            rig.takeLog() == [
                "volume(30)", "→ state(available)", "volume(30)", "muted(true)", "→ state(available)", "delay(0.25)",
                "→ state(available)",
            ])
        guard case .state(let state) = rig.sent.last else { return }
        #expect(state.player?.volume == 30)
        #expect(state.player?.isMuted == true)
        #expect(state.player?.outputDelay == .milliseconds(250))
    }

    @Test func commandThatIsNotOfferedIsIgnored() throws {
        let rig = SessionRig(player: PlayerState(commands: [.mute]))
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.play("volume:30 volume:30")
        #expect(
            rig.takeLog() == [
                "ignored: A message server/command of the server is ignored: the command volume was not offered."
            ])
        #expect(rig.session.counters.messagesIgnored == 2)
    }

    @Test func changedStateIsReportedOnce() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        var player = PlayerState(volume: 40)
        try rig.perform(rig.session.update(player, at: rig.now))
        try rig.perform(rig.session.update(player, at: rig.now))
        player.isAvailable = false
        try rig.perform(rig.session.update(player, at: rig.now))
        try rig.play("chunk")
        #expect(rig.takeLog() == ["→ state(available)", "→ state(unavailable)"])
    }

    @Test func controllerCommandsAreSentOnlyIfOffered() throws {
        let rig = SessionRig()
        try rig.play("open")
        let refused = rig.session.send(.play)
        #expect(refused == nil)
        try rig.play("controller:5")
        _ = rig.takeLog()
        let actions = rig.session.send(.volume(10))
        try rig.perform(try #require(actions))
        let notOffered = rig.session.send(.next)
        #expect(notOffered == nil)
        try rig.play("leave")
        #expect(rig.takeLog() == ["→ command(volume)", "→ client/leave"])
    }

    @Test func goodbyeClosesTheConnection() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.play("close:user_request chunk")
        #expect(rig.takeLog() == ["→ goodbye(user_request)", "close(1000)"])
        #expect(rig.session.isClosed)
        #expect(rig.session.deadline == nil)
    }

    @Test func closesWithoutMessageBeforeTheHandshake() throws {
        let rig = SessionRig()
        _ = rig.session.start(at: rig.now)
        try rig.play("close:shutdown")
        #expect(rig.takeLog() == ["close(1000)"])
    }

    @Test func serverThatSkipsStepsIsClosed() throws {
        for script in ["connect activate:all", "connect hello hello", "connect hello start", "connect hello chunk"] {
            let rig = SessionRig()
            try rig.play(script)
            #expect(rig.takeLog().suffix(2) == ["failed(violation)", "close(1002)"], "\(script)")
        }
    }

    /// A hostile server may send 1.8 MB of a message and then fragments of one byte, for which a client that copies the
    /// message at each fragment would take 150 times as long.
    @Test func aFragmentOfALongMessageTakesNoLonger() throws {
        let rig = SessionRig { $0.limits.joinedSize = 2_097_152 }
        try rig.play("open")
        // Use the shortest of ten durations, because other load may delay the thread.
        func time() throws -> Duration {
            try (0..<10).map { _ in
                let messages = try (0..<50).map { _ in try rig.peer.message(plaintext: [1, 0, 7]) }
                return try ContinuousClock().measure { for message in messages { try rig.receive(message) } }
            }.min()!
        }
        try rig.receive(try rig.peer.message(plaintext: [1, 2, 200]))
        let short = try time()
        for _ in 0..<30 {
            try rig.receive(try rig.peer.message(plaintext: [1, 0] + [UInt8](repeating: 3, count: 60_000)))
        }
        #expect(try time() < short * 30)
        #expect(!rig.session.isClosed)
    }

    @Test func everyStepHasATimeout() throws {
        for (script, step) in [
            ("connect", "server/hello"), ("connect hello", "server/activate"), ("playing rekey", "server/activate"),
        ] {
            let rig = SessionRig()
            try rig.play(script)
            _ = rig.takeLog()
            try rig.play("wait:29")
            #expect(rig.takeLog() == [], "\(script)")
            try rig.play("wait:2")
            #expect(rig.takeLog() == ["failed(timeout)", "close(1000)"], "\(script)")
            #expect(rig.failure?.text.contains(step) ?? false)
        }
    }

    @Test func firstStepHasATimeout() throws {
        let rig = SessionRig()
        _ = rig.session.start(at: rig.now)
        try rig.play("wait:31")
        #expect(rig.takeLog() == ["failed(timeout)", "close(1000)"])
        #expect(rig.failure?.text.contains("server/init") ?? false)
    }

    @Test func lostConnectionBeforeTheIdentityMaySpeakLegacy() throws {
        let rig = SessionRig()
        _ = rig.session.start(at: rig.now)
        try rig.play("lost")
        #expect(rig.failure?.kind == .closedInHandshake)
        #expect(rig.failure?.isTransient == true)
        #expect(rig.failure?.text.contains("as aiosendspin 4 to 6 do, which allow-unencrypted=true accepts") == true)
        let open = SessionRig()
        try open.play("playing lost")
        #expect(open.failure?.kind == .connectionLost)
    }
}
