/// A queue of values that cannot be copied, in memory that grows but is kept.
@frozen
public struct Ring<Element: ~Copyable>: ~Copyable {
    @usableFromInline var slots: UnsafeMutablePointer<Element>
    @usableFromInline var capacity: Int
    @usableFromInline var head = 0
    @usableFromInline var filled = 0
    /// How many elements there are.
    @inlinable public var count: Int { filled }

    /// An empty ring with room for `capacity` elements.
    @inlinable public init(capacity: Int = 16) {
        var size = 4
        while size < capacity { size *= 2 }
        self.capacity = size
        slots = .allocate(capacity: size)
    }

    @inlinable deinit {
        for index in 0..<count { slot(index).deinitialize(count: 1) }
        slots.deallocate()
    }

    /// Whether there are none.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Puts `element` behind all others.
    @inlinable
    public mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        slot(count).initialize(to: element)
        filled += 1
    }

    /// Puts `element` before all others.
    @inlinable
    public mutating func prepend(_ element: consuming Element) {
        if count == capacity { grow() }
        head = (head - 1) & (capacity - 1)
        filled += 1
        slot(0).initialize(to: element)
    }

    /// Takes the first element, if there is one.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slot(0).move()
        head = (head + 1) & (capacity - 1)
        filled -= 1
        return element
    }

    /// Takes the element at `index`, which must be less than `count`; those behind it move up.
    @inlinable
    public mutating func remove(at index: Int) -> Element {
        precondition(index >= 0 && index < count, "a place in the ring")
        let element = slot(index).move()
        // The shorter way is towards the head: what is removed was among the first.
        var hole = index
        while hole > 0 {
            slot(hole).initialize(to: slot(hole - 1).move())
            hole -= 1
        }
        head = (head + 1) & (capacity - 1)
        filled -= 1
        return element
    }

    /// Shows the element at `index`, which must be less than `count`.
    @inlinable
    public func look<Result: ~Copyable>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "a place in the ring")
        return body(slot(index).pointee)
    }

    /// Changes the element at `index`, which must be less than `count`.
    @inlinable
    public mutating func update<Result: ~Copyable>(at index: Int, _ body: (inout Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "a place in the ring")
        return body(&slot(index).pointee)
    }

    @inlinable func slot(_ index: Int) -> UnsafeMutablePointer<Element> { slots + ((head + index) & (capacity - 1)) }

    @usableFromInline mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        for index in 0..<count { (larger + index).initialize(to: slot(index).move()) }
        slots.deallocate()
        slots = larger
        capacity *= 2
        head = 0
    }
}
