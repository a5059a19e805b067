import GStreamer
import Threads

/// Counts the buffers that each pad pushes, and logs the counts when its element returns to READY.
///
///     GST_TRACERS=swiftpushcount GST_DEBUG=swiftpushcount:4 gst-launch-1.0 videotestsrc num-buffers=9 ! fakesink
final class PushCount: Tracer {
    static let tracerName = "swiftpushcount"
    static let typeName = "GstSwiftPushCountTracer"
    static let hooks: Set<TracerHook> = [.padPushPre, .padPushListPre, .elementChangeStatePost]

    private static let log = DebugCategory(tracerName, "Buffers pushed by each pad")

    private struct Count {
        let pad: String
        var buffers: UInt64 = 0
        var bytes: UInt64 = 0
    }

    private let counts = Mutex<[UInt: Count]>([:])

    init(parameters: String?) {}

    func willPush(_ buffer: BufferFacts, through pad: borrowing Pad, at time: Duration) {
        counts.withLock { counts in
            var count = counts[pad.identity] ?? Count(pad: pad.fullName)
            count.buffers += UInt64(buffer.count)
            count.bytes += buffer.bytes
            counts[pad.identity] = count
        }
    }

    func willPushList(_ list: BufferFacts, through pad: borrowing Pad, at time: Duration) {
        willPush(list, through: pad, at: time)
    }

    func didChangeState(
        of element: String, _ change: StateChange, result: StateChangeResult, at time: Duration
    ) {
        guard change == .pausedToReady else { return }
        let counts = counts.withLock { counts in
            defer { counts = counts.filter { !$0.value.pad.hasPrefix("\(element):") } }
            return counts.values.filter { $0.pad.hasPrefix("\(element):") }
        }
        for count in counts { Self.log.info(nil, "\(count.pad): \(count.buffers) buffers, \(count.bytes) bytes") }
    }
}
