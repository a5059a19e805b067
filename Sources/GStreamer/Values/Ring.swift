/// A queue of values that cannot be copied, in memory that grows but is kept.
public struct Ring<Element: ~Copyable>: ~Copyable {
    @usableFromInline var slots: UnsafeMutablePointer<Element>
    @usableFromInline var capacity: Int
    @usableFromInline var head = 0
    public private(set) var count = 0

    public init(capacity: Int = 16) {
        var size = 4
        while size < capacity { size *= 2 }
        self.capacity = size
        slots = .allocate(capacity: size)
    }

    deinit {
        for index in 0..<count { slot(index).deinitialize(count: 1) }
        slots.deallocate()
    }

    public var isEmpty: Bool { count == 0 }

    /// Puts `element` behind all others.
    public mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        slot(count).initialize(to: element)
        count += 1
    }

    /// Puts `element` before all others.
    public mutating func prepend(_ element: consuming Element) {
        if count == capacity { grow() }
        head = (head - 1) & (capacity - 1)
        count += 1
        slot(0).initialize(to: element)
    }

    /// Takes the first element, if there is one.
    public mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slot(0).move()
        head = (head + 1) & (capacity - 1)
        count -= 1
        return element
    }

    /// Takes the element at `index`, which must be less than `count`; those behind it move up.
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
        count -= 1
        return element
    }

    /// Shows the element at `index`, which must be less than `count`.
    public func look<Result: ~Copyable>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "a place in the ring")
        return body(slot(index).pointee)
    }

    /// Changes the element at `index`, which must be less than `count`.
    public mutating func update<Result: ~Copyable>(at index: Int, _ body: (inout Element) -> Result) -> Result {
        precondition(index >= 0 && index < count, "a place in the ring")
        return body(&slot(index).pointee)
    }

    private func slot(_ index: Int) -> UnsafeMutablePointer<Element> { slots + ((head + index) & (capacity - 1)) }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        for index in 0..<count { (larger + index).initialize(to: slot(index).move()) }
        slots.deallocate()
        slots = larger
        capacity *= 2
        head = 0
    }
}
