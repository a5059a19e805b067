extension CaptureQueue {
    /// A FIFO of bytes in memory of a fixed size.
    struct ByteRing: Sendable {
        private var storage: [UInt8]
        private var head = 0
        private(set) var count = 0

        init(capacity: Int) { storage = [UInt8](repeating: 0, count: capacity) }

        var capacity: Int { storage.count }
        var room: Int { capacity - count }

        /// Appends bytes, of which there is room for all; does not allocate memory.
        mutating func append(_ bytes: borrowing RawSpan) {
            precondition(bytes.byteCount <= room, "the ring is full")
            guard bytes.byteCount > 0 else { return }
            let tail = head + count < capacity ? head + count : head + count - capacity
            let first = min(bytes.byteCount, capacity - tail)
            unsafe storage.withUnsafeMutableBytes { target in
                unsafe bytes.withUnsafeBytes { source in
                    // The two parts are within both memories, as `room` guarantees.
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[tail..<(tail + first)])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<first]))
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[..<(source.count - first)])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first...]))
                }
            }
            count += bytes.byteCount
        }

        /// Changes the capacity, which must suffice for the present bytes.
        mutating func resize(to capacity: Int) {
            precondition(count <= capacity, "the ring has more bytes")
            var bytes: [UInt8] = []
            bytes.reserveCapacity(capacity)
            let present = count
            take(count, to: &bytes)
            storage = bytes + [UInt8](repeating: 0, count: capacity - present)
            (head, count) = (0, present)
        }

        /// Moves the first bytes, of which there are enough, to the end of `target`.
        mutating func take(_ number: Int, to target: inout [UInt8]) {
            let first = min(number, capacity - head)
            target += storage[head..<(head + first)]
            target += storage[..<(number - first)]
            drop(number)
        }

        /// Removes the first bytes, of which there are enough.
        mutating func drop(_ number: Int) {
            precondition(number <= count, "the ring has fewer bytes")
            head = head + number < capacity ? head + number : head + number - capacity
            count -= number
        }
    }
}
