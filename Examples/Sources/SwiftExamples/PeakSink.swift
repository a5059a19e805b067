import GStreamer
import Synchronization

/// Measures the peak level of audio, and posts it once per second and at EOS.
///
///     gst-launch-1.0 -m audiotestsrc num-buffers=200 ! swiftpeaksink
struct PeakSink: BaseSink, ~Copyable {
    static let factoryName = "swiftpeaksink"
    static let typeName = "GstSwiftPeakSink"
    static let metadata = ElementMetadata(
        "Peak sink", classification: "Sink/Audio", description: "Measures the peak level of audio", author: "Me")
    static let padTemplates: [PadTemplate] = [.sink("audio/x-raw, format=S16LE, layout=interleaved")]
    static let signals = [clipped]

    /// Emitted with the PTS, in ns, of each buffer that contains a sample of maximum magnitude.
    private static let clipped = Signal("clipped", arguments: [.uint64])

    struct Settings: ElementSettings {
        typealias Report = Peak
        static let properties: [Property<Self>] = [
            .uint32("peak", "Largest magnitude of a sample so far (0 to 32768)") { $0.value.load(ordering: .relaxed) }
        ]
    }

    /// State that any thread may read.
    final class Peak: Sendable {
        let value = Atomic<UInt32>(0)
    }

    let host: ElementHost
    let report = Peak()
    private var posted: Duration = .zero

    init(host: ElementHost) { self.host = host }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        posted = .zero
        report.value.store(0, ordering: .relaxed)
    }

    mutating func render(_ buffer: borrowing Buffer, _ settings: Settings) throws(FlowResult) {
        let peak = buffer.withBytes { bytes in
            (0..<bytes.byteCount / 2).map {
                bytes.unsafeLoadUnaligned(fromByteOffset: $0 * 2, as: Int16.self).magnitude
            }.max()
        }
        guard let peak, let peak else { return }
        report.value.store(max(UInt32(peak), report.value.load(ordering: .relaxed)), ordering: .relaxed)
        let time = buffer.pts ?? .zero
        if peak >= 32_767 { host.emit(Self.clipped, .duration(time)) }
        guard time - posted >= .seconds(1) else { return }
        posted = time
        post()
    }

    mutating func endOfStream() { post() }

    private func post() { host.post(Structure("swift-peak", ["peak": .uint(report.value.load(ordering: .relaxed))])) }
}
