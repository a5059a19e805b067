import CGStreamer
import GstTestSupport
import SendspinSupport
@testable import SendspinProtocol
import Testing

/// Tests the descriptions of the track and the group, and the commands for the group.
@Suite(.serialized) struct DescriptionTests {
    private func playing(as name: String = "fake server") throws -> SendspinRig {
        var settings = PeerSettings()
        settings.name = name
        let rig = try SendspinRig(server: try FakeServer(settings))
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        try #require(rig.hasBytes(1))
        return rig
    }

    private var now: Duration { .microseconds(1) }

    @Test func metadataBecomesTags() throws {
        let rig = try playing()
        var metadata = Metadata(timestamp: now, title: "Title", artist: "Künstlerin", album: "Album")
        (metadata.albumArtist, metadata.track, metadata.year) = ("Ensemble", 7, 1999)
        rig.server.show(metadata)
        #expect(
            rig.bus.has(
                "tag", "title=(string)Title", #"K\303\274nstlerin"#, "album=(string)Album",
                "album-artist=(string)Ensemble",
                "track-number=(uint)7", "1999"))
        let count = rig.bus.texts("tag").count
        // A server repeats the description with each update of the progress, which must not post tags again.
        metadata.progress = TrackProgress(position: .seconds(30), duration: nil)
        rig.server.show(metadata)
        #expect(rig.bus.has("element: sendspin-progress", "position=(guint64)30000000000", "speed=(double)1"))
        #expect(remains(for: .milliseconds(100)) { rig.bus.texts("tag").count == count })
        #expect(rig.server.violations == [])
    }

    /// `gst-launch-1.0` prints warnings on the terminal, and with `-m` and `-t` also all messages and tags.
    @Test func textsOfAServerDoNotControlATerminal() throws {
        let evil = "\u{1B}]0;owned\u{7}\n"
        let rig = try playing(as: evil)
        rig.server.show(Metadata(timestamp: now, title: evil, artist: evil, album: evil))
        // Wait for the tags, because the stream and its tags end when the player loses its role.
        #expect(rig.bus.has("tag", #"title=(string)"\ \]0\;owned\ \ ""#))
        rig.server.announce(GroupUpdate(playback: .stopped, groupID: evil, groupName: evil))
        // Without a role, the player posts a warning with the name of the server.
        rig.server.send(.activation(ServerActivation(activities: [], roles: [])))
        #expect(rig.bus.has("element: sendspin-group", "playing=(boolean)false", "owned"))
        #expect(rig.bus.has("warning: The server  ]0;owned   does not let this player play."))
        for text in rig.bus.texts {
            // GStreamer serializes a control character in structures and tags as an octal number.
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 } && !text.contains(#"\0"#), "\(text)")
        }
    }

    @Test func artworkBecomesAnImageTag() throws {
        let rig = try playing()
        rig.server.send(
            .streamStart(StreamStart(artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 600, height: 600)]))
        )
        rig.server.showArtwork([0xFF, 0xD8] + [UInt8](repeating: 7, count: 150_000), at: now)
        #expect(rig.bus.has("tag", "image of 150002 bytes as image/jpeg"))
        #expect(rig.server.violations == [])
    }

    @Test func progressGroupAndControllerAreMessages() throws {
        let rig = try playing()
        var metadata = Metadata(timestamp: now, title: "T")
        metadata.progress = TrackProgress(position: .seconds(5), duration: .seconds(200), speed: 1000)
        rig.server.show(metadata)
        #expect(
            rig.bus.has("element: sendspin-progress", "position=(guint64)5000000000", "duration=(guint64)200000000000"))
        #expect(rig.bus.has("element: sendspin-group", "playing=(boolean)true", "name=(string)Group"))
        rig.server.announce(GroupUpdate(playback: .stopped, groupID: "x", groupName: "Kitchen"))
        #expect(
            rig.bus.has("element: sendspin-group", "playing=(boolean)false", "id=(string)x", "name=(string)Kitchen"))
        rig.server.offer(
            ControllerState(commands: [.play, .next], volume: 40, isMuted: true, repeatMode: .all, isShuffled: true))
        #expect(
            rig.bus.has(
                "element: sendspin-controller", "volume=(uint)40", "mute=(boolean)true", "repeat=(string)all",
                "shuffle=(boolean)true", "play", "next"))
        #expect(rig.server.violations == [])
    }

    @Test func actionSignalsSendCommandsThatTheServerOffers() throws {
        let rig = try playing()
        rig.server.offer(ControllerState(commands: Set(ControllerCommandName.allCases), volume: 50, isMuted: false))
        #expect(rig.bus.has("element: sendspin-controller"))
        let emissions = [
            SignalEmission("play"), SignalEmission("pause"), SignalEmission("stop"), SignalEmission("next"),
            SignalEmission("previous"), SignalEmission("seek", "30000000000"), SignalEmission("set-group-volume", "60"),
            SignalEmission("set-group-mute", "true"), SignalEmission("set-repeat", "one"),
            SignalEmission("set-shuffle", "true"), SignalEmission("set-shuffle", "false"),
        ]
        let player = rig.pipeline.element()
        for emission in emissions { #expect(emission.emit(on: player) == "true", "\(emission.name)") }
        let expected: [ControllerCommand] = [
            .play, .pause, .stop, .next, .previous, .seek(.seconds(30)), .volume(60), .mute(true), .repeating(.one),
            .shuffle(true), .shuffle(false),
        ]
        #expect(rig.server.wait { $0.last?.commands == expected })
        #expect(SignalEmission("set-repeat", "sometimes").emit(on: player) == "false")
        #expect(rig.server.violations == [])
    }

    @Test func commandsThatTheServerDoesNotOfferAreNotSent() throws {
        let rig = try playing()
        #expect(SignalEmission("next").emit(on: rig.pipeline.element()) == "false")
        rig.server.offer(ControllerState(commands: [.play], volume: 50, isMuted: false))
        #expect(rig.bus.has("element: sendspin-controller"))
        #expect(SignalEmission("next").emit(on: rig.pipeline.element()) == "false")
        #expect(SignalEmission("play").emit(on: rig.pipeline.element()) == "true")
        #expect(rig.server.wait { $0.last?.commands == [.play] })
        #expect(rig.server.violations == [])
    }

    @Test func signalsWithoutAServerReturnFalse() {
        _ = SendspinSetup.once
        let player = TestElement("sendspinsrc")
        for name in ["play", "pause", "stop", "next", "previous"] {
            #expect(SignalEmission(name).emit(on: player.element) == "false")
        }
        #expect(SignalEmission("seek", "1").emit(on: player.element) == "false")
        SignalEmission("set-player-volume", "5", "false").emit(on: player.element)
    }
}
