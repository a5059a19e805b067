@testable import AudioSinks
import CGStreamer
import GstTestSupport
@testable import Sendspin
import SendspinSupport
import Testing

/// Tests the playout of a virtual DAC whose rate differs from the rate of the server.
///
/// The limits are wide, because other load may run on the machine, and one of five turns must keep them.
/// `Tests/hosts/sendspin/measure` checks the real goals.
@Suite(.serialized) struct SyncTests {
    /// A virtual DAC with this deviation of the rate, which measures errors with the clock of a fake server.
    private func dac(_ partsPerMillion: Double) -> String {
        "virtualdac name=s ppm=\(partsPerMillion) clock-offset=1000000000000 settle-time=1500000000"
    }

    /// Plays until the DAC has measured the errors of `count` frames after its settling time.
    private func play(_ rig: SendspinRig, _ stream: FakeStream, settled count: Double = 48_000) throws {
        try #require(rig.start())
        rig.server.playForVirtualDAC(stream, lead: .milliseconds(1_000))
        try #require(eventually { rig.pipeline.statistic("settled-count", of: "s") > count })
    }

    @Test(arguments: [FakeStream.pcm(), .flac()], [-100.0, 100])
    func deviceIsKeptInSync(stream: FakeStream, deviation: Double) throws {
        let isInSync = try (0..<5).contains { _ in
            let rig = try SendspinRig("decodebin ! audioconvert ! sendspinsync name=y ! \(dac(deviation))")
            try play(rig, stream)
            let median = rig.pipeline.statistic("settled-p50", of: "s")
            #expect(rig.pipeline.get("slave-method", of: "s") == "none")
            #expect(rig.server.violations == [])
            return median <= 300_000 && abs(rig.pipeline.statistic("first-error", of: "s")) <= 1_000_000
        }
        #expect(isInSync)
    }

    /// Without `sendspinsync`, the error of a fast device must grow at the rate of the deviation.
    @Test func correctionIsTheWorkOfTheElement() throws {
        var turns: [[Double]] = []
        let isSmaller = try (0..<5).contains { _ in
            turns.append(
                try [true, false].map { isEnabled in
                    let rig = try SendspinRig(
                        "decodebin ! audioconvert ! sendspinsync enabled=\(isEnabled) ! \(dac(700))")
                    try play(rig, .pcm())
                    return rig.pipeline.statistic("settled-p50", of: "s")
                })
            return turns.last![0] * 3 < turns.last![1]
        }
        #expect(isSmaller, "\(turns)")
    }

    @Test func playerIsInSyncBeforeAndAfterAnIdleTime() throws {
        let rig = try SendspinRig(playingWith: "idle-timeout=100000000", sink: dac(100))
        try play(rig, .pcm(), settled: 10_000)
        func isInSync() -> Bool { abs(rig.pipeline.statistic("last-error", of: "s")) <= 300_000 }
        #expect(eventually { isInSync() })
        let sink = rig.pipeline.element("s")
        rig.server.end()
        #expect(eventually { sink.pointee.current_state == GST_STATE_NULL })
        let count = rig.pipeline.statistic("settled-count", of: "s")
        rig.server.playForVirtualDAC(.pcm(), lead: .milliseconds(1_000))
        #expect(eventually { rig.pipeline.statistic("settled-count", of: "s") > count + 48_000 })
        #expect(eventually { isInSync() })
        #expect(rig.bus.problems == [])
    }

    /// The device stays open, so the frames of the new format follow the corrected ones of the old format.
    @Test func newFormatBehindAConversionLeavesTheDeviceInTime() throws {
        var errors: [Double] = []
        let isInTime = try (0..<5).contains { _ in
            let rig = try SendspinRig(playingWith: "", sink: dac(350))
            try play(rig, .pcm(), settled: 100)
            // They are 600 us.
            try #require(eventually { rig.statistic("sync-inserted") >= 30 })
            var stream = FakeStream.pcm(bitDepth: 24)
            stream.signal = .playoutTime
            try #require(rig.server.change(to: stream) != nil)
            let count = rig.pipeline.statistic("settled-count", of: "s")
            try #require(eventually { rig.pipeline.statistic("settled-count", of: "s") > count + 144_000 })
            #expect(rig.bus.problems == [])
            #expect(rig.server.violations == [])
            errors.append(abs(rig.pipeline.statistic("last-error", of: "s")))
            return errors.last! <= 200_000
        }
        #expect(isInTime, "\(errors)")
    }

    /// A process that is stopped for a minute, for example, stops its device, whose clock stays behind.
    @Test func deviceRunsAgainAfterAnyTime() {
        var activity = DeviceActivity()
        func isRunning(at pipeline: Int, device: Int, isCalibrated: Bool = true) -> Bool {
            activity.isRunning(
                at: AudioSink.Reading(
                    pipeline: .milliseconds(pipeline), device: .milliseconds(device), isCalibrated: isCalibrated))
        }
        #expect(!isRunning(at: 100_000, device: 100_000))
        #expect(isRunning(at: 100_100, device: 100_100))
        #expect(!isRunning(at: 160_100, device: 100_100))
        #expect(isRunning(at: 160_200, device: 100_200))
        #expect(!isRunning(at: 160_300, device: 300, isCalibrated: false))
    }

    @Test func slaveMethodOfTheSinkIsRestored() throws {
        let rig = try SendspinRig("decodebin ! audioconvert ! sendspinsync ! \(dac(0)) slave-method=resample")
        try play(rig, .pcm(), settled: 100)
        #expect(rig.pipeline.get("slave-method", of: "s") == "none")
        rig.pipeline.go(GST_STATE_READY)
        #expect(rig.pipeline.get("slave-method", of: "s") == "resample")
    }

    @Test func dataPassesUnchangedWithoutAnAudioSink() throws {
        let rig = try SendspinRig("decodebin ! sendspinsync ! fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(100_000))
        #expect(rig.rampFault == nil)
    }
}
