import Synchronization

/// Record of one watched element: its pads, its quiet time, and drops that the element reports itself.
///
/// Pads may be added while frames pass. The list of pads is behind a mutex that only `addPad` and `read` lock; streaming
/// threads use the `PadRecord` and `quiet` directly:
///
/// - sink pad: `framePassed`, `quiet.frameArrived`, and in a sink `recordAge`;
/// - source pad: `framePassed`, `frameLeft`, `recordAge`, `quiet.frameArrived`, and `recordBlocked` after the push;
/// - FLUSH_STOP, segment, pause: `reset` of the sink pads, `quiet.begin`.
///
/// Once a second another thread reads it into an `ElementHistory` and an `AlertBook`.
public final class ElementRecord: Sendable {
    /// Name of the element.
    public let name: String
    /// Name of its factory.
    public let factory: String
    /// Time during which the element is not expected to pass frames.
    public let quiet: QuietTime
    private let pads = Mutex<[PadRecord]>([])
    private let reported = Atomic<UInt64>(0)
    private let reports = Atomic<Bool>(false)
    // A new source pad lowers the counted number, and a first report may; the published one only rises.
    private let published = Atomic<UInt64>(0)

    /// Creates a record without pads; the element is quiet until its first frame.
    public init(name: String, factory: String, now: UInt64) {
        self.name = name
        self.factory = factory
        quiet = QuietTime(now: now)
    }

    /// Adds a pad and returns its record.
    public func addPad(_ role: PadRecord.Role) -> PadRecord {
        let pad = PadRecord(role: role)
        pads.withLock { $0.append(pad) }
        return pad
    }

    /// Takes the number of drops that the element itself reports, which replaces the counted one; it never falls.
    public func reportDropped(_ total: UInt64) {
        reported.max(total, ordering: .relaxed)
        reports.store(true, ordering: .relaxed)
    }

    /// Returns the counts since the start, summed over the pads.
    public func read(now: UInt64) -> ElementCounts {
        let pads = pads.withLock { $0 }.map { $0.read() }
        let report = reports.load(ordering: .relaxed) ? reported.load(ordering: .relaxed) : nil
        var counts = ElementCounts(pads: pads, quiet: quiet.total(now: now), reportedDrops: report)
        counts.dropped = counts.dropped.map { published.max($0, ordering: .relaxed).newValue }
        return counts
    }
}
