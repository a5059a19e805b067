import Threads
import struct Synchronization.Atomic

/// Record of one watched element: its pads, its quiet time, and drops that the element reports.
///
/// Pads may be added while frames pass. A mutex guards the list of pads; streaming threads use only the records of
/// their pads and `quiet`, which lock no mutex. Another thread reads the record once a second (`ElementReading`).
public final class ElementRecord: Sendable {
    /// Name of the element.
    public let name: String
    /// Name of its factory.
    public let factory: String
    /// Time at which the record was made, in nanoseconds.
    public let began: UInt64
    /// Time during which the element is not expected to pass frames.
    public let quiet: QuietTime
    private struct Pads {
        var present: [PadRecord] = []
        var removed: [PadCounts] = []
    }

    private let pads = Mutex(Pads())
    private let reported = Atomic<UInt64>(0)
    private let reports = Atomic<Bool>(false)
    /// Drops that the element reported while no frames were recorded; these drops do not count.
    private let unrecorded = Atomic<UInt64>(0)
    // The published number of drops only rises. A new source pad or a first report may lower the counted number.
    private let published = Atomic<UInt64>(0)

    /// Creates a record without pads; the element is quiet until its first frame.
    public init(name: String, factory: String, now: UInt64) {
        self.name = name
        self.factory = factory
        began = now
        quiet = QuietTime(now: now)
    }

    /// Adds a pad and returns its record; see `PadRecord` for `isOrdered`.
    public func addPad(_ role: PadRecord.Role, isOrdered: Bool = true) -> PadRecord {
        let pad = PadRecord(role: role, isOrdered: isOrdered)
        pads.withLock { $0.present.append(pad) }
        return pad
    }

    /// Frees the record of a removed pad; its counts remain.
    ///
    /// Call this method only when no thread passes frames through the pad any more.
    public func removePad(_ pad: PadRecord) {
        pads.withLock { pads in
            guard let index = pads.present.firstIndex(where: { $0 === pad }) else { return }
            let counts = pads.present.remove(at: index).read()
            if let sum = pads.removed.firstIndex(where: { $0.role == counts.role }) {
                pads.removed[sum].counts = .sum([pads.removed[sum].counts, counts.counts])
            } else {
                pads.removed.append(counts)
            }
        }
    }

    /// Sets the number of drops that the element reports; `read` returns this or the counted number if that is greater.
    public func reportDropped(_ total: UInt64) {
        let unrecorded = unrecorded.load(ordering: .relaxed)
        reported.max(total - min(total, unrecorded), ordering: .relaxed)
        reports.store(true, ordering: .relaxed)
    }

    /// Ignores reports of drops until `beginReports`.
    public func endReports() { unrecorded.store(.max, ordering: .relaxed) }

    /// Counts the drops that the element reports beyond `total`.
    public func beginReports(at total: UInt64) {
        unrecorded.store(total - min(total, reported.load(ordering: .relaxed)), ordering: .relaxed)
    }

    /// Time of the last frame that entered the element or left a source; nil before the first frame.
    public var lastFrame: UInt64? { pads.withLock { $0.present }.compactMap { $0.times.last }.max() }

    /// Returns the counts since the start, summed over the pads.
    public func read(now: UInt64) -> ElementCounts {
        // Sink pads are read last, so that a frame that passes meanwhile is not counted as left before it entered.
        let (pads, removed) = pads.withLock { pads in
            (pads.present.sorted { $0.role != .sink && $1.role == .sink }.map { $0.read() }, pads.removed)
        }
        let report = reports.load(ordering: .relaxed) ? reported.load(ordering: .relaxed) : nil
        var counts = ElementCounts(
            pads: pads, removed: removed, quiet: .nanoseconds(quiet.total(now: now)), reportedDrops: report)
        counts.dropped = counts.dropped.map { published.max($0, ordering: .relaxed).newValue }
        return counts
    }
}
