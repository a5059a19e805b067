import CGStreamer
import GStreamer
import GstTestSupport
import Threads

/// A transform that removes the first byte of buffers that begin with `-`, and lengthens buffers that begin with `+`.
///
/// The transform drops GAP events, and QOS events from downstream.
final class FrameShaper: BaseTransform, ConcurrentElement {
    static let factoryName = "swifttestshaper"
    static let typeName = "GstSwiftTestShaper"
    static let metadata = ElementMetadata("Shaper", classification: "Filter", description: "Tests", author: "Tests")
    static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
    static let passthroughOnSameCaps = true

    struct Settings: ElementSettings {
        typealias Report = Shapes
        static let properties: [Property<Self>] = []
    }

    final class Shapes: Sendable {
        let latencies = Mutex<[Duration]>([])
        let runningTimes = Mutex<[Duration?]>([])
        let segments = Mutex<[Segment]>([])
    }

    let host: ElementHost
    let report = Shapes()

    init(host: ElementHost) { self.host = host }

    func submitInput(_ buffer: consuming GStreamer.Buffer) throws(FlowResult) -> GStreamer.Buffer? {
        let (first, pts) = (buffer.withBytes { $0.unsafeLoad(as: UInt8.self) }, buffer.pts)
        report.runningTimes.withLock { $0.append(host.inputSegment?.runningTime(of: pts)) }
        switch first {
        case UInt8(ascii: "-"):
            buffer.keep(1..<buffer.byteCount)
            return buffer
        case UInt8(ascii: "+"):
            guard var longer = GStreamer.Buffer(byteCount: buffer.byteCount + 1) else { return buffer }
            longer.copyMetadata(of: buffer)
            _ = longer.withMutableBytes {
                for index in $0.byteOffsets { $0.storeBytes(of: 7, toByteOffset: index, as: UInt8.self) }
            }
            return longer
        default: return buffer
        }
    }

    func sinkEvent(_ event: consuming Event) -> Event? {
        if let segment = event.segment { report.segments.withLock { $0.append(segment) } }
        if event.kind == .gap { return nil }
        return event
    }

    static func sourceEvent(_ event: borrowing Event, _ report: Shapes) -> Bool {
        if let latency = event.latency { report.latencies.withLock { $0.append(latency) } }
        return event.qualityOfService == nil
    }
}
