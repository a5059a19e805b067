import CGStreamer
import GstTestSupport
import SendspinSupport
@testable import SendspinProtocol
import Testing
import Threads

/// Tests the messages with colours and with data about the music.
@Suite(.serialized) struct LightMessageTests {
    private static let kinds = "loudness,beat,f_peak,spectrum,peak"

    private func rig(_ properties: String = "color=true visualizer=\(kinds) visualizer-bands=2") throws -> SendspinRig {
        let rig = try SendspinRig(SendspinRig.decoding, properties)
        try #require(rig.start())
        return rig
    }

    /// Server time after `time`, in whole microseconds.
    private func time(in time: Duration, of server: FakeServer) -> Duration {
        .microseconds(Int64((server.clock.time(at: MonotonicClock.now) + time) / .microseconds(1)))
    }

    @Test func rolesAreOfferedOnRequestOnly() throws {
        let player: [Role] = [.player, .metadata, .controller, .artwork]
        var rig = try rig("")
        #expect(rig.server.report.hello?.roles == player)
        #expect(rig.server.report.state?.visualizer == nil)
        rig = try self.rig("color=true")
        #expect(rig.server.report.hello?.roles == player + [.color])
        rig = try self.rig("visualizer=beat,spectrum visualizer-rate=50 visualizer-bands=8")
        #expect(rig.server.report.hello?.roles == player + [.visualizer])
        #expect(
            rig.server.report.state?.visualizer
                == VisualizerRequest(kinds: [.beat, .spectrum], rate: 50, bandCount: 8))
        #expect(rig.server.violations == [])
    }

    @Test func propertiesOfThePlayerAreThoseOfItsSource() throws {
        let rig = try SendspinRig(playingWith: "color=true visualizer=loudness visualizer-rate=10")
        try #require(rig.start())
        #expect(rig.server.report.state?.visualizer == VisualizerRequest(kinds: [.loudness], rate: 10))
        rig.server.show(Palette(timestamp: .microseconds(1), colours: [.primary: 5]))
        #expect(rig.bus.has("element: sendspin-color", "primary=(uint)5"))
        #expect(rig.server.violations == [])
    }

    @Test func messagesHaveTheRunningTimeAtWhichTheirAudioIsHeard() throws {
        let rig = try rig()
        let time = time(in: .seconds(2), of: rig.server)
        var frame = VisualizerFrame(timestamp: time, loudness: 0xFFFF, isDownbeat: true, peak: 7)
        frame.strongest = VisualizerFrame.Tone(frequency: 440, level: 0x8000)
        frame.spectrum = [0, 0xFFFF]
        rig.server.visualize([frame])
        rig.server.show(Palette(timestamp: time, colours: [.primary: 0x10_20_30, .onDark: 0xFF_FF_FF]))
        #expect(
            rig.bus.has(
                "element: sendspin-visualizer", "loudness=(uint)255", "downbeat=(boolean)true", "frequency=(uint)440",
                "frequency-level=(uint)128", "spectrum=(buffer)00ff", "peak=(uint)7"))
        #expect(rig.bus.has("element: sendspin-color", "primary=(uint)1056816", "on-dark=(uint)16777215"))
        let expected = try #require(runningTime(at: rig.server.clock.local(of: time), in: rig.pipeline))
        for kind in ["color", "visualizer"] {
            let text = try #require(rig.bus.texts("element: sendspin-\(kind)").first)
            let number = text.split(separator: "running-time=(guint64)").last.flatMap {
                Int64($0.prefix { $0.isNumber })
            }
            let found = Duration.nanoseconds(try #require(number))
            #expect(abs((found - expected) / .milliseconds(1)) < 5, "\(kind): \(found) instead of \(expected)")
        }
        #expect(rig.server.violations == [])
    }

    /// The running time of a pipeline at a monotonic time.
    private func runningTime(at local: Duration, in pipeline: Pipeline) -> Duration? {
        guard let clock = gst_element_get_clock(pipeline.raw) else { return nil }
        defer { gst_object_unref(clock) }
        let base = Duration.nanoseconds(Int64(gst_element_get_base_time(pipeline.raw)))
        // The thread may be interrupted between the readings of the two clocks.
        for _ in 0..<10_000 {
            let before = MonotonicClock.now
            let time = Duration.nanoseconds(Int64(gst_clock_get_time(clock)))
            if MonotonicClock.now - before < .microseconds(200) { return time + (local - before) - base }
        }
        return nil
    }

    /// In PAUSED, the running time of the pipeline does not pass.
    @Test func dataAreNotPostedInPaused() throws {
        let rig = try rig()
        rig.pipeline.go(GST_STATE_PAUSED)
        let start = rig.server.clock.time(at: MonotonicClock.now)
        rig.server.visualize([VisualizerFrame(timestamp: start + .milliseconds(600), loudness: 5)])
        rig.server.show(Palette(timestamp: start + .milliseconds(900), colours: [.accent: 9]))
        // The colours are due after the data.
        #expect(rig.bus.has("element: sendspin-color", "accent=(uint)9"))
        #expect(rig.bus.texts("element: sendspin-visualizer") == [])
        #expect(rig.bus.texts("element: sendspin-color").allSatisfy { !$0.contains("running-time") })
    }

    @Test func lateDataAreCounted() throws {
        let rig = try rig()
        let now = rig.server.clock.time(at: MonotonicClock.now)
        rig.server.visualize((1...5).map { VisualizerFrame(timestamp: now - .seconds(60 - $0), loudness: 5) })
        #expect(eventually { rig.statistic("visualizer-dropped") == 5 })
        #expect(rig.bus.texts("element: sendspin-visualizer") == [])
        #expect(rig.server.violations == [])
    }
}
