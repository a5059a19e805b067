import GStreamer
import GStreamerTesting
import SwiftExamples
import Testing

@Suite struct SpeedTests {
    private let caps = "application/x-test"

    private func harness(_ speed: String, caps: String? = nil) throws -> Harness {
        initialize()
        gst_plugin_swiftexamples_register()
        return try #require(Harness("swiftspeed", ["speed": speed], caps: caps ?? self.caps))
    }

    /// The first event of `kind` that has arrived on the other side.
    private func arrived(_ kind: Event.Kind, _ pull: () -> Event?) -> Event? {
        while let event = pull() { if event.kind == kind { return event } }
        return nil
    }

    @Test func timesOfBuffersAreDividedByTheSpeed() throws {
        let harness = try harness("3/2")
        var buffer = Buffer([1])
        (buffer.pts, buffer.dts, buffer.duration) = (.milliseconds(60), .milliseconds(30), .nanoseconds(10))
        #expect(harness.push(buffer) == .ok)
        let output = try #require(harness.pull())
        #expect(output.buffer?.pts == .milliseconds(40) && output.buffer?.dts == .milliseconds(20))
        #expect(output.buffer?.duration == .nanoseconds(6))
    }

    @Test(arguments: ["1/100", "1/1", "100/1"]) func unknownAndHighestTimesDoNotTrap(speed: String) throws {
        let harness = try harness(speed)
        for time in [nil, Duration.zero, .nanoseconds(1), .nanoseconds(Int64.max), .seconds(18_446_744_073)] {
            var buffer = Buffer([1])
            (buffer.pts, buffer.dts, buffer.duration) = (time, time, time)
            #expect(harness.push(buffer) == .ok)
            #expect((harness.pull()?.buffer?.pts == nil) == (time == nil))
        }
        for time in [Int64.min, -2, -1, 0, Int64.max] {
            var seek = Seek(to: .zero)
            for type in [Seek.LimitType.set, .end, .none] {
                (seek.startType, seek.start) = (type, FormattedValue(.time, time))
                (seek.stopType, seek.stop) = (type, FormattedValue(.time, time))
                harness.pushUpstream(Event.seek(seek))
            }
            let jitter = Duration(nanoseconds: time)
            harness.pushUpstream(
                Event.qualityOfService(.init(.overflow, proportion: 1, jitter: jitter, timestamp: nil)))
        }
    }

    @Test func eventsFromUpstreamHaveTheTimesOfTheOutput() throws {
        let harness = try harness("2/1")
        while harness.pullEvent()?.kind != nil {}
        var segment = Segment()
        (segment.start, segment.stop, segment.time) = (.seconds(2), .seconds(8), .seconds(4))
        (segment.base, segment.duration) = (.seconds(6), nil)
        harness.push(Event.segment(segment))
        let output = arrived(.segment, harness.pullEvent)?.segment
        #expect(output?.start == .seconds(1) && output?.stop == .seconds(4) && output?.time == .seconds(2))
        #expect(output?.base == .seconds(3) && output?.duration == nil && output?.rate == 1)
        harness.push(Event.gap(at: .seconds(3), duration: .seconds(1)))
        let gap = arrived(.gap, harness.pullEvent)?.gap
        #expect(gap?.at == .milliseconds(1500) && gap?.duration == .milliseconds(500))
        harness.push(Event.gap(at: .seconds(3)))
        #expect(arrived(.gap, harness.pullEvent)?.gap?.duration == nil)
        harness.push(Event.segmentDone(at: FormattedValue(.seconds(5))))
        #expect(arrived(.segmentDone, harness.pullEvent)?.segmentDone?.time == .milliseconds(2500))
        harness.push(Event.segmentDone(at: FormattedValue(.bytes, 5)))
        #expect(arrived(.segmentDone, harness.pullEvent)?.segmentDone == FormattedValue(.bytes, 5))
        harness.push(Event.endOfStream())
        #expect(arrived(.endOfStream, harness.pullEvent)?.kind == .endOfStream)
    }

    @Test func eventsFromDownstreamHaveTheTimesOfTheInput() throws {
        let harness = try harness("3/1")
        var seek = Seek(to: .seconds(2), until: .seconds(5), rate: -0.5, flags: [.flush, .keyUnit, .segment])
        seek.stopType = .end
        harness.pushUpstream(Event.seek(seek))
        (seek.start, seek.stop) = (FormattedValue(.seconds(6)), FormattedValue(.seconds(15)))
        #expect(arrived(.seek, harness.pullUpstreamEvent)?.seek == seek)
        harness.pushUpstream(Event.seek(Seek(to: .seconds(1))))
        #expect(arrived(.seek, harness.pullUpstreamEvent)?.seek?.stop == FormattedValue(nil))
        harness.pushUpstream(
            Event.qualityOfService(.init(.underflow, proportion: 2, jitter: .seconds(-1), timestamp: .seconds(2))))
        let report = arrived(.qualityOfService, harness.pullUpstreamEvent)?.qualityOfService
        #expect(report == .init(.underflow, proportion: 2, jitter: .seconds(-3), timestamp: .seconds(6)))
        var instant = Seek(to: .zero, rate: 2, flags: .instantRateChange)
        (instant.startType, instant.stopType) = (.none, .none)
        let isDone = harness.pushUpstream(Event.seek(instant))
        #expect(!isDone)
    }

    @Test func latencyIsThatOfUpstream() throws {
        let harness = try harness("2/1")
        harness.pushUpstream(Event.latency(.milliseconds(30)))
        #expect(arrived(.latency, harness.pullUpstreamEvent)?.latency == .milliseconds(30))
    }

    @Test func rateOfRawAudioIsMultiplied() throws {
        let raw = try harness("3/2", caps: "audio/x-raw, format=U8, layout=interleaved, rate=32000, channels=1")
        #expect(raw.play([1]) != nil)
        #expect(raw.element.pad("src")?.currentCaps?.value("rate") == .int(48_000))
        let highest = try harness("100/1", caps: "audio/x-raw, format=U8, rate=2147483647, channels=1")
        #expect(highest.element.pad("src")?.currentCaps?.value("rate") == .int(.max))
        let other = try harness("3/2", caps: "audio/mpeg, rate=32000")
        #expect(other.element.pad("src")?.currentCaps?.value("rate") == .int(32_000))
    }

    @Test func releasesEverythingWithoutAWarning() throws {
        _ = try harness("1/1")
        let warnings = loggedWarnings {
            let leaks = Harness.leaks(of: "swiftspeed", caps: caps) { #expect($0.play([1], pts: .zero) == [1]) }
            #expect(leaks == [])
        }
        #expect(warnings == [])
    }
}
