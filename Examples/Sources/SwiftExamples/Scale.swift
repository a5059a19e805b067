import GStreamer

/// Scales video to the size that downstream requires: a pixel is the mean of the pixels at its place.
///
/// If only the width or the height is given, the picture keeps its aspect ratio.
///
///     gst-launch-1.0 videotestsrc num-buffers=1 ! swiftscale ! video/x-raw,width=80 ! videoconvert ! pngenc \
///         ! filesink location=a.png
struct Scale: VideoTransform, ~Copyable {
    static let factoryName = "swiftscale"
    static let typeName = "GstSwiftScale"
    static let metadata = ElementMetadata(
        "Scaler", classification: "Filter/Converter/Video/Scaler", description: "Scales video", author: "Me")
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]
    private static let caps = "video/x-raw, format = { BGRx, RGBx, xRGB, xBGR }"

    let host: ElementHost

    static func transformCaps(_ caps: Caps, from side: PadDirection, _ settings: NoSettings) -> Caps {
        caps.setting("width", to: .intRange(1...Int32.max)).setting("height", to: .intRange(1...Int32.max))
    }

    static func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection, _ settings: NoSettings) -> Caps {
        guard case .int(let width) = fixed.value("width"), case .int(let height) = fixed.value("height"), width > 0,
            height > 0
        else { return caps }
        let (across, down) = (Int(width), Int(height))
        if case .int(let rows) = caps.value("height") { return caps.nearest("width", to: across * Int(rows) / down) }
        let chosen = caps.nearest("width", to: across)
        guard case .int(let columns) = chosen.value("width") else { return chosen }
        return chosen.nearest("height", to: down * Int(columns) / across)
    }

    mutating func process(
        _ input: borrowing InputFrame, into output: borrowing VideoFrame, _ settings: NoSettings
    ) throws(FlowResult) {
        let source = input.plane()
        let (first, stride) = (input.firstRowOffset(), input.stride())
        let (outputFirst, outputStride) = (output.firstRowOffset(), output.stride())
        var pixels = output.plane()
        for row in 0..<output.height {
            let rows = Self.part(row, of: output.height, in: input.height)
            for column in 0..<output.width {
                let columns = Self.part(column, of: output.width, in: input.width)
                for channel in 0..<4 {
                    var sum = 0
                    for y in rows {
                        for x in columns { sum += Int(source[first + y * stride + x * 4 + channel]) }
                    }
                    let mean = sum / (rows.count * columns.count)
                    pixels[outputFirst + row * outputStride + column * 4 + channel] = UInt8(clamping: mean)
                }
            }
        }
    }

    /// The rows or columns of the input at one of the output, at least one.
    private static func part(_ index: Int, of count: Int, in inputCount: Int) -> Range<Int> {
        let first = index * inputCount / count
        return first..<max(first + 1, (index + 1) * inputCount / count)
    }
}
