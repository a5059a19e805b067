import CGStreamer
import Foundation
import GstTestSupport
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol
import Testing
import Threads
import WebSocket

@testable import Sendspin

/// A room that captures and plays: a player and a source of one process and folder are one client with both roles.
@Suite(.serialized) struct RoomTests {
    /// The identity is that of the player, whichever starts first; without the player, the source has its own.
    @Test func oneConnectionHasBothRoles() throws {
        let rig = try RoomRig()
        var identities: [Set<Role>: Set<String>] = [:]
        func connect(_ roles: Set<Role>) throws {
            try #require(rig.hasConnection(with: roles))
            identities[roles, default: []].insert(try #require(rig.server.report.clientID))
        }
        for order in [[rig.player, rig.source], [rig.source, rig.player]] {
            rig.start(order[0])
            try connect(order[0] === rig.player ? [.player] : [.source])
            rig.start(order[1])
            try connect(RoomRig.both)
            #expect(rig.server.report.captures.isEmpty)
            try #require(rig.capture())
            rig.server.play(.pcm(), lead: .milliseconds(600))
            try #require(rig.plays())
            #expect(rig.source.get("connected") == "true" && rig.source.get("server-name").contains("fake"))
            order[1].go(GST_STATE_NULL)
            try connect(order[0] === rig.player ? [.player] : [.source])
            order[0].go(GST_STATE_NULL)
            #expect(rig.server.wait { reports in reports.allSatisfy { $0.closure != nil } })
        }
        #expect(identities.values.allSatisfy { $0.count == 1 })
        #expect(identities[RoomRig.both] == identities[[.player]])
        #expect(identities[RoomRig.both] != identities[[.source]])
        #expect(rig.server.violations == [])
        #expect(rig.bus.problems + rig.sourceBus.problems == [])
    }

    /// The elements of a pipeline start one after the other; the server sees only one client.
    @Test func pipelineOfBothIsOneClientFromTheStart() throws {
        let server = try FakeServer()
        let folder = Setup.newFolder()
        _ = SendspinSetup.once
        let pipeline = Pipeline(
            "\(SinkRig.sine) ! sendspinsink name=c uri=\(server.uri) "
                + "sendspinsrc name=p uri=\(server.uri) ! decodebin ! fakesink sync=false")
        for name in ["c", "p"] { pipeline.element(name).set(string: "storage-folder", to: folder.path) }
        var clients: Set<String> = []
        var quickStarts = 0
        for _ in 0..<20 where quickStarts < 3 {
            let old = server.reports.count
            let time = ContinuousClock().measure { _ = gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) }
            #expect(server.wait { $0.count > old && $0.last?.state?.source != nil && $0.last?.state?.player != nil })
            pipeline.go(GST_STATE_NULL)
            #expect(server.wait { reports in reports.allSatisfy { $0.closure != nil } })
            // The source waits 300 ms for the player, which is too short if the machine is busy.
            guard time < .milliseconds(200) else { continue }
            quickStarts += 1
            clients.formUnion(server.reports.dropFirst(old).compactMap(\.clientID))
        }
        #expect(quickStarts == 3 && clients.count == 1)
        #expect(server.violations == [])
        server.stop()
    }

    /// The audio that the player has received lasts until the new connection continues the stream.
    @Test func musicPlaysOnWhenTheSourceJoinsAndLeaves() throws {
        let rig = try RoomRig()
        rig.start(rig.player)
        try #require(rig.hasConnection(with: [.player]))
        rig.server.setSendAhead(.seconds(4))
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.plays())
        for _ in 0..<2 {
            rig.start(rig.source)
            try #require(rig.hasConnection(with: RoomRig.both))
            try #require(rig.capture())
            try #require(rig.plays(40))
            rig.source.go(GST_STATE_NULL)
            try #require(rig.hasConnection(with: [.player]))
            try #require(rig.plays(40))
        }
        #expect(fault(of: rig.indices) == nil)
        #expect(rig.player.statistic("gaps") == 0 && rig.player.statistic("late") == 0)
        #expect(rig.player.statistic("clock-steps") == 0)
        // A server keeps the group and the stream of a client that restarts.
        #expect(rig.server.reports.dropLast().allSatisfy { $0.goodbye == .restart })
        #expect(rig.server.reports.count == 5)
        #expect(rig.server.reports.flatMap(\.captures).allSatisfy { $0.isEnded })
        #expect(rig.server.violations == [])
        #expect(rig.bus.problems == [])
    }

    /// Each frame is played the announced delay after its capture, on the one clock of server, input and output.
    @Test func roomStaysInTimeWithItself() throws {
        let server = try FakeServer(clock: SendspinSupport.ServerClock(offset: .seconds(1_000), partsPerMillion: 50))
        let folder = Setup.newFolder()
        _ = SendspinSetup.once
        let file = try RampFile()
        // An asynchronous sink of the player would keep the pipeline in PAUSED if it reaches PAUSED before `c` has data.
        let pipeline = Pipeline(
            "\(file.line()) ! sendspinsink name=c uri=\(server.uri) sendspinsrc name=p uri=\(server.uri) ! decodebin "
                + "! audioconvert dithering=none ! audio/x-raw,format=S16LE ! fakesink name=s sync=false async=false")
        for name in ["c", "p"] { pipeline.element(name).set(string: "storage-folder", to: folder.path) }
        let (recorder, bus) = (StreamRecorder(pipeline.element("s")), BusWatch(pipeline.raw))
        defer {
            pipeline.go(GST_STATE_NULL)
            bus.end()
            server.stop()
        }
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        try #require(server.wait { $0.last?.state?.source != nil && $0.last?.state?.isAvailable == true })
        // The clock of the room converges.
        try #require(eventually { pipeline.statistic("clock-uncertainty", of: "c") < 250_000 })
        server.command(.start)
        try #require(server.wait { ($0.last?.captures.last?.chunks.count ?? 0) >= 100 })
        let capture = try #require(server.report.captures.last)
        let (first, captured) = (
            try #require(capture.indices.first ?? nil), try #require(capture.chunks.first).timestamp
        )
        #expect(fault(of: capture.indices) == nil)
        let frames = Int64(capture.bytes.count / 4)
        server.setSendAhead(.seconds(4))
        let start = server.play(.pcm(signal: .recording(capture.bytes), length: frames))
        try #require(eventually { recorder.byteCount >= capture.bytes.count })
        #expect(RampSignal.indices(pcm: recorder.bytes, bitDepth: 16) == capture.indices)
        let latency = Duration.nanoseconds(Int64(pipeline.statistic("latency")))
        var index = first
        for chunk in recorder.chunks {
            // The running time of a frame of the file is its place in the file.
            let heard = try #require(chunk.pts) + latency
            let error = heard - .nanoseconds(index * 1_000_000_000 / 48_000) - (start - captured)
            #expect(max(error, .zero - error) < .milliseconds(1), "frame \(index): \(error)")
            index += Int64(chunk.bytes.count / 4)
        }
        #expect(server.reports.count == 1 && server.violations == [])
    }

    @Test func refusalOfTheSourceDoesNotStopThePlayer() throws {
        var settings = PeerSettings()
        settings.approvesSource = false
        let rig = try RoomRig(server: try FakeServer(settings))
        rig.start(rig.player, rig.source)
        #expect(rig.server.wait { $0.last?.hello?.roles.contains(.source) == true })
        #expect(rig.sourceBus.has("warning", "does not accept audio", "Approve it as a source"))
        rig.server.command(.start)
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.plays())
        #expect(rig.server.reports.allSatisfy { $0.captures.isEmpty })
        #expect(rig.server.openCount == 1)
        #expect(rig.bus.problems == [])
        #expect(rig.server.violations == [])
    }

    /// The columns are properties of the player and of the source, where U is the `uri`, and whether a server that is not
    /// paired may request the input.
    @Test(arguments: [
        ("U", "U", true), ("U", "U unpaired-access=always", true), ("U", "unpaired-access=always", true),
        ("U", "", false), ("U", "U unpaired-access=never", false), ("U unpaired-access=always", "U", false),
        ("U unpaired-access=always", "U unpaired-access=always", true),
    ])
    func sourceKeepsItsOwnRuleForServersWithoutAPairing(playing: String, capturing: String, isOpen: Bool) throws {
        var peer = PeerSettings()
        peer.trustsKnownClocks = true
        let server = try FakeServer(peer)
        let uri = "uri=\(server.uri)"
        let rig = try RoomRig(
            server: server, playing: playing.replacing("U", with: uri), capturing: capturing.replacing("U", with: uri))
        rig.start(rig.player)
        try #require(rig.hasConnection(with: [.player]))
        rig.start(rig.source)
        if isOpen {
            try #require(rig.hasConnection(with: RoomRig.both))
            try #require(rig.capture())
        } else {
            #expect(rig.sourceBus.has("warning", "does not accept audio", "pair it"))
            rig.server.command(.start)
            #expect(remains(for: .milliseconds(200)) { rig.server.reports.allSatisfy { $0.captures.isEmpty } })
            #expect(rig.server.report.hello?.roles.contains(.source) == false)
            // Such a server does not notice that the source stops and starts.
            rig.source.go(GST_STATE_NULL)
            rig.start(rig.source)
            #expect(
                remains(for: .milliseconds(500)) {
                    rig.server.reports.count == 1 && rig.server.report.closure == nil
                })
            // The token of the player pairs both.
            let text = try #require(SignalEmission("get-pairing-token").emit(on: rig.source.element()))
            #expect(text == SignalEmission("get-pairing-token").emit(on: rig.player.element()))
            rig.server.pair(try #require(PairingToken(text: text)))
            try #require(rig.hasConnection(with: RoomRig.both))
            #expect(rig.server.report.keyCategory == "lt")
            try #require(rig.capture())
        }
        #expect(rig.server.violations == [])
    }

    /// The connection begins without the source, which a new one would do as well.
    @Test func serverThatChangesItsKeyKeepsTheConnection() throws {
        var settings = PeerSettings()
        settings.trustsKnownClocks = true
        let server = try FakeServer(settings)
        let uri = "uri=\(server.uri)"
        let rig = try RoomRig(server: server, playing: "\(uri) unpaired-access=always", capturing: uri)
        rig.start(rig.player, rig.source)
        try #require(rig.hasConnection(with: [.player]))
        let text = try #require(SignalEmission("get-pairing-token").emit(on: rig.player.element()))
        server.pair(try #require(PairingToken(text: text)))
        try #require(rig.hasConnection(with: RoomRig.both))
        server.changeSettings { $0.beginsUnpaired = true }
        server.closeConnections()
        try #require(rig.hasConnection(with: [.player]))
        let count = server.reports.count
        for number in 2...4 {
            server.renewHandshake()
            #expect(server.wait { $0.last?.handshakeCount == number && $0.last?.keyCategory == "lt" })
            #expect(
                remains(for: .milliseconds(200)) { server.reports.count == count && server.report.closure == nil })
        }
        #expect(server.violations == [])
    }

    @Test func inputThatPausesStopsNeitherThePlayerNorTheConnection() throws {
        let rig = try RoomRig()
        rig.start(rig.player, rig.source)
        try #require(rig.hasConnection(with: RoomRig.both))
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.capture())
        let count = rig.server.reports.count
        gst_element_set_state(rig.source.raw, GST_STATE_PAUSED)
        #expect(rig.server.wait { $0.last?.captures.last?.isEnded == true })
        #expect(rig.sourceBus.has("element: sendspin-source", "event=(string)stop"))
        #expect(rig.server.report.state?.isAvailable == true)
        // The request waits for the input.
        rig.server.command(.start)
        try #require(rig.plays())
        #expect(rig.server.report.captures.count == 1)
        rig.start(rig.source)
        #expect(rig.receives(5, streams: 2))
        #expect(rig.server.reports.count == count)
        #expect(fault(of: rig.indices) == nil)
        #expect(rig.server.violations == [])
    }

    @Test func propertiesOfTheSourceThatDoNotApplyAreOneWarning() throws {
        let server = try FakeServer()
        let rig = try RoomRig(
            server: server, playing: "uri=\(server.uri) client-name=Kitchen",
            capturing: "uri=sendspin://192.0.2.1:8927 client-name=Microphone unpaired-access=always")
        rig.start(rig.player, rig.source)
        #expect(
            rig.server.wait { $0.last?.hello?.roles.contains(.source) == true && $0.last?.hello?.name == "Kitchen" })
        #expect(rig.sourceBus.has("warning", "one client", "player's uri, client-name, unpaired-access."))
        #expect(rig.sourceBus.texts("warning").count == 1)
        #expect(rig.server.violations == [])
    }

    /// The input does not move to a player with another identity, whose pairings are other ones.
    @Test func secondPlayerOfTheFolderHasNoSource() throws {
        let rig = try RoomRig()
        let second = try RoomRig(folder: rig.folder)
        rig.start(rig.player, rig.source)
        try #require(rig.hasConnection(with: RoomRig.both))
        second.start(second.player)
        try #require(second.hasConnection(with: [.player]))
        rig.player.go(GST_STATE_NULL)
        try #require(rig.hasConnection(with: [.source]))
        #expect(second.server.reports.count == 1)
        #expect(second.hasConnection(with: [.player]))
    }

    /// The source of a listening player listens no more, and a server that has dialed dials again.
    @Test func serverDialsOneClientWithBothRoles() throws {
        var settings = PeerSettings()
        settings.firstActivities = [.playback]
        settings.trustsKnownClocks = true
        let server = try FakeServer(settings, port: nil)
        let open = "listen-address=127.0.0.1:0 unpaired-access=always"
        let rig = try RoomRig(server: server, playing: open, capturing: open)
        func dial(_ pipeline: Pipeline) throws {
            let stats = pipeline.get("stats")
            let port = stats.firstRange(of: "127.0.0.1:").flatMap { stats[$0.upperBound...].prefix { $0.isNumber } }
            let number = try #require(UInt16(port ?? ""))
            server.dial(WebSocketAddress(host: "127.0.0.1", port: number, path: "/sendspin"))
        }
        rig.start(rig.source)
        try dial(rig.source)
        try #require(rig.hasConnection(with: [.source]))
        rig.start(rig.player)
        #expect(server.wait { $0.last?.closure != nil })
        #expect(eventually { !rig.source.get("stats").contains("127.0.0.1") })
        try dial(rig.player)
        try #require(rig.hasConnection(with: RoomRig.both))
        try #require(rig.capture())
        rig.source.go(GST_STATE_NULL)
        #expect(server.wait { $0.last?.goodbye == .restart })
        try dial(rig.player)
        try #require(rig.hasConnection(with: [.player]))
        rig.start(rig.source)
        #expect(server.wait { $0.last?.goodbye == .restart })
        rig.player.go(GST_STATE_NULL)
        #expect(eventually { rig.source.get("stats").contains("127.0.0.1") })
        try dial(rig.source)
        try #require(rig.hasConnection(with: [.source]))
        #expect(rig.server.violations == [])
    }

    /// A player that listens gets the address at which the source of its folder listens.
    @Test func playerTakesTheAddressOfTheSource() throws {
        let address = try FakeServer().address
        let rig = try RoomRig(
            server: try FakeServer(port: nil), playing: "listen-address=127.0.0.1:\(address.port)",
            capturing: "listen-address=127.0.0.1:\(address.port)")
        for order in [[rig.source, rig.player], [rig.player, rig.source]] {
            for pipeline in order {
                #expect(gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
            }
            #expect(rig.player.get("stats").contains("127.0.0.1:\(address.port)"))
            for pipeline in order { pipeline.go(GST_STATE_NULL) }
        }
        #expect(rig.bus.problems + rig.sourceBus.problems == [])
    }

    @Test func errorOfTheInputDoesNotStopThePlayer() throws {
        let rig = try RoomRig(
            input: "\(SinkRig.sine) ! flacenc ! capssetter replace=true caps=audio/x-flac,rate=48000,channels=2")
        rig.start(rig.player)
        try #require(rig.hasConnection(with: [.player]))
        rig.server.setSendAhead(.seconds(4))
        rig.server.play(.pcm(), lead: .milliseconds(600))
        rig.start(rig.source)
        #expect(rig.sourceBus.has("error", "header of FLAC"))
        try #require(rig.plays())
        rig.source.go(GST_STATE_NULL)
        try #require(rig.plays())
        try #require(rig.hasConnection(with: [.player]))
        #expect(fault(of: rig.indices) == nil)
        #expect(rig.bus.problems == [])
        #expect(rig.server.violations == [])
    }
}
