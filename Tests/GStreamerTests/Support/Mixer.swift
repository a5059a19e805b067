import GStreamer
import Synchronization

/// An aggregator whose output has a row for each pad: the first pixel of its frame times its gain; 255 without a frame.
struct Mixer: VideoAggregator, ~Copyable {
    static let factoryName = "swifttestmixer"
    static let typeName = "GstSwiftTestMixer"
    static let metadata = ElementMetadata("Mixer", classification: "Filter", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [
        .sink("video/x-raw", name: "sink_%u", .request), .source("video/x-raw, format = { GRAY8 }"),
    ]

    struct Settings: ElementSettings {
        typealias Report = Count
        static let properties: [Property<Self>] = [
            .uint32("formats", "Formats so far") { $0.formats.load(ordering: .relaxed) }
        ]
    }

    struct PadSettings: ElementSettings {
        var gain: UInt32 = 1
        static let properties: [Property<Self>] = [.uint32("gain", \.gain, in: 0...4, "Factor of the pixels")]
    }

    final class Count: Sendable {
        let formats = Atomic<UInt32>(0)
    }

    let host: ElementHost
    let report = Count()

    init(host: ElementHost) { self.host = host }

    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {
        report.formats.add(1, ordering: .relaxed)
    }

    mutating func flush() { host.post(Structure("flushed")) }

    mutating func aggregate(
        _ inputs: borrowing AggregatorInputs<PadSettings>, into output: borrowing VideoFrame, _ settings: Settings
    ) throws(FlowResult) {
        var pixels = output.plane()
        for row in 0..<output.height {
            var pixel = 255
            if let frame = inputs.frame(row) {
                pixel = Int(frame.plane()[frame.firstRowOffset()]) * Int(inputs.settings(row).gain)
            }
            pixels[output.firstRowOffset() + row * output.stride()] = UInt8(clamping: pixel)
        }
    }
}

/// A transform from BGRx to GRAY8 of any size: all pixels are the first byte of the input.
struct Flattener: VideoTransform, ~Copyable {
    static let factoryName = "swifttestflattener"
    static let typeName = "GstSwiftTestFlattener"
    static let metadata = ElementMetadata("Flattener", classification: "Filter", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [
        .sink("video/x-raw, format = BGRx"), .source("video/x-raw, format = GRAY8"),
    ]

    let host: ElementHost

    static func transformCaps(_ caps: Caps, from side: PadDirection, _ settings: NoSettings) -> Caps {
        caps.setting("format", to: .string(side == .sink ? "GRAY8" : "BGRx"))
            .setting("width", to: .intRange(1...Int32.max)).setting("height", to: .intRange(1...Int32.max))
    }

    static func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection, _ settings: NoSettings) -> Caps {
        caps.nearest("width", to: 3)
    }

    mutating func flush() { host.post(Structure("flushed")) }

    mutating func process(
        _ input: borrowing InputFrame, into output: borrowing VideoFrame, _ settings: NoSettings
    ) throws(FlowResult) {
        let first = input.plane()[input.firstRowOffset()]
        if first == 255 { host.post(Structure("white")) }
        var pixels = output.plane()
        pixels.update(repeating: first)
    }
}
