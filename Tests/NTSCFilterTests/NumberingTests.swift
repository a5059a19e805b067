import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests the numbers of frames, on which the noise in the pictures depends.
struct NumberingTests {
    private let input = TestPicture(width: 32, height: 16).bytes(.bgrx)

    @Test(arguments: [(30, 1), (30_000, 1001), (25, 1), (1, 1), (1, 7), (120, 1)])
    func theNumberComesFromTheTimeAndTheFramerate(numerator: Int, denominator: Int) throws {
        let rate = "framerate=\(numerator)/\(denominator)"
        // Without a framerate, the element counts the frames.
        let counting = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, "framerate=0/1"))
        let timed = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, rate))
        for number in 0..<5 {
            let pts = UInt64(number) * second * UInt64(denominator) / UInt64(numerator)
            let counted = try #require(counting.play(input))
            #expect(timed.play(input, pts: pts) == counted)
            // A PTS within the duration of a frame results in the same number.
            #expect(timed.play(input, pts: pts + second * UInt64(denominator) / UInt64(numerator) / 2) == counted)
        }
    }

    @Test func everyFrameIsDifferent() throws {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, "framerate=0/1"))
        let frames = (0..<6).map { _ in harness.play(input) }
        #expect(Set(frames).count == 6)
    }

    @Test func withoutAFramerateTimesDoNotCount() {
        let counting = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, "framerate=0/1"))
        let timed = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, "framerate=0/1"))
        for _ in 0..<3 { #expect(timed.play(input, pts: 77 * second) == counting.play(input)) }
    }

    @Test func aFrameWithoutTimeFollowsTheLastOne() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(32, 16))
        let tenth = harness.play(input, pts: second / 3)
        let eleventh = harness.play(input)
        let twelfth = harness.play(input)
        #expect(tenth != eleventh)
        let other = makeHarness(caps: PixelFormat.bgrx.caps(32, 16))
        #expect(other.play(input, pts: 12 * second / 30) == twelfth)
        #expect(other.play(input, pts: 11 * second / 30) == eleventh)
        #expect(other.play(input, pts: 10 * second / 30) == tenth)
    }

    @Test func countsFramesThatPassUnchanged() {
        let caps = PixelFormat.bgrx.caps(32, 16, "framerate=0/1")
        let always = makeHarness(caps: caps)
        let third = (0..<3).map { _ in always.play(input) }[2]
        let harness = makeHarness(caps: caps)
        _ = harness.play(input)
        harness.subject["enabled"] = "false"
        #expect(harness.play(input) == input)
        harness.subject["enabled"] = "true"
        #expect(harness.play(input) == third)
    }

    @Test func countingBeginsAnewWithEveryStart() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, "framerate=0/1"))
        let first = harness.play(input)
        #expect(harness.play(input) != first)
        harness.restart(caps: PixelFormat.bgrx.caps(32, 16, "framerate=0/1"))
        #expect(first != nil)
        #expect(harness.play(input) == first)
    }

    @Test(arguments: [UInt64.max - 1, UInt64.max / 2, UInt64(1) << 62])
    func playsFramesWithExtremeTimestamps(pts: UInt64) {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(32, 16, "framerate=\(Int32.max)/1"))
        #expect(harness.play(input, pts: pts) != nil)
        #expect(harness.play(input) != nil)
    }

    @Test func theSeedChangesThePicture() {
        func play(_ seed: String) -> [UInt8]? {
            makeHarness(["random-seed": seed], caps: PixelFormat.bgrx.caps(32, 16)).play(input, pts: 0)
        }
        #expect(play("1") != play("2"))
        #expect(play("-7") == play("-7"))
    }
}
