import GStreamer

/// Generates a tone with a sawtooth waveform.
///
///     gst-launch-1.0 swifttonesrc frequency=440 num-buffers=100 ! audioconvert ! autoaudiosink
struct ToneSource: PushSource, ~Copyable {
    static let factoryName = "swifttonesrc"
    static let typeName = "GstSwiftToneSrc"
    static let metadata = ElementMetadata(
        "Tone source", classification: "Source/Audio", description: "Generates a sawtooth tone", author: "Me")
    static let padTemplates: [PadTemplate] = [
        .source("audio/x-raw, format=S16LE, layout=interleaved, channels=1, rate=48000")
    ]

    struct Settings: ElementSettings {
        var frequency: UInt32 = 440
        var volume = 0.25
        static let properties: [Property<Self>] = [
            .uint32("frequency", \.frequency, in: 1...20_000, "Frequency of the tone in Hz"),
            .double("volume", \.volume, in: 0...1, "Volume of the tone (0 = silent, 1 = full scale)"),
        ]
    }

    private static let rate = 48_000
    private static let samplesInBuffer = 480

    let host: ElementHost
    private var samplesMade = 0

    init(host: ElementHost) { self.host = host }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) { samplesMade = 0 }

    mutating func create(_ settings: Settings) throws(FlowResult) -> Buffer {
        guard var buffer = Buffer(byteCount: Self.samplesInBuffer * 2) else {
            throw host.fail(.resource(.noSpaceLeft, "Not enough memory for an audio buffer."))
        }
        let first = samplesMade
        _ = buffer.withMutableBytes { bytes in
            for index in 0..<Self.samplesInBuffer {
                let phase = (first + index) * Int(settings.frequency) % Self.rate
                let sample = Double(2 * phase - Self.rate) / Double(Self.rate) * settings.volume
                bytes.storeBytes(of: Int16(sample * 32_767).littleEndian, toByteOffset: index * 2, as: Int16.self)
            }
        }
        buffer.pts = .seconds(1) * first / Self.rate
        buffer.duration = .seconds(1) * Self.samplesInBuffer / Self.rate
        samplesMade += Self.samplesInBuffer
        return buffer
    }
}
