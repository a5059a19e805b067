import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import Synchronization
import Testing

/// Tests the volume of `sendspinplay`, which the application and the server set.
@Suite(.serialized) struct PlayVolumeTests {
    private func report(_ rig: SendspinRig) -> PlayerReport? { rig.server.report.state?.player }

    @Test func lastVolumeBeforeTheStartCounts() throws {
        let rig = try SendspinRig(playingWith: "volume=0.125")
        rig.pipeline.element().set("volume", to: "1")
        try #require(rig.start())
        #expect(report(rig)?.volume == 100)
        #expect(rig.pipeline.element().number("volume") == 1)
    }

    @Test func defaultVolumeThatTheApplicationSetsReplacesTheStoredOne() throws {
        let folder = Setup.newFolder()
        for (properties, percent) in [("volume=0.125", 25), ("", 25), ("volume=1", 100)] {
            let server = try FakeServer()
            let rig = try SendspinRig(
                line: "pipeline.( sendspinplay name=p uri=\(server.uri) audio-sink=\"fakesink name=s\" \(properties) )",
                server: server, folder: folder)
            try #require(rig.start())
            #expect(report(rig)?.volume == percent)
        }
    }

    /// With `volume-curve=3`, 50 % is the factor 0.5 ^ 3, which is that of 25 % with the curve of the protocol.
    @Test func curveIsTheExponentOfTheVolume() throws {
        for properties in ["volume=0.125 volume-curve=3", "volume-curve=3 volume=0.125"] {
            let rig = try SendspinRig(playingWith: properties)
            try #require(rig.start())
            #expect(report(rig)?.volume == 50, "\(properties)")
            rig.server.command(.volume(25))
            #expect(eventually { abs(rig.pipeline.element().number("volume") - 0.015_625) < 1e-9 })
        }
        let heard = try recording("volume=0.125 volume-curve=3")
        #expect(try heard == recording("volume=0.125"))
        // 50 % with the curve of the protocol.
        #expect(try heard != recording("volume=0.353553"))
    }

    /// Samples of 32 bits from the middle of a stream, after all ramps.
    private func recording(_ properties: String) throws -> [UInt8] {
        let rig = try SendspinRig(playingWith: properties)
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(200_000))
        return Array(rig.recorder.bytes[192_000..<200_000])
    }

    /// The player limits the applied volumes, because each causes two notifications and an event downstream.
    @Test func volumesOfAServerAreBoundedAndTheLastOneApplies() throws {
        let rig = try SendspinRig(playingWith: "")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(1))
        let volumes = VolumeRecorder(rig.pipeline.element("source"))
        let start = ContinuousClock.now
        for number in 0..<2_000 { rig.server.command(.volume(number % 100)) }
        rig.server.command(.volume(77))
        rig.server.command(.mute(true))
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 77 && $0.last?.state?.player?.isMuted == true })
        #expect(eventually { volumes.texts.last == "77 true" })
        #expect(eventually { rig.pipeline.element().get("mute") == "true" })
        #expect(volumes.texts.count <= 62 + Int((ContinuousClock.now - start) / .milliseconds(100)))
        // If the server disconnects while volumes wait, the last volume is still applied.
        for number in 0..<200 { rig.server.command(.volume(number % 100)) }
        rig.server.command(.volume(33))
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 33 })
        rig.server.closeConnections()
        #expect(eventually { volumes.texts.last == "33 true" })
    }

    /// The player must not report a volume of the server to the server as a change by the application.
    @Test func volumesOfTheServerAreNotSentBack() throws {
        let rig = try SendspinRig(playingWith: "volume=0.5")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(1))
        let volumes = VolumeRecorder(rig.pipeline.element("source"))
        let player = rig.pipeline.element()
        for isMuted in [true, false, true] {
            rig.server.command(.mute(isMuted))
            try #require(eventually { player.get("mute") == "\(isMuted)" })
        }
        #expect(player.number("volume") == 0.5)
        rig.server.command(.volume(25))
        try #require(eventually { abs(player.number("volume") - 0.125) < 0.001 })
        #expect(volumes.texts == ["63 true", "63 false", "63 true", "25 true"])
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 25 })
        #expect(rig.server.violations == [])
    }
}

/// Records the volumes that `sendspinsrc` sends downstream.
private final class VolumeRecorder: Sendable {
    private let record = Mutex<[String]>([])

    init(_ source: RawElement) {
        let pad = gst_element_get_static_pad(source, "src")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, info, recorder in
                let event = info!.pointee.data.assumingMemoryBound(to: GstEvent.self)
                if let structure = gst_event_get_structure(event),
                    gst_structure_has_name(structure, "sendspin-volume") != 0
                {
                    Unmanaged<VolumeRecorder>.fromOpaque(recorder!).takeUnretainedValue().append(structure)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<VolumeRecorder>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }

    /// Volume in percent and mute of each event, as texts.
    var texts: [String] { record.withLock { $0 } }

    private func append(_ structure: UnsafePointer<GstStructure>) {
        var (percent, isMuted) = (guint(), gboolean())
        gst_structure_get_uint(structure, "volume", &percent)
        gst_structure_get_boolean(structure, "mute", &isMuted)
        record.withLock { $0.append("\(percent) \(isMuted != 0)") }
    }
}
