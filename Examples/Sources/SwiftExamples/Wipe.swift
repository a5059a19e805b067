import GStreamer

/// Puts videos side by side, each one from the border on over the one before, to compare them.
///
///     gst-launch-1.0 swiftwipe name=wipe position=0.3 ! videoconvert ! autovideosink \
///         videotestsrc ! wipe.  videotestsrc pattern=ball ! wipe.
struct Wipe: VideoAggregator, ~Copyable {
    static let factoryName = "swiftwipe"
    static let typeName = "GstSwiftWipe"
    static let metadata = ElementMetadata(
        "Wipe", classification: "Filter/Editor/Video/Compositor", description: "Puts videos side by side", author: "Me")
    static let padTemplates: [PadTemplate] = [
        .sink("video/x-raw", name: "sink_%u", .request), .source("video/x-raw, format = { BGRx, RGBx, xRGB, xBGR }"),
    ]

    struct Settings: ElementSettings {
        var position = 0.5
        static let properties: [Property<Self>] = [
            .double("position", \.position, in: 0...1, "Border of the videos (0 = left edge, 1 = right edge)")
        ]
    }

    struct PadSettings: ElementSettings {
        var opacity = 1.0
        static let properties: [Property<Self>] = [
            .double("opacity", \.opacity, in: 0...1, "Share of the video over the one before (0 = none, 1 = all)")
        ]
    }

    let host: ElementHost

    mutating func aggregate(
        _ inputs: borrowing AggregatorInputs<PadSettings>, into output: borrowing VideoFrame, _ settings: Settings
    ) throws(FlowResult) {
        let border = Int(settings.position * Double(output.width))
        var pixels = output.plane()
        pixels.update(repeating: 0)
        for number in 0..<inputs.count {
            guard let input = inputs.frame(number) else { continue }
            let share = Int(inputs.settings(number).opacity * 256)
            let columns = ((number == 0 ? 0 : border) * 4)..<(output.width * 4)
            let source = input.plane()
            for row in 0..<output.height {
                let from = input.firstRowOffset() + row * input.stride()
                let to = output.firstRowOffset() + row * output.stride()
                for column in columns {
                    let (over, under) = (Int(source[from + column]), Int(pixels[to + column]))
                    pixels[to + column] = UInt8(truncatingIfNeeded: under + (((over - under) * share) >> 8))
                }
            }
        }
    }
}
