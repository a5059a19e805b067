import QueuePolicy
import Testing

@Suite struct LevelMeterTests {
    private func frame(_ start: Int64?, _ end: Int64?, count: UInt32 = 1, bytes: UInt64 = 10) -> QueuedFrame {
        var frame = QueuedFrame()
        (frame.startsAt, frame.endsAt, frame.count, frame.bytes) = (start, end, count, bytes)
        return frame
    }

    @Test func timeLevelStartsAtFirstFrame() {
        var level = LevelMeter()
        level.entered(frame(25, 26))
        #expect(level.time == 1)
        level.entered(frame(26, 30))
        #expect(level.time == 5)
        level.left(frame(25, 26))
        #expect(level.time == 4)
    }

    @Test func emptyQueueHasZeroTimeLevel() {
        var level = LevelMeter()
        level.entered(frame(0, 10))
        level.timePassedEntrance(from: 20, to: 90)
        level.left(frame(0, 10))
        #expect((level.time, level.buffers, level.bytes) == (0, 0, 0))
    }

    @Test func countsFramesWithoutTimestamps() {
        var level = LevelMeter()
        level.entered(frame(nil, nil, count: 3, bytes: 7))
        #expect((level.time, level.buffers, level.bytes) == (0, 3, 7))
        level.left(frame(nil, nil, count: 9, bytes: 99))
        #expect((level.buffers, level.bytes) == (0, 0))
    }

    @Test func backwardTimestampsGiveZeroTimeLevel() {
        var level = LevelMeter()
        level.entered(frame(100, 110))
        level.left(frame(100, 110))
        level.entered(frame(0, 10))
        #expect(level.time == 0)
    }

    @Test func extremeTimestampsDoNotOverflow() {
        var level = LevelMeter()
        level.entered(frame(-.max, -.max))
        level.entered(frame(.max, .max))
        #expect(level.time == UInt64(Int64.max) * 2)
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
        (limits.maxBytes, limits.maxTime) = (51, 100)
        #expect(level.isFull(limits))
        limits.maxTime = 101
        #expect(!level.isFull(limits))
    }
}
