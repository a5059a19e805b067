/// Recent measurements of the error without corrections, in constant memory; all values are in seconds.
struct ErrorWindow: Sendable {
    struct Sample: Sendable {
        /// Duration of all frames before the measured frame.
        var x: Double
        /// Error that the measured frame would have without any correction.
        var y: Double
    }

    static let capacity = 1024

    private var samples: [Sample]
    private var head = 0
    private(set) var count = 0

    init() { samples = Array(repeating: Sample(x: 0, y: 0), count: Self.capacity) }

    subscript(index: Int) -> Sample { samples[(head + index) & (Self.capacity - 1)] }

    var end: Double { count > 0 ? self[count - 1].x : 0 }

    var span: Double { count > 0 ? end - self[0].x : 0 }

    mutating func append(_ sample: Sample) {
        if count == Self.capacity { removeFirst(1) }
        samples[(head + count) & (Self.capacity - 1)] = sample
        count += 1
    }

    mutating func removeFirst(_ number: Int) {
        head = (head + number) & (Self.capacity - 1)
        count -= number
    }

    mutating func remove(at index: Int) {
        for moved in index..<(count - 1) { samples[(head + moved) & (Self.capacity - 1)] = self[moved + 1] }
        count -= 1
    }

    mutating func removeAll() { count = 0 }

    /// Removes the oldest samples until at most `most` seconds and at most `needed` samples or `least` seconds remain.
    mutating func trim(needed: Int, least: Double, most: Double) {
        while count > 0, span > most || (count > needed && span > least) { removeFirst(1) }
    }
}
