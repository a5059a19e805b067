import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// A `backpressurequeue` between two pads of the test, with counters of the signals that it emits.
final class QueueRig: Rig, @unchecked Sendable {  // The counters are atomic or have a mutex.
    /// Counts the emissions of each signal.
    final class Signals: Sendable {
        let overruns = Atomic<Int>(0)
        let underruns = Atomic<Int>(0)
        /// A function that the handler of `overrun` calls.
        let onOverrun = Mutex<(@Sendable () -> Void)?>(nil)

        fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> Signals {
            Unmanaged<Signals>.fromOpaque(pointer!).takeUnretainedValue()
        }
    }

    let signals = Signals()

    /// The default settings of the element `queue`, without a limit of frames in flight.
    static let plain = [
        ("max-in-flight", "4294967295"), ("max-size-buffers", "200"), ("max-size-bytes", "10485760"),
        ("max-size-time", "1000000000"), ("leaky", "no"),
    ]

    override init(_ factory: String = "backpressurequeue", _ settings: [(String, String)] = QueueRig.plain) {
        super.init(factory, settings)
        connect("underrun") { _, data in Signals.of(data).underruns.add(1, ordering: .relaxed) }
        connect("overrun") { _, data in
            Signals.of(data).overruns.add(1, ordering: .relaxed)
            Signals.of(data).onOverrun.withLock { $0 }?()
        }
    }

    /// Sets the element to PLAYING and waits for the `underrun` that shows that its task runs.
    func play() {
        let before = signals.underruns.load(ordering: .relaxed)
        go(GST_STATE_PLAYING)
        #expect(eventually { signals.underruns.load(ordering: .relaxed) > before })
    }

    /// Makes the handler of `overrun` link the sink pad and unblock the source pad.
    func flowOnOverrun() {
        signals.onOverrun.withLock {
            $0 = { [unowned self] in
                link()
                unblock()
            }
        }
    }

    // MARK: Statistics

    func statistic(_ name: String) -> UInt64 { withStatistics { Self.read(name, $0) } }

    /// Whether `in` equals `out` plus `dropped` plus `queued` in one reading of the statistics.
    var isConserved: Bool {
        withStatistics { statistics in
            let (entered, left) = (Self.read("in", statistics), Self.read("out", statistics))
            return entered == left + Self.read("dropped", statistics) + Self.read("queued", statistics)
        }
    }

    private func withStatistics<R>(_ body: (UnsafePointer<GstStructure>) -> R) -> R {
        element.withValue(of: "stats") {
            g_object_get_property(object, "stats", $0)
            return body(g_value_get_boxed($0)!.assumingMemoryBound(to: GstStructure.self))
        }
    }

    private static func read(_ name: String, _ structure: UnsafePointer<GstStructure>) -> UInt64 {
        var number: guint64 = 0
        if gst_structure_get_uint64(structure, name, &number) != 0 { return UInt64(number) }
        var small: guint = 0
        gst_structure_get_uint(structure, name, &small)
        return UInt64(small)
    }

    private func connect(
        _ signal: String, _ handler: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    ) {
        g_signal_connect_data(
            object, signal, unsafeBitCast(handler, to: GCallback.self), Unmanaged.passRetained(signals).toOpaque(),
            { data, _ in Unmanaged<Signals>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }
}
