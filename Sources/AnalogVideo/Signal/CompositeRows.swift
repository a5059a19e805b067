/// Rows of composite signal, as many as a block has, and the rows that a comb filter reads above and below them.
///
/// The rows are valid as long as their memory exists and does not change.
@safe struct CompositeRows {
    private let start: UnsafeRawPointer
    /// Distance between two columns, in bytes.
    private let stride: Int
    /// Distance of the rows above and below, in bytes.
    private let distance: Int
    let count: Int

    /// Creates the rows of a block; `above` and `below` must not be called.
    init(_ plane: borrowing Plane) {
        unsafe start = UnsafeRawPointer(plane.start)
        stride = MemoryLayout<Lanes>.stride
        distance = 0
        count = plane.readOnlyColumns.count
    }

    /// Creates rows in columns that are `stride` bytes apart; `start` is the address of the first sample.
    ///
    /// `combDistance` is the distance of the rows above and below, in rows.
    @unsafe init(start: UnsafeRawPointer, stride: Int, combDistance: Int, count: Int) {
        unsafe self.start = start
        self.stride = stride
        distance = combDistance * MemoryLayout<Float>.stride
        self.count = count
    }

    @inline(__always)
    subscript(x: Int) -> Lanes { unsafe start.loadUnaligned(fromByteOffset: x &* stride, as: Lanes.self) }

    @inline(__always)
    func above(_ x: Int) -> Lanes {
        unsafe start.loadUnaligned(fromByteOffset: x &* stride &- distance, as: Lanes.self)
    }

    @inline(__always)
    func below(_ x: Int) -> Lanes {
        unsafe start.loadUnaligned(fromByteOffset: x &* stride &+ distance, as: Lanes.self)
    }
}
