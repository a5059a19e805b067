/// Lines on which slices with the same name are drawn; slices on one line do not overlap.
struct SliceLines {
    /// Maximum number of overlapping slices.
    static let most = 64

    private var lines: [(sequence: Int, end: UInt64)] = []

    /// Sequence of a line without a slice at the time `start`; nil if there is none.
    func sequence(freeAt start: UInt64) -> Int? { lines.first { $0.end <= start }?.sequence }

    var hasRoom: Bool { lines.count < Self.most }

    mutating func add(_ sequence: Int) { lines.append((sequence, 0)) }

    mutating func use(_ sequence: Int, until end: UInt64) {
        for index in lines.indices where lines[index].sequence == sequence { lines[index].end = end }
    }
}
