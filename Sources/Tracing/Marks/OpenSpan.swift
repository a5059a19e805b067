/// A span that has begun; call `end()` on the thread that began it.
///
/// If a span is not ended, it ends in the trace with the enclosing span.
public struct OpenSpan: Sendable {
    /// Depth among the open spans of the thread, from 1; 0 if the beginning was not recorded.
    @usableFromInline let level: UInt64
    /// Value that the hook returned; 0 without a hook.
    @usableFromInline let hooked: UInt64

    /// A span that has not begun; ending it has no effect.
    @inlinable public static var none: OpenSpan { OpenSpan(level: 0, hooked: 0) }

    @inlinable init(level: UInt64, hooked: UInt64) {
        self.level = level
        self.hooked = hooked
    }

    /// Ends the span.
    @inlinable
    @inline(__always)
    public func end() {
        guard (level | hooked) != 0 else { return }
        Marker.end(self)
    }
}
