@testable import SendspinProtocol
import SendspinSupport
import Testing

/// Tests the roles of colours and of the visualizer in a session.
@Suite struct LightTests {
    /// A session that offers both roles, after the convergence of its clock.
    private func rig(_ kinds: [VisualizerKind] = [.loudness]) throws -> SessionRig {
        let rig = SessionRig { $0.visualizer = VisualizerRequest(kinds: kinds) }
        try rig.play("open sync")
        _ = rig.takeLog()
        return rig
    }

    @Test func requestIsPartOfTheState() throws {
        let rig = try rig([.beat, .spectrum])
        guard case .state(let state)? = rig.sent.last(where: { if case .state = $0 { true } else { false } }) else {
            Issue.record("no state")
            return
        }
        #expect(state.visualizer == VisualizerRequest(kinds: [.beat, .spectrum]))
        // A role that is not active has no state.
        try rig.play("activate:player")
        guard case .state(let next)? = rig.sent.last(where: { if case .state = $0 { true } else { false } }) else {
            return
        }
        #expect(next.visualizer == nil)
    }

    @Test func clientWithTheseRolesOnlyNeedsNoPlayer() throws {
        let rig = SessionRig { $0.roles = [.color, .visualizer] }
        try rig.play("connect hello activate:lights wait:1")
        #expect(rig.takeLog().suffix(2) == ["activated(nothing, 2 roles)", "→ state(available)"])
    }

    @Test func framesAreReportedInTheirStreamOnly() throws {
        let rig = try rig()
        try rig.play("frame:500 wait:1")
        #expect(rig.takeLog() == [])
        try rig.play("light frame:500 frame:600 wait:1")
        #expect(rig.takeLog() == ["frame(500)", "frame(600)"])
        try rig.play("frame:500 clear wait:1 frame:500 end:visualizer wait:1 frame:500 wait:1")
        #expect(rig.takeLog() == [])
        try rig.play("light frame:400 wait:1")
        #expect(rig.takeLog() == ["frame(400)"])
        try rig.play("activate:player frame:500 wait:1 activate:all frame:500 wait:1")
        #expect(rig.takeLog().filter { $0.hasPrefix("frame") } == [])
        #expect(rig.session.counters.visualizerDropped == 0)
    }

    @Test func streamOfThePlayerIsIndependent() throws {
        let rig = try rig()
        try rig.play("start light frame:500 end:player wait:1")
        #expect(rig.takeLog() == ["started(flac)", "ended", "frame(500)"])
        try rig.play("start frame:500 end:visualizer chunk wait:1")
        #expect(rig.takeLog() == ["started(flac)", "chunk(100)"])
    }

    /// A server may send less than the client requested, but nothing else.
    @Test func dataThatWereNotRequestedAreIgnored() throws {
        let rig = try rig([.loudness, .peak])
        let time = String(repeating: ",0", count: 8)
        try rig.play("light bytes:17\(time),1 bytes:18\(time),0,1,0,1 bytes:19\(time),0,1 frame:500 wait:1")
        #expect(
            rig.takeLog() == [
                "ignored: A message visualizer of the server is ignored: its data were not requested.", "frame(500)",
            ])
        #expect(rig.session.counters.messagesIgnored == 3)
        #expect(rig.session.counters.visualizerDropped == 0)
    }

    @Test func malformedDataAreIgnored() throws {
        let rig = try rig([.loudness, .beat, .peak])
        try rig.play(
            "light bytes:16,0,0 bytes:20,0,0,0,0,0,0,0,0 bytes:17,0,0,0,0,0,0,0,0,1,2 bytes:23,0 frame:500 wait:1")
        #expect(
            rig.takeLog() == [
                "ignored: A message visualizer of the server is ignored: binary message 16 has an invalid length of 3 bytes.",
                "frame(500)",
            ])
        #expect(rig.session.counters.messagesIgnored == 3)
        #expect(rig.closeCode == nil)
    }

    @Test func stepOfTheClockDiscardsFrames() throws {
        let rig = try rig()
        try rig.play("light frame:60000")
        rig.offset -= .seconds(3_000)
        try rig.run(for: .seconds(30))
        #expect(rig.takeLog() == ["stepped"])
        try rig.play("frame:500 wait:1")
        #expect(rig.takeLog() == ["frame(500)"])
    }

    @Test func paletteIsReportedBeforeItsTime() throws {
        let rig = try rig()
        try rig.play("palette:0")
        #expect(rig.takeLog() == ["palette(1)"])
        try rig.play("palette:10 wait:9")
        #expect(rig.takeLog() == [])
        try rig.run(for: .milliseconds(810))
        #expect(rig.takeLog() == ["palette(1)"])
        // A palette that is valid now discards the pending one.
        try rig.play("palette:10 palette:0 wait:20")
        #expect(rig.takeLog() == ["palette(1)"])
        try rig.play("activate:player")
        #expect(rig.takeLog().first == "palette(none)")
    }

    @Test func nullIsAnEmptyPalette() throws {
        let rig = try rig()
        try rig.play(#"palette:0 text:{"type":"server/state","payload":{"color":null}}"#)
        #expect(rig.takeLog() == ["palette(1)", "palette(0)"])
    }

    @Test(arguments: [
        "5", "[]", #"{"primary":[1,2,3]}"#, #"{"timestamp":1,"primary":[1,2]}"#,
        #"{"timestamp":1,"primary":[1,2,256]}"#,
        #"{"timestamp":1,"primary":[1,2,-1]}"#, #"{"timestamp":1,"primary":[1,2,"3"]}"#,
        #"{"timestamp":1,"primary":[]}"#,
        #"{"timestamp":1,"primary":[1,2,3,4]}"#, #"{"timestamp":1,"primary":"red"}"#,
    ])
    func faultOfThePaletteCostsNothingElse(color: String) throws {
        let rig = try rig()
        let text = #"{"type":"server/state","payload":{"metadata":{"timestamp":1,"title":"T"},"color":"# + color + "}}"
        try rig.send(text: text)
        #expect(rig.takeLog() == ["metadata(T)"])
    }

    /// The legacy dialect has another visualizer, and no colours.
    @Test func legacyDialectHasNeitherRole() throws {
        let rig = SessionRig { $0.dialect = .legacy }
        try rig.play("connect")
        guard case .hello(let hello)? = rig.sent.last else {
            Issue.record("no hello")
            return
        }
        #expect(hello.roles == [.player, .metadata, .controller, .artwork])
        let admission = LegacyAdmission(
            serverID: "s", roles: ["player@v1", "color@v1", "visualizer@v1"], isForPlayback: true)
        try rig.send(.hello(ServerHello(name: "Old", legacy: admission)))
        try rig.play("sync light frame:500 palette:0 wait:1")
        #expect(rig.session.roles == [.player])
        #expect(rig.takeLog().filter { $0.hasPrefix("frame") || $0.hasPrefix("palette") } == [])
    }
}
