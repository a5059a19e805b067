/// The frames pushed last: when each was due, and how old it left.
///
/// A sink keeps a frame until it shows the next one, so the release of a frame tells when its successor was shown.
struct PushedFrames: Sendable {
    struct Frame: Sendable {
        /// When its time was, in nanoseconds of the queue's clock.
        var bornAt: Int64 = 0
        /// Its age when it left the queue, in nanoseconds.
        var age: Int64 = 0
    }

    private static let size = 32
    // A fixed array: the streaming thread allocates nothing.
    private var frames = InlineArray<32, Frame>(repeating: Frame())
    private var count = 0
    private var next = 0

    mutating func append(_ frame: Frame) {
        frames[next] = frame
        next = (next + 1) % Self.size
        count = min(count + 1, Self.size)
    }

    /// The frame pushed after the one that was born at `time`; nil while there is none.
    func successor(of time: Int64) -> Frame? {
        // Times are converted back and forth.
        let rounding: Int64 = 1000
        var found: Frame?
        for index in 0..<count {
            let frame = frames[(next + Self.size - 1 - index) % Self.size]
            guard frame.bornAt > time, frame.bornAt - time > rounding else { break }
            found = frame
        }
        return found
    }

    mutating func reset() { count = 0 }
}
