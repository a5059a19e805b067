import Durations
import JSON
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol
import Testing

/// The source role: the server requests captured audio.
@Suite struct SourceTests {
    /// A session with an active source and a synchronized clock; `log` begins after that.
    private func source(
        _ script: String = "capture:pcm", sensesLine: Bool = false,
        _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> SessionRig {
        let rig = SessionRig {
            $0.roles = [.source]
            $0.formats = []
            $0.sensesLine = sensesLine
            configure(&$0)
        }
        try rig.play("connect hello activate:source \(script) sync")
        _ = rig.takeLog()
        return rig
    }

    @Test func isAvailableOnceTheClockIsSynchronizedAndAudioIsCaptured() throws {
        for (script, log) in [
            ("capture:pcm sync", ["→ state(available)"]),
            ("sync capture:pcm", ["→ state(unavailable)", "→ state(available)"]),
        ] {
            let rig = SessionRig { $0.roles = [.source] }
            try rig.play("connect hello activate:source")
            _ = rig.takeLog()
            try rig.play(script)
            #expect(rig.takeLog() == log, "\(script)")
        }
    }

    @Test func helloDescribesTheSource() throws {
        for sensesLine in [true, false] {
            let rig = try source(sensesLine: sensesLine)
            let hello = rig.sent.compactMap { if case .hello(let hello) = $0 { hello } else { nil } }.first
            #expect(hello?.roles == [.source])
            #expect(hello?.sensesLine == sensesLine)
        }
        let legacy = SessionRig {
            $0.roles = [.player, .source]
            $0.dialect = .legacy
        }
        #expect(legacy.session.hello.roles == [.player])
    }

    @Test func eachStartPermitsOneStream() throws {
        let rig = try source()
        #expect(try !rig.capture(SourceChunk(timestamp: .seconds(1), payload: [1])))
        try rig.play("request request")
        #expect(rig.takeLog() == ["→ client-stream/start", "capture(pcm)"])
        try rig.play("release release")
        #expect(rig.takeLog() == ["→ client-stream/end", "capture ended"])
        #expect(try !rig.capture(SourceChunk(timestamp: .seconds(1), payload: [1])))
        try rig.play("request")
        #expect(rig.takeLog() == ["→ client-stream/start", "capture(pcm)"])
    }

    @Test func chunkHasItsCaptureTime() throws {
        let rig = try source("capture:pcm")
        try rig.play("request")
        let chunk = SourceChunk(timestamp: .microseconds(-5), payload: [9, 8, 7])
        #expect(chunk.message == [12, 255, 255, 255, 255, 255, 255, 255, 251, 9, 8, 7])
        // More than one transport message.
        let long = SourceChunk(timestamp: .seconds(7), payload: [UInt8](repeating: 3, count: 100_000))
        for one in [chunk, long] {
            let isSent = try rig.capture(one)
            #expect(isSent)
        }
        #expect(rig.peer.captured == [chunk, long])
        #expect(try !rig.capture(SourceChunk(timestamp: .zero, payload: [])))
    }

    @Test func startWhileUnavailableHasNoEffect() throws {
        let rig = try source("")
        try rig.play("request capture:pcm")
        #expect(
            rig.takeLog() == [
                "ignored: A message server/command of the server is ignored: the source is not available.",
                "→ state(available)",
            ])
        try rig.play("request")
        #expect(rig.takeLog() == ["→ client-stream/start", "capture(pcm)"])
    }

    /// An unavailable client does not play, so only the player decides whether a client with both roles is available.
    @Test func inputThatPausesLeavesThePlayerAvailable() throws {
        let rig = SessionRig { $0.roles.append(.source) }
        try rig.play("connect hello activate:room sync")
        #expect(rig.takeLog().last == "→ state(available)")
        try rig.play("capture:pcm request capture")
        #expect(
            rig.takeLog() == ["→ client-stream/start", "capture(pcm)", "→ client-stream/end", "capture ended"])
        try rig.play("capture:pcm start:pcm chunk:4")
        #expect(rig.takeLog() == ["started(pcm)", "chunk(4)"])
    }

    /// The server may request audio of a client that is available as a player and captures nothing yet.
    @Test func startWaitsForTheInputOfAPlayer() throws {
        let rig = SessionRig { $0.roles.append(.source) }
        try rig.play("connect hello activate:room sync request")
        _ = rig.takeLog()
        try rig.play("capture:pcm")
        #expect(rig.takeLog() == ["→ client-stream/start", "capture(pcm)"])
        // It permits one stream.
        try rig.play("capture capture:pcm")
        #expect(rig.takeLog() == ["→ client-stream/end", "capture ended"])
        for end in ["release", "activate:player activate:room", "capture:opus"] {
            try rig.play("capture request \(end)")
            _ = rig.takeLog()
            try rig.play("capture:pcm")
            #expect(rig.takeLog() == [], "\(end)")
        }
    }

    /// A server that is not paired neither gets the offer of a role that requires a pairing nor can use the role.
    @Test func roleThatRequiresAPairingIsNeitherOfferedNorActiveWithoutOne() throws {
        for (category, isPaired) in [("sn", false), ("pr", false), ("lt", true)] {
            let rig = SessionRig(key: category == "sn" ? nil : .generate(), category: category) {
                $0.roles.append(.source)
                $0.pairedRoles = [.source]
            }
            try rig.play("connect hello")
            let hello = rig.sent.compactMap { if case .hello(let hello) = $0 { hello } else { nil } }.first
            #expect(hello?.roles.contains(.source) == isPaired && hello?.roles.contains(.player) == true)
            try rig.play("capture:pcm activate:room sync request")
            #expect(rig.session.roles == (isPaired ? [.player, .source] : [.player]))
            #expect((rig.session.sourceStream != nil) == isPaired)
        }
    }

    /// A server that replaces the key of its pairing by another one loses the role.
    @Test func roleThatRequiresAPairingEndsWithItsKey() throws {
        let rig = SessionRig(key: .generate(), category: "lt") {
            $0.roles.append(.source)
            $0.pairedRoles = [.source]
        }
        try rig.play("connect hello capture:pcm activate:room sync request")
        #expect(rig.session.sourceStream != nil)
        _ = rig.takeLog()
        rig.peer.proposal = (.sentinel, "sn")
        try rig.play("rekey activate:room")
        #expect(rig.session.roles == [.player] && rig.session.sourceStream == nil)
        #expect(rig.takeLog().contains("capture ended"))
        #expect(try !rig.capture(SourceChunk(timestamp: .seconds(1), payload: [1])))
    }

    @Test func streamEndsBeforeTheSourceIsUnavailable() throws {
        let rig = try source()
        try rig.play("request capture")
        #expect(
            rig.takeLog().dropFirst(2) == ["→ client-stream/end", "capture ended", "→ state(unavailable)"])
        try rig.play("capture:pcm")
        // The stream does not continue without a new start.
        #expect(rig.takeLog() == ["→ state(available)"])
    }

    @Test func otherFormatReplacesThatOfTheStream() throws {
        let rig = try source()
        try rig.play("capture:flac")
        #expect(rig.takeLog() == [])
        try rig.play("request capture:pcm")
        #expect(
            rig.takeLog() == ["→ client-stream/start", "capture(flac)", "→ client-stream/start", "capture(pcm)"])
        let starts = rig.sent.compactMap { if case .sourceStart(let stream) = $0 { stream } else { nil } }
        #expect(starts == [SessionRig.captured("flac"), SessionRig.captured("pcm")])
    }

    @Test func codecThatTheServerDoesNotListIsRefused() throws {
        let rig = try source("capture:opus")
        try rig.play("request capture:pcm")
        #expect(rig.takeLog() == ["capture refused(opus)"])
        try rig.play("request capture:opus")
        #expect(
            rig.takeLog().suffix(3) == ["capture refused(opus)", "→ client-stream/end", "capture ended"])
        let other = SessionRig { $0.roles = [.source] }
        try other.play("connect")
        try other.send(.hello(ServerHello(name: "Server", sourceCodecs: [.flac, .pcm, .opus])))
        try other.play("activate:source capture:opus sync request")
        #expect(other.log.suffix(2) == ["→ client-stream/start", "capture(opus)"])
    }

    @Test func removalOfTheRoleEndsTheStream() throws {
        let rig = try source()
        try rig.play("request activate:none")
        #expect(rig.takeLog().suffix(3) == ["→ client-stream/end", "capture ended", "activated(nothing, 0 roles)"])
        try rig.play("activate:source")
        #expect(rig.takeLog() == ["activated(nothing, 1 roles)", "→ state(available)"])
        #expect(rig.session.sourceStream == nil)
    }

    /// Between a new handshake and its activation, the client may send only the answer.
    @Test func streamSurvivesANewHandshake() throws {
        let rig = try source()
        try rig.play("request rekey")
        _ = rig.takeLog()
        #expect(rig.session.sourceStream != nil && !rig.session.mayCapture)
        #expect(try !rig.capture(SourceChunk(timestamp: .zero, payload: [1])))
        try rig.play("capture:flac activate:source")
        #expect(
            rig.takeLog() == [
                "activated(nothing, 1 roles)", "→ client-stream/start", "capture(flac)", "→ state(available)",
            ])
        #expect(rig.session.mayCapture)
        try rig.play("rekey")
        _ = rig.takeLog()
        try rig.play("capture activate:source")
        #expect(
            rig.takeLog() == [
                "→ client-stream/end", "capture ended", "activated(nothing, 1 roles)", "→ state(unavailable)",
            ])
    }

    @Test func streamEndsWithTheConnection() throws {
        let rig = try source()
        try rig.play("request close:shutdown")
        #expect(
            rig.takeLog().suffix(4) == ["→ client-stream/end", "capture ended", "→ goodbye(shutdown)", "close(1000)"])
        let lost = try source()
        try lost.play("request lost")
        #expect(lost.takeLog().suffix(3) == ["capture ended", "failed(connectionLost)", "close(1000)"])
        let provisional = try source { $0.isServerInitiated = true }
        try provisional.play("request")
        #expect(provisional.session.sourceStream == nil)
        try provisional.play("admit sync request")
        #expect(provisional.session.sourceStream != nil)
    }

    @Test func signalIsReportedIfItIsSensed() throws {
        for (sensesLine, reports) in [(true, [nil, SignalState.present, .absent]), (false, [nil])] {
            let rig = try source(sensesLine: sensesLine)
            try rig.play("signal:present signal:present signal:absent")
            let signals = rig.sent.compactMap { if case .state(let state) = $0 { state.source } else { nil } }
            #expect(signals.map(\.signal) == reports)
        }
    }

    @Test func commandsWithoutTheRoleAreIgnored() throws {
        let rig = SessionRig()
        try rig.play("open sync request release")
        #expect(rig.session.counters.messagesIgnored == 2)
        #expect(rig.session.sourceStream == nil)
    }

    @Test(arguments: [
        #"{"type":"server/command","payload":{"source":{"command":"START"}}}"#,
        #"{"type":"server/command","payload":{"source":{"command":7}}}"#,
        #"{"type":"server/command","payload":{"source":"start"}}"#,
        #"{"type":"server/command","payload":{"source":{}}}"#,
        #"{"type":"server/command","payload":{"source":null,"player":null}}"#,
    ])
    func malformedCommandHasNoEffect(text: String) throws {
        let rig = try source()
        try rig.send(text: text)
        #expect(rig.session.sourceStream == nil)
        #expect(!rig.session.isClosed)
        try rig.play("request")
        #expect(rig.session.sourceStream != nil)
    }
}

extension SessionRig {
    /// Sends captured audio; false if no stream is open.
    fileprivate func capture(_ chunk: SourceChunk) throws -> Bool {
        guard let actions = session.send(chunk) else { return false }
        try perform(actions)
        return true
    }
}
