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

/// Tests players to which servers connect.
@Suite(.serialized) struct ListeningTests {
    private let server: FakeServer
    private let rig: SendspinRig

    init() throws {
        server = try FakeServer(ListeningTests.settings("first"), port: nil)
        rig = try SendspinRig(
            line: "sendspinsrc name=p listen-address=127.0.0.1:0 ! " + SendspinRig.decoding, server: server)
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
    }

    private static func settings(_ name: String) -> PeerSettings {
        var settings = PeerSettings()
        settings.name = name
        settings.firstActivities = [.playback]
        return settings
    }

    /// Address at which the player listens.
    private func address() throws -> WebSocketAddress {
        try #require(eventually { rig.pipeline.get("stats").contains("listen-address=(string)") })
        let stats = rig.pipeline.get("stats")
        let port = try #require(
            stats.firstRange(of: "127.0.0.1:").flatMap { stats[$0.upperBound...].prefix { $0.isNumber } })
        return WebSocketAddress(host: "127.0.0.1", port: try #require(UInt16(port)), path: "/sendspin")
    }

    @Test func serverConnectsAndPlays() throws {
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(4_800 * 10))
        #expect(rig.rampFault == nil)
        #expect(rig.bus.has("element: sendspin-server", "name=(string)first", "connected=(boolean)true"))
        #expect(server.violations == [])
        #expect(server.failures == [])
    }

    @Test func addressIsShownWhileThePlayerListens() throws {
        let line = "sendspinsrc name=p listen-address=127.0.0.1:0 ! fakesink"
        let pipeline = Pipeline(line)
        for _ in 0..<2 {
            gst_element_set_state(pipeline.raw, GST_STATE_PAUSED)
            #expect(pipeline.get("stats").contains("listen-address=(string)ws://127.0.0.1:"))
            gst_element_set_state(pipeline.raw, GST_STATE_NULL)
            #expect(!pipeline.get("stats").contains("listen-address"))
        }
    }

    @Test func serverThatPlaysDisplacesTheOneBefore() throws {
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        let other = try FakeServer(Self.settings("second"), port: nil, clock: ServerClock(offset: .seconds(50)))
        other.dial(try address())
        try #require(other.wait { $0.last?.state?.isAvailable == true })
        #expect(server.wait { $0.last?.goodbye == .anotherServer })
        other.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(4_800 * 10))
        #expect(rig.rampFault == nil)
        #expect(eventually { rig.pipeline.get("server-name").contains("second") })
        #expect(server.violations + other.violations == [])
        other.stop()
    }

    @Test func idleServerDoesNotDisplaceTheOneThatPlays() throws {
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        server.play(.pcm(), lead: .milliseconds(600))
        var settings = Self.settings("idle")
        settings.firstActivities = []
        let idle = try FakeServer(settings, port: nil)
        idle.dial(try address())
        #expect(idle.wait { $0.last?.goodbye == .concurrentAttempt })
        #expect(rig.hasBytes(48_000 * 4))
        #expect(rig.rampFault == nil)
        #expect(server.violations + idle.violations == [])
        idle.stop()
    }

    /// Pairs the player with the server while they are connected.
    private func pair() throws {
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        let token = try #require(SignalEmission("get-pairing-token").emit(on: rig.pipeline.element("p")))
        server.pair(try #require(PairingToken(text: token)))
        try #require(server.wait { $0.last?.keyCategory == "lt" && $0.last?.isActive == true })
        #expect(rig.bus.has("element: sendspin-pairing", "paired=(boolean)true"))
        // When the server connects again, the player already knows the server's clock.
        server.changeSettings { $0.trustsKnownClocks = true }
    }

    /// An unknown server connects to a paired player, and must not be able to play or to set the volume.
    @Test func unpairedServerDoesNotTakeOverAPairedPlayer() throws {
        server.dial(try address())
        try pair()
        let intruder = try FakeServer(Self.settings("intruder"), port: nil)
        defer { intruder.stop() }
        intruder.dial(try address())
        #expect(intruder.wait { $0.last?.goodbye == .pairingRequired })
        #expect(intruder.report.hello?.isUnpairedAccessEnabled == false)
        #expect(intruder.report.state == nil)
        // The player also refuses the intruder while the paired server is not connected.
        server.closeConnections()
        try #require(server.wait { $0.last?.closure != nil })
        intruder.dial(try address())
        #expect(intruder.wait { $0.count == 2 && $0.last?.goodbye == .pairingRequired })
        server.dial(try address())
        try #require(server.wait { $0.count == 2 && $0.last?.state?.isAvailable == true })
        #expect(server.report.keyCategory == "lt")
        #expect(!rig.bus.texts("element: sendspin-server").contains { $0.contains("intruder") })
        #expect(server.violations == [])
    }

    @Test func pairingCountsForAConnectionThatWaits() throws {
        var settings = Self.settings("early")
        settings.activationDelay = .seconds(100)
        let early = try FakeServer(settings, port: nil)
        defer { early.stop() }
        early.dial(try address())
        try #require(early.wait { $0.last?.hello != nil })
        server.dial(try address())
        try pair()
        early.activate()
        #expect(early.wait { $0.last?.closure != nil })
        #expect(early.report.goodbye == .pairingRequired)
    }

    @Test func removedPairingCountsForAConnectionThatWaits() throws {
        rig.pipeline.go(GST_STATE_READY)
        rig.pipeline.element("p").set("unpaired-access", to: "always")
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        server.dial(try address())
        try pair()
        server.closeConnections()
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        server.changeSettings { $0.activationDelay = .seconds(100) }
        server.dial(try address())
        try #require(server.wait { $0.count == 2 && $0.last?.hello != nil })
        let guest = try FakeServer(Self.settings("guest"), port: nil)
        defer { guest.stop() }
        guest.dial(try address())
        try #require(guest.wait { $0.last?.state?.isAvailable == true })
        let id = server.identity.publicKey.id
        #expect(SignalEmission("remove-pairing", id).emit(on: rig.pipeline.element("p")) == "true")
        server.activate()
        #expect(server.wait { $0.last?.goodbye == .unpaired })
        // The server whose pairing was removed must not displace the guest.
        guest.command(.volume(33))
        #expect(guest.wait { $0.last?.state?.player?.volume == 33 || $0.last?.closure != nil })
        #expect(guest.report.goodbye == nil)
    }

    /// A player admits an unknown server while no other server is connected, because it may be paired later.
    @Test func strangerIsNotShownByAPairedPlayer() throws {
        server.dial(try address())
        try pair()
        server.closeConnections()
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        var settings = Self.settings("stranger")
        (settings.roles, settings.firstActivities) = ([], [])
        let stranger = try FakeServer(settings, port: nil)
        defer { stranger.stop() }
        stranger.dial(try address())
        try #require(stranger.wait { $0.last?.isActive == true })
        stranger.announce(GroupUpdate(playback: .playing, groupID: "g", groupName: "stranger"))
        server.dial(try address())
        #expect(stranger.wait { $0.last?.goodbye == .anotherServer })
        #expect(server.wait { $0.count == 2 && $0.last?.state?.isAvailable == true })
        #expect(!rig.bus.texts.contains { $0.contains("stranger") })
    }

    /// With `unpaired-access=always`, an unpaired server may play, but a paired server displaces it.
    @Test func pairedServerIsPreferredToAGuest() throws {
        rig.pipeline.go(GST_STATE_READY)
        rig.pipeline.element("p").set("unpaired-access", to: "always")
        gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
        server.dial(try address())
        try pair()
        let guest = try FakeServer(Self.settings("guest"), port: nil)
        defer { guest.stop() }
        guest.dial(try address())
        #expect(guest.wait { $0.last?.goodbye == .concurrentAttempt })
        #expect(guest.report.hello?.isUnpairedAccessEnabled == true)
        server.closeConnections()
        try #require(server.wait { $0.last?.closure != nil })
        #expect(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        guest.dial(try address())
        try #require(guest.wait { $0.count == 2 && $0.last?.state?.isAvailable == true })
        server.dial(try address())
        #expect(guest.wait { $0.last?.goodbye == .anotherServer })
        #expect(server.wait { $0.count == 2 && $0.last?.state?.isAvailable == true })
        #expect(server.violations + guest.violations == [])
    }

    @Test func serverThatIsNotAdmittedIsNotShown() throws {
        var settings = Self.settings("silent")
        settings.activationDelay = .seconds(100)
        let silent = try FakeServer(settings, port: nil)
        silent.dial(try address())
        try #require(silent.wait { $0.last?.hello != nil })
        silent.closeConnections()
        try #require(silent.wait { $0.last?.closure != nil })
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        #expect(rig.bus.has("element: sendspin-server", "name=(string)first"))
        #expect(rig.bus.texts("element: sendspin-server").count == 1)
        #expect(rig.statistic("connections") == 1)
        silent.stop()
    }

    /// Each connection of the stranger causes a warning, because this server names a key that the player does not have.
    @Test func serversThatAreNotAdmittedDoNotUseUpTheWarnings() throws {
        var settings = Self.settings("stranger")
        (settings.activationDelay, settings.namesUnknownKey) = (.seconds(100), true)
        let stranger = try FakeServer(settings, port: nil)
        defer { stranger.stop() }
        for count in 1...12 {
            stranger.dial(try address())
            try #require(stranger.wait { $0.count { $0.hello != nil } == count })
        }
        server.changeSettings { ($0.roles, $0.firstActivities) = ([], []) }
        server.dial(try address())
        #expect(rig.bus.has("warning", "The server first does not let this player play"))
        #expect(rig.bus.texts("warning").count { $0.contains("Pair them again") } >= 10)
    }

    @Test func lossOfAServerIsPostedBeforeTheNextOne() throws {
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        let other = try FakeServer(Self.settings("second"), port: nil)
        defer { other.stop() }
        let otherAddress = try address()
        let bus = rig.bus
        let loss = SyncHandler(rig.pipeline, "sendspin-server") {
            other.dial(otherAddress)
            _ = bus.has("element: sendspin-server", "second", within: .seconds(1))
        }
        server.loseConnections()
        try #require(loss.hasRun())
        loss.end()
        #expect(bus.has("element: sendspin-server", "second"))
        #expect(bus.has("element: sendspin-server", "connected=(boolean)false"))
        #expect(bus.texts("element: sendspin-server").last?.contains("second") == true)
    }

    @Test func silentConnectionsDoNotLockOutAServer() throws {
        var settings = Self.settings("silent")
        settings.activationDelay = .seconds(100)
        let silent = try FakeServer(settings, port: nil)
        for count in 1...4 {
            silent.dial(try address())
            try #require(silent.wait { $0.count { $0.hello != nil } == count })
        }
        server.dial(try address())
        #expect(server.wait { $0.last?.state?.isAvailable == true })
        #expect(silent.wait { $0.first?.closure != nil })
        #expect(silent.reports.first?.goodbye == .anotherServer)
        #expect(silent.openCount == 3)
        silent.stop()
    }

    /// The silent clients do not answer close frames, and their number exceeds the number of threads.
    @Test func silentConnectionsOfAnotherAddressEndOnlyOneAnother() throws {
        var settings = Self.settings("slow")
        settings.activationDelay = .seconds(100)
        let slow = try FakeServer(settings, port: nil)
        defer { slow.stop() }
        let (address, start) = (try address(), MonotonicClock.now)
        slow.dial(address)
        try #require(slow.wait { $0.last?.hello != nil })
        var silent: [RawClient] = []
        for _ in 0..<24 {
            let client = RawClient(port: address.port, from: "127.0.0.2")
            silent.append(client)
            client.send(
                "GET /sendspin HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
            #expect(client.read { $0.contains("client/init") }?.contains("client/init") == true)
        }
        for client in silent.prefix(21) { #expect(client.countBytes().isClosed) }
        // Every connection ends after half a minute without activation.
        #expect(slow.report.closure == nil || MonotonicClock.now - start > .seconds(30))
        server.dial(address)
        #expect(server.wait { $0.last?.state?.isAvailable == true })
    }

    /// A bus handler runs on the thread of a connection, so a stop of the element must not wait for this thread.
    @Test func handlerOfAMessageMayStopThePipeline() throws {
        let pipeline = rig.pipeline.raw
        let bus = gst_element_get_bus(pipeline)
        gst_bus_set_sync_handler(
            bus,
            { _, message, data in
                if let message, let data, message.pointee.type == GST_MESSAGE_ELEMENT,
                    gst_message_has_name(message, "sendspin-server") != 0
                {
                    gst_element_set_state(data.assumingMemoryBound(to: GstElement.self), GST_STATE_NULL)
                }
                return GST_BUS_PASS
            }, pipeline, nil)
        server.dial(try address())
        #expect(server.wait { $0.last?.closure != nil })
        #expect(eventually { gst_element_get_state(pipeline, nil, nil, 0) == GST_STATE_CHANGE_SUCCESS })
        var state = GST_STATE_VOID_PENDING
        gst_element_get_state(pipeline, &state, nil, 1_000_000_000)
        #expect(state == GST_STATE_NULL)
        gst_bus_set_sync_handler(bus, nil, nil, nil)
        gst_object_unref(bus)
    }

    /// A bus handler may restart the pipeline while the thread of the connection still runs.
    @Test func playerThatAHandlerRestartsKeepsItsIdentity() throws {
        let pipeline = rig.pipeline
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        let identity = server.report.clientID
        server.command(.volume(33))
        try #require(server.wait { $0.last?.state?.player?.volume == 33 })
        let restart = SyncHandler(rig.pipeline, "sendspin-group") {
            gst_element_set_state(pipeline.raw, GST_STATE_NULL)
            gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        }
        server.announce(GroupUpdate(playback: .playing, groupID: "g", groupName: "restart"))
        #expect(restart.hasRun())
        restart.end()
        #expect(server.wait { $0.last?.closure != nil })
        server.dial(try address())
        #expect(server.wait { $0.count == 2 && $0.last?.state?.isAvailable == true })
        #expect(server.report.clientID == identity)
        #expect(server.report.hello?.name.hasSuffix("(2)") == false)
        #expect(server.report.state?.player?.volume == 33)
        #expect(!FileManager.default.fileExists(atPath: rig.folder.appending(path: "player-2").path))
    }

    /// A thread that handles an event of a displaced server must not change the stream of the new server.
    @Test func lateEventOfADisplacedServerDoesNotReachTheNewOne() throws {
        let other = try FakeServer(Self.settings("second"), port: nil)
        defer { other.stop() }
        server.dial(try address())
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        let pipeline = rig.pipeline
        // The handler blocks the thread after it has posted the start of the stream, and before it starts the stream.
        let late = SyncHandler(pipeline, "sendspin-stream-start") {
            _ = eventually(within: .seconds(3)) { pipeline.statistic("chunks") > 4 }
        }
        let otherAddress = try address()
        server.play(.flac(), lead: .seconds(10))
        try #require(late.hasBegun())
        other.dial(otherAddress)
        try #require(other.wait { $0.last?.isActive == true })
        other.setSendAhead(.milliseconds(600))
        other.play(.pcm(), lead: .seconds(1))
        try #require(late.hasRun())
        late.end()
        // The server has sent less than three seconds of audio before the handler returns.
        #expect(rig.hasBytes(192_000 * 3))
        #expect(rig.rampFault == nil)
        #expect(rig.bus.problems == [])
        #expect(other.violations == [])
    }

    @Test func portThatIsTakenIsOneError() throws {
        let port = try address().port
        let pipeline = Pipeline("sendspinsrc name=p listen-address=127.0.0.1:\(port) ! fakesink")
        pipeline.element().set(string: "storage-folder", to: Setup.newFolder().path)
        let messages = pipeline.play()
        let errors = messages.filter { $0.hasPrefix("error") }
        #expect(errors.count == 1)
        #expect(errors.first?.contains("\(port)") == true, "\(errors)")
    }
}
