import CGStreamer
import Synchronization

/// Tells when somebody else sets a property, be it to the value it has.
///
/// An element may tell of its property itself, when it has chosen a value; it does so while it works on the stream.
/// One thread asks and writes. The corresponding C function is `g_signal_connect`.
public final class PropertyWatch {
    private final class Count: Sendable {
        let writer = Atomic<UInt>(0)
        let own = Atomic<UInt64>(0)
        let others = Atomic<UInt64>(0)
        private let streams: [StreamMeter]

        init(_ streams: [StreamMeter]) { self.streams = streams }

        func note() {
            let thread = Background.currentThread
            if writer.load(ordering: .relaxed) == thread {
                own.wrappingAdd(1, ordering: .relaxed)
            } else if !streams.contains(where: { $0.thread == thread }) {
                others.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    private let element: ElementReference
    private let count: Count
    private let handler: gulong
    private var seen: UInt64 = 0
    /// Somebody who set a property of the element at the same time told of our write.
    private var isOwed = false

    /// Watches the property `name`; what is told of it on the threads of `streams` is the element's own.
    public init(_ element: ElementReference, _ name: String, besides streams: [StreamMeter] = []) {
        typealias Notify = @convention(c) (gpointer?, UnsafeMutablePointer<GParamSpec>?, gpointer?) -> Void
        let notify: Notify = { _, _, count in
            guard let count else { return }
            Unmanaged<Count>.fromOpaque(count)._withUnsafeGuaranteedRef { $0.note() }
        }
        self.element = element
        count = Count(streams)
        handler = g_signal_connect_data(
            element.object, "notify::\(name)", unsafeBitCast(notify, to: GCallback.self),
            Unmanaged.passRetained(count).toOpaque(), { data, _ in Unmanaged<Count>.fromOpaque(data!).release() },
            GConnectFlags(rawValue: 0))
    }

    deinit { g_signal_handler_disconnect(element.object, handler) }

    /// Whether somebody has set it since the last look.
    public func hasChanged() -> Bool {
        let others = count.others.load(ordering: .relaxed)
        defer {
            seen = others
            isOwed = false
        }
        return others &- seen > (isOwed ? 1 : 0)
    }

    /// Writes, and does not count that.
    public func write(_ body: () -> Void) {
        let before = count.own.load(ordering: .relaxed)
        count.writer.store(Background.currentThread, ordering: .relaxed)
        body()
        count.writer.store(0, ordering: .relaxed)
        if count.own.load(ordering: .relaxed) == before { isOwed = true }
    }
}
