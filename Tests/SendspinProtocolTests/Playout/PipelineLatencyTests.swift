import SendspinProtocol
import Testing

/// Tests the latency of a pipeline whose sinks become ready one after the other.
@Suite struct PipelineLatencyTests {
    private var latency = PipelineLatency()

    init() { latency.arrived(.milliseconds(326), now: .zero, isPlaying: false) }

    @Test mutating func lowerLatencyCountsAtOnceBeforeTheStreamPlays() {
        latency.arrived(.milliseconds(230), now: .seconds(1), isPlaying: false)
        #expect(latency.value == .milliseconds(230))
    }

    @Test mutating func higherLatencyCountsAtOnce() {
        latency.arrived(.milliseconds(400), now: .seconds(1), isPlaying: true)
        #expect(latency.value == .milliseconds(400))
    }

    /// After a flush, a sink without latency becomes ready before the audio sink.
    @Test mutating func sinkThatIsNotReadyDoesNotChangeTheLatency() {
        latency.arrived(.zero, now: .seconds(1), isPlaying: true)
        latency.advance(to: .milliseconds(2_900))
        #expect(latency.value == .milliseconds(326))
        latency.arrived(.milliseconds(326), now: .milliseconds(2_950), isPlaying: true)
        latency.advance(to: .seconds(10))
        #expect(latency.value == .milliseconds(326))
    }

    @Test mutating func lowerLatencyCountsWhenItLasts() {
        latency.arrived(.milliseconds(100), now: .seconds(1), isPlaying: true)
        latency.arrived(.milliseconds(230), now: .seconds(2), isPlaying: true)
        latency.advance(to: .seconds(3))
        #expect(latency.value == .milliseconds(230))
    }
}
