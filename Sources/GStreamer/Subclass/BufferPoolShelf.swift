import CGStreamer

typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

/// The buffers of a pool: those that lie idle, and those in use.
///
/// Not guarded: `ElasticPool` holds its lock around all of it. It takes memory only when the pool grows.
struct BufferPoolShelf: ~Copyable {
    struct Use {
        /// Counts up with every buffer taken.
        let turn: UInt64
        /// The pads the buffer came through since, one bit each.
        var seen: UInt64 = 0
        /// Whether the element that lends the pool has passed it on.
        var hasPassed = false
    }

    /// Last in, first out: what lies at the bottom has not been used for longest.
    private var idle: UnsafeMutablePointer<RawBuffer>
    private(set) var idleCount = 0
    /// In no order; `uses` goes with it.
    ///
    /// The two are apart because a search reads only the first.
    private var used: UnsafeMutablePointer<RawBuffer>
    private(set) var usedCount = 0
    private var uses: UnsafeMutablePointer<Use>
    /// How many buffers were taken so far.
    private(set) var turn: UInt64 = 0
    private var room: Int

    init(room: Int = 32) {
        self.room = room
        idle = .allocate(capacity: room)
        used = .allocate(capacity: room)
        uses = .allocate(capacity: room)
    }

    deinit {
        idle.deallocate()
        used.deallocate()
        uses.deallocate()
    }

    /// Makes sure that `count` buffers fit.
    mutating func reserve(_ count: Int) {
        guard count > room else { return }
        let larger = max(count, room * 2)
        idle = Self.moved(idle, idleCount, larger)
        used = Self.moved(used, usedCount, larger)
        uses = Self.moved(uses, usedCount, larger)
        room = larger
    }

    private static func moved<T>(_ old: UnsafeMutablePointer<T>, _ count: Int, _ room: Int) -> UnsafeMutablePointer<T> {
        let new = UnsafeMutablePointer<T>.allocate(capacity: room)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        return new
    }

    @inline(__always)
    mutating func putIdle(_ buffer: RawBuffer) {
        (idle + idleCount).initialize(to: buffer)
        idleCount += 1
    }

    /// The buffer that was used last; there must be one.
    @inline(__always)
    mutating func takeIdle() -> RawBuffer {
        idleCount -= 1
        return idle[idleCount]
    }

    /// The buffer that has been idle for longest; there must be one.
    mutating func takeOldestIdle() -> RawBuffer {
        let buffer = idle[0]
        idleCount -= 1
        idle.update(from: idle + 1, count: idleCount)
        return buffer
    }

    @inline(__always)
    mutating func putUsed(_ buffer: RawBuffer) {
        (used + usedCount).initialize(to: buffer)
        (uses + usedCount).initialize(to: Use(turn: turn))
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

    /// Notes that `buffer` came through the pad of bit `bit`.
    func markSeen(_ buffer: RawBuffer, bit: Int) {
        var index = 0
        while index < usedCount, used[index] != buffer { index += 1 }
        if index < usedCount { uses[index].seen |= 1 << UInt64(bit) }
    }

    /// Notes that `buffer` has come through the element that lends the pool.
    func markPassed(_ buffer: RawBuffer) {
        // The buffer was taken lately, so it stands near the end.
        var index = usedCount - 1
        while index >= 0, used[index] != buffer { index -= 1 }
        if index >= 0 { uses[index].hasPassed = true }
    }

    /// Forgets which pads the buffers came through.
    func forgetSeen() { for index in 0..<usedCount { uses[index].seen = 0 } }

    /// The buffer which has been in use for longest; nil when none is in use.
    var oldest: (buffer: RawBuffer, use: Use)? {
        guard let index = (0..<usedCount).min(by: { uses[$0].turn < uses[$1].turn }) else { return nil }
        return (used[index], uses[index])
    }

    /// The buffer in the middle of those in use by age, which is where most of them are; not for every frame.
    var median: (buffer: RawBuffer, use: Use)? {
        guard usedCount > 0 else { return nil }
        let index = (0..<usedCount).sorted { uses[$0].turn < uses[$1].turn }[usedCount / 2]
        return (used[index], uses[index])
    }
}
