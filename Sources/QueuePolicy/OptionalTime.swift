import Durations

/// A time that may be unknown, in the 16 bytes of a `Duration`.
///
/// `Duration?` takes 24 bytes. A `QueuedFrame` holds three such times, and the queue copies it several times per frame.
@frozen
@usableFromInline
struct OptionalTime: Sendable, Equatable {
    /// The time; the lowest value of `Duration`, about -5 x 10^12 years, marks an unknown time.
    @usableFromInline var raw: Duration

    @inlinable init() { raw = Duration(attoseconds: .min) }

    /// The time; nil if it is unknown.
    @inlinable var time: Duration? {
        get { raw.attoseconds == .min ? nil : raw }
        set { raw = newValue ?? Duration(attoseconds: .min) }
    }
}
