public import GStreamer
import Threads

/// Records the last element that each frame with a token enters, downstream of a pad.
///
/// The probes run for every frame, so begin a trace only after a token has expired.
public final class TokenTrace: Sendable {
    private let probes = Mutex<EntryProbes?>(nil)

    /// Creates a trace that has not begun.
    public init() {}

    /// Whether the trace has begun and has not ended; true even if no pad has a probe.
    public var isRunning: Bool { probes.withLock { $0 != nil } }

    /// Begins the trace downstream of `source`, unless it is running; locks each element downstream briefly.
    public func begin(behind source: borrowing Pad) {
        guard !isRunning else { return }
        let new = EntryProbes(behind: source) { element, _ in
            let identity = element.identity
            return { buffer in
                buffer.withUnsafePointer { TokenMeta.recordEntry(into: identity, of: $0) }
            }
        }
        probes.withLock { $0 = $0 ?? new }
    }

    /// Ends the trace and removes its probes; any thread may call this.
    public func end() {
        let old = probes.withLock { $0.take() }
        withExtendedLifetime(old) {}
    }
}
