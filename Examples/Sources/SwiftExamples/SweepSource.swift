import Glibc
import GStreamer

/// Generates a sine whose frequency rises from 20 Hz to `last-frequency`, to measure loudspeakers and rooms; seekable.
///
///     gst-launch-1.0 swiftsweepsrc duration=5 ! audioconvert ! autoaudiosink
struct SweepSource: PushSource, ~Copyable {
    static let factoryName = "swiftsweepsrc"
    static let typeName = "GstSwiftSweepSrc"
    static let metadata = ElementMetadata(
        "Sweep source", classification: "Source/Audio", description: "Generates a sine sweep", author: "Me")
    static let padTemplates: [PadTemplate] = [
        .source("audio/x-raw, format=S16LE, layout=interleaved, channels=1, rate=48000")
    ]
    static let isSeekable = true

    struct Settings: ElementSettings {
        static let defaultFlags = PropertyFlags.beforeStart
        var seconds = 10.0
        var lastFrequency = 20_000.0
        static let properties: [Property<Self>] = [
            .double("duration", \.seconds, in: 0.1...3600, "Length of the sweep in seconds"),
            .double("last-frequency", \.lastFrequency, in: 20...24_000, "Frequency at the end in Hz"),
        ]
        var sampleCount: Int { Int(seconds * Double(rate)) }
    }

    private static let rate = 48_000
    private static let samplesInBuffer = 480

    let host: ElementHost
    private var position = 0

    init(host: ElementHost) { self.host = host }

    static func duration(_ settings: Settings) -> Duration? { .seconds(1) * settings.sampleCount / rate }

    mutating func seek(to time: Duration) {
        // The first sample that does not begin before `time`.
        let (seconds, attoseconds) = time.components
        let nanoseconds = Int(attoseconds / 1_000_000_000)
        position = Int(seconds) * Self.rate + (nanoseconds * Self.rate + 999_999_999) / 1_000_000_000
    }

    mutating func create(_ settings: Settings) throws(FlowResult) -> Buffer {
        let count = min(Self.samplesInBuffer, settings.sampleCount - position)
        guard count > 0 else { throw .endOfStream }
        guard var buffer = Buffer(byteCount: count * 2) else {
            throw host.fail(.resource(.noSpaceLeft, "Not enough memory for an audio buffer."))
        }
        let first = position
        _ = buffer.withMutableBytes { bytes in
            for index in 0..<count {
                let time = Double(first + index) / Double(Self.rate)
                // The derivative of the cycles is the frequency, which rises in proportion to the time.
                let cycles = (20 + (settings.lastFrequency - 20) * time / settings.seconds / 2) * time
                let sample = Int16(sin(2 * .pi * cycles) * 16_384)
                bytes.storeBytes(of: sample.littleEndian, toByteOffset: index * 2, as: Int16.self)
            }
        }
        buffer.pts = .seconds(1) * first / Self.rate
        buffer.duration = .seconds(1) * count / Self.rate
        position += count
        return buffer
    }
}
