/// A FIFO of noncopyable values in memory that grows but never shrinks.
///
/// Only `slot` accesses the memory. The `filled` slots from `head` on are initialized.
@frozen
@safe
public struct Ring<Element: ~Copyable>: ~Copyable {
    @usableFromInline var slots: UnsafeMutablePointer<Element>
    @usableFromInline var capacity: Int
    @usableFromInline var head = 0
    @usableFromInline var filled = 0
    /// Number of elements.
    @inlinable public var count: Int { filled }

    /// Creates an empty ring with room for `capacity` elements.
    @inlinable public init(capacity: Int = 16) {
        var size = 4
        while size < capacity { size *= 2 }
        self.capacity = size
        unsafe slots = .allocate(capacity: size)
    }

    @inlinable deinit {
        for index in 0..<count { unsafe slot(index).deinitialize(count: 1) }
        unsafe slots.deallocate()
    }

    /// Whether the ring has no elements.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Inserts `element` at the end.
    @inlinable
    public mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        unsafe slot(count).initialize(to: element)
        filled += 1
    }

    /// Removes and returns the first element, if there is one.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = unsafe slot(0).move()
        head = (head + 1) & (capacity - 1)
        filled -= 1
        return element
    }

    /// Removes and returns the element at `index`, which must be less than `count`.
    @inlinable
    public mutating func remove(at index: Int) -> Element {
        precondition(index >= 0 && index < count, "index out of range")
        let element = unsafe slot(index).move()
        // Removed elements are usually near the head, so the elements before the gap move.
        var hole = index
        while hole > 0 {
            unsafe slot(hole).initialize(to: slot(hole - 1).move())
            hole -= 1
        }
        head = (head + 1) & (capacity - 1)
        filled -= 1
        return element
    }

    /// Calls `body` with the element at `index`, which must be less than `count`.
    @inlinable
    public func withElement<Result: ~Copyable>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "index out of range")
        return unsafe body(slot(index).pointee)
    }

    /// Calls `body` to modify the element at `index`, which must be less than `count`.
    @inlinable
    public mutating func update<Result: ~Copyable>(at index: Int, _ body: (inout Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "index out of range")
        return unsafe body(&slot(index).pointee)
    }

    @inlinable func slot(_ index: Int) -> UnsafeMutablePointer<Element> {
        unsafe slots + ((head + index) & (capacity - 1))
    }

    @usableFromInline mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        for index in 0..<count { unsafe (larger + index).initialize(to: slot(index).move()) }
        unsafe slots.deallocate()
        unsafe slots = larger
        capacity *= 2
        head = 0
    }
}
