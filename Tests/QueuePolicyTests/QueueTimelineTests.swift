import TestSupport
import QueuePolicy
import Testing

/// Tests a simulated queue with default settings in front of models of downstream.
///
/// Most streams have 30 frames per second and last 20 s or longer. See `QueueSimulation`.
@Suite struct QueueTimelineTests {
    private typealias Source = QueueSimulation.Source

    private func play(_ source: Source, seconds: Double = 20, _ downstream: any Downstream) -> QueueSimulation {
        QueueSimulation(source, seconds: seconds, downstream).run()
    }

    // MARK: Downstream keeps up

    @Test(arguments: [
        (30.0, 0.2, 0.0), (30, 0.034, 0), (30, 1, 0), (25, 0.06, 0), (60, 0.017, 0), (120, 0.02, 0), (240, 0.04, 0),
        (1, 1, 0), (30, 0.1, 0.06), (30, 0.034, 0.06),
    ])
    func dropsNothingBeforeSynchronizingSink(rate: Double, latency: Double, jitter: Double) {
        let played = play(
            Source(rate: rate, latency: latency, hasDeadline: true, jitter: jitter), SyncSink(latency: latency))
        #expect(played.dropped == 0)
        #expect(!played.wasOverloaded)
        #expect(played.age(0.95) <= max(latency, jitter) + 0.034)
    }

    @Test(arguments: [1, 3, 20, 40, 120])
    func dropsNothingBeforeElementsThatHoldFrames(count: Int) {
        let played = play(Source(), seconds: 30, Holder(count: count))
        #expect(played.dropped == 0)
        #expect(played.finished(by: 30) >= 900 - count - 1)
    }

    @Test(arguments: [[250], [50, 250, 30, 120], [30, 300, 30, 300], [1, 100]])
    func dropsNothingBeforeElementsThatHoldGroups(lengths: [Int]) {
        #expect(play(Source(), seconds: 60, GroupHolder(lengths: lengths)).dropped == 0)
    }

    @Test func dropsNothingWhenFramesAtOneFPSAreHeld() {
        #expect(play(Source(rate: 1), seconds: 120, Holder(count: 45)).dropped == 0)
    }

    /// A decoder holds frames to reorder them.
    ///
    /// The queue must not wait until the decoder releases the first frame.
    @Test func startsDecoderWithoutDelay() {
        let played = play(Source(kind: .groups), Holder(count: 5))
        #expect(played.dropped == 0)
        #expect(played.age(1) <= 0.35, "\(played.age(1))")
    }

    @Test(arguments: [(4, 0.1), (8, 0.2), (2, 0.06)])
    func dropsNothingBeforeFastFrameThreads(count: Int, work: Double) {
        #expect(play(Source(), FrameThreads(count: count, work: work)).dropped == 0)
    }

    @Test(arguments: [0.001, 0.01, 0.02, 0.03], [true, false])
    func dropsNothingBeforeFastWorkers(work: Double, hasQueue: Bool) {
        #expect(play(Source(), Workers({ _ in work }, hasQueue: hasQueue)).dropped == 0)
        #expect(play(Source(jitter: 0.03), Workers({ _ in work }, hasQueue: hasQueue)).dropped == 0)
    }

    @Test(arguments: [true, false])
    func absorbsStallOfOneSecond(hasQueue: Bool) {
        let played = play(Source(), Workers({ 8 < $0 && $0 < 8.04 ? 0.95 : 0.02 }, hasQueue: hasQueue))
        #expect(played.dropped == 0)
        #expect(played.age(1, after: 12) < 0.06, "the latency is normal again after the stall")
    }

    // MARK: Downstream is slower than the stream

    /// After 2 s or 20 s, the 95th percentile of the age is below 1.12 processing times plus two frame durations.
    @Test(arguments: [0.036, 0.045, 0.06, 0.1, 0.5], [true, false])
    func boundsLatencyWithSlowWorker(work: Double, hasQueue: Bool) {
        let played = play(Source(), seconds: 40, Workers({ _ in work }, hasQueue: hasQueue))
        let capacity = 40 / work
        #expect(Double(played.finished(by: 40)) >= (capacity * 0.96) - 3)
        let settled = work > 0.2 ? 20.0 : 2
        // The queue pushes a frame a tenth of the processing time before downstream is free.
        #expect(played.age(0.95, after: settled) <= (work * 1.12) + 0.067)
    }

    @Test func boundsLatencyOfFastStream() {
        let played = play(Source(rate: 240), Workers({ _ in 0.01 }))
        #expect(played.finished(by: 20) >= 1900)
        #expect(played.age(0.95, after: 2) <= 0.02)
    }

    @Test func boundsLatencyWithLookAhead() {
        let played = play(Source(), LookAheadThenWorker(count: 20, work: 0.06))
        #expect(played.finished(by: 20) >= 300)
        #expect(played.age(0.95, after: 6) <= (22 * 0.06) + 0.127)
    }

    /// While no frame is released, the limit of frames in flight grows beyond the size of the queue downstream.
    ///
    /// Then the exit waits in the push into the full queue, and does not wait for the release of a frame.
    @Test(arguments: [0.45, 1, 3], [4, 8, 20])
    func boundsLatencyBehindFullQueueAfterSlowStart(start: Double, size: Int) {
        let played = play(Source(), FullQueueThenWorker(size: size, start: start, work: 0.12))
        // The queue detects the overload after 1.2 s, and then downstream processes the frames that it holds.
        let settled = 2 + start + (0.12 * Double(size))
        #expect(played.age(0.95, after: settled) <= (0.12 * 1.12) + 0.067, "\(played.age(0.95, after: settled))")
        #expect(Double(played.finished(by: 20)) >= (0.96 * (20 - start) / 0.12) - 3)
    }

    @Test func keepsTwoWorkersBusy() {
        let played = play(Source(), Workers({ _ in 0.05 }, { _ in 0.05 }))
        // The workers can finish 400 frames, but fewer while the queue measures how many frames they need at once.
        #expect(played.finished(by: 20) >= 370)
        #expect(played.age(0.95, after: 4) <= 0.25)
    }

    @Test func keepsFrameThreadsBusy() {
        let played = play(Source(), FrameThreads(count: 4, work: 0.16))
        #expect(played.finished(by: 20) >= 460)
        #expect(played.age(0.95, after: 4) <= 0.3)
    }

    @Test(arguments: [true, false])
    func usesMostCapacityOfVaryingWorker(hasQueue: Bool) {
        var noise = Random(seed: 1)
        let played = play(Source(), Workers({ _ in 0.01 + (0.05 * noise.share()) }, hasQueue: hasQueue))
        #expect(played.finished(by: 20) >= 530)
        #expect(played.age(0.95, after: 2) <= 0.2)
    }

    @Test func adaptsToWorkerThatBecomesSlowAndRecovers() {
        let played = play(Source(), seconds: 30, Workers({ 10 < $0 && $0 < 20 ? 0.08 : 0.02 }))
        #expect(played.age(0.95, after: 11) <= 0.08 + 0.068)
        #expect(played.finished(by: 10) >= 299)
        #expect(played.age(1, after: 22) < 0.06)
        #expect(played.finished(by: 30) - played.finished(by: 22) >= 238)
    }

    /// Tests a slow filter in front of a synchronizing sink.
    ///
    /// The age of the frames is bounded, and the filter is busy for at least 93 % of the time.
    @Test(arguments: [0.036, 0.04, 0.045, 0.06, 0.1], [true, false])
    func keepsSlowFilterBusyWithDeadline(work: Double, hasQueue: Bool) {
        let sink = SyncSink(latency: 0.2, hasQueue: hasQueue) { _ in work }
        let played = play(Source(latency: 0.2, hasDeadline: true), seconds: 40, sink)
        // With `hasQueue`, all frames that are due within the latency are in flight.
        #expect(played.age(0.95, after: 3) <= 0.2 + (hasQueue ? 0.15 : 0.067), "\(played.age(0.95, after: 3))")
        #expect(Double(played.finished(by: 40)) >= 0.93 * 40 / work, "\(played.finished(by: 40)) of \(40 / work)")
    }

    /// A sink that drops late frames renders nearly half of all frames, although the filter is idle while the sink
    /// waits.
    @Test(arguments: [0.036, 0.045, 0.06], [0.1, 0.2])
    func meetsDeadlineOfSinkThatDropsLateFrames(work: Double, latency: Double) {
        let sink = SyncSink(latency: latency, tolerance: 0.005) { _ in work }
        let played = play(Source(latency: latency, hasDeadline: true, tolerance: 0.005), seconds: 40, sink)
        #expect(played.finished(by: 40) >= 560, "\(played.finished(by: 40)) of 600, every other frame")
    }

    /// From the start, a sink that drops late frames receives only recent frames, as behind a leaky queue of one frame.
    ///
    /// `GstBaseSink` renders a frame that arrives before the end of the frame plus `max-lateness`.
    @Test(arguments: [0.045, 0.048, 0.06], [0.053, 0.2])
    func slowDisplayReceivesRecentFrames(work: Double, latency: Double) {
        let sink = SyncSink(latency: latency, tolerance: 0.053) { _ in work }
        let played = play(Source(latency: latency, hasDeadline: true, tolerance: 0.02), sink)
        #expect(Double(played.finished(by: 20)) >= 0.88 * 20 / work, "\(played.finished(by: 20)) of \(20 / work)")
        #expect(played.age(0.95) <= max(latency, work) + 0.034, "\(played.age(0.95))")
        #expect(played.age(0.99) <= max(latency, work) + 0.036, "\(played.age(0.99))")
    }

    @Test(arguments: [true, false], [0.005, .infinity])
    func recoversAfterOverloadWithDeadline(hasQueue: Bool, tolerance: Double) {
        let sink = SyncSink(latency: 0.1, tolerance: tolerance, hasQueue: hasQueue) { 4 < $0 && $0 < 7 ? 0.06 : 0.001 }
        let source = Source(latency: 0.1, hasDeadline: true, tolerance: tolerance)
        let played = play(source, seconds: 20, sink)
        #expect(played.finished(by: 4) >= 116)
        // Half of the frames for 1 s, and then all frames for 2 s, would be 75 frames.
        #expect(
            played.finished(by: 10) - played.finished(by: 7) >= 70,
            "\(played.finished(by: 10) - played.finished(by: 7))")
        #expect(played.finished(by: 20) - played.finished(by: 10) >= 298)
    }
}
