import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests properties that GstController changes over time.
struct AnimationTests {
    private let grey = [UInt8](repeating: 128, count: 64 * 32 * 4)

    @Test func snowIntensityFollowsAController() throws {
        let harness = makeHarness(["snow-anisotropy": "0"], caps: PixelFormat.bgrx.caps(64, 32))
        harness.subject.animate("snow-intensity", from: 0, to: 1)
        let white = (0...2).map { frame in
            harness.play(grey, pts: UInt64(frame) * second / 2)?.count { $0 > 240 } ?? 0
        }
        #expect(white[0] < white[1])
        #expect(white[1] < white[2])
        #expect(harness.subject.number("snow-intensity") == 100)
    }

    @Test func aBooleanFollowsAController() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(64, 32))
        harness.subject.animate("enabled", from: 0, to: 1)
        #expect(harness.play(grey, pts: 0) == grey)
        #expect(harness.play(grey, pts: second) != grey)
        #expect(harness.play(grey, pts: 0) == grey)
    }

    @Test func everySettingFollowsAController() {
        let harness = makeHarness(caps: PixelFormat.bgrx.caps(64, 32))
        for row in SettingRow.all { harness.subject.animate(row.propertyName, from: 0, to: 1) }
        for quarter in 0...4 { #expect(harness.play(grey, pts: UInt64(quarter) * second / 4) != nil) }
        for row in SettingRow.all {
            let expected: Double =
                switch row.kind {
                case .toggle: 1
                case .integer(let range): Double(range.upperBound)
                case .real(let range): Double(range.upperBound)
                case .choice(_, let options): Double(options.map { $0.value }.max() ?? 0)
                }
            #expect(harness.subject.number(row.propertyName) == expected, "\(row.key)")
        }
    }
}
