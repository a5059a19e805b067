import Durations

/// Identity of a frame; the viewer connects the marks of a frame on all threads by arrows.
///
/// The identity is the running time. Marks with the same identity belong to one frame, so all marks must use running
/// times from the same origin.
public struct TraceFrame: Sendable, Equatable {
    /// Running time in nanoseconds, modulo 208 days, plus 1; 0 means that there is no frame.
    @usableFromInline let word: UInt64

    /// No frame; in a trace, a span without a frame has the frame of the enclosing span.
    public static let none = TraceFrame(word: 0)

    @inlinable init(word: UInt64) { self.word = word }

    /// Creates the frame with a running time in nanoseconds; `UInt64.max` (GST_CLOCK_TIME_NONE) gives `none`.
    @inlinable public init(runningTime: UInt64) {
        word = runningTime == .max ? 0 : (runningTime & ((1 << 54) - 1)) + 1
    }

    /// Creates the frame with a running time; nil gives `none`.
    public init(runningTime: Duration?) {
        self.init(runningTime: runningTime.map { UInt64(nanosecondsOf: $0) } ?? .max)
    }

    /// Running time in nanoseconds; `UInt64.max` without a frame.
    public var runningTime: UInt64 { word == 0 ? .max : (word - 1) & ((1 << 54) - 1) }
}
