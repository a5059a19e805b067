import CGStreamer

typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

/// The buffers of a pool: those that lie idle, and those in use.
///
/// Not guarded: `ElasticPool` holds its lock around all of it. It takes memory only when the pool grows.
struct BufferPoolShelf: ~Copyable {
    struct Used {
        let buffer: RawBuffer
        /// When it was taken, by the pool's coarse clock.
        let since: UInt64
        /// The pads it came through since, one bit each.
        var seen: UInt64 = 0
    }

    /// Last in, first out: what lies at the bottom has not been used for longest.
    private var idle: UnsafeMutablePointer<RawBuffer>
    private(set) var idleCount = 0
    /// The oldest first.
    private(set) var used: UnsafeMutablePointer<Used>
    private(set) var usedCount = 0
    private var room: Int

    init(room: Int = 32) {
        self.room = room
        idle = .allocate(capacity: room)
        used = .allocate(capacity: room)
    }

    deinit {
        idle.deallocate()
        used.deallocate()
    }

    /// Makes sure that `count` buffers fit.
    mutating func reserve(_ count: Int) {
        guard count > room else { return }
        let larger = max(count, room * 2)
        idle = Self.moved(idle, idleCount, larger)
        used = Self.moved(used, usedCount, larger)
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
    mutating func putUsed(_ buffer: RawBuffer, since: UInt64) {
        (used + usedCount).initialize(to: Used(buffer: buffer, since: since))
        usedCount += 1
    }

    /// Streams give buffers back in the order they took them, mostly, so the search is short.
    @inline(__always)
    mutating func removeUsed(_ buffer: RawBuffer) {
        var index = 0
        while index < usedCount, used[index].buffer != buffer { index += 1 }
        guard index < usedCount else { return }
        usedCount -= 1
        while index < usedCount {
            used[index] = used[index + 1]
            index += 1
        }
    }

    /// Notes that `buffer` came through the pad of bit `bit`.
    func markSeen(_ buffer: RawBuffer, bit: Int) {
        // The newest are on their way; they stand at the end.
        var index = usedCount - 1
        while index >= 0, used[index].buffer != buffer { index -= 1 }
        if index >= 0 { used[index].seen |= 1 << UInt64(bit) }
    }
}
