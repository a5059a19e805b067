import Durations

/// The most recently pushed frames, with the time of age 0 and the age at the push.
///
/// A sink keeps a frame until it renders the next one, so the release of a frame gives the render time of its
/// successor.
struct PushedFrames: Sendable {
    struct Frame: Sendable {
        /// Time at which the frame had age 0, by the queue's clock.
        var bornAt = Duration.zero
        /// Age when the frame left the queue.
        var age = Duration.zero
    }

    private static let size = 64
    /// Error of conversions between running time and clock time.
    private static let rounding = Duration.microseconds(1)
    // Fixed size, because the streaming thread must not allocate.
    private var frames = InlineArray<64, Frame>(repeating: Frame())
    private var count = 0
    private var next = 0

    mutating func append(_ frame: Frame) {
        frames[next] = frame
        next = (next + 1) % Self.size
        count = min(count + 1, Self.size)
    }

    /// The frame that was pushed after the one born at `time`.
    ///
    /// Nil if there is none, or if so many frames were pushed since that the frame itself is no longer recorded.
    @inline(__always) func successor(of time: Duration) -> Frame? {
        var found: Frame?
        for index in 0..<count {
            let frame = frames[(next + Self.size - 1 - index) % Self.size]
            guard frame.bornAt - time > Self.rounding else { return found }
            found = frame
        }
        return nil
    }

    /// Whether two values of `bornAt` belong to the same frame.
    static func isSame(_ a: Duration, _ b: Duration) -> Bool { max(a - b, b - a) <= rounding }

    mutating func reset() { count = 0 }
}
