import AnalogVideoModel
import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Compares a played Y'CbCr picture with the same picture that was converted to R'G'B' for playing and then back.
///
/// The results differ because of rounding, and because of the interpolation and decimation of chroma.
struct ConverterTests {
    private static let (width, height) = (160, 120)

    /// Minimum peak signal-to-noise ratio in decibels, relative to the largest value of a sample.
    private static let likeness = 49.0

    @Test(arguments: PixelFormat.allYUV, ["", ",colorimetry=bt709", ",colorimetry=bt2020", ",colorimetry=1:4:5:1"])
    func aPictureEqualsThatOfTheConverters(format: PixelFormat, colour: String) throws {
        // The result of `gray8` depends only on the range, not on the matrix.
        try check(format, colour, atLeast: Self.likeness)
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .yuy2, .p010], ["jpeg", "mpeg2"])
    func usesTheChromaSiteOfTheCaps(format: PixelFormat, site: String) throws {
        try check(format, ",colorimetry=bt709,chroma-site=\(site)", atLeast: Self.likeness)
    }

    /// If two rows have the same chroma, the converter places a field's chroma between two rows of the whole picture.
    @Test(arguments: [PixelFormat.i420, .nv12, .y42b, .p010])
    func fieldsKeepTheirOwnChroma(format: PixelFormat) throws {
        let isHalved = format != .y42b
        try check(
            format, ",interlace-mode=interleaved,field-order=top-field-first", atLeast: isHalved ? 40 : Self.likeness)
    }

    /// Tests values below black and above white, and colours outside of R'G'B'.
    @Test(arguments: ["", ",colorimetry=bt709", ",colorimetry=1:4:5:1"])
    func clampsValuesOutsideOfRGB(colour: String) throws {
        let planes = [5.0, 3.0, -4.0].map { slope -> [UInt8] in
            (0..<Self.width * Self.height).map { index in
                let (x, y) = (Double(index % Self.width), Double(index / Self.width))
                return UInt8(128 + 127 * sin((x * slope + y * 7) / Double(Self.width)))
            }
        }
        try check(.y444, colour, planes.flatMap { $0 }, atLeast: Self.likeness)
    }

    private func check(_ format: PixelFormat, _ more: String, atLeast likeness: Double) throws {
        let caps = format.caps(Self.width, Self.height, "framerate=30/1" + more)
        let wide = PixelFormat.argb64LE.caps(Self.width, Self.height, "framerate=30/1" + Self.fields(more))
        let picture = TestPicture(soft: Self.width, Self.height)
        let input = try convert("videoconvert dither=none", wide, caps, picture.bytes(.argb64LE))
        try check(format, more, input, atLeast: likeness)
    }

    private func check(_ format: PixelFormat, _ more: String, _ input: [UInt8], atLeast likeness: Double) throws {
        let caps = format.caps(Self.width, Self.height, "framerate=30/1" + more)
        let wide = PixelFormat.argb64LE.caps(Self.width, Self.height, "framerate=30/1" + Self.fields(more))
        let direct = try convert("ntscfilter n-threads=2", caps, caps, input)
        let round = "videoconvert ! \(wide) ! ntscfilter n-threads=1 ! videoconvert dither=none"
        let converted = try convert(round, caps, caps, input)
        let found = decibels(direct, converted, format)
        #expect(found >= likeness, "\(format) \(more): \(found) dB")
        #expect(decibels(direct, input, format) < 35)
    }

    private static func fields(_ more: String) -> String { more.contains("interlace") ? more : "" }

    /// The output of the part of a pipeline in `line` for one frame.
    private func convert(_ line: String, _ input: String, _ output: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let harness = try #require(Harness(line: "\(line) ! capsfilter caps=\"\(output)\"", caps: input))
        return try #require(harness.play(bytes, pts: 0))
    }

    private func decibels(_ one: [UInt8], _ other: [UInt8], _ format: PixelFormat) -> Double {
        guard one.count == other.count else { return 0 }
        let isWide = format == .p010 || format == .i420Of10
        var sum = 0.0
        for index in stride(from: 0, to: one.count, by: isWide ? 2 : 1) {
            func number(_ bytes: [UInt8]) -> Double {
                guard isWide else { return Double(bytes[index]) }
                return Double((Int(bytes[index]) | (Int(bytes[index + 1]) << 8)) >> (format == .p010 ? 6 : 0))
            }
            let difference = number(one) - number(other)
            sum += difference * difference
        }
        let largest = isWide ? 1023.0 : 255
        let mean = sum / Double(isWide ? one.count / 2 : one.count)
        return mean == 0 ? .infinity : 10 * log10(largest * largest / mean)
    }
}

extension TestPicture {
    /// Creates a picture with soft transitions of colours that every format can represent.
    fileprivate init(soft width: Int, _ height: Int) {
        self.init(width: width, height: height, isDeep: true)
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = (Double(x) / Double(width), Double(y) / Double(height))
                for (index, wave) in [sin(u * 9 + v * 3), sin(u * 4 - v * 7), cos(u * 6 + v * 5)].enumerated() {
                    colour[(y * width + x) * 3 + index] = UInt16(32_768 + wave * 15_000)
                }
            }
        }
    }
}
