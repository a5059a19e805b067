import GStreamer

/// Turns video into its negative.
///
///     gst-launch-1.0 videotestsrc ! negative amount=0.8 ! videoconvert ! autovideosink
struct Negative: VideoFilter, ~Copyable {
    static let factoryName = "negative"
    static let typeName = "GstNegative"
    static let metadata = ElementMetadata(
        "Negative", classification: "Filter/Effect/Video", description: "Turns video into its negative", author: "Me")
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]
    private static let caps = "video/x-raw, format = { BGRx, RGBx }"

    struct Settings: ElementSettings {
        var amount = 1.0
        static let properties: [Property<Self>] = [
            .double("amount", \.amount, in: 0...1, "Share of the negative in the picture (0 = none, 1 = all)")
        ]
    }

    let host: ElementHost

    static func isPassthrough(_ settings: Settings) -> Bool { settings.amount == 0 }

    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {
        let (first, stride) = (frame.firstRowOffset(), frame.stride())
        let share = Int(settings.amount * 256)
        var bytes = frame.plane()
        for row in 0..<frame.height {
            let start = first + row * stride
            for index in start..<(start + frame.width * 4) {
                let byte = Int(bytes[index])
                bytes[index] = UInt8(truncatingIfNeeded: byte + (((255 - 2 * byte) * share) >> 8))
            }
        }
    }
}
