/// Frames that wait to be sent.
struct OutgoingBytes: Sendable {
    private var bytes: [UInt8] = []
    private var sent = 0

    /// Capacity that an empty queue keeps.
    private static let keptCapacity = 1 << 16

    /// Number of bytes that wait.
    var count: Int { bytes.count - sent }
    /// Memory that is held.
    var heldCapacity: Int { bytes.capacity }
    /// The bytes that wait.
    var unsent: ArraySlice<UInt8> { bytes[sent...] }

    /// Appends what `write` appends.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        // The memory of sent bytes is reused once it is as large as the rest.
        if sent > 0, sent >= count {
            bytes.removeFirst(sent)
            sent = 0
        }
        write(&bytes)
    }

    /// Removes bytes that were sent.
    mutating func remove(_ count: Int) {
        sent += min(max(count, 0), self.count)
        guard sent == bytes.count else { return }
        sent = 0
        if bytes.capacity > Self.keptCapacity { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
    }

    /// Discards everything.
    mutating func removeAll() { remove(count) }
}
