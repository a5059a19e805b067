import GStreamer
import Synchronization

/// A filter that counts its instances.
struct CountedFilter: VideoFilter, ~Copyable {
    static let factoryName = "swifttestcounted"
    static let typeName = "GstSwiftTestCounted"
    static let metadata = ElementMetadata(
        "Counted", classification: "Filter/Effect/Video", description: "For tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("video/x-raw"), .source("video/x-raw")]

    struct Settings: ElementSettings {
        static let properties: [Property<Self>] = []
    }

    static let alive = Atomic<Int>(0)

    let host: ElementHost

    init(host: ElementHost) {
        self.host = host
        Self.alive.add(1, ordering: .relaxed)
    }
    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {}
    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {}
}
