import GStreamer

/// Adds an echo to audio.
///
///     gst-launch-1.0 audiotestsrc wave=ticks ! audioconvert ! swiftecho delay=0.3 ! audioconvert ! autoaudiosink
struct Echo: AudioFilter, ~Copyable {
    static let factoryName = "swiftecho"
    static let typeName = "GstSwiftEcho"
    static let metadata = ElementMetadata(
        "Echo", classification: "Filter/Effect/Audio", description: "Adds an echo to audio", author: "Me")
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]
    private static let caps =
        "audio/x-raw, format=F32LE, layout=interleaved, rate=[1,192000], channels=[1,8]"

    struct Settings: ElementSettings {
        var delay = 0.25
        var feedback = 0.5
        static let properties: [Property<Self>] = [
            .double("delay", \.delay, in: 0.001...10, "Time until the echo in seconds", flags: .beforeStart),
            .double("feedback", \.feedback, in: 0...0.99, "Level of the echo (0 = none)"),
        ]
    }

    let host: ElementHost
    /// The samples of the time `delay`, as a ring; `next` is the oldest one.
    private var past: [Float] = []
    private var next = 0

    init(host: ElementHost) { self.host = host }

    static func isPassthrough(_ settings: Settings) -> Bool { settings.feedback == 0 }

    mutating func configure(_ format: AudioInfo, _ settings: Settings) throws(FlowResult) {
        let frames = max(1, Int(settings.delay * Double(format.rate)))
        past = Array(repeating: 0, count: frames * format.channels)
        next = 0
    }

    mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult) {
        let feedback = Float(settings.feedback)
        let isChanged: Void? = buffer.withMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.byteCount - 3, by: 4) {
                let sample = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Float.self) + past[next] * feedback
                bytes.storeBytes(of: sample, toByteOffset: offset, as: Float.self)
                past[next] = sample
                next = next + 1 < past.count ? next + 1 : 0
            }
        }
        guard isChanged != nil else { throw host.fail(.resource(.write, "The memory of a buffer is not writable.")) }
    }

    mutating func sinkEvent(_ event: consuming Event) -> Event? {
        if event.kind == .flushStop { for index in past.indices { past[index] = 0 } }
        return event
    }

    mutating func stop() { past = [] }
}
