import Durations

/// Positions of the buffers of a stream, in samples since the time 0.
///
/// The position of a buffer follows from the number of samples, because timestamps are rounded. A timestamp that is far
/// from it begins the stream anew.
public struct StreamPosition: Sendable {
    /// Largest difference of a timestamp: that of a file with milliseconds, and that of a clock that drifts.
    private static let tolerances = (discontinuity: 0.002, stream: 0.04)

    private let rate: Double
    /// Position of the next buffer; nil if it begins anew.
    private var next: Int64?

    /// A stream with `rate` samples per second.
    public init(rate: Int) { self.rate = Double(rate) }

    /// Lets the next buffer begin anew, as after a seek.
    public mutating func forget() { next = nil }

    /// Takes a buffer with `count` samples; returns its position if the stream begins anew with it, else nil.
    ///
    /// Without a timestamp, a buffer follows the last one, and the first is at 0.
    public mutating func take(pts: Duration?, count: Int, isDiscontinuity: Bool) -> Int64? {
        let stated = pts.map { position(of: $0) }
        let tolerance = isDiscontinuity ? Self.tolerances.discontinuity : Self.tolerances.stream
        var start = next ?? stated ?? 0
        if let stated, Double(start.distance(to: stated)).magnitude > tolerance * rate { start = stated }
        defer { next = start &+ Int64(count) }
        return next == start ? nil : start
    }

    /// The position of a timestamp, rounded to the nearest sample.
    private func position(of pts: Duration) -> Int64 {
        let position = (Double(UInt64(nanosecondsOf: pts)) * rate / 1e9).rounded()
        // 2⁵² samples are 742 years at 192 kHz; the positions around them must not overflow.
        return Int64(min(position, 0x1p52))
    }
}
