import CGStreamer
import GstTestSupport
import SendspinSupport
@testable import SendspinProtocol
import TestSupport
import Testing
import Threads

@testable import Sendspin

/// A player and a source of one client, which threads, message handlers and a forked process stop and release.
@Suite(.serialized) struct RoomStateTests {
    /// Both change their states on threads of their own, while the server requests audio and plays.
    @Test func survivesAStormOfStateChanges() throws {
        let rig = try RoomRig()
        let pipelines = [rig.player, rig.source].map { Shared(value: $0.raw) }
        let server = rig.server
        let threads = pipelines.enumerated().map { number, pipeline in
            TestThread {
                var dice = Random(seed: UInt64(number + 1))
                for turn in 0..<100 {
                    gst_element_set_state(pipeline.value, GST_STATE_PLAYING)
                    if number == 0, turn.isMultiple(of: 10) { server.play(.pcm(), lead: .milliseconds(100)) }
                    if number == 1 { server.command(.start) }
                    simulateWork(for: .microseconds(Int.random(in: 0...20_000, using: &dice)))
                    let states = [GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED]
                    gst_element_set_state(pipeline.value, states.randomElement(using: &dice)!)
                }
            }
        }
        for thread in threads { thread.join() }
        for pipeline in [rig.player, rig.source] { #expect(pipeline.go(GST_STATE_NULL)) }
        #expect(rig.server.wait { reports in reports.allSatisfy { $0.closure != nil } })
        rig.start(rig.source, rig.player)
        try #require(rig.hasConnection(with: RoomRig.both))
        try #require(rig.capture())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.plays())
        #expect(!(rig.bus.texts + rig.sourceBus.texts).contains { $0.hasPrefix("error") })
    }

    /// The handler of the source's last message stops the player, whose thread may wait for this handler.
    @Test func handlerOfTheEndMayStopThePlayer() throws {
        let rig = try RoomRig()
        rig.start(rig.player, rig.source)
        for _ in 0..<10 {
            try #require(rig.hasConnection(with: RoomRig.both))
            let player = Shared(value: rig.player.raw)
            let handler = SyncHandler(rig.source, "sendspin-server") {
                gst_element_set_state(player.value, GST_STATE_NULL)
            }
            rig.source.go(GST_STATE_NULL)
            #expect(handler.hasRun())
            #expect(rig.server.wait { reports in reports.allSatisfy { $0.closure != nil } })
            rig.start(rig.player, rig.source)
        }
        #expect(rig.server.violations == [])
    }

    /// The source had a connection of its own, whose end is posted while the thread of the player waits for the handler.
    @Test func handlerOfTheEndOfAnOwnConnectionMayStopThePlayer() throws {
        let rig = try RoomRig()
        rig.start(rig.source)
        try #require(rig.hasConnection(with: [.source]))
        let (player, server) = (Shared(value: rig.player.raw), rig.server)
        let handler = SyncHandler(rig.source, "sendspin-server") {
            #expect(server.wait { $0.count == 2 && $0.last?.handshakeCount == 1 })
            gst_element_set_state(player.value, GST_STATE_NULL)
        }
        rig.start(rig.player)
        #expect(handler.hasRun())
        try #require(rig.hasConnection(with: [.source]))
        #expect(server.violations == [])
    }

    /// The fork copies a mutex of the partner that another thread has locked.
    @Test func elementOfAForkedChildLocksNothingOfItsParent() throws {
        let rig = try RoomRig()
        rig.start(rig.player, rig.source)
        try #require(rig.hasConnection(with: RoomRig.both))
        let links = SharedLinks.state.value.links.withLock { $0 }
        let player = try #require(links.first { $0.core.partner != nil && $0.core.isPlayer })
        let partner = try #require(player.core.partner).core
        let endsInChild = partner.turn.change { _ in
            inChild {
                SharedLinks.remove(player)
                return true
            }
        }
        #expect(endsInChild)
    }

    /// A message handler may stop the other element, on whichever thread it is called.
    @Test(arguments: [true, false]) func handlerMayStopEitherElement(stopsPlayer: Bool) throws {
        let rig = try RoomRig()
        rig.start(rig.player, rig.source)
        try #require(rig.hasConnection(with: RoomRig.both))
        let victim = Shared(value: (stopsPlayer ? rig.player : rig.source).raw)
        let handler = SyncHandler(rig.source, "sendspin-source") { gst_element_set_state(victim.value, GST_STATE_NULL) }
        rig.server.command(.start)
        #expect(handler.hasRun())
        try #require(rig.hasConnection(with: stopsPlayer ? [.source] : [.player]))
        #expect(rig.server.violations == [])
    }
}
