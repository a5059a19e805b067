import TestSupport
import CGStreamer
import GstTestSupport
import SendspinSupport
import Sockets
import Testing
import Threads
import WebSocket

/// Tests state changes at any time, with and without a server.
@Suite(.serialized) struct SendspinLifeTests {
    @Test(arguments: [true, false]) func survivesAStormOfStateChanges(hasServer: Bool) throws {
        let rig = try SendspinRig()
        if !hasServer { rig.server.stop() }
        rig.server.play(.pcm(), lead: .milliseconds(100))
        var dice = Random(seed: 1)
        for _ in 0..<100 {
            gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
            simulateWork(for: .microseconds(Int.random(in: 0...8_000, using: &dice)))
            gst_element_set_state(rig.pipeline.raw, [GST_STATE_NULL, GST_STATE_READY].randomElement(using: &dice)!)
        }
        #expect(rig.pipeline.go(GST_STATE_NULL))
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
        guard hasServer else { return }
        // All connections are closed, and the player plays on the next connection.
        #expect(rig.server.wait { reports in reports.allSatisfy { $0.closure != nil } })
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(4_800))
    }

    /// The listener accepts connections, but never answers the request for the upgrade.
    @Test func stopsWhileItConnects() throws {
        let listener = try WebSocketListener(
            at: WebSocketAddress(host: "127.0.0.1", port: 0, path: "/sendspin"), waker: try Waker())
        try stopsAtOnce("uri=sendspin://127.0.0.1:\(listener.address.port)")
        listener.close()
    }

    /// The address is in a network for documentation (RFC 5737), in which packets are lost.
    @Test func stopsWhileNobodyAnswers() throws { try stopsAtOnce("uri=sendspin://192.0.2.1") }

    @Test func stopsWhileANameIsResolved() throws { try stopsAtOnce("uri=sendspin://host.invalid") }

    @Test func stopsWhileItSearches() throws { try stopsAtOnce("") }

    /// Stops a player at several times after its start; with a wait for a timeout, a stop would take at least 10 s.
    ///
    /// Other load may also delay a stop, but not three successive stops.
    private func stopsAtOnce(_ properties: String) throws {
        _ = SendspinSetup.once
        let pipeline = Pipeline("sendspinsrc name=p \(properties) ! fakesink")
        pipeline.element().set(string: "storage-folder", to: Setup.newFolder().path)
        for delay in [0, 1, 10, 50] {
            let stopsAtOnce = (0..<3).contains { _ in
                gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
                simulateWork(for: .milliseconds(delay))
                let start = MonotonicClock.now
                gst_element_set_state(pipeline.raw, GST_STATE_NULL)
                return MonotonicClock.now - start < .seconds(8)
            }
            #expect(stopsAtOnce, "after \(delay) ms")
        }
    }

    @Test(arguments: [true, false]) func saysGoodbyeWhenItStops(isPlayer: Bool) throws {
        let rig = isPlayer ? try SendspinRig(playingWith: "") : try SendspinRig()
        try #require(rig.start())
        rig.pipeline.go(GST_STATE_NULL)
        #expect(rig.server.wait { $0.last?.goodbye == .shutdown })
        #expect(rig.server.violations == [])
    }

    @Test func pauseKeepsTheConnection() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(4_800))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PAUSED)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.hasBytes(100_000))
        #expect(rig.rampFault == nil)
        #expect(rig.statistic("connections") == 1)
        #expect(rig.server.violations == [])
    }

    /// GStreamer's tracer `leaks` reports every object and mini object that is not freed.
    @Test(arguments: ["source", "play", "sink"]) func nothingLeaks(scenario: String) throws {
        let run = try SendspinProbe(scenario, Setup.newFolder().path).run([
            "GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_NO_COLOR": "1",
        ])
        #expect(run.status == 0, "\(run.output.suffix(2000))")
        let leaks = run.output.split(separator: "\n").filter {
            $0.contains("object-alive, ") && !$0.contains("format string")
        }
        #expect(leaks == [], "\(leaks)")
        #expect(run.output.contains("frames played"))
    }
}
