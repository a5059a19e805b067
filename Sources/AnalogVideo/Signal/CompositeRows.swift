/// Rows of composite signal, as many as a block has, and the rows directly above and below them.
///
/// The rows are valid as long as their memory exists and does not change.
@safe struct CompositeRows {
    private let start: UnsafeRawPointer
    /// Distance between two columns, in bytes.
    private let stride: Int
    let count: Int

    /// Creates the rows of a block; `above` and `below` must not be called.
    init(_ plane: borrowing Plane) {
        unsafe start = UnsafeRawPointer(plane.start)
        stride = MemoryLayout<Lanes>.stride
        count = plane.readOnlyColumns.count
    }

    /// Creates rows in columns that are `stride` bytes apart; `start` is the address of the first sample.
    @unsafe init(start: UnsafeRawPointer, stride: Int, count: Int) {
        unsafe self.start = start
        self.stride = stride
        self.count = count
    }

    @inline(__always)
    subscript(x: Int) -> Lanes { unsafe start.loadUnaligned(fromByteOffset: x &* stride, as: Lanes.self) }

    @inline(__always)
    func above(_ x: Int) -> Lanes {
        unsafe start.loadUnaligned(fromByteOffset: x &* stride &- MemoryLayout<Float>.stride, as: Lanes.self)
    }

    @inline(__always)
    func below(_ x: Int) -> Lanes {
        unsafe start.loadUnaligned(fromByteOffset: x &* stride &+ MemoryLayout<Float>.stride, as: Lanes.self)
    }
}
