@testable import AnalogAudio
import Testing

struct StreamPositionTests {
    @Test func buffersFollowEachOtherAlthoughTheirTimestampsAreRounded() {
        var stream = StreamPosition(rate: 44_100)
        #expect(stream.take(pts: .zero, count: 441, isDiscontinuity: true) == 0)
        // Matroska rounds to milliseconds, so the third timestamp is 0.5 ms early.
        #expect(stream.take(pts: .milliseconds(10), count: 463, isDiscontinuity: false) == nil)
        #expect(stream.take(pts: .milliseconds(20), count: 441, isDiscontinuity: true) == nil)
    }

    @Test func aJumpBeginsTheStreamAnew() {
        var stream = StreamPosition(rate: 48_000)
        #expect(stream.take(pts: .seconds(2), count: 480, isDiscontinuity: false) == 96_000)
        #expect(stream.take(pts: .seconds(3), count: 480, isDiscontinuity: false) == 144_000)
        #expect(stream.take(pts: .seconds(1), count: 480, isDiscontinuity: true) == 48_000)
        // 5 ms after the expected time.
        #expect(stream.take(pts: .milliseconds(1_015), count: 480, isDiscontinuity: true) == 48_720)
        stream.forget()
        #expect(stream.take(pts: .milliseconds(1_025), count: 480, isDiscontinuity: false) == 49_200)
    }

    @Test func withoutTimestampsTheFirstBufferIsAtZero() {
        var stream = StreamPosition(rate: 8_000)
        #expect(stream.take(pts: nil, count: 100, isDiscontinuity: true) == 0)
        #expect(stream.take(pts: nil, count: 100, isDiscontinuity: true) == nil)
        #expect(stream.take(pts: .milliseconds(25), count: 100, isDiscontinuity: false) == nil)
    }

    @Test func theLargestTimestampsDoNotTrap() {
        var stream = StreamPosition(rate: 192_000)
        let largest = Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 0)
        #expect(stream.take(pts: largest, count: 100, isDiscontinuity: true) != nil)
        #expect(stream.take(pts: .zero, count: .max / 2, isDiscontinuity: true) == 0)
    }
}
