import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import Testing
import Threads
import WebSocket

@testable import Sendspin

/// Tests players whose server disappears, stalls, or sets its clock.
@Suite(.serialized) struct ServerLossTests {
    private func playing(_ server: FakeServer? = nil, sendAhead: Duration = .milliseconds(600)) throws -> SendspinRig {
        var settings = PeerSettings()
        settings.trustsKnownClocks = true
        let rig = try SendspinRig(server: try server ?? FakeServer(settings))
        try #require(rig.start())
        rig.server.setSendAhead(sendAhead)
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.hasBytes(4_800 * 8))
        return rig
    }

    /// For each buffer, the difference between its timestamp and the server time of its first sample.
    private func places(_ rig: SendspinRig, _ chunks: [StreamRecorder.Chunk]) -> [Duration] {
        chunks.compactMap { chunk in
            guard let pts = chunk.pts, let index = RampSignal.indices(pcm: chunk.bytes.prefix(4), bitDepth: 16).first,
                let index, let time = rig.server.localTime(ofIndex: index)
            else { return nil }
            return pts - time
        }
    }

    /// The difference between the largest and the smallest time.
    private func spread(_ times: [Duration]) -> Duration { (times.max() ?? .zero) - (times.min() ?? .zero) }

    @Test func streamContinuesWithTheSameClockWhenTheServerIsBack() throws {
        let rig = try playing()
        let clock = gst_pipeline_get_clock(
            UnsafeMutableRawPointer(rig.pipeline.raw).assumingMemoryBound(to: GstPipeline.self))
        defer { gst_object_unref(clock) }
        rig.server.goOffline()
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        let before = rig.recorder.chunks
        rig.server.goOnline()
        #expect(rig.server.wait { $0.count > 1 && $0.last?.state?.isAvailable == true })
        #expect(eventually { rig.recorder.chunks.count > before.count + 20 })
        let chunks = rig.recorder.chunks
        #expect(spread(places(rig, chunks)) < .milliseconds(5))
        #expect(rig.statistic("connections") == 2)
        #expect(rig.statistic("clock-steps") == 0)
        let now = gst_pipeline_get_clock(
            UnsafeMutableRawPointer(rig.pipeline.raw).assumingMemoryBound(to: GstPipeline.self))
        #expect(now == clock)
        gst_object_unref(now)
        #expect(rig.server.violations == [])
    }

    /// The clock of the other server has another origin, but the clock of the pipeline continues.
    @Test func otherServerAtTheSameAddressPlaysIfItIsAccepted() throws {
        let rig = try playing()
        let port = rig.server.address.port
        let last = try #require(rig.recorder.chunks.last?.pts)
        rig.server.stop()
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        let count = rig.recorder.chunks.count
        let settings = PeerSettings()
        let id = settings.identity.publicKey.id
        #expect(SignalEmission("accept-server", id).emit(on: rig.pipeline.element()) == "true")
        let other = try FakeServer(settings, port: port, clock: ServerClock(offset: .seconds(5)))
        #expect(other.wait { $0.last?.state?.isAvailable == true })
        other.play(.pcm(), lead: .milliseconds(600))
        #expect(eventually { rig.recorder.chunks.count > count + 20 })
        let times = rig.recorder.chunks.dropFirst(count).compactMap(\.pts)
        let first = try #require(times.first)
        #expect(first > last)
        // The origins of the clocks are 995 s apart.
        #expect(first - last < .seconds(900))
        #expect(other.violations == [])
        other.stop()
    }

    @Test func stallKeepsItsPlaceInTime() throws {
        let rig = try playing(sendAhead: .milliseconds(600))
        rig.server.stall(for: .milliseconds(900))
        let count = rig.recorder.chunks.count
        #expect(eventually { rig.recorder.chunks.count > count + 40 })
        #expect(spread(places(rig, rig.recorder.chunks)) < .milliseconds(5))
        #expect(rig.statistic("gaps") + rig.statistic("late") > 0)
        #expect(rig.statistic("connections") == 1)
        #expect(rig.server.violations == [])
    }

    @Test(arguments: [Duration.seconds(3), .seconds(-3)]) func clockStepKeepsThePlaceInTime(step: Duration) throws {
        let rig = try playing()
        rig.server.stepClock(by: step)
        #expect(eventually { rig.statistic("clock-steps") == 1 })
        let count = rig.recorder.chunks.count
        #expect(eventually { rig.recorder.chunks.count > count + 30 })
        let new = Array(rig.recorder.chunks.suffix(20))
        #expect(spread(places(rig, new)) < .milliseconds(5))
        #expect(rig.server.violations == [])
    }

    @Test func attemptsToConnectBackOff() throws {
        let server = try FakeServer()
        server.goOffline()
        let rig = try SendspinRig(server: server)
        let start = MonotonicClock.now
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(eventually { rig.statistic("connection-attempts") == 3 })
        // The attempts to connect follow after pauses of 0.5 s and 1 s.
        #expect(MonotonicClock.now - start > .milliseconds(1_400))
        #expect(rig.bus.texts("warning").count == 1)
        #expect(rig.bus.has("warning", "127.0.0.1"))
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
        // The field is absent while the player connects, and while it is connected.
        #expect(eventually { (0.0...30e9).contains(rig.statistic("next-attempt-time")) })
        server.goOnline()
        #expect(server.wait { $0.last?.isActive == true })
        #expect(rig.statistic("next-attempt-time").isNaN)
    }

    /// A search selects a server that gave no role last, even after a long connection with it.
    @Test func serverThatGivesNoRoleIsAvoided() {
        let addresses = (1...3).map { WebSocketAddress(host: "192.0.2.\($0)", port: 8927) }
        var history = DialHistory()
        let (useless, useful) = (
            ServerConnection.Outcome(wasConnected: true, wasLong: true),
            ServerConnection.Outcome(wasConnected: true, hadRole: true)
        )
        for address in addresses { #expect(history.note(useless, address) == nil) }
        #expect(history.failed == addresses)
        let pause = history.pause.next()
        #expect(pause == .milliseconds(500))
        _ = history.note(useful, addresses[1])
        #expect(history.failed == [addresses[0], addresses[2]])
    }

    /// If a server always closes after its hello, the pauses between attempts grow, and one warning is posted.
    @Test func attemptsBackOffIfTheServerOnlyGreets() throws {
        var settings = PeerSettings()
        settings.activationDelay = .seconds(100)
        let rig = try SendspinRig(server: try FakeServer(settings))
        let start = MonotonicClock.now
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        var ends: [Duration] = []
        for count in 1...4 {
            try #require(rig.server.wait { $0.count { $0.hello != nil } == count })
            rig.server.closeConnections()
            try #require(rig.server.wait { $0.count { $0.closure != nil } == count })
            ends.append(MonotonicClock.now - start)
        }
        // The attempts to connect follow after pauses of 0.5 s, 1 s and 2 s.
        #expect(ends[2] > .milliseconds(1_400))
        #expect(ends[3] > .milliseconds(3_400))
        #expect(rig.bus.texts("warning").count == 1)
    }
}
