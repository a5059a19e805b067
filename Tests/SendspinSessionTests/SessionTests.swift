import Durations
import SendspinNoise
import SendspinSession
import SendspinWire
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

    @Test func playerWithoutClockIsUnavailable() throws {
        let rig = SessionRig()
        rig.answersTime = false
        try rig.play("open")
        _ = rig.takeLog()
        try rig.play("wait:2")
        #expect(rig.log == [])
        try rig.play("wait:2")
        #expect(rig.takeLog() == ["→ state(unavailable)"])
        rig.answersTime = true
        try rig.play("wait:5")
        #expect(rig.takeLog() == ["→ state(available)"])
    }

    @Test func clientWithoutPlayerDoesNotWaitForTheClock() throws {
        let rig = SessionRig()
        try rig.play("connect hello activate:metadata")
        #expect(rig.takeLog() == opening + ["activated(nothing, 1 roles)", "→ state(available)"])
    }

    @Test func playsAStream() throws {
        let rig = SessionRig()
        try rig.play("open sync activate:playback")
        _ = rig.takeLog()
        try rig.play(
            "chunk start chunk chunk start:pcm chunk:8 clear chunk:4 end chunk:4 start chunk end:artwork chunk end:player"
        )
        #expect(
            rig.takeLog() == [
                "started(flac)", "chunk(100)", "chunk(100)", "changed(pcm)", "chunk(8)", "cleared", "chunk(4)", "ended",
                "started(flac)", "chunk(100)", "chunk(100)", "ended",
            ])
        #expect(rig.session.counters.chunksReceived == 6)
        #expect(rig.session.counters.chunksIgnored == 2)
    }

    @Test func chunkWithPartOfAFrameIsIgnored() throws {
        let rig = SessionRig()
        try rig.play("playing start:pcm")
        _ = rig.takeLog()
        try rig.play("chunk:6 chunk:7 chunk:8")
        let log = rig.takeLog()
        #expect(log.count == 2)
        #expect(log.first?.hasPrefix("ignored: A message audio of the server is ignored: a chunk of 6 bytes") ?? false)
        #expect(log.last == "chunk(8)")
        #expect(rig.session.counters.messagesIgnored == 2)
    }

    @Test func formatThatWasNotOfferedEndsTheStream() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        let format = AudioFormat(codec: .pcm, channels: 64, sampleRate: 1, bitDepth: 64)
        try rig.send(.streamStart(StreamStart(player: PlayerStream(format: format))))
        try rig.play("chunk")
        #expect(
            rig.takeLog() == [
                "ended",
                "ignored: A message stream/start of the server is ignored: the format pcm, 1 Hz, 64 channels, 64 bits "
                    + "was not offered.",
            ])
    }

    @Test func flacWithoutItsHeaderIsNotPlayed() throws {
        let rig = SessionRig()
        try rig.play("open sync")
        _ = rig.takeLog()
        try rig.send(.streamStart(StreamStart(player: PlayerStream(format: SessionRig.flac))))
        try rig.play("chunk")
        #expect(
            rig.takeLog() == [
                "ignored: A message stream/start of the server is ignored: the codec header of FLAC is missing or malformed."
            ])
    }

    /// Only `advance` knows the time of the transmission.
    @Test func timeIsRequestedOnlyByAdvance() throws {
        let rig = SessionRig()
        rig.answersTime = false
        try rig.play("open")
        #expect(rig.session.deadline == rig.now)
        try rig.perform(rig.session.advance(to: rig.now))
        guard case .time(let time) = rig.sent.last else {
            Issue.record("no request")
            return
        }
        #expect(time == rig.now)
        let count = rig.sent.count
        rig.now += .milliseconds(1)
        let server = rig.now + rig.offset
        try rig.send(.time(TimeReply(clientTransmitted: time, serverReceived: server, serverTransmitted: server)))
        #expect(rig.sent.count == count)
        let deadline = rig.session.deadline
        #expect(deadline == rig.now)
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

    @Test func metadataIsEmittedAtItsTime() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.play("metadata:one metadata:two+5 wait:4")
        #expect(rig.takeLog() == ["metadata(one)"])
        try rig.play("wait:2")
        #expect(rig.takeLog() == ["metadata(two)"])
        // At most one is pending: a later one replaces it.
        try rig.play("metadata:three+5 metadata:four+3 wait:9")
        #expect(rig.takeLog() == ["metadata(four)"])
    }

    @Test func imagesAreJoinedAndClearedWithTheStream() throws {
        let rig = SessionRig()
        try rig.play("open sync")
        _ = rig.takeLog()
        let channel = ArtworkChannel(source: .album, format: .jpeg, width: 100, height: 100)
        try rig.play("image:10")
        try rig.send(.streamStart(StreamStart(artwork: [channel])))
        try rig.play("image:10 image:0 image:5000000 image:20 wait:1 end:artwork")
        #expect(
            rig.takeLog() == ["artwork(0, 10)", "artwork(0, 0)", "artwork(0, 20)", "artwork(0, 0)"])
        #expect(rig.session.counters.imagesDiscarded == 1)
    }

    @Test func removedRolesEndTheirStreamsAndState() throws {
        let rig = SessionRig()
        try rig.play("playing metadata:one controller:5")
        _ = rig.takeLog()
        try rig.play("activate:none")
        #expect(
            rig.takeLog() == ["ended", "metadata(none)", "controller(none)", "activated(nothing, 0 roles)"])
        try rig.play("activate:all")
        #expect(rig.takeLog() == ["activated(nothing, 4 roles)", "→ state(available)"])
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
        let open = SessionRig()
        try open.play("playing lost")
        #expect(open.failure?.kind == .connectionLost)
    }

    @Test func sameServerContinuesWithItsClock() throws {
        let identity = KeyPair.generate()
        let rig = SessionRig(identity: identity)
        try rig.play("playing wait:20")
        let clock = try #require(rig.session.clock)
        let again = SessionRig(identity: identity, clock: clock)
        again.now = rig.now
        try again.play("open")
        #expect(again.takeLog().last == "→ state(available)")
        let other = SessionRig(clock: clock)
        other.now = rig.now
        try other.play("open")
        #expect(other.takeLog().last == "activated(nothing, 4 roles)")
    }

    @Test func clockOfTheServerMayStep() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        rig.offset += .seconds(1000)
        try rig.play("wait:10")
        #expect(rig.takeLog() == ["stepped"])
        #expect(rig.session.counters.clockSteps == 1)
        let estimate = try #require(rig.session.clock?.clock.estimate)
        #expect(abs((estimate.offset - rig.offset).inSeconds) < 1e-5)
    }
}
