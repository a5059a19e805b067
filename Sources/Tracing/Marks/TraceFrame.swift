/// Identity of a frame: what joins its marks on all threads by arrows.
///
/// It is the running time of the frame, and the number of its stream where a process has several. Marks with the same
/// identity belong to one frame, so all that mark a stream must count its running time from the same origin.
public struct TraceFrame: Sendable, Equatable {
    /// Running time in nanoseconds below bit 54 (208 days), the stream above it, plus one; 0 is no frame.
    @usableFromInline let word: UInt64

    /// No frame; in a trace, a span without frame has that of the span around it.
    public static let none = TraceFrame(word: 0)

    @inlinable init(word: UInt64) { self.word = word }

    /// The frame with a running time in nanoseconds; `UInt64.max`, GStreamer's NONE, is no frame.
    ///
    /// After a flushing seek running time begins anew: `stream` should then change too. It is taken modulo 1023.
    @inlinable public init(runningTime: UInt64, stream: UInt64 = 0) {
        let time = runningTime & ((1 << 54) - 1)
        word = runningTime == .max ? 0 : (((stream % 1023) << 54) | time) + 1
    }

    /// The frame with a running time in nanoseconds; nil is no frame.
    @inlinable public init(runningTime: UInt64?) { self.init(runningTime: runningTime ?? .max) }

    /// The running time in nanoseconds; `UInt64.max` when there is no frame.
    public var runningTime: UInt64 { word == 0 ? .max : (word - 1) & ((1 << 54) - 1) }
}
