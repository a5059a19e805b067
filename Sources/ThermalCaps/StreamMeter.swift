import Durations
import GStreamer
import Synchronization
import Threads

/// Counts the buffers and the bytes that pass a pad, and the length of the stream.
///
/// Any thread may read it.
final class StreamMeter: Sendable {
    private final class Counts: Sendable {
        let bytes = Atomic<UInt64>(0)
        let frames = Atomic<UInt64>(0)
        /// Nanoseconds, because an atomic holds 64 bits.
        let time = Atomic<UInt64>(0)
        /// The highest timestamp in nanoseconds; `UInt64.max` before the first.
        let last = Atomic<UInt64>(.max)
        let thread = Atomic<UInt>(0)
    }

    /// A gap of more nanoseconds than this is a pause or a seek.
    private static let longestStep: UInt64 = 2_000_000_000

    private let counts: Counts
    private let probe: PadProbe

    var bytes: UInt64 { counts.bytes.load(ordering: .relaxed) }
    var frames: UInt64 { counts.frames.load(ordering: .relaxed) }
    /// The length of the stream from its timestamps, without gaps of more than two seconds.
    var time: Duration { Duration(nanoseconds: counts.time.load(ordering: .relaxed)) }
    /// The thread of the last buffer or caps, as in `Worker.currentThread`; 0 before the first.
    var thread: UInt { counts.thread.load(ordering: .relaxed) }

    /// Counts at the pad `name` of `element` from now on; nil if there is no such pad.
    init?(_ element: ElementReference, pad name: String) {
        let counts = Counts()
        guard let probe = PadProbe(element, pad: name, { Self.note($0, counts) }) else { return nil }
        (self.counts, self.probe) = (counts, probe)
    }

    /// Runs on the streaming thread, except for events, which any thread may send between buffers.
    private static func note(_ item: PadProbe.Item, _ counts: Counts) {
        switch item {
        case .event(.caps):
            // An encoder starts when it receives caps, before the first buffer.
            counts.thread.store(Worker.currentThread, ordering: .relaxed)
        case .event: break
        case .buffers(let count, let bytes, let lastTime):
            counts.thread.store(Worker.currentThread, ordering: .relaxed)
            counts.bytes.wrappingAdd(UInt64(bytes), ordering: .relaxed)
            counts.frames.wrappingAdd(UInt64(count), ordering: .relaxed)
            guard let lastTime else { return }
            noteTime(UInt64(nanosecondsOf: lastTime), counts)
        }
    }

    private static func noteTime(_ time: UInt64, _ counts: Counts) {
        let before = counts.last.load(ordering: .relaxed)
        // Reordered frames have a lower timestamp than frames before them.
        if before != .max, time <= before, before - time <= longestStep { return }
        counts.last.store(time, ordering: .relaxed)
        guard before != .max, time > before, time - before <= longestStep else { return }
        counts.time.wrappingAdd(time - before, ordering: .relaxed)
    }
}
