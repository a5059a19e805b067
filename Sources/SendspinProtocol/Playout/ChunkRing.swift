/// A double-ended queue in memory that grows but never shrinks.
///
/// Elements enter and leave at any position; those at the shorter side are moved.
struct ChunkRing<Element: Sendable>: Sendable {
    private var slots: [Element?]
    private var head = 0
    private(set) var count = 0

    /// An empty queue with room for `capacity` elements, which must be a power of 2.
    init(capacity: Int) { slots = Array(repeating: nil, count: capacity) }

    var isEmpty: Bool { count == 0 }

    /// The element at `index`, which must be less than `count`.
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "index out of range")
        // All slots of valid indices are filled.
        return slots[slot(index)]!
    }

    /// Inserts `element` before the one at `index`, or at the end if `index` equals `count`.
    mutating func insert(_ element: Element, at index: Int) {
        precondition(index >= 0 && index <= count, "index out of range")
        if count == slots.count { grow() }
        count += 1
        if index < count / 2 {
            head = (head - 1) & (slots.count - 1)
            for moved in 0..<index { slots.swapAt(slot(moved), slot(moved + 1)) }
        } else {
            for moved in stride(from: count - 1, to: index, by: -1) { slots.swapAt(slot(moved), slot(moved - 1)) }
        }
        slots[slot(index)] = element
    }

    /// Removes and returns the first element, if there is one.
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    /// Removes and returns the last element, if there is one.
    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        let last = slot(count - 1)
        let element = slots[last]
        slots[last] = nil
        count -= 1
        return element
    }

    mutating func removeAll() { while popFirst() != nil {} }

    private func slot(_ index: Int) -> Int { (head + index) & (slots.count - 1) }

    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: slots.count * 2)
        for index in 0..<count { larger[index] = slots[slot(index)] }
        slots = larger
        head = 0
    }
}
