import GStreamer

/// Reduces audio from 16 bits to 8 bits or fewer, for the sound of old games.
///
///     gst-launch-1.0 audiotestsrc ! audioconvert ! swiftcrush bits=3 ! audioconvert ! autoaudiosink
struct Crush: BufferTransform, ~Copyable {
    static let factoryName = "swiftcrush"
    static let typeName = "GstSwiftCrush"
    static let metadata = ElementMetadata(
        "Crush", classification: "Filter/Effect/Audio", description: "Reduces the bits of audio", author: "Me")
    static let padTemplates: [PadTemplate] = [.sink("\(caps), format=S16LE"), .source("\(caps), format=U8")]
    private static let caps = "audio/x-raw, layout=interleaved"

    struct Settings: ElementSettings {
        var bits: UInt32 = 4
        static let properties: [Property<Self>] = [
            .uint32("bits", \.bits, in: 1...8, "Bits of a sample that are kept (8 = all of the output)")
        ]
    }

    let host: ElementHost

    static func transformCaps(_ caps: Caps, from side: PadDirection, _ settings: Settings) -> Caps {
        caps.setting("format", to: .string(side == .sink ? "U8" : "S16LE"))
    }

    mutating func transformSize(_ byteCount: Int, _ settings: Settings) -> Int? { byteCount / 2 }

    mutating func process(
        _ input: borrowing Buffer, into output: borrowing WritableBuffer, _ settings: Settings
    ) throws(FlowResult) {
        let kept = UInt8(truncatingIfNeeded: 0xFF00 >> settings.bits)
        let isDone: Void?? = input.withBytes { source in
            output.withMutableBytes { bytes in
                for index in 0..<min(bytes.byteCount, source.byteCount / 2) {
                    // The high byte; unsigned samples have 0x80 where signed ones have 0.
                    let level = source.unsafeLoad(fromByteOffset: 2 * index + 1, as: UInt8.self) ^ 0x80
                    bytes.storeBytes(of: level & kept, toByteOffset: index, as: UInt8.self)
                }
            }
        }
        guard isDone != nil, isDone! != nil else {
            throw host.fail(.resource(.read, "The memory of a buffer is not accessible."))
        }
    }
}
