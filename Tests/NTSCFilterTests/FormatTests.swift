import AnalogVideoModel
import GstTestSupport
import Testing

/// Tests that all formats have the same picture.
struct FormatTests {
    private static let shallow = PixelFormat.allRGB.filter { !$0.isDeep }
    private static let deep = PixelFormat.allRGB.filter(\.isDeep)

    @Test(arguments: shallow, [17, 40])
    func everyFormatOfEightBitsShowsWhatRGBxShows(format: PixelFormat, width: Int) throws {
        try check(format, against: .rgbx, width: width)
    }

    @Test(arguments: deep, [17, 40])
    func everyFormatOfSixteenBitsShowsWhatARGB64Shows(format: PixelFormat, width: Int) throws {
        try check(format, against: .argb64LE, width: width)
    }

    private func check(_ format: PixelFormat, against known: PixelFormat, width: Int) throws {
        let input = TestPicture(width: width, height: 20, isDeep: format.isDeep)
        let played = try play(input, format)
        let expected = try play(input, known)
        #expect(played.hasColour(of: expected))
        #expect(!played.hasColour(of: input))
        if format.order.count == 4 { #expect(played.hasRest(of: input)) }
    }

    private func play(_ picture: TestPicture, _ format: PixelFormat) throws -> TestPicture {
        let harness = makeHarness(["n-threads": "1"], caps: format.caps(picture.width, picture.height))
        let bytes = try #require(harness.play(picture.bytes(format), pts: 0))
        return TestPicture(
            bytes, format, width: picture.width, height: picture.height, stride: format.stride(width: picture.width))
    }

    /// Rows of RGB have padding, which the filter must not change.
    @Test func keepsTheBytesBetweenRows() throws {
        let input = TestPicture(width: 5, height: 6).bytes(.rgb)
        let harness = makeHarness(caps: PixelFormat.rgb.caps(5, 6))
        let output = try #require(harness.play(input))
        for row in 0..<6 { #expect(output[row * 16 + 15] == 0xEE) }
    }
}
