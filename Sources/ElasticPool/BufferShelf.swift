import CGStreamer

typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

/// The idle buffers of a pool, and those in use.
///
/// `ElasticPool` calls it with its mutex locked. Only `reserve` allocates.
struct BufferShelf: ~Copyable {
    struct Use {
        /// The number of acquires before this one.
        let turn: UInt64
        /// The watched pads that the buffer has passed, one bit each.
        var seen: UInt64 = 0
        /// Whether the buffer has passed the element that offers the pool.
        var hasPassed = false
        /// Time of the acquire for a trace; 0 while none was recorded.
        let acquiredAt: UInt64
    }

    /// A stack: the first has been idle for longest.
    private var idle: UnsafeMutablePointer<RawBuffer>
    private(set) var idleCount = 0
    /// Unordered; `uses` has the same indices.
    ///
    /// The arrays are separate because a search reads only this one.
    private var used: UnsafeMutablePointer<RawBuffer>
    private(set) var usedCount = 0
    private var uses: UnsafeMutablePointer<Use>
    /// The number of acquires.
    private(set) var turn: UInt64 = 0
    private var capacity: Int

    init(capacity: Int = 32) {
        self.capacity = capacity
        idle = .allocate(capacity: capacity)
        used = .allocate(capacity: capacity)
        uses = .allocate(capacity: capacity)
    }

    deinit {
        idle.deallocate()
        used.deallocate()
        uses.deallocate()
    }

    /// Reserves memory for `count` buffers.
    mutating func reserve(_ count: Int) {
        guard count > capacity else { return }
        let larger = max(count, capacity * 2)
        idle = Self.moved(idle, idleCount, larger)
        used = Self.moved(used, usedCount, larger)
        uses = Self.moved(uses, usedCount, larger)
        capacity = larger
    }

    private static func moved<T>(_ old: UnsafeMutablePointer<T>, _ count: Int, _ capacity: Int) -> UnsafeMutablePointer<
        T
    > {
        let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        return new
    }

    @inline(__always)
    mutating func putIdle(_ buffer: RawBuffer) {
        (idle + idleCount).initialize(to: buffer)
        idleCount += 1
    }

    /// The buffer that was released last; requires one.
    @inline(__always)
    mutating func takeIdle() -> RawBuffer {
        idleCount -= 1
        return idle[idleCount]
    }

    /// The buffer that has been idle for longest; requires one.
    mutating func takeOldestIdle() -> RawBuffer {
        let buffer = idle[0]
        idleCount -= 1
        idle.update(from: idle + 1, count: idleCount)
        return buffer
    }

    @inline(__always)
    mutating func putUsed(_ buffer: RawBuffer, at time: UInt64 = 0) {
        (used + usedCount).initialize(to: buffer)
        (uses + usedCount).initialize(to: Use(turn: turn, acquiredAt: time))
        usedCount += 1
        turn &+= 1
    }

    @inline(__always)
    mutating func removeUsed(_ buffer: RawBuffer) {
        var index = 0
        while index < usedCount, used[index] != buffer { index += 1 }
        guard index < usedCount else { return }
        usedCount -= 1
        used[index] = used[usedCount]
        uses[index] = uses[usedCount]
    }

    /// Notes that `buffer` has passed the pad with bit `bit`.
    func markSeen(_ buffer: RawBuffer, bit: Int) {
        var index = 0
        while index < usedCount, used[index] != buffer { index += 1 }
        if index < usedCount { uses[index].seen |= 1 << UInt64(bit) }
    }

    /// Notes that `buffer` has passed the element that offers the pool; returns the time of its acquire, if it is known.
    func markPassed(_ buffer: RawBuffer) -> UInt64 {
        // A buffer that was acquired recently is near the end.
        var index = usedCount - 1
        while index >= 0, used[index] != buffer { index -= 1 }
        guard index >= 0 else { return 0 }
        defer { uses[index].hasPassed = true }
        // A frame that passes a second time has been filled before.
        return uses[index].hasPassed ? 0 : uses[index].acquiredAt
    }

    /// Clears the marks of all buffers.
    func clearSeen() { for index in 0..<usedCount { uses[index].seen = 0 } }

    /// The buffer that has been in use for longest; nil when none is in use.
    var oldest: (buffer: RawBuffer, use: Use)? {
        guard let index = (0..<usedCount).min(by: { uses[$0].turn < uses[$1].turn }) else { return nil }
        return (used[index], uses[index])
    }

    /// The buffer in use of median age; nil when none is in use.
    ///
    /// This sorts the buffers, so it is not called for each frame.
    var median: (buffer: RawBuffer, use: Use)? {
        guard usedCount > 0 else { return nil }
        let index = (0..<usedCount).sorted { uses[$0].turn < uses[$1].turn }[usedCount / 2]
        return (used[index], uses[index])
    }
}
