/// Lines of the slices of one name: slices on a line do not overlap.
struct SliceLines {
    /// Slices that may overlap at once.
    static let most = 64

    private var lines: [(sequence: Int, end: UInt64)] = []

    /// The sequence of a line that is free at a time; nil if all are in use.
    func sequence(freeAt start: UInt64) -> Int? { lines.first { $0.end <= start }?.sequence }

    /// Whether another line may be added.
    var hasRoom: Bool { lines.count < Self.most }

    /// Adds a line.
    mutating func add(_ sequence: Int) { lines.append((sequence, 0)) }

    /// The line is in use until a time.
    mutating func use(_ sequence: Int, until end: UInt64) {
        for index in lines.indices where lines[index].sequence == sequence { lines[index].end = end }
    }
}
