import AnalogVideoModel
import SignalSupport
import Testing

struct PictureLayoutTests {
    private func fits(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgbx, first: Int = 0, stride: Int, in byteCount: Int
    ) -> Bool {
        PictureLayout(format: format, width: width, height: height, firstRow: first, stride: stride)
            .fits(in: [byteCount, 0, 0])
    }

    @Test func lastRowNeedsNoPadding() {
        #expect(fits(3, 2, stride: 16, in: 28))
        #expect(!fits(3, 2, stride: 16, in: 27))
        #expect(fits(1, 1, .rgb, stride: 4, in: 3))
        #expect(fits(1, 1, .argb64, stride: 8, in: 8))
        #expect(!fits(1, 1, .argb64, stride: 8, in: 7))
    }

    @Test func rowsMayBeBottomUp() {
        #expect(fits(2, 3, first: 16, stride: -8, in: 24))
        #expect(!fits(2, 3, first: 15, stride: -8, in: 24))
        #expect(!fits(2, 3, first: 17, stride: -8, in: 24))
    }

    @Test func rowsMayNotOverlap() {
        #expect(!fits(2, 2, stride: 7, in: 100))
        #expect(!fits(2, 2, first: 50, stride: -7, in: 100))
        #expect(!fits(2, 2, stride: 0, in: 100))
        #expect(fits(2, 1, stride: 0, in: 8))
    }

    @Test func invalidSizesAndOffsetsDoNotFit() {
        #expect(!fits(0, 1, stride: 4, in: 100))
        #expect(!fits(1, 0, stride: 4, in: 100))
        #expect(!fits(-1, -1, stride: 4, in: 100))
        #expect(!fits(1, 1, first: -4, stride: 4, in: 100))
        #expect(!fits(1, 1, stride: 4, in: -1))
    }

    @Test func extremeLayoutsThatFitAreInsideThePlane() {
        let extremes = [Int.min, Int.min + 1, -1, 0, 1, 2, Int.max - 1, Int.max]
        for width in extremes {
            for height in extremes {
                for first in extremes {
                    for stride in extremes where fits(width, height, first: first, stride: stride, in: 64) {
                        #expect(1...2 ~= width && 1...2 ~= height && first >= 0)
                    }
                }
            }
        }
    }
}
