import CGStreamer
import Foundation
import GstTestSupport
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol
import TestSupport
import Testing
import Threads
import WebSocket

/// Connections of `sendspinsink`: losses, stalls, trust and hostile servers.
@Suite(.serialized) struct SinkNetworkTests {
    @Test func streamDoesNotSurviveTheConnection() throws {
        var settings = PeerSettings()
        settings.trustsKnownClocks = true
        let rig = try SinkRig(server: try FakeServer(settings))
        try #require(rig.start())
        try #require(rig.capture())
        rig.server.loseConnections()
        #expect(rig.bus.has("element: sendspin-source", "event=(string)stop"))
        #expect(rig.server.wait { $0.count == 2 && $0.last?.state?.isAvailable == true })
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        let dropped = rig.statistic("dropped")
        #expect(eventually { rig.statistic("dropped") > dropped })
        #expect(rig.captures.isEmpty)
        try #require(rig.capture())
        #expect(rig.statistic("connections") == 2)
        #expect(rig.server.violations == [])
    }

    /// 8 channels with 32 bits at 192 kHz are 6 MB per second, which exceed the memory of the sockets.
    @Test func stalledNetworkDoesNotBlockTheStreamingThread() throws {
        let rig = try SinkRig(
            "audiotestsrc is-live=true wave=silence samplesperbuffer=3840 ! audio/x-raw,format=S32LE,rate=192000,channels=8"
        )
        try #require(rig.start())
        try #require(rig.capture())
        rig.server.hold()
        // The streaming thread drops the oldest audio when the newest arrives.
        let isDropping = eventually { rig.statistic("overflows") >= 3 }
        let (chunks, gaps) = (rig.captures.last?.chunks.count ?? 0, rig.statistic("gaps"))
        rig.server.resume()
        try #require(isDropping)
        #expect(rig.server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > chunks })
        #expect(eventually { rig.statistic("gaps") > gaps })
        try #require(rig.release())
        #expect(rig.statistic("connections") == 1)
        #expect(rig.server.violations == [])
    }

    @Test func saysGoodbyeWhenItStops() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        try #require(rig.capture())
        rig.pipeline.go(GST_STATE_NULL)
        #expect(rig.server.wait { $0.last?.goodbye == .shutdown && $0.last?.captures.last?.isEnded == true })
        #expect(rig.server.violations == [])
        try #require(rig.start())
        try #require(rig.capture())
        #expect(rig.server.violations == [])
    }

    @Test func survivesAStormOfStateChanges() throws {
        let rig = try SinkRig()
        var dice = Random(seed: 1)
        for _ in 0..<50 {
            gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
            rig.server.command(.start)
            simulateWork(for: .microseconds(Int.random(in: 0...20_000, using: &dice)))
            let states = [GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED]
            gst_element_set_state(rig.pipeline.raw, states.randomElement(using: &dice)!)
        }
        #expect(rig.pipeline.go(GST_STATE_NULL))
        #expect(rig.server.wait { reports in reports.allSatisfy { $0.closure != nil } })
        try #require(rig.start())
        try #require(rig.capture())
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
    }

    /// The source continues over a new handshake on the connection.
    @Test func streamSurvivesANewHandshake() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        try #require(rig.capture())
        rig.server.renewHandshake()
        #expect(rig.server.wait { $0.last?.handshakeCount == 2 })
        let count = rig.captures.last?.chunks.count ?? 0
        #expect(rig.server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > count + 20 })
        #expect(rig.captures.count == 1)
        #expect(rig.server.violations == [])
    }

    @Test func clockOfTheServerThatIsSetMovesTheTimes() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        try #require(rig.capture())
        rig.server.stepClock(by: .seconds(100))
        #expect(eventually { rig.statistic("clock-steps") == 1 })
        let count = rig.captures.last?.chunks.count ?? 0
        #expect(rig.server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > count + 5 })
        let chunk = try #require(rig.captures.last?.chunks.last)
        #expect(chunk.arrival - chunk.timestamp < .seconds(50))
        #expect(rig.server.violations == [])
    }

    /// The figures and the hold time of one server must not be those of the next one.
    @Test func figuresAndSignalDoNotSurviveTheConnection() throws {
        var settings = PeerSettings()
        settings.trustsKnownClocks = true
        let rig = try SinkRig(
            SinkRig.sine, "line-sense=true line-sense-hold=3600000000000", server: try FakeServer(settings))
        try #require(rig.start())
        #expect(rig.server.wait { $0.last?.signals == [.present] })
        #expect(rig.statistic("messages") > 0 && !rig.statistic("clock-offset").isNaN)
        rig.pipeline.set("volume", to: "0", of: "t")
        rig.server.goOffline()
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        #expect(rig.statistic("messages") == 0 && rig.statistic("clock-offset").isNaN)
        #expect(eventually { rig.pipeline.get("stats").contains("signal=(string)absent") })
        rig.server.goOnline()
        #expect(rig.server.wait { $0.count > 1 && $0.last?.signals == [.absent] })
        #expect(rig.bus.texts("element: sendspin-source, event=(string)signal").count == 2)
        #expect(rig.server.violations == [])
    }

    @Test func stopIsPostedWhenAnotherServerDisplacesTheOneThatReceives() throws {
        var settings = PeerSettings()
        settings.firstActivities = [.playback]
        let server = try FakeServer(settings, port: nil)
        (settings.name, settings.identity) = ("other", .generate())
        let other = try FakeServer(settings, port: nil)
        defer { other.stop() }
        let rig = try SinkRig(
            line: "\(SinkRig.sine) ! sendspinsink name=p listen-address=127.0.0.1:0 unpaired-access=always",
            server: server)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        server.dial(try address(of: rig))
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        try #require(rig.capture())
        other.dial(try address(of: rig))
        try #require(other.wait { $0.last?.state?.isAvailable == true })
        #expect(server.wait { $0.last?.goodbye == .anotherServer && $0.last?.captures.last?.isEnded == true })
        #expect(rig.bus.has("element: sendspin-server", "name=(string)other"))
        let messages = rig.bus.texts("element: sendspin-")
        let stop = messages.firstIndex { $0.contains("sendspin-source, event=(string)stop") }
        let connection = messages.firstIndex { $0.contains("name=(string)other") }
        #expect(try #require(stop) < #require(connection), "\(messages)")
        #expect(messages.count { $0.contains("event=(string)stop") } == 1)
        #expect(rig.statistic("stops") == 1)
        // The request of the first server is not one of the other.
        #expect(other.report.captures.isEmpty)
        other.command(.start)
        #expect(other.wait { ($0.last?.captures.last?.chunks.count ?? 0) > 5 })
        #expect(server.violations + other.violations == [])
    }

    // MARK: Trust

    @Test func sourceThatIsNotApprovedIsAWarningUntilItIsPaired() throws {
        var settings = PeerSettings()
        settings.approvesSource = false
        let rig = try SinkRig(server: try FakeServer(settings))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.bus.has("warning", "does not accept audio", "Approve it as a source"))
        let text = try #require(SignalEmission("get-pairing-token").emit(on: rig.pipeline.element()))
        rig.server.pair(try #require(PairingToken(text: text)))
        #expect(rig.server.wait { $0.last?.keyCategory == "lt" && $0.last?.state?.isAvailable == true })
        #expect(rig.bus.has("element: sendspin-pairing", "paired=(boolean)true"))
        try #require(rig.capture())
        #expect(rig.server.violations == [])
        // A restart keeps the pairing.
        rig.pipeline.go(GST_STATE_NULL)
        #expect(rig.server.wait { $0.last?.closure != nil })
        try #require(rig.start())
        #expect(rig.server.report.keyCategory == "lt")
        try #require(rig.capture())
        #expect(rig.server.violations == [])
    }

    @Test func serverThatIsNotPairedGetsNothing() throws {
        let rig = try SinkRig(SinkRig.sine, "unpaired-access=never")
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.server.wait { $0.last?.goodbye == .pairingRequired })
        #expect(rig.bus.has("warning", "must be paired with this source", "set uri"))
        #expect(rig.server.reports.first?.hello?.isUnpairedAccessEnabled == false)
        #expect(rig.server.reports.allSatisfy { $0.state == nil && $0.captures.isEmpty })
    }

    /// Any machine can connect to a source that listens, also if `uri` is set, to which it then does not connect.
    @Test(arguments: [
        ("unpaired-access=until-paired", false), ("unpaired-access=always", true),
        ("unpaired-access=until-paired uri=sendspin://127.0.0.1:1", false),
    ])
    func sourceThatListensRequiresAPairing(properties: String, isOpen: Bool) throws {
        let server = try FakeServer(port: nil)
        let rig = try SinkRig(
            line: "\(SinkRig.sine) ! sendspinsink name=p listen-address=127.0.0.1:0 \(properties)",
            server: server)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        server.dial(try address(of: rig))
        if isOpen {
            #expect(server.wait { $0.last?.state?.isAvailable == true })
            try #require(rig.capture())
        } else {
            #expect(server.wait { $0.last?.goodbye == .pairingRequired })
        }
        #expect(server.violations == [])
    }

    /// A server that speaks only the protocol without encryption receives nothing but the request to encrypt.
    @Test func nothingIsSentWithoutEncryption() throws {
        var settings = PeerSettings()
        (settings.allowsEncrypted, settings.allowsLegacy) = (false, true)
        let rig = try SinkRig(server: try FakeServer(settings))
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        #expect(rig.server.wait { $0.count >= 2 && $0[1].closure != nil })
        for report in rig.server.reports {
            #expect(report.counts == ["client/init": 1])
            #expect(report.hello == nil && report.captures.isEmpty)
        }
        #expect(rig.bus.has("warning"))
    }

    /// Address at which a source listens.
    private func address(of rig: SinkRig) throws -> WebSocketAddress {
        let stats = rig.pipeline.get("stats")
        let port = try #require(
            stats.firstRange(of: "127.0.0.1:").flatMap { stats[$0.upperBound...].prefix { $0.isNumber } })
        return WebSocketAddress(host: "127.0.0.1", port: try #require(UInt16(port)), path: "/sendspin")
    }

    // MARK: Hostile servers

    @Test(arguments: AttackGenerator.Kind.allCases, [true, false])
    func survivesAnAttack(kind: AttackGenerator.Kind, isCapturing: Bool) throws {
        let rig = try SinkRig()
        var attacks = AttackGenerator(seed: 11)
        try #require(rig.start())
        if isCapturing { try #require(rig.capture()) }
        let exchanges = rig.server.report.exchangeCount
        rig.server.attack((0..<100).map { _ in attacks.next(kind) })
        // An exchange after the attack shows that the source has taken it.
        #expect(
            rig.server.wait { $0.last?.closure != nil || $0.last.map { $0.exchangeCount > exchanges + 8 } == true })
        rig.pipeline.go(GST_STATE_NULL)
        #expect(rig.server.wait { $0.last?.closure != nil })
        for report in rig.server.reports {
            guard case .byPeer? = report.closure else {
                Issue.record("the connection ended without a close frame: \(String(describing: report.closure))")
                continue
            }
        }
        try #require(rig.start())
        try #require(rig.capture())
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
    }

    /// Each stream is a message; a server that changes its mind without end is closed.
    @Test func serverThatStartsAndStopsWithoutEndIsClosed() throws {
        let rig = try SinkRig()
        try #require(rig.start())
        while rig.server.report.closure == nil {
            let exchanges = rig.server.report.exchangeCount
            for _ in 0..<100 {
                rig.server.command(.start)
                rig.server.command(.stop)
            }
            #expect(
                rig.server.wait { $0.last?.closure != nil || $0.last.map { $0.exchangeCount > exchanges + 8 } == true })
        }
        #expect(rig.bus.has("warning", "too often"))
        #expect(rig.bus.texts("element: sendspin-source").count < 400)
    }
}
