import QueuePolicy
import Testing

@Suite struct LevelMeterTests {
    /// A frame from `start` to `end`, in nanoseconds.
    private func frame(_ start: Int64?, _ end: Int64?, count: UInt32 = 1, bytes: UInt64 = 10) -> QueuedFrame {
        var frame = QueuedFrame()
        (frame.startsAt, frame.endsAt) = (start.map { .nanoseconds($0) }, end.map { .nanoseconds($0) })
        (frame.count, frame.bytes) = (count, bytes)
        return frame
    }

    @Test func timeLevelStartsAtFirstFrame() {
        var level = LevelMeter()
        level.entered(frame(25, 26))
        #expect(level.time == .nanoseconds(1))
        level.entered(frame(26, 30))
        #expect(level.time == .nanoseconds(5))
        level.left(frame(25, 26))
        #expect(level.time == .nanoseconds(4))
    }

    @Test func emptyQueueHasZeroTimeLevel() {
        var level = LevelMeter()
        level.entered(frame(0, 10))
        level.timePassedEntrance(from: .nanoseconds(20), to: .nanoseconds(90))
        level.left(frame(0, 10))
        #expect((level.time, level.buffers, level.bytes) == (.zero, 0, 0))
    }

    @Test func countsFramesWithoutTimestamps() {
        var level = LevelMeter()
        level.entered(frame(nil, nil, count: 3, bytes: 7))
        #expect((level.time, level.buffers, level.bytes) == (.zero, 3, 7))
        level.left(frame(nil, nil, count: 9, bytes: 99))
        #expect((level.buffers, level.bytes) == (0, 0))
    }

    @Test func backwardTimestampsGiveZeroTimeLevel() {
        var level = LevelMeter()
        level.entered(frame(100, 110))
        level.left(frame(100, 110))
        level.entered(frame(0, 10))
        #expect(level.time == .zero)
    }

    @Test func extremeTimestampsDoNotOverflow() {
        var level = LevelMeter()
        level.entered(frame(-.max, -.max))
        level.entered(frame(.max, .max))
        #expect(level.time == .nanoseconds(UInt64(Int64.max) * 2))
    }

    @Test func eachLimitAloneMakesQueueFull() {
        var level = LevelMeter()
        level.entered(frame(0, 100, count: 2, bytes: 50))
        var limits = BackpressureLimits()
        limits.maxBuffers = 0
        #expect(!level.isFull(limits))
        limits.maxBuffers = 2
        #expect(level.isFull(limits))
        (limits.maxBuffers, limits.maxBytes) = (3, 50)
        #expect(level.isFull(limits))
        (limits.maxBytes, limits.maxTime) = (51, .nanoseconds(100))
        #expect(level.isFull(limits))
        limits.maxTime = .nanoseconds(101)
        #expect(!level.isFull(limits))
    }
}
